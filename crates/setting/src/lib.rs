//! Settings: types that know their valid values, and [`settings!`], which declares sections of them.
//!
//! A value that cannot be parsed is refused by its `Deserialize`. A value out of range is found by [`Setting::check`],
//! so that all of them are reported together, each with its key.

mod bounds;
mod money;
mod secret;
mod section;
mod web_address;

pub use bounds::{Seconds, Share, Within, ZeroOr};
pub use money::{Cap, Cost, Price, Usd};
pub use secret::Secret;
pub use section::{Key, Mistake, Mistakes, Setting, below};
pub use web_address::WebAddress;
