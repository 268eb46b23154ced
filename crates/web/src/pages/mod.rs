//! Web pages: HTML rendered on the server, and assets. Pages are read-only; changes go to the JSON API under `/api`.

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
mod jobs;
mod keywords;
mod layout;
mod markets;
mod measures;
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

use crate::checks::{admit, place, transport};
use crate::contract::parameters::Query;
use crate::endpoint::Visitor;
use crate::limits::{Demand, Slot};
use crate::problem::Problem;
use crate::services::Services;
use crate::{counted, plain_id, refusals, signed_in};
use actix_web::{HttpRequest, HttpResponse, http::Method};
use analysis::result_type::ResultType;
use domain::{ids::ProjectId, ports::storage::StorageError, use_cases::sessions::Member};
use frame::Page;
use futures_util::future::LocalBoxFuture;
use std::sync::Arc;
use visit::{Visit, encoded};

const HOME: &str = "/";
const SIGN_IN: &str = "/sign-in";
const WELCOME: &str = "/welcome";
/// Route label of unknown paths in metrics and logs.
const NOTHING: &str = "none";

struct PageSpec {
    /// With placeholders, such as `{id}`.
    path: &'static str,
    /// Whether the last placeholder's value is valid.
    knows: fn(&str) -> bool,
    access: Access,
    entry: Option<Entry>,
    /// Path of the navigation entry that is current on this page.
    marks: &'static str,
}

enum Access {
    /// Takes the server's base URL.
    Everybody(fn(&str) -> Page),
    /// Only without a session.
    Visitors,
    Members(Write),
}

type Write = for<'v> fn(&'v Visit<'_>, Values<'v>) -> LocalBoxFuture<'v, Result<Page, NoPage>>;

#[derive(Clone, Copy)]
struct Entry {
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
    (|$visit:ident, $at:ident| $page:expr) => {
        Access::Members(|$visit, $at| Box::pin(async move { $page.await }))
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
            entry: [$(Some(Entry { group: Group::$group, label: $label, icon: $icon }),)? None][0],
            marks: [$($marks,)? $path][0],
        },)+]
    };
}

/// All pages, in the order of the navigation. Result pages are in [`results::RESULT_PAGES`].
static PAGES: &[PageSpec] = &pages! {
    SIGN_IN => Access::Visitors;
    WELCOME => Access::Visitors;
    HOME => members!(|visit, _at| home::page(visit)), in Main "Projects" "projects";
    "/keyword-research" => members!(|visit, _at| research::page(visit)), in Main "Keyword research" "research";
    "/analyses" => members!(|visit, _at| analyses::page(visit)), in Main "Analyses" "queue";
    "/docs" => Access::Everybody(docs::page), in Main "API reference" "docs";
    "/settings/{part}" => members!(|visit, at| settings::page(visit, at.named(settings::Part::named)?)),
        knows |it| settings::Part::named(it).is_some(), marks "/settings/account", in Main "Settings" "settings";
    "/projects/{id}" => members!(|visit, at| overview::page(visit, at.project()?)), in Project "Overview" "overview";
    "/projects/{id}/keywords" => members!(|visit, at| keywords::page(visit, at.project()?)),
        in Project "Keywords" "keywords";
    "/projects/{id}/results/{type}" =>
        members!(|visit, at| results::page(visit, at.project()?, at.named(ResultType::named)?)),
        knows |it| ResultType::named(it).is_some();
    "/projects/{id}/gap-check" => members!(|visit, at| gap_check::page(visit, at.project()?)),
        in Plan "Gap check" "gap";
    "/projects/{id}/content-plans" => members!(|visit, at| content_plans::list(visit, at.project()?)),
        in Plan "Content plans" "plan";
    "/projects/{id}/content-plans/{plan}" =>
        members!(|visit, at| content_plans::one(visit, at.project()?, at.named(plain_id)?)),
        marks "/projects/{id}/content-plans";
    "/projects/{id}/settings" => members!(|visit, at| project_settings::page(visit, at.project()?)),
        in ProjectSettings "Project settings" "settings";
};

