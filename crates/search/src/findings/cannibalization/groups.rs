//! Groups URLs that are one page: pagination and filters of a list, and URLs that replaced another.

use super::{CannibalizationInput, Migration, OwnSnapshot, WINDOW_DAYS};
use crate::{search_intent::Intent, url_rules};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// Query parameters that filter, sort or paginate a list.
const FACETS: [&str; 27] = [
    "page",
    "p",
    "pg",
    "paged",
    "offset",
    "start",
    "from",
    "sort",
    "sortby",
    "order",
    "orderby",
    "dir",
    "direction",
    "view",
    "limit",
    "per_page",
    "pagesize",
    "size",
    "color",
    "colour",
    "brand",
    "price",
    "filter",
    "min_price",
    "max_price",
    "strana",
    "seite",
];
/// Path segments before a page number.
const PAGE_SEGMENTS: [&str; 6] = ["page", "seite", "strana", "oldal", "pagina", "p"];

#[derive(Debug, Clone, PartialEq)]
pub(super) struct PagePosition {
    pub page: usize,
    pub host: String,
    pub position: u32,
    pub expected_ctr: Option<f64>,
}

/// A snapshot with page numbers instead of URLs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PageSnapshot {
    pub at: DateTime<Utc>,
    /// Best first, unique pages.
    pub positions: Vec<PagePosition>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct SnapshotWindow {
    /// Oldest first.
    pub snapshots: Vec<PageSnapshot>,
    /// By page number: the URL as last seen, and its page keys.
    pub pages: Vec<(String, BTreeSet<String>)>,
    pub migrations: Vec<Migration>,
}

/// The window of a keyword; without the home page if the keyword is branded.
pub(super) fn snapshot_window(
    input: &CannibalizationInput<'_>,
    is_branded: bool,
) -> Option<SnapshotWindow> {
    let mut window = in_window(input.snapshots)?;
    window.sort_by_key(|snapshot| snapshot.at);
    let mut pages = Pages::default();
    let mut snapshots: Vec<PageSnapshot> = window
        .iter()
        .map(|snapshot| pages.snapshot(snapshot, is_branded))
        .collect();
    let migrations = migrations(&mut snapshots, &mut pages);
    Some(SnapshotWindow {
        snapshots,
        pages: pages.known,
        migrations,
    })
}

fn in_window(snapshots: &[OwnSnapshot]) -> Option<Vec<&OwnSnapshot>> {
    let newest = snapshots.iter().map(|it| it.at).max()?;
    let oldest = newest - TimeDelta::days(WINDOW_DAYS);
    Some(snapshots.iter().filter(|it| it.at > oldest).collect())
}

#[derive(Debug, Default)]
struct Pages {
    known: Vec<(String, BTreeSet<String>)>,
    numbers: BTreeMap<String, usize>,
}

impl Pages {
    fn snapshot(&mut self, snapshot: &OwnSnapshot, is_branded: bool) -> PageSnapshot {
        let mut places: Vec<PagePosition> = Vec::new();
        let mut own: Vec<_> = snapshot.places.iter().collect();
        own.sort_by_key(|place| place.position);
        for place in own {
            let key = url_rules::page_key(&place.url);
            if is_branded && is_home(&key) {
                continue;
            }
            let page = self.number(&place.url, key);
            if places.iter().all(|it| it.page != page) {
                let host = url_rules::host_of_url(&place.url);
                places.push(PagePosition {
                    page,
                    host: host.map(std::borrow::Cow::into_owned).unwrap_or_default(),
                    position: place.position,
                    expected_ctr: place.expected_ctr,
                });
            }
        }
        PageSnapshot {
            at: snapshot.at,
            positions: places,
        }
    }

