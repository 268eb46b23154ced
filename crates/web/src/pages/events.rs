//! What happened: events of the account, or of one project.

use super::charts::Mark;
use super::components::Table;
use super::forms::options;
use super::page_context::PageContext;
use super::page_header::PageContent;
use super::{PageError, components, page_header};
use crate::session_api::events::readable;
use analysis::events::{EventClass, EventKind, EventSeverity, SubjectKind, sentence};
use chrono::{NaiveDate, TimeDelta};
use domain::event::{EventFilter, EventOrder, LoggedEvent};
use domain::ids::ProjectId;
use domain::project::Project;
use maud::{Markup, html};
use std::collections::BTreeMap;

const PARAMETERS: [&str; 4] = ["about", "kind", "severity", "before"];
const ROWS: u32 = 50;

struct Chosen {
    class: Option<EventClass>,
    kind: Option<EventKind>,
    severity: Option<EventSeverity>,
    before: Option<i64>,
}

impl Chosen {
    /// Ignores invalid values.
    fn of(visit: &PageContext<'_>) -> Self {
        let query = visit.query(&PARAMETERS);
        Self {
            class: query.text("about").and_then(EventClass::named),
            kind: query.text("kind").and_then(EventKind::named),
            severity: query.text("severity").and_then(EventSeverity::named),
            before: query.text("before").and_then(|it| it.parse().ok()),
        }
    }

    fn filter(&self, visit: &PageContext<'_>, project: Option<ProjectId>) -> EventFilter {
        let readable = readable(visit.member, project, self.kind, self.severity);
        let is_about = |it: &EventKind| self.class.is_none_or(|class| it.info().class == class);
        EventFilter {
            kinds: readable.kinds.into_iter().filter(is_about).collect(),
            order: EventOrder::NewestFirst {
                before: self.before,
            },
            ..readable
        }
    }

    const fn is_any(&self) -> bool {
        self.class.is_none() && self.kind.is_none() && self.severity.is_none()
    }
}

pub async fn of_account(visit: &PageContext<'_>) -> Result<PageContent, PageError> {
    page(visit, None).await
}

pub async fn of_project(visit: &PageContext<'_>, id: ProjectId) -> Result<PageContent, PageError> {
    let project = visit.project(id).await?;
    page(visit, Some(project)).await
}

async fn page(visit: &PageContext<'_>, project: Option<Project>) -> Result<PageContent, PageError> {
    let chosen = Chosen::of(visit);
    let filter = chosen.filter(visit, project.as_ref().map(|it| it.id));
    let core = &visit.services.core;
    let mut events = core.events(visit.account(), &filter, ROWS + 1).await?;
    let has_more = events.len() > ROWS as usize;
    events.truncate(ROWS as usize);
    let next = events.last().filter(|_| has_more);
    let next = next.map(|it| visit.url_with(&[("before", Some(&it.seq.to_string()))]));
    let first = { chosen.before.is_some() }.then(|| visit.url_with(&[("before", None)]));
    let crumbs = project
        .as_ref()
        .map(page_header::crumbs)
        .unwrap_or_default();
    let lead = "What changed by more than chance, what broke, and what was done.";
    let parts = vec![
        page_header::head(crumbs, "Events", lead, None),
        filters(visit, &chosen),
        list(visit, &chosen, &events, project.is_none(), (first, next)),
    ];
    Ok(PageContent {
        title: project
            .as_ref()
            .map_or_else(|| "Events".to_owned(), |it| format!("Events · {}", it.name)),
        simulated: events.iter().any(|it| it.entry.event.simulated),
        project,
        parts,
    })
}

fn list(
    visit: &PageContext<'_>,
    chosen: &Chosen,
    events: &[LoggedEvent],
    with_projects: bool,
    (first, next): (Option<String>, Option<String>),
) -> Markup {
    if events.is_empty() {
        let (title, text) = if chosen.is_any() {
            (
                "No events yet",
                "They come with the second run of an analysis: the first has nothing to be compared with.",
            )
        } else {
            ("No events", "Nothing fits the filter.")
        };
        return components::empty_state("clock", title, text, None);
    }
    let mut columns = vec!["What happened", "When"];
    if with_projects {
        columns.push("Project");
    }
    let columns: Vec<_> = columns.into_iter().map(components::text_column).collect();
    let rows = events.iter().map(|it| row(it, with_projects)).collect();
    let table = Table::new("Events", columns, rows).hide_caption().paged(
        format!("{ROWS} a page"),
        first,
        next,
    );
    let kept = match visit.services.core.policies.retention.events {
        Some(days) => format!("Stored for {days} days."),
        None => "Stored without an end.".to_owned(),
    };
    components::table_card("Newest first", &kept, &table)
}

