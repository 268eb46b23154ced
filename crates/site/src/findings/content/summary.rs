use super::{record::ContentRecord, rendered::RenderState};
use crate::ToSchema;
use crate::findings::broken_links::Severity;
use crate::findings::envelope::rounded;
use crate::findings::issues::{Issue, IssueCode, IssueGroup, info};
use crate::site_graph::Sitemap;
use crate::text::language::tags::language_code;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Example pages of a code.
const MAX_EXAMPLES: usize = 10;

/// How many pages have an issue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeCount {
    /// The worst severity that it has somewhere.
    pub severity: Severity,
    /// Pages, or addresses that are none.
    pub urls: u32,
    /// How often in all: the sum of `count` over these. Of what a page has as a whole, such as a title that
    /// others have too, as many as `urls`.
    pub occurrences: u32,
    /// Some of the addresses.
    pub examples: Vec<String>,
}

/// A sitemap, as it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SitemapLine {
    /// Where.
    pub url: String,
    /// Whether robots.txt or another sitemap names it; without a named one the default URL is fetched.
    pub named: bool,
    /// The status of the answer; null where there was none.
    pub status: Option<u16>,
    /// Why it could not be read, or not to its end; null where it was.
    pub problem: Option<String>,
    /// How many entries were read.
    pub entries: u32,
    /// How many of these are outside of the site's bounds (another host, scheme or port). Search engines
    /// leave them out unless that host's robots.txt names the sitemap.
    pub foreign_entries: u32,
    /// Some of them; at most 5.
    pub foreign_examples: Vec<String>,
}

impl SitemapLine {
    pub fn of(url: &str, sitemap: &Sitemap) -> Self {
        Self {
            url: url.to_owned(),
            named: sitemap.named,
            status: sitemap.status,
            problem: sitemap.problem.clone(),
            entries: sitemap.entries,
            foreign_entries: sitemap.foreign,
            foreign_examples: sitemap.foreign_examples.clone(),
        }
    }
}

/// An address of the site that answered, with nothing or with what could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnreadPage {
    /// Where.
    pub url: String,
    /// The status of the answer.
    pub status: u16,
    /// Why: `undecodableBody` (the body does not match its Content-Encoding), `decompressionBomb` (it
    /// decompresses to more than a hundred times its size), `contentEncoding` (an encoding that was not
    /// requested), `noContent` (an empty body: status 204 or 205, or an empty response without a type).
    pub reason: String,
}

/// The content of a site.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContentSummary {
    /// Pages that were read.
    pub pages: u32,
    /// Of these, indexable.
    pub indexable_pages: u32,
    /// Pages that prohibit indexing. Only those without a more specific code (such as `sitemapNoindex` or
    /// `paginationNoindex`) have the code `noindex`.
    #[serde(default)]
    pub noindex_pages: u32,
    /// Pages with an error.
    pub pages_with_errors: u32,
    /// Pages with a warning.
    pub pages_with_warnings: u32,
    /// Pages with a notice.
    pub pages_with_notices: u32,
    /// 100·(1 − pages with an error / pages), as Ahrefs defines it; null without pages.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub health_score: Option<f64>,
    /// The mean over the groups of the catalogue of 100·(1 − Σ w·affected share), not below 0; w is 1
    /// for errors, 0.4 for warnings, 0.1 for notices. Null without pages.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub weighted_health: Option<f64>,
    /// Mean content score of the indexable pages that have one; null without any.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub average_content_score: Option<f64>,
    /// Pages that this is the mean of.
    #[serde(default)]
    pub scored_pages: u32,
    /// Words of all main texts that were read whole.
    pub words: u64,
    /// Pages with little own text.
    pub thin_pages: u32,
    /// Pages with an exact duplicate.
    pub duplicate_pages: u32,
    /// Pages that a browser rendered; 0 where no rendering was requested.
    pub rendered_pages: u32,
    /// Pages that a browser failed to render.
    pub render_failures: u32,
    /// Pages by language, as its code of ISO 639-1 (of ISO 639-3 where that has none): the declared one,
    /// or else the detected one.
    pub languages: BTreeMap<String, u32>,
    /// Addresses of the site that answered, with nothing or with what could not be read; they have no
    /// record.
    #[serde(default)]
    pub unread_pages: u32,
    /// Some of them; at most 10.
    #[serde(default)]
    pub unread_examples: Vec<UnreadPage>,
    /// The site's sitemaps.
    #[serde(default)]
    pub sitemaps: Vec<SitemapLine>,
    /// Codes by how many addresses have them.
    pub issues: BTreeMap<IssueCode, CodeCount>,
    #[serde(skip)]
    sum_of_scores: f64,
    #[serde(skip)]
    affected: BTreeMap<(IssueGroup, Severity), u32>,
}

