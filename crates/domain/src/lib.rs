//! The business of Sightline: accounts, tokens, projects, keywords, jobs, allowances; the ports
//! through which it reaches the world; one use case per file.

pub mod ports;
