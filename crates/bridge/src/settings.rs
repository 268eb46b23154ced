use crate::{Address, Token, Trust};
use std::{path::PathBuf, time::Duration};
use thiserror::Error;

#[derive(Debug, Clone)]
pub struct Settings {
    pub address: Address,
    pub token: Token,
    pub trust: Trust,
    pub limits: Limits,
}

/// Timeouts and sizes. The defaults are for production; tests use shorter times.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For a connection, with DNS and TLS.
    pub connect_timeout: Duration,
    /// Without a byte from the server. It sends a heartbeat every 15 s, or responds within 60 s.
    pub idle_timeout: Duration,
    /// For `initialize`, which all later messages wait for.
    pub initialize_timeout: Duration,
    /// For calls in flight when the input ends.
    pub shutdown_timeout: Duration,
    /// Bytes of an input line.
    pub max_line_bytes: usize,
    /// Bytes of a message from the server.
    pub max_response_bytes: usize,
    /// Messages in flight.
    pub max_in_flight: usize,
    /// Messages that may wait besides.
    pub max_waiting: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_mins(2),
            initialize_timeout: Duration::from_secs(30),
            shutdown_timeout: Duration::from_secs(30),
            max_line_bytes: 1024 * 1024,
            max_response_bytes: 4 * 1024 * 1024,
            max_in_flight: 32,
            max_waiting: 128,
        }
    }
}

#[derive(Debug, Error)]
pub enum SetupError {
    #[error(
        "there is no token. Set SIGHTLINE_TOKEN, or name a file with --token-file; `sightline token create` makes one"
    )]
    NoToken,
    #[error(
        "this is not a token: one has 16 visible ASCII characters or more, with nothing between them"
    )]
    InvalidToken,
    #[error("SIGHTLINE_URL or --url {0}")]
    Address(&'static str),
    #[error("cannot read {}: {source}", path.display())]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{} is empty: it should hold a token alone", .0.display())]
    EmptyTokenFile(PathBuf),
    #[error("{} holds no certificates that can be used: {reason}", path.display())]
    Certificates { path: PathBuf, reason: String },
}
