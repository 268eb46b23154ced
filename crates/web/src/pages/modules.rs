//! What pages whose work is done by modules of their own (`assets/js/*_page.js`) have to name for them.

use super::{NoPage, assets, parts::Html, visit::Visit};
use askama::Template;
use domain::{
    ids::ProjectId,
    page::{Direction, PageRequest},
    ports::{
        keywords::{KeywordFilter, KeywordSort},
        projects::{ProjectFilter, ProjectSort},
    },
    project::{Project, Status},
};

/// As many projects as a choice can hold.
const MOST: u32 = 200;

/// A project as modules see it.
pub struct Named {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Its domain.
    pub domain: String,
    /// Its keywords in use.
    pub keywords: u32,
}

impl Named {
    /// That project.
    pub fn of(project: &Project) -> Self {
        Self {
            id: project.id.0,
            name: project.name.as_str().to_owned(),
            domain: project.domain.unicode().to_owned(),
            keywords: project.keyword_count,
        }
    }
}

/// The projects in use, by name.
pub async fn projects(visit: &Visit<'_>) -> Result<Vec<Named>, NoPage> {
    let all = PageRequest {
        sort: ProjectSort::Name,
        direction: Direction::Ascending,
        after: None,
        limit: MOST,
        counted: false,
    };
    let active = ProjectFilter {
        status: Some(Status::Active),
        ..ProjectFilter::default()
    };
    let found = { &visit.services.list_projects }
        .run(visit.account(), &active, &all)
        .await?;
    Ok(found.items.iter().map(Named::of).collect())
}

/// A project, and the language of its first keyword: what people search with there.
pub async fn project_and_language(
    visit: &Visit<'_>,
    id: ProjectId,
) -> Result<(Project, String), NoPage> {
    let first = PageRequest {
        sort: KeywordSort::CreatedAt,
        direction: Direction::Ascending,
        after: None,
        limit: 1,
        counted: false,
    };
    let filter = KeywordFilter {
        status: Some(Status::Active),
        ..KeywordFilter::default()
    };
    let board = { &visit.uses.keyword_board }
        .run(visit.account(), id, &filter, &first)
        .await?;
    let board = board.ok_or(NoPage::NotFound)?;
    let language = board.keywords.items.first();
    let language = language.map_or_else(|| "en".to_owned(), |it| it.market.language.to_string());
    Ok((board.project, language))
}

#[derive(Template)]
#[template(path = "page_script.html")]
struct Script<'a> {
    assets: &'a str,
    module: &'a str,
    before: &'a [&'a str],
    projects: &'a [Named],
}

/// Starts a page's module; `before` are those that it needs, so that they come at once and not one
/// after another.
pub fn start(module: &str, before: &[&str], projects: &[Named]) -> Html {
    Html::of(&Script {
        assets: assets::base(),
        module,
        before,
        projects,
    })
}
