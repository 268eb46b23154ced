//! What the service says of each result type: its names, its schemas, and a page built for the question that it answers.

mod ai_trends;
mod ai_visibility;
mod answer_text;
mod broken_links;
mod cannibalization;
mod competitors;
mod content;
mod content_changes;
mod eeat;
mod forecast;
mod geo_score;
mod rankings;
mod schema;
mod serp;
mod sov;
mod suggestions;
mod vitals;

use super::{
    NoPage, analyses,
    frame::{self, Page},
    parts::{self, Column, Row, Table},
    visit::{Visit, Wanted, encoded},
};
use crate::query::Query;
use analysis::{document::FromJson, findings::rankings::RankingRecord, result_type::ResultType};
use chrono::{DateTime, Utc};
use domain::{
    ids::{KeywordId, ProjectId},
    job::kind::AnalysisKind,
    page::{Direction, PageRequest},
    ports::ai_answers::{ENGINES, SIMULATED_ENGINES},
    project::Project,
    results::{Finding, FindingSort, ResultHead},
    use_cases::results::{ProjectResults, ResultsRequest},
};
use futures_util::future::{LocalBoxFuture, ready};
use maud::Markup;

pub struct ResultSpec {
    pub of: ResultType,
    /// As a heading.
    pub title: &'static str,
    /// In the navigation.
    pub short: &'static str,
    pub question: &'static str,
    /// What its coverage counts.
    unit: &'static str,
    pub icon: &'static str,
    /// On a page: fewer where records are heavier.
    rows: u32,
    body: for<'f> fn(&'f Found<'_>) -> Body<'f>,
    /// Names of the schemas of a record and of the summary.
    pub record: &'static str,
    pub summary: &'static str,
    #[cfg(feature = "schemas")]
    pub add_schemas: fn(&mut serde_json::Map<String, serde_json::Value>),
}

type Body<'f> = LocalBoxFuture<'f, Result<Vec<Markup>, NoPage>>;

/// Of what needs no more than was read.
fn at_once<'f>(body: Vec<Markup>) -> Body<'f> {
    Box::pin(ready(Ok(body)))
}

macro_rules! results {
    ($($of:ident: $module:ident[$record:ident, $summary:ident] {
        title: $title:literal, $(short: $short:literal,)? unit: $unit:literal, icon: $icon:literal, rows: $rows:literal,
        question: $question:literal,
        body: $body:expr,
    })+) => {
        [$(ResultSpec {
            of: ResultType::$of,
            title: $title,
            short: { let names = [$title, $($short)?]; names[names.len() - 1] },
            question: $question,
            unit: $unit,
            icon: $icon,
            rows: $rows,
            body: $body,
            record: stringify!($record),
            summary: stringify!($summary),
            #[cfg(feature = "schemas")]
            add_schemas: |all| {
                crate::openapi::add::<analysis::findings::$module::$record>(all);
                crate::openapi::add::<analysis::findings::$module::$summary>(all);
            },
        },)+]
    };
}

