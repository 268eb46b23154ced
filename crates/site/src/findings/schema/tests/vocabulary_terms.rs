use super::*;
use IssueCode as C;

/// Codes and messages of an item's vocabulary issues.
fn vocabulary_issues(item: Json) -> Vec<(C, String)> {
    let it = entity(item);
    let words = it.issues.iter().filter(|it| it.level == Level::Vocabulary);
    words.map(|it| (it.code, it.path.clone())).collect()
}

fn value(kind: &str, property: &str, value: Json) -> Vec<C> {
    let item = json!({"@type": kind, property: value});
    vocabulary_issues(item).into_iter().map(|it| it.0).collect()
}

#[test]
fn unknown_terms_get_a_spelling_hint() {
    let it = entity(
        json!({"@type": ["Product", "product"], "Name": "n", "colour": "red", "http://x.org/p": 1}),
    );
    let messages: Vec<&str> = it
        .issues
        .iter()
        .filter(|it| it.level == Level::Vocabulary)
        .map(|it| it.message.as_str())
        .collect();
    assert_eq!(
        messages,
        [
            "schema.org has no product; Product?",
            "schema.org has no Name; name?",
            "schema.org has no colour"
        ]
    );
    let inner = vocabulary_issues(json!({"@type": "Product", "brand": {"@type": "Brandd"}}));
    assert_eq!(inner, [(C::UnknownType, "brand".to_owned())]);
}

#[test]
fn properties_apply_to_subtypes() {
    assert_eq!(value("Restaurant", "servesCuisine", json!("x")), []);
    assert_eq!(value("Restaurant", "name", json!("x")), []);
    assert_eq!(
        value("Person", "servesCuisine", json!("x")),
        [C::PropertyNotInDomain]
    );
    assert_eq!(
        vocabulary_issues(json!({"@type": ["Person", "Restaurant"], "servesCuisine": "x"})),
        []
    );
    assert_eq!(
        value("SearchAction", "query-input", json!("required name=q")),
        []
    );
    let twice = vocabulary_issues(json!({"@type": "Person", "price": [1, 2]}));
    assert_eq!(twice, [(C::PropertyNotInDomain, "price[0]".to_owned())]);
}

#[test]
fn superseded_terms_are_reported() {
    let it = entity(json!({"@type": "UserComments", "actors": "Jo"}));
    let all: Vec<_> = it
        .issues
        .iter()
        .map(|it| (it.code, it.message.as_str()))
        .collect();
    assert!(all.contains(&(C::SupersededTerm, "UserComments is now InteractionCounter")));
    assert!(all.contains(&(C::SupersededTerm, "actors is now actor")));
}

#[test]
fn values_must_match_the_property_range() {
    let wrong = [C::ValueTypeMismatch];
    for (kind, property, good, bad) in [
        (
            "Thing",
            "url",
            json!(["https://example.com/a", "/a", "a?b"]),
            json!("not an address"),
        ),
        (
            "Article",
            "datePublished",
            json!(["2026-01-02", "2026-01-02T03:04:05", "2026"]),
            json!("2 May 2026"),
        ),
        (
            "Recipe",
            "prepTime",
            json!(["PT5M", "P1DT2H", "P2W"]),
            json!("5 minutes"),
        ),
        ("Book", "numberOfPages", json!([9, "9"]), json!("nine")),
        (
            "Article",
            "isAccessibleForFree",
            json!([true, "False", "http://schema.org/True"]),
            json!("perhaps"),
        ),
        ("Offer", "priceCurrency", json!("EUR"), json!("€")),
        (
            "Offer",
            "availability",
            json!([
                "InStock",
                "https://schema.org/InStock",
                "http://schema.org/InStock"
            ]),
            json!("in stock"),
        ),
        (
            "Offer",
            "availability",
            json!("http://other.org/x"),
            json!("https://schema.org/Nonsense"),
        ),
        (
            "Offer",
            "itemCondition",
            json!("NewCondition"),
            json!("InStock"),
        ),
        (
            "OpeningHoursSpecification",
            "opens",
            json!(["09:00", "09:00:00+02:00"]),
            json!("9 am"),
        ),
        (
            "OpeningHoursSpecification",
            "dayOfWeek",
            json!("https://schema.org/Monday"),
            json!("Mo"),
        ),
        (
            "Product",
            "offers",
            json!({"@type": "AggregateOffer"}),
            json!({"@type": "Person"}),
        ),
        (
            "Article",
            "author",
            json!([{"@type": "Person"}, {"@type": "Corporation"}, {"@type": "Thing"}, "Jo"]),
            json!({"@type": "Place"}),
        ),
        ("Product", "name", json!("n"), json!({"@type": "Person"})),
        (
            "Product",
            "name",
            json!(["", " "]),
            json!({"@type": "Offer"}),
        ),
    ] {
        assert_eq!(
            value(kind, property, good.clone()),
            [],
            "{property}: {good}"
        );
        assert_eq!(
            value(kind, property, bad.clone()),
            wrong,
            "{property}: {bad}"
        );
    }
}

