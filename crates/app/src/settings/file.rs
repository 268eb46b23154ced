//! The settings file: all its mistakes at once, each with its line.

use super::{
    Settings,
    sources::{check, nearest, nested},
};
use std::collections::BTreeMap;
use toml::{
    Table, Value,
    de::{DeTable, DeValue},
};

/// What a file sets, mistakes left out, and what is told of each of these.
pub fn read(text: &str) -> (Table, Vec<String>) {
    let told = |error: toml::de::Error| error.to_string().trim_end().to_owned();
    let table = match toml::from_str::<Table>(text) {
        Ok(table) => table,
        Err(error) => return (Table::new(), vec![told(error)]),
    };
    // Its words show the line with the mistake; they are told of the first one only.
    let Err(first) = toml::from_str::<Settings>(text) else {
        return (table, Vec::new());
    };
    let lines = lines(text);
    let mut good = Table::new();
    let mut mistakes = Vec::new();
    for (path, value) in leaves(table) {
        let key = path.join(".");
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let alone = nested(&path, value);
        match check(&alone) {
            Ok(()) => super::sources::merge(&mut good, alone),
            Err(reason) => mistakes.push((key, reason)),
        }
    }
    let mistakes = match mistakes.as_slice() {
        [] => vec![told(first)],
        [(key, reason)] => vec![with_hint(key, reason, told(first))],
        several => { several.iter() }
            .map(|(key, reason)| {
                let line = lines.get(key).map_or(0, |it| *it);
                with_hint(key, reason, format!("line {line}: {key}: {reason}"))
            })
            .collect(),
    };
    (good, mistakes)
}

/// What is told, with the setting that was probably meant.
fn with_hint(key: &str, reason: &str, told: String) -> String {
    let is_unknown = reason.contains("unknown field");
    match nearest(key).filter(|_| is_unknown) {
        Some(meant) => format!("{told}; did you mean {meant}?"),
        None => told,
    }
}

/// Every value that is no table, with its path.
fn leaves(table: Table) -> Vec<(Vec<String>, Value)> {
    let mut all = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => {
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
        } else {
            let line = text[..key.span().start].matches('\n').count() + 1;
            found.insert(dotted, line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mistake_is_shown_with_its_line() {
        let (_, wrong) = read("[crawler]\nmax_pages = \"many\"\n");
        assert!(wrong.len() == 1 && wrong[0].contains("line 2"), "{wrong:?}");
        let (_, unnamed) = read("[log]\nformat = \"xml\"\n");
        assert!(
            unnamed[0].contains("readable") && unnamed[0].contains("json"),
            "{unnamed:?}"
        );
        assert_eq!(read("[search.serper]\napi_key = \"\"\n").1.len(), 1);
        assert_eq!(read("listen = \n").1.len(), 1);
        assert_eq!(read("[nothing]\n").1.len(), 1);
    }

    #[test]
    fn several_are_told_each_with_its_line_and_what_was_meant_and_the_rest_is_read() {
        let (good, wrong) = read(
            "listen = \"here\"\n[crawler]\nmax_page = 7\nmax_depth = 3\ncontact_url = 1\n[log]\nlevel = \"info\"\n",
        );
        assert_eq!(wrong.len(), 3, "{wrong:?}");
        let told = wrong.join("\n");
        for part in [
            "line 1: listen: takes an address",
            "line 3: crawler.max_page: unknown field",
            "did you mean crawler.max_pages?",
            "line 5: crawler.contact_url",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert_eq!(good["crawler"]["max_depth"].as_integer(), Some(3));
        assert_eq!(good["log"]["level"].as_str(), Some("info"));
    }
}
