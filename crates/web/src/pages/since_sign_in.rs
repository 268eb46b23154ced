//! What an owner is told at the top of pages after signing in: failed attempts, changed credentials.

use super::{
    NoPage,
    parts::{self, Html},
    visit::Visit,
};
use askama::Template;
use domain::use_cases::read_since_sign_in::{CredentialChange, SinceSignIn};

#[derive(Template)]
#[template(
    source = r#"<p class="note-box warn" role="note">{{ crate::pages::parts::icon("info") }}<span>
{%- if let Some(at) = last %}Since your last sign-in ({{ at }}{% if !from.is_empty() %}, from {{ from }}{% endif %}){% else %}Since you signed in last{% endif %}: {{ failures }}
{%- if let Some(at) = failed_at %} (the last one {{ at }}, from {{ networks }}){% endif %}
{%- if !changes.is_empty() %}; {{ changes }}{% endif %}. <a href="/settings/account#log">See what was done by whom</a></span></p>"#,
    ext = "html"
)]
struct Notice {
    last: Option<Html>,
    from: String,
    failures: String,
    failed_at: Option<Html>,
    networks: String,
    changes: String,
}

/// The notice, for as long as the password counts as just given; nothing when nothing happened.
pub async fn notice(visit: &Visit<'_>) -> Result<Option<Html>, NoPage> {
    let session = &visit.who.session;
    if !session.is_fresh(visit.now) {
        return Ok(None);
    }
    let since = visit.services.read_since_sign_in.run(session).await?;
    Ok(since
        .filter(SinceSignIn::is_worth_telling)
        .map(|it| Html::of(&told(it))))
}

fn told(since: SinceSignIn) -> Notice {
    let at_least = if since.is_complete { "" } else { "at least " };
    let failures = match since.failed {
        0 => "no failed sign-ins".to_owned(),
        1 => "1 failed sign-in".to_owned(),
        count => format!("{at_least}{count} failed sign-ins"),
    };
    let changes: Vec<String> = since.changes.iter().map(change).collect();
    Notice {
        last: since.last_at.map(parts::at),
        from: since.last_from.unwrap_or_default(),
        failures,
        failed_at: since.last_failed_at.map(parts::at),
        networks: since.failed_from.join(", "),
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
