//! Hosts, registrable domains and URL comparison.
