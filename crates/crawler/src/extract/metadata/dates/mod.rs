use super::months::month;
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, TimeZone, Utc};

/// Plausible years of a page.
const YEARS: std::ops::RangeInclusive<i32> = 1990..=2100;
/// Bytes searched of a text.
const MAX_BYTES: usize = 4_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParsedDate {
    /// In the page's time zone.
    pub day: NaiveDate,
    /// Set if the page gives a UTC offset.
    pub moment: Option<DateTime<FixedOffset>>,
}

/// Order of day and month in dates such as 03/04/2024.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    DayFirst,
    MonthFirst,
}

impl DateOrder {
    /// Month first for English without a region or of the United States.
    pub fn of_language(lang: Option<&str>) -> Self {
        let lang = lang
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase()
            .replace('_', "-");
        if lang == "en" || lang == "en-us" {
            Self::MonthFirst
        } else {
            Self::DayFirst
        }
    }
}

/// Parses ISO 8601 (W3C), RFC 2822, Unix time in seconds or milliseconds, and written dates.
pub fn machine_date(text: &str, order: DateOrder) -> Option<ParsedDate> {
    let text = text.trim();
    iso(text)
        .or_else(|| {
            DateTime::parse_from_rfc2822(text)
                .ok()
                .and_then(from_moment)
        })
        .or_else(|| from_unix_time(text))
        .or_else(|| first_date(text, order))
}

/// Parses `2024-05-06`, `20240506` and `2024/5/6`, with or without a time.
fn iso(text: &str) -> Option<ParsedDate> {
    let numbers: Vec<&str> = text.split(|it: char| !it.is_ascii_digit()).collect();
    let (year, month, day) = match numbers.as_slice() {
        [all, ..] if all.len() == 8 => (&all[..4], &all[4..6], &all[6..]),
        [year, month, day, ..] if year.len() == 4 => (*year, *month, *day),
        _ => return None,
    };
    let day = plausible(
        number(year)?,
        u32::try_from(number(month)?).ok()?,
        u32::try_from(number(day)?).ok()?,
    )?;
    let moment = DateTime::parse_from_rfc3339(&text.replacen(' ', "T", 1))
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z"))
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M%z"))
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f %z"))
        .ok()
        .or_else(|| minutes_only(text));
    Some(ParsedDate {
        day,
        moment: moment.filter(|it| it.date_naive() == day),
    })
}

/// `2024-05-06T07:08Z`, which W3C's profile allows and RFC 3339 does not.
fn minutes_only(text: &str) -> Option<DateTime<FixedOffset>> {
    let time = text.strip_suffix('Z')?;
    let time = NaiveDateTime::parse_from_str(time, "%Y-%m-%dT%H:%M").ok()?;
    Some(time.and_utc().fixed_offset())
}

fn from_unix_time(text: &str) -> Option<ParsedDate> {
    let number: i64 = text.parse().ok()?;
    let moment = match text.len() {
        10 => Utc.timestamp_opt(number, 0).single(),
        13 => Utc.timestamp_millis_opt(number).single(),
        _ => None,
    };
    from_moment(moment?.fixed_offset())
}

fn from_moment(moment: DateTime<FixedOffset>) -> Option<ParsedDate> {
    let day = moment.date_naive();
    YEARS
        .contains(&chrono::Datelike::year(&day))
        .then_some(ParsedDate {
            day,
            moment: Some(moment),
        })
}

pub fn first_date(text: &str, order: DateOrder) -> Option<ParsedDate> {
    first_date_with_offset(text, order).map(|it| it.0)
}

/// The first date in a text, and its byte offset.
pub fn first_date_with_offset(text: &str, order: DateOrder) -> Option<(ParsedDate, usize)> {
    if !text.bytes().any(|it| it.is_ascii_digit()) {
        return None;
    }
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let (parts, places) = parts(&text[..end]);
    (0..parts.len()).find_map(|at| {
        let day = date_at(&parts[at..], order)?;
        Some((ParsedDate { day, moment: None }, places[at]))
    })
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    /// A number and its count of digits.
    Number(i32, usize),
    Month(u32),
    Sign(char),
    /// `de`, `of`, `th` and similar.
    Connector,
    Other,
}

