use super::*;
use IssueCode as C;

fn hidden(item: Json, text: &str) -> Vec<String> {
    let record = evaluated(&data(Format::JsonLd, &item), Some(text));
    let all = record.entities.iter().flat_map(|it| &it.issues);
    let all = all.filter(|it| it.code == C::NotVisible);
    all.map(|it| it.path.clone()).collect()
}

#[test]
fn names_are_matched_word_by_word() {
    let product = |name: &str| json!({"@type": "Product", "name": name});
    assert_eq!(hidden(product("Red CUP"), "A red  cup."), [""; 0]);
    assert_eq!(hidden(product("Red cup"), "A blue cup."), ["name"]);
    assert_eq!(
        hidden(
            product("Jo&#8217;s Cups &amp; Plates"),
            "Jo's cups and plates"
        ),
        [""; 0]
    );
    let long = "The very large red cup with a handle";
    assert_eq!(
        hidden(product(long), "The large red cup with a handle"),
        [""; 0]
    );
    assert_eq!(hidden(product(long), "A large cup"), ["name"]);
    assert_eq!(
        hidden(json!({"@type": "Organization", "name": "Inn"}), ""),
        [""; 0]
    );
}

#[test]
fn prices_and_ratings_match_any_notation() {
    let priced = |price: Json| json!({"@type": "Product", "name": "", "offers": {"@type": "Offer", "price": price}});
    for text in [
        "1 299,00 Kč",
        "1,299.00",
        "1.299,00 €",
        "1299",
        "1\u{a0}299,-",
        "1'299.00",
    ] {
        assert_eq!(hidden(priced(json!("1299.00")), text), [""; 0], "{text}");
    }
    assert_eq!(hidden(priced(json!(19.9)), "only 19.90!"), [""; 0]);
    assert_eq!(hidden(priced(json!(19.9)), "only 19.95!"), ["offers.price"]);
    let rated = |value: Json| json!({"@type": "Recipe", "aggregateRating": {"@type": "AggregateRating", "ratingValue": value}});
    assert_eq!(hidden(rated(json!(4.6667)), "4.7 stars"), [""; 0]);
    assert_eq!(hidden(rated(json!("4.5")), "4,5 of 5"), [""; 0]);
    assert_eq!(
        hidden(rated(json!(4.5)), "5 stars"),
        ["aggregateRating.ratingValue"]
    );
}

#[test]
fn days_are_matched_near_their_year() {
    let article = |date: &str| json!({"@type": "Article", "datePublished": date});
    for text in [
        "5 May 2026",
        "May 5th, 2026",
        "5. května 2026",
        "2026-05-05",
        "05.05.2026",
        "2026年5月5日",
    ] {
        assert_eq!(
            hidden(article("2026-05-05T10:00:00Z"), text),
            [""; 0],
            "{text}"
        );
    }
    for text in [
        "05.05.26",
        "5/5/26",
        "26年5月5日",
        "5 May 26",
        "May 5, ’26",
        "5. květen 26",
    ] {
        assert_eq!(hidden(article("2026-05-05"), text), [""; 0], "{text}");
    }
    for text in ["06.05.26", "5 cm, 26 cups", "05.06.26", "5.5.2025"] {
        assert_eq!(
            hidden(article("2026-05-05"), text),
            ["datePublished"],
            "{text}"
        );
    }
    // The day of a moment depends on the time zone; a date does not.
    for (moment, text, is_reported) in [
        ("2026-05-05T23:30:00Z", "6 May 2026", false),
        ("2026-05-05T23:30:00Z", "4 May 2026", true),
        ("2026-01-01T00:30:00+01:00", "31.12.25", false),
        ("2026-05-05T01:00:00-05:00", "4 May 2026", false),
        ("2026-05-05T12:00", "6 May 2026", false),
        ("2026-05-05T12:00", "7 May 2026", true),
        ("2026-05-05", "6 May 2026", true),
    ] {
        let found = hidden(article(moment), text);
        assert_eq!(!found.is_empty(), is_reported, "{moment}, {text}");
    }
    assert_eq!(hidden(article("2026-05-05"), "© 2026"), ["datePublished"]);
    assert_eq!(
        hidden(article("2026-05-05"), "6 May 2026"),
        ["datePublished"]
    );
    assert_eq!(hidden(article("2026-05"), ""), [""; 0]);
    // A recipe's date need not be visible.
    assert_eq!(
        hidden(
            json!({"@type": "Recipe", "datePublished": "2026-05-05"}),
            ""
        ),
        [""; 0]
    );
}

