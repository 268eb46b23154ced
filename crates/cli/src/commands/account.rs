use super::{Outcome, UsageError, find_owner, find_person};
use crate::cli::{AccountCommand, LimitsArgs};
use crate::terminal::{eprint_line, print_line, print_table};
use crate::wiring::{AppContext, password_hasher};
use anyhow::Context;
use domain::account::{Account, AccountLimits, AccountStatus};
use domain::allowance::Allowance;
use domain::audit::{Actor, AuditEvent, AuditFilter};
use domain::email::EmailAddress;
use domain::link::LinkKind;
use domain::money::MicroUsd;
use domain::text::Label;
use domain::use_cases::passwords::SetPasswordError;
use domain::user::{User, present};
use serde_json::json;
use std::io::{BufRead, Read};

const MAX_PASSWORD_BYTES: u64 = 8_192;

pub async fn run(context: &AppContext, command: AccountCommand) -> anyhow::Result<Outcome> {
    match command {
        AccountCommand::Create { email, name } => create(context, &email, &name).await?,
        AccountCommand::List { json } => list(context, json).await?,
        AccountCommand::Limits(args) => limits(context, &args).await?,
        AccountCommand::Log { email, limit, json } => log(context, &email, limit, json).await?,
        AccountCommand::Password {
            email,
            revoke_tokens,
        } => password(context, &email, revoke_tokens).await?,
        AccountCommand::ResetLink { email } => reset_link(context, &email).await?,
        AccountCommand::Operator { email, revoke } => operator(context, &email, revoke).await?,
        AccountCommand::Disable { email } => {
            set_status(context, &email, AccountStatus::Disabled).await?;
        }
        AccountCommand::Enable { email } => {
            set_status(context, &email, AccountStatus::Active).await?;
        }
    }
    Ok(Outcome::Done)
}

async fn create(context: &AppContext, email: &str, name: &str) -> anyhow::Result<()> {
    let email =
        EmailAddress::parse(email).map_err(|error| UsageError(format!("--email {error}")))?;
    let name = Label::parse(name).map_err(|error| UsageError(format!("--name {error}")))?;
    let (account, owner) = context.core().create_account(&email, &name).await?;
    print_line(format!(
        "Created account {} of {}.",
        account.id, owner.email
    ));
    print_line(format!("Limits: {}.", account.limits));
    print_line(format!(
        "Next: sightline token create --email {} --name first --scopes all",
        owner.email
    ));
    print_line(format!(
        "To sign in, set a password: sightline account password --email {}",
        owner.email
    ));
    Ok(())
}

/// Read from standard input: an argument would be visible in the process list.
async fn password(context: &AppContext, email: &str, revokes_tokens: bool) -> anyhow::Result<()> {
    let owner = find_person(&context.storage, email).await?;
    let reading = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        let read = std::io::stdin()
            .lock()
            .take(MAX_PASSWORD_BYTES)
            .read_line(&mut line);
        read.map(|_| line)
    });
    let line = reading
        .await?
        .context("cannot read the password from standard input")?;
    let password = line.strip_suffix('\n').unwrap_or(&line);
    let password = password.strip_suffix('\r').unwrap_or(password);
    let (core, hasher) = (context.core(), password_hasher(context)?);
    let set = core.set_password(hasher.as_ref(), &owner, password, revokes_tokens);
    let ended = match set.await {
        Err(SetPasswordError::Unfit(refusal)) => {
            return Err(UsageError(format!("the password {refusal}")).into());
        }
        outcome => outcome?,
    };
    let (email, sessions) = (&owner.email, ended.sessions);
    if revokes_tokens {
        let tokens = ended.tokens;
        print_line(format!(
            "Set the password of {email}; {sessions} sessions ended, {tokens} tokens revoked."
        ));
        return Ok(());
    }
    print_line(format!(
        "Set the password of {email}; {sessions} sessions ended. Tokens remain valid; --revoke-tokens revokes them."
    ));
    Ok(())
}

async fn reset_link(context: &AppContext, email: &str) -> anyhow::Result<()> {
    let person = find_person(&context.storage, email).await?;
    let link = context.core().password_reset_link(&person).await?;
    let kind = LinkKind::PasswordReset;
    print_line(kind.url(&context.settings.public_base_url(), &link));
    eprint_line(format!(
        "{} sets a new password with this link, once, within {} minutes. An earlier link ends.",
        person.email,
        kind.lifetime().num_minutes()
    ));
    Ok(())
}

async fn operator(context: &AppContext, email: &str, revoke: bool) -> anyhow::Result<()> {
    let person = find_person(&context.storage, email).await?;
    let is_new = context.core().mark_operator(&person, !revoke).await?;
    let state = match (revoke, is_new) {
        (false, true) => "is an operator now",
        (false, false) => "is an operator already",
        (true, true) => "is no operator any more",
        (true, false) => "was no operator",
    };
    print_line(format!("{} {state}.", person.email));
    Ok(())
}

