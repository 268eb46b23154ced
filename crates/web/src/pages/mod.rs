//! What people see: HTML that is written on the server, and the few files that it needs. Pages read; what is changed
//! goes to the JSON API under `/api`.

mod analyses;
mod assets;
pub mod charts;
pub mod clients;
mod content_plans;
mod docs;
mod forms;
mod frame;
mod gap_check;
mod home;
mod keywords;
mod markets;
mod modules;
mod outside;
mod overview;
mod parts;
mod project_settings;
mod research;
mod respond;
pub mod results;
mod settings;
mod since_sign_in;
mod visit;

use crate::{
    counted,
    endpoint::Visitor,
    limits::{Demand, Slot},
    mcp,
    pipeline::{admit, transport},
    plain_id,
    problem::Problem,
    query::Query,
    services::Services,
    signed_in,
};
use actix_web::{HttpRequest, HttpResponse, http::Method};
use analysis::result_type::ResultType;
use domain::{ids::ProjectId, ports::storage::StorageError, use_cases::sessions::Member};
use frame::Page;
use std::sync::Arc;
use visit::{Visit, encoded};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Asset,
    SignIn,
    Welcome,
    Docs,
    Home,
    Research,
    Analyses,
    Settings(settings::Part),
    Project(Option<ProjectId>),
    Keywords(Option<ProjectId>),
    Results(Option<ProjectId>, ResultType),
    ProjectSettings(Option<ProjectId>),
    GapCheck(Option<ProjectId>),
    ContentPlans(Option<ProjectId>),
    ContentPlan(Option<ProjectId>, Option<i64>),
    Nothing,
}

impl Place {
    /// `None` when the path is not for pages to answer.
    fn of(path: &str) -> Option<Self> {
        let mut parts = path.strip_prefix('/')?.split('/');
        let first = parts.next()?;
        let rest: Vec<&str> = parts.collect();
        Some(match (first, rest.as_slice()) {
            ("assets", _) => Self::Asset,
            ("", []) => Self::Home,
            ("sign-in", []) => Self::SignIn,
            ("welcome", []) => Self::Welcome,
            ("docs", []) => Self::Docs,
            ("keyword-research", []) => Self::Research,
            ("analyses", []) => Self::Analyses,
            ("settings", [part]) => {
                settings::Part::named(part).map_or(Self::Nothing, Self::Settings)
            }
            ("projects", [id, rest @ ..]) => {
                let id = plain_id(id).map(ProjectId);
                match rest {
                    [] => Self::Project(id),
                    ["keywords"] => Self::Keywords(id),
                    ["settings"] => Self::ProjectSettings(id),
                    ["gap-check"] => Self::GapCheck(id),
                    ["content-plans"] => Self::ContentPlans(id),
                    ["content-plans", plan] => Self::ContentPlan(id, plain_id(plan)),
                    ["results", name] => {
                        ResultType::named(name).map_or(Self::Nothing, |it| Self::Results(id, it))
                    }
                    _ => Self::Nothing,
                }
            }
            ("settings" | "projects", []) => Self::Nothing,
            _ => return None,
        })
    }

    const fn template(self) -> &'static str {
        match self {
            Self::Asset => "/assets/…",
            Self::SignIn => "/sign-in",
            Self::Welcome => "/welcome",
            Self::Docs => "/docs",
            Self::Home => "/",
            Self::Research => "/keyword-research",
            Self::Analyses => "/analyses",
            Self::Settings(_) => "/settings/{part}",
            Self::Project(_) => "/projects/{id}",
            Self::Keywords(_) => "/projects/{id}/keywords",
            Self::Results(..) => "/projects/{id}/results/{type}",
            Self::ProjectSettings(_) => "/projects/{id}/settings",
            Self::GapCheck(_) => "/projects/{id}/gap-check",
            Self::ContentPlans(_) => "/projects/{id}/content-plans",
            Self::ContentPlan(..) => "/projects/{id}/content-plans/{plan}",
            Self::Nothing => "none",
        }
    }
}

#[derive(Debug)]
pub enum NoPage {
    /// Also for what whoever looks may not see.
    NotFound,
    Storage(StorageError),
}

impl From<StorageError> for NoPage {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

pub struct Pages {
    services: Arc<Services>,
}

impl Pages {
    pub fn new(services: Arc<Services>) -> Self {
        Self { services }
    }

