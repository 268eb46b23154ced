//! Which of several pages ranked first over time: one lane each.

use super::{WIDTH, data_table};
use crate::pages::components::{self, Table};
use chrono::NaiveDate;
use maud::{Markup, html};

pub struct Lanes {
    pub title: String,
    pub names: Vec<Markup>,
    /// Oldest first; an index into `names`, `None` for any other.
    pub days: Vec<(NaiveDate, Option<usize>)>,
}

impl Lanes {
    /// Empty without days.
    pub fn html(&self) -> Markup {
        if self.days.is_empty() {
            return Markup::default();
        }
        html! {
            figure .chart {
                figcaption class="small soft" { (self.title) }
                ul .timeline { @for (number, name) in self.names.iter().enumerate() { (self.lane(number, name)) } }
                (data_table(self.table(), &Markup::default()))
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a few hundred days")]
    fn lane(&self, number: usize, name: &Markup) -> Markup {
        let width = WIDTH / self.days.len() as f64;
        let days = self.days.iter().enumerate();
        let own = days.filter(|(_, (_, leader))| *leader == Some(number));
        let starts: Vec<f64> = own.map(|(at, _)| at as f64 * width).collect();
        html! {
            li .lane {
                span .wrap { (name) }
                svg class="bar tall" viewBox="0 0 1000 1" preserveAspectRatio="none" role="img"
                    aria-label={ "in front " (starts.len()) " of " (self.days.len()) " times" } {
                    @for x in starts {
                        rect class={ "f" ((number + 1).min(6)) } x=(format_args!("{x:.1}")) width=(format_args!("{width:.1}")) height="1" {}
                    }
                }
            }
        }
    }

    fn table(&self) -> Table {
        let columns = vec![
            components::text_column("Day"),
            components::text_column("In front"),
        ];
        let rows = self.days.iter().rev().map(|(day, leader)| {
            let name = leader.and_then(|it| self.names.get(it));
            let name = name.cloned().unwrap_or_else(components::unknown);
            components::row(vec![components::day(*day), name])
        });
        Table::new(&self.title, columns, rows.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_shows_its_days_and_other_days_are_empty() {
        let day = |n| NaiveDate::from_ymd_opt(2026, 11, n).expect("a day");
        let lanes = Lanes {
            title: "Two pages".into(),
            names: vec![components::text("/a"), components::text("/b")],
            days: vec![
                (day(1), Some(0)),
                (day(2), Some(1)),
                (day(3), None),
                (day(4), Some(0)),
            ],
        };
        let drawn = lanes.html().into_string();
        assert_eq!(drawn.matches("class=\"f1\"").count(), 2, "{drawn}");
        assert!(
            drawn.contains(r#"class="f2" x="250.0" width="250.0""#),
            "{drawn}"
        );
        assert!(drawn.contains("in front 2 of 4 times"), "{drawn}");
        assert!(!drawn.contains("x=\"500.0\""), "{drawn}");
    }
}
