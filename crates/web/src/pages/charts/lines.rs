//! Line chart over time, with gaps where nothing was measured.

use super::{Frame, LegendItem, TimeAxis, data_table, scale::Scale};
use crate::pages::components::{
    self, Column, Table, day, format_number, number_column, row, text_column,
};
use chrono::NaiveDate;
use maud::{Markup, html};
use std::fmt::Write as _;

/// With more days, points have no dots.
const MAX_DOTS: usize = 45;

pub struct Series {
    pub name: String,
    /// From 1 to 6.
    pub color: u8,
    /// Calculated, not measured.
    pub dashed: bool,
    /// One per day; `None` if not measured.
    pub values: Vec<Option<f64>>,
}

pub struct Lines {
    pub title: String,
    /// Alternative text for screen readers.
    pub description: String,
    /// Oldest first.
    pub days: Vec<NaiveDate>,
    pub series: Vec<Series>,
    /// Small values at the top.
    pub inverted: bool,
    /// A value that the scale must include.
    pub floor: Option<f64>,
    /// 100 if fractions are shown in percent.
    pub factor: f64,
    /// Decimals in the table.
    pub digits: usize,
    /// Unit shown after each value.
    pub suffix: &'static str,
    /// Events on days between the first and the last one.
    pub marks: Vec<Mark>,
}

/// What happened on a day, drawn as a vertical line.
pub struct Mark {
    pub day: NaiveDate,
    pub text: String,
}

impl Lines {
    /// Empty without days.
    pub fn html(&self) -> Markup {
        let Some(time) = TimeAxis::new(self.days.iter().copied()) else {
            return Markup::default();
        };
        let values = self
            .series
            .iter()
            .flat_map(|it| it.values.iter().flatten().copied());
        let scale = Scale::around(values, self.floor, self.inverted);
        let drawing = html! {
            (grid(&scale))
            @for it in self.shown_marks() {
                path .mark d=(format_args!("M{:.1} 0V400", time.x(it.day))) { title { (it.day) ": " (it.text) } }
            }
            @for it in &self.series { (self.line(it, time, &scale)) }
            (self.hover_targets(time, &scale))
        };
        let keys = self.series.iter().map(|it| LegendItem {
            name: it.name.clone(),
            color: it.color,
        });
        Frame {
            title: &self.title,
            description: &self.description,
            legend: if self.series.len() > 1 {
                keys.collect()
            } else {
                Vec::new()
            },
            ys: scale.labels(self.factor, self.suffix),
            xs: time.labels(),
            drawing,
            data_table: data_table(self.table(), &self.mark_list()),
        }
        .html()
    }

    fn mark_list(&self) -> Markup {
        let items: Vec<Markup> = { self.shown_marks() }
            .map(|it| html! { (components::day(it.day)) ": " (it.text) })
            .collect();
        if items.is_empty() {
            return Markup::default();
        }
        html! { p .small { "Events, drawn as vertical lines:" } (components::list("small", &items)) }
    }

    fn shown_marks(&self) -> impl Iterator<Item = &Mark> {
        let (first, last) = (self.days.iter().min(), self.days.iter().max());
        let is_shown = move |it: &&Mark| first <= Some(&it.day) && Some(&it.day) <= last;
        self.marks.iter().filter(is_shown)
    }

    fn line(&self, series: &Series, time: TimeAxis, scale: &Scale) -> Markup {
        let points: Vec<Option<(f64, f64)>> = { self.days.iter() }
            .zip(&series.values)
            .map(|(day, value)| value.map(|it| (time.x(*day), scale.y(it))))
            .collect();
        let few = self.days.len() <= MAX_DOTS;
        let shown = |at: usize| few || is_alone(&points, at);
        let dots = points.iter().enumerate().filter(|(at, _)| shown(*at));
        let dots = dots.filter_map(|(_, it)| it.map(|(x, y)| format!("M{x:.1} {y:.1}h0")));
        let dots: String = dots.collect();
        html! {
            path .l .{ "c" (series.color) } .dash[series.dashed] d=(path(&points)) {}
            @if !dots.is_empty() { path .d .{ "c" (series.color) } .lone[!few] d=(dots) {} }
        }
    }

    fn hover_targets(&self, time: TimeAxis, scale: &Scale) -> Markup {
        if self.days.len() * self.series.len() > 200 {
            return Markup::default();
        }
        let valued = self.series.iter().flat_map(|series| {
            let valued = self.days.iter().zip(&series.values);
            valued.filter_map(move |(day, value)| Some((series, *day, (*value)?)))
        });
        html! {
            @for (series, day, value) in valued {
                @let shown = format_number(value * self.factor, self.digits);
                @let label = format!("{}, {day}: {shown}{}", series.name, self.suffix);
                (hover_target((time.x(day), scale.y(value)), &label))
            }
        }
    }

