use crate::ToSchema;
use crate::observation::structured_data::{PageStructuredData, SCHEMA_ORG, Value};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// Dates that a record lists.
const MAX_EXPIRIES: usize = 100;

/// Types with an expiry that search engines respect; seasonal opening hours may end.
const TYPES: [&str; 5] = [
    "AggregateOffer",
    "Demand",
    "JobPosting",
    "Offer",
    "UnitPriceSpecification",
];

/// A date on which something ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StructuredDataExpiry)]
pub struct Expiry {
    /// The last day on which it holds.
    pub until: NaiveDate,
    /// `validThrough` or `priceValidUntil`.
    pub property: String,
    /// The type of the item.
    pub of: String,
}

/// The dates of a page, soonest first, each once.
pub(super) fn expiries(data: &PageStructuredData) -> Vec<Expiry> {
    let mut found = Vec::new();
    for item in &data.items {
        let bare = item
            .types
            .iter()
            .filter_map(|it| it.strip_prefix(SCHEMA_ORG));
        let Some(of) = bare.filter(|it| TYPES.contains(it)).min() else {
            continue;
        };
        for property in &item.properties {
            if !matches!(property.name.as_str(), "validThrough" | "priceValidUntil") {
                continue;
            }
            // A date, or a date with a time.
            let day = match &property.value {
                Value::Text(text) => text.trim().get(..10).and_then(|it| it.parse().ok()),
                _ => None,
            };
            found.extend(day.map(|until| Expiry {
                until,
                property: property.name.clone(),
                of: of.to_owned(),
            }));
        }
    }
    found.sort();
    found.dedup();
    found.truncate(MAX_EXPIRIES);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::structured_data::{Format, Item, Location, Property};

    #[test]
    fn only_expiries_of_offers_and_jobs_are_listed() {
        let item = |of: &str, name: &str, value: &str| Item {
            format: Format::JsonLd,
            types: vec![format!("{SCHEMA_ORG}{of}")],
            id: None,
            properties: vec![Property {
                name: name.to_owned(),
                value: Value::Text(value.to_owned()),
            }],
            location: Location { line: 1, column: 1 },
            parent: None,
        };
        let data = PageStructuredData {
            items: vec![
                item("Offer", "priceValidUntil", "2026-12-31"),
                item("Offer", "priceValidUntil", "2026-12-31"),
                item("JobPosting", "validThrough", "2026-11-30T23:59:59+01:00"),
                item("OpeningHoursSpecification", "validThrough", "2026-01-01"),
                item("Offer", "priceValidUntil", "soon"),
                item("Offer", "priceValidUntil", "žžžžžžž"),
            ],
            ..PageStructuredData::default()
        };
        let found: Vec<(String, String)> = expiries(&data)
            .into_iter()
            .map(|it| (it.of, it.until.to_string()))
            .collect();
        let pair = |of: &str, until: &str| (of.to_owned(), until.to_owned());
        assert_eq!(
            found,
            [
                pair("JobPosting", "2026-11-30"),
                pair("Offer", "2026-12-31")
            ]
        );
    }
}
