use super::{Outcome, UsageError, find_owner, no_such_project};
use crate::cli::{ScheduleCommand, ScheduledAnalysis};
use crate::terminal::{eprint_line, print_line, print_table};
use crate::wiring::AppContext;
use anyhow::Context;
use chrono::{DateTime, Utc};
use domain::{
    ai_models::ModelChoice,
    ids::{AccountId, ProjectId},
    job::{JobPriority, Trigger, kind::AnalysisKind},
    keyword::KeywordChoice,
    money::MicroUsd,
    schedule::{Recurrence, Schedule},
    use_cases::{
        request_analysis::{AnalysisPlan, AnalysisRequest},
        schedules::ScheduleError,
    },
};
use serde_json::json;

pub async fn run(context: &AppContext, command: ScheduleCommand) -> anyhow::Result<Outcome> {
    match command {
        ScheduleCommand::Set {
            analysis,
            days,
            at,
            zone,
            dry_run,
        } => {
            let rhythm = Recurrence::parse(&days, &at, &zone)
                .map_err(|error| UsageError(format!("{days} {at} {zone}: {error}")))?;
            set(context, &analysis, rhythm, dry_run).await?;
        }
        ScheduleCommand::List { email, json } => list(context, &email, json).await?,
        ScheduleCommand::Remove { analysis } => remove(context, &analysis).await?,
    }
    Ok(Outcome::Done)
}

fn parse_kind(of: &ScheduledAnalysis) -> Result<AnalysisKind, UsageError> {
    let built = AnalysisKind::IMPLEMENTED.map(AnalysisKind::name).join(", ");
    AnalysisKind::named(&of.kind)
        .filter(|it| it.is_implemented())
        .ok_or_else(|| UsageError(format!("--type takes one of {built}; it was `{}`", of.kind)))
}

async fn set(
    context: &AppContext,
    analysis: &ScheduledAnalysis,
    rhythm: Recurrence,
    dry_run: bool,
) -> anyhow::Result<()> {
    let (owner, kind) = (
        find_owner(&context.storage, &analysis.project_args.email).await?,
        parse_kind(analysis)?,
    );
    let project = ProjectId(analysis.project_args.project);
    let now = context.clock.now();
    let times = rhythm.times_in_30_days(now);
    let plan = plan(context, owner.account, project, kind).await?;
    let all = MicroUsd(plan.cost.0.saturating_mul(times.into()));
    let summary = format!(
        "{times} times in the next 30 days, at most {} USD each and {all} USD in all, for the current keywords{}",
        plan.cost,
        price_note(context, kind)
    );
    if let Some(budget) = plan.exceeds {
        eprint_line(format!(
            "Now it would be refused: {} is too low for one run (`sightline account limits`).",
            budget.name()
        ));
    }
    if dry_run {
        print_line(format!("Dry run: it would run {summary}."));
        return Ok(());
    }
    let core = context.core();
    let set = core.set_schedule(owner.account, project, kind, rhythm);
    let schedule = match set.await {
        Err(ScheduleError::NoSuchProject) => {
            return Err(no_such_project(&analysis.project_args).into());
        }
        outcome => outcome?,
    };
    print_line(describe(&schedule));
    eprint_line(format!(
        "It runs {summary}. `sightline schedule remove` removes it."
    ));
    Ok(())
}

/// Names the suppliers of these prices: workers with other settings have others.
fn price_note(context: &AppContext, kind: AnalysisKind) -> String {
    if kind != AnalysisKind::RankCheck {
        return String::new();
    }
    let suppliers = context.settings.search.suppliers();
    if suppliers.is_empty() {
        return "; in the settings of this command search results are simulated and cost nothing"
            .to_owned();
    }
    format!(
        " and the prices of {} in the settings of this command",
        suppliers.join(", then ")
    )
}

async fn plan(
    context: &AppContext,
    account: AccountId,
    project: ProjectId,
    kind: AnalysisKind,
) -> anyhow::Result<AnalysisPlan> {
    let request = AnalysisRequest {
        project,
        kind,
        keywords: KeywordChoice::All,
        models: ModelChoice::All,
        priority: JobPriority::Low,
        trigger: Trigger::Schedule,
    };
    let mut read = context.storage.read().await?;
    let account = read.accounts().find(account).await?;
    drop(read);
    let account = account.context("the account does not exist any more")?;
    let plan = context
        .priced_core()
        .plan_analysis(&account, &request)
        .await;
    Ok(plan.map_err(|error| UsageError(format!("the analysis cannot run: {error}")))?)
}

async fn list(context: &AppContext, email: &str, as_json: bool) -> anyhow::Result<()> {
    let owner = find_owner(&context.storage, email).await?;
    let schedules = context.core().schedules(owner.account).await?;
    if as_json {
        let rows: Vec<_> = schedules.iter().map(as_value).collect();
        print_line(serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let header = ["project", "type", "days", "at", "zone", "next", "last"];
    print_table(&header, schedules.iter().map(row));
    Ok(())
}

async fn remove(context: &AppContext, analysis: &ScheduledAnalysis) -> anyhow::Result<()> {
    let (owner, kind) = (
        find_owner(&context.storage, &analysis.project_args.email).await?,
        parse_kind(analysis)?,
    );
    let core = context.core();
    let removed = core
        .remove_schedule(
            owner.account,
            ProjectId(analysis.project_args.project),
            kind,
        )
        .await?;
    if !removed {
        return Err(UsageError(format!(
            "project {} has no schedule for {}: `sightline schedule list --email {}` lists the schedules",
            analysis.project_args.project,
            kind.name(),
            analysis.project_args.email
        ))
        .into());
    }
    eprint_line(format!("Removed the schedule of {}.", kind.name()));
    Ok(())
}

fn describe(schedule: &Schedule) -> String {
    let Schedule {
        kind,
        project,
        recurrence: rhythm,
        next_at,
        ..
    } = schedule;
    format!(
        "{} of project {project}: {} at {} ({}), first on {}",
        kind.name(),
        rhythm.days,
        rhythm.time(),
        rhythm.zone,
        format_minute(*next_at)
    )
}

fn format_minute(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M UTC").to_string()
}

fn row(schedule: &Schedule) -> [String; 7] {
    let last = match (schedule.last_at, &schedule.last_refusal) {
        (None, _) => "never".to_owned(),
        (Some(at), None) => format_minute(at),
        (Some(at), Some(refusal)) => format!("{}: {refusal}", format_minute(at)),
    };
    [
        schedule.project.to_string(),
        schedule.kind.name().to_owned(),
        schedule.recurrence.days.to_string(),
        schedule.recurrence.time(),
        schedule.recurrence.zone.to_string(),
        format_minute(schedule.next_at),
        last,
    ]
}

fn as_value(schedule: &Schedule) -> serde_json::Value {
    json!({
        "projectId": schedule.project.0,
        "type": schedule.kind.name(),
        "days": schedule.recurrence.days.to_string(),
        "at": schedule.recurrence.time(),
        "zone": schedule.recurrence.zone.name(),
        "nextAt": schedule.next_at,
        "lastAt": schedule.last_at,
        "lastRefusal": schedule.last_refusal,
    })
}