/// Tokens of a text, and their byte offsets.
fn parts(text: &str) -> (Vec<Part>, Vec<usize>) {
    let (mut parts, mut places) = (Vec::new(), Vec::new());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let at = text.len() - rest.len();
        let same = |it: char| {
            if first.is_ascii_digit() {
                it.is_ascii_digit()
            } else {
                it.is_alphabetic()
            }
        };
        if first.is_ascii_digit() || first.is_alphabetic() {
            let end = rest.find(|it| !same(it)).unwrap_or(rest.len());
            parts.push(word(&rest[..end]));
            places.push(at);
            rest = &rest[end..];
        } else {
            if !first.is_whitespace() {
                parts.push(Part::Sign(first));
                places.push(at);
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    (parts, places)
}

fn word(word: &str) -> Part {
    if word.as_bytes()[0].is_ascii_digit() {
        return number(word)
            .filter(|_| word.len() <= 4)
            .map_or(Part::Other, |it| Part::Number(it, word.len()));
    }
    let lower = word.to_lowercase();
    match lower.as_str() {
        "de" | "del" | "of" | "st" | "nd" | "rd" | "th" | "er" | "the" | "r" => Part::Connector,
        name => month(name).map_or(Part::Other, Part::Month),
    }
}

fn date_at(parts: &[Part], order: DateOrder) -> Option<NaiveDate> {
    numeric(parts, order).or_else(|| with_month(parts))
}

/// `6.5.2024`, `06/05/24`, `2024-05-06`, `2024. 5. 6.`
fn numeric(parts: &[Part], order: DateOrder) -> Option<NaiveDate> {
    let [
        Part::Number(first, width),
        Part::Sign(sign),
        Part::Number(second, _),
        Part::Sign(again),
        Part::Number(third, last),
        ..,
    ] = parts
    else {
        return None;
    };
    if sign != again || !matches!(sign, '.' | '/' | '-' | '‑' | '–') {
        return None;
    }
    let small = |it: i32| u32::try_from(it).ok();
    if *width == 4 {
        return plausible(*first, small(*second)?, small(*third)?);
    }
    let year = match last {
        4 => *third,
        2 if *sign != '-' => 2000 + third,
        _ => return None,
    };
    let (first, second) = (small(*first)?, small(*second)?);
    let month_first = plausible(year, first, second);
    let day_first = plausible(year, second, first);
    if order == DateOrder::MonthFirst && *sign == '/' {
        month_first.or(day_first)
    } else {
        day_first.or(month_first)
    }
}

/// `6 May 2024`, `6. května 2024`, `May 6th, 2024`, `2024. május 6.`
fn with_month(parts: &[Part]) -> Option<NaiveDate> {
    let mut seen = Vec::with_capacity(3);
    for part in parts.iter().take(9) {
        match part {
            Part::Number(..) | Part::Month(_) => seen.push(*part),
            Part::Connector | Part::Sign('.' | ',' | '-' | '/' | '–') if !seen.is_empty() => {}
            _ => return None,
        }
        if seen.len() == 3 {
            break;
        }
    }
    let (year, month, day) = match seen.as_slice() {
        [
            Part::Number(day, 1 | 2),
            Part::Month(month),
            Part::Number(year, 4),
        ]
        | [
            Part::Month(month),
            Part::Number(day, 1 | 2),
            Part::Number(year, 4),
        ]
        | [
            Part::Number(year, 4),
            Part::Month(month),
            Part::Number(day, 1 | 2),
        ] => (*year, *month, *day),
        _ => return None,
    };
    plausible(year, month, u32::try_from(day).ok()?)
}

fn number(text: &str) -> Option<i32> {
    text.parse().ok()
}

fn plausible(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    YEARS
        .contains(&year)
        .then(|| NaiveDate::from_ymd_opt(year, month, day))
        .flatten()
}

/// The date in a URL's path: `/2024/05/06/`, `/2024-05-06-`.
pub fn url_date(path: &str) -> Option<ParsedDate> {
    let numbers: Vec<&str> = path.split(['/', '-', '_']).collect();
    numbers
        .windows(3)
        .find_map(|it| match it {
            [year, month, day] if year.len() == 4 && month.len() <= 2 && day.len() <= 2 => {
                let small = |it: &str| it.parse().ok();
                plausible(number(year)?, small(month)?, small(day)?)
            }
            _ => None,
        })
        .map(|day| ParsedDate { day, moment: None })
}

#[cfg(test)]
mod tests;
