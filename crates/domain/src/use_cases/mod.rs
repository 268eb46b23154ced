//! What can be done: one verb per file.
