//! Character encoding of a page, by byte order mark, HTTP header, `meta` or default UTF-8.

use analysis::observation::page_content::CharsetSource;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use std::borrow::Cow;

/// Bytes searched for a charset in `meta`.
const PRESCAN: usize = 1_024;

/// Bytes of a decoded page; the rest is cut.
const MAX_TEXT: usize = 10 << 20;

pub struct Decoded<'a> {
    pub text: Cow<'a, str>,
    pub encoding: &'static Encoding,
    pub source: CharsetSource,
    pub had_errors: bool,
}

/// Number of U+FFFD that decoding added; `had_errors` comes from the decoder.
pub fn count_replacements(text: &str, bytes: &[u8], had_errors: bool) -> usize {
    const MARK: &[u8] = "\u{fffd}".as_bytes();
    if !had_errors {
        return 0;
    }
    let marks = text.matches(char::REPLACEMENT_CHARACTER).count();
    let written = bytes.windows(MARK.len()).filter(|it| *it == MARK).count();
    // In another encoding these bytes mean something else, and there was at least one error.
    marks.saturating_sub(written).max(1)
}

/// Decodes as browsers do; malformed sequences become U+FFFD.
pub fn decode<'a>(bytes: &'a [u8], from_http: Option<&str>) -> Decoded<'a> {
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
    // The byte order mark is not part of the text.
    let marked = Encoding::for_bom(bytes).map_or(0, |it| it.1);
    let (text, had_errors) = decoded(encoding, &bytes[marked..]);
    Decoded {
        text,
        encoding,
        source,
        had_errors,
    }
}

/// Returns the text and whether any bytes were malformed.
fn decoded<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> (Cow<'a, str>, bool) {
    // One byte can become three bytes of UTF-8.
    if let Some(text) = encoding.decode_without_bom_handling_and_without_replacement(bytes)
        && text.len() <= MAX_TEXT
    {
        return (text, false);
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(MAX_TEXT.min(3 * bytes.len() + 16));
    let (_, _, had_errors) = decoder.decode_to_string(bytes, &mut text, true);
    (Cow::Owned(text), had_errors)
}

/// Searches `meta` tags outside comments for `charset=`.
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
    // Bytes readable as ASCII are not UTF-16, whatever the label says.
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
    fn charset_precedence_is_bom_then_http_then_meta() {
        let page = b"<meta charset=iso-8859-2>\xe8";
        assert_eq!(decode(page, None).text.chars().last(), Some('č'));
        assert_eq!(
            decode(page, Some("windows-1251")).text.chars().last(),
            Some('и')
        );
        assert_eq!(
            decode(b"\xef\xbb\xbf\xc4\x8d", Some("windows-1251")).text,
            "č"
        );
        assert_eq!(decode(b"\xff\xfea\0", None).text, "a");
    }

    #[test]
    fn http_equiv_comments_and_unknown_labels_are_understood() {
        let old = b"<META http-equiv='Content-Type' content='text/html; charset=windows-1250'>\x9a";
        assert_eq!(decode(old, None).text.chars().last(), Some('š'));
        let commented = b"<!-- <meta charset=koi8-r> --><meta charset=\"utf-8\">\xc4\x8d";
        assert_eq!(decode(commented, None).text.chars().last(), Some('č'));
        assert_eq!(
            decode(b"<meta charset=nonsense>\xff", Some("more"))
                .text
                .chars()
                .last(),
            Some('\u{fffd}')
        );
        assert_eq!(
            decode(b"<meta charset=utf-16>\xc4\x8d", None).encoding,
            UTF_8
        );
    }

    #[test]
    fn malformed_bytes_are_counted() {
        let counted = |bytes: &[u8], from_http| {
            let decoded = decode(bytes, from_http);
            count_replacements(&decoded.text, bytes, decoded.had_errors)
        };
        assert_eq!(counted("č \u{fffd}".as_bytes(), Some("utf-8")), 0);
        // windows-1250 labeled as UTF-8.
        assert_eq!(counted(b"\x9aest \x9au\x9aek", Some("utf-8")), 3);
        assert_eq!(counted(b"\xff \xef\xbf\xbd", Some("utf-8")), 1);
        // Every byte is a character of windows-1252.
        assert_eq!(counted(b"\xe9\x81", Some("windows-1252")), 0);
    }
}
