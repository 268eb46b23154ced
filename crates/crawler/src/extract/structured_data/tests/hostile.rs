use super::read;
use analysis::observation::structured_data::{DataLimit, PageStructuredData, Value};
use proptest::prelude::*;

fn block(json: &str) -> PageStructuredData {
    read(&format!("<script type=application/ld+json>{json}</script>"))
}

/// Every nested item is held by exactly one earlier item.
fn is_forest(data: &PageStructuredData) -> bool {
    (0_u32..).zip(&data.items).all(|(number, item)| {
        let holds = |number: u32| {
            let holder = data.item(number);
            let mut values = holder.into_iter().flat_map(|it| &it.properties);
            values.any(|it| it.value == Value::Item(number))
        };
        let inner = item.properties.iter().filter_map(|it| match it.value {
            Value::Item(inner) => Some(inner),
            _ => None,
        });
        let mut inner = inner.map(|it| data.item(it).and_then(|it| it.parent));
        let own = item.parent.is_none_or(|it| it < number);
        own && !holds(number) && inner.all(|it| it == Some(number))
    })
}

#[test]
fn json_nested_too_deep_is_skipped() {
    let deep = r#"{"@context":"https://schema.org","about":"#.repeat(100_000);
    let data = block(&deep);
    assert!(data.items.is_empty() && data.limits.contains(&DataLimit::Block));
    let flat = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    assert!(block(&flat).limits.contains(&DataLimit::Block));
    let still = format!(
        r#"{{"@context":"https://schema.org","about":{}1{}}}"#,
        r#"{"about":"#.repeat(100),
        "}".repeat(100)
    );
    assert_eq!(block(&still).items.len(), 101);
}

#[test]
fn blocks_above_a_mebibyte_are_skipped() {
    let padded = |size: usize| {
        let json = r#"{"@context":"https://schema.org","@type":"Thing"}"#;
        block(&format!("{json}{}", " ".repeat(size - json.len())))
    };
    assert_eq!(padded(1 << 20).items.len(), 1);
    let data = padded((1 << 20) + 1);
    assert!(data.items.is_empty() && data.limits.contains(&DataLimit::Block));
}

#[test]
fn items_values_and_texts_are_bounded() {
    let many = block(&format!(
        "[{}1]",
        r#"{"@context":"https://schema.org","@type":"T"},"#.repeat(10_000)
    ));
    assert_eq!(many.items.len(), 5_000);
    assert!(many.limits.contains(&DataLimit::Items));
    let long = block(&format!(
        r#"{{"@context":"https://schema.org","@type":"T","name":"{}","{}":1}}"#,
        "é".repeat(10_000),
        "k".repeat(10_000),
    ));
    assert_eq!(
        long.items[0].properties[0].value,
        Value::Text("é".repeat(5_000))
    );
    assert_eq!(long.items[0].properties[1].name.len(), 500);
    assert!(long.limits.contains(&DataLimit::Text));
    let values = block(&format!(
        r#"{{"@context":"https://schema.org","name":[{}1]}}"#,
        "1,".repeat(100_000)
    ));
    assert_eq!(values.items[0].properties.len(), 50_000);
    assert!(values.limits.contains(&DataLimit::Values));
    let texts = format!("\"{}\",", "x".repeat(4_000)).repeat(200);
    let script = format!(
        r#"<script type=application/ld+json>{{"@context":"https://schema.org","name":[{texts}1]}}</script>"#
    );
    let kept = read(&script.repeat(5));
    let bytes: usize = kept
        .items
        .iter()
        .flat_map(|it| &it.properties)
        .filter_map(|it| it.value.text())
        .map(|it| it.len())
        .sum();
    assert!(bytes <= (2 << 20) + 1_000 && kept.limits.contains(&DataLimit::Text));
    let errors = read(&"<script type=application/ld+json>{</script>".repeat(1_000));
    assert_eq!(errors.parse_errors.len(), 200);
}

#[test]
fn items_multiplied_by_itemref_are_bounded() {
    // Each item holds the next twice: 2^30 items without a bound.
    let doubling: Vec<String> = (0..30)
        .map(|it| {
            let next = it + 1;
            format!("<div id=i{it} itemprop='a b' itemscope itemref=i{next}></div>")
        })
        .collect();
    let data = read(&format!(
        "<div itemscope itemref=i0></div>{}",
        doubling.concat()
    ));
    assert_eq!(data.items.len(), 5_000);
    // Every item refers to all elements.
    let all = format!("<div id=a>{}</div>", "<i></i>".repeat(10_000));
    let heavy = read(&format!(
        "{all}{}",
        "<p itemscope itemref=a></p>".repeat(1_000)
    ));
    assert!(heavy.limits.contains(&DataLimit::Work));
}

#[test]
fn many_prefixes_and_deep_nesting_are_bounded() {
    let prefixes: Vec<String> = (0..300)
        .map(|it| format!("p{it}: http://x.org/{it}/ "))
        .collect();
    let nested = format!("<p prefix='{}' typeof=p1:T>", prefixes.concat()).repeat(2_000);
    assert!(!read(&nested).items.is_empty());
    let deep =
        "<div itemscope itemprop=p><span vocab=http://x.org/ typeof=T property=q>".repeat(50_000);
    assert!(is_forest(&read(&deep)));
}

proptest! {
    #[test]
    fn items_always_form_a_forest(source in tags()) {
        prop_assert!(is_forest(&read(&source)));
    }

    #[test]
    fn parse_errors_are_reported_exactly_for_invalid_json(text in "[\\[\\]{}:,\"a1 \\\\]{0,12}") {
        let data = block(&text);
        let valid = serde_json::from_str::<serde_json::Value>(&text).is_ok() || text.trim().is_empty();
        prop_assert_eq!(data.parse_errors.is_empty(), valid);
    }
}

/// Pages of nested elements with all relevant attributes, few names, and cycles of `itemref`.
fn tags() -> impl Strategy<Value = String> {
    let attribute = prop_oneof![
        Just("itemscope"),
        Just("itemprop=a"),
        Just("itemprop='a b'"),
        Just("id=x"),
        Just("id=y"),
        Just("itemref='x y'"),
        Just("itemref=y"),
        Just("typeof=T"),
        Just("property=p"),
        Just("resource=#r"),
        Just("about=#s"),
        Just("href=#r"),
        Just("vocab=http://schema.org/"),
        Just("content=c"),
    ];
    let attributes = prop::collection::vec(attribute, 0..4);
    let tag = (attributes, prop::bool::ANY).prop_map(|(attributes, closed)| {
        let end = if closed { "</div>" } else { "" };
        format!("<div {}>{end}", attributes.join(" "))
    });
    prop::collection::vec(tag, 0..14).prop_map(|it| it.concat())
}
