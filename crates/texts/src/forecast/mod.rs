//! [`project::project`] turns a [`history::History`] into a [`project::Projection`], on an unbounded scale
//! ([`transform::Scale`]). Definitions: `docs/measurement/forecasting.md`; why the methods are written here:
//! `docs/decisions/0014-forecasting-methods-implemented-in-this-project.md`.

pub mod accuracy;
pub mod back_test;
pub mod change_points;
pub mod combination;
pub mod history;
pub mod methods;
mod minimize;
pub mod project;
pub mod season;
pub mod spread;
pub mod transform;

#[expect(
    clippy::cast_precision_loss,
    reason = "series are far shorter than 2^52"
)]
fn count(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests;
