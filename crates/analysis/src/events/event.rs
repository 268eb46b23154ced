use super::kind::{Direction, EventKind, EventSeverity};
use super::label;
use super::outcome::TestOutcome;
use super::state::{EventState, SourceCondition};
use crate::ToSchema;
use crate::document::ToJson;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Bytes of an event as JSON.
pub const MAX_BYTES: usize = 4_096;
/// Version of the body.
const VERSION: u32 = 1;

texts::wire_enum! {
    /// What an event is about.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    #[schema(as = EventSubjectKind)]
    pub enum SubjectKind {
        /// A tracked keyword; `label` is its text.
        Keyword = "keyword",
        /// An AI engine.
        Engine = "engine",
        /// An issue of the site audit; `label` is its code.
        Issue = "issue",
        /// A page.
        Page = "page",
        /// The project's site.
        Site = "site",
        /// A property of the search console.
        Property = "property",
        /// An analysis; `label` is its kind.
        Job = "job",
        /// A source of data.
        Source = "source",
        /// A budget.
        Budget = "budget",
        /// An API token.
        Token = "token",
        /// A member.
        Person = "person",
    }
}

/// What an event is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = EventSubject)]
pub struct Subject {
    /// Its kind.
    pub kind: SubjectKind,
    /// Its id; null for what has none.
    pub id: Option<i64>,
    /// Its name, as data: at most 200 characters, without controls.
    pub label: String,
    /// Its URL; null for what has none.
    pub url: Option<String>,
}

impl Subject {
    pub fn new(kind: SubjectKind, id: Option<i64>, label: &str, url: Option<&str>) -> Self {
        Self {
            kind,
            id,
            label: label::label(label),
            url: url.map(label::url),
        }
    }

    pub fn keyword(id: i64, text: &str) -> Self {
        Self::new(SubjectKind::Keyword, Some(id), text, None)
    }

    pub fn page(url: &str) -> Self {
        Self::new(SubjectKind::Page, None, url, Some(url))
    }

    /// Distinguishes subjects of a kind: the id, or the label.
    pub fn key(&self) -> String {
        self.id
            .map_or_else(|| self.label.clone(), |id| id.to_string())
    }
}

/// The run that derives events, of one series.
#[derive(Debug, Clone, Copy)]
pub struct EventRun<'a> {
    pub job: i64,
    /// Whether the figures are simulated.
    pub simulated: bool,
    /// Of the results, such as `rankings/2`; empty for what is not derived from results.
    pub method: &'a str,
}

/// An event before it is stored: the project and the time of publication are still unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct EventDraft {
    pub kind: EventKind,
    pub severity: EventSeverity,
    /// Of two events with the same key, only the first is stored.
    pub dedupe_key: String,
    pub measured_at: DateTime<Utc>,
    pub subject: Subject,
    pub before: Option<EventState>,
    pub after: Option<EventState>,
    /// Measurements before this one; `None` where nothing is tested.
    pub n: Option<u32>,
    pub test: TestOutcome,
    pub simulated: bool,
    pub method_version: String,
    /// How large the change is, comparable within a kind: the largest are stored if there are too many.
    pub effect: f64,
    /// Events of this kind and run that are not stored; 0 for an ordinary event.
    pub more: u64,
}

/// The project of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventProject {
    /// Its id.
    pub id: i64,
    /// Its name when the event was published.
    pub name: String,
}

/// An event, as stored and served.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Version of this format.
    pub v: u32,
    /// What happened.
    #[schema(value_type = String)]
    pub kind: EventKind,
    /// How much it matters.
    #[schema(value_type = String)]
    pub severity: EventSeverity,
    /// When it was published.
    pub at: DateTime<Utc>,
    /// When the figures were measured.
    pub measured_at: DateTime<Utc>,
    /// The project; null for events of the account.
    pub project: Option<EventProject>,
    /// What it is about.
    pub subject: Subject,
    /// What that was at the measurement before.
    pub before: Option<EventState>,
    /// What it is.
    pub after: Option<EventState>,
    /// Measurements before this one that the test rests on.
    pub n: Option<u32>,
    /// What the test found.
    pub test: TestOutcome,
    /// A path of the pages.
    pub link: Option<String>,
    /// Whether the figures are simulated.
    pub simulated: bool,
    /// The definition of the figures; null for what is not derived from results.
    pub method_version: Option<String>,
    /// More events of this kind in the same run, which are not stored; then `before` and `after` are null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<u64>,
}

