//! Web pages: HTML rendered on the server, and assets. Pages are read-only; changes go to the JSON API under `/api`.

mod accounts;
mod analyses;
mod assets;
mod assignments;
mod audit_log;
pub mod charts;
pub mod clients;
mod components;
mod content_plans;
mod docs;
mod events;
mod forms;
mod gap_check;
mod home;
mod jobs;
mod keywords;
mod layout;
mod mail;
mod markets;
mod measures;
mod members;
mod operator;
mod overview;
mod page_context;
mod page_header;
mod project_settings;
mod research;
mod respond;
pub mod results;
mod script_modules;
mod settings;
mod since_sign_in;
mod standalone_pages;

use crate::checks::{admit, origin_check, transport};
use crate::contract::parameters::Query;
use crate::endpoint::Visitor;
use crate::limits::{RequestClass, Slot};
use crate::problem::Problem;
use crate::services::Services;
use crate::{parse_id, refusals, refused_authorizations, request_metrics, session_auth};
use actix_web::{HttpRequest, HttpResponse, http::Method};
use analysis::result_type::ResultType;
use domain::link::LinkKind;
use domain::mail::StopLink;
use domain::rights::Right;
use domain::{ids::ProjectId, ports::storage::StorageError, use_cases::sessions::Member};
use futures_util::future::LocalBoxFuture;
use page_context::{PageContext, percent_encode};
use page_header::PageContent;
use std::sync::Arc;

const HOME: &str = "/";
const SIGN_IN: &str = "/sign-in";
const WELCOME: &str = "/welcome";
const INVITATION: &str = LinkKind::Invitation.path();
/// Route label of unknown paths in metrics and logs.
const UNKNOWN_ROUTE: &str = "none";
/// Paths of one project begin so.
const PROJECT: &str = "/projects/{id}";

struct PageSpec {
    /// With placeholders, such as `{id}`.
    path: &'static str,
    /// Whether the last placeholder's value is valid.
    knows: fn(&str) -> bool,
    access: Access,
    entry: Option<NavItem>,
    /// Path of the navigation entry that is current on this page.
    marks: &'static str,
}

enum Access {
    /// Takes the server's base URL.
    Public(fn(&str) -> PageContent),
    /// Only without a session.
    SignedOut,
    /// With or without a session.
    Always(fn(Option<&Member>) -> String),
    Members(Right, RenderFn),
    /// A person with the operator's mark who gave the password recently.
    Operators(RenderFn),
}

type RenderFn = for<'v> fn(
    &'v PageContext<'_>,
    PathParams<'v>,
) -> LocalBoxFuture<'v, Result<PageContent, PageError>>;

#[derive(Clone, Copy)]
struct NavItem {
    group: Group,
    label: &'static str,
    icon: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Main,
    /// At the top of a project's entries.
    Project,
    Plan,
    ProjectSettings,
}

macro_rules! members {
    ($right:ident, |$visit:ident, $at:ident| $page:expr) => {
        Access::Members(Right::$right, |$visit, $at| {
            Box::pin(async move { $page.await })
        })
    };
}

macro_rules! pages {
    ($($path:expr => $access:expr
        $(, knows $knows:expr)? $(, marks $marks:expr)? $(, in $group:ident $label:literal $icon:literal)?;
    )+) => {
        [$(PageSpec {
            path: $path,
            knows: { let known: &[fn(&str) -> bool] = &[$($knows,)? |_| true]; known[0] },
            access: $access,
            entry: [$(Some(NavItem { group: Group::$group, label: $label, icon: $icon }),)? None][0],
            marks: [$($marks,)? $path][0],
        },)+]
    };
}

