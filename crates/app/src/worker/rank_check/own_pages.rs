//! What the last site audit knows of own pages that search pages show.

use crate::worker::{Tools, attempt::Broken};
use analysis::{
    findings::{cannibalization::PageFacts, content::ContentRecord},
    result_type::ResultType,
    search_intent,
    url_rules::page_key,
};
use domain::{job::Job, ports::storage::StorageError, results::OwnSnapshot};
use std::collections::{BTreeMap, BTreeSet};

/// Own pages, by their page keys.
#[derive(Default)]
pub(super) struct OwnPages {
    pub(super) facts: BTreeMap<String, PageFacts>,
    /// How alike two main texts are; the smaller key first.
    pub(super) similarities: BTreeMap<(String, String), f64>,
}

/// Of the pages that compete for a keyword: those alone are asked for.
pub(super) async fn own_pages(
    tools: &Tools,
    job: &Job,
    keywords: &[Vec<OwnSnapshot>],
) -> Result<OwnPages, Broken> {
    let urls: BTreeSet<&str> = keywords.iter().flat_map(|it| competing(it)).collect();
    if urls.is_empty() {
        return Ok(OwnPages::default());
    }
    let urls: Vec<String> = urls.into_iter().map(str::to_owned).collect();
    let mut read = tools.storage.read().await?;
    let records = read
        .results()
        .about_pages(job.account, job.project, ResultType::Content, &urls)
        .await?;
    drop(read);
    let mut pages = OwnPages::default();
    for record in records {
        let record = record.parse().map_err(|_| StorageError::Corrupt {
            what: "a content record",
        })?;
        pages.add(&record);
    }
    Ok(pages)
}

/// The own pages of a keyword, unless it has only one.
fn competing(snapshots: &[OwnSnapshot]) -> BTreeSet<&str> {
    let places = snapshots.iter().flat_map(|it| &it.places);
    let urls: BTreeSet<&str> = places.map(|it| it.url.as_str()).collect();
    if urls.len() < 2 {
        return BTreeSet::new();
    }
    urls
}

impl OwnPages {
    fn add(&mut self, record: &ContentRecord) {
        let Some(url) = record.envelope.url.as_deref() else {
            return;
        };
        let key = page_key(url);
        let title = record.title.text.clone();
        let language = record.language.declared.as_deref();
        let language = language.or(record.language.detected.as_deref());
        let language = language.and_then(|it| it.split('-').next());
        if let Some(nearest) = &record.uniqueness.nearest {
            let other = page_key(&nearest.url);
            let pair = (key.clone().min(other.clone()), key.clone().max(other));
            self.similarities.insert(pair, nearest.similarity);
        }
        let intent = title
            .as_deref()
            .and_then(|title| search_intent::of(title, language.unwrap_or_default(), None));
        let facts = PageFacts {
            title,
            intent,
            word_count: record.main_word_count.map(u64::from),
            ..PageFacts::default()
        };
        self.facts.insert(key, facts);
    }
}
