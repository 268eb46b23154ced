//! Reference figures, properties of random series, and edge cases.

use super::history::{Frequency, History, Observation, ObservedValue};
use super::transform::Scale;
use chrono::{Days, NaiveDate};

mod edges;
mod figures;
mod laws;

/// Box and Jenkins: airline passengers in thousands, the 132 months 1949 to 1959. Data of the Python
/// package `statsforecast` 2.1.1.
const AIR_PASSENGERS: [f64; 132] = [
    112., 118., 132., 129., 121., 135., 148., 148., 136., 119., 104., 118., 115., 126., 141., 135.,
    125., 149., 170., 170., 158., 133., 114., 140., 145., 150., 178., 163., 172., 178., 199., 199.,
    184., 162., 146., 166., 171., 180., 193., 181., 183., 218., 230., 242., 209., 191., 172., 194.,
    196., 196., 236., 235., 229., 243., 264., 272., 237., 211., 180., 201., 204., 188., 235., 227.,
    234., 264., 302., 293., 259., 229., 203., 229., 242., 233., 267., 269., 270., 315., 364., 347.,
    312., 274., 237., 278., 284., 277., 317., 313., 318., 374., 413., 405., 355., 306., 271., 306.,
    315., 301., 356., 348., 355., 422., 465., 467., 404., 347., 305., 336., 340., 318., 362., 348.,
    363., 435., 491., 505., 404., 359., 310., 337., 360., 342., 406., 396., 420., 472., 548., 559.,
    463., 407., 362., 405.,
];
/// The twelve months after them.
const AIR_PASSENGERS_1960: [f64; 12] = [
    417., 391., 419., 461., 472., 535., 622., 606., 508., 461., 390., 432.,
];

fn first_day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 1, 1).unwrap()
}

fn day(number: u64) -> NaiveDate {
    first_day() + Days::new(number)
}

/// One value a day.
fn daily(values: &[f64]) -> Vec<Observation> {
    (0..)
        .zip(values)
        .map(|(number, value)| Observation {
            date: day(number),
            value: ObservedValue::Value(*value),
        })
        .collect()
}

fn history(values: &[f64], scale: Scale) -> History {
    History::of(&daily(values), Frequency::Daily, scale).unwrap()
}

/// Deterministic pseudo-random numbers between 0 and 1.
fn noise(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(state >> 32).unwrap()) / f64::from(u32::MAX)
    })
}

fn close(found: f64, golden: f64, tolerance: f64) -> bool {
    (found - golden).abs() <= tolerance
}
