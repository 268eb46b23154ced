//! A page's content from one parse and one traversal (text and structured data have their own).

mod document;
mod elements;
mod head;
mod link_header;
mod text_facts;

use super::EXTRACTION_VERSION;
use super::charset::{Decoded, count_replacements, decode};
use super::dom::{Dom, NodeId};
use super::json_ld::JsonLd;
use super::links::{LinkReader, base_url};
use super::locator::ElementLocator;
use super::main_text::{VisibleTree, drafts, main_text};
use super::metadata::metadata;
use super::parse::{Parsed, parse, parse_source};
use super::structured_data::structured_data;
use analysis::observation::page_content::{MAX_LINKS, PageContent, ResponseFacts};
use analysis::observation::page_url::normalize;
use analysis::observation::web_site::{Discovery, Fetched, LinkTarget, PageLink, Truncation};
use elements::Elements;
use head::Head;
use html5ever::tendril::SliceExt;
use std::borrow::Cow;
use url::Url;

pub struct ReceivedPage<'a> {
    pub bytes: Cow<'a, [u8]>,
    pub charset: Option<&'a str>,
    pub url: &'a Url,
    pub fetched: Fetched,
    pub response: ResponseFacts,
    pub depth: u32,
    pub discovery: Discovery,
}

impl<'a> ReceivedPage<'a> {
    /// A page without a crawl, as if answered with 200 and no headers.
    pub fn without_crawl(bytes: &'a [u8], charset: Option<&'a str>, url: &'a Url) -> Self {
        let address = normalize(url).0;
        let size = bytes.len() as u64;
        Self {
            bytes: Cow::Borrowed(bytes),
            charset,
            url,
            fetched: Fetched::plain(&address, 200),
            response: ResponseFacts {
                body_bytes: size,
                received_bytes: size,
                ..ResponseFacts::default()
            },
            depth: 0,
            discovery: Discovery::Start,
        }
    }
}

/// Bytes kept of a page's links: URLs, texts and paths.
const MAX_LINK_BYTES: usize = 8 << 20;

/// Flags that a node has itself or inherits from an ancestor.
#[expect(
    clippy::struct_excessive_bools,
    reason = "an element may be in all of them"
)]
#[derive(Debug, Clone, Copy, Default)]
struct AncestorFlags {
    head: bool,
    link: bool,
    picture: bool,
    noscript: bool,
}

pub fn read_page(arrival: ReceivedPage<'_>) -> PageContent {
    let Decoded {
        text: source,
        encoding,
        source: charset_source,
        had_errors,
    } = decode(&arrival.bytes, arrival.charset);
    let mut replaced_sequences = count_replacements(&source, &arrival.bytes, had_errors);
    // A truncated body may end inside a character.
    let is_cut = arrival.fetched.truncation == Truncation::AtLimit;
    if is_cut && source.ends_with(char::REPLACEMENT_CHARACTER) {
        replaced_sequences = replaced_sequences.saturating_sub(1);
    }
    let tendril = source.to_tendril();
    // A page may have 10 MiB: one copy is enough.
    drop(source);
    drop(arrival.bytes);
    let parsed = parse_source(&tendril);
    let dom = &parsed.dom;
    let json_ld = JsonLd::of(dom);
    let base_url = base_url(dom, arrival.url);
    let lang = document::lang(dom);

    let tree = VisibleTree::of(dom);
    let all = drafts(&tree);
    let known = metadata(&tree, &all, &json_ld, lang.as_deref(), arrival.url);
    let all_characters = tree.text_length.first().copied().unwrap_or_default();
    let main = main_text(tree, &json_ld);

    let locator = ElementLocator::of(dom);
    let links = LinkReader::new(dom, &base_url, &locator, &main.in_main);
    let walked = walk(&parsed, arrival.url, &base_url, &links, &main.in_main);
    let (mut head, elements) = (walked.head, walked.elements);
    head.read_headers(&arrival.response.headers, arrival.url);
    let structured_data = structured_data(dom, &json_ld, &base_url);
    let text = text_facts::TextReader {
        dom,
        locator: &locator,
        drafts: &all,
        all_characters,
        declared: lang
            .as_deref()
            .or(arrival.response.headers.content_language.as_deref()),
        keep_visible: !structured_data.items.is_empty(),
    }
    .read(main);
    let (duplicate_ids, duplicate_id_count) = locator.duplicate_ids();
    PageContent {
        url: normalize(arrival.url).0,
        document: analysis::observation::page_content::DocumentFacts {
            has_doctype: dom.has_doctype,
            charset: encoding.name().to_owned(),
            charset_source,
            replaced_sequences: u32::try_from(replaced_sequences).unwrap_or(u32::MAX),
            lang,
            base: document::written_base(dom),
            elements: elements.count,
            duplicate_ids,
            duplicate_id_count,
            early_head_end: document::early_head_end(&parsed),
            parser_limit: parsed.limited,
            links_left_out: parsed.links_left_out || walked.links_left_out,
            extraction: EXTRACTION_VERSION,
        },
        fetched: arrival.fetched,
        response: arrival.response,
        depth: arrival.depth,
        discovery: arrival.discovery,
        probe_similarity: None,
        titles: head.titles,
        metas: head.metas,
        robots: head.robots,
        canonicals: head.canonicals,
        hreflangs: head.hreflangs,
        next_pages: head.next_pages,
        previous_pages: head.previous_pages,
        refresh: head.refresh,
        headings: elements.headings,
        images: elements.images,
        links: walked.links,
        uncrawlable_anchors: elements.uncrawlable,
        unprotected_windows: elements.windows,
        names: walked.names,
        forms: elements.forms,
        files: elements.files,
        structure: elements.structure,
        text,
        metadata: known,
        structured_data,
        rendered: None,
    }
}

