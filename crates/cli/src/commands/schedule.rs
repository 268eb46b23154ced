use super::{Ended, WrongUsage, no_project, owner};
use crate::cli::{ScheduleCommand, ScheduledAnalysis};
use crate::terminal::{remark, say, show_table};
use crate::wiring::{Foundation, search_results};
use anyhow::Context;
use chrono::{DateTime, Utc};
use domain::{
    ai_models::ModelChoice,
    ids::{AccountId, ProjectId},
    job::{JobPriority, Trigger, kind::AnalysisKind},
    keyword::KeywordChoice,
    money::MicroUsd,
    schedule::{Rhythm, Schedule},
    use_cases::{request_analysis::AnalysisRequest, schedules::ScheduleError},
};
use serde_json::json;

pub async fn run(foundation: &Foundation, command: ScheduleCommand) -> anyhow::Result<Ended> {
    match command {
        ScheduleCommand::Set {
            of,
            days,
            at,
            zone,
            dry_run,
        } => {
            let rhythm = Rhythm::parse(&days, &at, &zone)
                .map_err(|error| WrongUsage(format!("{days} {at} {zone}: {error}")))?;
            set(foundation, &of, rhythm, dry_run).await?;
        }
        ScheduleCommand::List { email, json } => list(foundation, &email, json).await?,
        ScheduleCommand::Remove { of } => remove(foundation, &of).await?,
    }
    Ok(Ended::Done)
}

fn kind(of: &ScheduledAnalysis) -> Result<AnalysisKind, WrongUsage> {
    let built = AnalysisKind::BUILT.map(AnalysisKind::name).join(", ");
    AnalysisKind::named(&of.kind)
        .filter(|it| it.is_built())
        .ok_or_else(|| WrongUsage(format!("--type takes one of {built}; it was `{}`", of.kind)))
}

async fn set(
    foundation: &Foundation,
    of: &ScheduledAnalysis,
    rhythm: Rhythm,
    dry_run: bool,
) -> anyhow::Result<()> {
    let (owner, kind) = (owner(&foundation.storage, &of.of.email).await?, kind(of)?);
    let project = ProjectId(of.of.project);
    let now = foundation.clock.now();
    let times = rhythm.times_in_30_days(now);
    let cost = cost(foundation, owner.account, project, kind).await?;
    let all = MicroUsd(cost.0.saturating_mul(times.into()));
    let whose = prices_of(foundation, kind);
    let often =
        format!("{times} times in the next 30 days, for {all} USD at today's keywords{whose}");
    if dry_run {
        say(format!("Nothing is set: it would run {often}."));
        return Ok(());
    }
    let core = foundation.core();
    let set = core.set_schedule(owner.account, project, kind, rhythm);
    let schedule = match set.await {
        Err(ScheduleError::NoSuchProject) => return Err(no_project(&of.of).into()),
        outcome => outcome?,
    };
    say(told(&schedule));
    remark(format!(
        "It runs {often}. `sightline schedule remove` ends it."
    ));
    Ok(())
}

/// Names the source of prices: workers with other settings have others.
fn prices_of(foundation: &Foundation, kind: AnalysisKind) -> String {
    if kind != AnalysisKind::RankCheck {
        return String::new();
    }
    let settings = &foundation.settings;
    let search = search_results(settings, &foundation.clock, &foundation.randomness);
    format!(
        " and at the prices of {}, by the settings that this command sees",
        search.label().name
    )
}

async fn cost(
    foundation: &Foundation,
    account: AccountId,
    project: ProjectId,
    kind: AnalysisKind,
) -> anyhow::Result<MicroUsd> {
    let request = AnalysisRequest {
        project,
        kind,
        keywords: KeywordChoice::All,
        models: ModelChoice::All,
        priority: JobPriority::Low,
        trigger: Trigger::Schedule,
    };
    let mut read = foundation.storage.read().await?;
    let account = read.accounts().find(account).await?;
    drop(read);
    let account = account.context("The account is gone.")?;
    let plan = { foundation.priced_core() }
        .plan_analysis(&account, &request)
        .await
        .map_err(|error| WrongUsage(format!("It could not run: {error}.")))?;
    Ok(plan.cost)
}

async fn list(foundation: &Foundation, email: &str, as_json: bool) -> anyhow::Result<()> {
    let owner = owner(&foundation.storage, email).await?;
    let schedules = foundation.core().schedules(owner.account).await?;
    if as_json {
        let rows: Vec<_> = schedules.iter().map(as_value).collect();
        say(serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let header = ["project", "type", "days", "at", "zone", "next", "last"];
    show_table(&header, schedules.iter().map(row));
    Ok(())
}

async fn remove(foundation: &Foundation, of: &ScheduledAnalysis) -> anyhow::Result<()> {
    let (owner, kind) = (owner(&foundation.storage, &of.of.email).await?, kind(of)?);
    let core = foundation.core();
    let removed = core
        .remove_schedule(owner.account, ProjectId(of.of.project), kind)
        .await?;
    if !removed {
        return Err(WrongUsage(format!(
            "Project {} has no schedule for {}. `sightline schedule list --email {}` shows them all.",
            of.of.project,
            kind.name(),
            of.of.email
        ))
        .into());
    }
    remark(format!("{} is no longer started by itself.", kind.name()));
    Ok(())
}

fn told(schedule: &Schedule) -> String {
    let Schedule {
        kind,
        project,
        rhythm,
        next_at,
        ..
    } = schedule;
    format!(
        "{} of project {project}: {} at {} ({}), first on {}",
        kind.name(),
        rhythm.days,
        rhythm.time(),
        rhythm.zone,
        minute(*next_at)
    )
}

fn minute(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M UTC").to_string()
}

fn row(schedule: &Schedule) -> [String; 7] {
    let last = match (schedule.last_at, &schedule.last_refusal) {
        (None, _) => "never".to_owned(),
        (Some(at), None) => minute(at),
        (Some(at), Some(refusal)) => format!("{}: {refusal}", minute(at)),
    };
    [
        schedule.project.to_string(),
        schedule.kind.name().to_owned(),
        schedule.rhythm.days.to_string(),
        schedule.rhythm.time(),
        schedule.rhythm.zone.to_string(),
        minute(schedule.next_at),
        last,
    ]
}

fn as_value(schedule: &Schedule) -> serde_json::Value {
    json!({
        "projectId": schedule.project.0,
        "type": schedule.kind.name(),
        "days": schedule.rhythm.days.to_string(),
        "at": schedule.rhythm.time(),
        "zone": schedule.rhythm.zone.name(),
        "nextAt": schedule.next_at,
        "lastAt": schedule.last_at,
        "lastRefusal": schedule.last_refusal,
    })
}
