use super::dates::{DateOrder, ParsedDate, first_date_with_offset, machine_date, url_date};
use super::labels::{role_of_names, role_of_text};
use super::meta_dates::add_meta_dates;
use super::{DateFact, DateRole, FactSource, MetadataInput};
use crate::extract::dom::NodeId;
use crate::extract::json::Json;
use crate::extract::json_ld::{is_article, types};
use crate::extract::text::text_of;
use analysis::{observation::page_content::BlockKind, text::words::shortened};

/// Characters kept of a date's text.
const MAX_TEXT: usize = 60;
/// Longer blocks are running text.
const MAX_LINE: u32 = 200;
/// Longer blocks are more than a date.
const MAX_BARE_DATE: u32 = 40;
/// Ancestor levels with names that may label a date.
const MAX_LEVELS: usize = 3;

/// Dates by most trusted source first, one per role and source.
pub fn dates(source: &MetadataInput) -> Vec<DateFact> {
    let mut all = Vec::new();
    add_json_ld_dates(source, &mut all);
    add_meta_dates(source, &mut all);
    add_element_dates(source, &mut all);
    add_text_dates(source, &mut all);
    add_url_dates(source, &mut all);
    let mut kept: Vec<DateFact> = Vec::new();
    for fact in all {
        if kept
            .iter()
            .all(|it| (it.role, it.source) != (fact.role, fact.source))
        {
            kept.push(fact);
        }
    }
    kept.sort_by_key(|it| it.source);
    kept
}

pub fn fact(role: DateRole, source: FactSource, read: ParsedDate, text: &str) -> DateFact {
    let text = shortened(text.trim(), MAX_TEXT).to_owned();
    DateFact {
        role,
        source,
        day: read.day,
        moment: read.moment,
        text,
    }
}

/// From the requested URL, the canonical URL and `og:url`.
fn add_url_dates(source: &MetadataInput, all: &mut Vec<DateFact>) {
    let canonical = source
        .dom
        .order
        .iter()
        .copied()
        .filter(|it| source.dom.is_html(*it, "link"));
    let canonical = canonical.filter(|it| {
        source
            .dom
            .attribute(*it, "rel")
            .is_some_and(|it| it.eq_ignore_ascii_case("canonical"))
    });
    let named = canonical.filter_map(|it| source.dom.attribute(it, "href"));
    let open_graph = source.metas().filter(|it| it.0 == "og:url").map(|it| it.1);
    let paths = named
        .chain(open_graph)
        .filter_map(|it| source.url.join(it).ok());
    for url in std::iter::once(source.url.clone()).chain(paths) {
        if let Some(read) = url_date(url.path()) {
            all.push(fact(
                DateRole::Unspecified,
                FactSource::Url,
                read,
                url.path(),
            ));
        }
    }
}

/// From articles, then from pages.
fn add_json_ld_dates(source: &MetadataInput, all: &mut Vec<DateFact>) {
    let objects = source.json_ld.objects();
    let articles = objects.iter().filter(|(_, it)| is_article(it));
    let is_page = |object: &Json| types(object).any(|it| it.ends_with("Page") || it == "WebSite");
    let pages = objects.iter().filter(|(_, it)| is_page(it));
    for (_, object) in articles.chain(pages) {
        for (key, role) in [
            ("datePublished", DateRole::Published),
            ("dateModified", DateRole::Modified),
            ("dateCreated", DateRole::Published),
        ] {
            let text = object[key].as_str().unwrap_or_default();
            if let Some(read) = machine_date(text, source.order) {
                all.push(fact(role, FactSource::JsonLd, read, text));
            }
        }
    }
}

