//! The composition root: settings, adapters of the ports, the server and its process.

pub mod admin;
pub mod process;
pub mod secrets;
pub mod server;
pub mod settings;
pub mod sources;
pub mod stderr;
pub mod system_clock;
mod system_randomness;
pub mod wiring;
