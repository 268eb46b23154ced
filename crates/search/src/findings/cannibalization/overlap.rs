use super::groups::{Place, Sight};

/// How far down pages are in sight.
const TOP: u32 = 20;
/// How far down the engine groups pages of a host.
const CLUSTERED: u32 = 10;

/// Shares of snapshots.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Overlap {
    /// With two or more own pages in the top 20 that are not grouped.
    pub apart: f64,
    /// With own pages that the engine groups.
    pub clustered: f64,
}

/// The overlap over all snapshots; 0 without any.
#[expect(clippy::cast_precision_loss, reason = "a window has few snapshots")]
pub(super) fn overlap(snapshots: &[Sight]) -> Overlap {
    let share = |holds: fn(&Sight) -> bool| {
        let count = snapshots.iter().filter(|sight| holds(sight)).count();
        count as f64 / snapshots.len().max(1) as f64
    };
    Overlap {
        apart: share(|sight| clusters(sight).0 >= 2),
        clustered: share(|sight| clusters(sight).1),
    }
}

/// How many places or groups there are, and whether one is a group: neighbours of one host in the first ten.
fn clusters(sight: &Sight) -> (usize, bool) {
    let top: Vec<&Place> = sight
        .places
        .iter()
        .filter(|it| it.position <= TOP)
        .collect();
    let are_grouped = |pair: &[&Place]| {
        pair[1].position == pair[0].position + 1
            && pair[1].position <= CLUSTERED
            && pair[0].host == pair[1].host
    };
    let grouped = top.windows(2).filter(|pair| are_grouped(pair)).count();
    (top.len() - grouped, grouped > 0)
}
