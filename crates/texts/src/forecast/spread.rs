use super::count;

pub const LEVELS: [f64; 2] = [0.8, 0.95];
/// Two-sided normal quantiles of 80 % and 95 %.
const SCORES: [f64; 2] = [1.281_551_565_544_600_4, 1.959_963_984_540_054];
/// For conformal intervals; 19 would suffice for 95 %.
pub const MIN_ERRORS: usize = 20;

/// Half-widths around a forecast, on its scale. Between and beyond them errors are assumed normal and symmetric, so
/// that intervals, means and probabilities agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub half80: f64,
    /// Not less than `half80`.
    pub half95: f64,
}

/// Absolute errors by step ahead, each list sorted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PastErrors {
    by_step: Vec<Vec<f64>>,
}

impl PastErrors {
    /// `step` from 0.
    pub fn add(&mut self, step: usize, error: f64) {
        if self.by_step.len() <= step {
            self.by_step.resize_with(step + 1, Vec::new);
        }
        let sizes = &mut self.by_step[step];
        let place = sizes.partition_point(|size| *size < error.abs());
        sizes.insert(place, error.abs());
    }

    /// One per deviation. Split conformal per step: of n ≥ 20 past errors the ⌈(n + 1)·level⌉-th smallest (Vovk,
    /// Gammerman and Shafer 2005; Lei and others 2018), else normal theory. Intervals never narrow with the step.
    pub fn spreads(&self, deviations: &[f64]) -> Vec<Spread> {
        let mut widest = Spread::default();
        deviations
            .iter()
            .enumerate()
            .map(|(step, deviation)| {
                let here = self
                    .by_step
                    .get(step)
                    .and_then(|sizes| Spread::conformal(sizes))
                    .unwrap_or_else(|| Spread::normal(*deviation));
                widest = widest.max(here);
                widest
            })
            .collect()
    }

    pub fn conformal_steps(&self) -> usize {
        let enough = |sizes: &&Vec<f64>| sizes.len() >= MIN_ERRORS;
        self.by_step.iter().take_while(enough).count()
    }
}

impl Default for Spread {
    fn default() -> Self {
        Self {
            half80: 0.0,
            half95: 0.0,
        }
    }
}

impl Spread {
    pub fn normal(deviation: f64) -> Self {
        Self {
            half80: SCORES[0] * deviation,
            half95: SCORES[1] * deviation,
        }
    }

    /// `sizes` must be sorted; `None` for too few.
    fn conformal(sizes: &[f64]) -> Option<Self> {
        if sizes.len() < MIN_ERRORS {
            return None;
        }
        let [half80, half95] = LEVELS.map(|level| sizes.get(rank(sizes.len(), level) - 1).copied());
        Some(Self {
            half80: half80?,
            half95: half95?,
        })
    }

    /// The wider of both, level by level.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            half80: self.half80.max(other.half80),
            half95: self.half95.max(other.half95),
        }
    }

    /// Linear interpolation of the half-widths over normal scores.
    pub fn error_at_score(&self, score: f64) -> f64 {
        let size = score.abs();
        let error = if size <= SCORES[0] {
            self.half80 * size / SCORES[0]
        } else if size <= SCORES[1] {
            let share = (size - SCORES[0]) / (SCORES[1] - SCORES[0]);
            self.half80 + share * (self.half95 - self.half80)
        } else {
            self.half95 * size / SCORES[1]
        };
        error.copysign(score)
    }

    /// 0 to 1.
    pub fn probability_below(&self, error: f64) -> f64 {
        normal_cdf(self.score(error.abs()).copysign(error))
    }

    /// The inverse of [`Self::error_at_score`].
    fn score(&self, size: f64) -> f64 {
        let part = |above: f64, of: f64| if of > 0.0 { above / of } else { 1.0 };
        if size < self.half80 {
            SCORES[0] * size / self.half80
        } else if size < self.half95 {
            let share = part(size - self.half80, self.half95 - self.half80);
            SCORES[0] + share * (SCORES[1] - SCORES[0])
        } else if self.half95 > 0.0 {
            SCORES[1] * size / self.half95
        } else if size > 0.0 {
            f64::INFINITY
        } else {
            0.0
        }
    }

    /// By the trapezoidal rule over normal scores from −4 to 4.
    pub fn expected_value(&self, value: impl Fn(f64) -> f64) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for place in -16..=16_i32 {
            let score = f64::from(place) / 4.0;
            let weight = (-score * score / 2.0).exp();
            sum += weight * value(self.error_at_score(score));
            weights += weight;
        }
        sum / weights
    }
}

/// ⌈(n + 1)·level⌉, at most n for n ≥ 19.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a count"
)]
fn rank(n: usize, level: f64) -> usize {
    // Guards against rounding errors: 20·0.95 must be 19, not slightly above.
    ((count(n + 1) * level - 1e-9).ceil() as usize).clamp(1, n)
}

/// Φ to 15 digits: West, "Better approximations to cumulative normal functions", 2005 (Hart's algorithm).
fn normal_cdf(score: f64) -> f64 {
    let size = score.abs();
    if size > 37.0 {
        return if score > 0.0 { 1.0 } else { 0.0 };
    }
    let density = (-size * size / 2.0).exp();
    let tail = if size < 7.071_067_811_865_475 {
        let above = horner(
            size,
            &[
                3.526_249_659_989_11e-2,
                0.700_383_064_443_688,
                6.373_962_203_531_65,
                33.912_866_078_383,
                112.079_291_497_871,
                221.213_596_169_931,
                220.206_867_912_376,
            ],
        );
        let below = horner(
            size,
            &[
                8.838_834_764_831_84e-2,
                1.755_667_163_182_64,
                16.064_177_579_207,
                86.780_732_202_946_1,
                296.564_248_779_674,
                637.333_633_378_831,
                793.826_512_519_948,
                440.413_735_824_752,
            ],
        );
        density * above / below
    } else {
        let fraction = [4.0, 3.0, 2.0, 1.0]
            .into_iter()
            .fold(size + 0.65, |rest, n| size + n / rest);
        density / fraction / 2.506_628_274_631
    };
    if score > 0.0 { 1.0 - tail } else { tail }
}

fn horner(at: f64, coefficients: &[f64]) -> f64 {
    coefficients.iter().fold(0.0, |sum, it| sum * at + it)
}
