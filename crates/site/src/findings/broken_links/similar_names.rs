//! Names that differ from a missing fragment only in case or punctuation. Memory holds only hashes of names, so a
//! wanted name gets its text when its page is read: in the first pass, or in the second if the page came earlier.

use super::page_targets::PageTarget;
use super::site_index::{Names, Resolved, SiteIndex};
use crate::fragment::{FragmentCheck, parse_fragment};
use crate::observation::page_content::PageContent;
use crate::observation::web_site::LinkTarget;
use crate::text::similarity::fnv1a;
use std::collections::{HashMap, HashSet};

/// Position of a page, and the hash of a name's letters.
type NameKey = (usize, u64);

#[derive(Debug, Default)]
pub(super) struct WantedNames {
    pages: HashSet<usize>,
    names: HashMap<NameKey, Option<Box<str>>>,
}

impl WantedNames {
    pub(super) fn add(&mut self, found: &PageTarget<'_>, index: &SiteIndex) {
        let LinkTarget::Web { url, fragment } = &found.first.target else {
            return;
        };
        let key = fragment.as_deref().and_then(match_key);
        if let Some(key) = key
            && let Resolved::Checked {
                response: answer,
                names,
                ..
            } = index.resolve(url)
            && let Some(Names::Hashes(_)) = names
            && let Some(place) = index.page_index(answer.final_url())
        {
            self.pages.insert(place);
            self.names
                .entry((place, fnv1a(key.as_bytes())))
                .or_default();
        }
    }

    pub(super) fn scan_page(&mut self, page: &PageContent, index: &SiteIndex) {
        for (wanted, name) in self.matches_on(page, index) {
            self.names.insert(wanted, Some(name.into()));
        }
    }

    /// Wanted names of a page in reverse order, so that the first of similar names wins.
    fn matches_on<'a>(&self, page: &'a PageContent, index: &SiteIndex) -> Vec<(NameKey, &'a str)> {
        let place = index.page_index(&page.url);
        let Some(place) = place.filter(|it| self.pages.contains(it)) else {
            return Vec::new();
        };
        let names = page.names.iter().rev();
        names
            .map(|it| ((place, fnv1a(letters(it).as_bytes())), it.as_str()))
            .filter(|it| self.names.contains_key(&it.0))
            .collect()
    }
}

/// [`WantedNames`] in the second pass.
#[derive(Debug)]
pub(super) struct SimilarNames<'a> {
    first_pass: &'a WantedNames,
    /// Names of pages that were read before the links to them.
    second_pass: HashMap<NameKey, Box<str>>,
}

impl<'a> SimilarNames<'a> {
    pub(super) fn new(before: &'a WantedNames) -> Self {
        Self {
            first_pass: before,
            second_pass: HashMap::new(),
        }
    }

    pub(super) fn scan_page(&mut self, page: &PageContent, index: &SiteIndex) {
        for (wanted, name) in self.first_pass.matches_on(page, index) {
            if self
                .first_pass
                .names
                .get(&wanted)
                .is_none_or(Option::is_none)
            {
                self.second_pass.insert(wanted, name.into());
            }
        }
    }

    pub(super) fn similar_name(
        &self,
        fragment: &str,
        url: &str,
        index: &SiteIndex,
    ) -> Option<String> {
        let key = match_key(fragment)?;
        let Resolved::Checked {
            response: answer,
            names,
            ..
        } = index.resolve(url)
        else {
            return None;
        };
        match names? {
            Names::Texts(names) => names.iter().find(|it| letters(it) == key).cloned(),
            Names::Hashes(_) => {
                let place = index.page_index(answer.final_url())?;
                let wanted = (place, fnv1a(key.as_bytes()));
                let before = self.first_pass.names.get(&wanted).and_then(Option::as_ref);
                let found = before.or_else(|| self.second_pass.get(&wanted))?;
                Some(found.to_string())
            }
        }
    }
}

/// The letters of a fragment's name; `None` if it needs no name or has no letters.
fn match_key(fragment: &str) -> Option<String> {
    let FragmentCheck::NeedsName(_, wanted) = parse_fragment(fragment) else {
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
