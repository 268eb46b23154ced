use super::{Ended, WrongUsage, owner};
use crate::cli::{AccountCommand, LimitsArgs};
use crate::terminal::{remark, say, show_table};
use crate::wiring::{Foundation, hasher};
use anyhow::Context;
use domain::account::{Account, AccountLimits, AccountStatus};
use domain::allowance::Allowance;
use domain::audit::AuditEvent;
use domain::email::EmailAddress;
use domain::money::MicroUsd;
use domain::text::Label;
use domain::use_cases::passwords::SetPasswordError;
use domain::user::User;
use serde_json::json;
use std::io::{BufRead, Read};

const MOST_PASSWORD: u64 = 8_192;

pub async fn run(foundation: &Foundation, command: AccountCommand) -> anyhow::Result<Ended> {
    match command {
        AccountCommand::Create { email, name } => create(foundation, &email, &name).await?,
        AccountCommand::List { json } => list(foundation, json).await?,
        AccountCommand::Limits(args) => limits(foundation, &args).await?,
        AccountCommand::Log { email, most, json } => log(foundation, &email, most, json).await?,
        AccountCommand::Password {
            email,
            revoke_tokens,
        } => password(foundation, &email, revoke_tokens).await?,
        AccountCommand::Disable { email, enable } => switch(foundation, &email, enable).await?,
    }
    Ok(Ended::Done)
}

async fn create(foundation: &Foundation, email: &str, name: &str) -> anyhow::Result<()> {
    let email =
        EmailAddress::parse(email).map_err(|error| WrongUsage(format!("--email {error}")))?;
    let name = Label::parse(name).map_err(|error| WrongUsage(format!("--name {error}")))?;
    let (account, owner) = foundation.core().create_account(&email, &name).await?;
    say(format!(
        "Account {} of {} is ready.",
        account.id, owner.email
    ));
    say(format!("It may have {}.", account.limits));
    say(format!(
        "Next: sightline token create --email {} --name first --scopes all",
        owner.email
    ));
    say(format!(
        "To sign in, set a password: sightline account password --email {}",
        owner.email
    ));
    Ok(())
}

/// Read from standard input: an argument would be visible in the process list.
async fn password(
    foundation: &Foundation,
    email: &str,
    revokes_tokens: bool,
) -> anyhow::Result<()> {
    let owner = owner(&foundation.storage, email).await?;
    let reading = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        let read = std::io::stdin()
            .lock()
            .take(MOST_PASSWORD)
            .read_line(&mut line);
        read.map(|_| line)
    });
    let line = reading.await?.context("the password cannot be read")?;
    let password = line.strip_suffix('\n').unwrap_or(&line);
    let password = password.strip_suffix('\r').unwrap_or(password);
    let (core, hasher) = (foundation.core(), hasher(foundation)?);
    let set = core.set_password(hasher.as_ref(), &owner, password, revokes_tokens);
    let ended = match set.await {
        Err(SetPasswordError::Unfit(refusal)) => {
            return Err(WrongUsage(format!("the password {refusal}")).into());
        }
        outcome => outcome?,
    };
    let (email, sessions) = (&owner.email, ended.sessions);
    if revokes_tokens {
        let tokens = ended.tokens;
        say(format!(
            "The password of {email} is set; {sessions} sessions ended, {tokens} tokens were revoked."
        ));
        return Ok(());
    }
    say(format!(
        "The password of {email} is set; {sessions} sessions ended. Tokens stay; --revoke-tokens revokes them."
    ));
    Ok(())
}

