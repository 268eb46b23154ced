//! Who competes in a simulated market, and in which order they stand on a day.

use super::chance::Chance;
use domain::ports::search_results::SearchQuery;

const FIRST: [&str; 20] = [
    "alpine", "amber", "birch", "cobalt", "coral", "delta", "ember", "fjord", "garnet", "harbor",
    "indigo", "juniper", "larch", "maple", "nimbus", "onyx", "prairie", "quartz", "sierra",
    "willow",
];
const SECOND: [&str; 20] = [
    "advice", "base", "central", "compare", "daily", "depot", "expert", "forum", "guide", "hub",
    "journal", "lab", "market", "portal", "review", "select", "shop", "studio", "wiki", "world",
];

/// How many sites compete.
pub(super) const COMPETITORS: usize = FIRST.len() * SECOND.len();

/// The order of a keyword's results on a day.
#[derive(Debug)]
pub(super) struct Ranking {
    /// Best first.
    pub entries: Vec<Entry>,
    /// How many there are at the most.
    pub own_place: Option<usize>,
}

/// Whose result it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// A competitor, by number.
    Competitor(usize),
    /// The owner's best page.
    Own,
    /// Another page of the owner.
    OwnSecond,
}

impl Ranking {
    pub(super) fn of(market: Chance, keyword: Chance, query: &SearchQuery) -> Self {
        let depth = (query.depth.max(1) as usize).min(COMPETITORS);
        let mut entries = competitors(market, keyword, query, depth);
        let own = keyword.of("own").of(&query.site);
        let own_place = place(own, query).filter(|place| *place < depth);
        if let Some(place) = own_place {
            insert(&mut entries, place, Entry::Own);
            let gap = 3 + own.of("gap").below(12);
            if own.of("second").share() < 0.12 {
                insert(&mut entries, place + gap, Entry::OwnSecond);
            }
        }
        entries.truncate(depth);
        Self { entries, own_place }
    }
}

fn insert(entries: &mut Vec<Entry>, place: usize, entry: Entry) {
    if place <= entries.len() {
        entries.insert(place, entry);
    }
}

/// Strength is a matter of the market, fitness of the keyword, and the rest of the day.
fn competitors(market: Chance, keyword: Chance, query: &SearchQuery, depth: usize) -> Vec<Entry> {
    let (strengths, fits, walks) = (market.of("strength"), keyword.of("fit"), keyword.of("walk"));
    let score = |number: u64| {
        0.5 * strengths.nth(number).share()
            + 0.5 * fits.nth(number).share()
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

/// The owner's place from 0, near the top more often than far below; none for one keyword in
/// seven, and none while it has drifted out of the first hundred.
fn place(own: Chance, query: &SearchQuery) -> Option<usize> {
    if own.of("absent").share() < 0.15 {
        return None;
    }
    let usual = 1.0 + 99.0 * own.of("place").share().powi(2);
    let today = usual * (0.45 * own.of("walk").walk(query.day)).exp();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "1 to 200"
    )]
    let today = today.round().max(1.0) as usize;
    (today <= 100).then(|| today - 1)
}

/// The host of a competitor, under a name that can never be a real one (RFC 2606).
pub(super) fn host(number: usize, country: &str) -> String {
    let (first, second) = (FIRST[number / SECOND.len()], SECOND[number % SECOND.len()]);
    format!("{first}-{second}-{country}.example")
}
