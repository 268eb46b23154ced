//! Size of tool results: models read everything, and clients cut longer results anywhere.

use crate::http::byte_budget::mcp_encoded_size;
use serde_json::{Value, json};

/// Bytes, unless more are requested.
pub const DEFAULT_BYTES: usize = 16 * 1024;
/// Maximum bytes.
pub const MAX_BYTES: usize = 64 * 1024;
/// Minimum bytes that can be requested.
pub const MIN_BYTES: usize = 4 * 1024;
/// Bytes around the content: message, sentence, list of cuts.
const ENVELOPE_BYTES: usize = 1_536;
/// Maximum number of reported cuts.
const MAX_REPORTED_CUTS: usize = 8;

/// Minimum sizes for a part to be cut.
#[derive(Clone, Copy)]
struct CutThresholds {
    /// Items of a list; one is left.
    items: usize,
    /// Items of a list that was cut before: the rest is a sample anyway.
    sampled: usize,
    /// Bytes of a string.
    text: usize,
    /// Members of an object: small objects have fixed names, large ones are maps.
    members: usize,
    /// Nesting of an object.
    depth: usize,
    /// Whether to cut within rows of `items`, which were requested.
    rows: bool,
}

/// Strings without spaces, such as cursors and URLs, are useless in part: only longer ones are cut.
const LONG_WORD: usize = 1_024;

/// Tried in order. Short lists, such as engines, come last.
const CUT_STAGES: [CutThresholds; 5] = [
    CutThresholds {
        items: 5,
        sampled: 5,
        text: 256,
        members: 24,
        depth: 1,
        rows: true,
    },
    CutThresholds {
        items: 5,
        sampled: 2,
        text: 256,
        members: 24,
        depth: 1,
        rows: true,
    },
    CutThresholds {
        items: 2,
        sampled: 2,
        text: 128,
        members: 24,
        depth: 1,
        rows: true,
    },
    CutThresholds {
        rows: false,
        ..LAST_STAGE
    },
    LAST_STAGE,
];

const LAST_STAGE: CutThresholds = CutThresholds {
    items: 1,
    sampled: 1,
    text: 32,
    members: 2,
    depth: 2,
    rows: true,
};

pub const fn row_budget(max_bytes: usize) -> usize {
    max_bytes - ENVELOPE_BYTES - 512
}

/// Cuts a value until two copies of it fit into so many bytes, and lists the cuts.
///
/// Cuts the largest part first, as deep inside as possible. Rows of a page are never dropped: the cursor is past them.
pub fn truncate_to_fit(value: &mut Value, max_bytes: usize) {
    let max_bytes = max_bytes - ENVELOPE_BYTES;
    let mut cuts: Vec<Cut> = Vec::new();
    while mcp_encoded_size(&value.to_string()) > max_bytes {
        let found = CUT_STAGES
            .iter()
            .find_map(|it| largest_part(value, *it, &cuts));
        let Some(path) = found else { break };
        let Some(part) = value.pointer_mut(&path) else {
            break;
        };
        let of = length(part);
        shorten(part);
        let kept = length(part);
        match cuts.iter_mut().find(|it| it.path == path) {
            Some(cut) => cut.kept = kept,
            None => cuts.push(Cut { path, kept, of }),
        }
    }
    // A cut part that was dropped with its parent is not reported.
    cuts.retain(|it| value.pointer(&it.path).is_some());
    if cuts.is_empty() {
        return;
    }
    let reported: Vec<Value> = cuts
        .iter()
        .take(MAX_REPORTED_CUTS)
        .map(Cut::document)
        .collect();
    if let Some(members) = value.as_object_mut() {
        members.insert("truncated".into(), true.into());
        members.insert("cut".into(), reported.into());
        if cuts.len() > MAX_REPORTED_CUTS {
            members.insert("moreCuts".into(), (cuts.len() - MAX_REPORTED_CUTS).into());
        }
    }
}

struct Cut {
    path: String,
    kept: usize,
    of: usize,
}

impl Cut {
    fn document(&self) -> Value {
        json!({ "at": self.path, "kept": self.kept, "of": self.of })
    }
}

fn length(part: &Value) -> usize {
    match part {
        Value::Array(items) => items.len(),
        Value::String(text) => text.chars().count(),
        Value::Object(members) => members.len(),
        _ => 0,
    }
}

/// Drops the second half.
fn shorten(part: &mut Value) {
    match part {
        Value::Array(items) => items.truncate(items.len() / 2),
        Value::String(text) => {
            let half = text.chars().count() / 2;
            *text = text.chars().take(half).collect();
        }
        Value::Object(members) => {
            let rest: Vec<String> = members.keys().skip(members.len() / 2).cloned().collect();
            for name in rest {
                members.shift_remove(&name);
            }
        }
        _ => {}
    }
}

/// JSON pointer of the largest part that can be cut.
fn largest_part(value: &Value, cuttable: CutThresholds, cuts: &[Cut]) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    find_largest(value, String::new(), cuttable, cuts, &mut best);
    best.map(|(_, path)| path)
}

