use super::changes::Changes;
use super::kept_site::{KeptSite, KeptSiteWriter};
use super::link_records::LinkRecords;
use super::progress::ProgressBars;
use crate::terminal::escape_controls;
use analysis::{
    document::{Document, FromJson},
    findings::{
        SiteAudit,
        broken_links::{BrokenLinksSummary, FindingContext, PreviousBrokenLinks, Severity},
        content::ContentSummary,
        content_changes::ContentChangesSummary,
        eeat::EeatSummary,
        geo_score::GeoSummary,
        schema::SchemaSummary,
        site_changes::checks_without_page,
        site_collector::{AuditContext, PageRecord, SiteCollector, TypeSummary},
        vitals::{self, VitalsRecord, VitalsSummary},
    },
    observation::{page_content::PageContent, web_site::SiteObservation},
    result_type::ResultType,
};
use chrono::{DateTime, Utc};
use crawler::AiRobots;
use domain::ports::site_reader::{Count, CrawlJournal, JournalError, RecordedPages};
use serde::Deserialize;
use std::{cmp::Reverse, collections::HashMap};
use tokio::runtime::Handle;

/// Pages in a report, the worst first.
const MAX_PAGES: usize = 200;

/// All findings except records of pages, which are passed on one by one.
pub(super) struct AuditFindings {
    pub(super) links: BrokenLinksSummary,
    pub(super) link_records: LinkRecords,
    pub(super) content: ContentSummary,
    pub(super) schema: SchemaSummary,
    pub(super) geo: GeoSummary,
    pub(super) eeat: EeatSummary,
    /// Changes since the previous audit; `None` without `--snapshot`.
    pub(super) changes: Option<ContentChangesSummary>,
    /// Time of the previous audit; `None` if there was none.
    pub(super) kept_since: Option<DateTime<Utc>>,
    /// Empty unless `--vitals` is given.
    pub(super) vitals: Vec<VitalsRecord>,
    pub(super) pages: Vec<PageLine>,
    pub(super) summaries: Vec<TypeSummary>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageLine {
    pub(super) url: String,
    pub(super) content_score: Option<f64>,
    title: Title,
    issues: Vec<IssueLine>,
}

analysis::json!(read: PageLine);

#[derive(Debug, Deserialize)]
struct Title {
    text: Option<String>,
}

#[derive(Debug, Deserialize)]
struct IssueLine {
    severity: Severity,
}

impl PageLine {
    pub(super) fn count(&self, severity: Severity) -> usize {
        let issues = self.issues.iter();
        issues.filter(|it| it.severity == severity).count()
    }

    pub(super) fn title(&self) -> String {
        escape_controls(self.title.text.as_deref().unwrap_or("(no title)"))
    }

