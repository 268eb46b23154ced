//! Where unpredictable bytes come from.

/// Draws from a cryptographically secure source.
pub trait Randomness: Send + Sync {
    /// Fills the buffer.
    fn fill(&self, bytes: &mut [u8]);
}
