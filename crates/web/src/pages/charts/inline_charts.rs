//! Small charts for text lines and table cells.

use super::{TimeAxis, lines::path, scale::Scale, swatch};
use crate::pages::components;
use chrono::NaiveDate;
use maud::{Markup, html};

pub fn sparkline(label: &str, points: &[(NaiveDate, Option<f64>)]) -> Markup {
    let Some(time) = TimeAxis::new(points.iter().map(|(day, _)| *day)) else {
        return Markup::default();
    };
    let scale = Scale::around(points.iter().filter_map(|(_, it)| *it), None, false);
    let placed: Vec<_> = { points.iter() }
        .map(|(day, it)| it.map(|it| (time.x(*day), scale.y(it))))
        .collect();
    let dot = placed
        .iter()
        .flatten()
        .last()
        .map_or_else(String::new, |(x, y)| format!("M{x:.1} {y:.1}h0"));
    html! {
        svg .spark viewBox="0 0 1000 400" preserveAspectRatio="none" role="img" aria-label=(label) {
            path .l .c1 d=(path(&placed)) {}
            path .d .c1 d=(dot) {}
        }
    }
}

pub fn bar(share: f64, colour: &str) -> Markup {
    let width = (1_000.0 * share.clamp(0.0, 1.0)).round() / 10.0;
    html! {
        svg .bar viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" {
            rect class={ "f" (colour) } width=(width) height="1" {}
        }
    }
}

/// Name, value as shown, length, whether it is the project's own.
pub fn bars(rows: &[(Markup, Markup, f64, bool)]) -> Markup {
    let longest = rows.iter().map(|(_, _, it, _)| *it).fold(0.0, f64::max);
    let share = |length: f64| if longest > 0.0 { length / longest } else { 0.0 };
    html! {
        ul .bars {
            @for (name, value, length, own) in rows {
                li class=[own.then_some("own")] {
                    span .wrap { (name) }
                    (bar(share(*length), if *own { "1" } else { "6" }))
                    span .r { (value) }
                }
            }
        }
    }
}

/// Names with counts and colors.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn stacked_bar(label: &str, counted: &[(&str, u64, u8)]) -> Markup {
    let whole: u64 = counted.iter().map(|(_, count, _)| count).sum();
    let mut x = 0.0;
    let mut drawn = Vec::new();
    for (name, count, colour) in counted.iter().filter(|(_, count, _)| *count > 0) {
        let width = 100.0 * *count as f64 / whole as f64;
        drawn.push((x, width, *colour, format!("{name}: {count}")));
        x += width;
    }
    let summary: Vec<String> = { counted.iter() }
        .map(|(name, count, _)| format!("{name} {}", components::format_number(*count as f64, 0)))
        .collect();
    html! {
        div class="stack tight" {
            svg class="bar tall" viewBox="0 0 100 1" preserveAspectRatio="none" role="img" aria-label={ (label) ": " (summary.join(", ")) } {
                @for (x, width, colour, text) in drawn {
                    rect class={ "f" (colour) } x=(x) width=(width) height="1" { title { (text) } }
                }
            }
            ul .key {
                @for (name, count, colour) in counted {
                    li { (swatch(*colour)) span { (name) " " b { (components::count(*count)) } } }
                }
            }
        }
    }
}

/// A score from 0 to 100.
pub fn ring(name: &str, score: Option<f64>) -> Markup {
    let arc = score.unwrap_or(0.0).clamp(0.0, 100.0);
    let colour = match score {
        Some(it) if it >= 75.0 => "g",
        Some(it) if it >= 45.0 => "w",
        Some(_) => "b",
        None => "6",
    };
    let shown = score.map_or_else(|| "–".to_owned(), |it| components::format_number(it, 0));
    let label = score.map_or_else(
        || format!("{name}: not known"),
        |it| format!("{name}: {} of 100", components::format_number(it, 0)),
    );
    html! {
        svg .ring viewBox="0 0 100 100" role="img" aria-label=(label) {
            circle .track cx="50" cy="50" r="44" {}
            circle class={ "c" (colour) } cx="50" cy="50" r="44" pathLength="100" stroke-dasharray={ (arc) " 100" } stroke-linecap="round" transform="rotate(-90 50 50)" {}
            text x="50" y="51" { (shown) }
        }
    }
}

/// Good up to `good`, poor from `poor`.
pub fn threshold_bar(label: &str, value: f64, good: f64, poor: f64) -> Markup {
    let end = (1.4 * poor).max(1.02 * value);
    let place = |it: f64| (1_000.0 * it / end).round() / 10.0;
    let (good, poor, at) = (place(good), place(poor), place(value).min(99.0));
    html! {
        svg .zone viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label=(label) {
            rect .g y="3" width=(good) height="4" {}
            rect .m x=(good) y="3" width=(poor - good) height="4" {}
            rect .p x=(poor) y="3" width=(100.0 - poor) height="4" {}
            rect .at x=(at) width="1" height="10" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bar_length_is_its_share() {
        assert!(bar(0.374, "1").0.contains("width=\"37.4\""));
        assert!(bar(7.0, "1").0.contains("width=\"100\""));
    }

    #[test]
    fn sparkline_is_interrupted_at_gaps() {
        let day = |n| NaiveDate::from_ymd_opt(2026, 11, n).expect("a day");
        let drawn = sparkline(
            "visibility",
            &[(day(1), Some(1.0)), (day(2), None), (day(3), Some(2.0))],
        )
        .into_string();
        let line = drawn.split("d=\"").nth(1).expect("a line");
        assert_eq!(
            line.split('"').next().expect("a path").matches('M').count(),
            2
        );
        assert!(drawn.contains("aria-label=\"visibility\""));
    }

    #[test]
    fn stacked_parts_add_up_to_the_whole() {
        let drawn = stacked_bar(
            "Positions",
            &[("1–3", 1, 1), ("4–10", 3, 2), ("none", 0, 3)],
        )
        .into_string();
        assert!(drawn.contains(r#"x="0" width="25""#), "{drawn}");
        assert!(drawn.contains(r#"x="25" width="75""#), "{drawn}");
        assert!(drawn.contains("Positions: 1–3 1, 4–10 3, none 0"));
    }

    #[test]
    fn ring_shows_the_score_or_that_it_is_unknown() {
        assert!(
            ring("Score", Some(62.4))
                .0
                .contains("stroke-dasharray=\"62.4 100\"")
        );
        assert!(ring("Score", None).0.contains("Score: not known"));
    }

    #[test]
    fn value_marker_is_in_its_zone() {
        let drawn = threshold_bar("LCP 3 s", 3_000.0, 2_500.0, 4_000.0).into_string();
        assert!(drawn.contains(r#"class="g" y="3" width="44.6""#), "{drawn}");
        assert!(drawn.contains(r#"class="at" x="53.6""#), "{drawn}");
    }
}
