//! Random numbers of the simulation.

use std::f64::consts::TAU;

/// `SplitMix64` (Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
pub struct Draws(u64);

impl Draws {
    pub const fn seeded(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// 0 to 1, without either.
    pub fn unit(&mut self) -> f64 {
        (f64::from(u32::try_from(self.next() >> 32).unwrap_or_default()) + 0.5) / 4_294_967_296.0
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn log_uniform(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    pub fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        #[expect(clippy::cast_possible_truncation, reason = "below the length")]
        let at = (self.next() % of.len() as u64) as usize;
        of[at]
    }

    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (TAU * self.unit()).cos()
    }

    /// Student's t, scaled to a variance of 1.
    pub fn heavy_tailed(&mut self, freedom: u32) -> f64 {
        let squares: f64 = (0..freedom).map(|_| self.normal().powi(2)).sum();
        let t = self.normal() / (squares / f64::from(freedom)).sqrt();
        t / (f64::from(freedom) / (f64::from(freedom) - 2.0)).sqrt()
    }

    /// Successes of independent trials.
    pub fn count(&mut self, share: f64, trials: u64) -> u64 {
        (0..trials).filter(|_| self.chance(share)).count() as u64
    }
}

/// A stationary autoregressive series of order 1, with a standard deviation.
#[derive(Debug, Clone)]
pub struct Series {
    phi: f64,
    deviation: f64,
    freedom: u32,
    value: f64,
}

impl Series {
    pub fn started(draws: &mut Draws, phi: f64, deviation: f64, freedom: u32) -> Self {
        Self {
            phi,
            deviation,
            freedom,
            value: deviation * draws.heavy_tailed(freedom),
        }
    }

    pub fn next(&mut self, draws: &mut Draws) -> f64 {
        let innovation = self.deviation * (1.0 - self.phi * self.phi).sqrt();
        self.value = self.phi * self.value + innovation * draws.heavy_tailed(self.freedom);
        self.value
    }
}
