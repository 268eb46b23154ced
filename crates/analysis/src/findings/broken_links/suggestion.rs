//! What to link to instead.

use super::{
    fragment::{FragmentCheck, examine},
    judge::Judged,
    record::{SuggestedTarget, SuggestionReason},
    site_index::{Known, SiteIndex},
    verdict::{Outcome, Verdict},
};
use crate::{
    observation::web_site::{LinkTarget, PageLink, WebPage},
    text::{likeness::shared_words, words::words},
};
use std::collections::{BTreeSet, HashMap};
use url::Url;

/// Below this, titles and link texts only resemble each other by chance.
const LEAST_TITLE_LIKENESS: f64 = 0.6;

/// Working pages by the words that lead to them.
pub(super) struct Suggestions<'a> {
    index: &'a SiteIndex<'a>,
    by_slug: HashMap<String, Vec<&'a WebPage>>,
    by_title_word: HashMap<String, Vec<usize>>,
}

impl<'a> Suggestions<'a> {
    pub(super) fn from(index: &'a SiteIndex<'a>) -> Self {
        let mut by_slug: HashMap<String, Vec<&WebPage>> = HashMap::new();
        let mut by_title_word: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, page) in index.in_order.iter().enumerate() {
            if !page.fetched.is_success() {
                continue;
            }
            if let Some(slug) = slug(&page.url) {
                by_slug.entry(slug).or_default().push(page);
            }
            let title = page.title.as_deref().unwrap_or_default().to_lowercase();
            for word in words(&title).collect::<BTreeSet<_>>() {
                by_title_word
                    .entry(word.to_owned())
                    .or_default()
                    .push(number);
            }
        }
        Self {
            index,
            by_slug,
            by_title_word,
        }
    }

    /// The best replacement, if any is worth naming.
    pub(super) fn for_link(&self, judged: &Judged<'_>, link: &PageLink) -> Option<SuggestedTarget> {
        let LinkTarget::Web { url, fragment } = &link.target else {
            return None;
        };
        match (judged.verdict, judged.verdict.outcome()) {
            (Verdict::RedirectToHome, _) => self.page_like(url, link),
            (_, Outcome::Redirected) => redirect_of(judged, fragment.as_deref()),
            (Verdict::MissingFragment, _) => self.fragment_like(url, fragment.as_deref()?),
            (_, Outcome::Broken) if judged.is_internal => self.page_like(url, link),
            _ => None,
        }
    }

    fn page_like(&self, url: &str, link: &PageLink) -> Option<SuggestedTarget> {
        self.same_slug(url)
            .or_else(|| self.closest_title(url, link.text.as_deref()?))
    }

    fn same_slug(&self, url: &str) -> Option<SuggestedTarget> {
        let candidates = self.by_slug.get(&slug(url)?)?;
        let (page, shared) = candidates
            .iter()
            .filter(|it| it.url != url)
            .map(|it| (it, shared_words(path(&it.url).as_str(), path(url).as_str())))
            .max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.url.cmp(&a.0.url)))?;
        Some(SuggestedTarget {
            url: page.url.clone(),
            reason: SuggestionReason::SameSlug,
            score: two_decimals(0.5 + shared / 2.0),
        })
    }

    fn closest_title(&self, url: &str, text: &str) -> Option<SuggestedTarget> {
        let text = text.to_lowercase();
        let candidates: BTreeSet<usize> = words(&text)
            .filter_map(|word| self.by_title_word.get(word))
            .flatten()
            .copied()
            .collect();
        let (page, likeness) = candidates
            .into_iter()
            .map(|number| &self.index.in_order[number])
            .filter(|it| it.url != url)
            .map(|it| {
                (
                    it,
                    shared_words(it.title.as_deref().unwrap_or_default(), &text),
                )
            })
            .filter(|(_, likeness)| *likeness >= LEAST_TITLE_LIKENESS)
            .max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.url.cmp(&a.0.url)))?;
        Some(SuggestedTarget {
            url: page.url.clone(),
            reason: SuggestionReason::ClosestTitle,
            score: two_decimals(likeness),
        })
    }

    /// A fragment of the same page that differs in case or punctuation only.
    fn fragment_like(&self, url: &str, fragment: &str) -> Option<SuggestedTarget> {
        let FragmentCheck::NeedsName(_, wanted) = examine(fragment) else {
            return None;
        };
        let Known::Asked { fetched, names, .. } = self.index.know(url) else {
            return None;
        };
        let key = letters(&wanted);
        let name = names?
            .iter()
            .find(|it| letters(it) == key && !key.is_empty())?;
        Some(SuggestedTarget {
            url: format!("{}#{name}", fetched.final_url),
            reason: SuggestionReason::SameSlug,
            score: 0.9,
        })
    }
}

fn redirect_of(judged: &Judged<'_>, fragment: Option<&str>) -> Option<SuggestedTarget> {
    let fetched = judged.fetched?;
    let suffix = fragment.map(|it| format!("#{it}")).unwrap_or_default();
    Some(SuggestedTarget {
        url: format!("{}{suffix}", fetched.final_url),
        reason: SuggestionReason::Redirect,
        score: 1.0,
    })
}

/// The last path segment without its extension, lower case; nothing for a directory's index.
fn slug(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let last = url.path_segments()?.rfind(|it| !it.is_empty())?;
    let stem = last.split('.').next().unwrap_or(last).to_lowercase();
    (!stem.is_empty() && stem != "index").then_some(stem)
}

fn path(url: &str) -> String {
    Url::parse(url).map_or_else(|_| String::new(), |it| it.path().replace('/', " "))
}

fn letters(text: &str) -> String {
    text.chars()
        .filter(|it| it.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn two_decimals(score: f64) -> f64 {
    (score * 100.0).round() / 100.0
}
