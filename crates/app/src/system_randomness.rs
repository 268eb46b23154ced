use domain::ports::randomness::Randomness;
use rand::Rng;

/// A generator that is seeded by the operating system and suitable for secrets.
pub struct SystemRandomness;

impl Randomness for SystemRandomness {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the randomness that everyone else asks"
    )]
    fn fill(&self, bytes: &mut [u8]) {
        rand::rng().fill_bytes(bytes);
    }
}