impl PageSpec {
    fn values<'p>(&self, path: &'p str) -> Option<Values<'p>> {
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
        Some(Values(values))
    }
}

/// Values of a path's placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Values<'p>(Vec<&'p str>);

impl Values<'_> {
    fn project(&self) -> Result<ProjectId, NoPage> {
        let id = self.0.first().and_then(|it| plain_id(it));
        id.map(ProjectId).ok_or(NoPage::NotFound)
    }

    fn filled(&self, template: &str) -> String {
        let names = template.split('/').filter(|it| it.starts_with('{'));
        let values = names.zip(&self.0);
        values.fold(template.to_owned(), |path, (name, value)| {
            path.replace(name, value)
        })
    }

    /// Parses the last one.
    fn named<T>(&self, named: fn(&str) -> Option<T>) -> Result<T, NoPage> {
        let found = self.0.last().and_then(|it| named(it));
        found.ok_or(NoPage::NotFound)
    }
}

enum Place<'p> {
    Asset,
    Page(&'static PageSpec, Values<'p>),
    Nothing,
}

impl<'p> Place<'p> {
    /// `None` if the path does not belong to pages.
    fn of(path: &'p str) -> Option<Self> {
        let first = path.strip_prefix('/')?.split('/').next()?;
        if first == "assets" {
            return Some(Self::Asset);
        }
        let found = PAGES.iter().find_map(|it| Some((it, it.values(path)?)));
        let Some((spec, values)) = found else {
            return (first == "projects" || path == "/settings").then_some(Self::Nothing);
        };
        let is_known = values.0.last().is_none_or(|it| (spec.knows)(it));
        Some(if is_known {
            Self::Page(spec, values)
        } else {
            Self::Nothing
        })
    }

    const fn template(&self) -> &'static str {
        match self {
            Self::Asset => "/assets/…",
            Self::Page(spec, _) => spec.path,
            Self::Nothing => NOTHING,
        }
    }
}

#[derive(Debug)]
pub enum NoPage {
    /// Or belongs to another account.
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

    /// `None` if another handler must respond.
    pub async fn serve(&self, request: &HttpRequest) -> Option<HttpResponse> {
        let reads_html = respond::reads_html(request);
        let place = match Place::of(request.path()) {
            // The root is JSON for programs, and the projects page for browsers.
            Some(place) if place.template() == HOME && !reads_html => return None,
            Some(place) => place,
            None if reads_html && is_for_people(request) => Place::Nothing,
            None => return None,
        };
        let (began, route) = (std::time::Instant::now(), place.template());
        let response = self.answer(request, place).await;
        let (took, status) = (began.elapsed(), response.status().as_u16());
        counted::answered(request.method(), route, status, took);
        tracing::info!(
            method = request.method().as_str(),
            route,
            status,
            milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "A page was answered."
        );
        Some(response)
    }

    async fn answer(&self, request: &HttpRequest, place: Place<'_>) -> HttpResponse {
        let secure = self.services.config.public_base_url.starts_with("https://");
        let sending = respond::Sending::of(request, secure);
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return sending.not_allowed();
        }
        if matches!(place, Place::Asset) {
            return sending.asset(assets::find(request.path()));
        }
        if let Err(problem) = transport::check(request) {
            return sending.refused(&problem);
        }
        let base_url = &self.services.config.public_base_url;
        if let Err(problem) = place::check_own_host(request, base_url) {
            return sending.refused(&problem);
        }
        let patience = self.services.config.handler_patience;
        let page = self.page(request, place, &sending);
        match tokio::time::timeout(patience, page).await {
            Ok(response) => response,
            Err(_) => sending.busy(),
        }
    }

    /// Authenticates and applies rate limits: pages and the API count together.
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
        counted.map_err(|it| refusals::too_many(&it, "pages and the API are counted together"))?;
        let slot = admit::accepted(services, holder)?;
        Ok((Some(member), slot))
    }

    async fn page(
        &self,
        request: &HttpRequest,
        place: Place<'_>,
        sending: &respond::Sending,
    ) -> HttpResponse {
        let (who, _slot) = match self.admitted(request).await {
            Ok(admitted) => admitted,
            Err(problem) => return sending.refused(&problem),
        };
        if let Place::Page(spec, _) = &place
            && let Access::Everybody(write) = spec.access
        {
            let page = write(&self.services.config.public_base_url);
            return sending.html(200, &layout::html(&page, who.as_ref(), spec.path));
        }
        let Some(who) = who else {
            return match self.services.core.awaits_owner().await {
                Ok(is_open) => at_the_gate(request, place.template(), is_open, sending),
                Err(error) => broken(sending, &error),
            };
        };
        let Place::Page(spec, values) = place else {
            return sending.html(404, &outside::nothing());
        };
        let Access::Members(write) = spec.access else {
            return sending.redirect(HOME);
        };
        let visit = Visit {
            services: &self.services,
            who: &who,
            path: request.path(),
            query_text: request.query_string(),
            now: self.services.core.clock.now(),
        };
        let marked = values.filled(spec.marks);
        match written(&visit, write, values).await {
            Ok(page) => sending.html(200, &layout::html(&page, Some(&who), &marked)),
            Err(NoPage::NotFound) => sending.html(404, &outside::nothing()),
            Err(NoPage::Storage(error)) => broken(sending, &error),
        }
    }
}

