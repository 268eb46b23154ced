//! Whether readers of the page see what its structured data says. Google's policy: no markup of what
//! is hidden.

use super::{
    graph::Graph,
    paths::{Visit, joined},
    record::{Issue, IssueCode, Level},
    values::{Written, is_date, number},
};
use crate::{findings::broken_links::Severity, text::words::words};
use std::collections::{BTreeSet, HashSet};
use unicode_normalization::UnicodeNormalization;

/// Of a long name's words, so many have to be on the page.
const MOST_WORDS_SHARE: f64 = 0.8;
/// Numbers may differ by rounding to two decimals.
const ALIKE: f64 = 0.005;
/// A day and its year stand at the most so many words apart.
const DATE_WINDOW: usize = 4;

/// The text of a page, ready to be asked.
pub struct PageText {
    words: HashSet<String>,
    order: Vec<String>,
    numbers: BTreeSet<i64>,
}

impl PageText {
    /// Of the text that readers see.
    pub fn of(text: &str) -> Self {
        let order = folded(text);
        Self {
            words: order.iter().cloned().collect(),
            order,
            numbers: numbers(text),
        }
    }

    fn has_name(&self, name: &str) -> bool {
        let wanted: HashSet<String> = folded(&unescaped(name)).into_iter().collect();
        let there = wanted.iter().filter(|it| self.words.contains(*it)).count();
        let least = if wanted.len() < 4 {
            wanted.len()
        } else {
            share_of(wanted.len())
        };
        there >= least
    }

    fn has_number(&self, value: f64) -> bool {
        hundredths(value).is_some_and(|it| self.numbers.contains(&it))
    }

    /// A page writes a day in any language, so what is looked for is the day near the year; or, if
    /// the page leaves the year away, nothing can be said.
    fn has_date(&self, date: &str) -> bool {
        let Some((year, day)) = year_and_day(date) else {
            return true;
        };
        if self
            .words
            .contains(date.split(['T', 't']).next().unwrap_or(date))
        {
            return true;
        }
        let years = self
            .order
            .iter()
            .enumerate()
            .filter(|(_, it)| has_digits(it, &year));
        for (at, word) in years {
            let from = at.saturating_sub(DATE_WINDOW);
            let near = &self.order[from..(at + DATE_WINDOW + 1).min(self.order.len())];
            if near.iter().any(|it| is_day(it, day)) || numbers_in(word).contains(&day) {
                return true;
            }
        }
        false
    }
}

fn share_of(words: usize) -> usize {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )]
    let least = (words as f64 * MOST_WORDS_SHARE).ceil() as usize;
    least
}

fn folded(text: &str) -> Vec<String> {
    let plain: String = text.nfkc().collect::<String>().to_lowercase();
    words(&plain.replace(['’', '‘'], "'"))
        .map(str::to_owned)
        .collect()
}

/// Names in JSON often carry what is for HTML alone: `Za&#8217;atar`, `Mac &amp; Cheese`.
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

fn has_digits(word: &str, year: &str) -> bool {
    word.split(|it: char| !it.is_ascii_digit())
        .any(|it| it == year)
}

fn is_day(word: &str, day: u32) -> bool {
    word.split(|it: char| !it.is_ascii_digit())
        .any(|it| !it.is_empty() && it.len() <= 2 && it.parse() == Ok(day))
}

fn numbers_in(word: &str) -> Vec<u32> {
    let parts = word.split(|it: char| !it.is_ascii_digit());
    parts
        .filter(|it| it.len() <= 2)
        .filter_map(|it| it.parse().ok())
        .collect()
}

/// The year and the day of a full date.
fn year_and_day(date: &str) -> Option<(String, u32)> {
    let date = date.trim();
    if !is_date(date) {
        return None;
    }
    let day = date.split(['T', 't']).next()?;
    let mut parts = day.split('-');
    let (year, _, day) = (parts.next()?, parts.next()?, parts.next()?);
    Some((year.to_owned(), day.parse().ok()?))
}

/// Every number of a text in hundredths, in each way that its points and commas may be meant.
fn numbers(text: &str) -> BTreeSet<i64> {
    let mut all = BTreeSet::new();
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
    let scaled = ((value + ALIKE / 100.0) * 100.0).round();
    #[allow(clippy::cast_possible_truncation)]
    (scaled.abs() < 1e15).then_some(scaled as i64)
}

/// Adds what an entity says and the page does not show; of each property once.
pub fn check(graph: &Graph<'_>, visits: &[Visit], page: &PageText, issues: &mut Vec<Issue>) {
    let mut told = BTreeSet::new();
    for visit in visits {
        let is_top = visit.path.is_empty();
        let names: &[&str] = &["name", "headline", "title"];
        let dates = dates(graph, visit.number);
        for name in names.iter().filter(|_| is_top) {
            look(graph, visit, name, &mut told, issues, |it| {
                page.has_name(it)
            });
        }
        for name in dates.iter().filter(|_| is_top) {
            look(graph, visit, name, &mut told, issues, |it| {
                page.has_date(it)
            });
        }
        if is_top || is_offer(visit) {
            for name in ["price", "lowPrice", "highPrice"] {
                look(graph, visit, name, &mut told, issues, |it| shows(page, it));
            }
        }
        if visit.property.as_deref() == Some("aggregateRating") || is_top {
            look(graph, visit, "ratingValue", &mut told, issues, |it| {
                shows(page, it)
            });
        }
    }
}

/// The dates that readers are told: Google asks for those of articles, reviews, events and jobs.
fn dates(graph: &Graph<'_>, node: u32) -> &'static [&'static str] {
    if graph.is_a(node, "Article") || graph.is_a(node, "Review") {
        &["datePublished"]
    } else {
        &["startDate", "datePosted"]
    }
}

fn is_offer(visit: &Visit) -> bool {
    matches!(
        visit.property.as_deref(),
        Some("offers" | "priceSpecification")
    )
}

/// Ratings are shown with one decimal as often as with two.
fn shows(page: &PageText, text: &str) -> bool {
    match number(text) {
        Written::Plain(value) => {
            page.has_number(value) || page.has_number((value * 10.0).round() / 10.0)
        }
        _ => true,
    }
}

fn look(
    graph: &Graph<'_>,
    visit: &Visit,
    name: &'static str,
    told: &mut BTreeSet<&'static str>,
    issues: &mut Vec<Issue>,
    is_there: impl Fn(&str) -> bool,
) {
    let said: Vec<String> = graph
        .values(visit.number, name)
        .filter_map(crate::observation::structured_data::Value::text)
        .collect();
    if said.is_empty() || said.iter().any(|it| is_there(it)) || !told.insert(name) {
        return;
    }
    let value = crate::text::words::shortened(&said[0], 80);
    issues.push(Issue {
        level: Level::Consistency,
        code: IssueCode::NotVisible,
        path: joined(&visit.path, name, None),
        message: format!("the page does not show {name} “{value}”"),
        severity: Severity::Warning,
    });
}
