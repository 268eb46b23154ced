//! What a page says, as far as findings need it; the page itself is let go.

use super::{
    charset::decode,
    dom::{Dom, NodeId},
    json_ld::JsonLd,
    links::links,
    main_text::{MainText, Sight, main_text},
    metadata::{PageMetadata, metadata},
    parse::parse,
    text::text_of,
};
use analysis::{
    observation::web_site::PageLink,
    text::{likeness::shingles, words::words},
};
use url::Url;

/// Facts of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageFacts {
    /// The `title`.
    pub title: Option<String>,
    /// The first `h1`.
    pub heading: Option<String>,
    /// `html[lang]`.
    pub lang: Option<String>,
    /// The encoding it was read in.
    pub charset: String,
    /// Words of the main text.
    pub word_count: u32,
    /// Every `id` and `a[name]`, sorted.
    pub names: Vec<String>,
    /// Every link, in document order.
    pub links: Vec<PageLink>,
    /// What the page says about itself.
    pub metadata: PageMetadata,
    /// The main text, as blocks.
    pub main_text: MainText,
    /// Hashes of the main text's 4-shingles, sorted.
    pub shingles: Vec<u64>,
    /// Whether the parser reached its limits, so that the end of the page is read without
    /// structure.
    pub parser_limit: bool,
}

/// Longer names are no targets of anything.
const MOST_NAME_BYTES: usize = 1_024;

/// Reads a page: its bytes, the encoding that HTTP named, and the URL it was read from.
pub fn read_page(bytes: &[u8], from_http: Option<&str>, url: &Url) -> PageFacts {
    let (source, encoding) = decode(bytes, from_http);
    let parsed = parse(&source);
    let dom = &parsed.dom;
    let json_ld = JsonLd::of(dom);
    let lang = lang(dom);
    let sight = Sight::of(dom);
    let metadata = metadata(&sight, &json_ld, lang.as_deref(), url);
    let main_text = main_text(sight, &json_ld);
    let main = main_text.text();
    PageFacts {
        title: first(dom, "title").and_then(|it| text_of(dom, it)),
        heading: first(dom, "h1").and_then(|it| text_of(dom, it)),
        metadata,
        lang,
        charset: encoding.name().to_owned(),
        word_count: u32::try_from(words(&main).count()).unwrap_or(u32::MAX),
        names: names(dom),
        links: links(dom, url),
        main_text,
        shingles: shingles(&main),
        parser_limit: parsed.limited,
    }
}

fn first(dom: &Dom, name: &str) -> Option<NodeId> {
    dom.elements(name).next()
}

fn lang(dom: &Dom) -> Option<String> {
    let lang = dom.attribute(first(dom, "html")?, "lang")?.trim();
    (!lang.is_empty()).then(|| lang.to_owned())
}

/// Every `id` and every `name` of an `a`.
fn names(dom: &Dom) -> Vec<String> {
    let mut names = Vec::new();
    for &node in &dom.order {
        names.extend(dom.attribute(node, "id"));
        if dom.is_html(node, "a") {
            names.extend(dom.attribute(node, "name"));
        }
    }
    let mut names: Vec<String> = names
        .into_iter()
        .filter(|it| !it.is_empty() && it.len() <= MOST_NAME_BYTES)
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests;
