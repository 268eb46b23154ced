use super::charts::sparkline;
use super::components::icon;
use super::forms::{options, submit};
use super::markets::FieldNames;
use super::page_context::PageContext;
use super::page_header::PageContent;
use super::{PageError, components, markets, measures, page_header};
use crate::{agent_api::StatusFilter, contract::StringEnum};
use analysis::findings::ai_visibility::AiVisibilitySummary;
use analysis::findings::rankings::RankingsSummary;
use analysis::findings::suggestions::SuggestionsSummary;
use analysis::result_type::ResultType;
use domain::allowance::Allowance;
use domain::market::Market;
use domain::page::{Direction, PageRequest};
use domain::ports::projects::{ProjectFilter, ProjectSort};
use domain::project::{Project, Status};
use domain::rights::Right;
use domain::use_cases::projects::Portfolio;
use maud::{Markup, html};

const KNOWN_PARAMETERS: [&str; 6] = ["search", "tag", "status", "favorite", "cursor", "sort"];
const SORTS: [(&str, ProjectSort); 1] = [("name", ProjectSort::Name)];
const ROWS: u32 = 24;
const FIELDS: FieldNames = FieldNames {
    country: "also.market.country",
    language: "also.market.language",
};
const CARD_RESULTS: [ResultType; 3] = [
    ResultType::Rankings,
    ResultType::AiVisibility,
    ResultType::Suggestions,
];

pub async fn page(visit: &PageContext<'_>) -> Result<PageContent, PageError> {
    let query = visit.query(&KNOWN_PARAMETERS);
    let search = query
        .free_text("search", 200)
        .filter(|it| !it.trim().is_empty());
    let tag = query
        .free_text("tag", 50)
        .filter(|it| !it.trim().is_empty());
    let status = query.text("status").unwrap_or("active");
    let filter = ProjectFilter {
        status: StatusFilter::from_word(status).unwrap_or_default().0,
        tag: tag.clone(),
        search: search.clone(),
        only: visit.member.granted_projects.clone(),
        ..ProjectFilter::default()
    };
    let only_favorites = query.text("favorite") == Some("true");
    let list_request = visit.list_request(&query, ROWS, &SORTS, Direction::Ascending);
    let read = async |favorite: bool| {
        let filter = ProjectFilter {
            favorite: Some(favorite),
            ..filter.clone()
        };
        { &visit.services.core }
            .portfolio(visit.account(), &filter, &list_request.page, &CARD_RESULTS)
            .await
    };
    let portfolio = read(only_favorites).await?;
    // Favorites come first, so they are a separate list.
    let favorites = if only_favorites || list_request.page.after.is_some() {
        None
    } else {
        Some(read(true).await?).filter(|it| !it.projects.items.is_empty())
    };
    let quota = visit.member.account.project_allowance();
    let is_plain = search.is_none()
        && tag.is_none()
        && status == "active"
        && !only_favorites
        && list_request.page.after.is_none();
    let is_new = is_plain && favorites.is_none() && portfolio.projects.items.is_empty();
    let may_create = visit.may(Right::ProjectsWrite);
    let head = heading(is_new, may_create);
    let new = if may_create {
        new_project(is_new, quota)
    } else {
        Markup::default()
    };
    let shown = || favorites.iter().chain([&portfolio]);
    let simulated = shown().any(|it| it.heads.values().any(|it| it.provenance.is_simulated()));
    let mut body = vec![head];
    if is_new && !may_create {
        let text = "You see projects here as soon as there are some for your role.";
        body.push(components::empty_state(
            "projects",
            "No projects yet",
            text,
            None,
        ));
    } else if is_new {
        body.push(components::empty_state(
            "projects",
            "Which site do you want to follow?",
            "Create a project with its domain and a few keywords, then check your rankings with one click. Simulated results are labelled.",
            deactivated_link(visit).await?,
        ));
        body.push(new);
    } else {
        body.push(filters(
            search.as_deref().unwrap_or_default(),
            tag.as_deref().unwrap_or_default(),
            status,
        ));
        let all = || shown().flat_map(|it| it.projects.items.iter().map(move |of| (of, it)));
        body.push(if all().next().is_none() {
            nothing_fits()
        } else {
            html! { div .cards { @for (project, of) in all() { (card(visit, project, of)) } } }
        });
        if favorites.is_some_and(|it| it.projects.next.is_some()) {
            let href = visit.url_with(&[("favorite", Some("true"))]);
            body.push(html! { p .small { a href=(href) { "All favourites" } } });
        }
        let (first, next) = visit.page_links(&list_request, &portfolio.projects);
        body.push(components::pager(first.as_deref(), next.as_deref(), ""));
        body.push(new);
    }
    Ok(PageContent {
        title: "Projects".to_owned(),
        project: None,
        simulated,
        parts: body,
    })
}

fn filters(search: &str, tag: &str, status: &str) -> Markup {
    let shown = [
        ("active", "Active"),
        ("deactivated", "Deactivated"),
        ("all", "All"),
    ];
    html! {
        form .filter method="get" action="/" role="search" {
            label .field .grow {
                span { "Search projects" }
                input type="search" name="search" value=(search) maxlength="200" placeholder="Name or domain";
            }
            label .field { span { "Tag" } input name="tag" value=(tag) maxlength="50"; }
            label .field {
                span { "Show" }
                select name="status" data-submit { (options(shown.map(|(value, name)| (value, name, value == status)))) }
            }
            button type="submit" { "Show" }
        }
    }
}

