//! Structured data is a bounded forest of items, and valid JSON has no parse errors.

use analysis::observation::structured_data::{PageStructuredData, Value};
use crawler::read_structured_data;
use std::sync::LazyLock;
use url::Url;

static PAGE: LazyLock<Url> =
    LazyLock::new(|| Url::parse("https://shop.example.com/dir/page.html").expect("a URL"));

/// The bytes as a page; JSON also as a JSON-LD block.
pub(crate) fn check(bytes: &[u8]) {
    assert_consistent(&read_structured_data(bytes, None, &PAGE).0);
    if !matches!(bytes.first(), Some(b'{' | b'[')) || bytes.contains(&b'<') {
        return;
    }
    let Ok(json) = std::str::from_utf8(bytes) else {
        return;
    };
    let page = format!("<meta charset=utf-8><script type='application/ld+json'>{json}</script>");
    let data = read_structured_data(page.as_bytes(), None, &PAGE).0;
    assert_consistent(&data);
    if serde_json::from_str::<serde_json::Value>(json).is_ok() {
        assert_eq!(data.parse_errors, [], "serde reads {json:?}");
    }
}

fn assert_consistent(data: &PageStructuredData) {
    assert!(data.items.len() <= 5_000 && data.notes.len() <= 200);
    assert!(data.parse_errors.len() <= 200);
    let mut values = data.open_graph.len() + data.twitter.len();
    for (number, item) in data.items.iter().enumerate() {
        values += item.properties.len();
        assert!(item.types.len() <= 50);
        let parent = item.parent.map(|it| it as usize);
        assert!(
            parent.is_none_or(|it| it < number),
            "a parent comes before its children"
        );
        for property in &item.properties {
            if let Value::Item(child) = property.value {
                let child = child as usize;
                assert!(child > number, "a child comes after its parent");
                let parent = data.items[child].parent.map(|it| it as usize);
                assert_eq!(parent, Some(number), "a child names its parent");
            }
        }
    }
    assert!(values <= 50_001);
    let places = data.notes.iter().filter_map(|it| it.item);
    assert!(
        places
            .into_iter()
            .all(|it| (it as usize) < data.items.len())
    );
    let written = serde_json::to_string(data).expect("it is written down");
    let again: PageStructuredData = serde_json::from_str(&written).expect("and taken up again");
    assert_eq!(&again, data);
}
