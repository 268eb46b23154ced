//! Files of seeds, dictionaries and failing inputs.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The folder `tests/fuzz`.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz")
}

/// The named seeds of a target, sorted.
pub fn load(target: &str) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut seeds = Vec::new();
    for entry in fs::read_dir(folder().join("seeds").join(target))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        seeds.push((name.into_owned(), fs::read(&path)?));
    }
    seeds.sort();
    Ok(seeds)
}

/// The words of a target's dictionary in libFuzzer's format: `"…"` with `\xNN`, `\\` and `\"`. Empty without a
/// dictionary.
#[must_use]
pub fn words(target: &str) -> Vec<Vec<u8>> {
    let path = folder().join("dictionaries").join(format!("{target}.dict"));
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().filter(|it| !it.starts_with('#'));
    lines.filter_map(quoted).map(unescaped).collect()
}

fn quoted(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once('"')?;
    rest.rsplit_once('"').map(|(word, _)| word)
}

fn unescaped(word: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = word.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let (byte, taken) = match (first, behind) {
            (b'\\', [b'x', high, low, ..]) => (hexadecimal(*high) << 4 | hexadecimal(*low), 3),
            (b'\\', [next, ..]) => (*next, 1),
            _ => (*first, 0),
        };
        out.push(byte);
        rest = &behind[taken..];
    }
    out
}

fn hexadecimal(digit: u8) -> u8 {
    let value = char::from(digit).to_digit(16).unwrap_or(0);
    u8::try_from(value).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionary_words_are_parsed_like_libfuzzer() {
        assert_eq!(
            quoted(r#"name="a\"b""#).map(unescaped),
            Some(b"a\"b".to_vec())
        );
        assert_eq!(unescaped(r"\x1f\x8B\\"), [0x1f, 0x8b, b'\\']);
        assert_eq!(quoted("nothing"), None);
    }
}
