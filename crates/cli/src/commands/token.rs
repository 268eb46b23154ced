use super::{Outcome, UsageError, find_owner};
use crate::cli::TokenCommand;
use crate::terminal::{eprint_line, print_line, print_table};
use crate::wiring::AppContext;
use chrono::{DateTime, TimeDelta, Utc};
use domain::account::AccountStatus;
use domain::audit::Actor;
use domain::ids::TokenId;
use domain::scope::{Scope, Scopes};
use domain::text::Label;
use domain::token::{ApiToken, RevokeReason};
use domain::use_cases::tokens::{
    IssueTokenError, MAX_GRACE, NewToken, RotateTokenError, TokenIssuer,
};
use serde_json::json;

pub async fn run(context: &AppContext, command: TokenCommand) -> anyhow::Result<Outcome> {
    match command {
        TokenCommand::Create {
            email,
            name,
            scopes,
            expires_in,
        } => {
            let policy = context.settings.tokens.policy();
            let lifetime = expires_in.map_or_else(
                || Ok(Some(policy.shortened(NewToken::DEFAULT_LIFETIME))),
                |it| parse_lifetime(&it),
            )?;
            create(context, &email, &parse_new_token(&name, &scopes, lifetime)?).await?;
        }
        TokenCommand::List { email, json } => list(context, &email, json).await?,
        TokenCommand::Rotate { email, id, grace } => {
            rotate(context, &email, TokenId(id), self::parse_grace(&grace)?).await?;
        }
        TokenCommand::Revoke { email, id } => revoke(context, &email, TokenId(id)).await?,
    }
    Ok(Outcome::Done)
}

fn parse_new_token(
    name: &str,
    scopes: &str,
    lifetime: Option<TimeDelta>,
) -> Result<NewToken, UsageError> {
    let none = || {
        UsageError(format!(
            "--scopes takes `all` or some of {}",
            Scope::NAMES.join(",")
        ))
    };
    if scopes.trim_matches([' ', ',']).is_empty() {
        return Err(none());
    }
    Ok(NewToken {
        name: Label::parse(name).map_err(|error| UsageError(format!("--name {error}")))?,
        scopes: Scopes::parse(scopes).map_err(|error| UsageError(format!("--scopes: {error}")))?,
        lifetime,
    })
}

/// `90d`, `12h`, or `never`.
fn parse_lifetime(text: &str) -> Result<Option<TimeDelta>, UsageError> {
    if text == "never" {
        return Ok(None);
    }
    let wrong = || {
        UsageError(format!(
            "--expires-in takes days (1d to 3650d), hours (12h) or `never`; it was `{text}`"
        ))
    };
    let allowed = TimeDelta::hours(1)..=TimeDelta::days(3_650);
    parse_span(
        text,
        &[('d', TimeDelta::try_days), ('h', TimeDelta::try_hours)],
    )
    .filter(|it| allowed.contains(it))
    .map(Some)
    .ok_or_else(wrong)
}

/// A unit with its constructor, which returns `None` on overflow.
type Unit = (char, fn(i64) -> Option<TimeDelta>);

/// A number with a unit, such as `90d`.
fn parse_span(text: &str, units: &[Unit]) -> Option<TimeDelta> {
    let (_, make) = units.iter().find(|(name, _)| text.ends_with(*name))?;
    make(text[..text.len() - 1].parse().ok()?)
}

async fn create(context: &AppContext, email: &str, new: &NewToken) -> anyhow::Result<()> {
    let owner = find_owner(&context.storage, email).await?;
    let mut read = context.storage.read().await?;
    let account = read.accounts().find(owner.account).await?;
    if account.is_some_and(|it| it.status == AccountStatus::Disabled) {
        anyhow::bail!(
            "the account of {email} is disabled, so its tokens would be refused: enable it with `sightline account enable --email {email}`"
        );
    }
    let core = context.core();
    let (plain, token) = match core.issue_token(TokenIssuer::Operator(&owner), new).await {
        Err(IssueTokenError::TooLong { longest }) => {
            let days = longest.num_days();
            return Err(UsageError(format!("--expires-in takes at most {days}d on this server (setting tokens.max_lifetime_days)")).into());
        }
        outcome => outcome?,
    };
    print_line(plain.reveal());
    let end = token
        .expires_at
        .map_or_else(|| "never".to_owned(), |at| at.date_naive().to_string());
    eprint_line(format!(
        "Created token {} with {}; expires: {end}. It cannot be shown again; keep it out of repositories and logs.",
        token.id, token.scopes
    ));
    Ok(())
}

