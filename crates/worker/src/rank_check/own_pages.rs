use crate::{WorkerContext, attempt_state::AttemptFailure, site_audit::earlier_page};
use analysis::findings::cannibalization::PageFacts;
use analysis::findings::content::LanguageFacts;
use analysis::findings::site_changes::EarlierPage;
use analysis::observation::page_content::{PageContent, TagSource};
use analysis::observation::web_site::Truncation;
use analysis::search_intent;
use analysis::text::similarity::{jaccard, shingles};
use analysis::url_rules::page_key;
use domain::{job::Job, ports::storage::StorageError, results::OwnSnapshot};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};

/// Pages per batch, to bound memory.
const PAGES: usize = 50;

/// By page key.
#[derive(Default)]
pub(super) struct OwnPages {
    pub(super) facts: BTreeMap<String, PageFacts>,
    /// Similarity of two main texts; the smaller key first.
    pub(super) similarities: BTreeMap<(String, String), f64>,
}

/// Loads only pages that compete for a keyword.
pub(super) async fn own_pages(
    tools: &WorkerContext,
    job: &Job,
    keywords: &[Vec<OwnSnapshot>],
) -> Result<OwnPages, AttemptFailure> {
    let url_sets: Vec<BTreeSet<&str>> = keywords.iter().map(|it| competing(it)).collect();
    let urls: BTreeSet<&str> = url_sets.iter().flatten().copied().collect();
    let urls: Vec<String> = urls.into_iter().map(str::to_owned).collect();
    let mut facts = BTreeMap::new();
    let mut texts = BTreeMap::new();
    for urls in urls.chunks(PAGES) {
        let mut read = tools.core.storage.read().await?;
        let kept = read
            .pages()
            .find_by_urls(job.account, job.project, urls)
            .await?;
        drop(read);
        tokio::task::block_in_place(|| {
            for kept in &kept {
                let key = page_key(&kept.url);
                let known = earlier_page(kept)?;
                texts.extend(text(&known.page).map(|it| (key.clone(), it)));
                facts.insert(key, facts_of(&known));
            }
            Ok::<_, StorageError>(())
        })?;
    }
    Ok(OwnPages {
        similarities: similarities(&url_sets, &texts),
        facts,
    })
}

/// The own pages of a keyword, if more than one.
fn competing(snapshots: &[OwnSnapshot]) -> BTreeSet<&str> {
    let places = snapshots.iter().flat_map(|it| &it.places);
    let urls: BTreeSet<&str> = places.map(|it| it.url.as_str()).collect();
    if urls.len() < 2 {
        return BTreeSet::new();
    }
    urls
}

fn facts_of(known: &EarlierPage) -> PageFacts {
    let page = &known.page;
    let title = page.title();
    let language = LanguageFacts::of(page);
    let language = language.declared.or(language.detected).unwrap_or_default();
    let language = language.split('-').next().unwrap_or_default();
    let canonical = page.canonical_by_script().or(page.canonical());
    let alternates = { page.hreflangs.iter() }.filter(|it| it.source != TagSource::Body);
    PageFacts {
        title: title.map(str::to_owned),
        intent: title.and_then(|title| search_intent::classify(title, language, None)),
        word_count: is_whole(page).then_some(page.text.counts.words as u64),
        canonical: canonical.map(str::to_owned),
        redirects_to: known.memory.history.moved_to().map(str::to_owned),
        alternates: alternates.filter_map(|it| it.url.clone()).collect(),
        ..PageFacts::default()
    }
}

/// Shingles of the main text; `None` if it is empty or truncated.
fn text(page: &PageContent) -> Option<Vec<u64>> {
    let shingles = shingles(&page.text.main.text());
    (is_whole(page) && !shingles.is_empty()).then_some(shingles)
}

fn is_whole(page: &PageContent) -> bool {
    page.fetched.truncation == Truncation::None
}

fn similarities(
    url_sets: &[BTreeSet<&str>],
    texts: &BTreeMap<String, Vec<u64>>,
) -> BTreeMap<(String, String), f64> {
    let mut similarities = BTreeMap::new();
    for urls in url_sets {
        let keys: BTreeSet<String> = urls.iter().map(|url| page_key(url)).collect();
        for one in &keys {
            for other in keys.range::<str, _>((Excluded(one.as_str()), Unbounded)) {
                if let (Some(text), Some(other_text)) = (texts.get(one), texts.get(other)) {
                    { similarities.entry((one.clone(), other.clone())) }
                        .or_insert_with(|| jaccard(text, other_text));
                }
            }
        }
    }
    similarities
}
