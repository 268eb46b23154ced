//! The crawler on real sockets: hostile sites, and well-behaved ones.

#[cfg(test)]
mod certified;
#[cfg(test)]
mod encryption;
#[cfg(test)]
mod fault_server;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod support;