/// All pages, in the order of the navigation. Result pages are in [`results::RESULT_PAGES`].
static PAGES: &[PageSpec] = &pages! {
    SIGN_IN => Access::SignedOut;
    WELCOME => Access::SignedOut;
    INVITATION => Access::Always(standalone_pages::invitation);
    "/forgot-password" => Access::Always(standalone_pages::forgot_password);
    LinkKind::PasswordReset.path() => Access::Always(standalone_pages::password_reset);
    LinkKind::AddressConfirmation.path() => Access::Always(standalone_pages::confirm_address);
    LinkKind::AddressCancellation.path() => Access::Always(standalone_pages::cancel_address);
    LinkKind::NotMe.path() => Access::Always(standalone_pages::not_me);
    StopLink::PAGE => Access::Always(standalone_pages::unsubscribe);
    HOME => members!(ResultsRead, |visit, _at| home::page(visit)), in Main "Projects" "projects";
    "/events" => members!(ResultsRead, |visit, _at| events::of_account(visit)), in Main "Events" "clock";
    "/keyword-research" => members!(ResearchUse, |visit, _at| research::page(visit)), in Main "Keyword research" "research";
    "/analyses" => members!(DetailsRead, |visit, _at| analyses::page(visit)), in Main "Analyses" "queue";
    "/docs" => Access::Public(docs::page), in Main "API reference" "docs";
    "/accounts" => members!(OwnLogin, |visit, _at| accounts::page(visit));
    "/operator" => Access::Operators(|visit, _at| Box::pin(async move { operator::page(visit).await }));
    "/settings/{part}" => members!(OwnLogin, |visit, at| settings::page(visit, at.parse_last(settings::SettingsTab::from_path)?)),
        knows |it| settings::SettingsTab::from_path(it).is_some(), marks "/settings/account", in Main "Settings" "settings";
    "/projects/{id}" => members!(ResultsRead, |visit, at| overview::page(visit, at.project_id()?)), in Project "Overview" "overview";
    "/projects/{id}/keywords" => members!(ResultsRead, |visit, at| keywords::page(visit, at.project_id()?)),
        in Project "Keywords" "keywords";
    "/projects/{id}/events" => members!(ResultsRead, |visit, at| events::of_project(visit, at.project_id()?)),
        in Project "Events" "clock";
    "/projects/{id}/results/{type}" =>
        members!(ResultsRead, |visit, at| results::page(visit, at.project_id()?, at.parse_last(ResultType::named)?)),
        knows |it| ResultType::named(it).is_some();
    "/projects/{id}/gap-check" => members!(DetailsRead, |visit, at| gap_check::page(visit, at.project_id()?)),
        in Plan "Gap check" "gap";
    "/projects/{id}/content-plans" => members!(DetailsRead, |visit, at| content_plans::list(visit, at.project_id()?)),
        in Plan "Content plans" "plan";
    "/projects/{id}/content-plans/{plan}" =>
        members!(DetailsRead, |visit, at| content_plans::plan_page(visit, at.project_id()?, at.parse_last(parse_id)?)),
        marks "/projects/{id}/content-plans";
    "/projects/{id}/assignments" => members!(DetailsRead, |visit, at| assignments::page(visit, at.project_id()?)),
        in Plan "Assignments" "person";
    "/projects/{id}/settings" => members!(ProjectsWrite, |visit, at| project_settings::page(visit, at.project_id()?)),
        in ProjectSettings "Project settings" "settings";
};

/// The pages for members with the right that each needs, for documents and the access test.
pub fn rights() -> Vec<(String, Right)> {
    let mut all = Vec::new();
    for spec in PAGES {
        let Some(right) = spec.right() else {
            continue;
        };
        match spec.path.rsplit_once('/') {
            Some((before, "{part}")) => all.extend(settings::rights(before)),
            Some((before, "{type}")) => {
                let types = ResultType::ALL.into_iter();
                all.extend(types.map(|it| (format!("{before}/{it}"), Right::to_read(it))));
            }
            _ => all.push((spec.path.to_owned(), right)),
        }
    }
    all
}

impl PageSpec {
    /// `None` if no session is needed.
    const fn right(&self) -> Option<Right> {
        match self.access {
            Access::Members(right, _) => Some(right),
            Access::Public(_) | Access::SignedOut | Access::Always(_) | Access::Operators(_) => {
                None
            }
        }
    }

