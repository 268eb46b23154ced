//! Events: what changed between two results of one series, by more than chance explains. Rules, tests and thresholds:
//! `docs/measurement/events.md`.

mod budget;
mod event;
mod kind;
mod label;
mod limit;
mod outcome;
mod ranks;
mod state;

pub use budget::AlarmBudget;
pub use event::{Event, EventDraft, EventProject, EventRun, MAX_BYTES, Subject, SubjectKind};
pub use kind::{Direction, EventClass, EventKind, EventRetention, EventSeverity, KindInfo};
pub use label::MAX_LABEL;
pub use limit::{EventLimit, MAX_EVENTS};
pub use outcome::{TestName, TestOutcome, UntestedReason};
pub use ranks::{BestPages, MeasuredRank, RankSample, rank_event, url_changed};
pub use state::{
    AccessFact, AnswerRate, BudgetUse, CompetitorRank, Directive, EventState, IndexDirective,
    IssuePages, JobCoverage, JobFailure, OwnedFeatures, PageUrl, RankFigure, RobotsVersion,
    SourceCondition, SourceState, VitalsFigure, WeeklyClicks,
};
