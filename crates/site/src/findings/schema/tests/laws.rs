use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Types with rules, and properties named in rules.
const TYPES: &[&str] = &[
    "Product",
    "Offer",
    "Review",
    "AggregateRating",
    "Recipe",
    "Article",
    "WebPage",
    "ListItem",
    "BreadcrumbList",
    "QAPage",
    "Question",
    "JobPosting",
    "Organization",
    "VideoObject",
    "Nonsense",
    "ItemList",
];
const NAMES: &[&str] = &[
    "name",
    "offers",
    "review",
    "aggregateRating",
    "ratingValue",
    "price",
    "itemListElement",
    "item",
    "mainEntity",
    "image",
    "author",
    "url",
    "position",
    "video",
    "datePublished",
    "nonsense",
    "itemReviewed",
];

fn items() -> impl Strategy<Value = PageStructuredData> {
    let format = prop_oneof![
        Just(Format::JsonLd),
        Just(Format::Microdata),
        Just(Format::Rdfa)
    ];
    let id = prop::option::of((0_u8..3).prop_map(|it| format!("https://example.com/#{it}")));
    let value = prop_oneof![
        "[a-z0-9 ,.]{0,6}".prop_map(Value::Text),
        (-3_i64..9).prop_map(|it| Value::Number(it.into())),
        prop::bool::ANY.prop_map(Value::Bool),
        (0_u8..4).prop_map(|it| Value::Reference(format!("https://example.com/#{it}"))),
        (0_u32..8).prop_map(Value::Item),
    ];
    let property = (prop::sample::select(NAMES), value).prop_map(|(name, value)| Property {
        name: name.to_owned(),
        value,
    });
    let item = (
        format,
        prop::collection::vec(prop::sample::select(TYPES), 0..3),
        id,
        prop::collection::vec(property, 0..6),
    );
    prop::collection::vec(item, 0..8).prop_map(|all| {
        let mut data = PageStructuredData::default();
        for (number, (format, types, id, properties)) in (0_u32..).zip(all) {
            data.items.push(Item {
                format,
                types: types.iter().map(|it| format!("{SCHEMA_ORG}{it}")).collect(),
                id,
                properties,
                location: Location {
                    line: number + 1,
                    column: 1,
                },
                parent: None,
            });
        }
        as_forest(&mut data);
        data
    })
}

/// Nests every item at most once, in an earlier one.
fn as_forest(data: &mut PageStructuredData) {
    let mut nested = BTreeSet::new();
    for number in 0..data.items.len() {
        let before = u32::try_from(number).unwrap();
        let known = u32::try_from(data.items.len()).unwrap();
        let mut inner = Vec::new();
        data.items[number].properties.retain(|it| match it.value {
            Value::Item(item) => {
                let good = item > before && item < known && nested.insert(item);
                inner.extend(good.then_some(item));
                good
            }
            _ => true,
        });
        let format = data.items[number].format;
        for item in inner {
            data.items[item as usize].parent = Some(before);
            data.items[item as usize].format = format;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_evaluation_is_consistent(page in items(), text in prop::option::of("[a-z0-9 ,.]{0,20}")) {
        let record = evaluated(&page, text.as_deref());
        if let Some(score) = record.schema_score {
            prop_assert!((0.0..=100.0).contains(&score), "{}", score);
        }
        if let Some(share) = record.graph_connected {
            prop_assert!(share > 0.0 && share <= 1.0);
        }
        prop_assert_eq!(record.schema_score.is_none(), record.entities.is_empty());
        let mut errors = 0;
        for it in &record.entities {
            let works = matches!(it.eligibility, Eligibility::Eligible | Eligibility::EligibleWithWarnings);
            prop_assert!(!works || it.missing_required.is_empty());
            prop_assert_eq!(it.feature.is_none() && it.eligibility != Eligibility::NotSupported, false);
            errors += it.issues.iter().filter(|it| it.severity == Severity::Error).count();
            prop_assert!(it.issues.is_sorted_by_key(|it| it.severity));
        }
        prop_assert_eq!(record.errors as usize, errors);
        prop_assert_eq!(&evaluated(&page, text.as_deref()), &record);
    }

    #[test]
    fn recommended_properties_never_lower_the_score(left_out in prop::collection::vec(0_usize..6, 0..6)) {
        let whole = json!({"@type": "Article", "headline": "h", "image": "https://example.com/i.jpg",
            "datePublished": "2026-01-02", "dateModified": "2026-01-02", "author": {"@type": "Person", "name": "Jo"}});
        let names = ["headline", "image", "datePublished", "dateModified", "author", "none"];
        let mut less = whole.clone();
        let mut last = 101.0;
        for it in left_out {
            less.as_object_mut().unwrap().remove(names[it]);
            let score = evaluated(&data(Format::JsonLd, &less), None).schema_score.unwrap();
            prop_assert!(score <= last);
            last = score;
        }
    }
}

#[test]
fn cycles_and_thousands_of_items_terminate() {
    let ring: Vec<Json> = (0..2_000)
        .map(|it| json!({"@type": "Product", "@id": format!("#{it}"), "review": {"@id": format!("#{}", (it + 1) % 2_000)},
            "offers": {"@id": format!("#{}", (it + 7) % 2_000)}}))
        .collect();
    let record = evaluated(&data(Format::JsonLd, &Json::Array(ring)), None);
    assert_eq!(record.entities.len(), 300);
    assert!(record.envelope.warnings.contains(&"listCut".to_owned()));
    let same: Vec<Json> = (0..3_000)
        .map(|_| json!({"@type": "Product", "@id": "#p", "about": {"@id": "#p"}}))
        .collect();
    assert_eq!(
        evaluated(&data(Format::JsonLd, &Json::Array(same)), None)
            .entities
            .len(),
        1
    );
    let mut deep = json!({"@type": "Product"});
    for _ in 0..60 {
        deep = json!({"@type": "Product", "isRelatedTo": deep, "nonsense": 1});
    }
    let it = evaluated(&data(Format::JsonLd, &deep), None);
    assert_eq!(it.entities.len(), 1);
    assert!(it.entities[0].issues.iter().all(|it| it.path.len() <= 300));
}
