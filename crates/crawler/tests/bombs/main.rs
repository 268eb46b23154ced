//! Decompression bombs and slow responses: hostile sites that a separate process reads in bounded time and memory.
//! The figures are in docs/contribute/security.md.

#[cfg(test)]
mod documents;
#[cfg(test)]
#[path = "../sites/fault_server.rs"]
#[expect(dead_code, reason = "the sites of the other tests need more of it")]
mod fault_server;
#[cfg(test)]
mod reader_process;
#[cfg(test)]
mod transport;
#[cfg(test)]
mod trial;
