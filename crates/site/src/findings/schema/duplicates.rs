use super::graph::Graph;
use super::paths::{joined, local_name};
use super::record::{Issue, IssueCode, Level};
use super::values::{NumberFormat, is_date, parse_number};
use crate::findings::broken_links::Severity;
use crate::observation::structured_data::Value;
use crate::text::words::{collapsed, shortened};
use std::collections::{BTreeMap, BTreeSet};

/// Single-valued properties, by the property that holds the item.
const SINGLE: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "datePublished",
            "startDate",
            "price",
            "priceCurrency",
            "ratingValue",
            "sku",
        ],
    ),
    (
        "offers",
        &[
            "price",
            "priceCurrency",
            "lowPrice",
            "highPrice",
            "availability",
        ],
    ),
    (
        "aggregateRating",
        &["ratingValue", "ratingCount", "reviewCount"],
    ),
];

/// Values by path.
type Facts = BTreeMap<String, BTreeSet<String>>;

/// Keeps one entity of copies (JSON-LD before microdata before `RDFa`), and returns the copies of each.
pub fn without_copies(graph: &Graph<'_>, entities: &[u32]) -> (Vec<u32>, BTreeMap<u32, Vec<u32>>) {
    let mut first: BTreeMap<String, u32> = BTreeMap::new();
    let (mut kept, mut copies) = (Vec::new(), BTreeMap::<u32, Vec<u32>>::new());
    let mut by_format = entities.to_vec();
    by_format.sort_by_key(|it| graph.first(*it).format);
    for entity in by_format {
        let keys = keys(graph, entity);
        let same = keys.iter().find_map(|it| first.get(it).copied());
        let is_other = |it: &u32| graph.first(*it).format != graph.first(entity).format;
        if let Some(original) = same.filter(is_other) {
            copies.entry(original).or_default().push(entity);
            continue;
        }
        kept.push(entity);
        for key in keys {
            first.entry(key).or_insert(entity);
        }
    }
    kept.sort_unstable();
    (kept, copies)
}

/// Identity of an item: its id, or its type and name.
fn keys(graph: &Graph<'_>, entity: u32) -> Vec<String> {
    let mut keys = Vec::new();
    let id = graph.first(entity).id.as_deref();
    keys.extend(
        id.filter(|it| !it.starts_with("_:"))
            .map(|it| format!("id {it}")),
    );
    if let (Some(name), Some(kind)) = (graph.name(entity), graph.types(entity).next()) {
        keys.push(format!("{kind} {}", collapsed(&name).to_lowercase()));
    }
    keys
}

pub fn check_own_values(graph: &Graph<'_>, entity: u32, issues: &mut Vec<Issue>) {
    for (path, values) in facts(graph, entity, true) {
        report_conflict(&path, &values, "", issues);
    }
}

pub fn check_copy(graph: &Graph<'_>, entity: u32, copy: u32, issues: &mut Vec<Issue>) {
    let theirs = facts(graph, copy, false);
    let format = format!("{:?}", graph.first(copy).format);
    for (path, values) in facts(graph, entity, false) {
        let Some(others) = theirs.get(&path) else {
            continue;
        };
        if values.len() == 1 && others.len() == 1 && values != *others {
            let both: BTreeSet<String> = values.union(others).cloned().collect();
            report_conflict(&path, &both, &format!(" in {format}"), issues);
        }
    }
    issues.push(Issue {
        level: Level::Consistency,
        code: IssueCode::DuplicateEntity,
        path: String::new(),
        message: format!("the page describes it in {format} too"),
        severity: Severity::Notice,
    });
}

fn report_conflict(path: &str, values: &BTreeSet<String>, place: &str, issues: &mut Vec<Issue>) {
    if values.len() < 2 {
        return;
    }
    let all: Vec<&str> = values.iter().map(|it| shortened(it, 60)).take(4).collect();
    issues.push(Issue {
        level: Level::Consistency,
        code: IssueCode::ConflictingValues,
        path: path.to_owned(),
        message: format!("different values{place}: {}", all.join(", ")),
        severity: Severity::Warning,
    });
}

/// Single-valued facts of an entity; several offers have separate paths if `apart`.
fn facts(graph: &Graph<'_>, entity: u32, apart: bool) -> Facts {
    let mut facts = Facts::new();
    for (holder, names) in SINGLE {
        let nodes: Vec<u32> = if holder.is_empty() {
            vec![entity]
        } else {
            let values = graph.values(entity, holder);
            values.filter_map(|it| graph.target(it)).take(50).collect()
        };
        let several = nodes.len() > 1;
        for (at, node) in nodes.into_iter().enumerate() {
            let path = if holder.is_empty() {
                String::new()
            } else {
                joined("", holder, (apart && several).then_some(at))
            };
            for name in *names {
                let values = graph.values(node, name).filter_map(Value::text);
                let values: BTreeSet<String> = values.map(|it| plain(name, &it)).collect();
                if !values.is_empty() {
                    let known = facts.entry(joined(&path, name, None)).or_default();
                    known.extend(values);
                }
            }
        }
    }
    facts
}

/// Numbers by value, ratings to one decimal, dates by day, names without the schema.org prefix.
fn plain(name: &str, text: &str) -> String {
    let text = collapsed(text);
    match parse_number(&text) {
        NumberFormat::Plain(value) if name == "ratingValue" => format!("{value:.1}"),
        NumberFormat::Plain(value) => value.to_string(),
        _ => match text.get(..10).filter(|it| is_date(it)) {
            Some(day) => day.to_owned(),
            None => local_name(&text).to_owned(),
        },
    }
}
