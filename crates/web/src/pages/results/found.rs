//! Data of a result page, and components that result pages share.

use super::{body, result_page};
use crate::contract::parameters::Query;
use crate::pages::frame::Page;
use crate::pages::parts::{Column, Row, Table};
use crate::pages::visit::{Visit, Wanted, encoded};
use crate::pages::{NoPage, frame, jobs, parts};
use analysis::{document::FromJson, findings::rankings::RankingRecord, result_type::ResultType};
use chrono::{DateTime, Utc};
use domain::ids::{KeywordId, ProjectId};
use domain::job::kind::AnalysisKind;
use domain::page::{Direction, PageRequest};
use domain::ports::ai_answers::{ENGINES, SIMULATED_ENGINES};
use domain::project::Project;
use domain::results::{Finding, FindingSort, ResultHead};
use domain::use_cases::results::{ProjectResults, ResultsRequest};
use maud::Markup;

const KNOWN: [&str; 8] = [
    "keyword", "url", "cursor", "sort", "range", "id", "engine", "panel",
];
const SORTS: [(&str, FindingSort); 2] = [
    ("default", FindingSort::Ordinal),
    ("value", FindingSort::Value),
];

pub struct Found<'a> {
    pub visit: &'a Visit<'a>,
    pub of: ResultType,
    pub project: &'a Project,
    pub head: &'a ResultHead,
    pub query: &'a Query,
    pub wanted: &'a Wanted<FindingSort>,
    pub results: &'a ProjectResults,
}

/// Falls back to the name of an engine that is no longer known.
pub fn engine_title(name: &str) -> &str {
    let mut known = ENGINES.iter().chain(&SIMULATED_ENGINES);
    known.find(|it| it.0 == name).map_or(name, |it| it.1)
}

pub async fn page(visit: &Visit<'_>, id: ProjectId, of: ResultType) -> Result<Page, NoPage> {
    let (shown, query) = (result_page(of), visit.query(&KNOWN));
    let wanted = visit.wanted(&query, shown.rows, &SORTS, Direction::Ascending);
    // Search pages are large, so only one is read.
    let keyword = query
        .id("keyword")
        .map(KeywordId)
        .filter(|_| of == ResultType::Serp);
    let request = ResultsRequest {
        project: id,
        result_type: of,
        keyword,
        url: None,
        ordinal: None,
        from: None,
        to: None,
        history: false,
        page: wanted.page.clone(),
    };
    let results = visit
        .services
        .core
        .results(visit.account(), &request)
        .await?;
    let results = results.ok_or(NoPage::NotFound)?;
    let project = results.project.clone();
    let parts = match &results.head {
        None => missing(&results, of),
        Some(head) => {
            let found = Found {
                visit,
                of,
                project: &project,
                head,
                query: &query,
                wanted: &wanted,
                results: &results,
            };
            let mut parts = vec![found.heading()];
            parts.extend(body(&found).await?);
            parts
        }
    };
    Ok(Page {
        title: format!("{} · {}", shown.title, project.name.as_str()),
        simulated: results
            .head
            .as_ref()
            .is_some_and(|it| it.provenance.is_simulated()),
        project: Some(project),
        parts,
    })
}

fn start(project: &Project, of: ResultType, label: &str) -> Option<Markup> {
    let kind = AnalysisKind::behind(of);
    let ready = match kind {
        AnalysisKind::RankCheck => project.keyword_count > 0,
        AnalysisKind::AiVisibility => project.ai_tracked_count > 0,
        _ => true,
    };
    let then = format!("/projects/{}", project.id);
    (ready && project.is_active()).then(|| parts::starter(kind.name(), project.id.0, &then, label))
}

