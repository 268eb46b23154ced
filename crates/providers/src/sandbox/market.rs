//! Competitors of the simulated market and their order on a day. It includes competitors that rise and fall over
//! months, engine updates, keywords with different weekends, and own pages that alternate.

use super::chance::Chance;
use chrono::{Datelike, NaiveDate, Weekday};
use domain::ports::search_results::SearchQuery;

/// Days between two updates of the engine.
const UPDATE_INTERVAL_DAYS: i32 = 91;
/// Share of keywords for which two own pages alternate.
const ALTERNATING_SHARE: f64 = 0.05;
/// Share of keywords with different weekends.
const WEEKEND_SHARE: f64 = 0.3;

const FIRST: [&str; 20] = [
    "alpine", "amber", "birch", "cobalt", "coral", "delta", "ember", "fjord", "garnet", "harbor",
    "indigo", "juniper", "larch", "maple", "nimbus", "onyx", "prairie", "quartz", "sierra",
    "willow",
];
const SECOND: [&str; 20] = [
    "advice", "base", "central", "compare", "daily", "depot", "expert", "forum", "guide", "hub",
    "journal", "lab", "market", "portal", "review", "select", "shop", "studio", "wiki", "world",
];

pub(super) const COMPETITORS: usize = FIRST.len() * SECOND.len();

#[derive(Debug)]
pub(super) struct Ranking {
    /// Best first.
    pub entries: Vec<Entry>,
    /// From 0; `None` if not ranked within the depth.
    pub own_index: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    Competitor(usize),
    /// The own site's best page.
    Own,
    OwnSecond,
}

impl Ranking {
    pub(super) fn generate(market: Chance, keyword: Chance, query: &SearchQuery) -> Self {
        let depth = (query.depth.max(1) as usize).min(COMPETITORS);
        let mut entries = competitors(market, keyword, query, depth);
        let own = keyword.derive("own").derive(&query.site);
        let own_index = draw_own_index(market, own, query).filter(|place| *place < depth);
        if let Some(place) = own_index {
            let (first, second) = own_pages(own, query.day);
            insert(&mut entries, place, first);
            let gap = 3 + own.derive("gap").below(12);
            if own.derive("second").fraction() < 0.12 {
                insert(&mut entries, place + gap, second);
            }
        }
        entries.truncate(depth);
        Self { entries, own_index }
    }
}

fn insert(entries: &mut Vec<Entry>, place: usize, entry: Entry) {
    if place <= entries.len() {
        entries.insert(place, entry);
    }
}

/// For some keywords the order of the own pages alternates every few days.
fn own_pages(own: Chance, day: NaiveDate) -> (Entry, Entry) {
    let alternation = own.derive("turns");
    let spell = day.num_days_from_ce().div_euclid(3).unsigned_abs();
    let is_turned = alternation.fraction() < ALTERNATING_SHARE
        && alternation.nth(spell.into()).fraction() < 0.5;
    if is_turned {
        (Entry::OwnSecond, Entry::Own)
    } else {
        (Entry::Own, Entry::OwnSecond)
    }
}

/// Number of the last update before a day; each market has its own update days.
fn update(market: Chance, day: NaiveDate) -> u64 {
    let shift = i32::try_from(market.derive("update day").below(91)).unwrap_or(0);
    let updates = (day.num_days_from_ce() + shift).div_euclid(UPDATE_INTERVAL_DAYS);
    updates.unsigned_abs().into()
}

/// Score: strength from market, months and last update; relevance from the keyword; noise from the day.
fn competitors(market: Chance, keyword: Chance, query: &SearchQuery, depth: usize) -> Vec<Entry> {
    let (strengths, fits, walks) = (
        market.derive("strength"),
        keyword.derive("fit"),
        keyword.derive("walk"),
    );
    let drifts = market.derive("drift");
    let weighed = market.derive("weighed").nth(update(market, query.day));
    let score = |number: u64| {
        0.5 * strengths.nth(number).fraction()
            + 0.5 * fits.nth(number).fraction()
            + 0.06 * drifts.nth(number).walk(query.day)
            + 0.06 * weighed.nth(number).fraction()
            + 0.03 * walks.nth(number).walk(query.day)
    };
    let mut scored: Vec<(f64, usize)> = (0_u64..)
        .take(COMPETITORS)
        .zip(0..)
        .map(|(number, index)| (score(number), index))
        .collect();
    let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if depth < scored.len() {
        scored.select_nth_unstable_by(depth - 1, order);
        scored.truncate(depth);
    }
    scored.sort_unstable_by(order);
    scored
        .into_iter()
        .map(|(_, index)| Entry::Competitor(index))
        .collect()
}

/// From 0, more often near the top; `None` for one keyword in seven, or beyond the first hundred.
fn draw_own_index(market: Chance, own: Chance, query: &SearchQuery) -> Option<usize> {
    if own.derive("absent").fraction() < 0.15 {
        return None;
    }
    let usual = 1.0 + 99.0 * own.derive("place").fraction().powi(2);
    let weighed = own
        .derive("weighed")
        .nth(update(market, query.day))
        .fraction()
        - 0.5;
    let is_weekend = matches!(query.day.weekday(), Weekday::Sat | Weekday::Sun);
    let weekend = own.derive("weekend");
    let season = if is_weekend && weekend.fraction() < WEEKEND_SHARE {
        0.3 * (weekend.derive("way").fraction() - 0.4)
    } else {
        0.0
    };
    let today = usual * (0.45 * own.derive("walk").walk(query.day) + 0.5 * weighed + season).exp();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "1 to 200"
    )]
    let today = today.round().max(1.0) as usize;
    (today <= 100).then(|| today - 1)
}

/// A host that can never exist (RFC 2606).
pub(super) fn host(number: usize, country: &str) -> String {
    let (first, second) = (FIRST[number / SECOND.len()], SECOND[number % SECOND.len()]);
    format!("{first}-{second}-{country}.example")
}

/// Brand name derived from the host.
pub(super) fn brand_name(number: usize, country: &str) -> String {
    let host = host(number, country);
    let label = host.trim_end_matches(".example");
    let (head, tail) = label.split_at(1);
    head.to_uppercase() + tail
}

pub(super) fn with_second_word(second: &str, chance: Chance) -> usize {
    let place = SECOND.iter().position(|it| *it == second).unwrap_or(0);
    chance.below(FIRST.len()) * SECOND.len() + place
}
