use crate::ids::{JobId, KeywordId};
use crate::kept_answers::KeywordTallies;
use crate::keyword::Keyword;
use crate::results::SearchSource;
use analysis::{
    findings::{ai_visibility::PromptTally, rankings::RankState},
    provenance::Provenance,
    statistics::panel_rate::{self, Count, PanelRate},
};
use chrono::{DateTime, Datelike, Days, Months, NaiveDate, Utc};
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// A measurement this long before a month still gives the rank at its start, because keywords may
/// be measured weekly.
const LOOKBACK: Days = Days::new(7);

/// A calendar month, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CalendarMonth {
    first: NaiveDate,
    last: NaiveDate,
}

impl CalendarMonth {
    /// `None` at the end of the calendar.
    pub fn of(day: NaiveDate) -> Option<Self> {
        let first = day.with_day(1)?;
        let last = first.checked_add_months(Months::new(1))?.pred_opt()?;
        Some(Self { first, last })
    }

    /// Parses a month, for example `2026-11`.
    pub fn parse(text: &str) -> Option<Self> {
        let (year, month) = text.split_once('-')?;
        let is_plain = |part: &str, digits| {
            part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !is_plain(year, 4) || !is_plain(month, 2) {
            return None;
        }
        let first = NaiveDate::from_ymd_opt(year.parse().ok()?, month.parse().ok()?, 1)?;
        Self::of(first)
    }

    pub const fn first(self) -> NaiveDate {
        self.first
    }

    pub const fn last(self) -> NaiveDate {
        self.last
    }

    /// First day of measurements that may give the rank at the start of the month.
    pub fn lookback_start(self) -> NaiveDate {
        self.first.checked_sub_days(LOOKBACK).unwrap_or(self.first)
    }
}

impl fmt::Display for CalendarMonth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first.format("%Y-%m"))
    }
}

/// A keyword's rank on a day; of several measurements on a day, the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonthPoint {
    pub measured_at: DateTime<Utc>,
    /// `None` if the site was not found within the checked depth.
    pub position: Option<u32>,
    /// The best-ranked own page.
    pub url: Option<String>,
}

/// A keyword's ranks of one source in a month, without failed measurements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonthRanks {
    pub keyword: KeywordId,
    /// Each source is a separate series.
    pub source: SearchSource,
    /// Days of the month with a measurement.
    pub days: u32,
    pub best: Option<u32>,
    /// Rank at the start of the month: the newest measurement on its first day or in the week
    /// before, else the first in the month.
    pub start: MonthPoint,
    pub last: MonthPoint,
}

/// How often AI answers about a keyword mentioned the project.
#[derive(Debug, Clone, PartialEq)]
pub struct AiMentions {
    /// Measured or simulated; never counted together.
    pub provenance: Provenance,
    /// Mean over engines and prompts.
    pub all: MentionRate,
    /// By engine, in the order of names.
    pub engines: Vec<(String, MentionRate)>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MentionRate {
    /// With its interval; `None` without answers.
    pub rate: Option<PanelRate>,
    pub answers: u64,
    /// Answers that mention the project.
    pub mentions: u64,
    /// Prompts with answers; counted once per engine.
    pub prompts: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct KeywordMonth {
    /// The current state of the keyword.
    pub keyword: Keyword,
    /// `None` if it was not measured in the month.
    pub ranks: Option<MonthRanks>,
    /// In the current month, the newest measurement, which may be older than the month; in a past
    /// month, its last rank.
    pub now: Option<MonthPoint>,
    /// `None` if there are no tallies in the month.
    pub mentions: Option<AiMentions>,
    /// Monthly searches, if researched.
    pub search_volume: Option<u32>,
}

/// Joins the data of keywords, in their order.
pub fn assemble(
    keywords: Vec<Keyword>,
    month: CalendarMonth,
    today: NaiveDate,
    histories: Vec<MonthRanks>,
    tallies: Vec<KeywordTallies>,
    volumes: &HashMap<KeywordId, u32, impl std::hash::BuildHasher>,
) -> Vec<KeywordMonth> {
    let mut newest: HashMap<KeywordId, MonthRanks> = HashMap::new();
    for history in histories {
        let is_newer = newest
            .get(&history.keyword)
            .is_none_or(|there| there.last.measured_at < history.last.measured_at);
        if is_newer {
            newest.insert(history.keyword, history);
        }
    }
    let mut counted: HashMap<KeywordId, Vec<(JobId, PromptTally)>> = HashMap::new();
    for of_a_run in tallies {
        let there = counted.entry(of_a_run.keyword).or_default();
        there.extend(of_a_run.tallies.into_iter().map(|it| (of_a_run.job, it)));
    }
    let is_running = today <= month.last;
    let months = keywords.into_iter().map(|keyword| {
        let history = newest.remove(&keyword.id);
        let last = history.as_ref().map(|it| it.last.clone());
        let mentions = counted.remove(&keyword.id);
        KeywordMonth {
            now: last.or_else(|| latest(&keyword).filter(|_| is_running)),
            mentions: mentions.and_then(|it| mention_rates(&it, keyword.id, month)),
            search_volume: volumes.get(&keyword.id).copied(),
            ranks: history,
            keyword,
        }
    });
    months.collect()
}

/// The newest measurement, unless it failed.
fn latest(keyword: &Keyword) -> Option<MonthPoint> {
    let latest = keyword.latest.as_ref()?;
    (latest.state != RankState::Error).then(|| MonthPoint {
        measured_at: latest.measured_at,
        position: latest.position,
        url: latest.url.clone(),
    })
}

/// A month's tallies as rates, only of the newest run's provenance.
fn mention_rates(
    tallies: &[(JobId, PromptTally)],
    keyword: KeywordId,
    month: CalendarMonth,
) -> Option<AiMentions> {
    let newest = tallies.iter().max_by_key(|(job, it)| (it.day, *job))?;
    let provenance = newest.1.provenance;
    let mut by_engine: BTreeMap<&str, BTreeMap<&str, Count>> = BTreeMap::new();
    let of_the_source = tallies
        .iter()
        .map(|(_, it)| it)
        .filter(|it| it.provenance == provenance && !it.is_branded);
    for tally in of_the_source {
        let prompts = by_engine.entry(&tally.engine).or_default();
        let count = prompts.entry(&tally.prompt_id).or_default();
        count.add(tally.mention_count());
    }
    let of = |members: Vec<Count>, engine: &str| {
        let members: Vec<Count> = members.into_iter().filter(|it| it.trials > 0).collect();
        MentionRate {
            rate: panel_rate::rate(&members, &format!("{keyword}/{engine}/{month}")),
            answers: members.iter().map(|it| it.trials).sum(),
            mentions: members.iter().map(|it| it.hits).sum(),
            prompts: members.len() as u64,
        }
    };
    let all = by_engine.values().flat_map(|it| it.values().copied());
    Some(AiMentions {
        provenance,
        all: of(all.collect(), "all"),
        engines: by_engine
            .iter()
            .map(|(engine, prompts)| {
                let members = prompts.values().copied().collect();
                ((*engine).to_owned(), of(members, engine))
            })
            .collect(),
    })
}

#[cfg(test)]
mod tests;
