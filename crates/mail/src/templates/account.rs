//! Messages about an account and its members, and the test message.

use super::{button, link_button, name, texts, time};
use crate::content::Content;
use chrono::{DateTime, Utc};
use domain::mail::{Letter, Message};
use domain::rights::Role;

pub fn content(letter: &Letter, message: &Message) -> Content {
    match message {
        Message::Invitation {
            account,
            inviter,
            role,
            projects,
            expires_at,
        } => Content {
            facts: invitation_facts((account, inviter, role, projects)),
            button: link_button(letter, Some(*expires_at), "Accept the invitation"),
            ..invitation(&name(account), &name(inviter))
        },
        Message::InvitationAccepted {
            account,
            member,
            email,
            role,
        } => invitation_accepted(letter, (&name(account), &name(member)), email, role),
        Message::TokenLeaked { account, token, at } => {
            token_leaked(letter, &name(account), &name(token), *at)
        }
        Message::RoleChanged { account, by, role } => {
            role_changed(letter, &name(account), &name(by), role)
        }
        Message::MemberRemoved { account, by } => member_removed(letter, &name(account), &name(by)),
        Message::MemberLeft { account, member } => {
            member_left(letter, &name(account), &name(member))
        }
        Message::ExportReady {
            account,
            expires_at,
        } => export_ready(letter, &name(account), *expires_at),
        Message::AccountDeletion {
            account,
            by,
            deleted_at,
        } => account_deletion(letter, (&name(account), &name(by)), *deleted_at),
        _ => test(letter),
    }
}

/// The role and what it allows, as in the table of roles (`docs/use/members.md`).
fn role_text(role: &str) -> String {
    let allows = match Role::named(role) {
        Some(Role::Owner) => "everything, other owners included",
        Some(Role::Admin) => "everything except inviting, changing and removing owners",
        Some(Role::Editor) => "projects, keywords, analyses and content plans",
        Some(Role::Viewer) => "reads all projects and results, and changes nothing",
        Some(Role::Client) => "reads the results of the projects granted to you",
        None => return name(role),
    };
    format!("{role} ({allows})")
}

fn invitation(account: &str, inviter: &str) -> Content {
    Content {
        subject: format!("{inviter} invited you to {account} at Sightline"),
        paragraphs: vec![format!(
            "{inviter} invited you to become a member of the account \"{account}\". Sightline measures how visible web \
             sites are in search engines and AI answers."
        )],
        advice: vec![
            "If you sign in to Sightline with this address already, accept it with your password. Otherwise choose a \
             name and a password."
                .to_owned(),
            format!(
                "If you do not know {inviter}, ignore this message: you become a member only if you accept. Do not \
                 forward it: the invitation is for your address only."
            ),
        ],
        reason: vec![format!(
            "You receive this message because {inviter} entered your address in an invitation. Another one follows only \
             if you are invited again."
        )],
        ..Content::default()
    }
}

fn invitation_facts(
    (account, inviter, role, projects): (&str, &str, &str, &[String]),
) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Account", name(account)),
        ("Invited by", name(inviter)),
        ("Your role", role_text(role)),
    ];
    if !projects.is_empty() {
        facts.push(("Projects", list(projects)));
    }
    facts
}

