//! How `PostgreSQL` keeps rows from other writers.

/// Locks the rows until the transaction ends. Weaker than `FOR UPDATE`: whoever adds a row that
/// refers to a locked one does not wait, and cannot deadlock with it.
macro_rules! locked {
    ($query:expr) => {
        $query.for_no_key_update()
    };
}

/// The same, passing over rows that others have locked.
macro_rules! locked_passing_over {
    ($query:expr) => {
        $query.for_no_key_update().skip_locked()
    };
}
