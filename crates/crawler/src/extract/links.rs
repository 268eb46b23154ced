use super::dom::{Dom, Kind, NodeId};
use super::locator::ElementLocator;
use super::srcset::{css_urls, srcset};
use super::target::target_of;
use super::text::{MAX_CHARACTERS, text_of};
use analysis::observation::page_content::MAX_LINKS;
use analysis::observation::web_site::{LinkTarget, PageLink, Position};
use analysis::text::words::{collapsed, shortened};
use std::{cell::OnceCell, collections::HashMap};
use url::Url;

const MAX_RAW: usize = 2_048;
const MAX_REL: usize = 200;
const MAX_LABELS: usize = 10;

const ATTRIBUTES: &[(&str, &str)] = &[
    ("a", "href"),
    ("area", "href"),
    ("link", "href"),
    ("img", "src"),
    ("img", "srcset"),
    ("source", "src"),
    ("source", "srcset"),
    ("video", "src"),
    ("video", "poster"),
    ("audio", "src"),
    ("track", "src"),
    ("iframe", "src"),
    ("frame", "src"),
    ("script", "src"),
    ("object", "data"),
    ("embed", "src"),
    ("form", "action"),
    ("meta", "content"),
];

/// `link` types that open connections or name services.
const NON_DOCUMENT_RELS: &[&str] = &["preconnect", "dns-prefetch", "pingback", "edituri"];

/// Base URL: the first `base[href]`, resolved against the page.
pub fn base_url(dom: &Dom, page: &Url) -> Url {
    let element = dom
        .elements("base")
        .find(|it| dom.attribute(*it, "href").is_some());
    element
        .and_then(|it| dom.attribute(it, "href"))
        .and_then(|it| page.join(it.trim()).ok())
        .filter(|it| !matches!(it.scheme(), "data" | "javascript"))
        .unwrap_or_else(|| page.clone())
}

pub struct LinkReader<'a> {
    dom: &'a Dom,
    base: &'a Url,
    pub locator: &'a ElementLocator<'a>,
    in_main: &'a [bool],
    /// The first element of each id, computed on first use.
    by_id: OnceCell<HashMap<&'a str, NodeId>>,
}

impl<'a> LinkReader<'a> {
    pub fn new(
        dom: &'a Dom,
        base: &'a Url,
        locator: &'a ElementLocator<'a>,
        in_main: &'a [bool],
    ) -> Self {
        Self {
            dom,
            base,
            locator,
            in_main,
            by_id: OnceCell::new(),
        }
    }

    pub fn read(&self, id: NodeId, links: &mut Vec<PageLink>) {
        let max_urls = MAX_LINKS.saturating_sub(links.len());
        let Some(name) = self.dom.name(id) else {
            return;
        };
        if name == "style" {
            links.extend(
                css_urls(&self.raw_text(id), max_urls)
                    .iter()
                    .filter_map(|it| self.link(id, "style", it)),
            );
            return;
        }
        for (_, attribute) in ATTRIBUTES.iter().filter(|it| it.0 == name) {
            let Some(value) = self.dom.attribute(id, attribute) else {
                continue;
            };
            match (name, *attribute) {
                (_, "srcset") => {
                    links.extend(
                        srcset(value, max_urls)
                            .iter()
                            .filter_map(|it| self.link(id, attribute, it)),
                    );
                }
                ("meta", _) => links.extend(self.refresh(id, value)),
                ("link", _) if !self.is_document_link(id) => {}
                // An empty action is the page itself; forms are never submitted.
                ("form", _) if value.trim().is_empty() || self.is_post_form(id) => {}
                _ => links.extend(self.link(id, attribute, value)),
            }
        }
    }

    fn link(&self, id: NodeId, attribute: &str, raw: &str) -> Option<PageLink> {
        // Elements without a position were repeated by the parser.
        let place = self.dom.position(id)?;
        Some(PageLink {
            raw: shortened(raw, MAX_RAW).to_owned(),
            target: target_of(raw, self.base),
            element: self.dom.name(id)?.to_owned(),
            attribute: attribute.to_owned(),
            rel: { self.dom.attribute(id, "rel") }.map(|it| shortened(it, MAX_REL).to_owned()),
            text: self.text(id),
            position: Position {
                line: place.line,
                column: place.column,
                css_path: self.locator.css_path(id),
            },
            placement: self.locator.placement(id),
            in_main_text: self.in_main.get(id).copied().unwrap_or_default(),
        })
    }

