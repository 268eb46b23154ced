//! Derives events for `tests/oracles/events.py`: JSON lines in, JSON lines out. `do` selects the derivation.

use analysis::document::ToJson;
use analysis::events::{
    AlarmBudget, BestPages, CompetitorOrder, Directive, EventDraft, EventKind, EventLimit,
    EventRun, EventSeverity, FeatureHistory, IssueChanges, MeasuredRank, NoindexedPages,
    OrderHistory, PageIssues, PageStanding, PropertyClicks, RankSample, RobotsChange, Subject,
    VitalsMemory, analysis_partial, answer_events, clicks_fell, feature_events, overtook,
    rank_event, robots_changed, robots_hash, sentence, tested_figures, url_changed, vitals_events,
};
use analysis::findings::ai_trends::AiTrendRecord;
use analysis::findings::envelope::Coverage;
use analysis::findings::rankings::RankPoint;
use analysis::findings::vitals::VitalsRecord;
use analysis::observation::search_page::Feature;
use analysis::observation::web_site::{RobotsFact, RobotsState};
use analysis::result_type::AnalysisKind;
use analysis::url_rules::{OwnSites, SiteScope};
use chrono::{DateTime, NaiveDate, Utc};
use programs::{Failure, answer_lines};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
enum Question {
    /// Newest first.
    Rank {
        keywords: u64,
        now: RankPoint,
        history: Vec<RankPoint>,
    },
    Url {
        at: DateTime<Utc>,
        now: Option<String>,
        last: Option<String>,
        before_last: Option<String>,
        gone: bool,
    },
    Features {
        now: Vec<Feature>,
        last: Vec<Feature>,
        before_last: Vec<Feature>,
    },
    /// Days with both positions, oldest first.
    Order {
        days: Vec<(NaiveDate, Option<u32>, Option<u32>)>,
    },
    Answers {
        site: String,
        trends: Vec<AiTrendRecord>,
    },
    Issues {
        partial: bool,
        pages: Vec<(String, PageIssues, PageIssues)>,
    },
    /// Pages with their position and clicks.
    Noindex {
        pages: Vec<(String, Directive, Option<u32>, Option<u64>)>,
    },
    Robots {
        before: String,
        now: String,
        blocked: Vec<String>,
    },
    /// Runs of one page, oldest first; events are those of the last.
    Vitals {
        runs: Vec<Vec<VitalsRecord>>,
    },
    Clicks {
        days: Vec<(NaiveDate, u64)>,
    },
    Coverage {
        requested: u64,
        measured: u64,
    },
    Limit {
        effects: Vec<f64>,
    },
}

const RUN: EventRun<'_> = EventRun {
    job: 991,
    simulated: false,
    method: "method/1",
};
const KEYWORD: (i64, &str) = (42, "rank tracker");
const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

fn main() -> Result<(), Failure> {
    answer_lines(|question: Question| Ok::<Value, Failure>(Value::Array(answered(question)?)))
}

fn answered(question: Question) -> Result<Vec<Value>, Failure> {
    { derived(question)?.into_iter() }
        .map(|draft| {
            let (key, fell) = (draft.dedupe_key.clone(), draft.fell());
            let event = draft.published(None, NOW);
            let text = sentence(&event);
            let event: Value = serde_json::from_str(&event.to_json())?;
            Ok(json!({ "key": key, "fell": fell, "event": event, "sentence": text }))
        })
        .collect()
}

