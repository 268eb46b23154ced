use super::groups::PageSnapshot;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Flips {
    /// Changes per pair of consecutive snapshots with an own page; 0 with fewer than two.
    pub rate: f64,
    /// Changes away and back; each return counts twice.
    pub returns: u32,
}

/// Snapshots must be in order; those without an own page are skipped.
#[expect(clippy::cast_precision_loss, reason = "a window has few snapshots")]
pub(super) fn flips(snapshots: &[PageSnapshot]) -> Flips {
    let best: Vec<usize> = snapshots
        .iter()
        .filter_map(|sight| Some(sight.positions.first()?.page))
        .collect();
    let mut runs = best.clone();
    runs.dedup();
    let changes = runs.len().saturating_sub(1);
    let returns = runs.windows(3).filter(|run| run[0] == run[2]).count();
    let pairs = best.len().saturating_sub(1);
    Flips {
        rate: if pairs > 0 {
            changes as f64 / pairs as f64
        } else {
            0.0
        },
        returns: u32::try_from(2 * returns).unwrap_or(u32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::groups::PagePosition, *};

    fn seen(pages: &str) -> Vec<PageSnapshot> {
        let place = |name: char| PagePosition {
            page: name as usize,
            host: String::new(),
            position: 4,
            expected_ctr: None,
        };
        pages
            .chars()
            .map(|name| PageSnapshot {
                at: chrono::DateTime::UNIX_EPOCH,
                positions: (name != '-').then(|| place(name)).into_iter().collect(),
            })
            .collect()
    }

    #[test]
    fn alternations_are_counted_as_they_were_made() {
        for (pages, changes, pairs, returns) in [
            ("aaaaa", 0.0, 4.0, 0),
            ("aabbb", 1.0, 4.0, 0),
            ("ababa", 4.0, 4.0, 6),
            ("aabba", 2.0, 4.0, 2),
            ("abcba", 4.0, 4.0, 2),
            ("a-b-a", 2.0, 2.0, 2),
            ("a----", 0.0, 1.0, 0),
            ("-----", 0.0, 1.0, 0),
        ] {
            let found = flips(&seen(pages));
            assert!((found.rate - changes / pairs).abs() < 1e-12, "{pages}");
            assert_eq!(found.returns, returns, "{pages}");
        }
    }
}
