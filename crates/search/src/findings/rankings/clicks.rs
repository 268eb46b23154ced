use super::{ChangeKind, change::Change};
use crate::ctr::{MAX_CTR, PageClicks, Placement};

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Clicks {
    pub expected_ctr: Option<f64>,
    pub estimated: Option<f64>,
    pub potential: Option<f64>,
    pub change: Option<f64>,
    pub ctr_change: Option<f64>,
}

/// Expected clicks of the own results (best first) on a page.
pub(super) fn expected(
    places: &[Placement],
    page: &PageClicks<'_>,
    volume: Option<u64>,
    previous: Option<u32>,
    change: Change,
) -> Clicks {
    let best = places.first().map_or(0.0, |place| page.at(*place));
    // Starts at 0, since an empty sum of floats is −0.
    let all = places
        .iter()
        .fold(0.0, |sum, place| sum + page.at(*place))
        .min(MAX_CTR);
    let top = page.at(Placement::plain(1));
    let ctr_change = ctr_change(best, page, previous, change.kind);
    #[expect(clippy::cast_precision_loss, reason = "volumes are far below 2^52")]
    let per_month = |share: f64| volume.map(|volume| volume as f64 * share);
    Clicks {
        expected_ctr: Some(best),
        estimated: per_month(all),
        potential: per_month((top - all).max(0.0)),
        change: ctr_change.and_then(per_month),
        ctr_change,
    }
}

fn ctr_change(
    best: f64,
    page: &PageClicks<'_>,
    previous: Option<u32>,
    kind: ChangeKind,
) -> Option<f64> {
    let before = previous.map_or(0.0, |position| page.at(Placement::plain(position)));
    match kind {
        ChangeKind::Up | ChangeKind::Down | ChangeKind::New | ChangeKind::Lost => {
            Some(best - before)
        }
        ChangeKind::Same => Some(0.0),
        ChangeKind::FirstSeen | ChangeKind::Unknown => None,
    }
}
