use super::groups::{PagePosition, PageSnapshot};

/// Lowest position that counts.
const TOP: u32 = 20;
/// Lowest position at which the engine groups pages of a host.
const CLUSTERED: u32 = 10;

/// As shares of snapshots.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Overlap {
    /// With two or more own pages in the top 20 that are not grouped.
    pub apart: f64,
    /// With own pages that the engine groups (host clustering).
    pub clustered: f64,
}

/// 0 without snapshots.
#[expect(clippy::cast_precision_loss, reason = "a window has few snapshots")]
pub(super) fn overlap(snapshots: &[PageSnapshot]) -> Overlap {
    let share = |holds: fn(&PageSnapshot) -> bool| {
        let count = snapshots.iter().filter(|sight| holds(sight)).count();
        count as f64 / snapshots.len().max(1) as f64
    };
    Overlap {
        apart: share(|sight| clusters(sight).0 >= 2),
        clustered: share(|sight| clusters(sight).1),
    }
}

/// The number of groups, and whether one has several pages: adjacent results of one host in the top 10.
fn clusters(sight: &PageSnapshot) -> (usize, bool) {
    let top: Vec<&PagePosition> = sight
        .positions
        .iter()
        .filter(|it| it.position <= TOP)
        .collect();
    let are_grouped = |pair: &[&PagePosition]| {
        pair[1].position == pair[0].position + 1
            && pair[1].position <= CLUSTERED
            && pair[0].host == pair[1].host
    };
    let grouped = top.windows(2).filter(|pair| are_grouped(pair)).count();
    (top.len() - grouped, grouped > 0)
}