    fn number(&mut self, url: &str, key: String) -> usize {
        let set = list_key(&key);
        let number = *self.numbers.entry(set).or_insert_with(|| {
            self.known.push((String::new(), BTreeSet::new()));
            self.known.len() - 1
        });
        url.clone_into(&mut self.known[number].0);
        self.known[number].1.insert(key);
        number
    }
}

fn is_home(key: &str) -> bool {
    key.split_once('/').is_none_or(|(_, path)| path.is_empty())
}

/// The page key without filters, sorting and page number.
fn list_key(key: &str) -> String {
    let (path, query) = key.split_once('?').unwrap_or((key, ""));
    let kept: Vec<&str> = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !is_facet(pair.split('=').next().unwrap_or_default()))
        .collect();
    let path = without_page_number(path);
    if kept.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{}", kept.join("&"))
    }
}

fn is_facet(key: &str) -> bool {
    let bare = key.to_ascii_lowercase();
    let bare = bare.split(['[', '%', '.']).next().unwrap_or_default();
    FACETS.contains(&bare) || bare.starts_with("filter_") || bare.starts_with("f_")
}

/// `/shoes/page/3/` becomes `/shoes/`.
fn without_page_number(path: &str) -> &str {
    let bare = path.trim_end_matches('/');
    let Some((before, number)) = bare.rsplit_once('/') else {
        return path;
    };
    let Some((list, word)) = before.rsplit_once('/') else {
        return path;
    };
    let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
    if is_number && PAGE_SEGMENTS.contains(&word) {
        &path[..=list.len()]
    } else {
        path
    }
}

/// Merges a page and its successor: the old one never returns, the new one is first seen then, and at least twice.
fn migrations(snapshots: &mut [PageSnapshot], pages: &mut Pages) -> Vec<Migration> {
    let mut found = Vec::new();
    while let Some((from, to, at)) = next_migration(snapshots) {
        found.push(Migration {
            from: pages.known[from].0.clone(),
            to: pages.known[to].0.clone(),
            at,
        });
        for place in snapshots.iter_mut().flat_map(|sight| &mut sight.positions) {
            if place.page == from {
                place.page = to;
            }
        }
        let keys = std::mem::take(&mut pages.known[from].1);
        pages.known[to].1.extend(keys);
    }
    found
}

fn next_migration(snapshots: &[PageSnapshot]) -> Option<(usize, usize, DateTime<Utc>)> {
    let mut best = snapshots
        .iter()
        .enumerate()
        .filter_map(|(index, sight)| Some((index, sight.at, sight.positions.first()?.page)));
    let mut before = best.next()?;
    for now in best {
        let holds = |sight: &PageSnapshot, page| sight.positions.iter().any(|it| it.page == page);
        let (from, to) = (before.2, now.2);
        let after = &snapshots[now.0..];
        let has_moved = from != to
            && after.iter().all(|sight| !holds(sight, from))
            && snapshots[..now.0].iter().all(|sight| !holds(sight, to))
            && after.iter().filter(|sight| holds(sight, to)).count() >= 2;
        if has_moved {
            return Some((from, to, now.1));
        }
        before = now;
    }
    None
}

/// Whether a keyword contains the project's name, or is navigational.
pub(super) fn is_branded(holds_name: bool, intent: Option<Intent>) -> bool {
    holds_name || intent == Some(Intent::Navigational)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pagination_and_sorting_of_a_list_are_one_page() {
        for (url, set) in [
            ("acme.com/shoes?page=3", "acme.com/shoes"),
            ("acme.com/shoes?sort=price&id=4", "acme.com/shoes?id=4"),
            ("acme.com/shoes?filter[size]=4&Color=red", "acme.com/shoes"),
            ("acme.com/shoes/page/3/", "acme.com/shoes/"),
            ("acme.com/shoes/page/red", "acme.com/shoes/page/red"),
            ("acme.com/2024/3", "acme.com/2024/3"),
            ("acme.com/", "acme.com/"),
        ] {
            assert_eq!(list_key(url), set, "{url}");
        }
    }
}
