//! A notice after signing in: failed attempts, changed credentials.

use super::components::icon;
use super::page_context::PageContext;
use super::{PageError, components};
use domain::rights::Right;
use domain::use_cases::since_sign_in::{CredentialChange, SinceSignIn};
use maud::{Markup, html};

/// Networks of other sign-ins that are listed.
const MAX_NAMED: usize = 5;

/// While the session is fresh; `None` if nothing happened.
pub async fn notice(visit: &PageContext<'_>) -> Result<Option<Markup>, PageError> {
    let session = &visit.member.session;
    if !session.is_fresh(visit.now) {
        return Ok(None);
    }
    let since = { &visit.services.core }
        .since_sign_in(session, visit.member.user.role)
        .await?;
    Ok(since
        .filter(SinceSignIn::is_worth_showing)
        .map(|it| render(visit, &it)))
}

fn render(visit: &PageContext<'_>, since: &SinceSignIn) -> Markup {
    let at_least = if since.is_complete { "" } else { "at least " };
    let failures = match since.failed {
        0 => "no failed sign-ins".to_owned(),
        1 => "1 failed sign-in".to_owned(),
        count => format!("{at_least}{count} failed sign-ins"),
    };
    let signed_in: u64 = since.elsewhere.iter().map(|it| it.count).sum();
    let elsewhere = match signed_in {
        1 => "1 sign-in on another device".to_owned(),
        count => format!("{at_least}{count} sign-ins on other devices"),
    };
    let others = { since.elsewhere.iter().take(MAX_NAMED) }.map(|it| &*it.from);
    let others: Vec<&str> = others.collect();
    let changes: Vec<String> = since.changes.iter().map(change).collect();
    html! {
        p class="note-box warn" role="note" {
            (icon("info"))
            span {
                "Since " (components::date_time(since.since)) ": " (failures)
                @if let Some(at) = since.last_failed_at {
                    " (the last one " (components::date_time(at)) ", from " (since.failed_from.join(", ")) ")"
                }
                @if let Some(last) = since.elsewhere.first() {
                    "; " (elsewhere) " (the last one " (components::date_time(last.last_at)) ", from " (others.join(", ")) ")"
                }
                @if !changes.is_empty() { "; " (changes.join(", ")) }
                "."
                @if visit.may(Right::AuditRead) { " " a href="/settings/audit-log" { "See what was done by whom" } }
            }
        }
    }
}

/// “2 × token created by the operator”.
fn change(it: &CredentialChange) -> String {
    let event = components::humanize(it.action.name());
    let times = if it.count == 1 {
        String::new()
    } else {
        format!("{} × ", it.count)
    };
    format!("{times}{event} by the {}", it.actor.name())
}
