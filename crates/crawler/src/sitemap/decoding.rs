use super::MAX_BYTES;
use encoding_rs::{Encoding, UTF_8};
use flate2::read::MultiGzDecoder;
use quick_xml::{escape::resolve_predefined_entity, events::BytesRef};
use std::{borrow::Cow, io::Read};

/// Bytes searched for an XML declaration.
const DECLARATION: usize = 200;

/// Compressed and decompressed bytes of a sitemap together.
const MAX_TOTAL_BYTES: usize = 40 * 1024 * 1024;
/// Bytes read in other encodings than UTF-8, because their text is copied.
const MAX_NON_UTF8_BYTES: usize = 4 * 1024 * 1024;

/// Decoded text, and an error code if it is incomplete.
pub fn text(bytes: &[u8]) -> (Cow<'_, str>, Option<&'static str>) {
    let encoding = Encoding::for_bom(bytes).map_or_else(|| declared(bytes), |it| it.0);
    if encoding == UTF_8 && std::str::from_utf8(bytes).is_ok() {
        return (encoding.decode(bytes).0, None);
    }
    let part = &bytes[..bytes.len().min(MAX_NON_UTF8_BYTES)];
    let problem = (part.len() < bytes.len()).then_some("tooLarge");
    (encoding.decode(part).0, problem)
}

/// Detects gzip by its magic bytes, whatever the headers say.
pub fn gunzip(bytes: &[u8]) -> (Cow<'_, [u8]>, Option<&'static str>) {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return (Cow::Borrowed(bytes), None);
    }
    let mut out = Vec::new();
    let max_bytes = MAX_BYTES.min(MAX_TOTAL_BYTES.saturating_sub(bytes.len()));
    let read = MultiGzDecoder::new(bytes)
        .take(u64::try_from(max_bytes).unwrap_or(u64::MAX))
        .read_to_end(&mut out);
    let problem = match read {
        Ok(length) if length == max_bytes => Some("tooLarge"),
        Ok(_) => None,
        Err(_) => Some("undecodable"),
    };
    (Cow::Owned(out), problem)
}

fn declared(bytes: &[u8]) -> &'static Encoding {
    let start: String = bytes
        .iter()
        .take(DECLARATION)
        .map(|it| char::from(*it))
        .collect();
    let declaration = start.split_once("?>").map_or("", |it| it.0);
    let label = declaration
        .split_once("encoding")
        .and_then(|(_, rest)| rest.split(['"', '\'']).nth(1));
    // A readable declaration rules out UTF-16.
    let named = label.and_then(|it| Encoding::for_label(it.as_bytes()));
    named.filter(|it| it.is_ascii_compatible()).unwrap_or(UTF_8)
}

/// Resolves numeric references and the five predefined ones only.
pub fn character(reference: &BytesRef<'_>) -> Option<String> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Some(character.to_string());
    }
    resolve_predefined_entity(reference).map(str::to_owned)
}
