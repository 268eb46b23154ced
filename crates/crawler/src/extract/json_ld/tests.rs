//! Blocks and their objects.

use super::*;
use crate::extract::parse::parse;

fn names(html: &str) -> Vec<String> {
    let dom = parse(html).dom;
    let read = JsonLd::of(&dom);
    let objects = read.objects();
    objects
        .iter()
        .filter_map(|(_, it)| it["name"].as_str())
        .map(str::to_owned)
        .collect()
}

#[test]
fn objects_in_lists_graphs_and_objects_are_found() {
    let html = r#"<script type="application/ld+json">[{"name":"a"},{"@graph":[{"name":"b","author":{"name":"c"}}]}]</script>
        <script type="Application/LD+JSON; charset=utf-8">{"name":"d"}</script><script>{"name":"no"}</script>"#;
    assert_eq!(names(html), ["d", "a", "b", "c"]);
}

#[test]
fn common_json_mistakes_are_repaired_and_others_skipped() {
    for json in [
        "{\"name\":\"a b\",}",
        "{\"name\":\"a\nb\"};",
        "<!-- {\"name\":\"a b\"} -->",
        "//<![CDATA[\n{\"name\":\"a b\",\"x\":[1,2,]}\n//]]>",
    ] {
        assert_eq!(
            names(&format!("<script type=application/ld+json>{json}</script>")),
            ["a b"],
            "{json}"
        );
    }
    assert!(names("<script type=application/ld+json>{name: 'a'}</script>").is_empty());
    let deep = "[".repeat(100_000);
    assert!(names(&format!("<script type=application/ld+json>{deep}</script>")).is_empty());
}

#[test]
fn types_are_matched_without_namespace() {
    let read = |text| json::read(text, &Cell::new(99)).ok().unwrap();
    let one = read(r#"{"@type":["https://schema.org/NewsArticle","Thing"]}"#);
    assert!(is_article(&one) && types(&one).eq(["NewsArticle", "Thing"]));
    assert!(!is_article(&read(r#"{"@type":"WebPage"}"#)));
}

#[test]
fn blocks_beyond_the_value_budget_are_too_large() {
    let block = |inside: &str| format!("<script type=application/ld+json>{inside}</script>");
    let many = block(&format!("[{}0]", "0,".repeat(MAX_VALUES - 1)));
    let dom = parse(&(block("{\"name\":\"a\"}") + &many + &block("[0,0,0,0]"))).dom;
    let readings = JsonLd::of(&dom).blocks;
    let too_large: Vec<_> = { readings.iter() }
        .map(|it| matches!(it.outcome, ParseOutcome::TooLarge))
        .collect();
    // The first is read, the second exceeds the budget, the third finds it used up.
    assert_eq!(too_large, [false, true, true]);
}
