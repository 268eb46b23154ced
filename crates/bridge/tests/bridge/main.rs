//! The bridge between in-memory streams and a server on loopback.

mod client;
mod failures;
mod lines;
mod relaying;
mod secrets;
mod server;
mod shutdown;