/// `30m` or `2h`.
fn parse_grace(text: &str) -> Result<TimeDelta, UsageError> {
    let wrong = || {
        UsageError(format!(
            "--grace takes minutes or hours, 0m to 24h; it was `{text}`"
        ))
    };
    let allowed = TimeDelta::zero()..=MAX_GRACE;
    parse_span(
        text,
        &[('m', TimeDelta::try_minutes), ('h', TimeDelta::try_hours)],
    )
    .filter(|it| allowed.contains(it))
    .ok_or_else(wrong)
}

async fn rotate(
    context: &AppContext,
    email: &str,
    old: TokenId,
    grace: TimeDelta,
) -> anyhow::Result<()> {
    let owner = find_owner(&context.storage, email).await?;
    let core = context.core();
    let (plain, token) = match core.rotate_token(owner.account, old, grace).await {
        Err(RotateTokenError::NoSuchToken) => {
            return Err(UsageError(format!("{} has no valid token {old} that was not rotated before: `sightline token list --email {}` lists the tokens", owner.email, owner.email)).into());
        }
        outcome => outcome?,
    };
    print_line(plain.reveal());
    eprint_line(format!(
        "Created token {} as the replacement of {old}, which is accepted for {} more minutes.",
        token.id,
        grace.num_minutes()
    ));
    Ok(())
}

async fn list(context: &AppContext, email: &str, as_json: bool) -> anyhow::Result<()> {
    let owner = find_owner(&context.storage, email).await?;
    let now = context.clock.now();
    let tokens = context.core().tokens(owner.account).await?;
    if as_json {
        let rows: Vec<_> = tokens.iter().map(|token| as_value(token, now)).collect();
        print_line(serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let header = [
        "id",
        "name",
        "ends with",
        "scopes",
        "state",
        "last used",
        "expires",
    ];
    print_table(&header, tokens.iter().map(|token| row(token, now)));
    Ok(())
}

fn state(token: &ApiToken, now: DateTime<Utc>) -> &'static str {
    use domain::token::TokenRefusal::{Expired, Revoked};
    match token.accept(now) {
        Ok(()) if token.is_superseded(now) => "superseded",
        Ok(()) => "works",
        Err(Expired { .. }) => "expired",
        Err(Revoked) => "revoked",
    }
}

fn row(token: &ApiToken, now: DateTime<Utc>) -> [String; 7] {
    let day = |at: Option<DateTime<Utc>>| {
        at.map_or_else(|| "never".to_owned(), |at| at.date_naive().to_string())
    };
    [
        token.id.to_string(),
        token.name.to_string(),
        format!("…{}", token.last_four),
        token.scopes.to_string(),
        state(token, now).to_owned(),
        day(token.last_used_at),
        day(token.ends_at()),
    ]
}

fn as_value(token: &ApiToken, now: DateTime<Utc>) -> serde_json::Value {
    let time = |at: Option<DateTime<Utc>>| {
        at.map(|at| at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true))
    };
    json!({
        "id": token.id.0,
        "name": token.name.as_str(),
        "lastFour": token.last_four,
        "scopes": token.scopes.iter().map(Scope::name).collect::<Vec<_>>(),
        "state": state(token, now),
        "createdAt": time(Some(token.created_at)),
        "lastUsedAt": time(token.last_used_at),
        "expiresAt": time(token.ends_at()),
        "revokedAt": time(token.revoked_at),
        "revokeReason": token.revoke_reason.map(RevokeReason::name),
        "rotatedFrom": token.rotated_from.map(|it| it.0),
    })
}

async fn revoke(context: &AppContext, email: &str, id: TokenId) -> anyhow::Result<()> {
    let owner = find_owner(&context.storage, email).await?;
    let core = context.core();
    if core
        .revoke_token(Actor::Operator, owner.account, id)
        .await?
    {
        print_line(format!("Revoked token {id}."));
        return Ok(());
    }
    Err(UsageError(format!(
        "{} has no valid token {id}: `sightline token list --email {}` lists the tokens",
        owner.email, owner.email
    ))
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grace_period_is_at_most_one_day() {
        assert_eq!(parse_grace("30m").unwrap(), TimeDelta::minutes(30));
        assert_eq!(parse_grace("24h").unwrap(), TimeDelta::hours(24));
        for wrong in ["", "1", "h", "25h", "-1m", "1d"] {
            assert!(parse_grace(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lifetimes_are_days_hours_or_never() {
        assert_eq!(parse_lifetime("90d").unwrap(), Some(TimeDelta::days(90)));
        assert_eq!(parse_lifetime("12h").unwrap(), Some(TimeDelta::hours(12)));
        assert_eq!(parse_lifetime("never").unwrap(), None);
        for wrong in ["", "90", "d", "-1d", "0h", "99999999999d", "1w"] {
            assert!(parse_lifetime(wrong).is_err(), "{wrong}");
        }
    }
}
