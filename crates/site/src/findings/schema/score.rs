/// The terms of the score; `None` is unknown.
#[derive(Debug, Clone, Copy)]
pub struct ScoreTerms {
    pub entities: usize,
    pub with_errors: usize,
    /// Mean share of recommended properties that are present, over entities that have any.
    pub completeness: Option<f64>,
    pub fits: Option<bool>,
}

/// 100·(0.5·(1 − entities with errors/entities) + 0.3·mean recommended completeness + 0.2·1[type fits
/// page template]). Unknown terms are left out, and the weights of the others scaled up to 1. `None`
/// without entities.
pub fn score(terms: ScoreTerms) -> Option<f64> {
    if terms.entities == 0 {
        return None;
    }
    #[allow(clippy::cast_precision_loss)]
    let sound = 1.0 - terms.with_errors as f64 / terms.entities as f64;
    let fits = terms.fits.map(|it| f64::from(u8::from(it)));
    let weighted = [(0.5, Some(sound)), (0.3, terms.completeness), (0.2, fits)];
    let known = weighted
        .iter()
        .filter_map(|(weight, it)| it.map(|it| (weight, it)));
    let (mut sum, mut weights) = (0.0, 0.0);
    for (weight, value) in known {
        sum += weight * value;
        weights += weight;
    }
    Some(100.0 * sum / weights)
}
