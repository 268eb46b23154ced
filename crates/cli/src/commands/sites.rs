use super::{Ended, WrongUsage, no_project, project};
use crate::cli::{ProjectArgs, SitesCommand};
use crate::terminal::{remark, say, show_table};
use crate::wiring::Foundation;
use analysis::url_rules::DomainName;
use domain::owners_words::{NamedSite, SiteClass, SiteRole};
use domain::text::Label;
use domain::use_cases::brands::NameBrandError;
use domain::use_cases::named_sites::NameSiteError;
use serde_json::json;

pub async fn run(foundation: &Foundation, command: SitesCommand) -> anyhow::Result<Ended> {
    match command {
        SitesCommand::Name {
            of,
            domain,
            role,
            class,
        } => name(foundation, &of, &domain, &role, class.as_deref()).await?,
        SitesCommand::List { of, json } => list(foundation, &of, json).await?,
        SitesCommand::Call {
            of,
            domain,
            word,
            names,
        } => call(foundation, &of, &domain, word.as_deref(), &names).await?,
        SitesCommand::Forget { of, domain } => forget(foundation, &of, &domain).await?,
    }
    Ok(Ended::Done)
}

async fn name(
    foundation: &Foundation,
    of: &ProjectArgs,
    domain: &str,
    role: &str,
    class: Option<&str>,
) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let host = host(domain)?;
    let role = one_of("--as", role, &SiteRole::NAMES)?;
    let role = SiteRole::named(&role).unwrap_or(SiteRole::Competitor);
    let class = class
        .map(|it| one_of("--class", it, &SiteClass::NAMES))
        .transpose()?
        .and_then(|it| SiteClass::named(&it));
    let core = foundation.core();
    let named = core.name_site(account, project, &host, role, class);
    let site = named.await.map_err(|error| match error {
        NameSiteError::Storage(error) => anyhow::Error::from(error),
        NameSiteError::NoSuchProject => no_project(of).into(),
        refusal => WrongUsage(format!("{domain} is not named: {refusal}.")).into(),
    })?;
    say(format!("{}: {}", site.domain, site.role.name()));
    remark("The next rank check counts with it.");
    Ok(())
}

fn one_of(flag: &str, value: &str, names: &[&str]) -> Result<String, WrongUsage> {
    let is_known = names.contains(&value);
    is_known.then(|| value.to_owned()).ok_or_else(|| {
        WrongUsage(format!(
            "{flag} takes one of {}; it was `{value}`",
            names.join(", ")
        ))
    })
}

fn host(domain: &str) -> Result<String, WrongUsage> {
    DomainName::recognised(domain).map_err(|refusal| {
        WrongUsage(format!(
            "--domain takes a domain name such as rival.com: {refusal}; it was `{domain}`"
        ))
    })
}

async fn list(foundation: &Foundation, of: &ProjectArgs, as_json: bool) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let sites = foundation.core().named_sites(account, project).await?;
    if as_json {
        let rows: Vec<_> = sites.iter().map(as_value).collect();
        say(serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let row = |it: &NamedSite| {
        [
            it.domain.clone(),
            it.role.name().to_owned(),
            it.class.map_or("", SiteClass::name).to_owned(),
            it.named_at.format("%Y-%m-%d").to_string(),
        ]
    };
    show_table(&["domain", "as", "class", "since"], sites.iter().map(row));
    Ok(())
}

fn as_value(site: &NamedSite) -> serde_json::Value {
    json!({
        "domain": site.domain,
        "role": site.role.name(),
        "class": site.class.map(SiteClass::name),
        "namedAt": site.named_at,
    })
}

async fn call(
    foundation: &Foundation,
    of: &ProjectArgs,
    domain: &str,
    word: Option<&str>,
    names: &[String],
) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let read = |it: &String| {
        Label::parse(it).map_err(|refusal| WrongUsage(format!("the name `{it}` {refusal}")))
    };
    let names: Vec<Label> = names.iter().map(read).collect::<Result<_, _>>()?;
    let is_word = word.map(|it| it == "yes");
    let brand = { foundation.core() }
        .name_brand(account, project, &host(domain)?, &names, is_word)
        .await
        .map_err(|error| match error {
            NameBrandError::Storage(error) => anyhow::Error::from(error),
            NameBrandError::NoSuchProject => no_project(of).into(),
            refusal => WrongUsage(format!("{domain} is not called so: {refusal}.")).into(),
        })?;
    let names: Vec<&str> = brand.names.iter().map(Label::as_str).collect();
    if names.is_empty() {
        remark(format!("{} is called by its domain alone.", brand.domain));
    } else {
        say(format!("{}: {}", brand.domain, names.join(", ")));
    }
    Ok(())
}

async fn forget(foundation: &Foundation, of: &ProjectArgs, domain: &str) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let was_there = { foundation.core() }
        .forget_site(account, project, &host(domain)?)
        .await?;
    if !was_there {
        return Err(WrongUsage(format!(
            "{domain} is not named. `sightline sites list --email {} --project {}` shows what is.",
            of.email, of.project
        ))
        .into());
    }
    remark(format!(
        "{domain} is forgotten; the next rank check counts without it."
    ));
    Ok(())
}