fn row(logged: &LoggedEvent, with_project: bool) -> components::Row {
    let event = &logged.entry.event;
    let sign = match event.severity {
        EventSeverity::Critical => "bad",
        EventSeverity::Warning => "warn",
        EventSeverity::Notice | EventSeverity::Info => "",
    };
    let text = sentence(event);
    let linked = match &event.link {
        Some(link) => components::link(link, &text),
        None => components::text(text),
    };
    let cell = html! {
        (components::tag(sign, event.severity.name())) " " (linked)
        @if event.simulated { " " (components::tag("", "simulated")) }
    };
    let mut cells = vec![cell, components::date_time(event.measured_at)];
    if with_project {
        cells.push(match &event.project {
            Some(project) => components::link(&format!("/projects/{}", project.id), &project.name),
            None => components::text("whole account"),
        });
    }
    components::row(cells)
}

fn filters(visit: &PageContext<'_>, chosen: &Chosen) -> Markup {
    let readable = visit.member.readable_events().kinds;
    let may_read = |class: EventClass| readable.iter().any(|it| it.info().class == class);
    let any = |text: &str, is_chosen| (String::new(), text.to_owned(), is_chosen);
    let classes = EventClass::ALL
        .into_iter()
        .filter(|it| may_read(*it))
        .map(|it| {
            let name = match it {
                EventClass::Ai => "AI answers".to_owned(),
                EventClass::Search => "Search Console".to_owned(),
                other => components::humanize_capitalized(other.name()),
            };
            (it.name().to_owned(), name, chosen.class == Some(it))
        });
    let classes = std::iter::once(any("Everything", chosen.class.is_none())).chain(classes);
    let kinds = readable.iter().map(|it| {
        let name = components::humanize_capitalized(&it.name().replace(['.', '_'], " "));
        (it.name().to_owned(), name, chosen.kind == Some(*it))
    });
    let kinds = std::iter::once(any("All", chosen.kind.is_none())).chain(kinds);
    let severities = EventSeverity::ALL.into_iter().skip(1).map(|it| {
        let name = format!("{} and above", components::humanize_capitalized(it.name()));
        (it.name().to_owned(), name, chosen.severity == Some(it))
    });
    let severities = std::iter::once(any("All", chosen.severity.is_none())).chain(severities);
    html! {
        form .filter method="get" {
            label .field { span { "About" } select name="about" data-submit { (options(classes)) } }
            label .field { span { "Kind" } select name="kind" data-submit { (options(kinds)) } }
            label .field { span { "Severity" } select name="severity" data-submit { (options(severities)) } }
            button type="submit" { "Show" }
        }
    }
}

/// Events of so many days are drawn into charts.
const MARKED_DAYS: i64 = 400;
/// Events that are drawn into charts of a page.
const MARKED: u32 = 200;

/// The newest events of a project for the charts of a page, of one subject or of all.
pub async fn for_charts(
    visit: &PageContext<'_>,
    project: ProjectId,
    classes: &[EventClass],
    min_severity: EventSeverity,
    subject: Option<(SubjectKind, String)>,
) -> Result<Vec<LoggedEvent>, PageError> {
    let readable = readable(visit.member, Some(project), None, Some(min_severity));
    let is_shown = |it: &EventKind| classes.contains(&it.info().class);
    let filter = EventFilter {
        kinds: readable.kinds.into_iter().filter(is_shown).collect(),
        subject,
        since: Some(visit.now - TimeDelta::days(MARKED_DAYS)),
        ..readable
    };
    let core = &visit.services.core;
    Ok(core.events(visit.account(), &filter, MARKED).await?)
}

/// One mark a day.
pub fn marks<'e>(events: impl Iterator<Item = &'e LoggedEvent>) -> Vec<Mark> {
    let mut days: BTreeMap<NaiveDate, (String, usize)> = BTreeMap::new();
    for it in events {
        let event = &it.entry.event;
        let of_the_day = days.entry(event.measured_at.date_naive()).or_default();
        if of_the_day.1 == 0 {
            of_the_day.0 = sentence(event);
        }
        of_the_day.1 += 1;
    }
    let marks = days.into_iter().map(|(day, (first, number))| Mark {
        day,
        text: match number {
            1 => first,
            more => format!("{first} {} more events on this day.", more - 1),
        },
    });
    marks.collect()
}
