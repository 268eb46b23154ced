use crate::observation::vitals::HistogramBin;

/// Tolerance of the sum of densities.
const DENSITY_TOLERANCE: f64 = 0.005;

/// Minimum visits for a 75th percentile.
pub const MIN_SAMPLES: usize = 20;

/// Whether bins ascend without gaps, only the last has no end, and densities add up to 1 ± .005.
pub fn is_distribution(histogram: &[HistogramBin]) -> bool {
    let Some((last, before)) = histogram.split_last() else {
        return false;
    };
    let sum: f64 = histogram.iter().map(|it| it.density).sum();
    let sound = |it: &HistogramBin| {
        it.start.is_finite()
            && it.density >= 0.0
            && it.end.is_none_or(|end| end.is_finite() && it.start < end)
    };
    histogram.iter().all(sound)
        && (sum - 1.0).abs() <= DENSITY_TOLERANCE
        && before
            .iter()
            .zip(&histogram[1..])
            .all(|(one, next)| one.end == Some(next.start))
        && last.start.is_finite()
}

/// The 75th percentile of a distribution, by linear interpolation inside of its bin. `None` if the
/// bins are not a distribution, or if it lies in a last bin without an end.
pub fn p75_of_histogram(histogram: &[HistogramBin]) -> Option<f64> {
    if !is_distribution(histogram) {
        return None;
    }
    let sum: f64 = histogram.iter().map(|it| it.density).sum();
    let wanted = 0.75 * sum;
    let mut below = 0.0;
    for bin in histogram {
        if wanted <= below + bin.density && bin.density > 0.0 {
            let share = (wanted - below) / bin.density;
            return bin.end.map(|end| bin.start + share * (end - bin.start));
        }
        below += bin.density;
    }
    None
}

/// 75th percentile of single visits by nearest rank; `None` for fewer than 20, or if one is not finite.
pub fn p75_of_samples(samples: &[f64]) -> Option<f64> {
    if samples.len() < MIN_SAMPLES || samples.iter().any(|it| !it.is_finite()) {
        return None;
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    // ⌈¾n⌉ in whole numbers.
    let rank = (3 * sorted.len()).div_ceil(4);
    sorted.get(rank - 1).copied()
}