    /// `None` when the request is for somebody else.
    pub async fn serve(&self, request: &HttpRequest) -> Option<HttpResponse> {
        let reads_html = respond::reads_html(request);
        let place = match Place::of(request.path()) {
            // At the root stands JSON for machines, and the projects for whoever reads HTML.
            Some(Place::Home) if !reads_html => return None,
            Some(place) => place,
            None if reads_html && is_for_people(request) => Place::Nothing,
            None => return None,
        };
        let began = std::time::Instant::now();
        let response = self.answer(request, place).await;
        let (took, status) = (began.elapsed(), response.status().as_u16());
        counted::answered(request.method(), place.template(), status, took);
        tracing::info!(
            method = request.method().as_str(),
            route = place.template(),
            status,
            milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "A page was answered."
        );
        Some(response)
    }

    async fn answer(&self, request: &HttpRequest, place: Place) -> HttpResponse {
        let secure = self.services.config.public_base_url.starts_with("https://");
        let sending = respond::Sending::of(request, secure);
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return sending.not_allowed();
        }
        if place == Place::Asset {
            return sending.asset(assets::find(request.path()));
        }
        if let Err(problem) = transport::check(request) {
            return sending.refused(&problem);
        }
        let base_url = &self.services.config.public_base_url;
        if let Err(problem) = mcp::check_own_host(request, base_url) {
            return sending.refused(&problem);
        }
        let patience = self.services.config.handler_patience;
        let page = self.page(request, place, &sending);
        match tokio::time::timeout(patience, page).await {
            Ok(response) => response,
            Err(_) => sending.busy(),
        }
    }

    /// Whoever looks, when they have requests left: pages count like the API's.
    async fn admitted(&self, request: &HttpRequest) -> Result<(Option<Member>, Slot), Problem> {
        let services = &self.services;
        let visitor = Visitor::of(services, request);
        let found = match visitor.session {
            Some(secret) => {
                let _lookup = admit::lookup(services, visitor.address)?;
                signed_in::member(services, &secret).await?
            }
            None => None,
        };
        let Some(member) = found else {
            return Ok((None, admit::unknown(services, visitor.address)?));
        };
        let holder = (member.account.id, member.session.id.into());
        let counted = services.limiter.count(holder, Demand::Read);
        counted.map_err(|it| admit::too_many(&it, "pages and the API are counted together"))?;
        let slot = admit::accepted(services, holder)?;
        Ok((Some(member), slot))
    }

    async fn page(
        &self,
        request: &HttpRequest,
        place: Place,
        sending: &respond::Sending,
    ) -> HttpResponse {
        let (who, _slot) = match self.admitted(request).await {
            Ok(admitted) => admitted,
            Err(problem) => return sending.refused(&problem),
        };
        if place == Place::Docs {
            let page = docs::page(&self.services.config.public_base_url);
            return sending.html(200, &page.html(who.as_ref()));
        }
        let Some(who) = who else {
            return match self.services.core.awaits_owner().await {
                Ok(is_open) => at_the_gate(request, place, is_open, sending),
                Err(error) => broken(sending, &error),
            };
        };
        if matches!(place, Place::SignIn | Place::Welcome) {
            return sending.redirect("/");
        }
        let visit = Visit {
            services: &self.services,
            who: &who,
            path: request.path(),
            query_text: request.query_string(),
            now: self.services.core.clock.now(),
        };
        match written(&visit, place).await {
            Ok(page) => sending.html(200, &page.html(Some(&who))),
            Err(NoPage::NotFound) => sending.html(404, &outside::nothing()),
            Err(NoPage::Storage(error)) => broken(sending, &error),
        }
    }
}

/// Where one signs in, or on a server without an account the first run.
fn at_the_gate(
    request: &HttpRequest,
    place: Place,
    is_open: bool,
    sending: &respond::Sending,
) -> HttpResponse {
    match (place, is_open) {
        (Place::Nothing, false) => sending.html(404, &outside::nothing()),
        (Place::Welcome, true) => sending.html(200, &outside::welcome()),
        (_, true) => sending.redirect("/welcome"),
        (Place::SignIn, false) => {
            let asked = Query::parse(request.query_string(), &["next"]);
            let next = asked.text("next").filter(|it| is_one_of_ours(it));
            sending.html(200, &outside::sign_in(next.unwrap_or("/")))
        }
        (Place::Home | Place::Welcome, false) => sending.redirect("/sign-in"),
        (_, false) => {
            let wanted = request.uri().path_and_query();
            let wanted = wanted.map_or("/", |it| it.as_str());
            sending.redirect(&format!("/sign-in?next={}", encoded(wanted)))
        }
    }
}

