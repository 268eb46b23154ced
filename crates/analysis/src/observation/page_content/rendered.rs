//! A page as a browser shows it once its scripts have run, beside the document as it was sent.
//!
//! Only what differs and what is counted is kept: a second [`PageContent`] of every page would double
//! the journal. Everything is read from the browser's document as it is read from the sent one.

use super::{GOOGLEBOT, PageContent};
use crate::{
    ToSchema,
    observation::{vitals::ResourceKind, web_site::LinkTarget},
    text::words::shortened,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Characters of a text that are kept.
const MOST_CHARACTERS: usize = 2_048;
/// Rules for robots that are kept.
const MOST_RULES: usize = 50;
/// Links, and types of structured data, that are named; all links are counted.
const MOST_NAMED: usize = 50;

/// Percent of the words that a browser shows which have to be there without scripts.
const STATIC_PERCENT: u64 = 30;

/// Whether scripts bring so much of the main text that it counts as absent without them: less than 30 %
/// of the words that a browser shows are in the document as it was sent. The bound is ours.
#[must_use]
pub fn scripts_bring_the_text(sent_words: usize, rendered_words: u32) -> bool {
    (sent_words as u64).saturating_mul(100) < u64::from(rendered_words) * STATIC_PERCENT
}

/// Words below which there is hardly any text.
const LEAST_WORDS: usize = 50;
/// Words in sight of a page that only asks for scripts.
const MOST_WORDS_OF_A_REQUEST: u32 = 10;
/// Bytes of scripts inside of a document that could build a page.
const BUILDING: u32 = 2_000;

/// Whether the main text depends on scripts. Where a browser showed the page, its words tell; else that
/// there is hardly any text, and the document is an application's shell. A short page is no such page.
#[must_use]
pub fn text_depends_on_scripts(page: &PageContent, rendered_words: Option<u32>) -> bool {
    let sent = page.text.counts.words;
    match rendered_words {
        // A browser that shows hardly any text shows that none is missing.
        Some(shown) => shown as usize >= LEAST_WORDS && scripts_bring_the_text(sent, shown),
        None => sent < LEAST_WORDS && is_application_shell(page),
    }
}

/// Whether a document is what an application sends before its scripts fill it: its root is empty, or it
/// shows next to nothing but a request to allow JavaScript, or nothing at all beside its scripts.
fn is_application_shell(page: &PageContent) -> bool {
    let structure = &page.structure;
    let mut files = page.files.iter();
    let has_file = files.any(|it| it.kind == ResourceKind::Script);
    let has_scripts = has_file || structure.inline_script_bytes > 0;
    let only_asks = structure.asks_for_scripts && page.text.all_words < MOST_WORDS_OF_A_REQUEST;
    let may_build = has_file || structure.inline_script_bytes > BUILDING;
    (has_scripts && (structure.has_empty_root || only_asks)) || (may_build && page.shows_nothing())
}

/// What became of showing a page in a browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Rendered {
    /// The browser showed it.
    Shown(RenderedPage),
    /// It did not, so that nothing is known of what scripts bring.
    Failed {
        /// Why.
        reason: RenderFailure,
        /// More about it: a status, or the address that the page led to.
        detail: Option<String>,
    },
}

/// Why a browser did not show a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum RenderFailure {
    /// Nothing answered this time.
    Unreachable,
    /// The server answered the browser with an error.
    Status,
    /// What came is no HTML.
    NotHtml,
    /// It led to another address, which is a page of its own.
    LedElsewhere,
    /// Its scripts did not come to an end, or it did not answer in time.
    TimedOut,
    /// It took more memory, traffic or elements than a page may.
    TooHeavy,
    /// The browser did not do its part.
    BrowserFailed,
}

/// A page that a browser showed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RenderedPage {
    /// Whether it came to rest; one that did not was read as it was.
    pub settled: bool,
    /// The title that browsers show.
    pub title: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// The text of the first `h1` that says anything.
    pub heading: Option<String>,
    /// What a search engine would take for the canonical URL, by [`PageContent::canonical`].
    pub canonical: Option<String>,
    /// Whether it names another page than itself as canonical.
    pub names_another: bool,
    /// What robots are told, by [`robots_rules`].
    pub robots: Vec<String>,
    /// Whether Google is told not to list it.
    pub noindex: bool,
    /// Addresses of the web that readers can follow links to.
    pub links: u32,
    /// How many of these the sent document does not link to.
    pub links_only_here: u32,
    /// Some of them, in document order.
    pub new_links: Vec<String>,
    /// Words of the main text.
    pub words: u32,
    /// Types of structured data that the sent document does not have, sorted.
    pub types_only_here: Vec<String>,
}

impl Rendered {
    /// The page, if it was shown.
    #[must_use]
    pub const fn page(&self) -> Option<&RenderedPage> {
        match self {
            Self::Shown(page) => Some(page),
            Self::Failed { .. } => None,
        }
    }
}

impl RenderedPage {
    /// As much of a text as is kept: 2,048 characters.
    #[must_use]
    pub fn kept(text: Option<&str>) -> Option<String> {
        text.map(|it| shortened(it, MOST_CHARACTERS).to_owned())
    }