crate::json!(ContentSummary);

impl ContentSummary {
    pub fn add(&mut self, record: &ContentRecord) {
        self.pages += 1;
        self.indexable_pages += u32::from(record.indexable);
        let has = |severity| record.issues.iter().any(|it| it.severity == severity);
        self.pages_with_errors += u32::from(has(Severity::Error));
        self.pages_with_warnings += u32::from(has(Severity::Warning));
        self.pages_with_notices += u32::from(has(Severity::Notice));
        if let Some(score) = record.content_score.filter(|_| record.indexable) {
            self.sum_of_scores += score;
            self.scored_pages += 1;
        }
        self.words += u64::from(record.main_word_count.unwrap_or_default());
        self.thin_pages += u32::from(record.thin == Some(true));
        self.noindex_pages += u32::from(record.noindex);
        self.duplicate_pages += u32::from(!record.uniqueness.exact_duplicates.is_empty());
        match record.rendered.as_ref().map(|it| it.state) {
            Some(RenderState::Failed) => self.render_failures += 1,
            Some(_) => self.rendered_pages += 1,
            None => {}
        }
        let page_language = &record.language;
        let declared = page_language.declared.as_deref().and_then(language_code);
        if let Some(language) = declared.or_else(|| page_language.detected.clone()) {
            *self.languages.entry(language).or_default() += 1;
        }
        let groups: BTreeSet<(IssueGroup, Severity)> = { record.issues.iter() }
            .map(|it| (info(it.code).group, it.severity))
            .collect();
        for key in groups {
            *self.affected.entry(key).or_default() += 1;
        }
        let url = record.envelope.url.as_deref().unwrap_or_default();
        self.add_issues(url, &record.issues);
    }

    /// Adds issues of a URL: a page, a file, or a page that does not work.
    pub fn add_issues(&mut self, url: &str, issues: &[Issue]) {
        let mut seen = BTreeSet::new();
        for issue in issues {
            let count = self.issues.entry(issue.code).or_insert_with(|| CodeCount {
                severity: issue.severity,
                urls: 0,
                occurrences: 0,
                examples: Vec::new(),
            });
            count.severity = count.severity.min(issue.severity);
            count.occurrences = count.occurrences.saturating_add(issue.count);
            if seen.insert(issue.code) {
                count.urls += 1;
                if count.examples.len() < MAX_EXAMPLES {
                    count.examples.push(url.to_owned());
                }
            }
        }
    }

    pub fn add_unread(&mut self, page: UnreadPage) {
        self.unread_pages += 1;
        let at = self.unread_examples.partition_point(|it| it.url < page.url);
        self.unread_examples.insert(at, page);
        self.unread_examples.truncate(MAX_EXAMPLES);
    }

    /// By severity, then by number of URLs.
    pub fn worst_first(&self) -> Vec<(IssueCode, &CodeCount)> {
        let mut issues: Vec<_> = self
            .issues
            .iter()
            .map(|(code, count)| (*code, count))
            .collect();
        issues.sort_by_key(|(code, count)| (count.severity, Reverse(count.urls), *code));
        issues
    }

    /// Computes shares and means; call after the last record.
    #[must_use]
    pub fn finished(mut self) -> Self {
        if self.pages == 0 {
            return self;
        }
        let pages = f64::from(self.pages);
        self.health_score = Some(100.0 * (1.0 - f64::from(self.pages_with_errors) / pages));
        let of_group = |group: &IssueGroup| {
            let weights = [
                (Severity::Error, 1.0),
                (Severity::Warning, 0.4),
                (Severity::Notice, 0.1),
            ];
            let parts = weights.into_iter().map(|(severity, weight)| {
                let affected = self.affected.get(&(*group, severity)).copied();
                weight * f64::from(affected.unwrap_or_default()) / pages
            });
            parts.sum::<f64>().min(1.0)
        };
        let groups = f64::from(u32::try_from(IssueGroup::ALL.len()).unwrap_or(u32::MAX));
        let lost: f64 = IssueGroup::ALL.iter().map(of_group).sum();
        self.weighted_health = Some(100.0 * (1.0 - lost / groups));
        self.average_content_score =
            (self.scored_pages > 0).then(|| self.sum_of_scores / f64::from(self.scored_pages));
        self
    }
}
