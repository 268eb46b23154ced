use super::record::{CitedDomain, CitedDomainType, CitedOwnUrl, CitedPageTypeRow};
use crate::ai_answers::CitedPage;
use crate::ai_answers::brands::{BrandBook, OWN};
use crate::findings::serp::{PageType, page_type_of_address};
use crate::page_kind::PageKind;
use crate::site_class;
use crate::site_class::SiteClass;
use crate::statistics::describe::mean;
use std::collections::{BTreeMap, BTreeSet};

const MAX_LISTED: usize = 50;

#[derive(Debug, Default)]
pub(super) struct Pages {
    domains: BTreeMap<String, (u64, u64)>,
    own: BTreeMap<String, u64>,
    kinds: BTreeMap<PageKind, (u64, String)>,
    first_own: Vec<f64>,
    cited: u64,
    cited_own: u64,
}

impl Pages {
    pub fn add(&mut self, cited: &[CitedPage]) {
        let mut domains = BTreeSet::new();
        let mut kinds = BTreeSet::new();
        for page in cited {
            self.cited += 1;
            let is_own = page.owner == Some(OWN);
            self.cited_own += u64::from(is_own);
            let counts = self.domains.entry(page.domain.clone()).or_default();
            counts.1 += 1;
            counts.0 += u64::from(domains.insert(page.domain.as_str()));
            if is_own {
                *self.own.entry(page.url.clone()).or_default() += 1;
            }
            let kind = kind(page);
            let row = { self.kinds.entry(kind) }.or_insert_with(|| (0, page.url.clone()));
            row.0 += u64::from(kinds.insert(kind));
        }
        let first = cited.iter().find(|it| it.owner == Some(OWN));
        self.first_own.extend(first.map(|it| f64::from(it.index)));
    }

    /// Share of own pages; `None` without citations.
    pub fn own_share(&self) -> Option<f64> {
        share(self.cited_own, self.cited)
    }

    pub fn average_own_index(&self) -> Option<f64> {
        mean(&self.first_own)
    }

    pub fn domain_count(&self) -> u64 {
        self.domains.len() as u64
    }

    pub fn domains(&self, book: &BrandBook) -> Vec<CitedDomain> {
        let mut rows: Vec<CitedDomain> = { self.domains.iter() }
            .map(|(domain, (answers, pages))| CitedDomain {
                domain: domain.clone(),
                count: *answers,
                share: share(*pages, self.cited).unwrap_or(0.0),
                domain_type: domain_type(domain, book),
            })
            .collect();
        rows.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.domain.cmp(&b.domain)));
        rows.truncate(MAX_LISTED);
        rows
    }

    pub fn own_urls(&self) -> Vec<CitedOwnUrl> {
        let mut rows: Vec<CitedOwnUrl> = { self.own.iter() }
            .map(|(url, count)| CitedOwnUrl {
                url: url.clone(),
                count: *count,
            })
            .collect();
        rows.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.url.cmp(&b.url)));
        rows.truncate(MAX_LISTED);
        rows
    }

    pub fn page_types(&self) -> Vec<CitedPageTypeRow> {
        let mut rows: Vec<CitedPageTypeRow> = { self.kinds.iter() }
            .map(|(kind, (count, example))| CitedPageTypeRow {
                page_type: *kind,
                answer_count: *count,
                example: Some(example.clone()),
            })
            .collect();
        rows.sort_by_key(|it| (std::cmp::Reverse(it.answer_count), it.page_type));
        rows
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of pages")]
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The kind of a page by its URL and domain, without fetching it.
fn kind(page: &CitedPage) -> PageKind {
    match page_type_of_address(&page.url, &page.domain) {
        PageType::Home => PageKind::Home,
        PageType::Product => PageKind::Product,
        PageType::Category => PageKind::Category,
        PageType::Article => PageKind::Article,
        PageType::Discussion | PageType::Video | PageType::Reference | PageType::Other => {
            PageKind::Other
        }
    }
}

fn domain_type(domain: &str, book: &BrandBook) -> CitedDomainType {
    match book.owner_of_host(domain) {
        Some(OWN) => return CitedDomainType::Own,
        Some(_) => return CitedDomainType::Competitor,
        None => {}
    }
    match site_class::listed_class(domain) {
        Some(SiteClass::Publisher) => CitedDomainType::Publisher,
        Some(SiteClass::Marketplace) => CitedDomainType::Marketplace,
        Some(SiteClass::Directory) => CitedDomainType::Directory,
        Some(SiteClass::Platform) => CitedDomainType::Platform,
        Some(SiteClass::Direct) | None => CitedDomainType::Other,
    }
}