    fn match_path<'p>(&self, path: &'p str) -> Option<PathParams<'p>> {
        let (names, parts) = (self.path.split('/'), path.split('/'));
        if names.clone().count() != parts.clone().count() {
            return None;
        }
        let mut values = Vec::new();
        for (name, part) in names.zip(parts) {
            if name.starts_with('{') {
                values.push(part);
            } else if name != part {
                return None;
            }
        }
        Some(PathParams(values))
    }
}

/// Values of a path's placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PathParams<'p>(Vec<&'p str>);

impl PathParams<'_> {
    fn project_id(&self) -> Result<ProjectId, PageError> {
        let id = self.0.first().and_then(|it| parse_id(it));
        id.map(ProjectId).ok_or(PageError::NotFound)
    }

    fn filled(&self, template: &str) -> String {
        let names = template.split('/').filter(|it| it.starts_with('{'));
        let values = names.zip(&self.0);
        values.fold(template.to_owned(), |path, (name, value)| {
            path.replace(name, value)
        })
    }

    /// Parses the last one.
    fn parse_last<T>(&self, named: fn(&str) -> Option<T>) -> Result<T, PageError> {
        let found = self.0.last().and_then(|it| named(it));
        found.ok_or(PageError::NotFound)
    }
}

enum RouteMatch<'p> {
    Asset,
    Page(&'static PageSpec, PathParams<'p>),
    NotFound,
}

impl<'p> RouteMatch<'p> {
    /// `None` if the path does not belong to pages.
    fn from_path(path: &'p str) -> Option<Self> {
        let first = path.strip_prefix('/')?.split('/').next()?;
        if first == "assets" {
            return Some(Self::Asset);
        }
        let found = PAGES.iter().find_map(|it| Some((it, it.match_path(path)?)));
        let Some((spec, values)) = found else {
            return (first == "projects" || path == "/settings").then_some(Self::NotFound);
        };
        let is_known = values.0.last().is_none_or(|it| (spec.knows)(it));
        Some(if is_known {
            Self::Page(spec, values)
        } else {
            Self::NotFound
        })
    }

    const fn template(&self) -> &'static str {
        match self {
            Self::Asset => "/assets/…",
            Self::Page(spec, _) => spec.path,
            Self::NotFound => UNKNOWN_ROUTE,
        }
    }
}

#[derive(Debug)]
pub enum PageError {
    /// Or belongs to another account, or is not granted to the member.
    NotFound,
    RoleInsufficient(Right),
    Storage(StorageError),
}

impl From<StorageError> for PageError {
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

    /// `None` if another handler must respond.
    pub async fn serve(&self, request: &HttpRequest) -> Option<HttpResponse> {
        let reads_html = respond::accepts_html(request);
        let place = match RouteMatch::from_path(request.path()) {
            // The root is JSON for programs, and the projects page for browsers.
            Some(place) if place.template() == HOME && !reads_html => return None,
            Some(place) => place,
            None if reads_html && is_page_request(request) => RouteMatch::NotFound,
            None => return None,
        };
        let (began, route) = (std::time::Instant::now(), place.template());
        let response = self.answer(request, place).await;
        let (took, status) = (began.elapsed(), response.status().as_u16());
        request_metrics::record_response(request.method(), route, status, took);
        tracing::info!(
            method = request.method().as_str(),
            route,
            status,
            milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "A page was answered."
        );
        Some(response)
    }

