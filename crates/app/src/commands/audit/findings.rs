//! What an audit found: of links and of pages.

use super::link_records::LinkRecords;
use analysis::{
    document::Document,
    findings::{
        broken_links::{BrokenLinksSummary, FindingContext, PreviousBrokenLinks, Severity},
        content::ContentSummary,
        eeat::EeatSummary,
        geo_score::GeoSummary,
        schema::SchemaSummary,
        site_audit::{AuditContext, PageRecord, SiteCards, TypeSummary, judge},
    },
    observation::{page_content::PageContent, web_site::SiteObservation},
    result_type::ResultType,
};
use chrono::{DateTime, Utc};
use crawler::AiRobots;
use domain::ports::site_reader::{CrawlJournal, JournalError, RecordedPages};
use serde::Deserialize;
use std::cmp::Reverse;
use tokio::runtime::Handle;

/// Pages that a report lists at the most, the worst first.
const MOST_PAGES: usize = 200;

/// Everything that was found; the records of pages are handed out one by one.
pub(super) struct Found {
    pub(super) links: BrokenLinksSummary,
    pub(super) link_records: LinkRecords,
    pub(super) content: ContentSummary,
    pub(super) schema: SchemaSummary,
    pub(super) geo: GeoSummary,
    pub(super) eeat: EeatSummary,
    /// The pages with the most and worst issues.
    pub(super) pages: Vec<PageLine>,
    /// By type, as it is published.
    pub(super) summaries: Vec<TypeSummary>,
}

/// A page in a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageLine {
    pub(super) url: String,
    pub(super) content_score: Option<f64>,
    title: Title,
    issues: Vec<IssueLine>,
}

#[derive(Debug, Deserialize)]
struct Title {
    text: Option<String>,
}

#[derive(Debug, Deserialize)]
struct IssueLine {
    severity: Severity,
}

impl PageLine {
    /// How many kinds of issues of a severity it has.
    pub(super) fn count(&self, severity: Severity) -> usize {
        let issues = self.issues.iter();
        issues.filter(|it| it.severity == severity).count()
    }

    pub(super) fn title(&self) -> &str {
        self.title.text.as_deref().unwrap_or("(no title)")
    }

    /// The worst first, then by address.
    fn order(&self) -> (Reverse<usize>, Reverse<usize>, Reverse<usize>, &str) {
        let count = |severity| Reverse(self.count(severity));
        (
            count(Severity::Error),
            count(Severity::Warning),
            count(Severity::Notice),
            &self.url,
        )
    }
}

impl Found {
    /// Judges what the crawl has seen, in two walks over its journal; the thread may block.
    pub(super) fn of(
        observation: SiteObservation,
        journal: &dyn CrawlJournal,
        measured_at: DateTime<Utc>,
        mut hand_out: impl FnMut(&PageRecord) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let robots = AiRobots::of(observation.robots.as_ref());
        let robots = move |url: &str| robots.verdicts(url);
        let mut cards = SiteCards::of(observation, PreviousBrokenLinks::default());
        for page in pages(journal) {
            cards.add(&page?);
        }
        let context = AuditContext {
            finding: FindingContext {
                project_id: 0,
                measured_at,
            },
            ..AuditContext::default()
        };
        let site = cards.complete(&robots);
        let mut broken = None;
        let mut listed = Vec::new();
        let mut link_records = LinkRecords::new()?;
        let readable =
            pages(journal).map_while(|page| page.map_err(|error| broken = Some(error.into())).ok());
        let mut failed = None;
        let summaries = judge(&site, &context, &robots, readable, |record| {
            if failed.is_none() {
                // Told last, by severity.
                failed = match record.result_type {
                    ResultType::BrokenLinks => link_records.add(&record).err(),
                    _ => hand_out(&record).err(),
                };
            }
            if record.result_type == ResultType::Content {
                listed.extend(record.record.parse::<PageLine>());
                if listed.len() >= 2 * MOST_PAGES {
                    keep_worst(&mut listed);
                }
            }
        });
        if let Some(error) = broken.or(failed) {
            return Err(error);
        }
        keep_worst(&mut listed);
        link_records.sort();
        Ok(Self {
            links: parsed(&summaries, ResultType::BrokenLinks)?,
            link_records,
            content: parsed(&summaries, ResultType::Content)?,
            schema: parsed(&summaries, ResultType::Schema)?,
            geo: parsed(&summaries, ResultType::GeoScore)?,
            eeat: parsed(&summaries, ResultType::Eeat)?,
            pages: listed,
            summaries,
        })
    }
}

fn keep_worst(pages: &mut Vec<PageLine>) {
    pages.sort_by(|one, other| one.order().cmp(&other.order()));
    pages.truncate(MOST_PAGES);
}

fn parsed<T: serde::de::DeserializeOwned>(
    summaries: &[TypeSummary],
    of: ResultType,
) -> anyhow::Result<T> {
    let found = summaries.iter().find(|it| it.result_type == of);
    let summary = found.map(|it| &it.summary);
    let summary: &Document = summary.ok_or_else(|| anyhow::anyhow!("no summary of {of}"))?;
    Ok(summary.parse()?)
}

/// The pages of a journal, one by one; who is told an error stops.
fn pages(journal: &dyn CrawlJournal) -> impl Iterator<Item = Result<PageContent, JournalError>> {
    let mut recorded = RecordedPages::of(journal);
    let parts = std::iter::from_fn(move || {
        let part = Handle::current().block_on(recorded.next_part());
        part.transpose()
    });
    parts.flat_map(|part| {
        let (pages, error) = match part {
            Ok(pages) => (pages, None),
            Err(error) => (Vec::new(), Some(Err(error))),
        };
        pages.into_iter().map(|it| Ok(it.page)).chain(error)
    })
}
