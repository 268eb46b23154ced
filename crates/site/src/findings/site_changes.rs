//! Changes of a site's pages since the previous crawl. [`SiteChanges`] gets each page that was read, with its stored
//! version, and each stored page that could not be read; it returns the record and what to store for the next crawl.

use super::content_changes::{
    Baseline, ChangeContext, ChangeRecord, Comparison, ContentChangesSummary, METHOD, PageHistory,
    PageState, SiteFacts, Unread, compare, compare_unread,
};
use super::site_collector::TypeSummary;
use crate::document::Document;
use crate::observation::page_content::PageContent;
use crate::observation::web_site::{CheckState, SiteObservation, TargetCheck};
use crate::result_type::ResultType;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use url::Url;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageMemory {
    pub history: PageHistory,
    #[serde(default)]
    pub site: SiteFacts,
}

crate::json!(PageMemory);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EarlierPage {
    /// As it was last read.
    pub page: PageContent,
    pub memory: PageMemory,
}

crate::json!(EarlierPage);

#[derive(Debug, Clone, PartialEq)]
pub struct VisitResult {
    /// What changed; `None` on the first visit.
    pub record: Option<ChangeRecord>,
    pub memory: PageMemory,
    pub baseline: Baseline,
}

/// Internal URLs without a page, each once; some may have a stored version.
pub fn checks_without_page(site: &SiteObservation) -> Vec<TargetCheck> {
    let is_internal = |url: &str| Url::parse(url).is_ok_and(|it| site.scope.contains(&it));
    let mut reported: HashSet<&str> = site.pages.iter().map(|it| &*it.url).collect();
    let checks = site.checks.iter().chain(&site.revisits);
    let internal = checks.filter(|it| is_internal(&it.url));
    internal
        .filter(|it| unread_reason(it, site.started_at).is_some() && reported.insert(&it.url))
        .cloned()
        .collect()
}

/// Why a check found no page; `at` is the time of the crawl.
pub fn unread_reason(check: &TargetCheck, at: DateTime<Utc>) -> Option<Unread<'_>> {
    match &check.state {
        CheckState::BlockedByRobots => Some(Unread::Blocked(at)),
        CheckState::Requested { fetched, .. } if !fetched.is_success() => {
            Some(Unread::Failed(fetched))
        }
        CheckState::Requested { fetched, .. } if fetched.hops() > 0 => {
            Some(Unread::Redirected(fetched))
        }
        CheckState::Requested { fetched, .. } if !fetched.is_html() => {
            Some(Unread::OtherMediaType(fetched))
        }
        CheckState::Requested { .. } => None,
    }
}

#[derive(Debug)]
pub struct SiteChanges {
    context: ChangeContext,
    summary: ContentChangesSummary,
    records: u64,
}

impl SiteChanges {
    pub fn new(context: ChangeContext) -> Self {
        Self {
            context,
            summary: ContentChangesSummary::default(),
            records: 0,
        }
    }

    pub fn compare_page(
        &mut self,
        page: &PageContent,
        site: SiteFacts,
        earlier: Option<&EarlierPage>,
    ) -> VisitResult {
        let Some(earlier) = earlier else {
            return VisitResult {
                record: None,
                memory: PageMemory {
                    history: PageHistory::new(page.fetched.at),
                    site,
                },
                baseline: Baseline::After,
            };
        };
        let (before, after) = (earlier.state(), PageState { page, site });
        let compared = compare(&before, &after, &earlier.memory.history, &self.context);
        let site = match compared.baseline {
            Baseline::After => site,
            Baseline::Before => earlier.memory.site,
        };
        self.add_comparison(compared, site)
    }

    /// A stored page that could not be read.
    pub fn compare_unread(&mut self, earlier: &EarlierPage, reason: Unread<'_>) -> VisitResult {
        let memory = &earlier.memory;
        let compared = compare_unread(&earlier.state(), reason, &memory.history, &self.context);
        self.add_comparison(compared, memory.site)
    }

    fn add_comparison(&mut self, compared: Comparison, site: SiteFacts) -> VisitResult {
        self.summary.add(&compared.record);
        self.records += 1;
        VisitResult {
            record: Some(compared.record),
            memory: PageMemory {
                history: compared.history,
                site,
            },
            baseline: compared.baseline,
        }
    }

