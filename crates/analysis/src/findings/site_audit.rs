//! All that is found on the pages of a site, in two passes over them, so that a site of any size
//! needs no more memory than what its pages have in common.
//!
//! [`SiteCards`] takes in each page once; [`PageAudit`] then judges each page by itself and by what
//! the cards know of the others.

use super::schema::{self, SchemaSummary, SchemaTally};
use crate::{
    document::Document,
    findings::schema::{PageInput, SchemaRecord},
    observation::page_content::PageContent,
    result_type::ResultType,
};
use chrono::{DateTime, Utc};

/// What the records have to say beside what was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FindingContext {
    /// The project.
    pub project_id: i64,
    /// When the site was read.
    pub measured_at: DateTime<Utc>,
}

/// What has to be known of all pages before one is judged.
#[derive(Debug, Default)]
pub struct SiteCards {
    urls: Vec<String>,
}

impl SiteCards {
    /// Takes in a page.
    pub fn add(&mut self, page: &PageContent) {
        self.urls.push(page.url.clone());
    }

    /// When all pages are in.
    #[must_use]
    pub fn complete(mut self) -> Self {
        self.urls.sort_unstable();
        self
    }

    /// How many pages there are.
    #[must_use]
    pub const fn pages(&self) -> usize {
        self.urls.len()
    }

    /// The place of a page among all, by URL: the same in whatever order they were read.
    fn place(&self, url: &str) -> usize {
        let found = self.urls.binary_search_by(|it| it.as_str().cmp(url));
        found.unwrap_or_else(|place| place)
    }
}

/// A record of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageRecord {
    /// Its type.
    pub result_type: ResultType,
    /// Its place among the records of its type.
    pub place: usize,
    /// The page.
    pub url: String,
    /// The record.
    pub record: Document,
}

/// What a type of records comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeSummary {
    /// The type.
    pub result_type: ResultType,
    /// Method and version.
    pub method: &'static str,
    /// How many records there are.
    pub records: u64,
    /// The summary.
    pub summary: Document,
}

/// Judges pages one by one, and sums up.
#[derive(Debug)]
pub struct PageAudit {
    cards: SiteCards,
    context: FindingContext,
    judged: u64,
    schema: SchemaTally,
}

impl PageAudit {
    /// With what is known of all pages.
    #[must_use]
    pub fn begin(cards: SiteCards, context: FindingContext) -> Self {
        Self {
            cards,
            context,
            judged: 0,
            schema: SchemaTally::default(),
        }
    }

    /// The records of a page.
    #[must_use]
    pub fn judge(&mut self, page: &PageContent) -> Vec<PageRecord> {
        self.judged += 1;
        let place = self.cards.place(&page.url);
        let record = |result_type, record| PageRecord {
            result_type,
            place,
            url: page.url.clone(),
            record,
        };
        vec![record(ResultType::Schema, Document::of(&self.schema(page)))]
    }

    fn schema(&mut self, page: &PageContent) -> SchemaRecord {
        let input = PageInput {
            url: &page.url,
            data: &page.structured_data,
            visible_text: page.text.visible.as_deref(),
            template: None,
            rendered_only: false,
        };
        let context = schema::FindingContext {
            project_id: self.context.project_id,
            measured_at: self.context.measured_at,
        };
        let record = schema::judge_page(&input, &context);
        self.schema.add(&record, page.is_indexable());
        record
    }

    /// The summaries, when all pages are judged.
    #[must_use]
    pub fn summaries(self) -> Vec<TypeSummary> {
        let schema: SchemaSummary = self.schema.summary();
        vec![TypeSummary {
            result_type: ResultType::Schema,
            method: schema::METHOD,
            records: self.judged,
            summary: Document::of(&schema),
        }]
    }
}
