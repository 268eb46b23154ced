use super::stored::{Stored, row};
use crate::schema::{invitations, user_directory, users};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::email::EmailAddress;
use domain::ids::{AccountId, InvitationId, ProjectId, UserId};
use domain::invitation::{Invitation, InvitationEnd};
use domain::ports::storage::StorageError;
use domain::rights::Role;
use domain::text::Label;
use domain::user::User;
use std::collections::BTreeSet;

row! {
    struct UserRow(users) {
        account_id: AccountId,
        id: UserId,
        email: EmailAddress ["e-mail address"],
        name: Label ["user name"],
        created_at: DateTime<Utc>,
        role: Option<String> = Some(role.column()),
        invited_by: Option<UserId>,
        left_at: Option<DateTime<Utc>>,
    }
    User { account: account_id, id, email, name, created_at, role, invited_by, left_at }
    where {
        // Version 0.1 writes none: all of its users are owners.
        role = Option::read(role, "role")?.unwrap_or(Role::Owner);
    }
}

#[derive(Insertable)]
#[diesel(table_name = user_directory)]
pub struct UserEntry {
    email: String,
    account_id: i64,
    user_id: i64,
}

impl From<&User> for UserEntry {
    fn from(user: &User) -> Self {
        Self {
            email: user.email.to_string(),
            account_id: user.account.0,
            user_id: user.id.0,
        }
    }
}

row! {
    struct InvitationRow(invitations) {
        account_id: AccountId,
        id: InvitationId,
        email: EmailAddress ["e-mail address"],
        role: Role,
        projects: String = ids_text(projects),
        invited_by: UserId,
        created_at: DateTime<Utc>,
        issued_at: DateTime<Utc>,
        issued: u32 ["number of links"],
        expires_at: DateTime<Utc>,
        ended_at: Option<DateTime<Utc>> = ended.map(|it| it.1.column()),
        end_reason: Option<InvitationEnd> = ended.map(|it| it.0.column()),
    }
    Invitation {
        account: account_id, id, email, role, projects, invited_by, created_at, issued_at, issued, expires_at, ended,
    }
    where {
        projects = ids(&projects)?;
        ended = Option::<InvitationEnd>::read(end_reason, "end of an invitation")?
            .zip(ended_at.map(Into::into));
    }
}

/// Ids separated by commas.
fn ids_text(projects: &BTreeSet<ProjectId>) -> String {
    let ids: Vec<String> = projects.iter().map(ToString::to_string).collect();
    ids.join(",")
}

fn ids(text: &str) -> Result<BTreeSet<ProjectId>, StorageError> {
    let parts = text.split(',').filter(|it| !it.is_empty());
    let parsed = parts.map(|it| it.parse().map(ProjectId));
    parsed
        .collect::<Result<_, _>>()
        .map_err(|_| StorageError::Corrupt {
            subject: "projects of an invitation",
        })
}
