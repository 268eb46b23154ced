//! The rendered page compared with the document as sent (like Screaming Frog's "JavaScript" tab).

use super::parts::saturating_u32;
use crate::ToSchema;
use crate::findings::envelope::rounded;
use crate::observation::page_content::{
    PageContent, RenderFailure, Rendered, RenderedPage, link_addresses, robots_rules,
};
use serde::{Deserialize, Serialize};

/// What became of showing a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum RenderState {
    /// The browser showed it.
    Ok,
    /// It never came to rest, and was read as it was.
    Unsettled,
    /// The browser did not show it; nothing is known of what scripts bring.
    Failed,
}

/// How a text differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum TextChange {
    /// It does not.
    Same,
    /// Scripts bring it.
    Added,
    /// Scripts change it.
    Changed,
    /// Scripts take it away.
    Removed,
}

/// A text of the document, without and with scripts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenderedText {
    /// As it was sent; null where there is none.
    #[serde(rename = "static")]
    pub sent: Option<String>,
    /// As the browser shows it; null where there is none.
    pub rendered: Option<String>,
    /// How they differ.
    pub change: TextChange,
}

/// Robots directives, without and with scripts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenderedRules {
    /// As it was sent, headers included; a rule for one robot begins with its name.
    #[serde(rename = "static")]
    pub sent: Vec<String>,
    /// As the browser has it.
    pub rendered: Vec<String>,
    /// Rules that scripts bring.
    pub added: Vec<String>,
    /// Rules that scripts take away.
    pub removed: Vec<String>,
}

/// Addresses that readers can follow links to, without and with scripts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenderedLinks {
    /// In the document as it was sent.
    #[serde(rename = "static")]
    pub sent: u32,
    /// In the browser.
    pub rendered: u32,
    /// In the browser alone.
    pub only_rendered: u32,
    /// Some of these; at the most 50.
    pub examples: Vec<String>,
}

/// Words of the main text, without and with scripts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenderedWords {
    /// In the document as it was sent.
    #[serde(rename = "static")]
    pub sent: u32,
    /// In the browser.
    pub rendered: u32,
    /// The first by the second; null where the browser shows none.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub static_share: Option<f64>,
}

/// A page in a browser, beside the document as it was sent. Where it could not be shown, all but `state`,
/// `reason` and `detail` is null; where the document was not read whole, `h1`, `links`, `words` and
/// `structuredDataOnlyRendered` are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenderedFacts {
    /// What became of it.
    pub state: RenderState,
    /// Why it was not shown; null where it was.
    pub reason: Option<RenderFailure>,
    /// More about that: a status, or the address that the page led to.
    pub detail: Option<String>,
    /// The title.
    pub title: Option<RenderedText>,
    /// The description.
    pub meta_description: Option<RenderedText>,
    /// The first `h1`.
    pub h1: Option<RenderedText>,
    /// The canonical URL.
    pub canonical: Option<RenderedText>,
    /// Robots directives.
    pub robots: Option<RenderedRules>,
    /// Links.
    pub links: Option<RenderedLinks>,
    /// The main text.
    pub words: Option<RenderedWords>,
    /// Types of structured data that are in the browser alone; at the most 50.
    pub structured_data_only_rendered: Option<Vec<String>>,
}

impl RenderedFacts {
    /// `None` if no rendering was requested.
    pub fn of(page: &PageContent) -> Option<Self> {
        Some(match page.rendered.as_ref()? {
            Rendered::Shown(shown) => Self::shown(page, shown),
            Rendered::Failed { reason, detail } => Self {
                state: RenderState::Failed,
                reason: Some(*reason),
                detail: detail.clone(),
                title: None,
                meta_description: None,
                h1: None,
                canonical: None,
                robots: None,
                links: None,
                words: None,
                structured_data_only_rendered: None,
            },
        })
    }

    fn shown(page: &PageContent, shown: &RenderedPage) -> Self {
        let state = if shown.settled {
            RenderState::Ok
        } else {
            RenderState::Unsettled
        };
        // The rest of a truncated document is unknown.
        let is_whole = !page.is_truncated();
        let links = || RenderedLinks {
            sent: saturating_u32(link_addresses(page).len()),
            rendered: shown.links,
            only_rendered: shown.links_only_here,
            examples: shown.new_links.clone(),
        };
        Self {
            state,
            reason: None,
            detail: None,
            title: Some(compare_texts(page.title(), shown.title.as_deref())),
            meta_description: Some(compare_texts(
                page.description(),
                shown.description.as_deref(),
            )),
            h1: is_whole.then(|| compare_texts(page.first_h1(), shown.heading.as_deref())),
            canonical: Some(compare_texts(page.canonical(), shown.canonical.as_deref())),
            robots: Some(compare_rules(robots_rules(page), &shown.robots)),
            links: is_whole.then(links),
            words: is_whole.then(|| compare_words(page.text.counts.words, shown.words)),
            structured_data_only_rendered: is_whole.then(|| shown.types_only_here.clone()),
        }
    }
}