/// In the order in which the OpenAPI document has them. The navigation has an order of its own: [`GROUPS`].
pub static RESULTS: [ResultSpec; ResultType::ALL.len()] = results! {
    Rankings: rankings[RankingRecord, RankingsSummary] {
        title: "Rankings", unit: "keywords", icon: "rankings", rows: 50,
        question: "Where do we stand in organic results, and what moved?",
        body: |it| Box::pin(rankings::body(it)),
    }
    Serp: serp[SerpRecord, SerpSummary] {
        title: "Search pages", unit: "keywords", icon: "serp", rows: 1,
        question: "What does a searcher see, and what changed on the page?",
        body: |it| Box::pin(serp::body(it)),
    }
    Sov: sov[SovRecord, SovSummary] {
        title: "Share of voice", unit: "keywords", icon: "sov", rows: 50,
        question: "Which part of all clicks on our keywords is ours?",
        body: |it| Box::pin(sov::body(it)),
    }
    Forecast: forecast[ForecastRecord, ForecastSummary] {
        title: "Forecast", unit: "series", icon: "forecast", rows: 30,
        question: "Where are we heading, and how sure is that?",
        body: |it| Box::pin(forecast::body(it)),
    }
    Competitors: competitors[CompetitorRecord, CompetitorsSummary] {
        title: "Competitors", unit: "keywords", icon: "competitors", rows: 30,
        question: "Who competes for the same keywords, and where do they win?",
        body: |it| at_once(competitors::body(it)),
    }
    Cannibalization: cannibalization[CannibalizationRecord, CannibalizationSummary] {
        title: "Cannibalization", unit: "keywords", icon: "cannibalization", rows: 50,
        question: "Which of our own pages compete with each other?",
        body: |it| Box::pin(cannibalization::body(it)),
    }
    AiVisibility: ai_visibility[AiVisibilityRecord, AiVisibilitySummary] {
        title: "AI visibility", unit: "answers", icon: "ai", rows: 20,
        question: "Do answers of AI engines name us and cite our pages?",
        body: |it| Box::pin(ai_visibility::body(it)),
    }
    AiTrends: ai_trends[AiTrendRecord, AiTrendsSummary] {
        title: "AI trends", unit: "series", icon: "trend", rows: 20,
        question: "Is our visibility in AI answers really changing, or is it noise?",
        body: |it| at_once(ai_trends::body(it)),
    }
    Suggestions: suggestions[SuggestionRecord, SuggestionsSummary] {
        title: "Suggestions", unit: "results", icon: "suggestions", rows: 20,
        question: "What should we do next, and what does it bring?",
        body: |it| at_once(suggestions::body(it)),
    }
    BrokenLinks: broken_links[BrokenLink, BrokenLinksSummary] {
        title: "Broken links", unit: "links", icon: "broken", rows: 50,
        question: "Which links lead nowhere, and where do they stand?",
        body: |it| at_once(broken_links::body(it)),
    }
    Content: content[ContentRecord, ContentSummary] {
        title: "Content", unit: "pages", icon: "content", rows: 30,
        question: "Is the text of our pages good, complete and unique?",
        body: |it| Box::pin(content::body(it)),
    }
    ContentChanges: content_changes[ChangeRecord, ContentChangesSummary] {
        title: "Content changes", short: "Changes", unit: "pages", icon: "changes", rows: 50,
        question: "What changed on our pages, and how much does it matter?",
        body: |it| Box::pin(content_changes::body(it)),
    }
    Schema: schema[SchemaRecord, SchemaSummary] {
        title: "Structured data", unit: "pages", icon: "schema", rows: 50,
        question: "Can search engines read what our pages are about?",
        body: |it| Box::pin(schema::body(it)),
    }
    GeoScore: geo_score[GeoRecord, GeoSummary] {
        title: "Citability by AI engines", short: "Citability", unit: "pages", icon: "quote", rows: 50,
        question: "Can generative engines find, read and cite our pages?",
        body: |it| Box::pin(geo_score::body(it)),
    }
    Eeat: eeat[EeatRecord, EeatSummary] {
        title: "Experience, expertise, authority, trust", short: "E-E-A-T", unit: "pages", icon: "trust", rows: 50,
        question: "What on our site shows that it deserves trust?",
        body: |it| Box::pin(eeat::body(it)),
    }
    Vitals: vitals[VitalsRecord, VitalsSummary] {
        title: "Web vitals", unit: "measurements", icon: "vitals", rows: 50,
        question: "Are our pages fast, responsive and stable?",
        body: |it| at_once(vitals::body(it)),
    }
};

/// In the navigation. Suggestions stand before all groups.
pub const GROUPS: [(&str, &[ResultType]); 3] = [
    (
        "Search",
        &[
            ResultType::Rankings,
            ResultType::Serp,
            ResultType::Sov,
            ResultType::Competitors,
            ResultType::Cannibalization,
            ResultType::Forecast,
        ],
    ),
    (
        "AI answers",
        &[
            ResultType::AiVisibility,
            ResultType::AiTrends,
            ResultType::GeoScore,
        ],
    ),
    (
        "Site",
        &[
            ResultType::Content,
            ResultType::BrokenLinks,
            ResultType::ContentChanges,
            ResultType::Schema,
            ResultType::Eeat,
            ResultType::Vitals,
        ],
    ),
];

/// # Panics
/// Never: a test finds one of every type.
pub fn spec(of: ResultType) -> &'static ResultSpec {
    let found = RESULTS.iter().find(|it| it.of == of);
    found.expect("every type has its row")
}

const KNOWN: [&str; 8] = [
    "keyword", "url", "cursor", "sort", "range", "id", "engine", "panel",
];
const SORTS: [(&str, FindingSort); 2] = [
    ("default", FindingSort::Ordinal),
    ("value", FindingSort::Value),
];

struct Found<'a> {
    visit: &'a Visit<'a>,
    of: ResultType,
    project: &'a Project,
    head: &'a ResultHead,
    query: &'a Query,
    wanted: &'a Wanted<FindingSort>,
    results: &'a ProjectResults,
}

/// An engine that is no longer known is called by its name.
fn engine_title(name: &str) -> &str {
    let mut known = ENGINES.iter().chain(&SIMULATED_ENGINES);
    known.find(|it| it.0 == name).map_or(name, |it| it.1)
}

