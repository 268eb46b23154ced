mod marked;

use super::{Ended, WrongUsage, project};
use crate::cli::{AnswersCommand, ProjectArgs};
use crate::terminal::{remark, say, shortened, show_table};
use crate::wiring::Foundation;
use analysis::ai_answers::{CitedPage, JudgedState};
use analysis::observation::ai_answer::{AiAnswer, AnswerState};
use domain::ids::{AnswerId, JobId, KeywordId};
use domain::kept_answers::{AnswerQuery, KeptAnswer};
use domain::use_cases::answers::MarkedAnswer;
use serde_json::{Value, json};

const PROMPT: usize = 50;

pub async fn run(foundation: &Foundation, command: AnswersCommand) -> anyhow::Result<Ended> {
    match command {
        AnswersCommand::List {
            of,
            keyword,
            engine,
            job,
            before,
            most,
            json,
        } => {
            let query = AnswerQuery {
                job: job.map(JobId),
                keyword: keyword.map(KeywordId),
                engine,
                before: before.map(AnswerId),
                limit: most,
            };
            list(foundation, &of, &query, json).await?;
        }
        AnswersCommand::Show { of, id, json, html } => {
            let form = match (json, html) {
                (true, _) => Form::Json,
                (_, true) => Form::Html,
                _ => Form::Text,
            };
            show(foundation, &of, AnswerId(id), form).await?;
        }
    }
    Ok(Ended::Done)
}

enum Form {
    Text,
    Json,
    Html,
}

async fn list(
    foundation: &Foundation,
    of: &ProjectArgs,
    query: &AnswerQuery,
    as_json: bool,
) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let answers = foundation.core().answers(account, project, query).await?;
    let answers =
        answers.ok_or_else(|| WrongUsage(format!("{}: there is no such project.", of.project)))?;
    if as_json {
        let rows: Vec<Value> = answers.iter().map(row_value).collect();
        say(serde_json::to_string_pretty(&rows)?);
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
            shortened(&answer.prompt.text, PROMPT),
        ]
    };
    let header = ["id", "answered", "engine", "state", "repeat", "prompt"];
    show_table(&header, answers.iter().map(row));
    if answers.len() == query.limit as usize
        && let Some(last) = answers.last()
    {
        remark(format!("Older ones: --before {}", last.id));
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
    foundation: &Foundation,
    of: &ProjectArgs,
    id: AnswerId,
    form: Form,
) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let found = foundation.core().answer(account, project, id).await?;
    let answer = found.ok_or_else(|| {
        WrongUsage(format!(
            "There is no answer {id}, or it was kept long enough. `sightline answers list --email {} --project {}` shows what there is.",
            of.email, of.project
        ))
    })?;
    match form {
        Form::Json => say(serde_json::to_string_pretty(&as_value(&answer))?),
        Form::Html => say(marked::page(&answer)),
        Form::Text => show_text(&answer),
    }
    Ok(())
}

fn show_text(answer: &MarkedAnswer) {
    let it = &answer.kept.answer;
    say(format!("{} ({})", it.prompt.text, it.prompt.prompt_id));
    say(about(it, &answer.judged.state));
    say("");
    say(marked::text(&it.text, &answer.judged.marks));
    let pages = answer.judged.citations.as_deref().unwrap_or_default();
    if !pages.is_empty() {
        say("");
    }
    for (number, page) in (1..).zip(pages) {
        let whose = page.owner.and_then(|it| answer.brands.get(it));
        let whose = whose.map_or_else(String::new, |it| format!(" ({it})"));
        say(format!("[{number}] {}{whose}", page.url));
    }
    remark("«own», ‹a competitor›, ‹?perhaps a name›, ⌜cited⌝.");
}

fn about(answer: &AiAnswer, judged: &JudgedState) -> String {
    let model = answer.served_model.as_deref().unwrap_or("model not told");
    let mut told = format!(
        "{}, {model}, {}, {}, repeat {}",
        answer.engine,
        answer.provenance.name(),
        answer.answered_at.format("%Y-%m-%d %H:%M:%S UTC"),
        answer.sample,
    );
    if *judged != JudgedState::Counted {
        told.push_str(", in no rate: ");
        told.push_str(&state_name(&answer.state));
    }
    if let Some(searches) = answer.searches {
        told.extend([", ", &searches.to_string(), " searches"]);
    }
    told
}

fn as_value(answer: &MarkedAnswer) -> Value {
    let judged = &answer.judged;
    let mut value = row_value(&answer.kept);
    value["text"] = json!(answer.kept.answer.text);
    value["counted"] = json!(judged.state == JudgedState::Counted);
    value["brands"] = json!(answer.brands);
    value["named"] = json!(named(answer, &judged.brands));
    value["recommended"] = json!(judged.recommended.as_ref().map(|it| named(answer, it)));
    value["marks"] = json!(judged.marks);
    let page = |it: &CitedPage| {
        json!({
            "url": it.url,
            "domain": it.domain,
            "owner": it.owner.and_then(|it| answer.brands.get(it)),
        })
    };
    let pages = judged.citations.as_ref();
    value["citations"] = json!(pages.map(|it| it.iter().map(page).collect::<Vec<_>>()));
    value["sentimentScore"] = json!(judged.sentiment.map(|it| it.score));
    value
}

fn named<'a>(answer: &MarkedAnswer, brands: impl IntoIterator<Item = &'a usize>) -> Vec<String> {
    let names = brands.into_iter().filter_map(|it| answer.brands.get(*it));
    names.cloned().collect()
}
