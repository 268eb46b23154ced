//! Decodes UTF-8 with or without a BOM, and UTF-16 as Excel writes it.

use super::export_error;
use domain::ports::search_console::ExportError;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

pub(super) fn decode_text(file: &str, bytes: &[u8]) -> Result<String, ExportError> {
    let (encoding, bytes) = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => (encoding, &bytes[mark..]),
        None => (guess_encoding(bytes), bytes),
    };
    if encoding == UTF_8 {
        return utf8(file, bytes);
    }
    encoding
        .decode_without_bom_handling_and_without_replacement(bytes)
        .map(std::borrow::Cow::into_owned)
        .ok_or_else(|| {
            export_error(
                file,
                &format!("it is not text in {}", encoding.name()),
                "Save it as CSV in UTF-8.",
            )
        })
}

/// In UTF-16 every other byte of Latin text is zero.
fn guess_encoding(bytes: &[u8]) -> &'static Encoding {
    let some = &bytes[..bytes.len().min(1_000)];
    let zeros = |first: usize| {
        some.iter()
            .skip(first)
            .step_by(2)
            .filter(|it| **it == 0)
            .count()
    };
    let (even, odd) = (zeros(0), zeros(1));
    let many = some.len() / 5;
    match (even > many, odd > many) {
        (false, true) => UTF_16LE,
        (true, false) => UTF_16BE,
        _ => UTF_8,
    }
}

fn utf8(file: &str, bytes: &[u8]) -> Result<String, ExportError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            let line = before.split(|it| *it == b'\n').count() as u64;
            Err(ExportError {
                line: Some(line),
                ..export_error(file, "it is not text in UTF-8", "Save it as CSV in UTF-8.")
            })
        }
    }
}
