mod marked;

use super::{Outcome, UsageError, find_project};
use crate::cli::{AnswersCommand, ProjectArgs};
use crate::terminal::{eprint_line, print_line, print_table, truncate};
use crate::wiring::AppContext;
use analysis::ai_answers::{CitedPage, EvaluatedState};
use analysis::observation::ai_answer::{AiAnswer, AnswerState};
use domain::ids::{AnswerId, JobId, KeywordId};
use domain::kept_answers::{AnswerQuery, KeptAnswer};
use domain::use_cases::answers::MarkedAnswer;
use serde_json::{Value, json};

const PROMPT_CHARS: usize = 50;

pub async fn run(context: &AppContext, command: AnswersCommand) -> anyhow::Result<Outcome> {
    match command {
        AnswersCommand::List {
            project_args,
            keyword,
            engine,
            job,
            before,
            limit,
            json,
        } => {
            let query = AnswerQuery {
                job: job.map(JobId),
                keyword: keyword.map(KeywordId),
                engine,
                before: before.map(AnswerId),
                limit,
            };
            list(context, &project_args, &query, json).await?;
        }
        AnswersCommand::Show {
            project_args,
            id,
            json,
            html,
        } => {
            let form = match (json, html) {
                (true, _) => OutputFormat::Json,
                (_, true) => OutputFormat::Html,
                _ => OutputFormat::Text,
            };
            show(context, &project_args, AnswerId(id), form).await?;
        }
    }
    Ok(Outcome::Done)
}

enum OutputFormat {
    Text,
    Json,
    Html,
}

async fn list(
    context: &AppContext,
    project_args: &ProjectArgs,
    query: &AnswerQuery,
    as_json: bool,
) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let answers = context.core().answers(account, project, query).await?;
    let answers = answers
        .ok_or_else(|| UsageError(format!("project {} does not exist", project_args.project)))?;
    if as_json {
        let rows: Vec<Value> = answers.iter().map(row_value).collect();
        print_line(serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let row = |it: &KeptAnswer| {
        let answer = &it.answer;
        [
            it.id.to_string(),
            answer.answered_at.format("%Y-%m-%d %H:%M").to_string(),
            answer.engine.clone(),
            state_name(&answer.state),
            answer.sample.to_string(),
            truncate(&answer.prompt.text, PROMPT_CHARS),
        ]
    };
    let header = ["id", "answered", "engine", "state", "repeat", "prompt"];
    print_table(&header, answers.iter().map(row));
    if answers.len() == query.limit as usize
        && let Some(last) = answers.last()
    {
        eprint_line(format!("Older answers: --before {}", last.id));
    }
    Ok(())
}

fn state_name(state: &AnswerState) -> String {
    match state {
        AnswerState::Answered => "answered".to_owned(),
        AnswerState::Empty => "empty".to_owned(),
        AnswerState::NotShown => "not shown".to_owned(),
        AnswerState::Refused => "refused".to_owned(),
        AnswerState::CutShort => "cut short".to_owned(),
        AnswerState::Failed(code) => format!("failed: {code}"),
    }
}

fn row_value(kept: &KeptAnswer) -> Value {
    let answer = &kept.answer;
    json!({
        "id": kept.id.0,
        "jobId": kept.job.0,
        "keywordId": answer.prompt.keyword_id,
        "engine": answer.engine,
        "provider": answer.provider,
        "provenance": answer.provenance,
        "requestedModel": answer.requested_model,
        "servedModel": answer.served_model,
        "prompt": answer.prompt,
        "runIndex": answer.sample,
        "state": answer.state,
        "searches": answer.searches,
        "queries": answer.queries,
        "answeredAt": answer.answered_at,
        "usage": answer.usage,
    })
}

async fn show(
    context: &AppContext,
    project_args: &ProjectArgs,
    id: AnswerId,
    form: OutputFormat,
) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let found = context.core().answer(account, project, id).await?;
    let answer = found.ok_or_else(|| {
        UsageError(format!(
            "answer {id} does not exist or is past its retention period: `sightline answers list --email {} --project {}` lists the stored answers",
            project_args.email, project_args.project
        ))
    })?;
    match form {
        OutputFormat::Json => print_line(serde_json::to_string_pretty(&as_value(&answer))?),
        OutputFormat::Html => print_line(marked::html_page(&answer)),
        OutputFormat::Text => show_text(&answer),
    }
    Ok(())
}

fn show_text(answer: &MarkedAnswer) {
    let it = &answer.kept.answer;
    print_line(format!("{} ({})", it.prompt.text, it.prompt.prompt_id));
    print_line(describe(it, &answer.evaluation.state));
    print_line("");
    print_line(marked::marked_text(&it.text, &answer.evaluation.marks));
    let pages = answer.evaluation.citations.as_deref().unwrap_or_default();
    if !pages.is_empty() {
        print_line("");
    }
    for (number, page) in (1..).zip(pages) {
        let owner = page.owner.and_then(|it| answer.brands.get(it));
        let owner_note = owner.map_or_else(String::new, |it| format!(" ({it})"));
        print_line(format!("[{number}] {}{owner_note}", page.url));
    }
    eprint_line("Legend: «own brand», ‹competitor›, ‹?possible brand name›, ⌜cited⌝.");
}

fn describe(answer: &AiAnswer, state: &EvaluatedState) -> String {
    let model = answer
        .served_model
        .as_deref()
        .unwrap_or("model not reported");
    let mut text = format!(
        "{}, {model}, {}, {}, repeat {}",
        answer.engine,
        answer.provenance.name(),
        answer.answered_at.format("%Y-%m-%d %H:%M:%S UTC"),
        answer.sample,
    );
    if *state != EvaluatedState::Counted {
        text.push_str(", not counted: ");
        text.push_str(&state_name(&answer.state));
    }
    if let Some(searches) = answer.searches {
        text.extend([", ", &searches.to_string(), " searches"]);
    }
    text
}

fn as_value(answer: &MarkedAnswer) -> Value {
    let evaluation = &answer.evaluation;
    let mut value = row_value(&answer.kept);
    value["text"] = json!(answer.kept.answer.text);
    value["counted"] = json!(evaluation.state == EvaluatedState::Counted);
    value["brands"] = json!(answer.brands);
    value["named"] = json!(brand_names(answer, &evaluation.brands));
    value["recommended"] = json!(
        evaluation
            .recommended
            .as_ref()
            .map(|it| brand_names(answer, it))
    );
    value["marks"] = json!(evaluation.marks);
    let page = |it: &CitedPage| {
        json!({
            "url": it.url,
            "domain": it.domain,
            "owner": it.owner.and_then(|it| answer.brands.get(it)),
        })
    };
    let pages = evaluation.citations.as_ref();
    value["citations"] = json!(pages.map(|it| it.iter().map(page).collect::<Vec<_>>()));
    value["sentimentScore"] = json!(evaluation.sentiment.map(|it| it.score));
    value
}

fn brand_names<'a>(
    answer: &MarkedAnswer,
    brands: impl IntoIterator<Item = &'a usize>,
) -> Vec<String> {
    let names = brands.into_iter().filter_map(|it| answer.brands.get(*it));
    names.cloned().collect()
}