pub async fn page(visit: &Visit<'_>, id: ProjectId, of: ResultType) -> Result<Page, NoPage> {
    let (spec, query) = (spec(of), visit.query(&KNOWN));
    let wanted = visit.wanted(&query, spec.rows, &SORTS, Direction::Ascending);
    // Whole search pages are large: one is read, and not one for each keyword.
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
    let body = match &results.head {
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
            let mut body = vec![found.heading()];
            body.extend((spec.body)(&found).await?);
            body
        }
    };
    Ok(Page {
        title: format!("{} · {}", spec.title, project.name.as_str()),
        simulated: results
            .head
            .as_ref()
            .is_some_and(|it| it.provenance.is_simulated()),
        project: Some(project),
        parts: body,
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
    let (spec, project) = (spec(of), &results.project);
    let kind = AnalysisKind::behind(of);
    let head = frame::head(frame::crumbs(project), spec.title, spec.question, None);
    let keywords = format!("/projects/{}/keywords", project.id);
    let (title, text, action) = match kind {
        _ if !project.is_active() => (
            "The project is out of use",
            "Bring it back in its settings; then it can be measured.".to_owned(),
            Some(parts::main_link(&format!("/projects/{}/settings", project.id), "To its settings")),
        ),
        _ if results.pending.is_some() => (
            "It is being measured",
            format!("{} is under way. Its results appear here when it ends.", analyses::name(kind)),
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
            format!("{} brings these results.", analyses::name(kind)),
            start(project, of, "Measure now"),
        ),
    };
    vec![head, parts::empty(spec.icon, title, &text, action)]
}

impl Found<'_> {
    fn heading(&self) -> Markup {
        let spec = spec(self.of);
        let measured = frame::measured(self.head, spec.unit, self.visit.now);
        let again = start(self.project, self.of, "Measure again");
        frame::head_measured(
            frame::crumbs(self.project),
            spec.title,
            spec.question,
            again,
            measured,
        )
    }

    fn summary<T: FromJson>(&self) -> Option<T> {
        self.head.summary.parse().ok()
    }

    /// Those that can be read: what an earlier version wrote may not be, and is then told by [`Self::told`].
    fn records<T: FromJson>(&self) -> Vec<T> {
        read(&self.results.findings.items)
    }

    /// How many in words, and the addresses of the first and the next page.
    fn paged(&self) -> (String, Option<String>, Option<String>) {
        let (first, next) = self.visit.around(self.wanted, &self.results.findings);
        let all = self.head.item_count;
        (
            format!("{} of {all}", self.results.findings.items.len()),
            first,
            next,
        )
    }

    /// The records of this page, in a table that the heading above names.
    fn listed(
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

    fn pager(&self) -> Markup {
        let (told, first, next) = self.paged();
        parts::pager(first.as_deref(), next.as_deref(), &told)
    }

    fn about(&self, name: &str, value: &str) -> String {
        format!("{}?{name}={}", self.visit.path, encoded(value))
    }

    fn elsewhere(&self, end: &str) -> String {
        format!("/projects/{}/{end}", self.project.id)
    }

    /// The page that the address chose, of the newest run.
    async fn chosen_page<T: FromJson>(&self) -> Result<Option<T>, NoPage> {
        let Some(url) = self.query.free_text("url", 2_048) else {
            return Ok(None);
        };
        let request = ResultsRequest {
            url: Some(url),
            ..self.request(FindingSort::Ordinal, 1)
        };
        Ok(self.ask(&request).await?.into_iter().next())
    }

    /// Oldest first, as far as they are of one kind with the newest: what the sandbox made up is no past of what was
    /// measured, nor is one engine's that of another.
    async fn past_positions(
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

    /// Of all runs, newest first.
    fn past(&self, most: u32) -> ResultsRequest {
        let mut request = self.request(FindingSort::MeasuredAt, most);
        request.history = true;
        request.page.direction = Direction::Descending;
        request
    }

    fn request(&self, sort: FindingSort, most: u32) -> ResultsRequest {
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

    async fn ask<T: FromJson>(&self, request: &ResultsRequest) -> Result<Vec<T>, NoPage> {
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

fn none(title: &str, text: &str) -> Markup {
    parts::empty("check", title, text, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_a_row_and_a_place_in_the_navigation() {
        for of in ResultType::ALL {
            assert_eq!(RESULTS.iter().filter(|it| it.of == of).count(), 1, "{of}");
            let places = GROUPS.iter().flat_map(|(_, types)| types.iter());
            let expected = usize::from(of != ResultType::Suggestions);
            assert_eq!(places.filter(|it| **it == of).count(), expected, "{of}");
        }
    }
}