fn missing(results: &ProjectResults, of: ResultType) -> Vec<Markup> {
    let (shown, project) = (result_page(of), &results.project);
    let kind = AnalysisKind::behind(of);
    let head = frame::head(frame::crumbs(project), shown.title, shown.question, None);
    let keywords = format!("/projects/{}/keywords", project.id);
    let (title, text, action) = match kind {
        _ if !project.is_active() => (
            "The project is out of use",
            "Bring it back in its settings; then it can be measured.".to_owned(),
            Some(parts::main_link(&format!("/projects/{}/settings", project.id), "To its settings")),
        ),
        _ if results.pending.is_some() => (
            "It is being measured",
            format!("{} is under way. Its results appear here when it ends.", jobs::name(kind)),
            Some(parts::main_link("/analyses", "Watch it")),
        ),
        AnalysisKind::RankCheck if project.keyword_count == 0 => (
            "There is nothing to look for yet",
            "Add the searches for which you want to be found.".to_owned(),
            Some(parts::main_link(&keywords, "Add keywords")),
        ),
        AnalysisKind::AiVisibility if project.ai_tracked_count == 0 => (
            "No keyword is measured in AI answers yet",
            "Switch on AI answers for the keywords that matter most. Each takes one place of the allowance.".to_owned(),
            Some(parts::main_link(&keywords, "Choose keywords")),
        ),
        _ => (
            "Not measured yet",
            format!("{} brings these results.", jobs::name(kind)),
            start(project, of, "Measure now"),
        ),
    };
    vec![head, parts::empty(shown.icon, title, &text, action)]
}

impl Found<'_> {
    pub fn heading(&self) -> Markup {
        let shown = result_page(self.of);
        let measured = frame::measured(self.head, shown.unit, self.visit.now);
        let again = start(self.project, self.of, "Measure again");
        frame::head_measured(
            frame::crumbs(self.project),
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
        read(&self.results.findings.items)
    }

    /// The count as text, and the URLs of the first and the next page.
    pub fn paged(&self) -> (String, Option<String>, Option<String>) {
        let (first, next) = self.visit.around(self.wanted, &self.results.findings);
        let all = self.head.item_count;
        (
            format!("{} of {all}", self.results.findings.items.len()),
            first,
            next,
        )
    }

    /// This page's records, in a table whose caption is hidden.
    pub fn listed(
        &self,
        title: &str,
        note: &str,
        columns: Vec<Column>,
        rows: impl Iterator<Item = Row>,
    ) -> Markup {
        let (told, first, next) = self.paged();
        let table = Table::new(title, columns, rows.collect())
            .named_above()
            .paged(told, first, next);
        parts::card_of(title, note, &table)
    }

    pub fn pager(&self) -> Markup {
        let (told, first, next) = self.paged();
        parts::pager(first.as_deref(), next.as_deref(), &told)
    }

    pub fn about(&self, name: &str, value: &str) -> String {
        format!("{}?{name}={}", self.visit.path, encoded(value))
    }

    pub fn elsewhere(&self, end: &str) -> String {
        format!("/projects/{}/{end}", self.project.id)
    }

    /// The record of the page in the URL's `url`, from the newest run.
    pub async fn chosen_page<T: FromJson>(&self) -> Result<Option<T>, NoPage> {
        let Some(url) = self.query.free_text("url", 2_048) else {
            return Ok(None);
        };
        let request = ResultsRequest {
            url: Some(url),
            ..self.request(FindingSort::Ordinal, 1)
        };
        Ok(self.ask(&request).await?.into_iter().next())
    }

    /// Oldest first. Only records with the newest one's engine and provenance: simulated and measured positions are not
    /// comparable, nor are those of different engines.
    pub async fn past_positions(
        &self,
        keyword: i64,
        since: Option<DateTime<Utc>>,
        most: u32,
    ) -> Result<Vec<RankingRecord>, NoPage> {
        let request = ResultsRequest {
            result_type: ResultType::Rankings,
            keyword: Some(KeywordId(keyword)),
            from: since,
            ..self.past(most)
        };
        let mut past: Vec<RankingRecord> = self.ask(&request).await?;
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
    pub fn past(&self, most: u32) -> ResultsRequest {
        let mut request = self.request(FindingSort::MeasuredAt, most);
        request.history = true;
        request.page.direction = Direction::Descending;
        request
    }

    pub fn request(&self, sort: FindingSort, most: u32) -> ResultsRequest {
        ResultsRequest {
            project: self.project.id,
            result_type: self.of,
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
                limit: most,
                counted: false,
                bytes: None,
            },
        }
    }

    pub async fn ask<T: FromJson>(&self, request: &ResultsRequest) -> Result<Vec<T>, NoPage> {
        let results = self
            .visit
            .services
            .core
            .results(self.visit.account(), request)
            .await?;
        Ok(results
            .map(|it| read(&it.findings.items))
            .unwrap_or_default())
    }
}

fn read<T: FromJson>(findings: &[Finding]) -> Vec<T> {
    findings
        .iter()
        .filter_map(|it| it.record.parse().ok())
        .collect()
}

pub fn none(title: &str, text: &str) -> Markup {
    parts::empty("check", title, text, None)
}
