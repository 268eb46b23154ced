//! The settings file: all mistakes are reported together, each with its line.

use super::Settings;
use super::sources::{check, keys, merge, nearest_key, nested_table};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

/// The settings of a file, and messages about its mistakes. Lines are not quoted: they may contain secrets.
pub fn read(text: &str) -> (Table, Vec<String>) {
    let table = match toml::from_str::<Table>(text) {
        Ok(table) => table,
        Err(error) => {
            let line = error.span().map_or(1, |it| line_at(text, it.start));
            return (
                Table::new(),
                vec![format!("line {line}: {}", error.message())],
            );
        }
    };
    // Deserializes the table, not the text: each deserializer compiles all settings again.
    let Err(first) = Settings::deserialize(table.clone()) else {
        return (table, Vec::new());
    };
    let lines = lines(text);
    let mut good = Table::new();
    let mut mistakes = Vec::new();
    for (path, value) in leaves(table) {
        let key = path.join(".");
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let is_text = value.is_str();
        let alone = nested_table(&path, value);
        match check(&alone) {
            Ok(()) => merge(&mut good, alone),
            Err(reason) => {
                let line = lines.get(&key).copied().unwrap_or(1);
                let reason = if is_secret(&key) && !is_text {
                    "takes a text in quotation marks".to_owned()
                } else {
                    with_hint(&key, &reason)
                };
                mistakes.push(format!("line {line}: {key}: {reason}"));
            }
        }
    }
    // Mistakes that appear only in the whole file.
    if mistakes.is_empty() {
        mistakes.push(first.message().to_owned());
    }
    (good, mistakes)
}

fn is_secret(key: &str) -> bool {
    keys().iter().any(|it| it.is_secret && it.name == key)
}

fn with_hint(key: &str, reason: &str) -> String {
    let last = |key: &str| key.rsplit('.').next().unwrap_or(key).to_owned();
    let meant = nearest_key(key)
        .filter(|it| strsim::jaro_winkler(&last(it), &last(key)) > 0.7)
        .filter(|_| reason.contains("unknown field"));
    meant.map_or_else(
        || reason.to_owned(),
        |it| format!("{reason}; did you mean {it}?"),
    )
}

/// Every value that is not a non-empty table, with its path.
fn leaves(table: Table) -> Vec<(Vec<String>, Value)> {
    let mut all = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) if !inner.is_empty() => {
                let below = leaves(inner).into_iter();
                all.extend(below.map(|(mut path, value)| {
                    path.insert(0, key.clone());
                    (path, value)
                }));
            }
            value => all.push((vec![key], value)),
        }
    }
    all
}

/// The line of every value, by dotted key.
fn lines(text: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    if let Ok(table) = DeTable::parse(text) {
        collect_lines(table.get_ref(), "", text, &mut found);
    }
    found
}

fn collect_lines(
    table: &DeTable<'_>,
    prefix: &str,
    text: &str,
    found: &mut BTreeMap<String, usize>,
) {
    for (key, value) in table {
        let dotted = format!("{prefix}{}", key.get_ref());
        if let DeValue::Table(inner) = value.get_ref() {
            collect_lines(inner, &format!("{dotted}."), text, found);
        }
        found.insert(dotted, line_at(text, key.span().start));
    }
}

/// The line that contains the byte, counted from 1.
fn line_at(text: &str, at: usize) -> usize {
    let before = text.char_indices().take_while(|it| it.0 < at);
    before.filter(|it| it.1 == '\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_reported_with_its_line() {
        let (_, wrong) = read("[crawler]\nmax_pages = \"many\"\n");
        assert!(wrong.len() == 1 && wrong[0].contains("line 2"), "{wrong:?}");
        let (_, unnamed) = read("[log]\nformat = \"xml\"\n");
        assert!(
            unnamed[0].contains("readable") && unnamed[0].contains("json"),
            "{unnamed:?}"
        );
        assert_eq!(read("[search.serper]\napi_key = \"\"\n").1.len(), 1);
        assert_eq!(read("listen = \n").1.len(), 1);
        let (_, unknown) = read("listen = \"127.0.0.1:1\"\n[nothing]\n");
        assert!(
            unknown.len() == 1 && unknown[0].starts_with("line 2: nothing: unknown field"),
            "{unknown:?}"
        );
    }

    #[test]
    fn messages_contain_no_secret() {
        for file in [
            "[search.serper]\napi_key = 12345678\n",
            "[search.serper]\nlogin = 12345678\n",
            "[search.data_for_seo]\nlogin = 12345678\n",
            "[search.data_for_seo]\npassword = 12345678\n",
            "[search.serper]\napi_key = \"1234\"\n",
            "[search.serper]\napi_key = [\"12345678\"]\n",
            "[search.serper]\napi_key = \"12345678\nlisten = 1",
            "database_url = \"mysql://u:12345678@h/d\"\n",
        ] {
            let (_, wrong) = read(file);
            assert!(wrong.len() == 1 && wrong[0].contains("line "), "{wrong:?}");
            assert!(!wrong[0].contains("1234"), "{wrong:?}");
        }
    }

    #[test]
    fn each_mistake_has_line_and_suggestion_and_the_rest_is_read() {
        let (good, wrong) = read(
            "listen = \"here\"\n[crawler]\nmax_page = 7\nmax_depth = 3\ncontact_url = 1\n[log]\nlevel = \"info\"\n",
        );
        assert_eq!(wrong.len(), 3, "{wrong:?}");
        let messages = wrong.join("\n");
        for part in [
            "line 1: listen: takes an address",
            "line 3: crawler.max_page: unknown field",
            "did you mean crawler.max_pages?",
            "line 5: crawler.contact_url",
        ] {
            assert!(messages.contains(part), "{part}: {messages}");
        }
        assert_eq!(good["crawler"]["max_depth"].as_integer(), Some(3));
        assert_eq!(good["log"]["level"].as_str(), Some("info"));
    }
}