crate::json!(Event);

/// Parts of a dedupe key, after the kind. Keys are at most 300 bytes.
pub(super) fn dedupe_key(kind: EventKind, parts: &[&dyn std::fmt::Display]) -> String {
    const MAX_KEY: usize = 300;
    let mut key = kind.name().to_owned();
    for part in parts {
        // Writing to a string cannot fail.
        let _ = write!(key, ":{part}");
    }
    let mut end = MAX_KEY.min(key.len());
    while !key.is_char_boundary(end) {
        end -= 1;
    }
    key.truncate(end);
    key
}

impl EventDraft {
    /// A fact without a test. `parts` follow the kind in the dedupe key.
    pub fn fact(
        kind: EventKind,
        severity: EventSeverity,
        subject: Subject,
        (before, after): (Option<EventState>, Option<EventState>),
        measured_at: DateTime<Utc>,
        run: &EventRun<'_>,
        parts: &[&dyn std::fmt::Display],
    ) -> Self {
        Self {
            kind,
            severity,
            dedupe_key: dedupe_key(kind, parts),
            measured_at,
            subject,
            before,
            after,
            n: None,
            test: TestOutcome::NOT_APPLICABLE,
            simulated: run.simulated,
            method_version: run.method.to_owned(),
            effect: 0.0,
            more: 0,
        }
    }

    pub fn fell(&self) -> bool {
        fell(self.kind, self.before.as_ref(), self.after.as_ref())
    }

    /// The event as stored; texts and lists are cut until it fits 4 KiB of JSON.
    pub fn published(self, project: Option<EventProject>, at: DateTime<Utc>) -> Event {
        let project = project.map(|it| EventProject {
            name: label::label(&it.name),
            ..it
        });
        Event {
            v: VERSION,
            kind: self.kind,
            severity: self.severity,
            at,
            measured_at: self.measured_at,
            link: project
                .as_ref()
                .and_then(|it| link(it.id, self.kind, &self.subject)),
            project,
            subject: self.subject,
            before: self.before,
            after: self.after,
            n: self.n,
            test: self.test,
            simulated: self.simulated,
            method_version: Some(self.method_version).filter(|it| !it.is_empty()),
            more: Some(self.more).filter(|it| *it > 0),
        }
        .fitted()
    }
}

impl Event {
    /// Whether it reports something bad.
    pub fn fell(&self) -> bool {
        fell(self.kind, self.before.as_ref(), self.after.as_ref())
    }

    fn fitted(mut self) -> Self {
        while self.to_json().len() > MAX_BYTES && self.shorten() {}
        self
    }

    /// Drops the last entry of the longest list; false if no list has entries.
    fn shorten(&mut self) -> bool {
        let lists = [&mut self.before, &mut self.after].into_iter();
        let lists = lists.filter_map(|it| it.as_mut().and_then(entries));
        let longest = lists.max_by_key(|it| it.len());
        longest.is_some_and(|it| it.pop().is_some())
    }
}

const fn entries(of: &mut EventState) -> Option<&mut Vec<String>> {
    match of {
        EventState::Issues(it) => Some(&mut it.sample),
        EventState::Robots(it) => Some(&mut it.blocked),
        _ => None,
    }
}

fn fell(kind: EventKind, before: Option<&EventState>, after: Option<&EventState>) -> bool {
    match kind.info().direction {
        Direction::Bad => true,
        Direction::Good | Direction::Neutral => false,
        Direction::Either => match (before, after) {
            (Some(EventState::Rank(before)), Some(EventState::Rank(after))) => {
                let place = |it: Option<u32>| it.unwrap_or(u32::MAX);
                place(before.position) < place(after.position)
            }
            (Some(EventState::Rate(before)), Some(EventState::Rate(after))) => {
                after.rate < before.rate
            }
            (_, Some(EventState::Source(after))) => after.state != SourceCondition::Working,
            _ => false,
        },
    }
}

