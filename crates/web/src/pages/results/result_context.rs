//! Data of a result page, and components that result pages share.

use super::{body, result_page};
use crate::contract::parameters::Query;
use crate::pages::components::{Column, Row, Table};
use crate::pages::page_context::{ListRequest, PageContext, percent_encode};
use crate::pages::page_header::PageContent;
use crate::pages::{PageError, components, jobs, page_header};
use analysis::{document::FromJson, findings::rankings::RankingRecord, result_type::ResultType};
use chrono::{DateTime, Utc};
use domain::ids::{KeywordId, ProjectId};
use domain::job::kind::AnalysisKind;
use domain::page::{Direction, PageRequest};
use domain::ports::ai_answers::{ENGINES, SIMULATED_ENGINES};
use domain::project::Project;
use domain::results::{Finding, FindingSort, ResultHead};
use domain::rights::Right;
use domain::use_cases::results::{ProjectResults, ResultsRequest};
use maud::Markup;

const KNOWN_PARAMETERS: [&str; 8] = [
    "keyword", "url", "cursor", "sort", "range", "id", "engine", "panel",
];
const SORTS: [(&str, FindingSort); 2] = [
    ("default", FindingSort::Ordinal),
    ("value", FindingSort::Value),
];

pub struct ResultContext<'a> {
    pub visit: &'a PageContext<'a>,
    pub result_type: ResultType,
    pub project: &'a Project,
    pub head: &'a ResultHead,
    pub query: &'a Query,
    pub list_request: &'a ListRequest<FindingSort>,
    pub results: &'a ProjectResults,
}

/// Falls back to the name for an unknown engine.
pub fn engine_title(name: &str) -> &str {
    let mut known = ENGINES.iter().chain(&SIMULATED_ENGINES);
    known.find(|it| it.0 == name).map_or(name, |it| it.1)
}

pub async fn page(
    visit: &PageContext<'_>,
    id: ProjectId,
    result_type: ResultType,
) -> Result<PageContent, PageError> {
    visit.require(Right::to_read(result_type))?;
    let (shown, query) = (result_page(result_type), visit.query(&KNOWN_PARAMETERS));
    let list_request = visit.list_request(&query, shown.rows, &SORTS, Direction::Ascending);
    // Search pages are large, so only one is read.
    let keyword = query
        .id("keyword")
        .map(KeywordId)
        .filter(|_| result_type == ResultType::Serp);
    let request = ResultsRequest {
        project: id,
        result_type,
        keyword,
        url: None,
        ordinal: None,
        from: None,
        to: None,
        history: false,
        page: list_request.page.clone(),
    };
    let results = visit
        .services
        .core
        .results(visit.account(), &request)
        .await?;
    let results = results.ok_or(PageError::NotFound)?;
    let project = results.project.clone();
    let parts = match &results.head {
        None => empty_page(visit, &results, result_type),
        Some(head) => {
            let found = ResultContext {
                visit,
                result_type,
                project: &project,
                head,
                query: &query,
                list_request: &list_request,
                results: &results,
            };
            let mut parts = vec![found.heading()];
            parts.extend(body(&found).await?);
            parts
        }
    };
    Ok(PageContent {
        title: format!("{} · {}", shown.title, project.name.as_str()),
        simulated: results
            .head
            .as_ref()
            .is_some_and(|it| it.provenance.is_simulated()),
        project: Some(project),
        parts,
    })
}

fn start_button(
    visit: &PageContext<'_>,
    project: &Project,
    result_type: ResultType,
    label: &str,
) -> Option<Markup> {
    let kind = AnalysisKind::for_result(result_type);
    let ready = match kind {
        AnalysisKind::RankCheck => project.keyword_count > 0,
        AnalysisKind::AiVisibility => project.ai_tracked_count > 0,
        _ => true,
    };
    let then = format!("/projects/{}", project.id);
    (ready && project.is_active() && visit.may(Right::AnalysisRun))
        .then(|| components::start_analysis_button(kind.name(), project.id.0, &then, label))
}

fn empty_page(
    visit: &PageContext<'_>,
    results: &ProjectResults,
    result_type: ResultType,
) -> Vec<Markup> {
    let (shown, project) = (result_page(result_type), &results.project);
    let kind = AnalysisKind::for_result(result_type);
    let head = page_header::head(
        page_header::crumbs(project),
        shown.title,
        shown.question,
        None,
    );
    let keywords = format!("/projects/{}/keywords", project.id);
    let linked =
        |right, href: &str, text: &str| visit.may(right).then(|| components::main_link(href, text));
    let (title, text, action) = match kind {
        _ if !project.is_active() => (
            "The project is out of use",
            "Bring it back in its settings; then it can be measured.".to_owned(),
            linked(Right::ProjectsWrite, &format!("/projects/{}/settings", project.id), "To its settings"),
        ),
        _ if results.pending.is_some() => (
            "It is being measured",
            format!("{} is under way. Its results appear here when it ends.", jobs::name(kind)),
            linked(Right::DetailsRead, "/analyses", "Watch it"),
        ),
        AnalysisKind::RankCheck if project.keyword_count == 0 => (
            "There is nothing to look for yet",
            "Add the searches for which you want to be found.".to_owned(),
            linked(Right::KeywordsWrite, &keywords, "Add keywords"),
        ),
        AnalysisKind::AiVisibility if project.ai_tracked_count == 0 => (
            "No keyword is measured in AI answers yet",
            "Switch on AI answers for the keywords that matter most. Each takes one place of the allowance.".to_owned(),
            linked(Right::KeywordsWrite, &keywords, "Choose keywords"),
        ),
        _ => (
            "Not measured yet",
            format!("{} brings these results.", jobs::name(kind)),
            start_button(visit, project, result_type, "Measure now"),
        ),
    };
    vec![
        head,
        components::empty_state(shown.icon, title, &text, action),
    ]
}