#[expect(clippy::too_many_lines, reason = "a case for each derivation")]
fn derived(question: Question) -> Result<Vec<EventDraft>, Failure> {
    let (keyword_id, keyword) = KEYWORD;
    Ok(match question {
        Question::Rank {
            keywords,
            now,
            history,
        } => {
            let rank = MeasuredRank {
                keyword_id,
                keyword,
                measured_at: now.measured_at,
                now: RankSample::from(&now),
                past: history.iter().map(RankSample::from),
            };
            let budget = AlarmBudget::of_ranks(keywords);
            rank_event(&RUN, &budget, &rank).into_iter().collect()
        }
        Question::Url {
            at,
            now,
            last,
            before_last,
            gone,
        } => {
            let pages = BestPages {
                keyword_id,
                keyword,
                measured_at: at,
                now: now.as_deref(),
                last: last.as_deref(),
                before_last: before_last.as_deref(),
                last_is_gone: gone,
            };
            url_changed(&RUN, &pages).into_iter().collect()
        }
        Question::Features {
            now,
            last,
            before_last,
        } => feature_events(
            &RUN,
            &FeatureHistory {
                keyword_id,
                keyword,
                measured_at: NOW,
                now: &now,
                last: &last,
                before_last: &before_last,
            },
        ),
        Question::Order { days } => {
            let mut history = OrderHistory::default();
            for (day, own, theirs) in &days {
                history.add(*day, *own, *theirs);
            }
            let (day, own, theirs) = *days.last().ok_or("no days")?;
            let order = CompetitorOrder {
                keyword_id,
                keyword,
                domain: "b.example",
                measured_at: day.and_hms_opt(12, 0, 0).ok_or("no time")?.and_utc(),
                own,
                theirs,
                history,
            };
            overtook(&RUN, &order).into_iter().collect()
        }
        Question::Answers { site, trends } => {
            answer_events(&RUN, &trends, &OwnSites::of(SiteScope::of(&site)))
        }
        Question::Issues { partial, pages } => {
            let mut changes = IssueChanges::default();
            for (url, before, now) in &pages {
                changes.add(url, before, now);
            }
            changes.finish(&RUN, partial, NOW)
        }
        Question::Noindex { pages } => {
            let mut all = NoindexedPages::default();
            let mut events = Vec::new();
            for (url, directive, position, clicks) in pages {
                let standing = PageStanding { position, clicks };
                events.extend(all.add(&RUN, (&url, NOW), directive, standing));
            }
            events.extend(all.finish(&RUN, "own.example", NOW));
            events
        }
        Question::Robots {
            before,
            now,
            blocked,
        } => {
            let hash = |text: String| {
                robots_hash(&RobotsFact {
                    origin: String::new(),
                    state: RobotsState::Rules,
                    text,
                })
            };
            let (before, now) = hash(before).zip(hash(now)).ok_or("no rules")?;
            let change = RobotsChange {
                origin: "https://own.example",
                before: &before,
                now: &now,
                blocked: &blocked,
                fetched_at: NOW,
            };
            robots_changed(&RUN, &change).into_iter().collect()
        }
        Question::Vitals { mut runs } => {
            let last = runs.pop().ok_or("no runs")?;
            let mut memory = VitalsMemory::default();
            runs.iter().flatten().for_each(|it| memory.add(it));
            let budget = AlarmBudget::of_vitals(last.iter().map(tested_figures).sum());
            let events = last
                .iter()
                .flat_map(|it| vitals_events(&RUN, &budget, it, &memory));
            events.collect()
        }
        Question::Clicks { days } => {
            let of = PropertyClicks {
                property: "sc-domain:own.example",
                days: &days,
                measured_at: NOW,
            };
            clicks_fell(&RUN, &of).into_iter().collect()
        }
        Question::Coverage {
            requested,
            measured,
        } => {
            let coverage = Coverage::new(requested, measured, 0);
            let event = analysis_partial(&RUN, AnalysisKind::RankCheck, coverage, NOW);
            event.into_iter().collect()
        }
        Question::Limit { effects } => {
            let mut limit = EventLimit::default();
            for (id, effect) in (0..).zip(effects) {
                let (kind, severity) = (EventKind::RankChanged, EventSeverity::Info);
                let subject = Subject::keyword(id, keyword);
                let key = format!("{id:06}");
                let fact =
                    EventDraft::fact(kind, severity, subject, (None, None), NOW, &RUN, &[&key]);
                limit.add(EventDraft { effect, ..fact });
            }
            limit.finish(&RUN)
        }
    })
}
