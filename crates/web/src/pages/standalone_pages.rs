//! Pages without navigation: sign-in, first run and errors.

use super::components::{main_link, noscript_note};
use super::layout;
use crate::problem::Problem;
use maud::{Markup, html};

fn message(title: &str, text: &str, label: &str) -> Markup {
    html! {
        div .stack {
            h1 { (title) }
            p .soft { (text) }
            p { (main_link("/", label)) }
        }
    }
}

/// `next`: page to open after signing in.
pub fn sign_in(next: &str) -> String {
    let form = html! {
        div .stack { h1 { "Sign in" } p .soft { "See how visible your sites are." } }
        form .card .page method="post" data-api="POST /api/session" data-then=(next) {
            label .field { span { "E-mail" } input type="email" name="email" required autocomplete="username" autofocus; }
            label .field {
                span { "Password" }
                input type="password" name="password" data-as="raw" required autocomplete="current-password" maxlength="256";
            }
            button .main type="submit" { "Sign in" }
            p data-outcome {}
            (noscript_note("Signing in needs JavaScript."))
        }
    };
    layout::minimal_layout("Sign in", form)
}

pub fn welcome() -> String {
    let form = html! {
        div .stack {
            h1 { "Welcome" }
            p .soft { "This server has no account yet. Create the owner’s; this page is gone afterwards." }
        }
        form .card .page method="post" data-api="POST /api/welcome" data-then="/" {
            label .field {
                span { "Code" }
                input name="code" data-as="raw" data-hash required autocomplete="off" spellcheck="false";
                small { "The server shows it where it was started, behind the # of this address. It proves that the server is yours." }
            }
            label .field { span { "Your name" } input name="name" required maxlength="200" autocomplete="name"; }
            label .field {
                span { "E-mail" }
                input type="email" name="email" required autocomplete="username";
                small { "It is what you sign in with." }
            }
            label .field {
                span { "Password" }
                input type="password" name="password" data-as="raw" required minlength="12" maxlength="256" autocomplete="new-password";
                small { "At least 12 characters. A sentence is easy to remember and hard to guess." }
            }
            button .main type="submit" { "Create the account" }
            p data-outcome {}
            (noscript_note("Creating the account needs JavaScript."))
        }
    };
    layout::minimal_layout("Welcome", form)
}

/// Not found, or belongs to another account.
pub fn not_found() -> String {
    let text = "The page may have moved, or it belongs to another account.";
    let title = "Nothing is here";
    layout::minimal_layout(title, message(title, text, "To your projects"))
}

pub fn problem_page(problem: &Problem) -> String {
    let title = problem.code.title();
    let hint = problem.hint.as_deref().unwrap_or_default();
    let text = format!("{} {hint}", problem.detail);
    layout::minimal_layout(title, message(title, &text, "Try again"))
}

/// The database does not respond.
pub fn unavailable() -> String {
    let text = "The database does not answer. Nothing is lost; try again in a minute.";
    let body = message("This page cannot be read just now", text, "Try again");
    layout::minimal_layout("Not available", body)
}
