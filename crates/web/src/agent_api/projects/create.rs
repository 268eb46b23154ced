//! POST /projects.

use super::{MetaFields, ProjectView};
use crate::{
    agent_api::keywords::AddedKeywordsView,
    answer::Answer,
    endpoint::Call,
    entity_tag::EntityTag,
    fields::{Fields, read_body},
    links::{Link, Operation},
    problem::{Code, Problem},
    services::Services,
};
use analysis::url_rules::{DomainName, DomainRefusal, ParsedDomain, Removed, has_domain_form};
use domain::{
    domain_name::SiteDomain,
    keyword::{KeywordText, NewKeywords},
    market::Market,
    project::{NewProject, PurgeTerm},
    report_settings::EffectiveReportSettings,
    text::Label,
    use_cases::projects::create::CreatedProject,
};
use serde_json::{Value, json};
use std::sync::Arc;

pub const FIELDS: [&str; 12] = [
    "domain",
    "name",
    "keywords",
    "clientName",
    "category",
    "tags",
    "favorite",
    "priority",
    "workflowStatus",
    "assignedToName",
    "reportRecipients",
    "reportSettings",
];

/// In characters.
pub const MOST_DOMAIN: usize = 2_048;

struct CreateBody {
    domain: TypedDomain,
    name: Option<Label>,
    keywords: Vec<KeywordText>,
    meta: domain::project::ProjectMeta,
}

pub async fn create(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    call.query.finish()?;
    let body = read_body(&call.body, read)?;
    let typed = body.domain;
    let domain = typed
        .parsed
        .map_err(|refusal| not_monitorable(&typed.text, refusal))?;
    let warnings = warnings(&domain);
    let site = SiteDomain::accepted(domain.ascii, domain.unicode);
    let new = NewProject {
        domain: site,
        name: body.name,
        meta: body.meta,
    };
    let keywords = NewKeywords {
        texts: body.keywords,
        ai_tracked: None,
        market: Market::default(),
        tags: vec![],
    };
    let defaults = &call.tenant().report_defaults;
    let stored = |created: &CreatedProject| answer(created, defaults, &warnings).stored();
    let created = services
        .core
        .create_project(call.account(), &new, &keywords, call.receipt(&stored))
        .await?;
    Ok(answer(&created, defaults, &warnings).kept())
}

fn answer(
    created: &CreatedProject,
    defaults: &EffectiveReportSettings,
    warnings: &[Value],
) -> Answer {
    // It is active, so that no term runs.
    let view = ProjectView::of(&created.project, defaults, PurgeTerm(None));
    let mut answer = serde_json::to_value(&view).unwrap_or(Value::Null);
    let keywords = created.keywords.as_ref();
    if let Some(members) = answer.as_object_mut() {
        members.insert(
            "keywords".into(),
            json!(keywords.map(|it| AddedKeywordsView::of(created.project.id, it))),
        );
        members.insert("warnings".into(), warnings.into());
    }
    Answer::with_status(201, &answer)
        .tagged(EntityTag::of(&view))
        .at(Link::of(Operation::GetProject, created.project.id.0))
}

fn read(fields: &Fields) -> Option<CreateBody> {
    fields.only(&FIELDS);
    let domain = fields.required("domain", fields.text("domain", typed_domain));
    let name = fields.or_left_out("name", fields.text("name", Label::parse));
    let keywords = fields.or_left_out(
        "keywords",
        fields.texts("keywords", NewKeywords::MOST, KeywordText::parse),
    );
    let meta = MetaFields::read(fields).into_meta(fields);
    Some(CreateBody {
        domain: domain?,
        name,
        keywords: keywords.unwrap_or_default(),
        meta,
    })
}

struct TypedDomain {
    text: String,
    parsed: Result<ParsedDomain, DomainRefusal>,
}

/// Refuses what the schema's pattern refuses; anything else is told later, as a conflict.
fn typed_domain(text: &str) -> Result<TypedDomain, String> {
    let parsed = DomainName::parse(text);
    match &parsed {
        _ if text.chars().count() > MOST_DOMAIN => {
            Err(format!("has at most {MOST_DOMAIN} characters"))
        }
        Err(refusal) if !has_domain_form(text) => Err(format!(
            "must be the public host name of the site, for example example.com: {refusal}"
        )),
        _ => Ok(TypedDomain {
            text: text.to_owned(),
            parsed,
        }),
    }
}

fn not_monitorable(given: &str, refusal: DomainRefusal) -> Problem {
    let problem = Problem::new(
        Code::DomainNotMonitorable,
        format!(
            "`{}` cannot be monitored: {refusal}.",
            crate::shortened(&without_password(given), 100)
        ),
    );
    problem
        .with("reason", refusal.code())
        .hint("Give the public host name of the site, for example example.com.")
}

/// Leaves out the user and password that an address may hold.
fn without_password(given: &str) -> String {
    match (given.split_once("://"), given.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        (None, Some((_, host))) => host.to_owned(),
        (_, None) => given.to_owned(),
    }
}

fn warnings(domain: &ParsedDomain) -> Vec<Value> {
    let mut warnings: Vec<Value> = domain
        .removed
        .iter()
        .map(|removed| {
            warning(
                "domainShortened",
                &format!(
                    "The {} was removed; the project monitors {}.",
                    removed_name(*removed),
                    domain.ascii
                ),
            )
        })
        .collect();
    if !domain.has_known_suffix {
        warnings.push(warning(
            "unknownPublicSuffix",
            "The domain ends with a suffix that the Public Suffix List does not know.",
        ));
    }
    warnings
}

fn warning(code: &str, message: &str) -> Value {
    json!({ "code": code, "message": message })
}

fn removed_name(removed: Removed) -> &'static str {
    match removed {
        Removed::Scheme => "scheme",
        Removed::Path => "path",
        Removed::Port => "port",
        Removed::TrailingDot => "trailing dot",
    }
}
