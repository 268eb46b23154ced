//! AI Overview from DataForSEO: the call waits for it, but it may come without text.

use super::wire::Item;
use crate::search::result_page::{Overview, dedup_by_url};
use analysis::observation::search_page::{AiOverview, PageLink};
use analysis::url_rules::unwrapped;
use serde_json::Value;

const DEEPEST_ELEMENT: usize = 4;

pub(super) fn parse(items: &[Item]) -> Overview {
    let Some(item) = items.iter().find(|it| it.kind() == "ai_overview") else {
        return Overview::Absent;
    };
    let absolute = item.number("rank_absolute");
    let text = item.owned("markdown").or_else(|| joined(item));
    // Some sources are listed only at passages.
    let mut references = Vec::new();
    collect(item.list("references"), &mut references);
    passages(item.list("items"), DEEPEST_ELEMENT, &mut references);
    let citations = dedup_by_url(references);
    if text.is_none() && citations.is_empty() {
        return Overview::Unread(absolute);
    }
    Overview::Read(AiOverview {
        present: true,
        absolute_position: absolute,
        text,
        citations,
    })
}

fn joined(item: &Item) -> Option<String> {
    let texts = item.list("items").iter().flat_map(|it| {
        let text = |name: &str| it.get(name).and_then(Value::as_str);
        [text("title"), text("text")]
    });
    let lines: Vec<&str> = texts.flatten().filter(|it| !it.is_empty()).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn passages(elements: &[Value], deeper: usize, references: &mut Vec<PageLink>) {
    for element in elements {
        let list = |name: &str| {
            let list = element.get(name).and_then(Value::as_array);
            list.map_or(&[][..], Vec::as_slice)
        };
        collect(list("references"), references);
        if deeper > 0 {
            passages(list("items"), deeper - 1, references);
            passages(list("components"), deeper - 1, references);
        }
    }
}

fn collect(entries: &[Value], references: &mut Vec<PageLink>) {
    references.extend(entries.iter().filter_map(|reference| {
        let text = |name: &str| reference.get(name).and_then(Value::as_str);
        let url = unwrapped(text("url")?).into_owned();
        let title = text("title").or_else(|| text("source"));
        let title = title.unwrap_or_default().to_owned();
        Some(PageLink { title, url })
    }));
}
