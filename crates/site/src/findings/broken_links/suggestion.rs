use super::evaluate::EvaluatedLink;
use super::record::{SuggestedTarget, SuggestionReason};
use super::similar_names::SimilarNames;
use super::site_index::SiteIndex;
use super::verdict::{Outcome, Verdict};
use crate::observation::web_site::{LinkTarget, PageLink};
use crate::text::similarity::{dice_similarity, fnv1a};
use crate::text::words::words;
use std::collections::{BTreeSet, HashMap};
use url::Url;

/// Lower similarity of title and link text is chance.
const MIN_TITLE_SIMILARITY: f64 = 0.6;
const MAX_CACHED: usize = 4_096;

/// Working pages, indexed by hashes of words: hashes collide, so matches have to be verified.
#[derive(Debug)]
pub(super) struct Suggestions {
    /// Hash of the last path segment and index of the page, sorted.
    by_slug: Vec<(u32, u32)>,
    /// The same for each word of the title.
    by_title_word: Vec<(u32, u32)>,
    /// Recent results: links of a template repeat on every page.
    cache: HashMap<u64, Option<SuggestedTarget>>,
}

impl Suggestions {
    pub(super) fn new(index: &SiteIndex) -> Self {
        let (mut by_slug, mut by_title_word) = (Vec::new(), Vec::new());
        for (place, page) in (0..).zip(&index.pages) {
            if !page.is_success() {
                continue;
            }
            if let Some(slug) = slug(&page.url) {
                by_slug.push((short_hash(&slug), place));
            }
            let title = page.title.as_deref().unwrap_or_default().to_lowercase();
            by_title_word.extend(words(&title).map(|it| (short_hash(it), place)));
        }
        by_slug.sort_unstable();
        by_title_word.sort_unstable();
        by_title_word.dedup();
        Self {
            by_slug,
            by_title_word,
            cache: HashMap::new(),
        }
    }

    pub(super) fn for_link(
        &mut self,
        evaluated: &EvaluatedLink<'_>,
        link: &PageLink,
        index: &SiteIndex,
        names: &SimilarNames<'_>,
    ) -> Option<SuggestedTarget> {
        let LinkTarget::Web { url, fragment } = &link.target else {
            return None;
        };
        match (evaluated.verdict, evaluated.verdict.outcome()) {
            (Verdict::RedirectToHome, _) => self.similar_page(url, link, index),
            (_, Outcome::Redirected) => redirect_target(evaluated, fragment.as_deref()),
            (Verdict::MissingFragment, _) => {
                let name = names.similar_name(fragment.as_deref()?, url, index)?;
                Some(SuggestedTarget {
                    url: format!("{}#{name}", evaluated.response?.final_url()),
                    reason: SuggestionReason::SameSlug,
                    score: 0.9,
                })
            }
            (_, Outcome::Broken) if evaluated.is_internal => self.similar_page(url, link, index),
            _ => None,
        }
    }

    fn similar_page(
        &mut self,
        url: &str,
        link: &PageLink,
        index: &SiteIndex,
    ) -> Option<SuggestedTarget> {
        let text = link.text.as_deref();
        let key = fnv1a(format!("{url}\n{}", text.unwrap_or_default()).as_bytes());
        if let Some(known) = self.cache.get(&key) {
            return known.clone();
        }
        let found = self
            .same_slug(url, index)
            .or_else(|| self.closest_title(url, text?, index));
        if self.cache.len() >= MAX_CACHED {
            self.cache.clear();
        }
        self.cache.insert(key, found.clone());
        found
    }

