//! What an owner is told at the top of pages after signing in: failed attempts, changed credentials.

use super::{
    NoPage,
    parts::{self, Html},
    visit::Visit,
};
use askama::Template;
use domain::use_cases::since_sign_in::{CredentialChange, SinceSignIn};

/// Networks of sign-ins on other devices that are named.
const MAX_NAMED: usize = 5;

#[derive(Template)]
#[template(
    source = r#"<p class="note-box warn" role="note">{{ crate::pages::parts::icon("info") }}<span>
Since {{ since }}: {{ failures }}
{%- if let Some(at) = failed_at %} (the last one {{ at }}, from {{ networks }}){% endif %}
{%- if let Some(at) = elsewhere_at %}; {{ elsewhere }} (the last one {{ at }}, from {{ elsewhere_from }}){% endif %}
{%- if !changes.is_empty() %}; {{ changes }}{% endif %}. <a href="/settings/account#log">See what was done by whom</a></span></p>"#,
    ext = "html"
)]
struct Notice {
    since: Html,
    failures: String,
    failed_at: Option<Html>,
    networks: String,
    elsewhere: String,
    elsewhere_at: Option<Html>,
    elsewhere_from: String,
    changes: String,
}

/// For as long as the password counts as just given; `None` when nothing happened.
pub async fn notice(visit: &Visit<'_>) -> Result<Option<Html>, NoPage> {
    let session = &visit.who.session;
    if !session.is_fresh(visit.now) {
        return Ok(None);
    }
    let since = visit.services.core.since_sign_in(session).await?;
    Ok(since
        .filter(SinceSignIn::is_worth_telling)
        .map(|it| Html::of(&told(&it))))
}

fn told(since: &SinceSignIn) -> Notice {
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
    Notice {
        since: parts::at(since.since),
        failures,
        failed_at: since.last_failed_at.map(parts::at),
        networks: since.failed_from.join(", "),
        elsewhere,
        elsewhere_at: since.elsewhere.first().map(|it| parts::at(it.last_at)),
        elsewhere_from: others.join(", "),
        changes: changes.join(", "),
    }
}

/// “2 × token created by the operator”.
fn change(it: &CredentialChange) -> String {
    let what = parts::in_words(it.action.name());
    let times = if it.count == 1 {
        String::new()
    } else {
        format!("{} × ", it.count)
    };
    format!("{times}{what} by the {}", it.actor.name())
}