    pub fn summary(&self) -> TypeSummary {
        TypeSummary {
            result_type: ResultType::ContentChanges,
            method: METHOD,
            records: self.records,
            summary: Document::of(&self.summary),
        }
    }
}

impl EarlierPage {
    const fn state(&self) -> PageState<'_> {
        PageState {
            page: &self.page,
            site: self.memory.site,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::content_changes::{ChangeSource, PageOwner};
    use crate::findings::sample_pages::{paragraphs, set_title};
    use crate::observation::web_site::{CrawlScope, Fetched, WebPage};

    fn changes() -> SiteChanges {
        SiteChanges::new(ChangeContext {
            project_id: 7,
            scope: CrawlScope::from_host("example.com"),
            source: ChangeSource::Manual,
            owner: PageOwner::Own,
        })
    }

    fn page(title: &str) -> PageContent {
        let mut page = paragraphs(&["Cups of all kinds, made by hand."]);
        set_title(&mut page, title);
        page
    }

    fn facts(inlinks: u32) -> SiteFacts {
        SiteFacts {
            inlinks: Some(inlinks),
            pages_with_same_text: Some(0),
        }
    }

    fn kept(page: PageContent, memory: &PageMemory) -> EarlierPage {
        // As read back from the storage.
        let memory = serde_json::to_string(memory).unwrap();
        EarlierPage {
            page,
            memory: serde_json::from_str(&memory).unwrap(),
        }
    }

    #[test]
    fn only_the_second_visit_has_a_record() {
        let mut first = changes();
        let visited = first.compare_page(&page("Cups"), facts(3), None);
        assert_eq!((visited.record, visited.baseline), (None, Baseline::After));
        assert_eq!(first.summary().records, 0);

        let earlier = kept(page("Cups"), &visited.memory);
        let mut second = changes();
        let visited = second.compare_page(&page("Bowls"), facts(3), Some(&earlier));
        let record = visited.record.unwrap();
        assert_eq!(record.changed, Some(true));
        assert_eq!(record.fields.len(), 1, "{:?}", record.fields);
        assert_eq!(visited.memory.history.comparisons, 1);
        let summary = second.summary();
        assert_eq!(summary.records, 1);
        assert!(summary.summary.as_str().contains("\"changed\":1"));
    }

    #[test]
    fn responses_that_are_no_page_are_listed_once() {
        let start = "https://example.com/".to_owned();
        let scope = CrawlScope::from_host("example.com");
        let mut site = SiteObservation::started(start, scope, DateTime::UNIX_EPOCH);
        let check = |url: &str, kind: &str| {
            let mut fetched = Fetched::plain(url, 200);
            fetched.content_type = Some(kind.to_owned());
            TargetCheck {
                url: url.to_owned(),
                state: CheckState::Requested {
                    fetched,
                    names: None,
                },
            }
        };
        let read = page("Cups");
        site.pages.push(WebPage::from(&read));
        let file = check("https://example.com/file", "application/pdf");
        site.checks = vec![
            check(&read.url, "application/pdf"),
            file.clone(),
            check("https://example.com/html", "text/html"),
            check("https://elsewhere.example/file", "application/pdf"),
        ];
        site.revisits = vec![file.clone()];
        assert_eq!(checks_without_page(&site), std::slice::from_ref(&file));
        let reason = unread_reason(&file, DateTime::UNIX_EPOCH);
        assert!(
            matches!(reason, Some(Unread::OtherMediaType(_))),
            "{reason:?}"
        );
    }

    #[test]
    fn a_failing_page_keeps_its_baseline() {
        let visited = changes().compare_page(&page("Cups"), facts(3), None);
        let mut earlier = kept(page("Cups"), &visited.memory);
        let gone = Fetched::plain(&earlier.page.url, 404);
        let mut changed = Vec::new();
        for _ in 0..3 {
            let visited = changes().compare_unread(&earlier, Unread::Failed(&gone));
            assert_eq!(visited.baseline, Baseline::Before);
            changed.push(visited.record.unwrap().changed);
            earlier = kept(earlier.page, &visited.memory);
        }
        assert_eq!(changed, [None, Some(true), Some(false)]);
        assert_eq!(earlier.memory.site, facts(3));
    }
}
