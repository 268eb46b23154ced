//! How `SQLite` is told many rows at once.

/// Says the statement as it is: Diesel puts a batch together for `SQLite` by itself, and knows of no wrapper.
macro_rules! say_batch {
    ($db:expr, $statement:expr) => {
        $statement.execute($db).map(drop)
    };
}
