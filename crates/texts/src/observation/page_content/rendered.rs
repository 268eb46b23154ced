//! The rendered page compared with the document as sent. Only differences and counts are kept, since a second
//! [`PageContent`] per page would double the journal.

use super::{GOOGLEBOT, PageContent};
use crate::ToSchema;
use crate::observation::links::LinkTarget;
use crate::observation::vitals::ResourceKind;
use crate::text::words::shortened;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

const MAX_CHARACTERS: usize = 2_048;
const MAX_RULES: usize = 50;
/// Further links are only counted.
const MAX_NAMED: usize = 50;

/// Percentage of the rendered words.
const STATIC_PERCENT: u64 = 30;

/// Less than 30 % of the rendered words are in the document as sent (our threshold).
pub fn is_script_rendered(sent_words: usize, rendered_words: u32) -> bool {
    (sent_words as u64).saturating_mul(100) < u64::from(rendered_words) * STATIC_PERCENT
}

/// Pages with fewer words have hardly any text.
const MIN_WORDS: usize = 50;
/// Visible words of a page that only asks to enable JavaScript.
const MAX_NOSCRIPT_WORDS: u32 = 10;
/// Inline script that could build a page.
const MIN_APP_SCRIPT_BYTES: u32 = 2_000;

/// By the rendered words if known, else by hardly any text in an application shell. Short pages do not count.
pub fn text_depends_on_scripts(page: &PageContent, rendered_words: Option<u32>) -> bool {
    let sent = page.text.counts.words;
    match rendered_words {
        // Hardly any rendered text: none is missing.
        Some(shown) => shown as usize >= MIN_WORDS && is_script_rendered(sent, shown),
        None => sent < MIN_WORDS && is_application_shell(page),
    }
}

/// An empty root element, hardly more than a request to enable JavaScript, or nothing but scripts.
fn is_application_shell(page: &PageContent) -> bool {
    let structure = &page.structure;
    let mut files = page.files.iter();
    let has_file = files.any(|it| it.kind == ResourceKind::Script);
    let has_scripts = has_file || structure.inline_script_bytes > 0;
    let only_noscript = structure.requires_scripts && page.text.all_words < MAX_NOSCRIPT_WORDS;
    let may_build = has_file || structure.inline_script_bytes > MIN_APP_SCRIPT_BYTES;
    (has_scripts && (structure.has_empty_root || only_noscript))
        || (may_build && page.has_no_visible_content())
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Rendered {
    Shown(RenderedPage),
    /// The effect of scripts is unknown.
    Failed {
        reason: RenderFailure,
        /// A status, or the URL that the page redirected to.
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
    /// The response is not HTML.
    NotHtml,
    /// It redirected to another URL, which is a separate page.
    LedElsewhere,
    /// Its scripts did not come to an end, or it did not answer in time.
    TimedOut,
    /// It took more memory, traffic or elements than a page may.
    TooHeavy,
    /// The browser did not do its part.
    BrowserFailed,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RenderedPage {
    /// Became idle; otherwise read before that.
    pub settled: bool,
    pub title: Option<String>,
    pub description: Option<String>,
    /// The first `h1` that is not empty.
    pub heading: Option<String>,
    /// By [`PageContent::canonical`].
    pub canonical: Option<String>,
    /// As canonical.
    pub names_another: bool,
    /// By [`robots_rules`].
    pub robots: Vec<String>,
    pub noindex: bool,
    /// `http` and `https` links that readers can follow.
    pub links: u32,
    /// Of these, not linked in the sent document.
    pub links_only_here: u32,
    /// In document order; at most 50.
    pub new_links: Vec<String>,
    pub words: u32,
    /// Types of structured data not in the sent document, sorted.
    pub types_only_here: Vec<String>,
}

impl Rendered {
    pub const fn page(&self) -> Option<&RenderedPage> {
        match self {
            Self::Shown(page) => Some(page),
            Self::Failed { .. } => None,
        }
    }
}

impl RenderedPage {
    /// To 2,048 characters.
    pub fn truncated(text: Option<&str>) -> Option<String> {
        text.map(|it| shortened(it, MAX_CHARACTERS).to_owned())
    }

    pub fn compare(sent: &PageContent, shown: &PageContent, settled: bool) -> Self {
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
            title: Self::truncated(shown.title()),
            description: Self::truncated(shown.description()),
            heading: Self::truncated(shown.first_h1()),
            canonical: Self::truncated(shown.canonical()),
            names_another: !shown.is_canonical_as_sent(),
            robots: robots_rules(shown),
            noindex: shown.robots_for(GOOGLEBOT).noindex,
            links: saturating_u32(links.len()),
            links_only_here: saturating_u32(new.len()),
            new_links: sample(new.into_iter()),
            words: saturating_u32(shown.text.counts.words),
            types_only_here: sample(types),
        }
    }
}

/// Unique, sorted; with the robot's name if for a single one: `googlebot: noindex`.
pub fn robots_rules(page: &PageContent) -> Vec<String> {
    let rules = page.robots.iter().flat_map(|directive| {
        let named = move |rule: &String| match &directive.agent {
            Some(agent) => format!("{agent}: {rule}"),
            None => rule.clone(),
        };
        directive.rules.iter().map(named)
    });
    let all: BTreeSet<String> = rules.collect();
    all.into_iter().take(MAX_RULES).collect()
}

/// `http` and `https` links that readers can follow, unique, in document order.
pub fn link_addresses(page: &PageContent) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let followed = page.links.iter().filter(|it| it.is_navigable());
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

fn sample<'a>(all: impl Iterator<Item = &'a str>) -> Vec<String> {
    let first = all.take(MAX_NAMED);
    first
        .filter_map(|it| RenderedPage::truncated(Some(it)))
        .collect()
}

fn saturating_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::page_content::{PlacedText, RobotsDirective, TagSource};
    use crate::observation::structured_data::{Format, Item, Location};
    use crate::observation::web_site::{PageLink, Placement, Position};

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
    fn only_additions_to_the_sent_document_are_kept() {
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
            RobotsDirective::from_header("noindex"),
            RobotsDirective::from_meta(Some("Googlebot"), "nofollow, noindex", TagSource::Body),
            RobotsDirective::from_meta(None, "noindex", TagSource::Head),
        ];
        let page = RenderedPage::compare(&sent, &shown, true);
        assert_eq!(page.title.as_deref(), Some("By script"));
        assert_eq!((page.links, page.links_only_here), (2, 1));
        assert_eq!(page.new_links, ["https://acme.com/b"]);
        assert_eq!(page.types_only_here, ["https://schema.org/Product"]);
        let rules = ["googlebot: nofollow", "googlebot: noindex", "noindex"];
        assert_eq!(page.robots, rules);
        assert!(page.noindex && !page.names_another);
        let same = RenderedPage::compare(&sent, &sent, true);
        assert_eq!((same.links, same.links_only_here), (1, 0));
    }

    #[test]
    fn pages_stored_without_rendering_are_readable() {
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
