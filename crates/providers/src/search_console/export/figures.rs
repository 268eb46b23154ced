//! Numbers and days as interfaces and spreadsheets write them: separators, grouping, spaces, percent, digits.

use chrono::NaiveDate;

/// Removes spaces and invisible characters and converts to ASCII digits.
fn normalize_cell(cell: &str) -> String {
    let without = cell.chars().filter(|it| {
        let is_invisible = matches!(*it, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
        !it.is_whitespace() && !is_invisible && !matches!(it, '\'' | '’' | '_')
    });
    without.map(to_ascii_digit).collect()
}

fn to_ascii_digit(character: char) -> char {
    let zero = match character {
        '\u{660}'..='\u{669}' => 0x660,
        '\u{6f0}'..='\u{6f9}' => 0x6f0,
        '\u{966}'..='\u{96f}' => 0x966,
        '\u{9e6}'..='\u{9ef}' => 0x9e6,
        '\u{ff10}'..='\u{ff19}' => 0xff10,
        '\u{66b}' => return ',',
        '\u{66c}' => return '.',
        '\u{66a}' | '\u{ff05}' | '\u{fe6a}' => return '%',
        other => return other,
    };
    char::from_digit(u32::from(character) - zero, 10).unwrap_or(character)
}

/// An integer; groups may be separated by a point or a comma. Some tools write `12.0`.
pub(super) fn parse_count(cell: &str) -> Option<u64> {
    let text = normalize_cell(cell);
    let whole = text
        .strip_suffix(".0")
        .or_else(|| text.strip_suffix(",0"))
        .unwrap_or(&text);
    let mut groups = whole.split(['.', ',']);
    let first = groups.next()?;
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    let mut digits = first.to_owned();
    let mut is_grouped = false;
    for group in groups {
        is_grouped = true;
        // India groups by two before the last three.
        if !is_number(group) || !matches!(group.len(), 2 | 3) {
            return None;
        }
        digits.push_str(group);
    }
    let ends_well = !is_grouped || whole.rsplit(['.', ',']).next()?.len() == 3;
    let begins_well = !is_grouped || (1..=3).contains(&first.len());
    let one_sign = !(whole.contains('.') && whole.contains(','));
    (is_number(first) && ends_well && begins_well && one_sign)
        .then(|| digits.parse().ok())
        .flatten()
}

/// The decimal separator is a single point or comma, or the last of two kinds.
pub(super) fn parse_decimal(cell: &str) -> Option<f64> {
    let text = normalize_cell(cell);
    let last = text.rfind(['.', ',']);
    let mut number = String::with_capacity(text.len());
    let several_alike = |it: char| text.matches(it).count() > 1;
    for (place, character) in text.char_indices() {
        match character {
            '.' | ',' if Some(place) == last && !several_alike(character) => number.push('.'),
            '.' | ',' => {}
            '0'..='9' => number.push(character),
            _ => return None,
        }
    }
    let has_digit = number.bytes().any(|it| it.is_ascii_digit());
    has_digit.then(|| number.parse().ok()).flatten()
}

/// A percentage (sign on either side) or a fraction.
pub(super) fn parse_rate(cell: &str) -> Option<f64> {
    let text = normalize_cell(cell);
    let bare = text.strip_suffix('%').or_else(|| text.strip_prefix('%'));
    match bare {
        Some(percent) => parse_decimal(percent).map(|it| it / 100.0),
        None => parse_decimal(&text).filter(|it| *it <= 1.0),
    }
}

/// `None` if day and month could be swapped.
pub(super) fn parse_day(cell: &str) -> Option<NaiveDate> {
    let text: String = cell.trim().chars().map(to_ascii_digit).collect();
    // Drops a time of day.
    let text = text.split(['T', ' ']).next().unwrap_or_default();
    let of = |year: &str, month: &str, day: &str| {
        let year = year.parse().ok().filter(|it| (2000..2200).contains(it))?;
        NaiveDate::from_ymd_opt(year, month.parse().ok()?, day.parse().ok()?)
    };
    if text.len() == 8 && text.bytes().all(|it| it.is_ascii_digit()) {
        return of(&text[..4], &text[4..6], &text[6..]);
    }
    let parts: Vec<&str> = text
        .split(['-', '/', '.'])
        .filter(|it| !it.is_empty())
        .collect();
    let [first, second, third] = parts[..] else {
        return None;
    };
    if first.len() == 4 {
        return of(first, second, third);
    }
    if text.contains('.') && third.len() == 4 {
        return of(third, second, first);
    }
    let (one, other): (u32, u32) = (first.parse().ok()?, second.parse().ok()?);
    match (one > 12, other > 12) {
        (true, false) => of(third, second, first),
        (false, true) => of(third, first, second),
        _ if one == other => of(third, first, second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_parsed_with_any_grouping() {
        for (cell, number) in [
            ("0", 0),
            ("1234", 1234),
            ("1,234", 1234),
            ("1.234", 1234),
            ("1 234", 1234),
            ("1\u{a0}234", 1234),
            ("1\u{202f}234\u{202f}567", 1_234_567),
            ("1’234", 1234),
            ("12,34,567", 1_234_567),
            ("12.0", 12),
            ("١٬٢٣٤", 1234),
            ("１２", 12),
        ] {
            assert_eq!(parse_count(cell), Some(number), "{cell}");
        }
        for cell in [
            "",
            "-1",
            "1,5",
            "1.23",
            "1e3",
            "12,3456",
            "1.234,567",
            "ten",
            "1,,234",
            "99999999999999999999",
        ] {
            assert_eq!(parse_count(cell), None, "{cell}");
        }
    }

    #[test]
    fn decimals_and_rates_are_read_with_point_and_comma() {
        for (cell, number) in [
            ("3.4", 3.4),
            ("3,4", 3.4),
            ("1.234,5", 1234.5),
            ("1,234.5", 1234.5),
            ("12", 12.0),
            ("1,234,567", 1_234_567.0),
            ("3,456789", 3.456_789),
        ] {
            assert_eq!(parse_decimal(cell), Some(number), "{cell}");
        }
        for cell in ["", ".", "-3", "3.4.5.x", "NaN", "inf", "1e5"] {
            assert_eq!(parse_decimal(cell), None, "{cell}");
        }
        for (cell, share) in [
            ("12.5%", 0.125),
            ("12,5 %", 0.125),
            ("%12,5", 0.125),
            ("0.125", 0.125),
            ("100%", 1.0),
            ("0%", 0.0),
            ("٪١٢٫٥", 0.125),
        ] {
            let read = parse_rate(cell).unwrap();
            assert!((read - share).abs() < 1e-12, "{cell}");
        }
        assert_eq!(parse_rate("12.5"), None);
    }

    #[test]
    fn ambiguous_dates_are_rejected() {
        let wanted = NaiveDate::from_ymd_opt(2026, 11, 22);
        for cell in [
            "2026-11-22",
            "2026/11/22",
            "20261122",
            "22.11.2026",
            "11/22/2026",
            "22/11/2026",
            "2026-11-22T00:00:00",
        ] {
            assert_eq!(parse_day(cell), wanted, "{cell}");
        }
        for cell in [
            "01/02/2026",
            "2026-13-01",
            "",
            "today",
            "1-2-3",
            "2026-02-30",
        ] {
            assert_eq!(parse_day(cell), None, "{cell}");
        }
    }
}
