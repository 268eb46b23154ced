//! Charts that stand in a line of text or in a cell.

use super::{Time, lines::path, scale::Scale};
use crate::pages::parts::{self, Html, fill, snippet, text};
use chrono::NaiveDate;

snippet!(Spark { told: &'a str, line: &'a str, dot: &'a str } = r#"<svg class="spark" viewBox="0 0 1000 400" preserveAspectRatio="none" role="img" aria-label="{{ told }}"><path class="l c1" d="{{ line }}"/><path class="d c1" d="{{ dot }}"/></svg>"#);
snippet!(Bar { width: f64, colour: &'a str } = r#"<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect class="f{{ colour }}" width="{{ width }}" height="1"/></svg>"#);
snippet!(Row { own: bool, name: &'a Html, bar: &'a Html, value: &'a Html } = r#"<li{% if own %} class="own"{% endif %}><span class="wrap">{{ name }}</span>{{ bar }}<span class="r">{{ value }}</span></li>"#);
snippet!(Rows { rows: &'a Html } = r#"<ul class="bars">{{ rows }}</ul>"#);
snippet!(Whole { told: &'a str, pieces: &'a [(f64, f64, u8, String)], keys: &'a [(u8, String, Html)] } = r#"<div class="stack tight"><svg class="bar tall" viewBox="0 0 100 1" preserveAspectRatio="none" role="img" aria-label="{{ told }}">{% for (x, width, colour, said) in pieces %}<rect class="f{{ colour }}" x="{{ x }}" width="{{ width }}" height="1"><title>{{ said }}</title></rect>{% endfor %}</svg><ul class="key">{% for (colour, name, count) in keys %}<li><svg viewBox="0 0 12 12" aria-hidden="true"><rect width="12" height="12" rx="3" class="f{{ colour }}"/></svg><span>{{ name }} <b>{{ count }}</b></span></li>{% endfor %}</ul></div>"#);
snippet!(Ring { told: &'a str, shown: &'a str, arc: f64, colour: &'a str } = r#"<svg class="ring" viewBox="0 0 100 100" role="img" aria-label="{{ told }}"><circle class="track" cx="50" cy="50" r="44"/><circle class="c{{ colour }}" cx="50" cy="50" r="44" pathLength="100" stroke-dasharray="{{ arc }} 100" stroke-linecap="round" transform="rotate(-90 50 50)"/><text x="50" y="51">{{ shown }}</text></svg>"#);
snippet!(Zone { told: &'a str, good: f64, poor: f64, rest: f64, at: f64 } = r#"<svg class="zone" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="{{ told }}"><rect class="g" y="3" width="{{ good }}" height="4"/><rect class="m" x="{{ good }}" y="3" width="{{ poor - good }}" height="4"/><rect class="p" x="{{ poor }}" y="3" width="{{ rest }}" height="4"/><rect class="at" x="{{ at }}" width="1" height="10"/></svg>"#);

pub fn spark(told: &str, points: &[(NaiveDate, Option<f64>)]) -> Html {
    let Some(time) = Time::of(points.iter().map(|(day, _)| *day)) else {
        return text("");
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
    fill!(Spark {
        told,
        line: &path(&placed),
        dot: &dot
    })
}

pub fn bar(share: f64, colour: &str) -> Html {
    let width = (1_000.0 * share.clamp(0.0, 1.0)).round() / 10.0;
    fill!(Bar { width, colour })
}

/// Name, value as shown, its part of the longest, whether it is own.
pub fn bars(rows: &[(Html, Html, f64, bool)]) -> Html {
    let longest = rows.iter().map(|(_, _, it, _)| *it).fold(0.0, f64::max);
    let rows = rows.iter().map(|(name, value, length, own)| {
        let share = if longest > 0.0 { length / longest } else { 0.0 };
        let drawn = bar(share, if *own { "1" } else { "6" });
        fill!(Row {
            own: *own,
            name,
            bar: &drawn,
            value
        })
    });
    let rows = Html::all(rows);
    fill!(Rows { rows: &rows })
}

/// A whole in its parts: names with counts.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn parts_bar(what: &str, counted: &[(&str, u64, u8)]) -> Html {
    let whole: u64 = counted.iter().map(|(_, count, _)| count).sum();
    let mut x = 0.0;
    let mut drawn = Vec::new();
    for (name, count, colour) in counted.iter().filter(|(_, count, _)| *count > 0) {
        let width = 100.0 * *count as f64 / whole as f64;
        drawn.push((x, width, *colour, format!("{name}: {count}")));
        x += width;
    }
    let keys: Vec<(u8, String, Html)> = { counted.iter() }
        .map(|(name, count, colour)| (*colour, (*name).to_owned(), parts::count(*count)))
        .collect();
    let told: Vec<String> = { counted.iter() }
        .map(|(name, count, _)| format!("{name} {}", parts::grouped(*count as f64, 0)))
        .collect();
    let told = format!("{what}: {}", told.join(", "));
    fill!(Whole {
        told: &told,
        pieces: &drawn,
        keys: &keys
    })
}

/// A score from 0 to 100.
pub fn ring(what: &str, score: Option<f64>) -> Html {
    let arc = score.unwrap_or(0.0).clamp(0.0, 100.0);
    let colour = match score {
        Some(it) if it >= 75.0 => "g",
        Some(it) if it >= 45.0 => "w",
        Some(_) => "b",
        None => "6",
    };
    let shown = score.map_or_else(|| "–".to_owned(), |it| parts::grouped(it, 0));
    let told = score.map_or_else(
        || format!("{what}: not known"),
        |it| format!("{what}: {} of 100", parts::grouped(it, 0)),
    );
    fill!(Ring {
        told: &told,
        shown: &shown,
        arc,
        colour
    })
}

/// Up to `good` it is good, from `poor` on it is poor.
pub fn zone(what: &str, value: f64, good: f64, poor: f64) -> Html {
    let end = (1.4 * poor).max(1.02 * value);
    let place = |it: f64| (1_000.0 * it / end).round() / 10.0;
    let (good, poor, at) = (place(good), place(poor), place(value).min(99.0));
    fill!(Zone {
        told: what,
        good,
        poor,
        rest: 100.0 - poor,
        at
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert!(bar(0.374, "1").as_str().contains("width=\"37.4\""));
        assert!(bar(7.0, "1").as_str().contains("width=\"100\""));
    }

    #[test]
    fn a_spark_is_lifted_over_what_is_missing() {
        let day = |n| NaiveDate::from_ymd_opt(2026, 11, n).expect("a day");
        let drawn = spark(
            "visibility",
            &[(day(1), Some(1.0)), (day(2), None), (day(3), Some(2.0))],
        );
        let line = drawn.as_str().split("d=\"").nth(1).expect("a line");
        assert_eq!(
            line.split('"').next().expect("a path").matches('M').count(),
            2
        );
        assert!(drawn.as_str().contains("aria-label=\"visibility\""));
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let drawn = parts_bar(
            "Positions",
            &[("1–3", 1, 1), ("4–10", 3, 2), ("none", 0, 3)],
        );
        assert!(drawn.as_str().contains(r#"x="0" width="25""#), "{drawn}");
        assert!(drawn.as_str().contains(r#"x="25" width="75""#), "{drawn}");
        assert!(drawn.as_str().contains("Positions: 1–3 1, 4–10 3, none 0"));
    }

    #[test]
    fn a_ring_is_filled_as_far_as_the_score_and_tells_what_is_not_known() {
        assert!(
            ring("Score", Some(62.4))
                .as_str()
                .contains("stroke-dasharray=\"62.4 100\"")
        );
        assert!(ring("Score", None).as_str().contains("Score: not known"));
    }

    #[test]
    fn a_value_stands_in_its_zone() {
        let drawn = zone("LCP 3 s", 3_000.0, 2_500.0, 4_000.0);
        assert!(
            drawn.as_str().contains(r#"class="g" y="3" width="44.6""#),
            "{drawn}"
        );
        assert!(drawn.as_str().contains(r#"class="at" x="53.6""#), "{drawn}");
    }
}