/// The sign-in page, or the first-run page if there is no account.
fn at_the_gate(
    request: &HttpRequest,
    template: &str,
    is_open: bool,
    sending: &respond::Sending,
) -> HttpResponse {
    match (template, is_open) {
        (NOTHING, false) => sending.html(404, &outside::nothing()),
        (WELCOME, true) => sending.html(200, &outside::welcome()),
        (_, true) => sending.redirect(WELCOME),
        (SIGN_IN, false) => {
            let asked = Query::parse(request.query_string(), &["next"]);
            let next = asked.text("next").filter(|it| is_one_of_ours(it));
            sending.html(200, &outside::sign_in(next.unwrap_or(HOME)))
        }
        (HOME | WELCOME, false) => sending.redirect(SIGN_IN),
        (_, false) => {
            let wanted = request.uri().path_and_query();
            let wanted = wanted.map_or("/", |it| it.as_str());
            sending.redirect(&format!("{SIGN_IN}?next={}", encoded(wanted)))
        }
    }
}

/// Prevents open redirects: only pages for signed-in users are allowed.
fn is_one_of_ours(address: &str) -> bool {
    let path = address.split('?').next().unwrap_or_default();
    let is_plain = address
        .bytes()
        .all(|it| it.is_ascii_graphic() && !b"\\{}#".contains(&it));
    let is_of_members = |it: Place<'_>| matches!(it, Place::Page(spec, _) if matches!(spec.access, Access::Members(_)));
    is_plain && Place::of(path).is_some_and(is_of_members)
}

/// Whether a person may have mistyped a page's address; paths for programs are excluded.
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

async fn written(visit: &Visit<'_>, write: Write, values: Values<'_>) -> Result<Page, NoPage> {
    let mut page = write(visit, values).await?;
    if let Some(notice) = since_sign_in::notice(visit).await? {
        page.parts.insert(0, notice);
    }
    Ok(page)
}

fn broken(sending: &respond::Sending, error: &StorageError) -> HttpResponse {
    tracing::error!("A page could not be read: {error}");
    sending.html(503, &outside::broken())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str) -> Option<(&'static str, Vec<&str>)> {
        Place::of(path).map(|it| match it {
            Place::Page(spec, Values(values)) => (spec.path, values),
            other => (other.template(), vec![]),
        })
    }

    #[test]
    fn paths_of_pages_are_known_and_others_are_left_alone() {
        assert_eq!(at("/"), Some(("/", vec![])));
        assert_eq!(at("/projects/7"), Some(("/projects/{id}", vec!["7"])));
        assert_eq!(
            at("/projects/7/results/ai-trends"),
            Some(("/projects/{id}/results/{type}", vec!["7", "ai-trends"]))
        );
        assert_eq!(at("/projects/07"), Some(("/projects/{id}", vec!["07"])));
        assert!(Values(vec!["07"]).project().is_err() && Values(vec!["7"]).project().is_ok());
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