/// The page that shows the subject.
fn link(project: i64, kind: EventKind, subject: &Subject) -> Option<String> {
    let page = match (subject.kind, subject.id) {
        (SubjectKind::Keyword, Some(id)) => format!("keywords?keyword={id}"),
        (SubjectKind::Keyword, None) => "keywords".to_owned(),
        _ => kind.info().source?.name().to_owned(),
    };
    Some(format!("/projects/{project}/{page}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::state::{IssuePages, RankFigure, RobotsVersion};
    use proptest::prelude::*;

    const RUN: EventRun<'_> = EventRun {
        job: 991,
        simulated: false,
        method: "rankings/2",
    };

    fn rank(position: Option<u32>) -> EventState {
        EventState::Rank(RankFigure::of(position, 100))
    }

    fn draft(kind: EventKind, before: Option<EventState>, after: Option<EventState>) -> EventDraft {
        let subject = Subject::keyword(42, "rank tracker");
        let at = DateTime::UNIX_EPOCH;
        let states = (before, after);
        EventDraft::fact(
            kind,
            EventSeverity::Warning,
            subject,
            states,
            at,
            &RUN,
            &[&42, &991],
        )
    }

    fn project(name: &str) -> EventProject {
        EventProject {
            id: 7,
            name: name.to_owned(),
        }
    }

    #[test]
    fn an_event_has_the_documented_shape() {
        let mut draft = draft(
            EventKind::RankChanged,
            Some(rank(Some(5))),
            Some(rank(Some(15))),
        );
        draft.n = Some(27);
        assert_eq!(draft.dedupe_key, "rank.changed:42:991");
        let event = draft.published(Some(project("Example")), DateTime::UNIX_EPOCH);
        let golden = concat!(
            r#"{"v":1,"kind":"rank.changed","severity":"warning","at":"1970-01-01T00:00:00Z","#,
            r#""measuredAt":"1970-01-01T00:00:00Z","project":{"id":7,"name":"Example"},"#,
            r#""subject":{"kind":"keyword","id":42,"label":"rank tracker","url":null},"#,
            r#""before":{"position":5},"after":{"position":15},"n":27,"#,
            r#""test":{"name":"none","reason":"notApplicable"},"link":"/projects/7/keywords?keyword=42","#,
            r#""simulated":false,"methodVersion":"rankings/2"}"#
        );
        assert_eq!(event.to_json(), golden);
        assert_eq!(serde_json::from_str::<Event>(golden).unwrap(), event);
    }

    #[test]
    fn ranks_fall_when_they_grow_or_end() {
        for (before, after, expected) in [
            (Some(5), Some(15), true),
            (Some(15), Some(5), false),
            (Some(5), None, true),
            (None, Some(5), false),
        ] {
            let draft = draft(
                EventKind::RankChanged,
                Some(rank(before)),
                Some(rank(after)),
            );
            assert_eq!(draft.fell(), expected, "{before:?} {after:?}");
        }
        assert!(draft(EventKind::KeywordLost, None, None).fell());
        assert!(!draft(EventKind::KeywordEntered, None, None).fell());
    }

    #[test]
    fn long_keys_are_cut_between_characters() {
        let key = dedupe_key(EventKind::CitationWon, &[&"ř".repeat(400)]);
        assert!(key.len() <= 300 && key.starts_with("ai.citation_won:ř"));
    }

    proptest! {
        #[test]
        fn events_fit_4_kib_and_read_back_equal(
            name in ".{0,300}", label in ".{0,300}", url in ".{0,900}",
            urls in proptest::collection::vec(".{0,300}", 0..30), robots: bool
        ) {
            let state = if robots {
                EventState::Robots(RobotsVersion { hash: "0".repeat(16), blocked: urls })
            } else {
                EventState::Issues(IssuePages { urls: urls.len() as u64, sample: urls })
            };
            let draft = EventDraft {
                subject: Subject::new(SubjectKind::Page, None, &label, Some(&url)),
                ..draft(EventKind::IssuesNew, Some(state.clone()), Some(state))
            };
            let event = draft.published(Some(project(&name)), DateTime::UNIX_EPOCH);
            let json = event.to_json();
            prop_assert!(json.len() <= MAX_BYTES, "{}", json.len());
            prop_assert_eq!(serde_json::from_str::<Event>(&json).unwrap(), event);
        }
    }
}
