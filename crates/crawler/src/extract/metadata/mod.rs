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
use super::main_text::{Draft, NameSignalCache, VisibleTree, holds_title};
use analysis::observation::page_content::{
    Author, DateFact, DateRole, FactSource, PageMetadata, SourcedText,
};
use dates::DateOrder;
use url::Url;

struct MetadataInput<'a> {
    dom: &'a Dom,
    json_ld: &'a JsonLd,
    url: &'a Url,
    tree: &'a VisibleTree<'a>,
    drafts: &'a [Draft],
    order: DateOrder,
    /// By node: see [`elsewhere`].
    is_other_content: Vec<bool>,
    /// By node: whether it is small enough for a byline or a line with a date.
    is_line_sized: Vec<bool>,
}

/// Nodes below such a line; bounds the work on deeply nested elements.
const MAX_LINE_NODES: u32 = 200;

impl<'a> MetadataInput<'a> {
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
fn other_content_nodes(tree: &VisibleTree) -> Vec<bool> {
    let holds_title = holds_title(tree);
    let mut is_other_content = vec![false; tree.dom.nodes.len()];
    let mut cache = NameSignalCache::default();
    for &id in &tree.order {
        let with_parent = tree.dom.nodes[id]
            .parent
            .is_some_and(|it| is_other_content[it]);
        is_other_content[id] =
            with_parent || (!holds_title[id] && labels::is_other_content(tree.dom, id, &mut cache));
    }
    is_other_content
}

fn line_sized_nodes(dom: &Dom) -> Vec<bool> {
    let mut below = vec![0_u32; dom.nodes.len()];
    for id in dom.order.iter().copied().rev() {
        if let Some(parent) = dom.nodes[id].parent {
            below[parent] = below[parent].saturating_add(below[id]).saturating_add(1);
        }
    }
    below.into_iter().map(|it| it <= MAX_LINE_NODES).collect()
}

pub fn metadata(
    tree: &VisibleTree,
    drafts: &[Draft],
    json_ld: &JsonLd,
    lang: Option<&str>,
    url: &Url,
) -> PageMetadata {
    let dom = tree.dom;
    let is_other_content = other_content_nodes(tree);
    let source = MetadataInput {
        dom,
        json_ld,
        url,
        order: DateOrder::of_language(lang),
        tree,
        drafts,
        is_other_content,
        is_line_sized: line_sized_nodes(dom),
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