#[test]
fn locale_numbers_are_errors_in_prices() {
    for price in [
        "1 299,00",
        "1,299.00",
        "19,99",
        "$19.99",
        "19.99 USD",
        "1’299.00",
        "1e400",
        "∞",
    ] {
        let it = entity(json!({"@type": "Offer", "price": price}));
        let issue = &it.issues[0];
        assert_eq!(
            (issue.code, issue.severity),
            (C::LocaleNumber, Severity::Error),
            "{price}"
        );
        assert_eq!(issue.path, "price");
    }
    for price in ["1299.00", "19.99", "0", "1e3", "-1"] {
        assert_eq!(value("Offer", "price", json!(price)), [], "{price}");
    }
    assert_eq!(value("Offer", "price", json!("on request, by phone")), []);
    assert_eq!(
        value("AggregateRating", "ratingCount", json!("1,234")),
        [C::LocaleNumber]
    );
    assert_eq!(
        value("AggregateRating", "ratingValue", json!("4,5")),
        [C::LocaleNumber]
    );
    assert_eq!(
        value("Rating", "ratingValue", json!(["6/10", "60%", "good"])),
        []
    );
}

#[test]
fn dates_durations_and_times_follow_iso_8601() {
    use super::super::values::{is_currency, is_date, is_duration, is_time};
    // tests/oracles/iso_values.py compares them with aniso8601 and iso4217.
    for good in [
        "2024-02-29",
        "20240229",
        "2024-02",
        "2024",
        "2026-01-02T03:04Z",
        "2026-01-02T03:04:05.678+05:30",
        "2026-01-02T24:00",
        "2026-01-02T0304",
    ] {
        assert!(is_date(good), "{good}");
    }
    for bad in [
        "",
        "2023-02-29",
        "2024-13-01",
        "2024-1-2",
        "02/01/2024",
        "2026-01-02 03:04",
        "2026-01T03:04",
        "2026-01-02T25:00",
        "2026-01-02T",
        "2026-01-02T03:60",
        "tomorrow",
        "2026-01-02T03:04+25:00",
    ] {
        assert!(!is_date(bad), "{bad}");
    }
    for good in ["PT5M", "P1Y2M3DT4H5M6S", "P2W", "PT1.5H", "PT0S", "P1D"] {
        assert!(is_duration(good), "{good}");
    }
    for bad in [
        "",
        "P",
        "PT",
        "5M",
        "PT5",
        "P1S",
        "PT1M1H",
        "P1D2",
        "PT.5H",
        "5 minutes",
        "P1DT",
    ] {
        assert!(!is_duration(bad), "{bad}");
    }
    assert!(is_time("09:00") && is_time("0900Z") && !is_time("9:00") && !is_time("09:00 am"));
    assert!(is_currency("CZK") && is_currency("XCG") && !is_currency("czk") && !is_currency("BTC"));
}
