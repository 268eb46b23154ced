//! Chooses the pages for speed measurements: the home page, and pages that keywords rank with or target.

use super::Core;
use crate::ids::{AccountId, ProjectId};
use crate::keyword::Keyword;
use crate::ports::storage::StorageError;
use crate::project::Project;
use analysis::result_type::ResultType;
use analysis::url_rules::{SiteScope, normalized, page_key};
use std::collections::HashMap;

/// Keywords held in memory at once.
const BATCH: u32 = 200;

/// A page with its rank: best position first, pages that are only targets last.
struct Candidate {
    url: String,
    position: Option<u32>,
    /// Number of keywords that rank with or target it.
    keywords: u32,
}

impl Core {
    /// The best pages besides the home page, which counts toward `max_pages`: pages that active keywords
    /// rank with, by best position, then keyword targets, each by number of keywords.
    ///
    /// Simulated positions do not belong to real pages: then only targets count.
    pub async fn choose_pages(
        &self,
        project: &Project,
        max_pages: u32,
    ) -> Result<Vec<String>, StorageError> {
        let with_ranks = self.ranks_are_real(project.account, project.id).await?;
        let site = SiteScope::of(project.domain.ascii());
        let home = page_key(&format!("https://{}/", project.domain.ascii()));
        let mut found: HashMap<String, Candidate> = HashMap::new();
        let mut keywords = self.walk_keywords(project.account, project.id, BATCH);
        while let Some(batch) = keywords.next().await? {
            for keyword in &batch {
                for (url, position) in pages_of(keyword, with_ranks) {
                    let key = page_key(url);
                    if key != home && site.owns(url) {
                        add_candidate(&mut found, key, url, position);
                    }
                }
            }
        }
        let mut found: Vec<Candidate> = found.into_values().collect();
        found.sort_by(|one, other| {
            let place = |it: &Candidate| it.position.unwrap_or(u32::MAX);
            place(one)
                .cmp(&place(other))
                .then(other.keywords.cmp(&one.keywords))
                .then_with(|| one.url.cmp(&other.url))
        });
        found.truncate(max_pages.saturating_sub(1) as usize);
        Ok(found.into_iter().map(|it| it.url).collect())
    }

    async fn ranks_are_real(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<bool, StorageError> {
        let mut read = self.storage.read().await?;
        let head = read
            .results()
            .head(account, project, ResultType::Rankings)
            .await?;
        Ok(head.is_some_and(|it| !it.provenance.is_simulated()))
    }
}

/// The page that a keyword ranks with, and its target.
fn pages_of(
    keyword: &Keyword,
    with_ranks: bool,
) -> impl Iterator<Item = (&str, Option<u32>)> + use<'_> {
    let latest = keyword.latest.as_ref().filter(|_| with_ranks);
    let ranked = latest.and_then(|it| Some((it.url.as_deref()?, Some(it.position?))));
    let target = keyword.target_url.as_deref().map(|it| (it, None));
    ranked.into_iter().chain(target)
}

fn add_candidate(
    found: &mut HashMap<String, Candidate>,
    key: String,
    url: &str,
    position: Option<u32>,
) {
    // Not an http(s) URL, so not a page.
    let Some(url) = normalized(url) else {
        return;
    };
    let candidate = found.entry(key).or_insert_with(|| Candidate {
        url: url.clone(),
        position: None,
        keywords: 0,
    });
    candidate.keywords = candidate.keywords.saturating_add(1);
    let is_better = match (candidate.position, position) {
        (Some(before), Some(now)) => now < before,
        (before, now) => before.is_none() && now.is_some(),
    };
    if is_better {
        candidate.position = position;
        candidate.url = url;
    }
}

#[cfg(test)]
mod tests;
