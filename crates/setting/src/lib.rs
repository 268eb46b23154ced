//! Settings: types of values that know what they take, and [`settings!`], which declares sections of them.
//!
//! A value that cannot be read at all is refused by its `Deserialize`. A number out of its bounds is read and found by
//! [`Setting::check`], so that all of them are told at once, each with its key.

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
