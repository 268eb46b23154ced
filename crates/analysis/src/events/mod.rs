//! Events: what changed between two results of one series, by more than chance explains. Rules, tests and thresholds:
//! `docs/measurement/events.md`.

mod ai;
mod budget;
mod console;
mod event;
mod job;
mod kind;
mod label;
mod limit;
mod outcome;
mod ranks;
mod search_pages;
mod sentence;
mod site;
mod state;
mod thresholds;
mod vitals;

pub use ai::answer_events;
pub use budget::AlarmBudget;
pub use console::{PropertyClicks, clicks_fell};
pub use event::{Event, EventDraft, EventProject, EventRun, MAX_BYTES, Subject, SubjectKind};
pub use job::{analysis_failed, analysis_partial};
pub use kind::{Direction, EventClass, EventKind, EventSeverity, KindInfo};
pub use label::MAX_LABEL;
pub use limit::{EventLimit, MAX_EVENTS};
pub use outcome::{TestName, TestOutcome, UntestedReason};
pub use ranks::{BestPages, MeasuredRank, RankSample, rank_event, url_changed};
pub use search_pages::{CompetitorOrder, FeatureHistory, OrderHistory, feature_events, overtook};
pub use sentence::sentence;
pub use site::{
    IssueChanges, NoindexedPages, PageIssues, PageStanding, RobotsChange, noindexed,
    robots_changed, robots_hash,
};
pub use state::{
    AccessFact, AnswerRate, BudgetUse, CompetitorRank, Directive, EventState, IndexDirective,
    IssuePages, JobCoverage, JobFailure, OwnedFeatures, PageUrl, RankFigure, RobotsVersion,
    SourceCondition, SourceState, VitalsFigure, WeeklyClicks,
};
pub use thresholds::Threshold;
pub use vitals::{VitalsMemory, tested_figures, vitals_events};
