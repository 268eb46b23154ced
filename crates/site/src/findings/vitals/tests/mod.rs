//! Golden values, properties and records.

mod figures;
mod records;
mod scores;