impl ResultContext<'_> {
    pub fn heading(&self) -> Markup {
        let shown = result_page(self.result_type);
        let measured = page_header::measurement_note(self.head, shown.unit, self.visit.now);
        let again = start_button(self.visit, self.project, self.result_type, "Measure again");
        page_header::head_with_measurement(
            page_header::crumbs(self.project),
            shown.title,
            shown.question,
            again,
            measured,
        )
    }

    pub fn summary<T: FromJson>(&self) -> Option<T> {
        self.head.summary.parse().ok()
    }

    /// Skips records of earlier versions that cannot be parsed.
    pub fn records<T: FromJson>(&self) -> Vec<T> {
        parse_records(&self.results.findings.items)
    }

    /// The count as text, and the URLs of the first and the next page.
    pub fn pager_parts(&self) -> (String, Option<String>, Option<String>) {
        let (first, next) = self
            .visit
            .page_links(self.list_request, &self.results.findings);
        let all = self.head.item_count;
        (
            format!("{} of {all}", self.results.findings.items.len()),
            first,
            next,
        )
    }

    /// This page's records, in a table with a hidden caption.
    pub fn records_card(
        &self,
        title: &str,
        note: &str,
        columns: Vec<Column>,
        rows: impl Iterator<Item = Row>,
    ) -> Markup {
        let (summary, first, next) = self.pager_parts();
        let table = Table::new(title, columns, rows.collect())
            .hide_caption()
            .paged(summary, first, next);
        components::table_card(title, note, &table)
    }

    pub fn pager(&self) -> Markup {
        let (summary, first, next) = self.pager_parts();
        components::pager(first.as_deref(), next.as_deref(), &summary)
    }

    pub fn url_with_parameter(&self, name: &str, value: &str) -> String {
        format!("{}?{name}={}", self.visit.path, percent_encode(value))
    }

    pub fn project_url(&self, end: &str) -> String {
        format!("/projects/{}/{end}", self.project.id)
    }

    /// The record of the page in the URL's `url`, from the newest run.
    pub async fn chosen_page<T: FromJson>(&self) -> Result<Option<T>, PageError> {
        let Some(url) = self.query.free_text("url", 2_048) else {
            return Ok(None);
        };
        let request = ResultsRequest {
            url: Some(url),
            ..self.request(FindingSort::Ordinal, 1)
        };
        Ok(self.fetch_records(&request).await?.into_iter().next())
    }

    /// Oldest first. Only records with the newest one's engine and provenance: simulated and measured positions are not
    /// comparable, nor are those of different engines.
    pub async fn position_history(
        &self,
        keyword: i64,
        since: Option<DateTime<Utc>>,
        limit: u32,
    ) -> Result<Vec<RankingRecord>, PageError> {
        let request = ResultsRequest {
            result_type: ResultType::Rankings,
            keyword: Some(KeywordId(keyword)),
            from: since,
            ..self.history_request(limit)
        };
        let mut past: Vec<RankingRecord> = self.fetch_records(&request).await?;
        if let Some(newest) = past.first() {
            let simulated = newest.envelope.provenance.is_simulated();
            let engine = newest.market.engine.clone();
            past.retain(|it| {
                it.envelope.provenance.is_simulated() == simulated && it.market.engine == engine
            });
        }
        past.reverse();
        Ok(past)
    }

    /// All runs, newest first.
    pub fn history_request(&self, limit: u32) -> ResultsRequest {
        let mut request = self.request(FindingSort::MeasuredAt, limit);
        request.history = true;
        request.page.direction = Direction::Descending;
        request
    }

    pub fn request(&self, sort: FindingSort, limit: u32) -> ResultsRequest {
        ResultsRequest {
            project: self.project.id,
            result_type: self.result_type,
            keyword: None,
            url: None,
            ordinal: None,
            from: None,
            to: None,
            history: false,
            page: PageRequest {
                sort,
                direction: Direction::Ascending,
                after: None,
                limit,
                counted: false,
                bytes: None,
            },
        }
    }

    pub async fn fetch_records<T: FromJson>(
        &self,
        request: &ResultsRequest,
    ) -> Result<Vec<T>, PageError> {
        let results = self
            .visit
            .services
            .core
            .results(self.visit.account(), request)
            .await?;
        Ok(results
            .map(|it| parse_records(&it.findings.items))
            .unwrap_or_default())
    }
}

fn parse_records<T: FromJson>(findings: &[Finding]) -> Vec<T> {
    findings
        .iter()
        .filter_map(|it| it.record.parse().ok())
        .collect()
}

pub fn no_results(title: &str, text: &str) -> Markup {
    components::empty_state("check", title, text, None)
}
