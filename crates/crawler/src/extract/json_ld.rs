//! JSON-LD of a page: the objects of its scripts, as far as they can be read.

use super::dom::{Dom, Kind, NodeId};
use serde_json::Value;

/// Scripts of a page that are read, and how much of them.
const MOST_SCRIPTS: usize = 50;
const MOST_BYTES: usize = 2 * 1024 * 1024;
/// Objects of a page that are looked at.
const MOST_OBJECTS: usize = 2_000;

/// What a page's scripts of JSON-LD hold.
pub struct JsonLd {
    scripts: Vec<(NodeId, Value)>,
}

impl JsonLd {
    /// Reads the scripts; what is no JSON is left out.
    pub fn of(dom: &Dom) -> Self {
        let is_json_ld = |id: &NodeId| {
            let kind = dom
                .attribute(*id, "type")
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase();
            dom.is_html(*id, "script") && kind.starts_with("application/ld+json")
        };
        let scripts = dom
            .walk(0, |_| true)
            .into_iter()
            .filter(is_json_ld)
            .take(MOST_SCRIPTS);
        let read = |id: NodeId| read(&text(dom, id)).map(|it| (id, it));
        Self {
            scripts: scripts.filter_map(read).collect(),
        }
    }

    /// Every object, with the node of its script: those of lists and graphs, and those inside
    /// others, outer ones first.
    pub fn objects(&self) -> Vec<(NodeId, &Value)> {
        let mut objects = Vec::new();
        let mut waiting: std::collections::VecDeque<_> =
            self.scripts.iter().map(|(id, it)| (*id, it)).collect();
        while let Some((id, value)) = waiting.pop_front() {
            match value {
                Value::Array(all) => waiting.extend(all.iter().map(|it| (id, it))),
                Value::Object(members) => {
                    objects.push((id, value));
                    waiting.extend(
                        members
                            .values()
                            .filter(|it| it.is_object() || it.is_array())
                            .map(|it| (id, it)),
                    );
                }
                _ => {}
            }
            if objects.len() >= MOST_OBJECTS {
                break;
            }
        }
        objects
    }
}

/// The types of an object, without what stands before their last slash or colon.
pub fn types(object: &Value) -> impl Iterator<Item = &str> {
    let named = match &object["@type"] {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        Value::String(one) => vec![one.as_str()],
        _ => Vec::new(),
    };
    named
        .into_iter()
        .map(|it| it.rsplit(['/', ':', '#']).next().unwrap_or(it))
}

/// Whether an object is something that is written and published: an article of any kind.
pub fn is_article(object: &Value) -> bool {
    types(object).any(|it| {
        it.ends_with("Article")
            || matches!(
                it,
                "BlogPosting"
                    | "LiveBlogPosting"
                    | "SocialMediaPosting"
                    | "DiscussionForumPosting"
                    | "Report"
                    | "Review"
                    | "Recipe"
            )
    })
}

fn text(dom: &Dom, id: NodeId) -> String {
    let mut text = String::new();
    for &child in &dom.nodes[id].children {
        if let Kind::Text(part) = &dom.nodes[child].kind
            && text.len() + part.len() <= MOST_BYTES
        {
            text.push_str(part);
        }
    }
    text
}

/// Reads JSON as pages write it: in comments, with line breaks inside of texts, with a semicolon or
/// a comma too many.
fn read(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let text = text
        .trim_start_matches("<!--")
        .trim_start_matches("//")
        .trim_start()
        .trim_start_matches("<![CDATA[");
    let text = text
        .trim_end_matches("-->")
        .trim_end_matches("]]>")
        .trim_end()
        .trim_end_matches("//")
        .trim_end();
    let text = text.trim_end_matches(';');
    serde_json::from_str(&repaired(text)).ok()
}

fn repaired(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_text, mut escaped) = (false, false);
    for character in text.chars() {
        if in_text {
            in_text = escaped || character != '"';
            escaped = character == '\\' && !escaped;
            out.push(if character.is_control() {
                ' '
            } else {
                character
            });
            continue;
        }
        if matches!(character, '}' | ']') {
            let end = out.trim_end().trim_end_matches(',').len();
            out.truncate(end);
        }
        in_text = character == '"';
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
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
    fn lists_graphs_and_objects_inside_others_are_found() {
        let html = r#"<script type="application/ld+json">[{"name":"a"},{"@graph":[{"name":"b","author":{"name":"c"}}]}]</script>
            <script type="Application/LD+JSON; charset=utf-8">{"name":"d"}</script><script>{"name":"no"}</script>"#;
        assert_eq!(names(html), ["d", "a", "b", "c"]);
    }

    #[test]
    fn common_mistakes_are_read_all_the_same_and_others_left_out() {
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
    fn types_are_known_by_their_last_part() {
        let one: Value =
            serde_json::from_str(r#"{"@type":["https://schema.org/NewsArticle","Thing"]}"#)
                .unwrap();
        assert!(is_article(&one) && types(&one).eq(["NewsArticle", "Thing"]));
        assert!(!is_article(&serde_json::json!({"@type": "WebPage"})));
    }
}
