//! Converts text offsets from the services' units to bytes.

use analysis::observation::ai_answer::TextSpan;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Bytes,
    CodePoints,
    Utf16,
}

/// In bytes; `None` if an offset is not on a character boundary.
pub(super) fn span(text: &str, start: usize, end: usize, unit: Unit) -> Option<TextSpan> {
    let (start, end) = match unit {
        Unit::Bytes => (start, end),
        Unit::CodePoints => byte_range(text, start, end, |_| 1)?,
        Unit::Utf16 => byte_range(text, start, end, char::len_utf16)?,
    };
    let is_inside = start < end && text.is_char_boundary(start) && text.is_char_boundary(end);
    is_inside.then_some(TextSpan { start, end })
}

fn byte_range(
    text: &str,
    start: usize,
    end: usize,
    length: impl Fn(char) -> usize,
) -> Option<(usize, usize)> {
    let (mut at, mut first) = (0, None);
    for (place, it) in text.char_indices() {
        if at == start {
            first = Some(place);
        }
        if at == end {
            return Some((first?, place));
        }
        at += length(it);
    }
    (at == end).then_some((first?, text.len()))
}

/// For offsets of undocumented unit: the unit in which they span or contain the whole link, else code points.
pub(super) fn cited_span(text: &str, start: usize, end: usize, url: &str) -> Option<TextSpan> {
    let address = url.split(['?', '#']).next().unwrap_or(url);
    let words = |it: &TextSpan| &text[it.start..it.end];
    let holds = |it: &TextSpan| words(it).contains(address);
    let is_whole = |it: &TextSpan| {
        let words = words(it);
        let is_link = words.starts_with(['(', '[']) && words.ends_with([')', ']']);
        let is_bare = words.starts_with("http") && !words.contains([' ', ')', '\n']);
        holds(it) && (is_link || is_bare)
    };
    let places = || {
        let units = [Unit::CodePoints, Unit::Utf16, Unit::Bytes].into_iter();
        units.filter_map(|unit| span(text, start, end, unit))
    };
    places()
        .find(is_whole)
        .or_else(|| places().find(holds))
        .or_else(|| span(text, start, end, Unit::CodePoints))
}

pub(super) const fn shifted(span: TextSpan, by: usize) -> TextSpan {
    TextSpan {
        start: span.start + by,
        end: span.end + by,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Größe 🦊: ([a](https://a.test/ü)) ist gut";

    fn slice(start: usize, end: usize, unit: Unit) -> Option<&'static str> {
        span(TEXT, start, end, unit).map(|it| &TEXT[it.start..it.end])
    }

    #[test]
    fn offsets_are_converted_from_every_unit() {
        let bytes = TEXT.find('(').unwrap();
        let points = TEXT.chars().position(|it| it == '(').unwrap();
        let utf16 = points + 1;
        for (start, unit) in [
            (bytes, Unit::Bytes),
            (points, Unit::CodePoints),
            (utf16, Unit::Utf16),
        ] {
            assert_eq!(slice(start, start + 3, unit), Some("([a"), "{unit:?}");
        }
        assert_eq!(slice(3, 4, Unit::Bytes), None, "inside of a character");
        assert_eq!(slice(4, 4, Unit::CodePoints), None, "nothing");
        assert_eq!(slice(4, 4_000, Unit::Utf16), None, "behind the end");
        let all = TEXT.chars().count();
        assert_eq!(slice(0, all, Unit::CodePoints), Some(TEXT));
    }

    #[test]
    fn citation_is_found_in_any_offset_unit() {
        let link = "([a](https://a.test/ü))";
        let points = TEXT.chars().position(|it| it == '(').unwrap();
        let length = link.chars().count();
        for start in [points, points + 1] {
            let found = cited_span(TEXT, start, start + length, "https://a.test/?utm_source=x");
            let found = found.map(|it| &TEXT[it.start..it.end]);
            assert!(found.unwrap().contains("https://a.test/"), "{found:?}");
        }
        let bytes = TEXT.find('(').unwrap();
        let found = cited_span(TEXT, bytes, bytes + link.len(), "https://a.test/ü").unwrap();
        assert_eq!(&TEXT[found.start..found.end], link);
    }
}