/// Size of a part, and of its cuttable parts. Records it as the largest unless cuttable parts make up most of it.
fn find_largest(
    value: &Value,
    path: String,
    cuttable: CutThresholds,
    cuts: &[Cut],
    best: &mut Option<(usize, String)>,
) -> (usize, usize) {
    let (weight, inside, largest_part) = match value {
        Value::Array(items) => {
            let inner = items.iter().enumerate();
            let inner =
                inner.map(|(n, it)| find_largest(it, format!("{path}/{n}"), cuttable, cuts, best));
            sum_sizes(inner)
        }
        Value::Object(members) => {
            let inner = members.iter().map(|(name, it)| {
                let name_in_path = name.replace('~', "~0").replace('/', "~1");
                let path = format!("{path}/{name_in_path}");
                let (weight, inside) = find_largest(it, path, cuttable, cuts, best);
                (weight + name.len() + 4, inside)
            });
            sum_sizes(inner)
        }
        Value::String(text) => (text.len() + 2, 0, 0),
        plain => (plain.to_string().len(), 0, 0),
    };
    // Lists are shortened before their rows, objects after their members.
    let parts = if value.is_array() {
        largest_part
    } else {
        inside
    };
    let can_be_cut = match value {
        Value::Array(items) => {
            let is_sample = cuts.iter().any(|it| it.path == path);
            let min_items = if is_sample {
                cuttable.sampled
            } else {
                cuttable.items
            };
            items.len() >= min_items && path != "/items"
        }
        Value::String(text) => text.len() >= cuttable.text && is_worth_cutting(text, &path),
        Value::Object(members) => {
            let depth = path.matches('/').count();
            members.len() >= cuttable.members && depth >= cuttable.depth
        }
        _ => false,
    };
    let can_be_cut = can_be_cut && (cuttable.rows || !path.starts_with("/items/"));
    let is_mostly_parts = parts * 10 > weight * 6;
    let is_heavier = best.as_ref().is_none_or(|(largest, _)| weight > *largest);
    if can_be_cut && !is_mostly_parts && is_heavier {
        *best = Some((weight, path));
    }
    (weight, if can_be_cut { weight } else { inside })
}

/// Whether half of a text is useful.
fn is_worth_cutting(text: &str, path: &str) -> bool {
    let is_prose = !text.is_ascii() || text.contains(char::is_whitespace);
    path != "/nextCursor" && (is_prose || text.len() >= LONG_WORD)
}

/// Total size, cuttable size, and largest cuttable part.
fn sum_sizes(parts: impl Iterator<Item = (usize, usize)>) -> (usize, usize, usize) {
    parts.fold((2, 0, 0), |(all, inside, largest), (weight, part)| {
        (all + weight + 1, inside + part, largest.max(part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    #[test]
    fn a_fitting_document_is_unchanged() {
        let mut value = json!({ "items": [1, 2, 3] });
        let before = value.clone();
        truncate_to_fit(&mut value, MIN_BYTES);
        assert_eq!(value, before);
    }

    #[test]
    fn the_innermost_large_part_is_cut_and_rows_stay() {
        let results: Vec<Value> = (0..100)
            .map(|n| json!({ "position": n, "url": "https://example.com/page" }))
            .collect();
        let mut value = json!({ "summary": { "a": 1 }, "items": [{ "keyword": "a", "results": results }, { "keyword": "b" }] });
        truncate_to_fit(&mut value, MIN_BYTES);
        assert!(mcp_encoded_size(&value.to_string()) < MIN_BYTES);
        assert_eq!(value["items"].as_array().unwrap().len(), 2);
        let cut = &value["cut"][0];
        assert_eq!(
            (&cut["at"], &cut["of"]),
            (&json!("/items/0/results"), &json!(100))
        );
        let kept = value["items"][0]["results"].as_array().unwrap().len();
        assert_eq!(
            (cut["kept"].as_u64(), &value["truncated"]),
            (Some(kept as u64), &json!(true))
        );
        assert!(kept > 5);
    }

    #[test]
    fn cursors_and_urls_stay_and_rows_are_cut_last() {
        let cursor = "c".repeat(160);
        let address = format!("https://example.com/{}", "a".repeat(120));
        let around: Map<String, Value> =
            (0..60).map(|n| (format!("figure{n}"), n.into())).collect();
        let row = json!({ "keyword": "a", "position": 1, "url": address, "state": "ranked" });
        let mut value = json!({ "summary": { "figures": around, "words": "some words ".repeat(40) }, "items": [row.clone()], "nextCursor": cursor });
        truncate_to_fit(&mut value, MIN_BYTES);
        assert!(mcp_encoded_size(&value.to_string()) < MIN_BYTES);
        assert_eq!(
            (&value["items"][0], &value["nextCursor"]),
            (&row, &json!(cursor))
        );
        assert_eq!(value["truncated"], true);
    }

    #[test]
    fn of_a_record_only_its_long_lists_are_cut() {
        let list: Vec<Value> = (0..200)
            .map(|n| json!({ "keyword": format!("keyword {n}"), "position": n }))
            .collect();
        let mut row: Map<String, Value> =
            (0..24).map(|n| (format!("figure{n}"), n.into())).collect();
        row.insert("gaps".into(), list.clone().into());
        row.insert("advantages".into(), list.into());
        let mut value = json!({ "items": [row] });
        truncate_to_fit(&mut value, DEFAULT_BYTES);
        assert_eq!(value["items"][0].as_object().unwrap().len(), 26);
        let weight = mcp_encoded_size(&value.to_string());
        assert!(
            weight < DEFAULT_BYTES && weight > DEFAULT_BYTES / 2,
            "{weight}"
        );
    }

    #[test]
    fn long_texts_and_large_tables_are_cut_too() {
        let table: serde_json::Map<String, Value> =
            (0..2_000).map(|n| (format!("key{n}"), n.into())).collect();
        let mut value = json!({ "text": "é".repeat(40_000), "summary": { "table": table } });
        truncate_to_fit(&mut value, MIN_BYTES);
        assert!(
            mcp_encoded_size(&value.to_string()) < MIN_BYTES,
            "{}",
            value.to_string().len()
        );
        assert_eq!(value["cut"].as_array().unwrap().len(), 2);
    }
}