fn add_element_dates(source: &MetadataInput, all: &mut Vec<DateFact>) {
    for &id in &source.tree.order {
        let property = source
            .dom
            .attribute(id, "itemprop")
            .unwrap_or_default()
            .to_ascii_lowercase();
        let is_property = property.contains("datepublished")
            || property.contains("datemodified")
            || property.contains("datecreated");
        let is_time = matches!(source.dom.name(id), Some("time" | "relative-time"));
        if source.is_other_content[id] || !source.is_line_sized[id] {
            continue;
        }
        if !is_property && !is_time {
            add_named_element_date(source, id, all);
            continue;
        }
        let kind = if is_property {
            FactSource::Microdata
        } else {
            FactSource::TimeElement
        };
        let machine = ["datetime", "content", "title"]
            .into_iter()
            .find_map(|it| source.dom.attribute(id, it));
        let text = machine
            .map(str::to_owned)
            .or_else(|| text_of(source.dom, id))
            .unwrap_or_default();
        if let Some(read) = machine_date(&text, source.order) {
            all.push(fact(role_of_element(source, id), kind, read, &text));
        }
    }
}

fn add_named_element_date(source: &MetadataInput, id: NodeId, all: &mut Vec<DateFact>) {
    if source.tree.text_length[id] > MAX_BARE_DATE
        || !matches!(
            source.dom.name(id),
            Some(
                "span"
                    | "abbr"
                    | "em"
                    | "i"
                    | "b"
                    | "small"
                    | "a"
                    | "div"
                    | "p"
                    | "li"
                    | "dd"
                    | "td"
            )
        )
    {
        return;
    }
    let Some(role) = role_of_names(source.dom, id) else {
        return;
    };
    let machine = || {
        ["datetime", "data-datetime", "title"]
            .into_iter()
            .find_map(|it| machine_date(source.dom.attribute(id, it)?, source.order))
    };
    let Some(text) = text_of(source.dom, id) else {
        return;
    };
    let seen = first_date_with_offset(&text, source.order).map(|it| it.0);
    if let Some(read) = seen.or_else(machine) {
        let role = if role == DateRole::Unspecified {
            role_of_text(&text).unwrap_or_else(|| role_of_element(source, id))
        } else {
            role
        };
        all.push(fact(role, FactSource::VisibleText, read, &text));
    }
}

fn role_of_element(source: &MetadataInput, id: NodeId) -> DateRole {
    if source.dom.attribute(id, "pubdate").is_some() {
        return DateRole::Published;
    }
    let chain = std::iter::once(id)
        .chain(source.dom.ancestors(id))
        .take(MAX_LEVELS);
    let named = chain
        .filter_map(|it| role_of_names(source.dom, it))
        .find(|it| *it != DateRole::Unspecified);
    named.unwrap_or(DateRole::Unspecified)
}

/// From visible text: labeled, in an element named as a date, or on its own.
fn add_text_dates(source: &MetadataInput, all: &mut Vec<DateFact>) {
    let mut bare = None;
    for draft in source.drafts {
        if draft.characters > MAX_LINE
            || matches!(draft.kind, BlockKind::Preformatted | BlockKind::TableRow)
        {
            continue;
        }
        let Some((read, at)) = first_date_with_offset(&draft.text, source.order) else {
            continue;
        };
        if source.is_other_content[draft.node] {
            continue;
        }
        let chain = std::iter::once(draft.node)
            .chain(source.dom.ancestors(draft.node))
            .take(MAX_LEVELS);
        let named = chain
            .into_iter()
            .find_map(|it| role_of_names(source.dom, it));
        let labelled = role_of_text(&draft.text[..at]);
        if let Some(role) = labelled.or(named) {
            all.push(fact(role, FactSource::VisibleText, read, &draft.text[at..]));
            add_second_date(source.order, &draft.text, at, all);
        } else if draft.characters <= MAX_BARE_DATE && bare.is_none() {
            bare = Some(fact(
                DateRole::Unspecified,
                FactSource::VisibleText,
                read,
                &draft.text[at..],
            ));
        }
    }
    all.extend(bare);
}

/// A second date in a line, if labeled as modified.
fn add_second_date(order: DateOrder, text: &str, first: usize, all: &mut Vec<DateFact>) {
    let after = text[first..]
        .char_indices()
        .nth(8)
        .map_or(text.len(), |(at, _)| first + at);
    let rest = &text[after..];
    if let Some((read, at)) = first_date_with_offset(rest, order)
        && role_of_text(&rest[..at]) == Some(DateRole::Modified)
    {
        all.push(fact(
            DateRole::Modified,
            FactSource::VisibleText,
            read,
            &rest[at..],
        ));
    }
}
