//! Settings → Audit log: who did what, with filters and export.

use super::components::Table;
use super::forms::{options, submit};
use super::page_context::PageContext;
use super::{PageError, components};
use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use domain::audit::{Actor, AuditAction, AuditEvent, AuditFilter, PersonFilter};
use domain::ids::{AuditEventId, UserId};
use domain::page::{parse_position, position};
use domain::rights::Right;
use domain::token::ApiToken;
use domain::use_cases::maintenance::Retention;
use domain::user::User;
use maud::{Markup, html};

pub const PARAMETERS: [&str; 5] = ["action", "person", "from", "to", "behind"];
const ROWS: u32 = 50;

struct Chosen {
    action: Option<AuditAction>,
    person: Option<UserId>,
    from: Option<NaiveDate>,
    /// Inclusive.
    to: Option<NaiveDate>,
    behind: Option<(DateTime<Utc>, AuditEventId)>,
}

impl Chosen {
    /// Ignores invalid values.
    fn of(visit: &PageContext<'_>) -> Self {
        let query = visit.query(&PARAMETERS);
        let day = |name| query.text(name).and_then(|it| it.parse().ok());
        Self {
            action: query.text("action").and_then(AuditAction::named),
            person: query.id("person").map(UserId),
            from: day("from"),
            to: day("to"),
            behind: { query.text("behind").and_then(parse_position) }
                .map(|(at, id)| (at, AuditEventId(id))),
        }
    }

    fn start(&self) -> Option<DateTime<Utc>> {
        self.from.map(|it| it.and_time(NaiveTime::MIN).and_utc())
    }

    fn end(&self) -> Option<DateTime<Utc>> {
        let next = self.to?.checked_add_days(Days::new(1))?;
        Some(next.and_time(NaiveTime::MIN).and_utc())
    }

    fn filter(&self) -> AuditFilter {
        AuditFilter {
            actions: self.action.into_iter().collect(),
            person: self.person.map(PersonFilter::Only),
            since: self.start(),
            before: self.end(),
            behind: self.behind,
        }
    }

    /// The same events as a file.
    fn export(&self, format: &str) -> String {
        let time = |it: DateTime<Utc>| it.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let parameters = [
            ("action", self.action.map(|it| it.name().to_owned())),
            ("personId", self.person.map(|it| it.to_string())),
            ("from", self.start().map(time)),
            ("before", self.end().map(time)),
        ];
        let chosen = { parameters.into_iter() }.filter_map(|(name, value)| Some((name, value?)));
        chosen.fold(
            format!("/api/settings/audit-log?format={format}"),
            |url, (name, value)| format!("{url}&{name}={value}"),
        )
    }
}

pub async fn body(visit: &PageContext<'_>) -> Result<Vec<Markup>, PageError> {
    let chosen = Chosen::of(visit);
    let core = &visit.services.core;
    let filter = chosen.filter();
    let mut events = { core.audit_events(visit.account(), &filter, ROWS + 1) }.await?;
    let has_more = events.len() > ROWS as usize;
    events.truncate(ROWS as usize);
    let people = core.all_members(visit.account()).await?;
    let next = events.last().filter(|_| has_more).map(|it| {
        let behind = position(it.at, it.id.0);
        visit.url_with(&[("behind", Some(&behind))])
    });
    let first = { chosen.behind.is_some() }.then(|| visit.url_with(&[("behind", None)]));
    let kept = match core.policies.retention.audit_days(&visit.member.account) {
        Some(days) => {
            format!("Kept for {days} days, at most 50,000 events. Nothing in it is secret.")
        }
        None => "Kept without an end, at most 50,000 events. Nothing in it is secret.".to_owned(),
    };
    let tokens = core.tokens(visit.account()).await?;
    let rows = events.iter().map(|it| row(it, &tokens)).collect();
    let columns = ["What", "When", "Who", "Particulars"].map(components::text_column);
    let table = Table::new("Audit log", columns, rows).hide_caption().paged(
        format!("{ROWS} a page"),
        first,
        next,
    );
    let files = html! {
        div .row {
            span .small .soft { "The newest 10,000 of the filter" }
            a .button .slim href=(chosen.export("csv")) download { "Export CSV" }
            a .button .slim href=(chosen.export("jsonl")) download { "Export JSON lines" }
        }
    };
    let list = if events.is_empty() {
        components::empty_state("clock", "No events", "Nothing fits the filter.", None)
    } else {
        components::table_card_with_aside("Who did what", &kept, files, &table)
    };
    let mut parts = vec![filters(&chosen, &people), list];
    if visit.may(Right::AccountWrite) {
        parts.push(retention_form(visit));
    }
    Ok(parts)
}

fn retention_form(visit: &PageContext<'_>) -> Markup {
    let days = Retention::AUDIT_DAYS;
    let default = match visit.services.core.policies.retention.audit {
        Some(days) => format!("the server's default, {days} days"),
        None => "the server's default, without an end".to_owned(),
    };
    html! {
        form .card .page method="post" data-api="PUT /api/settings/audit-log" data-notice="The setting was saved." {
            h2 { "How long it is kept" }
            label .field {
                span { "Days" }
                input type="number" name="days" data-as="number" min=(days.start()) max=(days.end()) value=[visit.member.account.audit_days];
                small { (days.start()) " to " (days.end()) "; empty: " (default) ". A shorter time removes older events for good within a day." }
            }
            (submit("Save"))
        }
    }
}

fn filters(chosen: &Chosen, people: &[User]) -> Markup {
    let actions = AuditAction::ALL.into_iter().map(|it| {
        let name = components::humanize_capitalized(it.name());
        (it.name().to_owned(), name, chosen.action == Some(it))
    });
    let any = |text: &str, is_chosen| (String::new(), text.to_owned(), is_chosen);
    let actions = std::iter::once(any("All", chosen.action.is_none())).chain(actions);
    let members = people.iter().map(|it| {
        let name = it.name.as_str().to_owned();
        (it.id.to_string(), name, chosen.person == Some(it.id))
    });
    let members = std::iter::once(any("All", chosen.person.is_none())).chain(members);
    let day = |it: Option<NaiveDate>| it.map(|it| it.to_string()).unwrap_or_default();
    html! {
        form .filter method="get" {
            label .field { span { "What" } select name="action" data-submit { (options(actions)) } }
            label .field { span { "Who" } select name="person" data-submit { (options(members)) } }
            label .field { span { "From" } input type="date" name="from" value=(day(chosen.from)); }
            label .field { span { "To" } input type="date" name="to" value=(day(chosen.to)); }
            button type="submit" { "Show" }
        }
    }
}

fn row(event: &AuditEvent, tokens: &[ApiToken]) -> components::Row {
    let actor = || components::tag("", event.actor.name());
    let token = event.token.map(|id| {
        let known = tokens.iter().find(|it| it.id == id);
        known.map_or_else(
            || format!("token {id}"),
            |it| format!("token {}", it.name.as_str()),
        )
    });
    components::row(vec![
        components::text(components::humanize_capitalized(event.action.name())),
        components::date_time(event.at),
        match &event.person {
            // The person of the address that was entered.
            Some(person) if event.actor == Actor::Stranger => {
                let as_person = format!("as {}", person.name);
                components::with_subtext(actor(), as_person)
            }
            Some(person) => components::text(person.name.as_str()),
            None => actor(),
        },
        match token {
            Some(token) => components::with_subtext(&event.detail, token),
            None => components::text(&event.detail),
        },
    ])
}
