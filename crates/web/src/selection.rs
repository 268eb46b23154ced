//! `fields=`: only the members that a caller asks for. What can be asked for is read off the
//! schemas of what is answered.

use crate::{openapi, problem::FieldError, query::Query};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// A kind of thing of which members can be selected.
#[derive(Debug)]
pub struct Selectable {
    /// The members, those of objects in it as dotted paths.
    pub paths: Vec<String>,
    /// What is always among the selected: what tells one thing from others.
    always: &'static [&'static str],
}

/// A project.
pub static PROJECT: LazyLock<Selectable> = LazyLock::new(|| Selectable {
    paths: openapi::members(&["Project"]),
    always: &["id"],
});
/// A keyword.
pub static KEYWORD: LazyLock<Selectable> = LazyLock::new(|| Selectable {
    paths: openapi::members(&["Keyword"]),
    always: &["id"],
});
/// A record of a result, of whatever type: a member of another type is not there, and not wrong.
pub static RECORD: LazyLock<Selectable> = LazyLock::new(|| Selectable {
    paths: openapi::members(&[
        "RankingRecord",
        "SerpRecord",
        "SovRecord",
        "ForecastRecord",
        "CompetitorRecord",
        "CannibalizationRecord",
        "AiVisibilityRecord",
        "AiTrendRecord",
        "SuggestionRecord",
        "BrokenLink",
        "ContentRecord",
        "ChangeRecord",
        "SchemaRecord",
        "GeoRecord",
        "EeatRecord",
        "VitalsRecord",
    ]),
    always: &["keywordId", "url"],
});

/// Members to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection(Vec<Vec<String>>);

impl Selection {
    /// `fields=a,b,c.d`, when it is there; a name that is none is noted, with the nearest that is.
    pub fn read(query: &Query, of: &Selectable) -> Option<Self> {
        let text = query.text("fields")?;
        let known: Vec<&str> = of.paths.iter().map(String::as_str).collect();
        let wanted = text.split(',').map(|it| it.trim_matches(' '));
        let mut paths: Vec<&str> = of.always.to_vec();
        for path in wanted {
            if known.contains(&path) {
                paths.push(path);
            } else {
                let message = format!("there is no field `{path}`");
                let error = FieldError::in_query("fields", "unknown-field", message);
                let noted = query.noted();
                query.note(error.allowing_when_told(noted, &names_near(path, &known), path));
            }
        }
        let split = |path: &&str| path.split('.').map(str::to_owned).collect();
        Some(Self(paths.iter().map(split).collect()))
    }

    /// The selected members of an object, as far as it has them.
    #[must_use]
    pub fn of(&self, whole: &Value) -> Value {
        let mut kept = Map::new();
        for path in &self.0 {
            keep(&mut kept, whole, path);
        }
        Value::Object(kept)
    }
}

/// The names beside the one that is wrong: those of the same object.
fn names_near<'a>(path: &str, known: &[&'a str]) -> Vec<&'a str> {
    let parent = path.rsplit_once('.').map(|(parent, _)| parent);
    let parent = parent.filter(|it| known.contains(it));
    let beside = known
        .iter()
        .filter(|name| name.rsplit_once('.').map(|(it, _)| it) == parent);
    let beside: Vec<&str> = beside.copied().collect();
    match parent {
        // It has no members: it is what was meant itself.
        Some(leaf) if beside.is_empty() => {
            known.iter().filter(|it| **it == leaf).copied().collect()
        }
        _ => beside,
    }
}

fn keep(kept: &mut Map<String, Value>, from: &Value, path: &[String]) {
    let Some((name, rest)) = path.split_first() else {
        return;
    };
    let Some(found) = from.get(name) else {
        return;
    };
    if rest.is_empty() || found.is_null() {
        kept.insert(name.clone(), found.clone());
        return;
    }
    // A member of another type's record may be an object of that name there and none here.
    if !found.is_object() {
        return;
    }
    let inner = kept
        .entry(name.clone())
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(inner) = inner {
        keep(inner, found, rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> (Query, Option<Selection>) {
        let query = Query::parse(&format!("fields={text}"), &["fields"]);
        let selection = Selection::read(&query, &PROJECT);
        (query, selection)
    }

    #[test]
    fn the_id_and_what_is_selected_stay() {
        let whole = json!({ "id": 1, "name": "a", "reportSettings": { "enabled": true, "frequency": "daily" }, "category": null });
        let (query, selection) = read("name,+reportSettings.enabled,category");
        query.finish().unwrap();
        assert_eq!(
            selection.unwrap().of(&whole),
            json!({ "id": 1, "name": "a", "reportSettings": { "enabled": true }, "category": null })
        );
        let inherited = json!({ "id": 1, "reportSettings": null });
        let (_, selection) = read("reportSettings.enabled");
        assert_eq!(selection.unwrap().of(&inherited), inherited);
        let (_, selection) = read("reportSettings.enabled");
        assert_eq!(
            selection
                .unwrap()
                .of(&json!({ "id": 1, "reportSettings": 7 })),
            json!({ "id": 1 })
        );
    }

    #[test]
    fn names_that_are_none_are_refused_all_at_once() {
        let (query, _) = read("nme,name,reportSettings.enabld,constructor.name,name.text,");
        let problem = query.finish().unwrap_err();
        let told: Vec<Value> = problem
            .errors
            .iter()
            .map(|error| error.document()["didYouMean"].clone())
            .collect();
        assert_eq!(
            told,
            [
                json!("name"),
                json!("reportSettings.enabled"),
                Value::Null,
                json!("name"),
                Value::Null
            ]
        );
    }

    #[test]
    fn records_of_every_type_can_be_selected_from() {
        for path in [
            "position",
            "difficulty.score",
            "targetUrl",
            "position.line",
            "performanceScore",
            "metrics.lcp",
        ] {
            assert!(
                RECORD.paths.iter().any(|it| it == path),
                "{path} of {:?}",
                RECORD.paths
            );
        }
    }
}