    async fn answer(&self, request: &HttpRequest, place: RouteMatch<'_>) -> HttpResponse {
        let secure = self.services.config.public_base_url.starts_with("https://");
        let responder = respond::PageResponder::for_request(request, secure);
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return responder.method_not_allowed();
        }
        if matches!(place, RouteMatch::Asset) {
            return responder.asset(assets::find(request.path()));
        }
        if let Err(problem) = transport::check(request) {
            return responder.problem_response(&problem);
        }
        let base_url = &self.services.config.public_base_url;
        if let Err(problem) = origin_check::check_own_host(request, base_url) {
            return responder.problem_response(&problem);
        }
        let timeout = self.services.config.handler_timeout;
        let page = self.page(request, place, &responder);
        match tokio::time::timeout(timeout, page).await {
            Ok(response) => response,
            Err(_) => responder.busy(),
        }
    }

    /// Authenticates and applies rate limits: pages and the API count together.
    async fn admit_request(
        &self,
        request: &HttpRequest,
    ) -> Result<(Option<Member>, Slot), Problem> {
        let services = &self.services;
        let visitor = Visitor::of(services, request);
        let found = match visitor.session {
            Some(secret) => {
                let _lookup = admit::lookup(services, visitor.address)?;
                session_auth::find_member(services, &secret).await?
            }
            None => None,
        };
        let Some(member) = found else {
            return Ok((None, admit::unknown(services, visitor.address)?));
        };
        let holder = (member.account.id, member.session.id.into());
        let counted = services.limiter.count(holder, RequestClass::Read);
        counted.map_err(|it| refusals::too_many(&it, "pages and the API are counted together"))?;
        let slot = admit::accepted(services, holder)?;
        Ok((Some(member), slot))
    }

    async fn page(
        &self,
        request: &HttpRequest,
        place: RouteMatch<'_>,
        responder: &respond::PageResponder,
    ) -> HttpResponse {
        let (member, _slot) = match self.admit_request(request).await {
            Ok(admitted) => admitted,
            Err(problem) => return responder.problem_response(&problem),
        };
        if let RouteMatch::Page(spec, _) = &place
            && let Access::Public(write) = spec.access
        {
            let page = write(&self.services.config.public_base_url);
            return responder.html(200, &layout::html(&page, member.as_ref(), spec.path));
        }
        if let RouteMatch::Page(spec, _) = &place
            && let Access::Always(write) = spec.access
        {
            return responder.html(200, &write(member.as_ref()));
        }
        let Some(member) = member else {
            return match self.services.core.awaits_owner().await {
                Ok(is_open) => signed_out_response(request, place.template(), is_open, responder),
                Err(error) => storage_failure_response(responder, &error),
            };
        };
        let RouteMatch::Page(spec, values) = place else {
            return responder.html(404, &standalone_pages::not_found());
        };
        let (right, write) = match spec.access {
            Access::Members(right, write) => (right, write),
            Access::Operators(write) => match self.services.core.is_operator(&member).await {
                Ok(true) if member.session.is_fresh(self.services.core.clock.now()) => {
                    (Right::OwnLogin, write)
                }
                Ok(true) => {
                    return responder.html(403, &standalone_pages::password_required(spec.path));
                }
                Ok(false) => return responder.html(404, &standalone_pages::not_found()),
                Err(error) => return storage_failure_response(responder, &error),
            },
            _ => return responder.redirect(HOME),
        };
        let visit = PageContext {
            services: &self.services,
            member: &member,
            path: request.path(),
            query_string: request.query_string(),
            now: self.services.core.clock.now(),
        };
        let marked = values.filled(spec.marks);
        let in_project = spec.path.starts_with(PROJECT);
        let rendered = if !member.holds(right) {
            Err(PageError::RoleInsufficient(right))
        } else if in_project && !values.project_id().is_ok_and(|it| member.may_see(it)) {
            Err(PageError::NotFound)
        } else {
            render_page(&visit, write, values).await
        };
        match rendered {
            Ok(page) => responder.html(200, &layout::html(&page, Some(&member), &marked)),
            Err(PageError::NotFound) => responder.html(404, &standalone_pages::not_found()),
            Err(PageError::RoleInsufficient(right)) => {
                refused_authorizations::note_of_member(&self.services, &member, right.name());
                responder.html(403, &standalone_pages::role_insufficient(&member, right))
            }
            Err(PageError::Storage(error)) => storage_failure_response(responder, &error),
        }
    }
}

