use super::changes::Changes;
use super::kept_site::{Keeper, KeptSite};
use super::link_records::LinkRecords;
use super::progress::Bars;
use crate::terminal::harmless;
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
        site_cards::{AuditContext, PageRecord, SiteCards, TypeSummary},
        site_changes::without_a_page,
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
const MOST_PAGES: usize = 200;

/// All findings except records of pages, which are passed on one by one.
pub(super) struct Found {
    pub(super) links: BrokenLinksSummary,
    pub(super) link_records: LinkRecords,
    pub(super) content: ContentSummary,
    pub(super) schema: SchemaSummary,
    pub(super) geo: GeoSummary,
    pub(super) eeat: EeatSummary,
    /// Changes since the previous audit; `None` without `--keep`.
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
        harmless(self.title.text.as_deref().unwrap_or("(no title)"))
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
pub(super) struct Beside<'a> {
    pub(super) vitals: Vec<VitalsRecord>,
    pub(super) kept: Option<&'a KeptSite>,
}

impl Found {
    /// Evaluates the crawl in two passes over its journal; blocks the thread. The caller finishes the returned writer.
    pub(super) fn of<'a>(
        observation: SiteObservation,
        bars: &Bars,
        beside: Beside<'a>,
        measured_at: DateTime<Utc>,
        mut hand_out: impl FnMut(&PageRecord) -> anyhow::Result<()>,
    ) -> anyhow::Result<(Self, Option<Keeper<'a>>)> {
        let Beside { vitals, kept } = beside;
        let scope = observation.scope.clone();
        let changes = kept.map(|it| Changes::since(it, scope, measured_at));
        let mut changes = changes.transpose()?;
        let unread = without_a_page(&observation);
        // Each page is read twice: for the site, and for its own records.
        let mut looks = Count {
            done: 0,
            total: 2 * observation.pages.len() as u64,
        };
        let mut looked = || {
            looks.done += 1;
            bars.tell("judge pages", looks);
        };
        let robots = AiRobots::of(observation.robots.as_ref());
        let robots = move |url: &str| robots.verdicts(url);
        let mut cards = SiteCards::of(observation, PreviousBrokenLinks::default());
        for page in pages(bars) {
            looked();
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
        let site = cards.complete(&robots);
        let mut audit = SiteAudit::of(&site, &context, &robots);
        let mut taken = Taken {
            link_records: LinkRecords::new()?,
            listed: Vec::new(),
            hand_out: &mut hand_out,
        };
        for page in pages(bars) {
            looked();
            let page = page?;
            if let Some(changes) = &mut changes {
                let record = changes.read(&page, audit.site_facts(&page.url))?;
                record.map_or(Ok(()), |it| taken.take(&it))?;
            }
            let mut broken = None;
            audit.judge(&page, &mut |record| {
                broken = broken.take().or_else(|| taken.take(&record).err());
            });
            broken.map_or(Ok(()), Err)?;
        }
        if let Some(changes) = &mut changes {
            for check in &unread {
                let record = changes.unread(check)?;
                record.map_or(Ok(()), |it| taken.take(&it))?;
            }
        }
        let mut broken = None;
        let mut summaries = audit.finish(|record| {
            broken = broken.take().or_else(|| taken.take(&record).err());
        });
        broken.map_or(Ok(()), Err)?;
        let (changes, keeper) = changes.map(Changes::finish).unzip();
        let compared = changes.as_ref().is_some_and(|it| it.records > 0);
        summaries.extend(changes.clone());
        for record in speed_records(&vitals) {
            taken.take(&record)?;
        }
        summaries.extend(speed_summary(&vitals));
        let Taken {
            mut link_records,
            mut listed,
            ..
        } = taken;
        keep_worst(&mut listed);
        link_records.sort();
        let found = Self {
            links: parsed(&summaries, ResultType::BrokenLinks)?,
            link_records,
            content: parsed(&summaries, ResultType::Content)?,
            schema: parsed(&summaries, ResultType::Schema)?,
            geo: parsed(&summaries, ResultType::GeoScore)?,
            eeat: parsed(&summaries, ResultType::Eeat)?,
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

struct Taken<'a> {
    link_records: LinkRecords,
    listed: Vec<PageLine>,
    hand_out: &'a mut dyn FnMut(&PageRecord) -> anyhow::Result<()>,
}

impl Taken<'_> {
    fn take(&mut self, record: &PageRecord) -> anyhow::Result<()> {
        if record.result_type == ResultType::Content {
            self.listed.extend(record.record.parse::<PageLine>());
            if self.listed.len() >= 2 * MOST_PAGES {
                keep_worst(&mut self.listed);
            }
        }
        match record.result_type {
            // Emitted last, by severity.
            ResultType::BrokenLinks => self.link_records.add(record),
            _ => (self.hand_out)(record),
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
    let placed = vitals.iter().enumerate();
    placed.map(|(place, record)| PageRecord {
        result_type: ResultType::Vitals,
        place,
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
    pages.truncate(MOST_PAGES);
}

fn parsed<T: FromJson>(summaries: &[TypeSummary], of: ResultType) -> anyhow::Result<T> {
    let found = summaries.iter().find(|it| it.result_type == of);
    let summary = found.map(|it| &it.summary);
    let summary: &Document = summary.ok_or_else(|| anyhow::anyhow!("no summary of {of}"))?;
    Ok(summary.parse()?)
}

pub(super) fn pages(
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
