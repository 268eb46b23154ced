//! The suite.
mod empty {}
