//! Pages without navigation: sign-in, first run and errors.

use super::components::{main_link, noscript_note};
use super::{assets, layout};
use crate::problem::Problem;
use domain::password::TypedPassword;
use domain::rights::Right;
use domain::use_cases::sessions::Member;
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
            p .small { a href="/forgot-password" { "Forgot your password?" } }
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

/// For the holder of an invitation's link, which is behind the `#` and is read by a script.
pub fn invitation(member: Option<&Member>) -> String {
    let body = html! {
        div .stack {
            h1 { "Invitation" }
            p .soft #offer role="status" { "The link is being checked." }
        }
        @if let Some(member) = member {
            form .card .page #join method="post" data-api="POST /api/session/invitation" data-then="/" hidden {
                p {
                    "You are signed in as " b { (member.user.email.as_str()) } ". "
                    button class="quiet slim" type="button" data-api="DELETE /api/session" data-then="/sign-in" { "Sign out" }
                }
                input type="hidden" name="link" data-as="raw" data-hash;
                button .main type="submit" { "Join the account" }
                p data-outcome {}
            }
        } @else {
            form .card .page #join method="post" data-api="POST /api/invitation/accept" data-then="/" hidden {
                input type="hidden" name="link" data-as="raw" data-hash;
                label .field { span { "E-mail" } input type="email" autocomplete="username" readonly #invited-email; }
                label .field data-new-person { span { "Your name" } input name="name" data-skip maxlength="200" autocomplete="name"; }
                label .field {
                    span { "Password" }
                    input type="password" name="password" data-as="raw" required maxlength="256";
                    small data-new-person { "At least " (TypedPassword::MIN_CHARS) " characters. A sentence is easy to remember and hard to guess." }
                    small data-known-person hidden { "The one that you sign in with here." }
                }
                button .main type="submit" { "Accept the invitation" }
                p data-outcome {}
            }
        }
        (noscript_note("Accepting an invitation needs JavaScript."))
        script type="module" src={ (assets::base()) "/js/invitation.js" } {}
    };
    layout::minimal_layout("Invitation", body)
}

pub fn forgot_password(_: Option<&Member>) -> String {
    let form = html! {
        div .stack {
            h1 { "Forgot your password?" }
            p .soft { "You get a link to set a new one. It works once, within 30 minutes." }
        }
        form .card .page .request method="post" data-api="POST /api/password-reset" data-show="requested" data-hide="request" {
            label .field { span { "E-mail" } input type="email" name="email" required autocomplete="username" autofocus; }
            button .main type="submit" { "Send the link" }
            p data-outcome {}
            (noscript_note("Requesting a link needs JavaScript."))
        }
        div #requested .card .page hidden {
            p class="note-box good" tabindex="-1" {
                "If a person signs in here with this address, the link is on its way. Look into the spam folder as well."
            }
        }
        p .small { a href="/sign-in" { "To the sign-in" } }
    };
    layout::minimal_layout("Forgot your password?", form)
}

/// The link is behind the `#`.
pub fn password_reset(_: Option<&Member>) -> String {
    let form = html! {
        div .stack { h1 { "A new password" } p .soft { "All sessions end; then you sign in with it." } }
        form .card .page method="post" data-api="POST /api/password-reset/complete" data-then="/sign-in" data-notice="The password is set. Sign in with it." {
            input type="hidden" name="link" data-as="raw" data-hash;
            label .field {
                span { "New password" }
                input type="password" name="password" data-as="raw" required minlength=(TypedPassword::MIN_CHARS) maxlength="256" autocomplete="new-password" autofocus;
                small { "At least " (TypedPassword::MIN_CHARS) " characters. A sentence is easy to remember and hard to guess." }
            }
            label .check {
                input type="checkbox" name="revokeTokens";
                " "
                span {
                    "Revoke the API tokens of your account as well "
                    small { "Do so when somebody else may have been in your account." }
                }
            }
            button .main type="submit" { "Set the password" }
            p data-outcome {}
            p .small { a href="/forgot-password" { "Request another link" } }
            (noscript_note("Setting a password needs JavaScript."))
        }
    };
    layout::minimal_layout("A new password", form)
}

/// A page with one button, which sends the link behind the `#`.
fn link_page(title: &str, text: &str, button: &str, api: &str, done: &Markup) -> String {
    let body = html! {
        div .stack { h1 { (title) } p .soft { (text) } }
        form .card .page .request method="post" data-api={ "POST " (api) } data-show="done" data-hide="request" {
            input type="hidden" name="link" data-as="raw" data-hash;
            button .main type="submit" { (button) }
            p data-outcome {}
            (noscript_note("This needs JavaScript."))
        }
        div #done .card .page hidden { p class="note-box good" tabindex="-1" { (done) } }
        p .small { (main_link("/", "To your projects")) }
    };
    layout::minimal_layout(title, body)
}

pub fn confirm_address(_: Option<&Member>) -> String {
    link_page(
        "Confirm your address",
        "From now on you sign in with this e-mail address.",
        "Confirm the address",
        "/api/address/confirm",
        &html! { "You sign in with " b data-from="email" {} " from now on." },
    )
}

pub fn cancel_address(_: Option<&Member>) -> String {
    link_page(
        "Keep your address",
        "For when the change of your e-mail address was not yours: the address stays or is restored, all sessions end, and you get a link to set a new password.",
        "Keep the address",
        "/api/address/cancel",
        &html! { "You sign in with " b data-from="email" {} ". A link to set a new password is on its way to it." },
    )
}

pub fn not_me(_: Option<&Member>) -> String {
    link_page(
        "This was not me",
        "All sessions of yours end, and you get a link to set a new password.",
        "End all sessions",
        "/api/not-me",
        &html! { "All sessions have ended. A link to set a new password is on its way to you." },
    )
}

pub fn unsubscribe(_: Option<&Member>) -> String {
    let body = html! {
        div .stack {
            h1 { "Stop these messages" }
            p .soft { "You get no further message of this kind from this account. Messages about your own sign-in still arrive." }
        }
        form .card .page .request method="post" data-api="POST /api/unsubscribe" data-hash-as="t" data-show="done" data-hide="request" {
            button .main type="submit" { "Stop these messages" }
            p data-outcome {}
            (noscript_note("Stopping messages needs JavaScript; your mail program may offer it as well."))
        }
        div #done .card .page hidden { p class="note-box good" tabindex="-1" { "You get no further message of this kind." } }
    };
    layout::minimal_layout("Stop these messages", body)
}

/// `then`: page to open afterwards.
pub fn password_required(then: &str) -> String {
    let form = html! {
        div .stack { h1 { "Your password" } p .soft { "This page needs the password, given no longer than ten minutes ago." } }
        form .card .page method="post" data-api="POST /api/session/reauthenticate" data-then=(then) {
            label .field {
                span { "Password" }
                input type="password" name="password" data-as="raw" required autocomplete="current-password" maxlength="256" autofocus;
            }
            button .main type="submit" { "Continue" }
            p data-outcome {}
            (noscript_note("Confirming the password needs JavaScript."))
        }
    };
    layout::minimal_layout("Your password", form)
}

pub fn role_insufficient(member: &Member, right: Right) -> String {
    let title = "Your role does not allow this";
    let text = format!(
        "You are {} in {}. This page needs the right “{}”. An owner or admin can change your role under Settings → Members.",
        member.user.role,
        member.account.name.as_str(),
        right.meaning().to_lowercase(),
    );
    layout::minimal_layout(title, message(title, &text, "To your projects"))
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
