use super::super::values::is_date;
use crate::text::words::words;
use chrono::{DateTime, Datelike, Days, NaiveDate, TimeDelta};
use std::collections::{HashMap, HashSet};
use unicode_normalization::UnicodeNormalization;

/// Share of a long name's words that must be on the page.
const MIN_WORDS_SHARE: f64 = 0.8;
/// Numbers may differ by rounding to two decimals.
const ROUNDING_TOLERANCE: f64 = 0.005;
/// Maximum distance of a day and its year, words.
const DATE_WINDOW: usize = 4;
/// Minimum letters of a month's name.
const MIN_LETTERS: usize = 3;
/// Positions of one year.
const MAX_POSITIONS: usize = 1_000;

pub struct PageText {
    words: HashSet<String>,
    order: Vec<String>,
    numbers: HashSet<i64>,
    /// Positions of numbers of four and of two digits.
    years: HashMap<String, Vec<usize>>,
    days: Vec<NaiveDate>,
}

impl PageText {
    pub fn of(text: &str) -> Self {
        let order = folded(text);
        let mut years: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, word) in order.iter().enumerate() {
            for year in digits(word).filter(|it| matches!(it.len(), 2 | 4)) {
                let positions = years.entry(year.to_owned()).or_default();
                if positions.len() < MAX_POSITIONS {
                    positions.push(at);
                }
            }
        }
        Self {
            years,
            words: order.iter().cloned().collect(),
            order,
            numbers: numbers(text),
            days: Vec::new(),
        }
    }

    /// Adds the days of `time` elements; their text may differ.
    pub fn with_days(mut self, days: &[NaiveDate]) -> Self {
        self.days = days.to_vec();
        self
    }

    /// Whether it has a name's words: all of a short name, most of a long one.
    pub fn has_name(&self, name: &str) -> bool {
        let wanted: HashSet<String> = folded(&unescaped(name)).into_iter().collect();
        let there = wanted.iter().filter(|it| self.words.contains(*it)).count();
        let min_matches = if wanted.len() < 4 {
            wanted.len()
        } else {
            min_matching_words(wanted.len())
        };
        there >= min_matches
    }

    /// Whether it has a number, in any notation.
    pub fn has_number(&self, value: f64) -> bool {
        hundredths(value).is_some_and(|it| self.numbers.contains(&it))
    }

    /// Dates may be in any language, so the day is searched near the year. A moment may be shown in any
    /// time zone; incomplete dates are not checked.
    pub fn has_date(&self, date: &str) -> bool {
        let Some(days) = days(date) else {
            return true;
        };
        let written = date.split(['T', 't']).next().unwrap_or(date);
        self.words.contains(written) || days.iter().any(|it| self.has_day(*it))
    }

    fn has_day(&self, day: NaiveDate) -> bool {
        if self.days.contains(&day) {
            return true;
        }
        let whole = format!("{:04}", day.year());
        let is_day = |it: &str| it.len() <= 2 && it.parse() == Ok(day.day());
        self.around_year(&whole)
            .any(|words| words.iter().flat_map(|it| digits(it)).any(is_day))
            || self
                .around_year(&whole[2..])
                .any(|words| has_short_date(words, day))
    }

    fn around_year(&self, year: &str) -> impl Iterator<Item = &[String]> {
        let positions = self.years.get(year).into_iter().flatten();
        positions.map(|at| {
            let from = at.saturating_sub(DATE_WINDOW);
            &self.order[from..(at + DATE_WINDOW + 1).min(self.order.len())]
        })
    }
}

/// Whether words have a date with a two-digit year: `12.05.24`, `5/12/24`, `24年5月12日`, `12 May 24`,
/// `May 12, 24`. A word of letters may be a month in any language.
fn has_short_date(words: &[String], day: NaiveDate) -> bool {
    let mut parts: Vec<Option<u32>> = Vec::new();
    for word in words {
        if word.chars().all(char::is_alphabetic) {
            if word.chars().count() >= MIN_LETTERS {
                parts.push(None);
            }
        } else {
            let short = digits(word).filter(|it| it.len() <= 2);
            parts.extend(short.map(|it| it.parse().ok()));
        }
    }
    let (date, month) = (Some(day.day()), Some(day.month()));
    let year = u32::try_from(day.year().rem_euclid(100)).ok();
    let is_month = |it: Option<u32>| it.is_none() || it == month;
    parts.windows(3).any(|it| {
        let (first, second, third) = (it[0], it[1], it[2]);
        let ends = third == year
            && (first == date && is_month(second) || is_month(first) && second == date);
        ends || first == year && is_month(second) && third == date
    })
}

