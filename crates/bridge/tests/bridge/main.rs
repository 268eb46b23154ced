//! The bridge between two ends of text and a server on loopback.

mod ending;
mod failures;
mod lines;
mod relaying;
mod secrets;
mod server;
mod talk;
