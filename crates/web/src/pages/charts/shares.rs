//! How a whole was divided, time after time: stacked columns.

use super::{Frame, HEIGHT, Key, Time, WIDTH, lines, scale::Scale, twin};
use crate::pages::parts::{Html, Table, day, figures, grouped, percent, row, words};
use askama::Template;
use chrono::NaiveDate;

pub struct Column {
    pub day: NaiveDate,
    /// In the order of the names; what is missing of 1 is others'.
    pub shares: Vec<Option<f64>>,
}

pub struct Shares {
    pub title: String,
    /// Text for whoever does not see it.
    pub told: String,
    pub names: Vec<String>,
    /// Oldest first.
    pub columns: Vec<Column>,
}

#[derive(Template)]
#[template(
    source = r#"{% for y in grid %}<path class="grid" d="M0 {{ y }}H1000"/>{% endfor %}{% for part in parts %}<rect class="f{{ part.colour }}" x="{{ part.x }}" y="{{ part.y }}" width="{{ part.width }}" height="{{ part.height }}"><title>{{ part.said }}</title></rect>{% endfor %}"#,
    ext = "html"
)]
struct Drawing {
    grid: Vec<String>,
    parts: Vec<Part>,
}

struct Part {
    colour: u8,
    x: String,
    y: String,
    width: String,
    height: String,
    said: String,
}

impl Shares {
    /// Empty without columns.
    #[expect(clippy::cast_precision_loss, reason = "a few hundred columns")]
    pub fn html(&self) -> Html {
        let Some(time) = Time::of(self.columns.iter().map(|it| it.day)) else {
            return Html::default();
        };
        let sums = self
            .columns
            .iter()
            .map(|it| it.shares.iter().flatten().sum());
        let scale = Scale::around(sums, Some(0.0), false);
        let place = WIDTH / self.columns.len() as f64;
        let mut parts = Vec::new();
        for (at, column) in self.columns.iter().enumerate() {
            let mut below = 0.0;
            for (number, (share, name)) in column.shares.iter().zip(&self.names).enumerate() {
                let Some(share) = share else { continue };
                let (top, bottom) = (scale.y(below + share), scale.y(below));
                below += share;
                parts.push(Part {
                    colour: u8::try_from(number + 1).unwrap_or(6).min(6),
                    x: format!("{:.1}", (at as f64 + 0.1) * place),
                    y: format!("{top:.1}"),
                    width: format!("{:.1}", 0.8 * place),
                    height: format!("{:.1}", (bottom - top).clamp(0.0, HEIGHT)),
                    said: format!("{name}, {}: {} %", column.day, grouped(100.0 * share, 1)),
                });
            }
        }
        let keys = self.names.iter().enumerate().map(|(at, name)| Key {
            name: name.clone(),
            colour: u8::try_from(at + 1).unwrap_or(6).min(6),
        });
        Html::of(&Frame {
            title: &self.title,
            told: &self.told,
            keys: keys.collect(),
            ys: scale.labels(100.0, " %"),
            xs: time.labels(),
            drawing: Html::of(&Drawing {
                grid: lines::grid(&scale),
                parts,
            }),
            twin: twin(self.table()),
        })
    }

    fn table(&self) -> Table {
        let columns = std::iter::once(words("Day")).chain(self.names.iter().map(|it| figures(it)));
        let rows = self.columns.iter().rev().map(|it| {
            let shares = it.shares.iter().map(|share| percent(*share));
            row(std::iter::once(day(it.day)).chain(shares).collect())
        });
        Table::new(&self.title, columns.collect(), rows.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_stand_upon_each_other_and_what_is_missing_is_not_drawn() {
        let day = |n| NaiveDate::from_ymd_opt(2026, 11, n).expect("a day");
        let shares = Shares {
            title: "Share of voice".into(),
            told: "Two sites.".into(),
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
        let html = shares.html();
        let drawn = html.as_str();
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