fn min_matching_words(words: usize) -> usize {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )]
    let count = (words as f64 * MIN_WORDS_SHARE).ceil() as usize;
    count
}

fn folded(text: &str) -> Vec<String> {
    let plain: String = text.nfkc().collect::<String>().to_lowercase();
    words(&plain.replace(['’', '‘'], "'"))
        .map(str::to_owned)
        .collect()
}

/// Names in JSON often have HTML entities: `Za&#8217;atar`, `Mac &amp; Cheese`.
fn unescaped(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let known = after.split_once(';').and_then(|(name, behind)| {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            Some((char::from_u32(code)?, behind))
        });
        if let Some((character, behind)) = known {
            plain.push(character);
            rest = behind;
            continue;
        }
        let names = ["amp;", "quot;", "nbsp;", "lt;", "gt;"];
        plain.push(' ');
        rest = names
            .iter()
            .find_map(|it| after.strip_prefix(it))
            .unwrap_or(after);
    }
    plain + rest
}

fn digits(word: &str) -> impl Iterator<Item = &str> {
    let runs = word.split(|it: char| !it.is_ascii_digit());
    runs.filter(|it| !it.is_empty())
}

/// The days that a date may be shown as; for a moment, those in the time zones UTC−12 to UTC+14.
fn days(date: &str) -> Option<Vec<NaiveDate>> {
    let date = date.trim();
    if !is_date(date) {
        return None;
    }
    let (day, time) = match date.split_once(['T', 't']) {
        Some((day, time)) => (day, Some(time)),
        None => (date, None),
    };
    let day = NaiveDate::parse_from_str(day, "%Y-%m-%d").ok()?;
    if time.is_none() {
        return Some(vec![day]);
    }
    let one = Days::new(1);
    let (from, to) = match DateTime::parse_from_rfc3339(date) {
        Ok(it) => {
            let (west, east) = (TimeDelta::hours(-12), TimeDelta::hours(14));
            let utc = it.naive_utc();
            (
                utc.checked_add_signed(west)?.date(),
                utc.checked_add_signed(east)?.date(),
            )
        }
        Err(_) => (day.checked_sub_days(one)?, day.checked_add_days(one)?),
    };
    Some(from.iter_days().take_while(|it| *it <= to).collect())
}

/// Every number of a text in hundredths, in each reading of its points and commas.
fn numbers(text: &str) -> HashSet<i64> {
    let mut all = HashSet::new();
    let is_group = |it: char| it.is_ascii_digit() || ".,'’\u{a0}\u{202f} ".contains(it);
    for run in text.split(|it: char| !is_group(it)) {
        // 1 299,00 is one number; 4 5 may be two.
        let pieces: Vec<&str> = run.split([' ', '\u{a0}', '\u{202f}', '\'', '’']).collect();
        for from in 0..pieces.len() {
            for to in from..pieces.len().min(from + 4) {
                let joined: String = pieces[from..=to].concat();
                all.extend(readings(&joined).into_iter().filter_map(hundredths));
            }
        }
    }
    all
}

fn readings(written: &str) -> Vec<f64> {
    let written = written.trim_matches(['.', ',']);
    if written.is_empty() || written.len() > 20 {
        return Vec::new();
    }
    let without = |it: &str| written.replace(it, "");
    let candidates = [
        without(","),
        without(".").replace(',', "."),
        without(".").replace(',', ""),
    ];
    candidates.iter().filter_map(|it| it.parse().ok()).collect()
}

fn hundredths(value: f64) -> Option<i64> {
    let scaled = ((value + ROUNDING_TOLERANCE / 100.0) * 100.0).round();
    #[allow(clippy::cast_possible_truncation)]
    (scaled.abs() < 1e15).then_some(scaled as i64)
}
