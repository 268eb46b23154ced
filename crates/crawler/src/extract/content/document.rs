use super::super::dom::{Dom, Kind, NodeId};
use super::super::parse::{HeadEndCause, Parsed};
use analysis::observation::page_content::EarlyHeadEnd;

/// Longer names are ignored.
const MAX_NAME_BYTES: usize = 1_024;
/// Longer language tags are ignored.
const MAX_LANGUAGE_TAG_BYTES: usize = 100;

pub fn lang(dom: &Dom) -> Option<String> {
    let html = dom.elements("html").next()?;
    let lang = dom.attribute(html, "lang")?.trim();
    (!lang.is_empty() && lang.len() <= MAX_LANGUAGE_TAG_BYTES).then(|| lang.to_owned())
}

/// The first `base[href]`.
pub fn written_base(dom: &Dom) -> Option<String> {
    let mut written = dom
        .elements("base")
        .filter_map(|it| dom.attribute(it, "href"));
    written
        .next()
        .map(|it| analysis::text::words::shortened(it, 2_048).to_owned())
}

pub fn add_anchor_names<'a>(dom: &'a Dom, id: NodeId, names: &mut Vec<&'a str>) {
    if !dom.has_attributes(id) {
        return;
    }
    names.extend(dom.attribute(id, "id"));
    if dom.is_html(id, "a") {
        names.extend(dom.attribute(id, "name"));
    }
}

/// Sorted and unique.
pub fn sorted_anchor_names(mut names: Vec<&str>) -> Vec<String> {
    names.retain(|it| !it.is_empty() && it.len() <= MAX_NAME_BYTES);
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(str::to_owned).collect()
}

/// What ended the head before its end tag. A `noscript` is ignored: it ends the head only for parsers without
/// scripting.
pub fn early_head_end(parsed: &Parsed) -> Option<EarlyHeadEnd> {
    if parsed.head_end?.ended_early_by? != HeadEndCause::Content {
        return None;
    }
    let dom = &parsed.dom;
    let body = dom.elements("body").next()?;
    let first = dom.nodes[body].children.iter().find(|it| {
        !matches!(&dom.nodes[**it].kind, Kind::Text(text) if text.trim().is_empty())
            && !matches!(dom.nodes[**it].kind, Kind::Other)
    })?;
    Some(EarlyHeadEnd {
        element: dom.name(*first).unwrap_or("#text").to_owned(),
        line: dom.position(*first).map(|it| it.line),
    })
}

/// Returns whether a node belongs to the head, given whether its parent does; call it parents first.
pub fn head_members(parsed: &Parsed) -> impl Fn(NodeId, bool) -> bool {
    let dom = &parsed.dom;
    let head = dom.elements("head").next();
    // If a `noscript` ended the head, elements up to the end tag still belong to it.
    let end = parsed
        .head_end
        .filter(|it| it.ended_early_by == Some(HeadEndCause::Noscript))
        .map(|it| it.position);
    move |id, of_parent| {
        of_parent
            || head == Some(id)
            || end.is_some_and(|end| {
                dom.position(id)
                    .is_some_and(|it| (it.line, it.column) < (end.line, end.column))
                    && matches!(
                        dom.name(id),
                        Some("meta" | "link" | "title" | "script" | "style")
                    )
            })
    }
}
