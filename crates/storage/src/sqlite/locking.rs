//! How `SQLite` keeps rows from other writers: it has one, from `BEGIN IMMEDIATE` on.

/// Nothing to be said.
macro_rules! locked {
    ($query:expr) => {
        $query
    };
}

/// Nothing to be said: nobody else holds a lock.
macro_rules! locked_passing_over {
    ($query:expr) => {
        $query
    };
}