/// Compares texts up to the stored length.
fn compare_texts(sent: Option<&str>, rendered: Option<&str>) -> RenderedText {
    let sent = RenderedPage::truncated(sent);
    let change = match (sent.as_deref(), rendered) {
        (None, None) => TextChange::Same,
        (None, Some(_)) => TextChange::Added,
        (Some(_), None) => TextChange::Removed,
        (Some(one), Some(other)) if one == other => TextChange::Same,
        (Some(_), Some(_)) => TextChange::Changed,
    };
    RenderedText {
        sent,
        rendered: rendered.map(str::to_owned),
        change,
    }
}

fn compare_rules(sent: Vec<String>, rendered: &[String]) -> RenderedRules {
    let without = |these: &[String], those: &[String]| {
        let left = these.iter().filter(|it| !those.contains(it));
        left.cloned().collect()
    };
    RenderedRules {
        added: without(rendered, &sent),
        removed: without(&sent, rendered),
        sent,
        rendered: rendered.to_vec(),
    }
}

fn compare_words(sent: usize, rendered: u32) -> RenderedWords {
    let sent = saturating_u32(sent);
    RenderedWords {
        sent,
        rendered,
        static_share: (rendered > 0).then(|| f64::from(sent) / f64::from(rendered)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::page_content::{PlacedText, TagSource};
    use proptest::prelude::*;

    fn shown(page: PageContent, shown: RenderedPage) -> RenderedFacts {
        let page = PageContent {
            rendered: Some(Rendered::Shown(shown)),
            ..page
        };
        RenderedFacts::of(&page).unwrap()
    }

    #[test]
    fn an_unrendered_page_has_no_figures() {
        let mut page = PageContent::blank("https://acme.com/");
        assert_eq!(RenderedFacts::of(&page), None);
        page.rendered = Some(Rendered::Failed {
            reason: RenderFailure::TimedOut,
            detail: None,
        });
        let facts = RenderedFacts::of(&page).unwrap();
        assert_eq!(facts.state, RenderState::Failed);
        assert_eq!((facts.words, facts.title), (None, None));
        assert_eq!(page.rendered_words(), None);
    }

    #[test]
    fn each_kind_of_change_is_reported() {
        let mut page = PageContent::blank("https://acme.com/");
        page.titles = vec![PlacedText {
            text: "Sent".to_owned(),
            source: TagSource::Head,
        }];
        let facts = shown(
            page,
            RenderedPage {
                heading: Some("By script".to_owned()),
                title: Some("Other".to_owned()),
                robots: vec!["noindex".to_owned()],
                words: 0,
                ..RenderedPage::default()
            },
        );
        assert_eq!(facts.state, RenderState::Unsettled);
        let changes = [facts.title, facts.h1, facts.canonical].map(|it| it.unwrap().change);
        let expected = [TextChange::Changed, TextChange::Added, TextChange::Same];
        assert_eq!(changes, expected);
        assert_eq!(facts.robots.unwrap().added, ["noindex"]);
        assert_eq!(facts.words.unwrap().static_share, None);
    }

    proptest! {
        /// A page compared with itself has no differences.
        #[test]
        fn a_page_without_scripts_has_no_changes(title in ".{0,2500}", rule in "[a-z]{0,9}", words in 0_usize..9_000) {
            let mut page = PageContent::blank("https://acme.com/");
            page.titles = vec![PlacedText { text: title, source: TagSource::Head }];
            page.robots = vec![crate::observation::page_content::RobotsDirective::from_header(&rule)];
            page.text.counts.words = words;
            let same = RenderedPage::compare(&page, &page, true);
            let facts = shown(page, same);
            prop_assert_eq!(facts.title.unwrap().change, TextChange::Same);
            let robots = facts.robots.unwrap();
            prop_assert!(robots.added.is_empty() && robots.removed.is_empty());
            prop_assert_eq!(facts.words.unwrap().static_share, (words > 0).then_some(1.0));
        }
    }
}
