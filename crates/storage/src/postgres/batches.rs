//! How `PostgreSQL` is told many rows at once.

/// Says a statement for one of few numbers of rows, which is kept prepared for each of them.
macro_rules! say_batch {
    ($db:expr, $statement:expr) => {
        crate::steady::say($db, $statement)
    };
}
