//! Classes of well-known domains, by our list; other domains are direct competitors unless their home page or the owner
//! says otherwise.

use crate::{ToSchema, page_type::PageType};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, sync::LazyLock};

crate::wire_enum! {
    /// What kind of site competes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum SiteClass {
        /// A business of the same kind.
        Direct = "direct",
        /// News, magazines, encyclopedias, forums.
        Publisher = "publisher",
        /// A place where many sell.
        Marketplace = "marketplace",
        /// Lists, reviews and comparisons of others.
        Directory = "directory",
        /// Where people put what they make: videos, social networks, blogs.
        Platform = "platform",
    }
}

impl SiteClass {
    /// By its schema.org types.
    pub fn from_home_page(types: &[String]) -> Option<Self> {
        let has = |names: &[&str]| {
            types.iter().any(|it| {
                let bare = it.rsplit(['/', '#', ':']).next().unwrap_or(it);
                names.contains(&bare)
            })
        };
        if has(&["NewsMediaOrganization", "Newspaper", "Periodical", "Blog"]) {
            Some(Self::Publisher)
        } else if has(&["DiscussionForumPosting", "SocialMediaPosting"]) {
            Some(Self::Platform)
        } else if has(&[
            "OnlineStore",
            "Store",
            "LocalBusiness",
            "Corporation",
            "OnlineBusiness",
        ]) {
            Some(Self::Direct)
        } else {
            None
        }
    }
}

/// `domain` must be registrable.
pub fn listed_class(domain: &str) -> Option<SiteClass> {
    entry(domain).map(|(class, _)| class)
}

/// The usual type of a listed domain's pages.
pub fn usual_page_type(domain: &str) -> Option<PageType> {
    entry(domain).and_then(|(_, page)| page)
}

/// By full name, then with any suffix (`amazon.*`), then by prefix or suffix of the label (`*forum`).
fn entry(domain: &str) -> Option<(SiteClass, Option<PageType>)> {
    let list = &*LIST;
    let label = domain.split('.').next().unwrap_or(domain);
    list.whole
        .get(domain)
        .or_else(|| list.labels.get(label))
        .copied()
        .or_else(|| {
            let mut parts = list.parts.iter();
            let found = parts.find(|(part, _)| match part.strip_prefix('*') {
                Some(end) => label.ends_with(end),
                None => label.starts_with(part.trim_end_matches('*')),
            });
            found.map(|it| it.1)
        })
}

type Entry = (SiteClass, Option<PageType>);
type Entries = HashMap<&'static str, Entry>;

struct List {
    whole: Entries,
    labels: Entries,
    /// Prefixes and suffixes of labels, with the star.
    parts: Vec<(&'static str, Entry)>,
}

static LIST: LazyLock<List> = LazyLock::new(|| {
    let mut list = List {
        whole: HashMap::new(),
        labels: HashMap::new(),
        parts: Vec::new(),
    };
    let rows = include_str!("classes.tsv").lines();
    for row in rows.filter(|it| !it.starts_with('#')) {
        let mut cells = row.split('\t');
        let (Some(name), Some(class)) = (cells.next(), cells.next().and_then(SiteClass::named))
        else {
            continue;
        };
        let page = match cells.next() {
            Some("video") => Some(PageType::Video),
            Some("discussion") => Some(PageType::Discussion),
            Some("reference") => Some(PageType::Reference),
            _ => None,
        };
        let entry = (class, page);
        if let Some(label) = name.strip_suffix(".*") {
            list.labels.insert(label, entry);
        } else if name.contains('*') {
            list.parts.push((name, entry));
        } else {
            list.whole.insert(name, entry);
        }
    }
    list
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_sites_have_their_class_under_every_ending() {
        assert_eq!(listed_class("amazon.de"), Some(SiteClass::Marketplace));
        assert_eq!(listed_class("wikipedia.org"), Some(SiteClass::Publisher));
        assert_eq!(listed_class("youtube.com"), Some(SiteClass::Platform));
        assert_eq!(listed_class("heureka.cz"), Some(SiteClass::Directory));
        assert_eq!(listed_class("runningwiki.org"), Some(SiteClass::Publisher));
        assert_eq!(
            usual_page_type("runnersforum.com"),
            Some(PageType::Discussion)
        );
        assert_eq!(listed_class("magazine-rack.com"), None);
        assert_eq!(listed_class("acme.com"), None);
        assert_eq!(usual_page_type("youtube.com"), Some(PageType::Video));
    }

    #[test]
    fn every_row_of_the_list_is_read() {
        let rows = include_str!("classes.tsv")
            .lines()
            .filter(|it| !it.starts_with('#'))
            .count();
        let read = LIST.whole.len() + LIST.labels.len() + LIST.parts.len();
        assert_eq!(read, rows);
    }

    #[test]
    fn structured_data_of_a_home_page_gives_the_class() {
        let types = |name: &str| vec![format!("https://schema.org/{name}")];
        assert_eq!(
            SiteClass::from_home_page(&types("NewsMediaOrganization")),
            Some(SiteClass::Publisher)
        );
        assert_eq!(
            SiteClass::from_home_page(&types("OnlineStore")),
            Some(SiteClass::Direct)
        );
        assert_eq!(SiteClass::from_home_page(&types("WebSite")), None);
    }
}
