//! Programs stand in `examples`.
