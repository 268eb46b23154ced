//! What a page says about itself: when it was published and changed, by whom, and on which site;
//! each with the source that says so.

mod authors;
mod dates;
mod labels;
mod meta_dates;
mod months;
mod names;
mod page_dates;
mod site_name;

use super::{
    dom::Dom,
    json_ld::JsonLd,
    main_text::{Draft, Sight, drafts, holds_title},
};
use chrono::{DateTime, FixedOffset, NaiveDate};
use dates::NumberOrder;
use url::Url;

/// Where a fact was read, the most trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactSource {
    /// JSON-LD of an article or page.
    JsonLd,
    /// A `meta` element.
    Meta,
    /// Microdata in the page's body.
    Microdata,
    /// A `time` element.
    TimeElement,
    /// A link with `rel=author`.
    AuthorLink,
    /// Text that readers see, in an element whose class says what it is or after a word that does.
    VisibleText,
    /// The page's URL.
    Url,
    /// The end of the page's title.
    Title,
}

/// What a date is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DateRole {
    /// First publication.
    Published,
    /// The last change.
    Modified,
    /// The page does not say.
    Unspecified,
}

/// A date that the page gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateFact {
    /// What it is of.
    pub role: DateRole,
    /// Where it was read.
    pub source: FactSource,
    /// The day, in the page's own time zone.
    pub day: NaiveDate,
    /// The moment, where the page gives one with its distance to UTC.
    pub moment: Option<DateTime<FixedOffset>>,
    /// As written, shortened.
    pub text: String,
}

/// Somebody who wrote the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The name, without "by" and the like.
    pub name: String,
    /// The author's page, absolute.
    pub url: Option<String>,
    /// Where the name was read.
    pub source: FactSource,
}

/// A text and where it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcedText {
    /// The text, white space collapsed.
    pub text: String,
    /// Where it was read.
    pub source: FactSource,
}

/// What a page says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageMetadata {
    /// Dates, the most trusted source first, one for each role and source.
    pub dates: Vec<DateFact>,
    /// Authors, by the most trusted source that names any.
    pub authors: Vec<Author>,
    /// The line that names the authors, as written.
    pub byline: Option<SourcedText>,
    /// The name of the site.
    pub site_name: Option<SourcedText>,
}

impl PageMetadata {
    /// When the page was published, by its most trusted source; a date of which the page does not
    /// say what it is of counts where no other is known.
    #[must_use]
    pub fn published(&self) -> Option<&DateFact> {
        self.date(DateRole::Published)
            .or_else(|| self.date(DateRole::Unspecified))
    }

    /// When the page was last changed, by its most trusted source.
    #[must_use]
    pub fn modified(&self) -> Option<&DateFact> {
        self.date(DateRole::Modified)
    }

    /// The first date of the given role.
    #[must_use]
    pub fn date(&self, role: DateRole) -> Option<&DateFact> {
        self.dates.iter().find(|it| it.role == role)
    }

    /// A date that readers see.
    #[must_use]
    pub fn visible_date(&self) -> Option<&DateFact> {
        self.dates
            .iter()
            .find(|it| matches!(it.source, FactSource::VisibleText | FactSource::TimeElement))
    }
}

/// What the readers of metadata look at.
struct Source<'a> {
    dom: &'a Dom,
    json_ld: &'a JsonLd,
    url: &'a Url,
    sight: &'a Sight<'a>,
    drafts: Vec<Draft>,
    order: NumberOrder,
    /// By node: see [`elsewhere`].
    elsewhere: Vec<bool>,
    /// By node: whether so little is below it that it may be a line about the page.
    small: Vec<bool>,
}

/// Nodes below an element that may be a line about the page. Lines are read whole: without this, a
/// page of deeply nested ones would be read as often as it is deep.
const MOST_OF_A_LINE: u32 = 200;

impl<'a> Source<'a> {
    /// The trimmed `content` of `meta` elements, by `name`, `property`, `itemprop` or `http-equiv` in lower
    /// case.
    fn metas(&self) -> impl Iterator<Item = (String, &'a str)> {
        let dom = self.dom;
        let metas = dom
            .order
            .iter()
            .copied()
            .filter(|it| dom.is_html(*it, "meta"));
        metas
            .filter_map(|id| {
                let content = dom
                    .attribute(id, "content")
                    .or_else(|| dom.attribute(id, "datetime"))?
                    .trim();
                let key = ["property", "name", "itemprop", "http-equiv"]
                    .iter()
                    .find_map(|it| dom.attribute(id, it))?;
                (!content.is_empty()).then(|| (key.trim().to_ascii_lowercase(), content))
            })
            .collect::<Vec<_>>()
            .into_iter()
    }
}

/// By node: whether it belongs to other pages or to readers' comments, as its own names or those
/// around it say.
fn elsewhere(sight: &Sight) -> Vec<bool> {
    let holds_title = holds_title(sight);
    let mut elsewhere = vec![false; sight.dom.nodes.len()];
    for &id in &sight.order {
        let with_parent = sight.dom.nodes[id].parent.is_some_and(|it| elsewhere[it]);
        elsewhere[id] = with_parent || (!holds_title[id] && labels::leads_elsewhere(sight.dom, id));
    }
    elsewhere
}

fn small(dom: &Dom) -> Vec<bool> {
    let mut below = vec![0_u32; dom.nodes.len()];
    for id in dom.order.iter().copied().rev() {
        if let Some(parent) = dom.nodes[id].parent {
            below[parent] = below[parent].saturating_add(below[id]).saturating_add(1);
        }
    }
    below.into_iter().map(|it| it <= MOST_OF_A_LINE).collect()
}

/// Reads what a page says about itself.
pub fn metadata(sight: &Sight, json_ld: &JsonLd, lang: Option<&str>, url: &Url) -> PageMetadata {
    let dom = sight.dom;
    let drafts = drafts(sight);
    let elsewhere = elsewhere(sight);
    let source = Source {
        dom,
        json_ld,
        url,
        order: NumberOrder::of_language(lang),
        sight,
        drafts,
        elsewhere,
        small: small(dom),
    };
    let (authors, byline) = authors::authors(&source);
    PageMetadata {
        dates: page_dates::dates(&source),
        authors,
        byline,
        site_name: site_name::site_name(&source),
    }
}

#[cfg(test)]
mod tests;
