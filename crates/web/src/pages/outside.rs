//! Pages for whoever is not signed in, and for what is not there.

use super::{frame, parts::Html};
use crate::problem::Problem;
use askama::Template;

#[derive(Template)]
#[template(
    source = r#"<div class="stack"><h1>Sign in</h1><p class="soft">See how visible your sites are.</p></div>
<form method="post" class="card page" data-api="POST /api/session" data-then="{{ next }}">
<label class="field"><span>E-mail</span><input type="email" name="email" required autocomplete="username" autofocus></label>
<label class="field"><span>Password</span><input type="password" name="password" data-as="raw" required autocomplete="current-password" maxlength="256"></label>
<button class="main" type="submit">Sign in</button>
<p data-outcome></p>
<noscript><p class="note-box warn">Signing in needs JavaScript.</p></noscript>
</form>"#,
    ext = "html"
)]
struct SignIn<'a> {
    next: &'a str,
}

#[derive(Template)]
#[template(
    source = r#"<div class="stack"><h1>Welcome</h1><p class="soft">This server has no account yet. Create the owner’s; this page is gone afterwards.</p></div>
<form method="post" class="card page" data-api="POST /api/welcome" data-then="/">
<label class="field"><span>Code</span><input name="code" data-as="raw" data-hash required autocomplete="off" spellcheck="false"><small>The server shows it where it was started, behind the # of this address. It proves that the server is yours.</small></label>
<label class="field"><span>Your name</span><input name="name" required maxlength="200" autocomplete="name"></label>
<label class="field"><span>E-mail</span><input type="email" name="email" required autocomplete="username"><small>It is what you sign in with.</small></label>
<label class="field"><span>Password</span><input type="password" name="password" data-as="raw" required minlength="12" maxlength="256" autocomplete="new-password"><small>At least 12 characters. A sentence is easy to remember and hard to guess.</small></label>
<button class="main" type="submit">Create the account</button>
<p data-outcome></p>
<noscript><p class="note-box warn">Creating the account needs JavaScript.</p></noscript>
</form>"#,
    ext = "html"
)]
struct Welcome;

#[derive(Template)]
#[template(
    source = r#"<div class="stack"><h1>{{ title }}</h1><p class="soft">{{ text }}</p><p><a class="button main" href="{{ href }}">{{ label }}</a></p></div>"#,
    ext = "html"
)]
struct Said<'a> {
    title: &'static str,
    text: &'a str,
    href: &'static str,
    label: &'static str,
}

/// Goes on to that page of ours.
pub fn sign_in(next: &str) -> String {
    frame::gate("Sign in", &Html::of(&SignIn { next }))
}

pub fn welcome() -> String {
    frame::gate("Welcome", &Html::of(&Welcome))
}

/// Not found, or not theirs.
pub fn nothing() -> String {
    let said = Said {
        title: "Nothing is here",
        text: "The page may have moved, or it belongs to another account.",
        href: "/",
        label: "To your projects",
    };
    frame::gate("Nothing is here", &Html::of(&said))
}

pub fn refused(problem: &Problem) -> String {
    let title = problem.code.title();
    let hint = problem.hint.as_deref().unwrap_or_default();
    let said = Said {
        title,
        text: &format!("{} {hint}", problem.detail),
        href: "/",
        label: "Try again",
    };
    frame::gate(title, &Html::of(&said))
}

/// When the database does not answer.
pub fn broken() -> String {
    let said = Said {
        title: "This page cannot be read just now",
        text: "The database does not answer. Nothing is lost; try again in a minute.",
        href: "/",
        label: "Try again",
    };
    frame::gate("Not available", &Html::of(&said))
}
