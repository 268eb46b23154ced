//! The bomb and drip corpus: hostile sites that a reader in a process of its own reads in bounded
//! time and memory. The figures are in docs/SECURITY.md.

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
