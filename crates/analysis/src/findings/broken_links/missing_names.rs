//! Names that fragments miss by case or punctuation only.
//!
//! In memory are hashes of names; their texts stand in the journal. What a link wants to know of
//! another page is noted in the first walk and found when that page comes by: in the first walk,
//! where it comes behind the link, and else in the second one, before the link.

use super::{
    fragment::{FragmentCheck, examine},
    on_page::OnPage,
    site_index::{Known, Names, SiteIndex},
};
use crate::observation::{page_content::PageContent, web_site::LinkTarget};
use std::collections::{BTreeMap, HashMap};

/// What is wanted of pages, by their places, and what was found.
#[derive(Debug, Clone, Default)]
pub(super) struct MissingNames {
    wanted: HashMap<usize, BTreeMap<String, Option<Box<str>>>>,
}

impl MissingNames {
    /// Notes what a link misses, where only the page itself tells.
    pub(super) fn want(&mut self, found: &OnPage<'_>, index: &SiteIndex) {
        let LinkTarget::Web { url, fragment } = &found.first.target else {
            return;
        };
        let Known::Asked { answer, names, .. } = index.know(url) else {
            return;
        };
        let key = fragment.as_deref().and_then(key);
        if let (Some(Names::Hashes(_)), Some(key)) = (names, key)
            && let Some(place) = index.place_of_page(answer.landed())
        {
            self.wanted
                .entry(place)
                .or_default()
                .entry(key)
                .or_default();
        }
    }

    /// Looks for what is wanted of a page.
    pub(super) fn look_for(&mut self, page: &PageContent, index: &SiteIndex) {
        if self.wanted.is_empty() {
            return;
        }
        let place = index.place_of_page(&page.url);
        let Some(wanted) = place.and_then(|it| self.wanted.get_mut(&it)) else {
            return;
        };
        // The first of names that are alike wins, so it is entered last.
        let by_key: HashMap<String, &String> = page
            .names
            .iter()
            .rev()
            .map(|it| (letters(it), it))
            .collect();
        for (key, found) in wanted {
            *found = by_key.get(key).map(|it| it.as_str().into());
        }
    }

    /// The name of a target that a fragment misses by case or punctuation only.
    pub(super) fn name_like(&self, fragment: &str, url: &str, index: &SiteIndex) -> Option<String> {
        let key = key(fragment)?;
        let Known::Asked { answer, names, .. } = index.know(url) else {
            return None;
        };
        match names? {
            Names::Texts(names) => names.iter().find(|it| letters(it) == key).cloned(),
            Names::Hashes(_) => {
                let place = index.place_of_page(answer.landed())?;
                let found = self.wanted.get(&place)?.get(&key)?;
                found.as_deref().map(str::to_owned)
            }
        }
    }
}

/// What of a fragment has to be alike; `None` where nothing is missing or it has no letters.
fn key(fragment: &str) -> Option<String> {
    let FragmentCheck::NeedsName(_, wanted) = examine(fragment) else {
        return None;
    };
    Some(letters(&wanted)).filter(|it| !it.is_empty())
}

fn letters(text: &str) -> String {
    text.chars()
        .filter(|it| it.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