fn new_project(is_open: bool, quota: Allowance) -> Markup {
    let market = Market::default();
    let left = quota.limit.saturating_sub(quota.used);
    html! {
        details .card #new open[is_open] {
            summary {
                b { "Create a project" }
                " "
                span class="soft small" { (left) " of " (quota.limit) " places left" }
            }
            form .page method="post" data-api="POST /api/projects" data-keywords-into="{id}" data-also-failed="The project was created, but its keywords were not added yet." data-then="/projects/{id}" {
                div .fields {
                    label .field {
                        span { "Domain" }
                        input name="domain" required autocomplete="off" spellcheck="false" inputmode="url" placeholder="example.com";
                        small { "The site whose visibility you want to follow." }
                    }
                    label .field {
                        span { "Name" }
                        input name="name" data-skip maxlength="200" autocomplete="off";
                        small { "Optional. Defaults to the domain." }
                    }
                    (markets::fields(FIELDS, market.country, market.language))
                }
                label .field {
                    span { "First keywords" }
                    textarea name="also.keywords" data-as="numbered" data-skip placeholder="running shoes\ntrail running shoes" {}
                    small { "One per line. You can add more at any time." }
                }
                (submit("Create the project"))
            }
        }
    }
}

fn heading(is_new: bool, may_create: bool) -> Markup {
    let lead = if is_new {
        ""
    } else {
        "How visible your sites are, in search and in answers of AI engines."
    };
    let create = may_create.then(|| components::main_link("#new", "Create a project"));
    page_header::head(vec![], "Projects", lead, create)
}

/// `None` without deactivated projects.
async fn deactivated_link(visit: &PageContext<'_>) -> Result<Option<Markup>, PageError> {
    let filter = ProjectFilter {
        status: Some(Status::Deactivated),
        only: visit.member.granted_projects.clone(),
        ..ProjectFilter::default()
    };
    let one = PageRequest {
        sort: ProjectSort::Name,
        direction: Direction::Ascending,
        after: None,
        limit: 1,
        counted: false,
        bytes: None,
    };
    let found = { &visit.services.core }
        .projects(visit.account(), &filter, &one)
        .await?;
    let link = || components::link("/?status=deactivated", "Bring a deactivated one back");
    Ok((!found.items.is_empty()).then(link))
}

fn nothing_fits() -> Markup {
    components::empty_state(
        "projects",
        "No such project",
        "Nothing fits what you searched for. Take a part of the search away.",
        Some(components::main_link("/", "Show all projects")),
    )
}

fn card(visit: &PageContext<'_>, project: &Project, portfolio: &Portfolio) -> Markup {
    let head = |of| portfolio.heads.get(&(project.id, of));
    let rankings: Option<RankingsSummary> =
        head(ResultType::Rankings).and_then(|it| it.summary.parse().ok());
    let ai: Option<AiVisibilitySummary> =
        head(ResultType::AiVisibility).and_then(|it| it.summary.parse().ok());
    let suggestions: Option<SuggestionsSummary> =
        head(ResultType::Suggestions).and_then(|it| it.summary.parse().ok());
    let series = portfolio
        .series
        .get(&project.id)
        .map(measures::visibility)
        .unwrap_or_default();
    let newest = series.last().and_then(|(_, it)| *it);
    let is_simulated = head(ResultType::Rankings).is_some_and(|it| it.provenance.is_simulated());
    let keywords = project.keyword_count;
    let tags = &project.meta.tags;
    html! {
        article .card .project {
            div .row .apart {
                h2 .wrap { a href={ "/projects/" (project.id.0) } { (project.name.as_str()) } }
                @if project.meta.favorite { span .star { (icon("star")) span .out { "favourite" } } }
            }
            p .soft .small .wrap { (project.domain.unicode()) }
            dl .trio {
                div {
                    dt { "Visibility" }
                    dd { (components::optional_number(newest, 1)) }
                    @if let Some(rankings) = &rankings {
                        @if let Some(delta) = measures::visibility_delta(rankings) {
                            dd { (delta) }
                            dd .soft .tiny { (measures::visibility_period(rankings)) }
                        }
                    }
                }
                div { dt { "AI visibility" } dd { (components::optional_number(ai.and_then(|it| it.ai_visibility_score), 1)) } }
                @if visit.may(Right::DetailsRead) { div { dt { "To do" } dd { (suggestions.map_or_else(components::unknown, |it| components::count(it.open))) } } }
            }
            @if series.len() > 1 {
                (sparkline("Visibility, day by day", &series))
            } @else {
                p .soft .tiny {
                    @if keywords == 0 { "Add keywords to see where it stands." } @else { "The trend appears after the second check." }
                }
            }
            div .foot {
                span {
                    (components::count(keywords.into())) @if keywords == 1 { " keyword" } @else { " keywords" }
                    @if is_simulated { " · simulated" }
                }
                span {
                    @if let Some(run) = project.last_analysis_at { "measured " (components::ago(run)) } @else { "not measured yet" }
                }
            }
            @if !tags.is_empty() { div .tags { @for tag in tags { span .tag { (tag.as_str()) } } } }
        }
    }
}
