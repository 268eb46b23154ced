//! `sightline competitors` and `sightline domains`: roles of domains in a project.

use super::{Outcome, UsageError, find_project, no_such_project};
use crate::cli::{CompetitorsCommand, DomainsCommand, ListArgs, ProjectArgs};
use crate::terminal::{eprint_line, print_line, print_table};
use crate::wiring::AppContext;
use analysis::url_rules::{DomainName, registrable_domain};
use domain::project_overrides::{SiteAnnotation, SiteClass, SiteRole};
use domain::use_cases::site_annotations::SetSiteRoleError;
use serde_json::json;

pub async fn run_competitors(
    context: &AppContext,
    command: CompetitorsCommand,
) -> anyhow::Result<Outcome> {
    let role = SiteRole::Competitor;
    match command {
        CompetitorsCommand::Add {
            project_args,
            domain,
            class,
        } => set_role(context, &project_args, &domain, role, class.as_deref()).await?,
        CompetitorsCommand::List(args) => list(context, &args, Some(role)).await?,
        CompetitorsCommand::Remove {
            project_args,
            domain,
        } => remove_role(context, &project_args, &domain, Some(role)).await?,
    }
    Ok(Outcome::Done)
}

pub async fn run(context: &AppContext, command: DomainsCommand) -> anyhow::Result<Outcome> {
    match command {
        DomainsCommand::Add {
            project_args,
            domain,
            role,
            class,
        } => {
            // The parser accepts no other names.
            let role = SiteRole::named(&role).unwrap_or(SiteRole::Own);
            set_role(context, &project_args, &domain, role, class.as_deref()).await?;
        }
        DomainsCommand::List(args) => list(context, &args, None).await?,
        DomainsCommand::Remove {
            project_args,
            domain,
        } => remove_role(context, &project_args, &domain, None).await?,
    }
    Ok(Outcome::Done)
}

async fn set_role(
    context: &AppContext,
    project_args: &ProjectArgs,
    domain: &str,
    role: SiteRole,
    class: Option<&str>,
) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let host = parse_host(domain)?;
    let class = class.and_then(SiteClass::named);
    let core = context.core();
    let added = core.set_site_role(account, project, &host, role, class);
    let site = added.await.map_err(|error| match error {
        SetSiteRoleError::Storage(error) => anyhow::Error::from(error),
        SetSiteRoleError::NoSuchProject => no_such_project(project_args).into(),
        refusal => UsageError(format!("cannot add {domain}: {refusal}")).into(),
    })?;
    print_line(format!("{}: {}", site.domain, site.role.name()));
    eprint_line("The next rank check uses it.");
    Ok(())
}

pub fn parse_host(domain: &str) -> Result<String, UsageError> {
    DomainName::parse_non_public(domain).map_err(|refusal| {
        UsageError(format!(
            "--domain takes a domain name such as competitor.com: {refusal}; it was `{domain}`"
        ))
    })
}

async fn list(context: &AppContext, args: &ListArgs, role: Option<SiteRole>) -> anyhow::Result<()> {
    let (account, project) = find_project(context, &args.project_args).await?;
    let mut sites = context.core().site_annotations(account, project).await?;
    sites.retain(|it| has_role(it, role));
    if args.json {
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
    print_table(&["domain", "role", "class", "since"], sites.iter().map(row));
    Ok(())
}

/// Any role if none is given.
fn has_role(site: &SiteAnnotation, role: Option<SiteRole>) -> bool {
    role.is_none_or(|role| site.role == role)
}

fn as_value(site: &SiteAnnotation) -> serde_json::Value {
    json!({
        "domain": site.domain,
        "role": site.role.name(),
        "class": site.class.map(SiteClass::name),
        "namedAt": site.annotated_at,
    })
}

async fn remove_role(
    context: &AppContext,
    project_args: &ProjectArgs,
    domain: &str,
    role: Option<SiteRole>,
) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let host = parse_host(domain)?;
    let name = registrable_domain(&host).unwrap_or(&host);
    let core = context.core();
    let sites = core.site_annotations(account, project).await?;
    let is_listed = { sites.iter() }.any(|it| it.domain == name && has_role(it, role));
    if !is_listed || !core.remove_site_role(account, project, &host).await? {
        let kind = match role {
            Some(_) => "a competitor",
            None => "a domain with a role",
        };
        return Err(UsageError(format!(
            "{domain} is not {kind} in project {1}: `sightline domains list --email {0} --project {1}` lists the domains",
            project_args.email, project_args.project
        ))
        .into());
    }
    eprint_line(format!(
        "Removed {domain}; the next rank check no longer uses it."
    ));
    Ok(())
}