    /// Worst first, then by URL.
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

#[derive(Default)]
pub(super) struct AuditExtras<'a> {
    pub(super) vitals: Vec<VitalsRecord>,
    pub(super) kept: Option<&'a KeptSite>,
}

impl AuditFindings {
    /// Evaluates the crawl in two passes over its journal; blocks the thread. The caller finishes the returned writer.
    pub(super) fn collect<'a>(
        observation: SiteObservation,
        bars: &ProgressBars,
        extras: AuditExtras<'a>,
        measured_at: DateTime<Utc>,
        mut emit: impl FnMut(&PageRecord) -> anyhow::Result<()>,
    ) -> anyhow::Result<(Self, Option<KeptSiteWriter<'a>>)> {
        let AuditExtras { vitals, kept } = extras;
        let scope = observation.scope.clone();
        let changes = kept.map(|it| Changes::since(it, scope, measured_at));
        let mut changes = changes.transpose()?;
        let unread = checks_without_page(&observation);
        // Each page is read twice: for the site, and for its own records.
        let mut progress = Count {
            done: 0,
            total: 2 * observation.pages.len() as u64,
        };
        let mut advance = || {
            progress.done += 1;
            bars.update("evaluate pages", progress);
        };
        let robots = AiRobots::of(observation.robots.as_ref());
        let robots = move |url: &str| robots.verdicts(url);
        let mut cards = SiteCollector::of(observation, PreviousBrokenLinks::default());
        for page in recorded_pages(bars) {
            advance();
            cards.add(&page?);
        }
        let context = AuditContext {
            finding: FindingContext {
                project_id: 0,
                measured_at,
            },
            vitals: by_page(&vitals),
            ..AuditContext::default()
        };
        let site = cards.finish(&robots);
        let mut audit = SiteAudit::of(&site, &context, &robots);
        let mut collector = RecordCollector {
            link_records: LinkRecords::new()?,
            listed: Vec::new(),
            emit: &mut emit,
        };
        for page in recorded_pages(bars) {
            advance();
            let page = page?;
            if let Some(changes) = &mut changes {
                let record = changes.read(&page, audit.site_facts(&page.url))?;
                record.map_or(Ok(()), |it| collector.add(&it))?;
            }
            let mut failure = None;
            audit.evaluate(&page, &mut |record| {
                failure = failure.take().or_else(|| collector.add(&record).err());
            });
            failure.map_or(Ok(()), Err)?;
        }
        if let Some(changes) = &mut changes {
            for check in &unread {
                let record = changes.unread(check)?;
                record.map_or(Ok(()), |it| collector.add(&it))?;
            }
        }
        let mut failure = None;
        let mut summaries = audit.finish(|record| {
            failure = failure.take().or_else(|| collector.add(&record).err());
        });
        failure.map_or(Ok(()), Err)?;
        let (changes, keeper) = changes.map(Changes::finish).unzip();
        let compared = changes.as_ref().is_some_and(|it| it.records > 0);
        summaries.extend(changes.clone());
        for record in speed_records(&vitals) {
            collector.add(&record)?;
        }
        summaries.extend(speed_summary(&vitals));
        let RecordCollector {
            mut link_records,
            mut listed,
            ..
        } = collector;
        keep_worst(&mut listed);
        link_records.sort();
        let found = Self {
            links: parse_summary(&summaries, ResultType::BrokenLinks)?,
            link_records,
            content: parse_summary(&summaries, ResultType::Content)?,
            schema: parse_summary(&summaries, ResultType::Schema)?,
            geo: parse_summary(&summaries, ResultType::GeoScore)?,
            eeat: parse_summary(&summaries, ResultType::Eeat)?,
            changes: changes.map(|it| it.summary.parse()).transpose()?,
            // `None` if the file holds another site.
            kept_since: kept.filter(|_| compared).and_then(KeptSite::last_visit),
            vitals,
            pages: listed,
            summaries,
        };
        Ok((found, keeper))
    }
}

struct RecordCollector<'a> {
    link_records: LinkRecords,
    listed: Vec<PageLine>,
    emit: &'a mut dyn FnMut(&PageRecord) -> anyhow::Result<()>,
}

impl RecordCollector<'_> {
    fn add(&mut self, record: &PageRecord) -> anyhow::Result<()> {
        if record.result_type == ResultType::Content {
            self.listed.extend(record.record.parse::<PageLine>());
            if self.listed.len() >= 2 * MAX_PAGES {
                keep_worst(&mut self.listed);
            }
        }
        match record.result_type {
            // Emitted last, by severity.
            ResultType::BrokenLinks => self.link_records.add(record),
            _ => (self.emit)(record),
        }
    }
}

fn by_page(vitals: &[VitalsRecord]) -> HashMap<String, Vec<VitalsRecord>> {
    let mut by_page: HashMap<String, Vec<VitalsRecord>> = HashMap::new();
    for record in vitals {
        if let Some(url) = record.envelope.url.clone() {
            by_page.entry(url).or_default().push(record.clone());
        }
    }
    by_page
}

fn speed_records(vitals: &[VitalsRecord]) -> impl Iterator<Item = PageRecord> {
    let numbered = vitals.iter().enumerate();
    numbered.map(|(place, record)| PageRecord {
        result_type: ResultType::Vitals,
        ordinal: place,
        url: record.requested_url.clone(),
        sort_value: None,
        record: Document::of(record),
    })
}

fn speed_summary(vitals: &[VitalsRecord]) -> Option<TypeSummary> {
    let number = vitals.len() as u64;
    (number > 0).then(|| TypeSummary {
        result_type: ResultType::Vitals,
        method: vitals::METHOD,
        records: number,
        summary: Document::of(&VitalsSummary::of(vitals, number)),
    })
}

fn keep_worst(pages: &mut Vec<PageLine>) {
    pages.sort_by(|one, other| one.order().cmp(&other.order()));
    pages.truncate(MAX_PAGES);
}

fn parse_summary<T: FromJson>(
    summaries: &[TypeSummary],
    result_type: ResultType,
) -> anyhow::Result<T> {
    let found = summaries.iter().find(|it| it.result_type == result_type);
    let summary = found.map(|it| &it.summary);
    let summary: &Document =
        summary.ok_or_else(|| anyhow::anyhow!("no summary of {result_type}"))?;
    Ok(summary.parse()?)
}

pub(super) fn recorded_pages(
    journal: &dyn CrawlJournal,
) -> impl Iterator<Item = Result<PageContent, JournalError>> {
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
