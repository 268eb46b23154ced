//! First step: collects rankings and search traffic, by which all suggestions are weighted.

use super::collect::Findings;
use super::declines::{Decline, click_decline, rank_decline};
use super::draft;
use super::draft::Clicks;
use super::evidence::{EvidenceSource, RecordRef};
use super::evidence_tracker::EvidenceTracker;
use super::inputs::{ConsoleRow, DayClicks, SuggestionContext};
use super::rule::{CONTENT_DECAY, CTR_GAP};
use crate::findings::rankings::{RankPoint, RankingRecord};
use crate::provenance::RecordStatus;
use crate::result_type::ResultType;
use crate::url_rules::page_key;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Search Console rows with enough impressions.
const MAX_ROWS: usize = 20_000;
/// For evaluating a click rate.
pub(super) const MIN_IMPRESSIONS: u64 = 500;

/// Takes rankings and imported rows, in any order. Memory grows with keywords and pages with search traffic.
#[derive(Debug)]
pub struct Searches<'a> {
    pub(super) context: SuggestionContext<'a>,
    pub(super) tracker: EvidenceTracker,
    /// By keyword and engine.
    pub(super) keywords: BTreeMap<(i64, String), Keyword>,
    /// By page key.
    pub(super) landings: BTreeMap<String, Landing>,
    /// Rows with enough impressions, most first.
    pub(super) rows: BTreeMap<(Reverse<u64>, String, String), ConsoleRow>,
    /// Declined positions, by keyword and engine.
    pub(super) rank_declines: BTreeMap<(i64, String), Decline>,
    /// By page key, for pages with known clicks.
    pub(super) click_declines: BTreeMap<String, Option<Decline>>,
    /// Keywords with a known history.
    with_history: BTreeSet<i64>,
    pub(super) is_simulated: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Keyword {
    pub record: RecordRef,
    pub text: String,
    pub position: Option<u32>,
    pub depth_checked: u32,
    pub url: Option<String>,
    pub volume: Option<u64>,
    pub expected_ctr: Option<f64>,
    /// The curve behind `expected_ctr`.
    pub ctr_model: String,
    pub potential: Option<f64>,
    pub target: Option<u32>,
    pub target_gain: Option<f64>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Landing {
    pub url: String,
    estimated: Option<Clicks>,
    imported: Option<Clicks>,
    /// Over all queries.
    counted: Option<Clicks>,
    /// Position, keyword, engine.
    pub places: BTreeSet<(u32, i64, String)>,
    pub best_row: Option<(u64, ConsoleRow)>,
}

impl Landing {
    /// Clicks per month: counted over all queries, else of known queries, else expected.
    pub fn clicks(&self) -> Option<Clicks> {
        self.counted.or(self.imported).or(self.estimated)
    }

    /// By counted clicks, else by a position with expected clicks.
    pub fn has_traffic(&self) -> bool {
        match (self.counted.or(self.imported), self.estimated) {
            (Some(clicks), _) | (None, Some(clicks)) => clicks > Clicks::default(),
            (None, None) => self.places.first().is_some_and(|it| it.0 <= 20),
        }
    }
}

impl<'a> Searches<'a> {
    pub fn new(context: SuggestionContext<'a>) -> Self {
        Self {
            context,
            tracker: EvidenceTracker::of(context.previous),
            keywords: BTreeMap::new(),
            landings: BTreeMap::new(),
            rows: BTreeMap::new(),
            rank_declines: BTreeMap::new(),
            click_declines: BTreeMap::new(),
            with_history: BTreeSet::new(),
            is_simulated: false,
        }
    }

    pub fn add_ranking(&mut self, record: &RankingRecord) {
        let Some(keyword_id) = record.envelope.keyword_id else {
            return;
        };
        if record.envelope.status == RecordStatus::Error {
            return;
        }
        self.is_simulated |= record.envelope.provenance.is_simulated();
        // Without the best URL, which may change.
        let found = RecordRef {
            url: None,
            ..RecordRef::of(&record.envelope)
        }
        .with("engine", &record.market.engine);
        self.tracker
            .record_seen(EvidenceSource::Result(ResultType::Rankings), &found);
        let engine = record.market.engine.clone();
        if let (Some(url), Some(position)) = (&record.envelope.url, record.position) {
            let landing = self.landing(url);
            landing
                .places
                .insert((position, keyword_id, engine.clone()));
            if let Some(clicks) = record.estimated_clicks {
                let sum = landing.estimated.get_or_insert_default();
                sum.add(Clicks::of(clicks));
            }
        }
        let keyword = Keyword {
            record: found,
            text: record.market.keyword.clone(),
            position: record.position,
            depth_checked: record.depth_checked,
            url: record.envelope.url.clone(),
            volume: record.search_volume,
            expected_ctr: record.expected_ctr,
            ctr_model: record.ctr_model.clone(),
            potential: record.potential_clicks,
            target: record.target_position,
            target_gain: record.target_ctr_gain,
        };
        self.keywords.insert((keyword_id, engine), keyword);
    }

    /// `points`: measurements of the last 90 days and the newest one, in any order.
    pub fn add_rank_history(&mut self, keyword_id: i64, engine: &str, points: &[RankPoint]) {
        let fall = rank_decline(points, self.context.at);
        self.with_history.insert(keyword_id);
        self.rank_declines
            .extend(fall.map(|fall| ((keyword_id, engine.to_owned()), fall)));
    }

    pub fn add_console_row(&mut self, row: &ConsoleRow) {
        self.tracker
            .record_seen(ConsoleRow::SOURCE, &row.record_ref());
        if row.impressions < MIN_IMPRESSIONS {
            let id = draft::id(CTR_GAP, &page_key(&row.url));
            self.tracker
                .mark_inconclusive(ConsoleRow::SOURCE, &row.record_ref(), id);
        }
        let clicks = Clicks::of(row.per_month(row.clicks));
        let landing = self.landing(&row.url);
        landing.imported.get_or_insert_default().add(clicks);
        let order = |row: &ConsoleRow| (row.clicks, row.impressions, row.keyword.clone());
        let best = landing.best_row.as_ref().map(|it| order(&it.1));
        if best.is_none_or(|best| order(row) > best) {
            landing.best_row = Some((row.clicks, row.clone()));
        }
        if row.impressions >= MIN_IMPRESSIONS {
            let place = (
                Reverse(row.impressions),
                row.url.clone(),
                row.keyword.clone(),
            );
            self.rows.insert(place, row.clone());
            if self.rows.len() > MAX_ROWS {
                self.rows.pop_last();
            }
        }
    }

    /// Clicks of a page over all queries, per 30 days. More than the sum of rows, which omit rare queries.
    pub fn add_page_clicks(&mut self, url: &str, per_month: f64) {
        let clicks = Clicks::of(per_month);
        let landing = self.landing(url);
        landing.counted.get_or_insert_default().add(clicks);
    }

    /// `days`: the last 180 days, in any order.
    pub fn add_click_history(&mut self, url: &str, days: &[DayClicks]) {
        let fall = click_decline(days, self.context.at);
        self.click_declines.insert(page_key(url), fall);
    }

    /// See [`Findings::complete`].
    pub fn complete(&mut self, result_type: ResultType, at: chrono::DateTime<chrono::Utc>) {
        self.tracker.mark_complete(result_type, at);
    }

    /// Call after all search data was added.
    pub fn finish(mut self) -> Findings<'a> {
        // Without a history the end of a decline is unknown.
        for it in self.context.previous {
            let url = it.envelope.url.as_deref().unwrap_or_default();
            let is_reported = it
                .keyword_ids
                .iter()
                .any(|it| self.with_history.contains(it))
                || self.click_declines.contains_key(&page_key(url));
            if it.suggestion_id == draft::id(CONTENT_DECAY, &page_key(url)) && !is_reported {
                self.tracker.mark_unmeasured(&it.suggestion_id);
            }
        }
        Findings::of(self)
    }

    fn landing(&mut self, url: &str) -> &mut Landing {
        let landing = self.landings.entry(page_key(url)).or_default();
        // The alphabetically first form of the URL, so that the order does not matter.
        if landing.url.is_empty() || url < landing.url.as_str() {
            url.clone_into(&mut landing.url);
        }
        landing
    }

    /// Whether any keyword has potential clicks.
    pub(super) fn has_volumes(&self) -> bool {
        self.keywords.values().any(|it| it.potential.is_some())
    }
}
