//! Fan chart: measured values, and a forecast with its 80 % and 95 % bands.

use super::{Frame, TimeAxis, data_table, lines, scale::Scale};
use crate::pages::components::{
    Table, day, format_number, number_column, number_with_unit, row, text_column, unknown,
};
use chrono::NaiveDate;
use maud::{Markup, html};
use std::fmt::Write as _;

#[derive(Debug, Clone, Copy)]
pub struct FanPoint {
    pub day: NaiveDate,
    pub median: f64,
    pub band80: (f64, f64),
    pub band95: (f64, f64),
}

pub struct Fan {
    pub title: String,
    /// Alternative text for screen readers.
    pub description: String,
    /// Oldest first.
    pub history: Vec<(NaiveDate, Option<f64>)>,
    /// Nearest day first.
    pub forecast: Vec<FanPoint>,
    /// Small values at the top.
    pub inverted: bool,
    /// 100 if fractions are shown in percent.
    pub factor: f64,
    /// Decimals in the table.
    pub digits: usize,
    /// Unit shown after each value.
    pub suffix: &'static str,
}

impl Fan {
    /// Empty without a forecast.
    pub fn html(&self) -> Markup {
        let days = self
            .history
            .iter()
            .map(|(day, _)| *day)
            .chain(self.forecast.iter().map(|it| it.day));
        let Some(time) = TimeAxis::new(days).filter(|_| !self.forecast.is_empty()) else {
            return Markup::default();
        };
        let past = self.history.iter().filter_map(|(_, value)| *value);
        let ahead = self
            .forecast
            .iter()
            .flat_map(|it| [it.band95.0, it.band95.1, it.median]);
        let scale = Scale::around(past.chain(ahead), None, self.inverted);
        let at = |day: NaiveDate, value: f64| (time.x(day), scale.y(value));
        let past: Vec<_> = { self.history.iter() }
            .map(|(day, it)| it.map(|it| at(*day, it)))
            .collect();
        let ahead: Vec<_> = self
            .forecast
            .iter()
            .map(|it| Some(at(it.day, it.median)))
            .collect();
        let tooltip = |it: &FanPoint| {
            let text = |value: f64| format_number(value * self.factor, self.digits);
            let (low, high) = it.band80;
            format!(
                "{}: {}{}, with 80 % from {} to {}",
                it.day,
                text(it.median),
                self.suffix,
                text(low),
                text(high)
            )
        };
        let drawing = html! {
            (lines::grid(&scale))
            path .b95 d=(band(&self.forecast, |it| it.band95, at)) {}
            path .b80 d=(band(&self.forecast, |it| it.band80, at)) {}
            @if let Some((day, _)) = self.history.last() {
                path .now d=(format_args!("M{:.1} 0V400", time.x(*day))) {}
            }
            path .l .c1 d=(lines::path(&past)) {}
            path .l .c1 .dash d=(lines::path(&ahead)) {}
            @for it in &self.forecast { (lines::hover_target(at(it.day, it.median), &tooltip(it))) }
        };
        Frame {
            title: &self.title,
            description: &self.description,
            legend: Vec::new(),
            ys: scale.labels(self.factor, self.suffix),
            xs: time.labels(),
            drawing,
            data_table: data_table(self.table(), &Markup::default()),
        }
        .html()
    }

    fn table(&self) -> Table {
        let shown = |it: f64| number_with_unit("", it * self.factor, self.digits, self.suffix);
        let ahead = self.forecast.iter().rev().map(|it| {
            let bounds = [it.band80.0, it.band80.1, it.band95.0, it.band95.1];
            let cells = [day(it.day), unknown(), shown(it.median)];
            row(cells.into_iter().chain(bounds.map(shown)).collect())
        });
        let past = self.history.iter().rev().map(|(of, value)| {
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
            text_column("Day"),
            number_column("Measured"),
            number_column("Expected"),
            number_column("80 % from"),
            number_column("80 % to"),
            number_column("95 % from"),
            number_column("95 % to"),
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
    fn forecast_bands_enclose_the_median_after_the_history() {
        let day = |n| NaiveDate::from_ymd_opt(2026, 11, n).expect("a day");
        let fan = Fan {
            title: "Visibility".into(),
            description: "Up.".into(),
            history: vec![(day(1), Some(10.0)), (day(2), None), (day(3), Some(20.0))],
            forecast: vec![
                FanPoint {
                    day: day(4),
                    median: 20.0,
                    band80: (15.0, 25.0),
                    band95: (10.0, 30.0),
                },
                FanPoint {
                    day: day(5),
                    median: 20.0,
                    band80: (10.0, 30.0),
                    band95: (0.0, 40.0),
                },
            ],
            inverted: false,
            factor: 1.0,
            digits: 1,
            suffix: "",
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