/// Every `id` and `a[name]`, sorted: the valid fragments of links.
pub fn read_anchor_names(bytes: &[u8], from_http: Option<&str>) -> Vec<String> {
    let parsed = parse(&decode(bytes, from_http).text);
    let dom = &parsed.dom;
    let mut names = Vec::new();
    for &id in &dom.order {
        document::add_anchor_names(dom, id, &mut names);
    }
    document::sorted_anchor_names(names)
}

pub fn read_main_text(bytes: &[u8], from_http: Option<&str>) -> String {
    let dom = parse(&decode(bytes, from_http).text).dom;
    main_text(VisibleTree::of(&dom), &JsonLd::of(&dom))
        .into_text()
        .text()
}

struct WalkResult {
    head: Head,
    elements: Elements,
    links: Vec<PageLink>,
    names: Vec<String>,
    links_left_out: bool,
}

fn walk(
    parsed: &Parsed,
    page: &Url,
    base: &Url,
    reader: &LinkReader<'_>,
    in_main: &[bool],
) -> WalkResult {
    let dom = &parsed.dom;
    let is_in_head = document::head_members(parsed);
    let mut inside = vec![AncestorFlags::default(); dom.nodes.len()];
    let (mut head, mut elements) = (Head::default(), Elements::default());
    let (mut links, mut names) = (Vec::new(), Vec::new());
    let mut link_bytes = 0;
    for &id in &dom.order {
        let outer = dom.nodes[id]
            .parent
            .map_or(AncestorFlags::default(), |it| inside[it]);
        let Some(name) = dom.name(id) else {
            inside[id] = outer;
            continue;
        };
        let here = AncestorFlags {
            head: is_in_head(id, outer.head),
            link: outer.link || name == "a",
            picture: outer.picture || name == "picture",
            noscript: outer.noscript || name == "noscript",
        };
        inside[id] = here;
        document::add_anchor_names(dom, id, &mut names);
        let element = elements::Element {
            dom,
            id,
            name,
            base,
            page,
            locator: reader.locator,
            inside: outer,
            in_head: here.head,
            in_main: in_main.get(id).copied().unwrap_or_default(),
        };
        head.read(&element);
        elements.read(&element);
        if links.len() < MAX_LINKS && link_bytes < MAX_LINK_BYTES {
            let known = links.len();
            reader.read(id, &mut links);
            link_bytes += links[known..].iter().map(bytes_of).sum::<usize>();
        }
    }
    WalkResult {
        head,
        elements,
        links,
        names: document::sorted_anchor_names(names),
        links_left_out: link_bytes >= MAX_LINK_BYTES,
    }
}

fn bytes_of(link: &PageLink) -> usize {
    let target = match &link.target {
        LinkTarget::Web { url, .. } => url.len(),
        _ => 0,
    };
    let text = link.text.as_ref().map_or(0, String::len);
    link.raw.len() + target + text + link.position.css_path.len()
}

fn raw_text_bytes(dom: &Dom, id: NodeId) -> usize {
    let children = dom.nodes[id].children.iter();
    let lengths = children.map(|it| match &dom.nodes[*it].kind {
        super::dom::Kind::Text(text) => text.len(),
        _ => 0,
    });
    lengths.sum()
}

#[cfg(test)]
mod tests;
