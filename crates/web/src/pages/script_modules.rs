//! Data for pages that are built by their own JavaScript module (`assets/js/*_page.js`).

use super::{PageError, assets, page_context::PageContext};
use domain::ids::ProjectId;
use domain::page::{Direction, PageRequest};
use domain::ports::keywords::{KeywordFilter, KeywordSort};
use domain::ports::projects::{ProjectFilter, ProjectSort};
use domain::project::{Project, Status};
use maud::{Markup, html};

/// Options in a choice of projects.
const MAX_PROJECT_OPTIONS: u32 = 200;

pub struct ProjectOption {
    pub id: i64,
    pub name: String,
    pub domain: String,
    /// Active ones.
    pub keywords: u32,
}

impl ProjectOption {
    pub fn from_project(project: &Project) -> Self {
        Self {
            id: project.id.0,
            name: project.name.as_str().to_owned(),
            domain: project.domain.unicode().to_owned(),
            keywords: project.keyword_count,
        }
    }
}

pub struct ProjectOptions {
    pub options: Vec<ProjectOption>,
    /// The number of projects if there are more than listed.
    pub truncated_at: Option<u32>,
}

impl ProjectOptions {
    /// For a page about one project.
    pub fn single(project: &Project) -> Self {
        Self {
            options: vec![ProjectOption::from_project(project)],
            truncated_at: None,
        }
    }
}

/// Active projects by name, up to `MOST`, plus the one that the URL names.
pub async fn load_project_options(visit: &PageContext<'_>) -> Result<ProjectOptions, PageError> {
    let all = PageRequest {
        sort: ProjectSort::Name,
        direction: Direction::Ascending,
        after: None,
        limit: MAX_PROJECT_OPTIONS,
        counted: false,
        bytes: None,
    };
    let active = ProjectFilter {
        status: Some(Status::Active),
        only: visit.member.granted_projects.clone(),
        ..ProjectFilter::default()
    };
    let found = { &visit.services.core }
        .projects(visit.account(), &active, &all)
        .await?;
    let mut named: Vec<ProjectOption> = found
        .items
        .iter()
        .map(ProjectOption::from_project)
        .collect();
    let cut = found.next.map(|_| MAX_PROJECT_OPTIONS);
    let wanted = visit.query(&["project"]).id_or_nonexistent("project");
    let wanted = wanted.filter(|id| cut.is_some() && named.iter().all(|it| it.id != *id));
    if let Some(id) = wanted {
        let project = { &visit.services.core }
            .project(visit.account(), ProjectId(id))
            .await?;
        let active = project.filter(|it| it.status == Status::Active);
        named.extend(active.iter().map(ProjectOption::from_project));
    }
    Ok(ProjectOptions {
        options: named,
        truncated_at: cut,
    })
}

/// With the language of its oldest active keyword, `en` without one.
pub async fn project_and_language(
    visit: &PageContext<'_>,
    id: ProjectId,
) -> Result<(Project, String), PageError> {
    let first = PageRequest {
        sort: KeywordSort::CreatedAt,
        direction: Direction::Ascending,
        after: None,
        limit: 1,
        counted: false,
        bytes: None,
    };
    let filter = KeywordFilter {
        status: Some(Status::Active),
        ..KeywordFilter::default()
    };
    let board = { &visit.services.core }
        .keyword_board(visit.account(), id, &filter, &first)
        .await?;
    let board = board.ok_or(PageError::NotFound)?;
    let language = board.keywords.items.first();
    let language = language.map_or_else(|| "en".to_owned(), |it| it.market.language.to_string());
    Ok((board.project, language))
}

/// `before`: imported modules, preloaded to avoid a chain of requests.
pub fn script_elements(module: &str, before: &[&str], projects: &ProjectOptions) -> Markup {
    let base = assets::base();
    html! {
        ul #projects hidden data-cut=[projects.truncated_at] {
            @for it in &projects.options {
                li data-id=(it.id) data-name=(it.name) data-domain=(it.domain) data-keywords=(it.keywords) {}
            }
        }
        @for it in before { link rel="modulepreload" href={ (base) "/js/" (it) ".js" }; }
        script type="module" src={ (base) "/js/" (module) ".js" } {}
    }
}
