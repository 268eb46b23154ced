use super::{Outcome, UsageError, find_project, no_such_project};
use crate::cli::{ProjectArgs, SuggestionsCommand};
use crate::terminal::{eprint_line, print_line, print_table, truncate};
use crate::wiring::AppContext;
use analysis::findings::suggestions::{ExpectedGain, GainMetric, State, SuggestionRecord};
use domain::{
    ids::KeywordId, project_overrides::IgnoreReason, use_cases::suggestions::SuggestionError,
};
use serde_json::json;
use std::collections::HashMap;

const TITLE_CHARS: usize = 60;

pub async fn run(context: &AppContext, command: SuggestionsCommand) -> anyhow::Result<Outcome> {
    match command {
        SuggestionsCommand::List {
            project_args,
            all,
            json,
        } => list(context, &project_args, all, json).await?,
        SuggestionsCommand::Ignore {
            project_args,
            id,
            reason,
        } => {
            ignore(context, &project_args, &id, reason).await?;
        }
        SuggestionsCommand::Reopen { project_args, id } => {
            reopen(context, &project_args, &id).await?;
        }
    }
    Ok(Outcome::Done)
}

async fn list(
    context: &AppContext,
    project_args: &ProjectArgs,
    all: bool,
    as_json: bool,
) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let core = context.core();
    let mut records = core.suggestions(account, project).await?;
    records.retain(|it| all || it.is_open());
    let ignored = core.ignored_suggestions(account, project).await?;
    if as_json {
        let ignored: Vec<_> = { ignored.iter() }
            .map(|it| json!({ "suggestionId": it.id, "reason": it.reason, "ignoredAt": it.ignored_at }))
            .collect();
        let document = json!({ "items": records, "ignored": ignored });
        print_line(serde_json::to_string_pretty(&document)?);
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
            it.expected_gain
                .as_ref()
                .map(format_gain)
                .unwrap_or_default(),
            truncate(&it.title, TITLE_CHARS),
            affected(it, &named),
        ]
    };
    print_table(
        &["id", "priority", "state", "gain", "suggestion", "affected"],
        records.iter().map(row),
    );
    Ok(())
}

fn format_gain(gain: &ExpectedGain) -> String {
    match gain.metric {
        GainMetric::ClicksPerMonth => {
            format!("{:.0} to {:.0} clicks a month", gain.low, gain.high)
        }
        GainMetric::ClickShare => format!(
            "{:.1} to {:.1} % of searches",
            100.0 * gain.low,
            100.0 * gain.high
        ),
    }
}

fn affected(it: &SuggestionRecord, named: &HashMap<KeywordId, String>) -> String {
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
    context: &AppContext,
    project_args: &ProjectArgs,
    id: &str,
    reason: Option<String>,
) -> anyhow::Result<()> {
    let reason = { reason.as_deref().map(IgnoreReason::parse) }
        .transpose()
        .map_err(|refusal| {
            UsageError(format!(
                "suggestion {id} was not ignored: --reason {refusal}"
            ))
        })?;
    let (account, project) = find_project(context, project_args).await?;
    let core = context.core();
    let outcome = core.ignore_suggestion(account, project, id, reason).await;
    outcome.map_err(|error| match error {
        SuggestionError::Storage(error) => anyhow::Error::from(error),
        SuggestionError::NoSuchProject => no_such_project(project_args).into(),
        SuggestionError::NoSuchSuggestion => UsageError(format!(
            "the newest suggestions have no `{id}`: `sightline suggestions list --email {} --project {}` lists their ids",
            project_args.email, project_args.project
        ))
        .into(),
        refusal @ SuggestionError::TooMany => UsageError(format!("suggestion {id} was not ignored: {refusal}")).into(),
    })?;
    eprint_line(format!(
        "Suggestion {id} is ignored from the next analysis on; `sightline suggestions reopen` reopens it."
    ));
    Ok(())
}

async fn reopen(context: &AppContext, project_args: &ProjectArgs, id: &str) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let core = context.core();
    let was_ignored = core.unignore_suggestion(account, project, id).await?;
    if !was_ignored {
        return Err(UsageError(format!("suggestion {id} is not ignored")).into());
    }
    print_line(format!(
        "Suggestion {id} is open again from the next analysis on."
    ));
    Ok(())
}