async fn list(foundation: &Foundation, as_json: bool) -> anyhow::Result<()> {
    let accounts = foundation.storage.read().await?.accounts().list().await?;
    if as_json {
        let rows: Vec<_> = accounts.iter().map(as_value).collect();
        say(serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    show_table(
        &[
            "id",
            "name",
            "e-mail",
            "status",
            "projects",
            "keywords",
            "AI-tracked",
            "since",
        ],
        accounts.iter().map(row),
    );
    Ok(())
}

fn row((account, owner): &(Account, User)) -> [String; 8] {
    let of = |used: u32, limit: u32| format!("{used} of {limit}");
    let (usage, limits) = (account.usage, account.limits);
    [
        account.id.to_string(),
        account.name.to_string(),
        owner.email.to_string(),
        account.status.name().to_owned(),
        of(usage.projects, limits.projects),
        of(usage.keywords, limits.keywords),
        of(usage.ai_tracked, limits.ai_tracked),
        account.created_at.date_naive().to_string(),
    ]
}

fn as_value((account, owner): &(Account, User)) -> serde_json::Value {
    json!({
        "id": account.id.0,
        "name": account.name.as_str(),
        "email": owner.email.as_str(),
        "status": account.status.name(),
        "usage": { "projects": account.usage.projects, "keywords": account.usage.keywords, "aiTracked": account.usage.ai_tracked },
        "limits": {
            "projects": account.limits.projects,
            "keywords": account.limits.keywords,
            "keywordsPerProject": account.limits.keywords_per_project,
            "aiTracked": account.limits.ai_tracked,
            "keywordResearch": account.limits.keyword_research,
            "monthlyBudget": account.limits.monthly_budget.map(|budget| budget.to_string()),
            "dailyBudget": account.limits.daily_budget.map(|budget| budget.to_string()),
        },
        "createdAt": account.created_at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
    })
}

async fn limits(foundation: &Foundation, args: &LimitsArgs) -> anyhow::Result<()> {
    let owner = owner(&foundation.storage, &args.email).await?;
    let accounts = foundation.storage.read().await?.accounts().list().await?;
    let account = accounts
        .into_iter()
        .find(|(account, _)| account.id == owner.account);
    let (account, _) =
        account.ok_or_else(|| anyhow::anyhow!("the account of {} is gone", owner.email))?;
    let was = account.limits;
    let limits = AccountLimits {
        projects: args.projects.unwrap_or(was.projects),
        keywords: args.keywords.unwrap_or(was.keywords),
        keywords_per_project: args
            .keywords_per_project
            .unwrap_or(was.keywords_per_project),
        ai_tracked: args.ai_tracked.unwrap_or(was.ai_tracked),
        keyword_research: args.keyword_research.unwrap_or(was.keyword_research),
        monthly_budget: budget(
            "--monthly-budget",
            args.monthly_budget.as_deref(),
            was.monthly_budget,
        )?,
        daily_budget: budget(
            "--daily-budget",
            args.daily_budget.as_deref(),
            was.daily_budget,
        )?,
    };
    let core = foundation.core();
    core.limit_account(owner.account, limits).await?;
    say(format!("{} may have {limits}.", owner.email));
    let now = Account { limits, ..account };
    for Allowance { name, limit, used } in [
        now.project_allowance(),
        now.keyword_allowance(),
        now.ai_allowance(),
    ] {
        if used > limit {
            remark(format!(
                "{}: {used} are in use and {limit} allowed. Nothing is removed; more are refused until fewer are in use.",
                name.name()
            ));
        }
    }
    Ok(())
}

fn budget(
    flag: &str,
    given: Option<&str>,
    was: Option<MicroUsd>,
) -> Result<Option<MicroUsd>, WrongUsage> {
    let Some(text) = given else {
        return Ok(was);
    };
    if text == "none" {
        return Ok(None);
    }
    let wrong = || {
        WrongUsage(format!(
            "{flag} takes US dollars such as 25 or 12.50, or `none`; it was `{text}`"
        ))
    };
    MicroUsd::parse(text).map(Some).ok_or_else(wrong)
}

async fn log(foundation: &Foundation, email: &str, most: u32, as_json: bool) -> anyhow::Result<()> {
    let owner = owner(&foundation.storage, email).await?;
    let events = foundation.core().audit_events(owner.account, most).await?;
    let time = |event: &AuditEvent| event.at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    if as_json {
        let rows: Vec<_> = events
            .iter()
            .map(|it| json!({ "at": time(it), "actor": it.actor.name(), "action": it.action.name(), "token": it.token.map(|it| it.0), "detail": it.detail }))
            .collect();
        say(serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let row = |it: &AuditEvent| {
        [
            time(it),
            it.actor.name().to_owned(),
            it.action.name().to_owned(),
            it.token.map(|it| it.to_string()).unwrap_or_default(),
            it.detail.clone(),
        ]
    };
    show_table(
        &["at", "by", "what", "token", "more"],
        events.iter().map(row),
    );
    Ok(())
}

async fn switch(foundation: &Foundation, email: &str, enable: bool) -> anyhow::Result<()> {
    let owner = owner(&foundation.storage, email).await?;
    let status = if enable {
        AccountStatus::Active
    } else {
        AccountStatus::Disabled
    };
    let core = foundation.core();
    core.switch_account(owner.account, status).await?;
    say(format!(
        "The account of {} is {}.",
        owner.email,
        status.name()
    ));
    Ok(())
}
