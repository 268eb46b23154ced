use super::{Ended, WrongUsage, owner};
use crate::cli::TokenCommand;
use crate::terminal::{remark, say, show_table};
use crate::wiring::Foundation;
use chrono::{DateTime, TimeDelta, Utc};
use domain::account::AccountStatus;
use domain::audit::Actor;
use domain::ids::TokenId;
use domain::scope::{Scope, Scopes};
use domain::text::Label;
use domain::token::{ApiToken, RevokeReason};
use domain::use_cases::tokens::{
    Asker, IssueTokenError, LONGEST_GRACE, NewToken, RotateTokenError,
};
use serde_json::json;

pub async fn run(foundation: &Foundation, command: TokenCommand) -> anyhow::Result<Ended> {
    match command {
        TokenCommand::Create {
            email,
            name,
            scopes,
            expires_in,
        } => {
            let policy = foundation.settings.tokens.policy();
            let lifetime = expires_in.map_or_else(
                || Ok(Some(policy.shortened(NewToken::DEFAULT_LIFETIME))),
                |it| lifetime(&it),
            )?;
            create(foundation, &email, &wanted(&name, &scopes, lifetime)?).await?;
        }
        TokenCommand::List { email, json } => list(foundation, &email, json).await?,
        TokenCommand::Rotate { email, id, grace } => {
            rotate(foundation, &email, TokenId(id), self::grace(&grace)?).await?;
        }
        TokenCommand::Revoke { email, id } => revoke(foundation, &email, TokenId(id)).await?,
    }
    Ok(Ended::Done)
}

fn wanted(name: &str, scopes: &str, lifetime: Option<TimeDelta>) -> Result<NewToken, WrongUsage> {
    let none = || {
        WrongUsage(format!(
            "--scopes takes `all` or some of {}",
            Scope::NAMES.join(",")
        ))
    };
    if scopes.trim_matches([' ', ',']).is_empty() {
        return Err(none());
    }
    Ok(NewToken {
        name: Label::parse(name).map_err(|error| WrongUsage(format!("--name {error}")))?,
        scopes: Scopes::parse(scopes).map_err(|error| WrongUsage(format!("--scopes: {error}")))?,
        lifetime,
    })
}

/// `90d`, `12h`, or `never`.
fn lifetime(text: &str) -> Result<Option<TimeDelta>, WrongUsage> {
    if text == "never" {
        return Ok(None);
    }
    let wrong = || {
        WrongUsage(format!(
            "--expires-in takes days (1d to 3650d), hours (12h) or `never`; it was `{text}`"
        ))
    };
    let sensible = TimeDelta::hours(1)..=TimeDelta::days(3_650);
    span(
        text,
        &[('d', TimeDelta::try_days), ('h', TimeDelta::try_hours)],
    )
    .filter(|it| sensible.contains(it))
    .map(Some)
    .ok_or_else(wrong)
}

/// A unit with its constructor, which returns `None` on overflow.
type Unit = (char, fn(i64) -> Option<TimeDelta>);

/// A number with a unit, such as `90d`.
fn span(text: &str, units: &[Unit]) -> Option<TimeDelta> {
    let (_, make) = units.iter().find(|(name, _)| text.ends_with(*name))?;
    make(text[..text.len() - 1].parse().ok()?)
}

async fn create(foundation: &Foundation, email: &str, new: &NewToken) -> anyhow::Result<()> {
    let owner = owner(&foundation.storage, email).await?;
    let mut read = foundation.storage.read().await?;
    let account = read.accounts().find(owner.account).await?;
    if account.is_some_and(|it| it.status == AccountStatus::Disabled) {
        anyhow::bail!(
            "the account of {email} is switched off, so that no token of it opens anything; `sightline account disable --enable --email {email}` switches it on"
        );
    }
    let core = foundation.core();
    let (plain, token) = match core.issue_token(Asker::Operator(&owner), new).await {
        Err(IssueTokenError::TooLong { longest }) => {
            let days = longest.num_days();
            return Err(WrongUsage(format!("--expires-in takes {days}d at the most on this server, as tokens.max_lifetime_days says")).into());
        }
        outcome => outcome?,
    };
    say(plain.reveal());
    let end = token
        .expires_at
        .map_or_else(|| "never".to_owned(), |at| at.date_naive().to_string());
    remark(format!(
        "Token {} with {} ends: {end}. It is shown this once; keep it out of repositories and logs.",
        token.id, token.scopes
    ));
    Ok(())
}

/// `30m` or `2h`.
fn grace(text: &str) -> Result<TimeDelta, WrongUsage> {
    let wrong = || {
        WrongUsage(format!(
            "--grace takes minutes or hours, 0m to 24h; it was `{text}`"
        ))
    };
    let allowed = TimeDelta::zero()..=LONGEST_GRACE;
    span(
        text,
        &[('m', TimeDelta::try_minutes), ('h', TimeDelta::try_hours)],
    )
    .filter(|it| allowed.contains(it))
    .ok_or_else(wrong)
}

async fn rotate(
    foundation: &Foundation,
    email: &str,
    old: TokenId,
    grace: TimeDelta,
) -> anyhow::Result<()> {
    let owner = owner(&foundation.storage, email).await?;
    let core = foundation.core();
    let (plain, token) = match core.rotate_token(owner.account, old, grace).await {
        Err(RotateTokenError::NoSuchToken) => {
            return Err(WrongUsage(format!("{} has no token {old} that works and was not rotated before. `sightline token list --email {}` shows them all.", owner.email, owner.email)).into());
        }
        outcome => outcome?,
    };
    say(plain.reveal());
    remark(format!(
        "Token {} takes the place of {old}, which is accepted for {} minutes more.",
        token.id,
        grace.num_minutes()
    ));
    Ok(())
}

async fn list(foundation: &Foundation, email: &str, as_json: bool) -> anyhow::Result<()> {
    let owner = owner(&foundation.storage, email).await?;
    let now = foundation.clock.now();
    let tokens = foundation.core().tokens(owner.account).await?;
    if as_json {
        let rows: Vec<_> = tokens.iter().map(|token| as_value(token, now)).collect();
        say(serde_json::to_string_pretty(&rows)?);
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
    show_table(&header, tokens.iter().map(|token| row(token, now)));
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

async fn revoke(foundation: &Foundation, email: &str, id: TokenId) -> anyhow::Result<()> {
    let owner = owner(&foundation.storage, email).await?;
    let core = foundation.core();
    if core
        .revoke_token(Actor::Operator, owner.account, id)
        .await?
    {
        say(format!("Token {id} is revoked."));
        return Ok(());
    }
    Err(WrongUsage(format!("{} has no token {id} that could be revoked. `sightline token list --email {}` shows them all.", owner.email, owner.email)).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grace_is_a_day_at_the_most() {
        assert_eq!(grace("30m").unwrap(), TimeDelta::minutes(30));
        assert_eq!(grace("24h").unwrap(), TimeDelta::hours(24));
        for wrong in ["", "1", "h", "25h", "-1m", "1d"] {
            assert!(grace(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lifetimes_are_days_hours_or_never() {
        assert_eq!(lifetime("90d").unwrap(), Some(TimeDelta::days(90)));
        assert_eq!(lifetime("12h").unwrap(), Some(TimeDelta::hours(12)));
        assert_eq!(lifetime("never").unwrap(), None);
        for wrong in ["", "90", "d", "-1d", "0h", "99999999999d", "1w"] {
            assert!(lifetime(wrong).is_err(), "{wrong}");
        }
    }
}
