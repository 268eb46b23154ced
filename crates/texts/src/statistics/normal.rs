/// Two-sided tail probability.
pub fn two_sided_p(z: f64) -> f64 {
    const STEPS: u32 = 400;
    let step = z.min(8.0) / f64::from(STEPS);
    let density = |x: f64| (-x * x / 2.0).exp();
    // Simpson's rule.
    let sum: f64 = (0..=STEPS)
        .map(|at| {
            let weight = match at {
                0 | STEPS => 1.0,
                at if at % 2 == 1 => 4.0,
                _ => 2.0,
            };
            weight * density(f64::from(at) * step)
        })
        .sum();
    let inside = sum * step / 3.0 * (2.0 / std::f64::consts::PI).sqrt();
    (1.0 - inside).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy 1.17.1 `2 * stats.norm.sf(z)`.
    #[test]
    fn tails_are_those_of_scipy() {
        for (z, p) in [
            (0.0, 1.0),
            (0.5, 0.617_075_077_451_973_8),
            (1.959_963_984_540_054, 0.05),
            (3.0, 0.002_699_796_063_260_189_6),
        ] {
            assert!(
                (two_sided_p(z) - p).abs() < 1e-10,
                "{z}: {}",
                two_sided_p(z)
            );
        }
    }
}
