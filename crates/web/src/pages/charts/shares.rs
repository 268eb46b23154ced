//! Shares of a whole over time: stacked columns.

use super::{Frame, HEIGHT, LegendItem, TimeAxis, WIDTH, data_table, lines, scale::Scale};
use crate::pages::components::{
    Table, day, format_number, number_column, percent, row, text_column,
};
use chrono::NaiveDate;
use maud::{Markup, html};

pub struct Column {
    pub day: NaiveDate,
    /// In the order of `names`; the rest up to 1 belongs to others.
    pub shares: Vec<Option<f64>>,
}

pub struct Shares {
    pub title: String,
    /// Alternative text for screen readers.
    pub description: String,
    pub names: Vec<String>,
    /// Oldest first.
    pub columns: Vec<Column>,
}

impl Shares {
    /// Empty without columns.
    #[expect(clippy::cast_precision_loss, reason = "a few hundred columns")]
    pub fn html(&self) -> Markup {
        let Some(time) = TimeAxis::new(self.columns.iter().map(|it| it.day)) else {
            return Markup::default();
        };
        let sums = self
            .columns
            .iter()
            .map(|it| it.shares.iter().flatten().sum());
        let scale = Scale::around(sums, Some(0.0), false);
        let place = WIDTH / self.columns.len() as f64;
        let drawing = html! {
            (lines::grid(&scale))
            @for (at, column) in self.columns.iter().enumerate() {
                (self.column(column, (at as f64 + 0.1) * place, 0.8 * place, &scale))
            }
        };
        let keys = self.names.iter().enumerate().map(|(at, name)| LegendItem {
            name: name.clone(),
            color: color_index(at),
        });
        Frame {
            title: &self.title,
            description: &self.description,
            legend: keys.collect(),
            ys: scale.labels(100.0, " %"),
            xs: time.labels(),
            drawing,
            data_table: data_table(self.table(), &Markup::default()),
        }
        .html()
    }

    /// Stacks the known shares.
    fn column(&self, column: &Column, x: f64, width: f64, scale: &Scale) -> Markup {
        let mut below = 0.0;
        let shares = column.shares.iter().zip(&self.names).enumerate();
        let parts = shares.filter_map(|(number, (share, name))| {
            let bottom = scale.y(below);
            below += (*share)?;
            Some((number, (*share)?, name, scale.y(below), bottom))
        });
        html! {
            @for (number, share, name, top, bottom) in parts {
                @let height = (bottom - top).clamp(0.0, HEIGHT);
                rect class={ "f" (color_index(number)) } x=(format_args!("{x:.1}")) y=(format_args!("{top:.1}"))
                    width=(format_args!("{width:.1}")) height=(format_args!("{height:.1}")) {
                    title { (name) ", " (column.day) ": " (format_number(100.0 * share, 1)) " %" }
                }
            }
        }
    }

    fn table(&self) -> Table {
        let columns = std::iter::once(text_column("Day"))
            .chain(self.names.iter().map(|it| number_column(it)));
        let rows = self.columns.iter().rev().map(|it| {
            let shares = it.shares.iter().map(|share| percent(*share));
            row(std::iter::once(day(it.day)).chain(shares).collect())
        });
        Table::new(&self.title, columns.collect::<Vec<_>>(), rows.collect())
    }
}

/// From 1 to 6.
fn color_index(number: usize) -> u8 {
    u8::try_from(number + 1).unwrap_or(6).min(6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_stacked_and_missing_ones_are_omitted() {
        let day = |n| NaiveDate::from_ymd_opt(2026, 11, n).expect("a day");
        let shares = Shares {
            title: "Share of voice".into(),
            description: "Two sites.".into(),
            names: vec!["own".into(), "rival".into()],
            columns: vec![
                Column {
                    day: day(1),
                    shares: vec![Some(0.25), Some(0.75)],
                },
                Column {
                    day: day(2),
                    shares: vec![None, Some(0.5)],
                },
            ],
        };
        let drawn = shares.html().into_string();
        assert_eq!(drawn.matches("<rect class=\"f").count(), 3, "{drawn}");
        assert!(
            drawn.contains(r#"class="f1" x="50.0" y="300.0" width="400.0" height="100.0""#),
            "{drawn}"
        );
        assert!(
            drawn.contains(r#"class="f2" x="50.0" y="0.0" width="400.0" height="300.0""#),
            "{drawn}"
        );
        assert!(
            drawn.contains("not known"),
            "the table says what is missing"
        );
    }
}
