//! Expected click-through rates.
