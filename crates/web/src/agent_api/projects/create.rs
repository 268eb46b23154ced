//! POST /projects.

use super::{ProjectView, members::ProjectMembers};
use crate::agent_api::keywords::AddedKeywordsView;
use crate::contract::fields::read_body;
use crate::contract::{List, body, parsed};
use crate::endpoint::Call;
use crate::http::entity_tag::EntityTag;
use crate::links::{Link, Operation};
use crate::problem::{Code, Problem};
use crate::response::ApiResponse;
use crate::services::Services;
use analysis::url_rules::{
    DOMAIN_PATTERN, DomainName, DomainRefusal, ParsedDomain, Removed, has_domain_form,
};
use domain::domain_name::SiteDomain;
use domain::keyword::{KeywordText, NewKeywords};
use domain::market::Market;
use domain::project::{NewProject, ProjectMeta, PurgeTerm};
use domain::report_settings::EffectiveReportSettings;
use domain::text::Label;
use domain::use_cases::projects::create::CreatedProject;
use serde_json::{Value, json};
use std::sync::Arc;

/// In characters.
const MAX_DOMAIN: usize = 2_048;

body! {
    pub(crate) CreateProject with members: ProjectMembers like { "domain": "example.com", "name": "Example", "keywords": ["rust seo tool", "rank tracker"], "tags": ["docs"], "priority": "high" } {
        domain: TypedDomain = required "domain", "The site's host; scheme, port and path are removed and listed in warnings.";
        name: Label = optional "name", "The domain when left out.";
        keywords: List<KeywordText, 0, { NewKeywords::MAX_PER_CALL }> = optional "keywords", "Repeats are folded.";
    }
}

pub async fn create(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let (typed, name, texts, meta) = read_body(&call.body, read)?;
    let domain = typed
        .parsed
        .map_err(|refusal| not_monitorable(&typed.text, refusal))?;
    let warnings = warnings(&domain);
    let site = SiteDomain::accepted(domain.ascii, domain.unicode);
    let new = NewProject {
        domain: site,
        name,
        meta,
    };
    let keywords = NewKeywords {
        texts,
        ai_tracked: None,
        market: Market::default(),
        tags: vec![],
    };
    let defaults = &call.tenant().report_defaults;
    let stored = |created: &CreatedProject| response(created, defaults, &warnings).to_stored();
    let created = services
        .core
        .create_project(
            call.account(),
            &new,
            &keywords,
            call.idempotency_writer(&stored),
        )
        .await?;
    Ok(response(&created, defaults, &warnings).marked_stored())
}

fn response(
    created: &CreatedProject,
    defaults: &EffectiveReportSettings,
    warnings: &[Value],
) -> ApiResponse {
    // An active project has no purge date.
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
    ApiResponse::with_status(201, &answer)
        .with_etag(EntityTag::of(&view))
        .with_location(Link::of(Operation::GetProject, created.project.id.0))
}

type CreateRequest = (TypedDomain, Option<Label>, Vec<KeywordText>, ProjectMeta);

fn read(body: &CreateProject) -> Option<CreateRequest> {
    let (domain, name, keywords) = (body.domain(), body.name(), body.keywords());
    let meta = ProjectMeta::default().patched(body.members().patch());
    Some((domain?, name, keywords.unwrap_or_default(), meta))
}

struct TypedDomain {
    text: String,
    parsed: Result<ParsedDomain, DomainRefusal>,
}

parsed! {
    TypedDomain => Self: typed_domain, json!({ "type": "string", "minLength": 1, "maxLength": MAX_DOMAIN, "pattern": DOMAIN_PATTERN });
}

/// Rejects what the schema's pattern rejects; other refusals become a conflict later.
fn typed_domain(text: &str) -> Result<TypedDomain, String> {
    let parsed = DomainName::parse(text);
    match &parsed {
        _ if text.chars().count() > MAX_DOMAIN => {
            Err(format!("has at most {MAX_DOMAIN} characters"))
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
            crate::shortened(&without_userinfo(given), 100)
        ),
    );
    problem
        .with("reason", refusal.code())
        .hint("Give the public host name of the site, for example example.com.")
}

/// Drops user and password of a URL.
fn without_userinfo(given: &str) -> String {
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
