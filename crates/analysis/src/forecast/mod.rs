//! Forecasts of series: methods, their combination, how good they were, and intervals.
//!
//! [`project::project`] takes a [`history::History`] to a [`project::Projection`]. Everything in between
//! happens on a scale without bounds ([`transform::Scale`]). Definitions: `docs/MEASUREMENT.md`; why
//! the methods are written here: `docs/decisions/0014-forecasts-are-computed-here.md`.

pub mod accuracy;
pub mod back_test;
pub mod change_points;
pub mod combination;
pub mod history;
pub mod methods;
mod minimise;
pub mod project;
pub mod season;
pub mod spread;
pub mod transform;

/// A count as a number to reckon with.
#[expect(
    clippy::cast_precision_loss,
    reason = "series are far shorter than 2^52"
)]
fn count(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests;