#[test]
fn unknown_text_is_not_compared() {
    let record = evaluated(
        &data(Format::JsonLd, &json!({"@type": "Product", "name": "Cup"})),
        None,
    );
    assert!(
        record.entities[0]
            .issues
            .iter()
            .all(|it| it.code != C::NotVisible)
    );
    assert!(
        record
            .envelope
            .warnings
            .contains(&"visibleTextUnknown".to_owned())
    );
}

#[test]
fn one_item_in_two_syntaxes_is_one_entity() {
    let cup = json!({"@type": "Product", "name": "Cup", "offers": {"@type": "Offer", "price": 5}});
    let mut page = data(
        Format::Microdata,
        &with(
            &cup,
            json!({"name": " cup", "offers": {"@type": "Offer", "price": "6.00"}}),
        ),
    );
    add(&mut page, Format::JsonLd, &cup);
    let record = evaluated(&page, None);
    assert_eq!((record.formats.json_ld, record.formats.microdata), (1, 1));
    assert_eq!(record.entities.len(), 1);
    let it = &record.entities[0];
    assert_eq!(it.format, Format::JsonLd);
    let about: Vec<_> = it
        .issues
        .iter()
        .filter(|it| it.level == Level::Consistency)
        .collect();
    assert_eq!(
        about
            .iter()
            .map(|it| (it.code, it.path.as_str()))
            .collect::<Vec<_>>(),
        [
            (C::ConflictingValues, "offers.price"),
            (C::DuplicateEntity, "")
        ]
    );
    assert_eq!(about[0].message, "different values in Microdata: 5, 6");
    assert_eq!(record.graph_connected, Some(1.0));

    let mut by_id = data(
        Format::Rdfa,
        &json!({"@type": "Product", "@id": "https://example.com/#p"}),
    );
    add(
        &mut by_id,
        Format::JsonLd,
        &json!({"@type": "Thing", "@id": "https://example.com/#p", "name": "x"}),
    );
    assert_eq!(evaluated(&by_id, None).entities.len(), 1);
    // Items of one name in one syntax are two entities.
    assert_eq!(
        evaluated(&data(Format::JsonLd, &json!([cup, cup])), None)
            .entities
            .len(),
        2
    );
}

#[test]
fn conflicting_values_are_reported() {
    let it = entity(json!({"@type": "Product", "name": "Cup", "offers":
        {"@type": "Offer", "price": [5, "6.00"], "priceCurrency": ["EUR", "EUR"]}}));
    let conflicts: Vec<_> = it
        .issues
        .iter()
        .filter(|it| it.code == C::ConflictingValues)
        .collect();
    assert_eq!(
        (conflicts.len(), conflicts[0].path.as_str()),
        (1, "offers.price")
    );
    let fine = entity(
        json!({"@type": "Product", "offers": [{"@type": "Offer", "price": 5}, {"@type": "Offer", "price": 6}]}),
    );
    assert!(fine.issues.iter().all(|it| it.code != C::ConflictingValues));
    let same_day =
        json!({"@type": "Article", "datePublished": ["2026-05-05", "2026-05-05T10:00Z"]});
    assert!(
        entity(same_day)
            .issues
            .iter()
            .all(|it| it.code != C::ConflictingValues)
    );
}
