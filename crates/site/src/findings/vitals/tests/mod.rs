//! Golden figures, laws, and what records say.

mod figures;
mod records;
mod scores;