    /// What the document that a browser `shown` has, beside the one that was `sent`.
    #[must_use]
    pub fn beside(sent: &PageContent, shown: &PageContent, settled: bool) -> Self {
        let known: BTreeSet<&str> = link_addresses(sent).into_iter().collect();
        let links = link_addresses(shown);
        let new: Vec<&str> = links
            .iter()
            .filter(|it| !known.contains(*it))
            .copied()
            .collect();
        let known = types(sent);
        let types = types(shown).into_iter().filter(|it| !known.contains(it));
        Self {
            settled,
            title: Self::kept(shown.title()),
            description: Self::kept(shown.description()),
            heading: Self::kept(shown.first_h1()),
            canonical: Self::kept(shown.canonical()),
            names_another: !shown.is_canonical_as_sent(),
            robots: robots_rules(shown),
            noindex: shown.robots_for(GOOGLEBOT).noindex,
            links: small(links.len()),
            links_only_here: small(new.len()),
            new_links: named(new.into_iter()),
            words: small(shown.text.counts.words),
            types_only_here: named(types),
        }
    }
}

/// What a page tells robots, each rule once, sorted; one for a single robot has its name in front:
/// `googlebot: noindex`.
#[must_use]
pub fn robots_rules(page: &PageContent) -> Vec<String> {
    let rules = page.robots.iter().flat_map(|directive| {
        let named = move |rule: &String| match &directive.agent {
            Some(agent) => format!("{agent}: {rule}"),
            None => rule.clone(),
        };
        directive.rules.iter().map(named)
    });
    let all: BTreeSet<String> = rules.collect();
    all.into_iter().take(MOST_RULES).collect()
}

/// Addresses of the web that readers can follow links to, each once, in document order.
#[must_use]
pub fn link_addresses(page: &PageContent) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let followed = page.links.iter().filter(|it| it.is_followed_by_readers());
    let addresses = followed.filter_map(|it| match &it.target {
        LinkTarget::Web { url, .. } => Some(url.as_str()),
        _ => None,
    });
    addresses.filter(|it| seen.insert(*it)).collect()
}

fn types(page: &PageContent) -> BTreeSet<&str> {
    let items = page.structured_data.items.iter();
    items.flat_map(|it| &it.types).map(String::as_str).collect()
}

fn named<'a>(all: impl Iterator<Item = &'a str>) -> Vec<String> {
    let first = all.take(MOST_NAMED);
    first
        .filter_map(|it| RenderedPage::kept(Some(it)))
        .collect()
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::{
        page_content::{PlacedText, RobotsDirective, TagSource},
        structured_data::{Format, Item, Location},
        web_site::{PageLink, Placement, Position},
    };

    fn link(url: &str) -> PageLink {
        PageLink {
            raw: url.to_owned(),
            target: LinkTarget::Web {
                url: url.to_owned(),
                fragment: None,
            },
            element: "a".to_owned(),
            attribute: "href".to_owned(),
            rel: None,
            text: None,
            position: Position {
                line: 1,
                column: 1,
                css_path: "a".to_owned(),
            },
            placement: Placement::Content,
            in_main_text: true,
        }
    }

    fn item(of: &str) -> Item {
        Item {
            format: Format::JsonLd,
            types: vec![of.to_owned()],
            id: None,
            properties: Vec::new(),
            location: Location { line: 1, column: 1 },
            parent: None,
        }
    }

    #[test]
    fn only_what_the_sent_document_lacks_is_new() {
        let mut sent = PageContent::blank("https://acme.com/");
        sent.links = vec![link("https://acme.com/a")];
        sent.structured_data.items = vec![item("https://schema.org/Organization")];
        let mut shown = sent.clone();
        shown.titles = vec![PlacedText {
            text: "By script".to_owned(),
            source: TagSource::Head,
        }];
        let mut file = link("https://acme.com/s.js");
        file.element = "script".to_owned();
        shown
            .links
            .extend([link("https://acme.com/b"), link("https://acme.com/b"), file]);
        shown
            .structured_data
            .items
            .push(item("https://schema.org/Product"));
        shown.robots = vec![
            RobotsDirective::of_header("noindex"),
            RobotsDirective::of_meta(Some("Googlebot"), "nofollow, noindex", TagSource::Body),
            RobotsDirective::of_meta(None, "noindex", TagSource::Head),
        ];
        let page = RenderedPage::beside(&sent, &shown, true);
        assert_eq!(page.title.as_deref(), Some("By script"));
        assert_eq!((page.links, page.links_only_here), (2, 1));
        assert_eq!(page.new_links, ["https://acme.com/b"]);
        assert_eq!(page.types_only_here, ["https://schema.org/Product"]);
        let rules = ["googlebot: nofollow", "googlebot: noindex", "noindex"];
        assert_eq!(page.robots, rules);
        assert!(page.noindex && !page.names_another);
        let same = RenderedPage::beside(&sent, &sent, true);
        assert_eq!((same.links, same.links_only_here), (1, 0));
    }

    #[test]
    fn a_page_written_before_there_was_rendering_is_read() {
        let page = PageContent::blank("https://acme.com/");
        let text = serde_json::to_string(&page).unwrap();
        assert!(!text.contains("rendered"));
        assert_eq!(serde_json::from_str::<PageContent>(&text).unwrap(), page);
        let failed = PageContent {
            rendered: Some(Rendered::Failed {
                reason: RenderFailure::LedElsewhere,
                detail: Some("https://acme.com/b".to_owned()),
            }),
            ..page
        };
        let text = serde_json::to_string(&failed).unwrap();
        assert_eq!(serde_json::from_str::<PageContent>(&text).unwrap(), failed);
    }
}
