use super::{Outcome, UsageError, find_owner};
use crate::cli::{ModelArgs, ModelsCommand};
use crate::terminal::{eprint_line, print_line, print_table};
use crate::wiring::AppContext;
use domain::ai_models::{ModelChange, ModelSettings};
use domain::market::{Country, Language};
use domain::money::MicroUsd;
use domain::patch::Change;
use domain::use_cases::ai_models::{AiModel, AiModelError};
use serde_json::{Value, json};
use std::fmt::Display;

pub async fn run(context: &AppContext, command: ModelsCommand) -> anyhow::Result<Outcome> {
    match command {
        ModelsCommand::List { email, json } => list(context, &email, json).await?,
        ModelsCommand::Set(args) => set(context, &args).await?,
    }
    Ok(Outcome::Done)
}

async fn list(context: &AppContext, email: &str, as_json: bool) -> anyhow::Result<()> {
    let account = find_owner(&context.storage, email).await?.account;
    let models = context.core_with_engines().ai_models(account).await?;
    if as_json {
        let rows: Vec<Value> = models.iter().map(as_value).collect();
        print_line(serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let header = [
        "engine",
        "model",
        "state",
        "prompts",
        "samples",
        "country",
        "language",
        "weight",
        "USD per answer",
        "last used",
    ];
    print_table(&header, models.iter().map(row));
    Ok(())
}

fn row(model: &AiModel) -> [String; 10] {
    let settings = &model.settings;
    let set_up = model.configured.as_ref();
    let state = match set_up {
        None => "not configured".to_owned(),
        Some(_) if !settings.is_active => "inactive".to_owned(),
        Some(it) => match it.paid_call_refusal {
            None => "active".to_owned(),
            Some(unpaid) => format!("no calls: {unpaid}"),
        },
    };
    let last = model.last_used_at;
    [
        settings.engine.clone(),
        set_up
            .and_then(|it| it.label.model.clone())
            .unwrap_or_default(),
        state,
        settings.prompts.to_string(),
        settings.samples.to_string(),
        value_or_keyword(settings.country.as_ref()),
        value_or_keyword(settings.language.as_ref()),
        settings.weight.to_string(),
        { set_up.and_then(|it| it.max_spend) }.map_or_else(String::new, |it| it.cost.to_string()),
        last.map_or_else(String::new, |it| it.format("%Y-%m-%d %H:%M").to_string()),
    ]
}

fn value_or_keyword(value: Option<&impl Display>) -> String {
    value.map_or_else(|| "keyword".to_owned(), ToString::to_string)
}

fn as_value(model: &AiModel) -> Value {
    let settings = &model.settings;
    let set_up = model.configured.as_ref();
    let price = set_up.and_then(|it| it.max_spend);
    json!({
        "engine": settings.engine,
        "label": model.title,
        "provider": set_up.map(|it| it.label.provider.clone()),
        "model": set_up.and_then(|it| it.label.model.clone()),
        "provenance": set_up.map(|it| it.label.provenance),
        "configured": set_up.is_some(),
        "unavailable": set_up.and_then(|it| it.paid_call_refusal.map(|it| it.to_string())),
        "active": settings.is_active,
        "samplesPerPrompt": settings.samples,
        "promptsPerKeyword": settings.prompts,
        "country": settings.country.as_ref().map(ToString::to_string),
        "language": settings.language.as_ref().map(ToString::to_string),
        "webSearch": settings.web_search,
        "weight": settings.weight,
        "pricePerAnswer": price.map(|it| it.cost.to_string()),
        "currency": MicroUsd::CURRENCY,
        "lastUsedAt": model.last_used_at,
    })
}

async fn set(context: &AppContext, args: &ModelArgs) -> anyhow::Result<()> {
    let account = find_owner(&context.storage, &args.email).await?.account;
    let change = parse_change(args)?;
    if change == ModelChange::default() {
        return Err(UsageError(
            "no change given: add at least one option, for example --samples 5".into(),
        )
        .into());
    }
    let settings = context
        .core_with_engines()
        .change_ai_model(account, &args.engine, &change)
        .await
        .map_err(|error| match error {
            AiModelError::Storage(error) => anyhow::Error::from(error),
            refusal => UsageError(format!("cannot change the engine: {refusal}")).into(),
        })?;
    print_line(describe(&settings));
    eprint_line("The next analysis uses it.");
    Ok(())
}

fn describe(settings: &ModelSettings) -> String {
    let state = if settings.is_active {
        "active"
    } else {
        "inactive"
    };
    format!(
        "{}: {state}, {} prompts per keyword, {} answers per prompt",
        settings.engine, settings.prompts, settings.samples
    )
}

fn parse_change(args: &ModelArgs) -> Result<ModelChange, UsageError> {
    let flag = |it: &Option<String>| {
        it.as_ref()
            .map_or(Change::Keep, |it| Change::Set(it == "yes"))
    };
    Ok(ModelChange {
        is_active: flag(&args.active),
        samples: args.samples.map_or(Change::Keep, Change::Set),
        prompts: args.prompts.map_or(Change::Keep, Change::Set),
        country: parse_or_keyword("--country", args.country.as_deref(), Country::parse)?,
        language: parse_or_keyword("--language", args.language.as_deref(), Language::parse)?,
        web_search: flag(&args.web_search),
        weight: args.weight.map_or(Change::Keep, Change::Set),
    })
}

fn parse_or_keyword<T, E: Display>(
    flag: &str,
    value: Option<&str>,
    parse: fn(&str) -> Result<T, E>,
) -> Result<Change<Option<T>>, UsageError> {
    match value {
        None => Ok(Change::Keep),
        Some("keyword") => Ok(Change::Set(None)),
        Some(code) => parse(code)
            .map(|it| Change::Set(Some(it)))
            .map_err(|refusal| UsageError(format!("{flag} {refusal}; it was `{code}`"))),
    }
}
