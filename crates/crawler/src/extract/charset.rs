//! Which encoding a page is in: byte order mark, HTTP, the page's own word, UTF-8.

use analysis::observation::page_content::CharsetSource;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use std::borrow::Cow;

/// How far into a page its own word about its encoding is looked for.
const PRESCAN: usize = 1_024;

/// Decodes a page as browsers do; broken sequences become U+FFFD.
pub fn decode<'a>(
    bytes: &'a [u8],
    from_http: Option<&str>,
) -> (Cow<'a, str>, &'static Encoding, CharsetSource) {
    let by_mark = || Encoding::for_bom(bytes).map(|it| (it.0, CharsetSource::ByteOrderMark));
    let by_http = || {
        let found = Encoding::for_label(from_http?.as_bytes())?;
        Some((found, CharsetSource::Header))
    };
    let by_meta = || {
        let found = prescan(&bytes[..bytes.len().min(PRESCAN)])?;
        Some((found, CharsetSource::Meta))
    };
    let (encoding, source) = by_mark()
        .or_else(by_http)
        .or_else(by_meta)
        .unwrap_or((UTF_8, CharsetSource::Default));
    let (text, encoding, _) = encoding.decode(bytes);
    (text, encoding, source)
}

/// Looks for `charset=` in the `meta` tags outside comments.
fn prescan(start: &[u8]) -> Option<&'static Encoding> {
    let text: String = start.iter().map(|it| char::from(*it)).collect();
    let text = without_comments(&text.to_ascii_lowercase());
    let mut tags = text.split("<meta").skip(1);
    let label = tags.find_map(|tag| {
        let tag = tag.split('>').next().unwrap_or(tag);
        let (_, value) = tag.split_once("charset")?;
        let value = value.trim_start().strip_prefix('=')?.trim_start();
        let value = value.trim_start_matches(['"', '\'']);
        let end = value.find(|it: char| it.is_ascii_whitespace() || "\"';/".contains(it));
        Some(value[..end.unwrap_or(value.len())].to_owned())
    })?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    // A page whose bytes could be read this far is not UTF-16, whatever it says.
    Some(if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    })
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--") {
        out.push_str(before);
        rest = comment.split_once("-->").map_or("", |it| it.1);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_byte_order_mark_beats_http_and_http_beats_the_page() {
        let page = b"<meta charset=iso-8859-2>\xe8";
        assert_eq!(decode(page, None).0.chars().last(), Some('č'));
        assert_eq!(
            decode(page, Some("windows-1251")).0.chars().last(),
            Some('и')
        );
        assert_eq!(decode(b"\xef\xbb\xbf\xc4\x8d", Some("windows-1251")).0, "č");
        assert_eq!(decode(b"\xff\xfea\0", None).0, "a");
    }

    #[test]
    fn http_equiv_comments_and_unknown_labels_are_understood() {
        let old = b"<META http-equiv='Content-Type' content='text/html; charset=windows-1250'>\x9a";
        assert_eq!(decode(old, None).0.chars().last(), Some('š'));
        let commented = b"<!-- <meta charset=koi8-r> --><meta charset=\"utf-8\">\xc4\x8d";
        assert_eq!(decode(commented, None).0.chars().last(), Some('č'));
        assert_eq!(
            decode(b"<meta charset=nonsense>\xff", Some("more"))
                .0
                .chars()
                .last(),
            Some('\u{fffd}')
        );
        assert_eq!(decode(b"<meta charset=utf-16>\xc4\x8d", None).1, UTF_8);
    }
}