/// The first names, and how many others there are.
fn list(names: &[String]) -> String {
    const MAX: usize = 10;
    let shown: Vec<String> = names.iter().take(MAX).map(|it| name(it)).collect();
    let shown = shown.join(", ");
    match names.len().saturating_sub(MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn reason_of(role: &str, account: &str) -> Vec<String> {
    vec![format!(
        "You receive this message because you are {role} of the account \"{account}\" at Sightline."
    )]
}

fn invitation_accepted(
    letter: &Letter,
    (account, member): (&str, &str),
    email: &str,
    role: &str,
) -> Content {
    Content {
        subject: format!("{member} joined {account}"),
        paragraphs: vec![format!(
            "{member} accepted your invitation and is now a member of the account \"{account}\"."
        )],
        facts: vec![
            ("Name", member.to_owned()),
            ("E-mail address", email.to_owned()),
            ("Role", name(role)),
        ],
        button: button(letter, "Open the members"),
        advice: texts([
            "If you expected this, there is nothing to do. Otherwise change the role or remove the member under \
             Settings > Members.",
        ]),
        reason: vec![format!(
            "You receive this message because you invited this person to the account \"{account}\" at Sightline."
        )],
        ..Content::default()
    }
}

fn token_leaked(letter: &Letter, account: &str, token: &str, at: DateTime<Utc>) -> Content {
    let mut reason = reason_of("an owner or admin", account);
    reason.push(
        "Messages about the security of an account cannot be unsubscribed. They end when you are not an owner or \
         admin of it any more."
            .to_owned(),
    );
    Content {
        subject: format!("A leaked API token of {account} was revoked"),
        paragraphs: vec![format!(
            "An API token of the account \"{account}\" was found outside of it, for example in public source code, and \
             reported. Sightline revoked it at once: requests with it are refused."
        )],
        facts: vec![
            ("Account", account.to_owned()),
            ("Token", token.to_owned()),
            ("Revoked", time(at)),
        ],
        button: button(letter, "Open the API tokens"),
        advice: texts([
            "Create a new token for the programs that used this one under Settings > API tokens, and remove the old one \
             from where it was found.",
            "Then look in Settings > Audit log for changes that were made with it.",
        ]),
        reason,
        ..Content::default()
    }
}

fn role_changed(letter: &Letter, account: &str, by: &str, role: &str) -> Content {
    Content {
        subject: format!("Your role in {account} was changed"),
        paragraphs: vec![format!(
            "{by} changed your role in the account \"{account}\". The new role applies from now on."
        )],
        facts: vec![
            ("Account", account.to_owned()),
            ("Changed by", by.to_owned()),
            ("Your role", role_text(role)),
        ],
        button: button(letter, "Open Sightline"),
        advice: vec![format!(
            "There is nothing to do. If the role is not the right one, talk to {by} or to an owner of the account."
        )],
        reason: reason_of("a member", account),
        ..Content::default()
    }
}

fn member_removed(letter: &Letter, account: &str, by: &str) -> Content {
    Content {
        subject: format!("You are not a member of {account} any more"),
        paragraphs: vec![format!(
            "{by} removed you from the account \"{account}\". You cannot open it any more."
        )],
        facts: vec![
            ("Account", account.to_owned()),
            ("Removed by", by.to_owned()),
        ],
        button: button(letter, "Open your accounts"),
        advice: vec![format!(
            "There is nothing to do: your other accounts are unchanged. If this is a mistake, talk to {by} or to an owner of \
             the account, who can invite you again."
        )],
        reason: vec![format!(
            "You receive this message because you were a member of the account \"{account}\" at Sightline. No other \
             message about it follows."
        )],
        ..Content::default()
    }
}

fn member_left(letter: &Letter, account: &str, member: &str) -> Content {
    Content {
        subject: format!("{member} left {account}"),
        paragraphs: vec![format!(
            "{member} ended the membership in the account \"{account}\" and cannot open it any more."
        )],
        button: button(letter, "Open the members"),
        advice: texts([
            "API tokens belong to the account and stay valid: revoke those that this person knew under \
             Settings > API tokens. Assignments of this person stay until you change them.",
        ]),
        reason: reason_of("an owner", account),
        ..Content::default()
    }
}

fn export_ready(letter: &Letter, account: &str, expires_at: DateTime<Utc>) -> Content {
    Content {
        subject: format!("The export of {account} is ready"),
        paragraphs: vec![format!(
            "The export of the account \"{account}\" that you requested is ready for download."
        )],
        facts: vec![("Kept until", time(expires_at))],
        button: button(letter, "Open the export"),
        advice: texts([
            "The download needs your password. The file holds all data of the account: keep it where others cannot \
             read it.",
            "If you did not request it, choose a new password and look at Settings > Audit log.",
        ]),
        reason: vec![format!(
            "You receive this message because you requested an export of the account \"{account}\" at Sightline."
        )],
        ..Content::default()
    }
}

fn account_deletion(
    letter: &Letter,
    (account, by): (&str, &str),
    deleted_at: DateTime<Utc>,
) -> Content {
    let mut reason = reason_of("an owner", account);
    reason.push(
        "This message cannot be unsubscribed. The last message about the deletion comes three days before it.".to_owned(),
    );
    Content {
        subject: format!(
            "{account} will be deleted on {}",
            deleted_at.format("%-d %B %Y")
        ),
        paragraphs: vec![format!(
            "{by} requested the deletion of the account \"{account}\". It is disabled: members cannot open it, API \
             tokens are refused, and no analysis runs."
        )],
        facts: vec![
            ("Account", account.to_owned()),
            ("Requested by", by.to_owned()),
            ("Deleted on", time(deleted_at)),
        ],
        button: button(letter, "Undo or export"),
        advice: texts([
            "Until then an owner can undo the deletion or export the data: sign in and open the account. Afterwards \
             the data cannot be restored.",
            "If no owner wants this, undo it now and choose a new password, since the deletion needed one.",
        ]),
        reason,
        ..Content::default()
    }
}

fn test(letter: &Letter) -> Content {
    Content {
        subject: "Test message from Sightline".to_owned(),
        paragraphs: texts([
            "This message shows that Sightline can send mail. If it is in your inbox, not in the spam folder, \
             everything works.",
        ]),
        facts: vec![("Sent", time(letter.at))],
        button: button(letter, "Open Sightline"),
        advice: texts(["There is nothing to do."]),
        reason: texts([
            "You receive this message because an operator of a Sightline server sent a test message to your address. \
             No other message follows.",
        ]),
        ..Content::default()
    }
}
