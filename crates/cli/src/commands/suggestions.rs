use super::{Ended, WrongUsage, no_project, project};
use crate::cli::{ProjectArgs, SuggestionsCommand};
use crate::terminal::{remark, say, shortened, show_table};
use crate::wiring::Foundation;
use analysis::findings::suggestions::{ExpectedGain, GainMetric, State, SuggestionRecord};
use domain::{ids::KeywordId, owners_words::IgnoreReason, use_cases::suggestions::SuggestionError};
use serde_json::json;
use std::collections::HashMap;

const TITLE: usize = 60;

pub async fn run(foundation: &Foundation, command: SuggestionsCommand) -> anyhow::Result<Ended> {
    match command {
        SuggestionsCommand::List { of, all, json } => list(foundation, &of, all, json).await?,
        SuggestionsCommand::Ignore { of, id, reason } => {
            ignore(foundation, &of, &id, reason).await?;
        }
        SuggestionsCommand::TakeUp { of, id } => take_up(foundation, &of, &id).await?,
    }
    Ok(Ended::Done)
}

async fn list(
    foundation: &Foundation,
    of: &ProjectArgs,
    all: bool,
    as_json: bool,
) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let core = foundation.core();
    let mut records = core.suggestions(account, project).await?;
    records.retain(|it| all || it.is_open());
    let ignored = core.ignored_suggestions(account, project).await?;
    if as_json {
        let ignored: Vec<_> = { ignored.iter() }
            .map(|it| json!({ "suggestionId": it.id, "reason": it.reason, "ignoredAt": it.ignored_at }))
            .collect();
        let told = json!({ "items": records, "ignored": ignored });
        say(serde_json::to_string_pretty(&told)?);
        return Ok(());
    }
    let keywords = records.iter().filter_map(|it| it.keyword_ids.first());
    let keywords = keywords.copied().map(KeywordId).collect();
    let named = core.keyword_texts(account, project, keywords).await?;
    let reasons: HashMap<&str, &str> = { ignored.iter() }
        .filter_map(|it| Some((it.id.as_str(), it.reason.as_deref()?)))
        .collect();
    let row = |it: &SuggestionRecord| {
        let state = state_name(it.state);
        let state = match reasons.get(it.suggestion_id.as_str()) {
            Some(reason) => format!("{state}: {reason}"),
            None => state,
        };
        [
            it.suggestion_id.clone(),
            format!("{:.0}", it.priority_score),
            state,
            it.expected_gain.as_ref().map(gain).unwrap_or_default(),
            shortened(&it.title, TITLE),
            about(it, &named),
        ]
    };
    show_table(
        &["id", "priority", "state", "gain", "what", "where"],
        records.iter().map(row),
    );
    Ok(())
}

fn gain(of: &ExpectedGain) -> String {
    match of.metric {
        GainMetric::ClicksPerMonth => {
            format!("{:.0} to {:.0} clicks a month", of.low, of.high)
        }
        GainMetric::ClickShare => format!(
            "{:.1} to {:.1} % of searches",
            100.0 * of.low,
            100.0 * of.high
        ),
    }
}

fn about(it: &SuggestionRecord, named: &HashMap<KeywordId, String>) -> String {
    let more = |all: usize| match all {
        0 | 1 => String::new(),
        all => format!(" and {} more", all - 1),
    };
    let page = { it.affected_urls.first() }.map(|url| {
        format!(
            "{url}{}",
            more(usize::try_from(it.affected_count).unwrap_or(usize::MAX))
        )
    });
    let keyword = { it.keyword_ids.first() }
        .and_then(|id| named.get(&KeywordId(*id)))
        .map(|text| format!("“{text}”{}", more(it.keyword_ids.len())));
    let both: Vec<String> = page.into_iter().chain(keyword).collect();
    both.join(", ")
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
    let reason = { reason.as_deref().map(IgnoreReason::parse) }
        .transpose()
        .map_err(|refusal| WrongUsage(format!("{id} is not ignored: --reason {refusal}.")))?;
    let (account, project) = project(foundation, of).await?;
    let core = foundation.core();
    let outcome = core.ignore_suggestion(account, project, id, reason).await;
    outcome.map_err(|error| match error {
        SuggestionError::Storage(error) => anyhow::Error::from(error),
        SuggestionError::NoSuchProject => no_project(of).into(),
        SuggestionError::NoSuchSuggestion => WrongUsage(format!(
            "The newest suggestions have no `{id}`. `sightline suggestions list --email {} --project {}` shows their ids.",
            of.email, of.project
        ))
        .into(),
        refusal @ SuggestionError::TooMany => WrongUsage(format!("{id} is not ignored: {refusal}.")).into(),
    })?;
    remark(format!(
        "{id} is ignored: from the next analysis on its record says so. `sightline suggestions take-up` ends that."
    ));
    Ok(())
}

async fn take_up(foundation: &Foundation, of: &ProjectArgs, id: &str) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let core = foundation.core();
    let was_ignored = core.take_up_suggestion(account, project, id).await?;
    if !was_ignored {
        return Err(WrongUsage(format!("{id} was not ignored.")).into());
    }
    say(format!("{id} is open again from the next analysis on."));
    Ok(())
}
