use super::{Ended, WrongUsage, owner};
use crate::cli::{ModelArgs, ModelsCommand};
use crate::terminal::{remark, say, show_table};
use crate::wiring::Foundation;
use domain::ai_models::{ModelChange, ModelSettings};
use domain::market::{Country, Language};
use domain::money::MicroUsd;
use domain::patch::Change;
use domain::use_cases::ai_models::{AiModel, AiModelError};
use serde_json::{Value, json};
use std::fmt::Display;

pub async fn run(foundation: &Foundation, command: ModelsCommand) -> anyhow::Result<Ended> {
    match command {
        ModelsCommand::List { email, json } => list(foundation, &email, json).await?,
        ModelsCommand::Set(args) => set(foundation, &args).await?,
    }
    Ok(Ended::Done)
}

async fn list(foundation: &Foundation, email: &str, as_json: bool) -> anyhow::Result<()> {
    let account = owner(&foundation.storage, email).await?.account;
    let models = foundation.core_with_engines().ai_models(account).await?;
    if as_json {
        let rows: Vec<Value> = models.iter().map(as_value).collect();
        say(serde_json::to_string_pretty(&rows)?);
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
        "USD each",
        "last asked",
    ];
    show_table(&header, models.iter().map(row));
    Ok(())
}

fn row(model: &AiModel) -> [String; 10] {
    let settings = &model.settings;
    let set_up = model.configured.as_ref();
    let state = match set_up {
        None => "not set up".to_owned(),
        Some(_) if !settings.is_active => "off".to_owned(),
        Some(it) => match it.unpaid {
            None => "asked".to_owned(),
            Some(unpaid) => format!("not asked: {unpaid}"),
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
        shown(settings.country.as_ref()),
        shown(settings.language.as_ref()),
        settings.weight.to_string(),
        { set_up.and_then(|it| it.most) }.map_or_else(String::new, |it| it.cost.to_string()),
        last.map_or_else(String::new, |it| it.format("%Y-%m-%d %H:%M").to_string()),
    ]
}

fn shown(value: Option<&impl Display>) -> String {
    value.map_or_else(|| "keyword".to_owned(), ToString::to_string)
}

fn as_value(model: &AiModel) -> Value {
    let settings = &model.settings;
    let set_up = model.configured.as_ref();
    let price = set_up.and_then(|it| it.most);
    json!({
        "engine": settings.engine,
        "label": model.title,
        "provider": set_up.map(|it| it.label.provider.clone()),
        "model": set_up.and_then(|it| it.label.model.clone()),
        "provenance": set_up.map(|it| it.label.provenance),
        "configured": set_up.is_some(),
        "unavailable": set_up.and_then(|it| it.unpaid.map(|it| it.to_string())),
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

async fn set(foundation: &Foundation, args: &ModelArgs) -> anyhow::Result<()> {
    let account = owner(&foundation.storage, &args.email).await?.account;
    let change = change(args)?;
    if change == ModelChange::default() {
        return Err(
            WrongUsage("say what is to be different, for example --samples 5".into()).into(),
        );
    }
    let settings = foundation
        .core_with_engines()
        .change_ai_model(account, &args.engine, &change)
        .await
        .map_err(|error| match error {
            AiModelError::Storage(error) => anyhow::Error::from(error),
            refusal => WrongUsage(format!("nothing was changed: {refusal}.")).into(),
        })?;
    say(told(&settings));
    remark("The next analysis asks so.");
    Ok(())
}

fn told(settings: &ModelSettings) -> String {
    let state = if settings.is_active { "asked" } else { "off" };
    format!(
        "{}: {state}, {} prompts {} times each",
        settings.engine, settings.prompts, settings.samples
    )
}

fn change(args: &ModelArgs) -> Result<ModelChange, WrongUsage> {
    let flag = |it: &Option<String>| {
        it.as_ref()
            .map_or(Change::Keep, |it| Change::Set(it == "yes"))
    };
    Ok(ModelChange {
        is_active: flag(&args.active),
        samples: args.samples.map_or(Change::Keep, Change::Set),
        prompts: args.prompts.map_or(Change::Keep, Change::Set),
        country: or_the_keywords("--country", args.country.as_deref(), Country::parse)?,
        language: or_the_keywords("--language", args.language.as_deref(), Language::parse)?,
        web_search: flag(&args.web_search),
        weight: args.weight.map_or(Change::Keep, Change::Set),
    })
}

fn or_the_keywords<T, E: Display>(
    flag: &str,
    value: Option<&str>,
    parse: fn(&str) -> Result<T, E>,
) -> Result<Change<Option<T>>, WrongUsage> {
    match value {
        None => Ok(Change::Keep),
        Some("keyword") => Ok(Change::Set(None)),
        Some(code) => parse(code)
            .map(|it| Change::Set(Some(it)))
            .map_err(|refusal| WrongUsage(format!("{flag} {refusal}; it was `{code}`"))),
    }
}
