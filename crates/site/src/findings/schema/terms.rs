use super::graph::{is_empty, is_script};
use super::paths::{VisitedNode, joined, local_name};
use super::record::{Issue, IssueCode, Level};
use super::values::{
    NumberFormat, is_address, is_currency, is_date, is_duration, is_time, parse_number,
};
use super::vocabulary::{
    PropertyTerm, is_a, member_named, property_named, property_spelled, type_named, type_spelled,
};
use crate::findings::broken_links::Severity;
use crate::observation::structured_data::{Item, Property, Value};
use crate::text::words::shortened;
use std::collections::BTreeMap;

const CURRENCY: [&str; 3] = ["priceCurrency", "currency", "currenciesAccepted"];
/// Properties that accept numbers and text, where text is a malformed number.
const AMOUNT: [&str; 7] = [
    "price",
    "lowPrice",
    "highPrice",
    "minPrice",
    "maxPrice",
    "ratingValue",
    "bestRating",
];

pub fn check(item: &Item, items: &[Item], visit: &VisitedNode, issues: &mut Vec<Issue>) {
    let types: Vec<&str> = item.schema_types().collect();
    let mut known: Vec<&str> = Vec::new();
    for name in &types {
        match type_named(name) {
            Some(it) => {
                known.push(name);
                check_superseded(name, &it.superseded_by, &visit.path, issues);
            }
            None => add_unknown(
                IssueCode::UnknownType,
                name,
                type_spelled(name).filter(|it| type_named(it).is_some()),
                &visit.path,
                issues,
            ),
        }
    }
    if known.is_empty() {
        return;
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for it in &item.properties {
        *counts.entry(&it.name).or_default() += 1;
    }
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for property in &item.properties {
        let name = property.name.as_str();
        let index = seen.entry(name).or_default();
        let path = joined(&visit.path, name, (counts[name] > 1).then_some(*index));
        check_property(property, *index, &known, items, &path, issues);
        *index += 1;
    }
}

fn check_property(
    property: &Property,
    index: usize,
    types: &[&str],
    items: &[Item],
    path: &str,
    issues: &mut Vec<Issue>,
) {
    let name = property.name.as_str();
    if name.contains(':') {
        return;
    }
    let Some(term) = property_named(name) else {
        if index == 0 {
            let suggestion = property_spelled(name);
            add_unknown(IssueCode::UnknownProperty, name, suggestion, path, issues);
        }
        return;
    };
    if index == 0 {
        check_superseded(name, &term.superseded_by, path, issues);
        let is_theirs = |domain: &str| types.iter().any(|it| is_a(it, domain));
        if !term.domains.is_empty() && !term.domains.iter().any(|it| is_theirs(it)) {
            let message = format!("{name} is no property of {}", types.join(" and "));
            add(
                IssueCode::PropertyNotInDomain,
                path,
                message,
                Severity::Warning,
                issues,
            );
        }
    }
    if !is_empty(&property.value) && !name.ends_with("-input") && !name.ends_with("-output") {
        check_value(name, term, &property.value, items, path, issues);
    }
}

fn check_value(
    name: &str,
    term: &PropertyTerm,
    value: &Value,
    items: &[Item],
    path: &str,
    issues: &mut Vec<Issue>,
) {
    let mismatch = |text: &str, issues: &mut Vec<Issue>| {
        let text = shortened(text, 80);
        let message = format!("{name} takes {}, not “{text}”", term.ranges.join(" or "));
        add(
            IssueCode::ValueTypeMismatch,
            path,
            message,
            Severity::Warning,
            issues,
        );
    };
    if let Value::Item(inner) = value {
        let types = items.get(*inner as usize).map(Item::schema_types);
        let types: Vec<&str> = types.into_iter().flatten().collect();
        let known = types.iter().all(|it| type_named(it).is_some());
        if known && !types.is_empty() && !types.iter().any(|it| takes_type(term, it)) {
            mismatch(&types.join(", "), issues);
        }
        return;
    }
    let Some(text) = value.text() else { return };
    let text = text.trim();
    if is_script(value) && !term.ranges.contains(&"Text") {
        return mismatch(text, issues);
    }
    let is_amount = AMOUNT.contains(&name);
    if is_amount || term.ranges.iter().all(|it| is_a(it, "Number")) && !term.ranges.is_empty() {
        match parse_number(text) {
            NumberFormat::Plain(_) => return,
            NumberFormat::Locale if !is_scaled(text) => {
                let message = format!("“{}” is no number for machines", shortened(text, 80));
                let severity = if is_amount {
                    Severity::Error
                } else {
                    Severity::Warning
                };
                return add(IssueCode::LocaleNumber, path, message, severity, issues);
            }
            _ if is_amount => return,
            _ => return mismatch(text, issues),
        }
    }
    if CURRENCY.contains(&name) {
        let all = if name == "currenciesAccepted" {
            text.split([',', ' '])
                .filter(|it| !it.is_empty())
                .all(is_currency)
        } else {
            is_currency(text)
        };
        if !all {
            let message = format!("“{}” is no currency of ISO 4217", shortened(text, 80));
            add(
                IssueCode::ValueTypeMismatch,
                path,
                message,
                Severity::Warning,
                issues,
            );
        }
        return;
    }
    if !term.ranges.is_empty() && !term.ranges.iter().any(|it| takes_text(it, value, text)) {
        mismatch(text, issues);
    }
}

/// `60%` and `6/10` are ratings.
fn is_scaled(text: &str) -> bool {
    text.contains(['%', '/'])
}

/// A type of the property's range, a subtype or a supertype, since a page may be less specific.
fn takes_type(term: &PropertyTerm, name: &str) -> bool {
    term.ranges.is_empty()
        || term
            .ranges
            .iter()
            .any(|it| is_a(name, it) || is_a(it, name) || is_a(it, "Quantity") && *it != "Quantity")
}

/// Whether text is valid for a type: schema.org accepts it for all types but data types and enumerations.
fn takes_text(range: &str, value: &Value, text: &str) -> bool {
    match range {
        "Text" | "CssSelector" | "XPath" | "PronounceableText" => true,
        "URL" => matches!(value, Value::Url(_) | Value::Reference(_)) || is_address(text),
        "Date" | "DateTime" => is_date(text),
        "Time" => is_time(text),
        "Duration" => is_duration(text),
        "Number" | "Integer" | "Float" => matches!(parse_number(text), NumberFormat::Plain(_)),
        "Boolean" => matches!(
            local_name(text).to_ascii_lowercase().as_str(),
            "true" | "false" | "0" | "1"
        ),
        _ if is_a(range, "Enumeration") && range != "Enumeration" => is_member(range, text),
        _ => !is_a(range, "DataType") || is_a(range, "Quantity"),
    }
}

/// A member of an enumeration or of a subtype; names of other vocabularies are accepted.
fn is_member(enumeration: &str, text: &str) -> bool {
    let name = local_name(text);
    if name == text && text.contains("://") {
        return true;
    }
    let known = member_named(name).is_some_and(|it| {
        it.enumerations
            .iter()
            .any(|it| is_a(it, enumeration) || is_a(enumeration, it))
    });
    // Some members are types.
    known || type_named(name).is_some_and(|_| is_a(name, enumeration))
}

fn check_superseded(name: &str, newer: &[&str], path: &str, issues: &mut Vec<Issue>) {
    if !newer.is_empty() {
        let message = format!("{name} is now {}", newer.join(" or "));
        add(
            IssueCode::SupersededTerm,
            path,
            message,
            Severity::Warning,
            issues,
        );
    }
}

fn add_unknown(
    code: IssueCode,
    name: &str,
    suggestion: Option<&str>,
    path: &str,
    issues: &mut Vec<Issue>,
) {
    let name = shortened(name, 80);
    let hint = suggestion.map(|it| format!("; {it}?")).unwrap_or_default();
    let message = format!("schema.org has no {name}{hint}");
    add(code, path, message, Severity::Warning, issues);
}

fn add(code: IssueCode, path: &str, message: String, severity: Severity, issues: &mut Vec<Issue>) {
    issues.push(Issue {
        level: Level::Vocabulary,
        code,
        path: path.to_owned(),
        message,
        severity,
    });
}
