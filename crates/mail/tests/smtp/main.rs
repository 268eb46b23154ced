//! The adapter against a mail server on this machine.

#[cfg(test)]
mod failures;
#[cfg(test)]
mod injection;
#[cfg(test)]
mod server;
#[cfg(test)]
mod transfers;