async fn list(context: &AppContext, as_json: bool) -> anyhow::Result<()> {
    let accounts = context.storage.read().await?.accounts().list().await?;
    if as_json {
        let rows: Vec<_> = accounts.iter().map(as_value).collect();
        print_line(serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    print_table(
        &[
            "id",
            "name",
            "e-mail",
            "members",
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

/// The longest present owner; none only while an account is being deleted.
fn owner_email(members: &[User]) -> &str {
    let owner = members.iter().find(|it| it.is_present_owner());
    owner.map_or("", |it| it.email.as_str())
}

fn row((account, members): &(Account, Vec<User>)) -> [String; 9] {
    let of = |used: u32, limit: u32| format!("{used} of {limit}");
    let (usage, limits) = (account.usage, account.limits);
    [
        account.id.to_string(),
        account.name.to_string(),
        owner_email(members).to_owned(),
        present(members).count().to_string(),
        account.status.name().to_owned(),
        of(usage.projects, limits.projects),
        of(usage.keywords, limits.keywords),
        of(usage.ai_tracked, limits.ai_tracked),
        account.created_at.date_naive().to_string(),
    ]
}

fn as_value((account, members): &(Account, Vec<User>)) -> serde_json::Value {
    json!({
        "id": account.id.0,
        "name": account.name.as_str(),
        "email": owner_email(members),
        "members": present(members).map(|it| json!({
            "email": it.email.as_str(),
            "name": it.name.as_str(),
            "role": it.role.name(),
        })).collect::<Vec<_>>(),
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

async fn limits(context: &AppContext, args: &LimitsArgs) -> anyhow::Result<()> {
    let owner = find_owner(&context.storage, &args.email).await?;
    let accounts = context.storage.read().await?.accounts().list().await?;
    let account = accounts
        .into_iter()
        .find(|(account, _)| account.id == owner.account);
    let (account, _) = account
        .ok_or_else(|| anyhow::anyhow!("the account of {} does not exist any more", owner.email))?;
    let before = account.limits;
    let limits = AccountLimits {
        projects: args.projects.unwrap_or(before.projects),
        keywords: args.keywords.unwrap_or(before.keywords),
        keywords_per_project: args
            .keywords_per_project
            .unwrap_or(before.keywords_per_project),
        ai_tracked: args.ai_tracked.unwrap_or(before.ai_tracked),
        keyword_research: args.keyword_research.unwrap_or(before.keyword_research),
        monthly_budget: parse_budget(
            "--monthly-budget",
            args.monthly_budget.as_deref(),
            before.monthly_budget,
        )?,
        daily_budget: parse_budget(
            "--daily-budget",
            args.daily_budget.as_deref(),
            before.daily_budget,
        )?,
    };
    let core = context.core();
    core.limit_account(owner.account, limits).await?;
    print_line(format!("Limits of {}: {limits}.", owner.email));
    let now = Account { limits, ..account };
    for Allowance { name, limit, used } in [
        now.project_allowance(),
        now.keyword_allowance(),
        now.ai_allowance(),
    ] {
        if used > limit {
            eprint_line(format!(
                "{}: {used} are in use and {limit} allowed. Nothing is removed; new ones are refused until usage is below the limit.",
                name.name()
            ));
        }
    }
    Ok(())
}

fn parse_budget(
    flag: &str,
    given: Option<&str>,
    before: Option<MicroUsd>,
) -> Result<Option<MicroUsd>, UsageError> {
    let Some(text) = given else {
        return Ok(before);
    };
    if text == "none" {
        return Ok(None);
    }
    let wrong = || {
        UsageError(format!(
            "{flag} takes US dollars such as 25 or 12.50, or `none`; it was `{text}`"
        ))
    };
    MicroUsd::parse(text).map(Some).ok_or_else(wrong)
}

async fn log(context: &AppContext, email: &str, limit: u32, as_json: bool) -> anyhow::Result<()> {
    let owner = find_owner(&context.storage, email).await?;
    let events = context
        .core()
        .audit_events(owner.account, &AuditFilter::default(), limit)
        .await?;
    let time = |event: &AuditEvent| event.at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    if as_json {
        let rows: Vec<_> = events
            .iter()
            .map(|it| json!({ "at": time(it), "actor": it.actor.name(), "person": it.person.as_ref().map(|it| it.name.as_str()), "action": it.action.name(), "token": it.token.map(|it| it.0), "detail": it.detail }))
            .collect();
        print_line(serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let row = |it: &AuditEvent| {
        [
            time(it),
            it.actor.name().to_owned(),
            { it.person.as_ref() }.map_or_else(String::new, |it| it.name.to_string()),
            it.action.name().to_owned(),
            it.token.map(|it| it.to_string()).unwrap_or_default(),
            it.detail.clone(),
        ]
    };
    print_table(
        &["time", "actor", "person", "action", "token", "detail"],
        events.iter().map(row),
    );
    Ok(())
}

async fn set_status(
    context: &AppContext,
    email: &str,
    status: AccountStatus,
) -> anyhow::Result<()> {
    let owner = find_owner(&context.storage, email).await?;
    let core = context.core();
    core.switch_account(Actor::Operator, owner.account, status)
        .await?;
    print_line(format!(
        "The account of {} is {}.",
        owner.email,
        status.name()
    ));
    Ok(())
}
