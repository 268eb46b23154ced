use aho_corasick::AhoCorasick;
use analysis::text::words::shortened;
use std::sync::LazyLock;

/// Longer values are not URLs.
const MAX_URL: usize = 4_096;
/// Bytes of white space skipped before a URL.
const MAX_BLANK: usize = 256;

/// URLs of a `srcset`, split as in the HTML standard; at most `max_urls`.
pub fn srcset(text: &str, max_urls: usize) -> Vec<&str> {
    let mut urls = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|it: char| it.is_ascii_whitespace() || it == ',');
        if rest.is_empty() || urls.len() >= max_urls {
            return urls;
        }
        let end = rest
            .find(|it: char| it.is_ascii_whitespace())
            .unwrap_or(rest.len());
        let (url, after) = rest.split_at(end);
        let bare = url.trim_end_matches(',');
        urls.push(bare);
        rest = after;
        if bare.len() == url.len() {
            // The descriptors end at a comma outside parentheses.
            let mut depth = 0_u32;
            let comma = rest.find(|it| {
                match it {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                it == ',' && depth == 0
            });
            rest = comma.map_or("", |at| &rest[at + 1..]);
        }
    }
}

/// URLs of `url()` and `@import` in a style sheet; at most `max_urls`.
pub fn css_urls(text: &str, max_urls: usize) -> Vec<String> {
    let css = without_comments(text);
    let mut urls = Vec::new();
    let mut begun = 0;
    for found in URL_MARKERS.find_iter(&css) {
        // A marker inside the last URL is part of it.
        if found.start() < begun {
            continue;
        }
        let is_import = found.pattern().as_u32() == 1;
        let from = found.end() + blank(&css[found.end()..]);
        let value = shortened(&css[from..], MAX_URL);
        let quote = value.chars().next().filter(|it| matches!(it, '"' | '\''));
        let end = match quote {
            Some(quote) => value[1..].find(quote).map(|it| (1, it + 1)),
            None if is_import => None,
            None => value.find(')').map(|it| (0, it)),
        };
        let Some((start, end)) = end else {
            continue;
        };
        urls.push(value[start..end].trim().to_owned());
        begun = from + end;
        if urls.len() >= max_urls {
            break;
        }
    }
    urls
}

static URL_MARKERS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(["url(", "@import"])
        .expect("two short patterns are within the limits")
});

/// Leading white space in bytes, up to [`MAX_BLANK`].
fn blank(text: &str) -> usize {
    let start = shortened(text, MAX_BLANK);
    start.len() - start.trim_start().len()
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        out.push_str(before);
        rest = comment.split_once("*/").map_or("", |it| it.1);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srcsets_are_split_as_in_browsers() {
        assert_eq!(srcset("a.png 1x, b.png 2x", 9), ["a.png", "b.png"]);
        assert_eq!(
            srcset("a.png, b,c.png 100w ,d.png", 9),
            ["a.png", "b,c.png", "d.png"]
        );
        assert_eq!(srcset(" , ", 9), [] as [&str; 0]);
        assert_eq!(
            srcset("data:image/png;base64,AA== 1x, b", 9),
            ["data:image/png;base64,AA==", "b"]
        );
    }

    #[test]
    fn css_urls_are_read_with_and_without_quotes() {
        let css = "a{background:URL( x.png )} /* url(no.png) */ @import 'a.css'; @import url(\"b.css\"); b{src:url('c d.woff')}";
        assert_eq!(css_urls(css, 9), ["x.png", "a.css", "b.css", "c d.woff"]);
        assert_eq!(css_urls("url(a)url(b)url(c)", 2), ["a", "b"]);
        assert_eq!(css_urls("url('a url(b) c')", 9), ["a url(b) c"]);
    }
}