/// Whether it leads to a page of somebody who is signed in: nobody is sent elsewhere by an address made for them.
fn is_one_of_ours(address: &str) -> bool {
    let path = address.split('?').next().unwrap_or_default();
    let is_plain = address
        .bytes()
        .all(|it| it.is_ascii_graphic() && !b"\\{}#".contains(&it));
    let open = [
        Place::Asset,
        Place::SignIn,
        Place::Welcome,
        Place::Docs,
        Place::Nothing,
    ];
    is_plain && Place::of(path).is_some_and(|it| !open.contains(&it))
}

/// Whether somebody may have mistaken the address of a page, and not that of something for programs.
fn is_for_people(request: &HttpRequest) -> bool {
    const FOR_PROGRAMS: [&str; 7] = [
        "api",
        "problems",
        ".well-known",
        "healthz",
        "livez",
        "readyz",
        "metrics",
    ];
    let first = request.path().trim_start_matches('/').split('/').next();
    let is_look = matches!(*request.method(), Method::GET | Method::HEAD);
    is_look && first.is_none_or(|it| !FOR_PROGRAMS.contains(&it))
}

async fn written(visit: &Visit<'_>, place: Place) -> Result<Page, NoPage> {
    let mut page = read(visit, place).await?;
    if let Some(notice) = since_sign_in::notice(visit).await? {
        page.parts.insert(0, notice);
    }
    Ok(page)
}

async fn read(visit: &Visit<'_>, place: Place) -> Result<Page, NoPage> {
    match place {
        Place::Home => home::page(visit).await,
        Place::Research => research::page(visit).await,
        Place::Analyses => analyses::page(visit).await,
        Place::Settings(part) => settings::page(visit, part).await,
        Place::Project(Some(id)) => overview::page(visit, id).await,
        Place::Keywords(Some(id)) => keywords::page(visit, id).await,
        Place::Results(Some(id), of) => results::page(visit, id, of).await,
        Place::ProjectSettings(Some(id)) => project_settings::page(visit, id).await,
        Place::GapCheck(Some(id)) => gap_check::page(visit, id).await,
        Place::ContentPlans(Some(id)) => content_plans::list(visit, id).await,
        Place::ContentPlan(Some(id), Some(plan)) => content_plans::one(visit, id, plan).await,
        _ => Err(NoPage::NotFound),
    }
}

fn broken(sending: &respond::Sending, error: &StorageError) -> HttpResponse {
    tracing::error!("A page could not be read: {error}");
    sending.html(503, &outside::broken())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_pages_are_known_and_others_are_left_alone() {
        assert_eq!(Place::of("/"), Some(Place::Home));
        assert_eq!(
            Place::of("/projects/7"),
            Some(Place::Project(Some(ProjectId(7))))
        );
        assert_eq!(
            Place::of("/projects/7/results/ai-trends"),
            Some(Place::Results(Some(ProjectId(7)), ResultType::AiTrends))
        );
        assert_eq!(Place::of("/projects/07"), Some(Place::Project(None)));
        assert_eq!(
            Place::of("/projects/7/content-plans/3"),
            Some(Place::ContentPlan(Some(ProjectId(7)), Some(3)))
        );
        assert_eq!(
            Place::of("/projects/7/gap-check"),
            Some(Place::GapCheck(Some(ProjectId(7))))
        );
        for nothing in [
            "/projects",
            "/projects/7/results",
            "/projects/7/results/x",
            "/settings",
            "/settings/x",
        ] {
            assert_eq!(Place::of(nothing), Some(Place::Nothing), "{nothing}");
        }
        for other in [
            "/api/session",
            "/api/agent/v1/docs",
            "/healthz",
            "/.well-known/x",
            "/x",
        ] {
            assert_eq!(Place::of(other), None, "{other}");
        }
    }
}
