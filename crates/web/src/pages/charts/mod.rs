//! Charts, rendered on the server as SVG. The drawing stretches to its container, and labels are HTML, so both are
//! readable at any width; colors come from CSS classes. Each chart has a table with the same data. Why no library:
//! docs/decisions/0023.

mod fan;
mod inline_charts;
mod lanes;
mod lines;
mod scale;
mod shares;

pub use fan::{Fan, FanPoint};
pub use inline_charts::{bar, bars, ring, sparkline, stacked_bar, threshold_bar};
pub use lanes::Lanes;
pub use lines::{Lines, Mark, Series};
pub use shares::{Column as ShareColumn, Shares};

use super::components::Table;
use chrono::{Days, NaiveDate};
use maud::{Markup, html};

/// In units of the SVG's view box.
const WIDTH: f64 = 1_000.0;
const HEIGHT: f64 = 400.0;

struct LegendItem {
    name: String,
    color: u8,
}

struct Frame<'a> {
    title: &'a str,
    description: &'a str,
    legend: Vec<LegendItem>,
    ys: Vec<String>,
    xs: Vec<Markup>,
    drawing: Markup,
    data_table: Markup,
}

impl Frame<'_> {
    fn html(&self) -> Markup {
        html! {
            figure .chart {
                figcaption .out { (self.title) ". " (self.description) }
                @if !self.legend.is_empty() {
                    ul .key { @for key in &self.legend { li { (swatch(key.color)) (key.name) } } }
                }
                div .plot {
                    div .ys aria-hidden="true" { @for y in &self.ys { span { (y) } } }
                    svg viewBox="0 0 1000 400" preserveAspectRatio="none" role="img" aria-label={ (self.title) ". " (self.description) } {
                        (self.drawing)
                    }
                    div .xs aria-hidden="true" { @for x in &self.xs { span { (x) } } }
                }
                (self.data_table)
            }
        }
    }
}

fn swatch(colour: u8) -> Markup {
    html! {
        svg viewBox="0 0 12 12" aria-hidden="true" {
            rect width="12" height="12" rx="3" class={ "f" (colour) } {}
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct TimeAxis {
    first: NaiveDate,
    last: NaiveDate,
}

impl TimeAxis {
    fn new(days: impl Iterator<Item = NaiveDate> + Clone) -> Option<Self> {
        Some(Self {
            first: days.clone().min()?,
            last: days.max()?,
        })
    }

    fn days(self) -> i64 {
        (self.last - self.first).num_days()
    }

    #[expect(clippy::cast_precision_loss, reason = "days of a few years")]
    fn x(self, day: NaiveDate) -> f64 {
        let all = self.days();
        if all == 0 {
            return WIDTH / 2.0;
        }
        WIDTH * (day - self.first).num_days() as f64 / all as f64
    }

    /// Up to five evenly spaced days, including the first and the last.
    fn labels(self) -> Vec<Markup> {
        let all = u64::try_from(self.days()).unwrap_or(0);
        let steps = all.clamp(1, 4);
        let days = (0..=steps).map(|at| self.first + Days::new(all * at / steps));
        let days = if all == 0 {
            days.take(1).collect::<Vec<_>>()
        } else {
            days.collect()
        };
        days.into_iter().map(super::components::short_day).collect()
    }
}

/// The chart's data in a collapsed table, with what else the chart shows.
fn data_table(table: Table, besides: &Markup) -> Markup {
    html! { details .twin { summary { "The same as a table" } (table.without_card_layout().hide_caption().html()) (besides) } }
}
