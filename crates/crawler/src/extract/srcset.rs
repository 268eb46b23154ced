//! URLs in `srcset` attributes and style sheets.

/// The URLs of a `srcset`, as the HTML standard splits it.
pub fn srcset(text: &str) -> Vec<&str> {
    let mut urls = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|it: char| it.is_ascii_whitespace() || it == ',');
        if rest.is_empty() {
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

/// The URLs of `url()` and `@import` in a style sheet.
pub fn css_urls(text: &str) -> Vec<String> {
    let css = without_comments(text);
    let mut urls = Vec::new();
    let mut rest = css.as_str();
    while let Some((import, after)) = next(rest) {
        let value = after.trim_start();
        let quote = value.chars().next().filter(|it| matches!(it, '"' | '\''));
        let end = match quote {
            Some(quote) => value[1..].find(quote).map(|it| (1, it + 1)),
            None if import => None,
            None => value.find(')').map(|it| (0, it)),
        };
        if let Some((from, to)) = end {
            urls.push(value[from..to].trim().to_owned());
            rest = &value[to..];
        } else {
            rest = after;
        }
    }
    urls
}

/// What follows the next `url(` or `@import`, and which it is.
fn next(css: &str) -> Option<(bool, &str)> {
    let lower = css.to_ascii_lowercase();
    let url = lower.find("url(").map(|it| (it, 4, false));
    let import = lower.find("@import").map(|it| (it, 7, true));
    let (at, length, is_import) = [url, import].into_iter().flatten().min()?;
    Some((is_import, &css[at + length..]))
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
    fn srcsets_are_split_where_browsers_split_them() {
        assert_eq!(srcset("a.png 1x, b.png 2x"), ["a.png", "b.png"]);
        assert_eq!(srcset("a.png, b,c.png 100w ,d.png"), ["a.png", "b,c.png", "d.png"]);
        assert_eq!(srcset(" , "), [] as [&str; 0]);
        assert_eq!(srcset("data:image/png;base64,AA== 1x, b"), ["data:image/png;base64,AA==", "b"]);
    }

    #[test]
    fn style_sheets_name_urls_with_and_without_quotes() {
        let css = "a{background:URL( x.png )} /* url(no.png) */ @import 'a.css'; @import url(\"b.css\"); b{src:url('c d.woff')}";
        assert_eq!(css_urls(css), ["x.png", "a.css", "b.css", "c d.woff"]);
    }
}
