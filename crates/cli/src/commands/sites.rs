use super::{Outcome, UsageError, find_project, no_such_project};
use crate::cli::{ProjectArgs, SitesCommand};
use crate::terminal::{eprint_line, print_line, print_table};
use crate::wiring::AppContext;
use analysis::url_rules::DomainName;
use domain::project_overrides::{SiteAnnotation, SiteClass, SiteRole};
use domain::text::Label;
use domain::use_cases::brands::SetBrandNamesError;
use domain::use_cases::site_annotations::SetSiteRoleError;
use serde_json::json;

pub async fn run(context: &AppContext, command: SitesCommand) -> anyhow::Result<Outcome> {
    match command {
        SitesCommand::Name {
            project_args,
            domain,
            role,
            class,
        } => set_role(context, &project_args, &domain, &role, class.as_deref()).await?,
        SitesCommand::List { project_args, json } => list(context, &project_args, json).await?,
        SitesCommand::Call {
            project_args,
            domain,
            word,
            names,
        } => set_names(context, &project_args, &domain, word.as_deref(), &names).await?,
        SitesCommand::Forget {
            project_args,
            domain,
        } => remove_role(context, &project_args, &domain).await?,
    }
    Ok(Outcome::Done)
}

async fn set_role(
    context: &AppContext,
    project_args: &ProjectArgs,
    domain: &str,
    role: &str,
    class: Option<&str>,
) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let host = parse_host(domain)?;
    let role = parse_choice("--as", role, &SiteRole::NAMES)?;
    let role = SiteRole::named(&role).unwrap_or(SiteRole::Competitor);
    let class = class
        .map(|it| parse_choice("--class", it, &SiteClass::NAMES))
        .transpose()?
        .and_then(|it| SiteClass::named(&it));
    let core = context.core();
    let named = core.set_site_role(account, project, &host, role, class);
    let site = named.await.map_err(|error| match error {
        SetSiteRoleError::Storage(error) => anyhow::Error::from(error),
        SetSiteRoleError::NoSuchProject => no_such_project(project_args).into(),
        refusal => UsageError(format!("{domain} is not named: {refusal}.")).into(),
    })?;
    print_line(format!("{}: {}", site.domain, site.role.name()));
    eprint_line("The next rank check counts with it.");
    Ok(())
}

fn parse_choice(flag: &str, value: &str, names: &[&str]) -> Result<String, UsageError> {
    let is_known = names.contains(&value);
    is_known.then(|| value.to_owned()).ok_or_else(|| {
        UsageError(format!(
            "{flag} takes one of {}; it was `{value}`",
            names.join(", ")
        ))
    })
}

fn parse_host(domain: &str) -> Result<String, UsageError> {
    DomainName::parse_non_public(domain).map_err(|refusal| {
        UsageError(format!(
            "--domain takes a domain name such as competitor.com: {refusal}; it was `{domain}`"
        ))
    })
}

async fn list(
    context: &AppContext,
    project_args: &ProjectArgs,
    as_json: bool,
) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let sites = context.core().site_annotations(account, project).await?;
    if as_json {
        let rows: Vec<_> = sites.iter().map(as_value).collect();
        print_line(serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let row = |it: &SiteAnnotation| {
        [
            it.domain.clone(),
            it.role.name().to_owned(),
            it.class.map_or("", SiteClass::name).to_owned(),
            it.annotated_at.format("%Y-%m-%d").to_string(),
        ]
    };
    print_table(&["domain", "as", "class", "since"], sites.iter().map(row));
    Ok(())
}

fn as_value(site: &SiteAnnotation) -> serde_json::Value {
    json!({
        "domain": site.domain,
        "role": site.role.name(),
        "class": site.class.map(SiteClass::name),
        "namedAt": site.annotated_at,
    })
}

async fn set_names(
    context: &AppContext,
    project_args: &ProjectArgs,
    domain: &str,
    word: Option<&str>,
    names: &[String],
) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let read = |it: &String| {
        Label::parse(it).map_err(|refusal| UsageError(format!("the name `{it}` {refusal}")))
    };
    let names: Vec<Label> = names.iter().map(read).collect::<Result<_, _>>()?;
    let is_word = word.map(|it| it == "yes");
    let brand = { context.core() }
        .set_brand_names(account, project, &parse_host(domain)?, &names, is_word)
        .await
        .map_err(|error| match error {
            SetBrandNamesError::Storage(error) => anyhow::Error::from(error),
            SetBrandNamesError::NoSuchProject => no_such_project(project_args).into(),
            refusal => UsageError(format!("{domain} is not called so: {refusal}.")).into(),
        })?;
    let names: Vec<&str> = brand.names.iter().map(Label::as_str).collect();
    if names.is_empty() {
        eprint_line(format!("{} is called by its domain alone.", brand.domain));
    } else {
        print_line(format!("{}: {}", brand.domain, names.join(", ")));
    }
    Ok(())
}

async fn remove_role(
    context: &AppContext,
    project_args: &ProjectArgs,
    domain: &str,
) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let was_there = { context.core() }
        .remove_site_role(account, project, &parse_host(domain)?)
        .await?;
    if !was_there {
        return Err(UsageError(format!(
            "{domain} is not named. `sightline sites list --email {} --project {}` shows what is.",
            project_args.email, project_args.project
        ))
        .into());
    }
    eprint_line(format!(
        "{domain} is forgotten; the next rank check counts without it."
    ));
    Ok(())
}
