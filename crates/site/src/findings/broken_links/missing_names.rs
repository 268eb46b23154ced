//! Names that differ from a missing fragment only in case or punctuation. Memory holds only hashes of names, so a
//! wanted name gets its text when its page is read: in the first pass, or in the second if the page came earlier.

use super::on_page::OnPage;
use super::site_index::{Known, Names, SiteIndex};
use crate::fragment::{FragmentCheck, examine};
use crate::observation::page_content::PageContent;
use crate::observation::web_site::LinkTarget;
use crate::text::likeness::hash_of;
use std::collections::{HashMap, HashSet};

/// Position of a page, and the hash of a name's letters.
type Wanted = (usize, u64);

#[derive(Debug, Default)]
pub(super) struct MissingNames {
    pages: HashSet<usize>,
    names: HashMap<Wanted, Option<Box<str>>>,
}

impl MissingNames {
    pub(super) fn want(&mut self, found: &OnPage<'_>, index: &SiteIndex) {
        let LinkTarget::Web { url, fragment } = &found.first.target else {
            return;
        };
        let key = fragment.as_deref().and_then(key);
        if let Some(key) = key
            && let Known::Asked { answer, names, .. } = index.know(url)
            && let Some(Names::Hashes(_)) = names
            && let Some(place) = index.place_of_page(answer.landed())
        {
            self.pages.insert(place);
            self.names
                .entry((place, hash_of(key.as_bytes())))
                .or_default();
        }
    }

    pub(super) fn look_for(&mut self, page: &PageContent, index: &SiteIndex) {
        for (wanted, name) in self.found_on(page, index) {
            self.names.insert(wanted, Some(name.into()));
        }
    }

    /// Wanted names of a page in reverse order, so that the first of similar names wins.
    fn found_on<'a>(&self, page: &'a PageContent, index: &SiteIndex) -> Vec<(Wanted, &'a str)> {
        let place = index.place_of_page(&page.url);
        let Some(place) = place.filter(|it| self.pages.contains(it)) else {
            return Vec::new();
        };
        let names = page.names.iter().rev();
        names
            .map(|it| ((place, hash_of(letters(it).as_bytes())), it.as_str()))
            .filter(|it| self.names.contains_key(&it.0))
            .collect()
    }
}

/// [`MissingNames`] in the second pass.
#[derive(Debug)]
pub(super) struct FoundNames<'a> {
    before: &'a MissingNames,
    /// Names of pages that were read before the links to them.
    now: HashMap<Wanted, Box<str>>,
}

impl<'a> FoundNames<'a> {
    pub(super) fn new(before: &'a MissingNames) -> Self {
        Self {
            before,
            now: HashMap::new(),
        }
    }

    pub(super) fn look_for(&mut self, page: &PageContent, index: &SiteIndex) {
        for (wanted, name) in self.before.found_on(page, index) {
            if self.before.names.get(&wanted).is_none_or(Option::is_none) {
                self.now.insert(wanted, name.into());
            }
        }
    }

    pub(super) fn name_like(&self, fragment: &str, url: &str, index: &SiteIndex) -> Option<String> {
        let key = key(fragment)?;
        let Known::Asked { answer, names, .. } = index.know(url) else {
            return None;
        };
        match names? {
            Names::Texts(names) => names.iter().find(|it| letters(it) == key).cloned(),
            Names::Hashes(_) => {
                let place = index.place_of_page(answer.landed())?;
                let wanted = (place, hash_of(key.as_bytes()));
                let before = self.before.names.get(&wanted).and_then(Option::as_ref);
                let found = before.or_else(|| self.now.get(&wanted))?;
                Some(found.to_string())
            }
        }
    }
}

/// The letters of a fragment's name; `None` if it needs no name or has no letters.
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
