//! Page metadata with its sources: dates, authors, site name.

mod authors;
mod dates;
mod labels;
mod meta_dates;
mod months;
mod names;
mod page_dates;
mod site_name;

use super::dom::Dom;
use super::json_ld::JsonLd;
use super::main_text::{Draft, Heard, Sight, holds_title};
use analysis::observation::page_content::{
    Author, DateFact, DateRole, FactSource, PageMetadata, SourcedText,
};
use dates::NumberOrder;
use url::Url;

struct Source<'a> {
    dom: &'a Dom,
    json_ld: &'a JsonLd,
    url: &'a Url,
    sight: &'a Sight<'a>,
    drafts: &'a [Draft],
    order: NumberOrder,
    /// By node: see [`elsewhere`].
    elsewhere: Vec<bool>,
    /// By node: whether it is small enough for a byline or a line with a date.
    small: Vec<bool>,
}

/// Nodes below such a line; bounds the work on deeply nested elements.
const MOST_OF_A_LINE: u32 = 200;

impl<'a> Source<'a> {
    /// Trimmed `content` of `meta` elements, by `property`, `name`, `itemprop` or `http-equiv` in lower case.
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

/// By node: whether its own or an ancestor's name marks it as other pages' content or comments.
fn elsewhere(sight: &Sight) -> Vec<bool> {
    let holds_title = holds_title(sight);
    let mut elsewhere = vec![false; sight.dom.nodes.len()];
    let mut heard = Heard::default();
    for &id in &sight.order {
        let with_parent = sight.dom.nodes[id].parent.is_some_and(|it| elsewhere[it]);
        elsewhere[id] =
            with_parent || (!holds_title[id] && labels::leads_elsewhere(sight.dom, id, &mut heard));
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

pub fn metadata(
    sight: &Sight,
    drafts: &[Draft],
    json_ld: &JsonLd,
    lang: Option<&str>,
    url: &Url,
) -> PageMetadata {
    let dom = sight.dom;
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