/// The sign-in page, or the first-run page if there is no account.
fn signed_out_response(
    request: &HttpRequest,
    template: &str,
    is_open: bool,
    responder: &respond::PageResponder,
) -> HttpResponse {
    match (template, is_open) {
        (UNKNOWN_ROUTE, false) => responder.html(404, &standalone_pages::not_found()),
        (WELCOME, true) => responder.html(200, &standalone_pages::welcome()),
        (_, true) => responder.redirect(WELCOME),
        (SIGN_IN, false) => {
            let query = Query::parse(request.query_string(), &["next"]);
            let next = query.text("next").filter(|it| is_safe_redirect(it));
            responder.html(200, &standalone_pages::sign_in(next.unwrap_or(HOME)))
        }
        (HOME | WELCOME, false) => responder.redirect(SIGN_IN),
        (_, false) => {
            let wanted = request.uri().path_and_query();
            let wanted = wanted.map_or("/", |it| it.as_str());
            responder.redirect(&format!("{SIGN_IN}?next={}", percent_encode(wanted)))
        }
    }
}

/// Prevents open redirects: only pages for signed-in users are allowed.
fn is_safe_redirect(address: &str) -> bool {
    let path = address.split('?').next().unwrap_or_default();
    let is_plain = address
        .bytes()
        .all(|it| it.is_ascii_graphic() && !b"\\{}#".contains(&it));
    let is_of_members = |it: RouteMatch<'_>| matches!(it, RouteMatch::Page(spec, _) if matches!(spec.access, Access::Members(..) | Access::Operators(_)));
    is_plain && RouteMatch::from_path(path).is_some_and(is_of_members)
}

/// Whether a person may have mistyped a page's address; paths for programs are excluded.
fn is_page_request(request: &HttpRequest) -> bool {
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

async fn render_page(
    visit: &PageContext<'_>,
    write: RenderFn,
    values: PathParams<'_>,
) -> Result<PageContent, PageError> {
    let mut page = write(visit, values).await?;
    if let Some(notice) = since_sign_in::notice(visit).await? {
        page.parts.insert(0, notice);
    }
    Ok(page)
}

fn storage_failure_response(
    responder: &respond::PageResponder,
    error: &StorageError,
) -> HttpResponse {
    tracing::error!("A page could not be read: {error}");
    responder.html(503, &standalone_pages::unavailable())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str) -> Option<(&'static str, Vec<&str>)> {
        RouteMatch::from_path(path).map(|it| match it {
            RouteMatch::Page(spec, PathParams(values)) => (spec.path, values),
            other => (other.template(), vec![]),
        })
    }

    #[test]
    fn page_paths_are_matched_and_others_are_not() {
        assert_eq!(at("/"), Some(("/", vec![])));
        assert_eq!(at("/projects/7"), Some(("/projects/{id}", vec!["7"])));
        assert_eq!(
            at("/projects/7/results/ai-trends"),
            Some(("/projects/{id}/results/{type}", vec!["7", "ai-trends"]))
        );
        assert_eq!(at("/projects/07"), Some(("/projects/{id}", vec!["07"])));
        assert!(
            PathParams(vec!["07"]).project_id().is_err()
                && PathParams(vec!["7"]).project_id().is_ok()
        );
        assert_eq!(
            at("/projects/7/content-plans/3"),
            Some(("/projects/{id}/content-plans/{plan}", vec!["7", "3"]))
        );
        assert_eq!(
            at("/projects/7/gap-check"),
            Some(("/projects/{id}/gap-check", vec!["7"]))
        );
        for nothing in [
            "/projects",
            "/projects/7/results",
            "/projects/7/results/x",
            "/settings",
            "/settings/x",
        ] {
            assert_eq!(at(nothing), Some(("none", vec![])), "{nothing}");
        }
        for other in [
            "/api/session",
            "/api/agent/v1/docs",
            "/healthz",
            "/.well-known/x",
            "/x",
        ] {
            assert_eq!(at(other), None, "{other}");
        }
    }
}
