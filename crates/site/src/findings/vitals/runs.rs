use super::lighthouse_score::{metric_scores, performance_score};
use super::record::Spread;
use crate::observation::vitals::{FormFactor, LabMetrics, LabRun};
use crate::statistics::describe::quantile;

/// The performance score of one load, 0 to 1.
pub fn score_of(run: &LabRun, form_factor: FormFactor) -> Option<f64> {
    performance_score(&metric_scores(&run.metrics, form_factor))
}

/// The median load by score; among equal scores the slower one by LCP comes first, and of an even
/// number the worse of the middle two is taken. Loads without a score count only if none has one.
pub fn median_run(runs: &[LabRun], form_factor: FormFactor) -> Option<&LabRun> {
    let mut ranked: Vec<(Option<f64>, &LabRun)> = runs
        .iter()
        .map(|it| (score_of(it, form_factor), it))
        .collect();
    if ranked.iter().any(|it| it.0.is_some()) {
        ranked.retain(|it| it.0.is_some());
    }
    let lcp = |it: &LabRun| it.metrics.lcp.unwrap_or(f64::INFINITY);
    ranked.sort_by(|one, other| {
        let by_score = one.0.unwrap_or(0.0).total_cmp(&other.0.unwrap_or(0.0));
        by_score.then_with(|| lcp(other.1).total_cmp(&lcp(one.1)))
    });
    let middle = ranked.len().checked_sub(1)? / 2;
    ranked.get(middle).map(|it| it.1)
}

/// Interquartile ranges of score and metrics, linear (Hyndman and Fan 1996, type 7); `None` below two loads.
pub fn spread(runs: &[LabRun], form_factor: FormFactor) -> Spread {
    let of = |read: &dyn Fn(&LabMetrics) -> Option<f64>| {
        let values: Vec<f64> = runs.iter().filter_map(|it| read(&it.metrics)).collect();
        interquartile_range(&values)
    };
    let scores = runs.iter().filter_map(|it| score_of(it, form_factor));
    let points: Vec<f64> = scores.map(|it| it * 100.0).collect();
    Spread {
        performance_score: interquartile_range(&points),
        lcp: of(&|it| it.lcp),
        cls: of(&|it| it.cls),
        fcp: of(&|it| it.fcp),
        ttfb: of(&|it| it.ttfb),
        tbt: of(&|it| it.tbt),
        si: of(&|it| it.si),
    }
}

fn interquartile_range(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    Some(quantile(values, 0.75)? - quantile(values, 0.25)?)
}