    fn table(&self) -> Table {
        let columns: Vec<Column> = std::iter::once(text_column("Day"))
            .chain(self.series.iter().map(|it| number_column(&it.name)))
            .collect();
        let rows = self.days.iter().enumerate().rev().map(|(at, of)| {
            let values = self.series.iter().map(|it| {
                let value = it.values.get(at).copied().flatten();
                value.map_or_else(components::unknown, |value| {
                    components::number_with_unit("", value * self.factor, self.digits, self.suffix)
                })
            });
            row(std::iter::once(day(*of)).chain(values).collect())
        });
        Table::new(&self.title, columns, rows.collect())
    }
}

/// Between two gaps there is no line segment: the value needs a dot.
fn is_alone(points: &[Option<(f64, f64)>], at: usize) -> bool {
    let missing = |it: Option<&Option<(f64, f64)>>| it.is_none_or(Option::is_none);
    missing(at.checked_sub(1).and_then(|it| points.get(it))) && missing(points.get(at + 1))
}

/// SVG path data, interrupted at gaps.
pub fn path(points: &[Option<(f64, f64)>]) -> String {
    let mut path = String::new();
    let mut is_down = false;
    for point in points {
        match point {
            Some((x, y)) => {
                let verb = if is_down { 'L' } else { 'M' };
                // Writing to a `String` never fails.
                let _ = write!(path, "{verb}{x:.1} {y:.1}");
                is_down = true;
            }
            None => is_down = false,
        }
    }
    path
}

pub fn grid(scale: &Scale) -> Markup {
    html! {
        @for tick in scale.ticks() { path .grid d=(format_args!("M0 {:.1}H1000", scale.y(tick))) {} }
    }
}

/// An invisible point with a tooltip.
pub fn hover_target((x, y): (f64, f64), tooltip: &str) -> Markup {
    html! { path .hit d=(format_args!("M{x:.1} {y:.1}h0")) { title { (tooltip) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(values: Vec<Option<f64>>) -> Lines {
        let first = NaiveDate::from_ymd_opt(2026, 11, 1).expect("a day");
        let days = (0..values.len() as u64)
            .map(|it| first + chrono::Days::new(it))
            .collect();
        Lines {
            title: "Position".into(),
            description: "From 9 to 3.".into(),
            days,
            series: vec![Series {
                name: "shoes".into(),
                color: 1,
                dashed: false,
                values,
            }],
            inverted: true,
            floor: None,
            factor: 1.0,
            digits: 0,
            suffix: "",
            marks: vec![],
        }
    }

    #[test]
    fn marks_within_the_days_are_drawn_and_listed() {
        let mut chart = chart(vec![Some(1.0), None, Some(21.0)]);
        chart.marks = [1, 2, 9]
            .map(|day| Mark {
                day: NaiveDate::from_ymd_opt(2026, 11, day).expect("a day"),
                text: format!("<event {day}>"),
            })
            .into();
        let html = chart.html().into_string();
        assert!(
            html.contains(r#"class="mark" d="M500.0 0V400"><title>2026-11-02: &lt;event 2&gt;"#)
        );
        let twin = html.split("<details").nth(1).expect("a table");
        assert_eq!(twin.matches("&lt;event").count(), 2);
        assert!(!html.contains("event 9"));
    }

    #[test]
    fn values_are_scaled_to_the_drawing() {
        let html = chart(vec![Some(1.0), Some(21.0), Some(11.0)])
            .html()
            .into_string();
        // The best position at the top, the worst at the bottom; days from left to right.
        assert!(html.contains("M0.0 0.0L500.0 400.0L1000.0 200.0"), "{html}");
    }

    #[test]
    fn gaps_interrupt_the_line() {
        let html = chart(vec![
            Some(1.0),
            None,
            Some(21.0),
            None,
            Some(11.0),
            Some(1.0),
        ])
        .html()
        .into_string();
        let line = html.split("class=\"l c1\" d=\"").nth(1).expect("a line");
        let line = line.split('"').next().expect("a path");
        assert_eq!(line.matches('M').count(), 3, "{line}");
        assert_eq!(line.matches('L').count(), 1, "{line}");
    }

    #[test]
    fn chart_has_alternative_text_and_a_table() {
        let html = chart(vec![Some(9.0), None, Some(3.0)]).html().into_string();
        assert!(html.contains("role=\"img\" aria-label=\"Position. From 9 to 3.\""));
        let twin = html.split("<details").nth(1).expect("a table");
        assert_eq!(twin.matches("<th scope=\"row\">").count(), 3);
        assert!(twin.contains("not known") && twin.contains("datetime=\"2026-11-03\""));
    }

    #[test]
    fn hostile_names_are_escaped() {
        let mut chart = chart(vec![Some(1.0)]);
        chart.series[0].name = "</svg><script>alert(1)</script>".into();
        chart.title = "\"><img src=x onerror=alert(1)>".into();
        let html = chart.html().into_string();
        assert!(
            !html.contains("<script") && !html.contains("<img"),
            "{html}"
        );
    }

    #[test]
    fn chart_without_days_is_empty() {
        assert_eq!(chart(vec![]).html().0, "");
    }
}