    fn text(&self, id: NodeId) -> Option<String> {
        let attribute_text = |name| self.dom.attribute(id, name).and_then(short_text);
        match self.dom.name(id)? {
            "a" => text_of(self.dom, id)
                .or_else(|| self.alternative_text(id))
                .or_else(|| attribute_text("aria-label").or_else(|| attribute_text("title")))
                .or_else(|| self.referenced_label(id)),
            "area" | "img" => attribute_text("alt").or_else(|| attribute_text("title")),
            "iframe" | "object" => attribute_text("title"),
            _ => None,
        }
    }

    fn alternative_text(&self, id: NodeId) -> Option<String> {
        let mut below = self.dom.below(id);
        below.find_map(|it| short_text(self.dom.attribute(it, "alt")?))
    }

    /// Fallback for link text: elements named by `aria-labelledby`, else a descendant's `aria-label`.
    fn referenced_label(&self, id: NodeId) -> Option<String> {
        let by_id = self.by_id.get_or_init(|| {
            let elements = self.dom.order.iter().rev();
            let named = elements.filter_map(|it| Some((self.dom.attribute(*it, "id")?, *it)));
            named.collect()
        });
        let named = self
            .dom
            .attribute(id, "aria-labelledby")
            .unwrap_or_default();
        let texts = named.split_ascii_whitespace().take(MAX_LABELS);
        let texts = texts.filter_map(|it| text_of(self.dom, *by_id.get(it)?));
        let text = texts.collect::<Vec<_>>().join(" ");
        short_text(&text).or_else(|| {
            let mut below = self.dom.below(id);
            below.find_map(|it| short_text(self.dom.attribute(it, "aria-label")?))
        })
    }

    fn raw_text(&self, id: NodeId) -> String {
        let children = self.dom.nodes[id].children.iter();
        let texts = children.filter_map(|it| match &self.dom.nodes[*it].kind {
            Kind::Text(text) => Some(&**text),
            _ => None,
        });
        texts.collect()
    }

    /// `<meta http-equiv=refresh content="5; url=x">`.
    fn refresh(&self, id: NodeId, content: &str) -> Option<PageLink> {
        let equivalent = self.dom.attribute(id, "http-equiv")?;
        if !equivalent.trim().eq_ignore_ascii_case("refresh") {
            return None;
        }
        let after = content.split_once([';', ','])?.1.trim_start();
        let key = after.get(..3).filter(|it| it.eq_ignore_ascii_case("url"));
        let url = match key {
            Some(_) => after[3..].trim_start().strip_prefix('=')?.trim(),
            None => after.trim(),
        };
        let url = url.trim_matches(['"', '\'']);
        let link = self.link(id, "content", url)?;
        (link.target != LinkTarget::Empty).then_some(link)
    }

    fn is_document_link(&self, id: NodeId) -> bool {
        let rel = self
            .dom
            .attribute(id, "rel")
            .unwrap_or_default()
            .to_ascii_lowercase();
        let mut words = rel.split_ascii_whitespace().peekable();
        words.peek().is_some() && !words.all(|it| NON_DOCUMENT_RELS.contains(&it))
    }

    fn is_post_form(&self, id: NodeId) -> bool {
        let method = self.dom.attribute(id, "method").unwrap_or_default();
        method.trim().eq_ignore_ascii_case("post") || method.trim().eq_ignore_ascii_case("dialog")
    }
}

/// Attribute text, collapsed and shortened like element text; `None` when empty.
fn short_text(value: &str) -> Option<String> {
    let text = collapsed(shortened(value.trim_start(), 10 * MAX_CHARACTERS));
    (!text.is_empty()).then(|| shortened(&text, MAX_CHARACTERS).to_owned())
}
