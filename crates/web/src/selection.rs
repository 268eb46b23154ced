//! `fields=`: only the members that a caller asks for.

use crate::problem::{FieldError, Problem};
use serde_json::{Map, Value};

/// Members to keep, as dotted paths; the id is always among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection(Vec<Vec<String>>);

impl Selection {
    /// Reads `a,b,c.d`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let paths = text
            .split(',')
            .map(str::trim)
            .filter(|path| !path.is_empty());
        Self(
            paths
                .map(|path| path.split('.').map(str::to_owned).collect())
                .collect(),
        )
    }

    /// Keeps the selected members of an object; a name that the object does not have is refused
    /// with the nearest that it has.
    pub fn of(&self, value: &Value) -> Result<Value, Problem> {
        self.with(&["id"], value)
    }

    /// The same of a result's record, which is told from others by what it is about.
    pub fn of_record(&self, value: &Value) -> Result<Value, Problem> {
        self.with(&["keywordId", "url"], value)
    }

    fn with(&self, always: &[&str], value: &Value) -> Result<Value, Problem> {
        let mut kept = Map::new();
        for name in always {
            kept.extend(value.get(name).map(|it| ((*name).to_owned(), it.clone())));
        }
        for path in &self.0 {
            keep(&mut kept, value, path, &path.join("."))?;
        }
        Ok(Value::Object(kept))
    }
}

fn keep(
    kept: &mut Map<String, Value>,
    from: &Value,
    path: &[String],
    whole: &str,
) -> Result<(), Problem> {
    let Some((name, rest)) = path.split_first() else {
        return Ok(());
    };
    let Some(found) = from.get(name) else {
        return if from.is_null() {
            Ok(())
        } else {
            Err(unknown(from, name, whole))
        };
    };
    if rest.is_empty() {
        kept.insert(name.clone(), found.clone());
        return Ok(());
    }
    if found.is_null() {
        kept.insert(name.clone(), Value::Null);
        return Ok(());
    }
    let inner = kept
        .entry(name.clone())
        .or_insert_with(|| Value::Object(Map::new()));
    match inner {
        Value::Object(inner) => keep(inner, found, rest, whole),
        _ => Ok(()),
    }
}

fn unknown(from: &Value, name: &str, whole: &str) -> Problem {
    let known: Vec<&str> = from
        .as_object()
        .map(|members| members.keys().map(String::as_str).collect())
        .unwrap_or_default();
    let error = FieldError::in_query(
        "fields",
        "unknown-field",
        format!("there is no field `{whole}`"),
    );
    Problem::invalid_value(error.allowing(&known, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_id_and_what_is_selected_stay() {
        let whole = json!({ "id": 1, "name": "a", "reportSettings": { "enabled": true, "frequency": "daily" }, "market": null });
        let kept = Selection::parse("name, reportSettings.enabled,market.country")
            .of(&whole)
            .unwrap();
        assert_eq!(
            kept,
            json!({ "id": 1, "name": "a", "reportSettings": { "enabled": true }, "market": null })
        );
    }

    #[test]
    fn a_name_that_is_not_there_is_refused() {
        let problem = Selection::parse("nme")
            .of(&json!({ "id": 1, "name": "a" }))
            .unwrap_err();
        assert_eq!(problem.errors[0].document()["didYouMean"], "name");
    }
}
