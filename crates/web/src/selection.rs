//! `fields=`: selects members of the response schemas.

use crate::contract::members;
use crate::contract::parameters::Query;
use crate::problem::FieldError;
use analysis::{findings::all_types, result_type::ResultType};
use serde_json::{Map, Value};
use std::sync::LazyLock;

#[derive(Debug)]
pub struct Selectable {
    /// Nested members are dotted paths.
    pub paths: Vec<String>,
    /// Always selected, to identify the object.
    always: &'static [&'static str],
}

pub static PROJECT_FIELDS: LazyLock<Selectable> = LazyLock::new(|| Selectable {
    paths: members(&["Project"]),
    always: &["id"],
});
pub static KEYWORD_FIELDS: LazyLock<Selectable> = LazyLock::new(|| Selectable {
    paths: members(&["Keyword"]),
    always: &["id"],
});
/// Of all types, before the type is known.
pub static RECORD_FIELDS: LazyLock<Selectable> = LazyLock::new(|| {
    let schemas: Vec<&str> = all_types().map(|it| it.record).collect();
    record(&schemas)
});
static FIELDS_BY_TYPE: LazyLock<Vec<(ResultType, Selectable)>> = LazyLock::new(|| {
    let all = all_types().map(|it| (it.result_type, record(&[it.record])));
    all.collect()
});

/// # Panics
/// Never: every type has an entry.
pub fn record_fields(result_type: ResultType) -> &'static Selectable {
    let found = FIELDS_BY_TYPE.iter().find(|(of, _)| *of == result_type);
    &found.expect("all types are there").1
}

fn record(schemas: &[&str]) -> Selectable {
    Selectable {
        paths: members(schemas),
        always: &["keywordId", "url"],
    }
}

/// Members to keep with their own selection; an empty selection keeps all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection(Vec<(String, Selection)>);

impl Selection {
    /// `None` without `fields=`. An unknown name is an error with the closest known one.
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
                let noted = query.error_count();
                query.note(error.with_allowed_if_shown(noted, &sibling_names(path, &known), path));
            }
        }
        let mut selection = Self::default();
        for path in paths {
            selection.add(path);
        }
        Some(selection)
    }

    fn add(&mut self, path: &str) {
        let (name, rest) = path.split_once('.').unwrap_or((path, ""));
        let known = self.0.iter().position(|(it, _)| it == name);
        let inner = match known {
            // Already selected as a whole.
            Some(place) if self.0[place].1.0.is_empty() => return,
            Some(place) => &mut self.0[place].1,
            None => {
                self.0.push((name.to_owned(), Self::default()));
                &mut self.0.last_mut().expect("it was just added").1
            }
        };
        if rest.is_empty() {
            inner.0.clear();
        } else {
            inner.add(rest);
        }
    }

    /// Skips members that the object does not have.
    pub fn select(&self, whole: &Value) -> Value {
        let mut kept = Map::new();
        for (name, inner) in &self.0 {
            if let Some(part) = whole.get(name).and_then(|it| inner.select_nested(it)) {
                kept.insert(name.clone(), part);
            }
        }
        Value::Object(kept)
    }

    /// Selects within an object or each object of a list. `None` for other values.
    fn select_nested(&self, whole: &Value) -> Option<Value> {
        match whole {
            whole if self.0.is_empty() || whole.is_null() => Some(whole.clone()),
            Value::Object(_) => Some(self.select(whole)),
            Value::Array(items) if items.iter().all(Value::is_object) => {
                Some(items.iter().map(|it| self.select(it)).collect())
            }
            _ => None,
        }
    }
}

/// Members of the same object.
fn sibling_names<'a>(path: &str, known: &[&'a str]) -> Vec<&'a str> {
    let parent = path.rsplit_once('.').map(|(parent, _)| parent);
    let parent = parent.filter(|it| known.contains(it));
    let beside = known
        .iter()
        .filter(|name| name.rsplit_once('.').map(|(it, _)| it) == parent);
    let beside: Vec<&str> = beside.copied().collect();
    match parent {
        // It has no members: suggest it.
        Some(leaf) if beside.is_empty() => {
            known.iter().filter(|it| **it == leaf).copied().collect()
        }
        _ => beside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> (Query, Option<Selection>) {
        let query = Query::parse(&format!("fields={text}"), &["fields"]);
        let selection = Selection::read(&query, &PROJECT_FIELDS);
        (query, selection)
    }

    #[test]
    fn the_id_and_selected_members_stay() {
        let whole = json!({ "id": 1, "name": "a", "reportSettings": { "enabled": true, "frequency": "daily" }, "category": null });
        let (query, selection) = read("name,+reportSettings.enabled,category");
        query.finish().unwrap();
        assert_eq!(
            selection.unwrap().select(&whole),
            json!({ "id": 1, "name": "a", "reportSettings": { "enabled": true }, "category": null })
        );
        let inherited = json!({ "id": 1, "reportSettings": null });
        let (_, selection) = read("reportSettings.enabled");
        assert_eq!(selection.unwrap().select(&inherited), inherited);
        let (_, selection) = read("reportSettings.enabled");
        assert_eq!(
            selection
                .unwrap()
                .select(&json!({ "id": 1, "reportSettings": 7 })),
            json!({ "id": 1 })
        );
    }

    #[test]
    fn selections_apply_inside_lists() {
        let query = Query::parse(
            "fields=keyword,items.domain,items.absolutePosition",
            &["fields"],
        );
        let selection = Selection::read(&query, record_fields(ResultType::Serp)).unwrap();
        query.finish().unwrap();
        let whole = json!({
            "keywordId": 1,
            "keyword": "a",
            "items": [{ "domain": "x", "absolutePosition": 1, "title": "t" }, { "domain": "y" }],
        });
        assert_eq!(
            selection.select(&whole),
            json!({ "keywordId": 1, "keyword": "a", "items": [{ "domain": "x", "absolutePosition": 1 }, { "domain": "y" }] })
        );
        // The whole and a part select the whole, in either order.
        for fields in ["items,items.domain", "items.domain,items"] {
            let query = Query::parse(&format!("fields={fields}"), &["fields"]);
            let selection = Selection::read(&query, record_fields(ResultType::Serp)).unwrap();
            assert_eq!(selection.select(&whole)["items"], whole["items"]);
        }
    }

    #[test]
    fn all_unknown_names_are_refused_together() {
        let (query, _) = read("nme,name,reportSettings.enabld,constructor.name,name.text,");
        let problem = query.finish().unwrap_err();
        let suggestions: Vec<Value> = problem
            .errors
            .iter()
            .map(|error| error.document()["didYouMean"].clone())
            .collect();
        assert_eq!(
            suggestions,
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
    fn records_of_every_type_have_their_own_members() {
        for (result_type, path) in [
            (ResultType::Rankings, "position"),
            (ResultType::Serp, "difficulty.score"),
            (ResultType::BrokenLinks, "targetUrl"),
            (ResultType::BrokenLinks, "position.line"),
            (ResultType::Vitals, "metrics.lcp"),
        ] {
            let has = |of: &Selectable| of.paths.iter().any(|it| it == path);
            assert!(
                has(record_fields(result_type)) && has(&RECORD_FIELDS),
                "{path}"
            );
        }
        let query = Query::parse("fields=targetUrl", &["fields"]);
        Selection::read(&query, record_fields(ResultType::Rankings));
        let document = query.finish().unwrap_err().errors[0].document();
        let allowed = document["allowed"].as_array().unwrap();
        assert!(allowed.contains(&json!("position")) && !allowed.contains(&json!("targetUrl")));
    }
}
