//! Keyword normalisation.
