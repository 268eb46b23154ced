use super::MOST_BYTES;
use encoding_rs::{Encoding, UTF_8};
use flate2::read::MultiGzDecoder;
use quick_xml::{escape::resolve_predefined_entity, events::BytesRef};
use std::{borrow::Cow, io::Read};

/// How far into a sitemap its own word about its encoding is looked for.
const DECLARATION: usize = 200;

/// Packed and unpacked bytes of a sitemap together, at the most.
const MOST_HELD: usize = 40 * 1024 * 1024;
/// What is read of one in another encoding than UTF-8, since its text is there twice.
const MOST_OTHER: usize = 4 * 1024 * 1024;

/// The text of unpacked bytes as far as it can be had, and what is wrong with the rest.
pub fn text(bytes: &[u8]) -> (Cow<'_, str>, Option<&'static str>) {
    let encoding = Encoding::for_bom(bytes).map_or_else(|| declared(bytes), |it| it.0);
    if encoding == UTF_8 && std::str::from_utf8(bytes).is_ok() {
        return (encoding.decode(bytes).0, None);
    }
    let part = &bytes[..bytes.len().min(MOST_OTHER)];
    let problem = (part.len() < bytes.len()).then_some("tooLarge");
    (encoding.decode(part).0, problem)
}

/// Undoes gzip where the bytes say it is there, whatever the headers said.
pub fn unpacked(bytes: &[u8]) -> (Cow<'_, [u8]>, Option<&'static str>) {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return (Cow::Borrowed(bytes), None);
    }
    let mut out = Vec::new();
    let most = MOST_BYTES.min(MOST_HELD.saturating_sub(bytes.len()));
    let read = MultiGzDecoder::new(bytes)
        .take(u64::try_from(most).unwrap_or(u64::MAX))
        .read_to_end(&mut out);
    let problem = match read {
        Ok(length) if length == most => Some("tooLarge"),
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
    // Bytes in which a declaration can be read are not UTF-16.
    let named = label.and_then(|it| Encoding::for_label(it.as_bytes()));
    named.filter(|it| it.is_ascii_compatible()).unwrap_or(UTF_8)
}

/// The character a reference stands for: one of the five predefined or a number, nothing else.
pub fn character(reference: &BytesRef<'_>) -> Option<String> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Some(character.to_string());
    }
    resolve_predefined_entity(reference).map(str::to_owned)
}
