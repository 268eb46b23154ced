use analysis::{findings::cannibalization::PageFacts, url_rules::page_key};
use domain::keyword::Keyword;
use domain::ports::storage::StorageError;
use domain::use_cases::keywords::KeywordTask;
use domain::use_cases::own_searches::{OwnSearches, ShownPage};
use std::collections::BTreeMap;

/// Attaches Search Console data to all tasks with one read.
pub(super) async fn attach(
    own: &OwnSearches,
    tasks: &mut [KeywordTask],
) -> Result<(), StorageError> {
    let keywords: Vec<&Keyword> = tasks.iter().map(|it| &it.keyword).collect();
    let mut known = own.data_for(&keywords).await?;
    for task in tasks {
        task.own = known.remove(&task.keyword.id);
    }
    Ok(())
}

/// Adds one keyword's clicks and impressions to the facts; `None` if there are none.
pub(super) fn with_counts(
    facts: &BTreeMap<String, PageFacts>,
    shown: &[ShownPage],
) -> Option<BTreeMap<String, PageFacts>> {
    if shown.is_empty() {
        return None;
    }
    let mut facts = facts.clone();
    for page in shown {
        let fact = facts.entry(page_key(&page.url)).or_default();
        fact.clicks = Some(fact.clicks.unwrap_or(0).saturating_add(page.clicks));
        fact.impressions = Some(
            fact.impressions
                .unwrap_or(0)
                .saturating_add(page.impressions),
        );
    }
    Some(facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_address_are_one_page() {
        let page = |url: &str, clicks| ShownPage {
            url: url.to_owned(),
            clicks,
            impressions: 10,
        };
        let facts = BTreeMap::new();
        assert_eq!(with_counts(&facts, &[]), None);
        let shown = [
            page("https://acme.com/a", 3),
            page("http://www.acme.com/a", 4),
            page("https://acme.com/b", 0),
        ];
        let counted = with_counts(&facts, &shown).unwrap();
        let of = |url: &str| &counted[&page_key(url)];
        assert_eq!(of("https://acme.com/a").clicks, Some(7));
        assert_eq!(of("https://acme.com/a").impressions, Some(20));
        assert_eq!(of("https://acme.com/b").clicks, Some(0));
    }
}
