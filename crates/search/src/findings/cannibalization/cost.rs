use super::groups::{PagePosition, PageSnapshot};
use crate::ctr::{MAX_CTR, ctr};

/// Expected clicks, as shares of searches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cost {
    /// 1 − held / potential, 0 to 1.
    pub cost: f64,
    pub lost: f64,
}

/// The cost over a window; `None` if no own page was ever seen.
pub(super) fn cost(snapshots: &[PageSnapshot]) -> Option<Cost> {
    let places = || snapshots.iter().flat_map(|sight| &sight.positions);
    // Stored shares are used only if all results have one, since they must not be mixed with the curve.
    let is_kept = places().all(|place| place.expected_ctr.is_some());
    let worth = |place: &PagePosition| match place.expected_ctr {
        Some(share) if is_kept => share,
        _ => ctr(place.position),
    };
    let best = places().map(|place| place.position).min()?;
    let at_best: Vec<f64> = places()
        .filter(|place| place.position == best)
        .map(worth)
        .collect();
    let potential = crate::statistics::describe::mean(&at_best)?;
    let of_each: Vec<f64> = snapshots
        .iter()
        .map(|sight| {
            let sum = sight
                .positions
                .iter()
                .fold(0.0, |sum, place| sum + worth(place));
            sum.min(MAX_CTR)
        })
        .collect();
    let captured = crate::statistics::describe::mean(&of_each)?;
    let kept = if potential > 0.0 {
        (captured / potential).min(1.0)
    } else {
        1.0
    };
    Some(Cost {
        cost: 1.0 - kept,
        lost: (potential - captured).max(0.0),
    })
}
