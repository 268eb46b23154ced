//! Path matching as in Google's parser: `*` matches anything, a final `$` the end; the longest pattern wins.

pub fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, whole) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else {
        return false;
    };
    let mut pieces: Vec<&str> = pieces.collect();
    // With `$`, the last piece must be at the end; the others match as early as possible, which leaves most room for
    // it.
    let last = if whole { pieces.pop() } else { None };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    match last {
        Some(last) => rest.ends_with(last),
        None => !whole || rest.is_empty(),
    }
}

/// Percent-encodes a pattern or path (RFC 9309, 2.2.2), escapes in upper case.
pub fn escaped(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let bytes = pattern.as_bytes();
    let is_escape = |at: usize| {
        bytes[at] == b'%'
            && bytes
                .get(at + 1..at + 3)
                .is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit))
    };
    for (at, byte) in bytes.iter().enumerate() {
        let is_digit = (at >= 1 && is_escape(at - 1)) || (at >= 2 && is_escape(at - 2));
        if must_be_escaped(*byte) {
            out.extend([
                "%",
                HEX[usize::from(byte >> 4)],
                HEX[usize::from(byte & 15)],
            ]);
        } else if is_digit {
            out.push(char::from(byte.to_ascii_uppercase()));
        } else {
            out.push(char::from(*byte));
        }
    }
    out
}

/// Neither reserved nor unreserved in RFC 3986, and not `%`.
fn must_be_escaped(byte: u8) -> bool {
    !byte.is_ascii_graphic()
        || matches!(
            byte,
            b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}'
        )
}

const HEX: [&str; 16] = [
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "A", "B", "C", "D", "E", "F",
];
