/// Fills the bytes from a cryptographically secure source.
pub trait Randomness: Send + Sync {
    fn fill(&self, bytes: &mut [u8]);
}