    fn same_slug(&self, url: &str, index: &SiteIndex) -> Option<SuggestedTarget> {
        let slug_of_url = slug(url)?;
        let (page, shared) = { with_hash(&self.by_slug, short_hash(&slug_of_url)).iter() }
            .filter_map(|it| index.pages.get(it.1 as usize))
            .filter(|it| &*it.url != url && slug(&it.url).as_ref() == Some(&slug_of_url))
            .map(|it| {
                (
                    it,
                    dice_similarity(path(&it.url).as_str(), path(url).as_str()),
                )
            })
            .max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.url.cmp(&a.0.url)))?;
        Some(SuggestedTarget {
            url: page.url.to_string(),
            reason: SuggestionReason::SameSlug,
            score: two_decimals(0.5 + shared / 2.0),
        })
    }

    fn closest_title(&self, url: &str, text: &str, index: &SiteIndex) -> Option<SuggestedTarget> {
        let text = text.to_lowercase();
        let distinct: BTreeSet<&str> = words(&text).collect();
        let mut places: Vec<&[(u32, u32)]> = { distinct.iter() }
            .map(|it| with_hash(&self.by_title_word, short_hash(it)))
            .collect();
        // A Dice similarity of 0.6 needs 3/7 of the text's words, so one of the n + 1 − ⌈3n/7⌉
        // rarest is shared: words in every title need no lookup.
        places.sort_by_key(|it| it.len());
        places.truncate(places.len() + 1 - (3 * places.len()).div_ceil(7));
        let candidates: BTreeSet<usize> = { places.into_iter().flatten() }
            .map(|it| it.1 as usize)
            .collect();
        let (page, similarity) = candidates
            .into_iter()
            .filter_map(|place| index.pages.get(place))
            .filter(|it| &*it.url != url)
            .map(|it| {
                let title = it.title.as_deref().unwrap_or_default();
                (it, dice_similarity(title, &text))
            })
            .filter(|(_, similarity)| *similarity >= MIN_TITLE_SIMILARITY)
            .max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.url.cmp(&a.0.url)))?;
        Some(SuggestedTarget {
            url: page.url.to_string(),
            reason: SuggestionReason::ClosestTitle,
            score: two_decimals(similarity),
        })
    }
}

fn with_hash(sorted: &[(u32, u32)], hash: u32) -> &[(u32, u32)] {
    let from = sorted.partition_point(|it| it.0 < hash);
    let to = sorted.partition_point(|it| it.0 <= hash);
    &sorted[from..to]
}

fn short_hash(word: &str) -> u32 {
    let hash = fnv1a(word.as_bytes());
    u32::try_from((hash ^ (hash >> 32)) & u64::from(u32::MAX)).unwrap_or_default()
}

fn redirect_target(
    evaluated: &EvaluatedLink<'_>,
    fragment: Option<&str>,
) -> Option<SuggestedTarget> {
    let response = evaluated.response?;
    let suffix = fragment.map(|it| format!("#{it}")).unwrap_or_default();
    Some(SuggestedTarget {
        url: format!("{}{suffix}", response.final_url()),
        reason: SuggestionReason::Redirect,
        score: 1.0,
    })
}

/// The last path segment without its extension, lower case; `None` for `index`.
fn slug(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let last = url.path_segments()?.rfind(|it| !it.is_empty())?;
    let stem = last.split('.').next().unwrap_or(last).to_lowercase();
    (!stem.is_empty() && stem != "index").then_some(stem)
}

fn path(url: &str) -> String {
    Url::parse(url).map_or_else(|_| String::new(), |it| it.path().replace('/', " "))
}

fn two_decimals(score: f64) -> f64 {
    (score * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::page_content::{PageContent, PlacedText, TagSource};
    use crate::observation::web_site::{CrawlScope, CrawlStep, SiteObservation};
    use chrono::DateTime;
    use proptest::prelude::*;

    fn index(titles: &[String]) -> SiteIndex {
        let scope = CrawlScope::from_host("example.com");
        let start = "https://example.com/".to_owned();
        let mut site = SiteObservation::started(start, scope, DateTime::UNIX_EPOCH);
        for (number, title) in titles.iter().enumerate() {
            let mut page = PageContent::blank(&format!("https://example.com/{number}"));
            page.titles = vec![PlacedText {
                text: title.clone(),
                source: TagSource::Head,
            }];
            site.add(CrawlStep::Page(Box::new(page)));
        }
        SiteIndex::of(site)
    }

    proptest! {
        /// Compared with a scan of all pages.
        #[test]
        fn the_closest_title_is_found_by_its_words(
            titles in proptest::collection::vec("[abcd ]{0,9}", 1..12),
            text in "[abcd ]{1,9}",
        ) {
            let index = index(&titles);
            let found = Suggestions::new(&index).closest_title("other", &text, &index);
            let likeness = |title: &str| dice_similarity(title, &text);
            let best = { titles.iter() }
                .map(|it| likeness(it))
                .filter(|it| *it >= MIN_TITLE_SIMILARITY)
                .max_by(f64::total_cmp);
            prop_assert_eq!(found.map(|it| it.score), best.map(two_decimals));
        }
    }
}
