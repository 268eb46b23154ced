//! Files that a browser loads at once for a page, without running scripts.

use super::charset::decode;
use super::dom::{Dom, NodeId};
use super::links::base_url;
use super::parse::parse;
use super::target::target_of;
use analysis::observation::{vitals::ResourceKind, web_site::LinkTarget};
use std::collections::BTreeSet;
use url::Url;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedFile {
    pub url: String,
    pub kind: ResourceKind,
    pub blocks_rendering: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageFiles {
    /// Unique, in document order.
    pub files: Vec<LoadedFile>,
    pub unsized_images: u32,
}

pub fn read_page_files(bytes: &[u8], from_http: Option<&str>, url: &Url) -> PageFiles {
    let dom = parse(&decode(bytes, from_http).text).dom;
    let base = base_url(&dom, url);
    let (mut found, mut known) = (PageFiles::default(), BTreeSet::new());
    for &id in &dom.order {
        if dom.is_html(id, "img") && is_unsized(&dom, id) {
            found.unsized_images += 1;
        }
        let Some((raw, kind, blocks_rendering)) = loaded_file(&dom, id) else {
            continue;
        };
        if let LinkTarget::Web { url, .. } = target_of(raw, &base)
            && known.insert(url.clone())
        {
            found.files.push(LoadedFile {
                url,
                kind,
                blocks_rendering,
            });
        }
    }
    found
}

/// The file that a browser loads at once for an element.
pub(super) fn loaded_file(dom: &Dom, id: NodeId) -> Option<(&str, ResourceKind, bool)> {
    let attribute = |name| dom.attribute(id, name);
    let is_lazy = || attribute("loading").is_some_and(|it| it.eq_ignore_ascii_case("lazy"));
    Some(match dom.name(id)? {
        "link" => link_file(dom, id)?,
        "script" => (
            attribute("src")?,
            ResourceKind::Script,
            is_parser_blocking(dom, id),
        ),
        "img" if !is_lazy() => (attribute("src")?, ResourceKind::Image, false),
        "iframe" if !is_lazy() => (attribute("src")?, ResourceKind::Document, false),
        "video" => (attribute("poster")?, ResourceKind::Image, false),
        _ => return None,
    })
}

fn link_file(dom: &Dom, id: NodeId) -> Option<(&str, ResourceKind, bool)> {
    let attribute = |name| dom.attribute(id, name);
    let rel = attribute("rel")?.to_ascii_lowercase();
    let is = |wanted| rel.split_ascii_whitespace().any(|it| it == wanted);
    let href = attribute("href")?;
    if is("stylesheet") && !is("alternate") && attribute("disabled").is_none() {
        // Style sheets for other media are loaded, but block nothing.
        let media = attribute("media")
            .unwrap_or("all")
            .trim()
            .to_ascii_lowercase();
        let blocks = !matches!(media.as_str(), "print" | "speech" | "none");
        return Some((href, ResourceKind::Stylesheet, blocks));
    }
    if is("icon") {
        return Some((href, ResourceKind::Image, false));
    }
    if is("modulepreload") {
        return Some((href, ResourceKind::Script, false));
    }
    is("preload").then(|| {
        let kind = match attribute("as") {
            Some("font") => ResourceKind::Font,
            Some("image") => ResourceKind::Image,
            Some("script") => ResourceKind::Script,
            Some("style") => ResourceKind::Stylesheet,
            _ => ResourceKind::Other,
        };
        (href, kind, false)
    })
}

/// Classic scripts in the head block the parser unless async or deferred.
fn is_parser_blocking(dom: &Dom, id: NodeId) -> bool {
    let has = |name| dom.attribute(id, name).is_some();
    let is_module = dom
        .attribute(id, "type")
        .is_some_and(|it| it.trim().eq_ignore_ascii_case("module"));
    let in_head = dom.ancestors(id).any(|it| dom.is_html(it, "head"));
    in_head && !has("async") && !has("defer") && !is_module
}

/// Whether neither attributes nor inline style set width and height; style sheets are not read.
pub(super) fn is_unsized(dom: &Dom, id: NodeId) -> bool {
    let number = |name| {
        dom.attribute(id, name).is_some_and(|it| {
            it.trim_start()
                .starts_with(|first: char| first.is_ascii_digit())
        })
    };
    let style = dom.attribute(id, "style").unwrap_or_default();
    let styled = ["width", "height"].iter().all(|it| style.contains(it));
    let attributed = number("width") && number("height");
    !attributed && !styled
}

#[cfg(test)]
mod tests {
    use super::*;
    use ResourceKind::{Document, Font, Image, Script, Stylesheet};

    fn files(html: &str) -> PageFiles {
        let url = Url::parse("https://acme.com/shop/").unwrap();
        read_page_files(html.as_bytes(), None, &url)
    }

    #[test]
    fn files_are_unique_with_kind_and_render_blocking() {
        let found = files(
            "<base href=/a/><link rel=stylesheet href=s.css><link rel='alternate stylesheet' href=no.css>\
             <link rel=stylesheet media=print href=p.css><link rel=preload as=font href=f.woff2>\
             <link rel=canonical href=/c><script src=one.js></script><script defer src=two.js></script>\
             <script type=module src=three.js></script><body><script src=four.js></script>\
             <img src=i.png><img src=i.png><img loading=lazy src=later.png><img src='data:image/png,x'>\
             <iframe src=//other.example/></iframe><a href=/page>x</a>",
        );
        let files: Vec<_> = found
            .files
            .iter()
            .map(|it| {
                (
                    it.url.trim_start_matches("https://"),
                    it.kind,
                    it.blocks_rendering,
                )
            })
            .collect();
        assert_eq!(
            files,
            [
                ("acme.com/a/s.css", Stylesheet, true),
                ("acme.com/a/p.css", Stylesheet, false),
                ("acme.com/a/f.woff2", Font, false),
                ("acme.com/a/one.js", Script, true),
                ("acme.com/a/two.js", Script, false),
                ("acme.com/a/three.js", Script, false),
                ("acme.com/a/four.js", Script, false),
                ("acme.com/a/i.png", Image, false),
                ("other.example/", Document, false),
            ]
        );
    }

    #[test]
    fn images_have_a_size_by_attributes_or_style() {
        let found = files(
            "<img src=a><img src=b width=10 height=20><img src=c width=10><img src=d width=auto height=1>\
             <img src=e style='width:1px;height:2px'>",
        );
        assert_eq!(found.unsized_images, 3);
    }
}
