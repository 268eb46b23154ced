//! `sightline suggestions`.

use super::{Ended, WrongUsage, no_project, project};
use crate::{
    cli::{ProjectArgs, SuggestionsCommand},
    terminal::{remark, say, shortened, show_table},
    wiring::Foundation,
};
use analysis::findings::suggestions::{State, SuggestionRecord};
use domain::use_cases::{
    ignore_suggestion::{IgnoreSuggestion, IgnoreSuggestionError},
    read_suggestions::ReadSuggestions,
    take_up_suggestion::TakeUpSuggestion,
};
use std::sync::Arc;

/// How many characters of a title are shown.
const TITLE: usize = 60;

/// Runs it.
pub async fn run(foundation: &Foundation, command: SuggestionsCommand) -> anyhow::Result<Ended> {
    match command {
        SuggestionsCommand::List { of, all } => list(foundation, &of, all).await?,
        SuggestionsCommand::Ignore { of, id, reason } => {
            ignore(foundation, &of, &id, reason).await?;
        }
        SuggestionsCommand::TakeUp { of, id } => take_up(foundation, &of, &id).await?,
    }
    Ok(Ended::Done)
}

async fn list(foundation: &Foundation, of: &ProjectArgs, all: bool) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let records = ReadSuggestions::new(Arc::clone(&foundation.storage))
        .run(account, project)
        .await?;
    let wanted = |it: &&SuggestionRecord| all || matches!(it.state, State::Open | State::Regressed);
    let row = |it: &SuggestionRecord| {
        [
            it.suggestion_id.clone(),
            format!("{:.0}", it.priority_score),
            state_name(it.state),
            shortened(&it.title, TITLE),
        ]
    };
    show_table(
        &["id", "priority", "state", "what"],
        records.iter().filter(wanted).map(row),
    );
    Ok(())
}

fn state_name(state: State) -> String {
    let name = serde_json::to_value(state).ok();
    name.and_then(|it| it.as_str().map(str::to_owned))
        .unwrap_or_default()
}

async fn ignore(
    foundation: &Foundation,
    of: &ProjectArgs,
    id: &str,
    reason: Option<String>,
) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let ignore = IgnoreSuggestion::new(
        Arc::clone(&foundation.storage),
        Arc::clone(&foundation.clock),
    );
    let outcome = ignore.run(account, project, id, reason).await;
    outcome.map_err(|error| match error {
        IgnoreSuggestionError::Storage(error) => anyhow::Error::from(error),
        IgnoreSuggestionError::NoSuchProject => no_project(of).into(),
        IgnoreSuggestionError::NoSuchSuggestion => WrongUsage(format!(
            "The newest suggestions have no `{id}`. `sightline suggestions list --email {} --project {}` shows their ids.",
            of.email, of.project
        ))
        .into(),
        refusal @ IgnoreSuggestionError::TooMany => WrongUsage(format!("{id} is not ignored: {refusal}.")).into(),
    })?;
    remark(format!(
        "{id} is ignored: from the next analysis on its record says so. `sightline suggestions take-up` ends that."
    ));
    Ok(())
}

async fn take_up(foundation: &Foundation, of: &ProjectArgs, id: &str) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let was_ignored = TakeUpSuggestion::new(Arc::clone(&foundation.storage))
        .run(account, project, id)
        .await?;
    if !was_ignored {
        return Err(WrongUsage(format!("{id} was not ignored.")).into());
    }
    say(format!("{id} is open again from the next analysis on."));
    Ok(())
}
