//! Fan chart: measured values, and a forecast with its 80 % and 95 % bands.

use super::{Frame, Time, lines, scale::Scale, twin};
use crate::pages::parts::{Table, day, figures, grouped, row, unknown, words, written};
use chrono::NaiveDate;
use maud::{Markup, html};
use std::fmt::Write as _;

#[derive(Debug, Clone, Copy)]
pub struct FanPoint {
    pub day: NaiveDate,
    pub middle: f64,
    pub band80: (f64, f64),
    pub band95: (f64, f64),
}

pub struct Fan {
    pub title: String,
    /// Alternative text for screen readers.
    pub told: String,
    /// Oldest first.
    pub past: Vec<(NaiveDate, Option<f64>)>,
    /// Nearest day first.
    pub ahead: Vec<FanPoint>,
    /// Small values at the top.
    pub inverted: bool,
    /// 100 if fractions are shown in percent.
    pub times: f64,
    /// Decimals in the table.
    pub digits: usize,
    /// Unit shown after each value.
    pub after: &'static str,
}

impl Fan {
    /// Empty without a forecast.
    pub fn html(&self) -> Markup {
        let days = self
            .past
            .iter()
            .map(|(day, _)| *day)
            .chain(self.ahead.iter().map(|it| it.day));
        let Some(time) = Time::of(days).filter(|_| !self.ahead.is_empty()) else {
            return Markup::default();
        };
        let past = self.past.iter().filter_map(|(_, value)| *value);
        let ahead = self
            .ahead
            .iter()
            .flat_map(|it| [it.band95.0, it.band95.1, it.middle]);
        let scale = Scale::around(past.chain(ahead), None, self.inverted);
        let at = |day: NaiveDate, value: f64| (time.x(day), scale.y(value));
        let past: Vec<_> = { self.past.iter() }
            .map(|(day, it)| it.map(|it| at(*day, it)))
            .collect();
        let ahead: Vec<_> = self
            .ahead
            .iter()
            .map(|it| Some(at(it.day, it.middle)))
            .collect();
        let said = |it: &FanPoint| {
            let text = |value: f64| grouped(value * self.times, self.digits);
            let (low, high) = it.band80;
            format!(
                "{}: {}{}, with 80 % from {} to {}",
                it.day,
                text(it.middle),
                self.after,
                text(low),
                text(high)
            )
        };
        let drawing = html! {
            (lines::grid(&scale))
            path .b95 d=(band(&self.ahead, |it| it.band95, at)) {}
            path .b80 d=(band(&self.ahead, |it| it.band80, at)) {}
            @if let Some((day, _)) = self.past.last() {
                path .now d=(format_args!("M{:.1} 0V400", time.x(*day))) {}
            }
            path .l .c1 d=(lines::path(&past)) {}
            path .l .c1 .dash d=(lines::path(&ahead)) {}
            @for it in &self.ahead { (lines::hit(at(it.day, it.middle), &said(it))) }
        };
        Frame {
            title: &self.title,
            told: &self.told,
            keys: Vec::new(),
            ys: scale.labels(self.times, self.after),
            xs: time.labels(),
            drawing,
            twin: twin(self.table()),
        }
        .html()
    }

    fn table(&self) -> Table {
        let shown = |it: f64| written("", it * self.times, self.digits, self.after);
        let ahead = self.ahead.iter().rev().map(|it| {
            let bounds = [it.band80.0, it.band80.1, it.band95.0, it.band95.1];
            let cells = [day(it.day), unknown(), shown(it.middle)];
            row(cells.into_iter().chain(bounds.map(shown)).collect())
        });
        let past = self.past.iter().rev().map(|(of, value)| {
            let value = value.map_or_else(unknown, shown);
            let cells = vec![
                day(*of),
                value,
                unknown(),
                unknown(),
                unknown(),
                unknown(),
                unknown(),
            ];
            row(cells)
        });
        let columns = vec![
            words("Day"),
            figures("Measured"),
            figures("Expected"),
            figures("80 % from"),
            figures("80 % to"),
            figures("95 % from"),
            figures("95 % to"),
        ];
        Table::new(&self.title, columns, ahead.chain(past).collect())
    }
}

/// Outline: forward along the lower bound, back along the upper one.
fn band(
    points: &[FanPoint],
    bounds: impl Fn(&FanPoint) -> (f64, f64),
    at: impl Fn(NaiveDate, f64) -> (f64, f64),
) -> String {
    let low = points.iter().map(|it| at(it.day, bounds(it).0));
    let high = points.iter().rev().map(|it| at(it.day, bounds(it).1));
    let mut outline = String::new();
    for (x, y) in low.chain(high) {
        let verb = if outline.is_empty() { 'M' } else { 'L' };
        // Writing to a `String` never fails.
        let _ = write!(outline, "{verb}{x:.1} {y:.1}");
    }
    outline.push('Z');
    outline
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_lie_around_the_middle_and_behind_what_was_measured() {
        let day = |n| NaiveDate::from_ymd_opt(2026, 11, n).expect("a day");
        let fan = Fan {
            title: "Visibility".into(),
            told: "Up.".into(),
            past: vec![(day(1), Some(10.0)), (day(2), None), (day(3), Some(20.0))],
            ahead: vec![
                FanPoint {
                    day: day(4),
                    middle: 20.0,
                    band80: (15.0, 25.0),
                    band95: (10.0, 30.0),
                },
                FanPoint {
                    day: day(5),
                    middle: 20.0,
                    band80: (10.0, 30.0),
                    band95: (0.0, 40.0),
                },
            ],
            inverted: false,
            times: 1.0,
            digits: 1,
            after: "",
        };
        let html = fan.html().into_string();
        assert!(
            html.contains(r#"class="b95" d="M750.0 300.0L1000.0 400.0L1000.0 0.0L750.0 100.0Z""#),
            "{html}"
        );
        assert!(
            html.contains(r#"class="b80" d="M750.0 250.0L1000.0 300.0L1000.0 100.0L750.0 150.0Z""#),
            "{html}"
        );
        assert!(
            html.contains(r#"class="l c1" d="M0.0 300.0M500.0 200.0""#),
            "{html}"
        );
        assert!(html.contains(r#"class="now" d="M500.0 0V400""#));
        let twin = html.split("<details").nth(1).expect("a table");
        assert_eq!(twin.matches("<th scope=\"row\">").count(), 5);
    }
}
