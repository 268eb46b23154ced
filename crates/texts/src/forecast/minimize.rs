//! Minimizers that evaluate several points per call: each recursion is latency-bound, so a processor runs several
//! in parallel at hardly more than the cost of one.

use std::array;

pub const LINE_PROBES: usize = 8;
pub const SIMPLEX_PROBES: usize = 4;

/// Each keeps 2/9 of the range; seven leave 2.7e-5 of it.
const LINE_ROUNDS: usize = 7;

/// Minimum in `low..high`. Eight evenly spaced probes a round; the two ninths around the best remain. The first round
/// spans the range, so a second local minimum is found if it is wider than a ninth.
pub fn minimize_on_interval(
    low: f64,
    high: f64,
    mut values_at: impl FnMut(&[f64; LINE_PROBES]) -> [f64; LINE_PROBES],
) -> f64 {
    let ends = [low, high];
    let (mut low, mut high) = (low, high);
    let mut best = (f64::midpoint(low, high), f64::INFINITY);
    let mut place = [0.0; LINE_PROBES];
    for _ in 0..LINE_ROUNDS {
        let step = (high - low) / 9.0;
        let mut at = low;
        for probe in &mut place {
            at += step;
            *probe = at;
        }
        let values = values_at(&place);
        let mut lowest = (low + 4.5 * step, f64::INFINITY);
        for (at, value) in place.into_iter().zip(values) {
            if value < lowest.1 {
                lowest = (at, value);
            }
        }
        if lowest.1 < best.1 {
            best = lowest;
        }
        (low, high) = (lowest.0 - step, lowest.0 + step);
    }
    // The probes never reach the ends of the range.
    let values = values_at(&array::from_fn(|k| ends[k % 2]));
    for (at, value) in ends.into_iter().zip(values) {
        if value < best.1 {
            best = (at, value);
        }
    }
    best.0
}

#[derive(Debug, Clone, Copy)]
pub struct Minimum {
    pub at: [f64; 3],
    pub value: f64,
}

#[derive(Debug, Clone, Copy)]
pub struct Search {
    pub low: [f64; 3],
    pub high: [f64; 3],
    /// Size of the first simplex, as a share of the box.
    pub stride: f64,
    /// Stops when the values at the corners differ by less than this share of the smallest.
    pub tolerance: f64,
    pub batches: usize,
}

/// Minimum in the box, from `start`. Nelder and Mead 1965, the four candidates of a step in one batch. Points outside
/// are reflected into the box; finally the nearest edges are tried, which reflection never reaches. A degenerate
/// simplex searches its plane only, so a second call from the result pays off.
pub fn minimize_in_box(
    search: &Search,
    start: [f64; 3],
    mut values_at: impl FnMut(&[[f64; 3]; SIMPLEX_PROBES]) -> [f64; SIMPLEX_PROBES],
) -> Minimum {
    let mut evaluate = |points: [[f64; 3]; SIMPLEX_PROBES]| -> [Minimum; SIMPLEX_PROBES] {
        let values = values_at(&points);
        array::from_fn(|k| Minimum {
            at: points[k],
            value: values[k],
        })
    };
    let mut best = descend(search, start, &mut evaluate);
    for _ in 0..2 {
        let edges = evaluate(search.nearest_edges(best.at));
        best = lowest([best, lowest(edges), best, best]);
    }
    best
}

/// Until the values at the four corners are equal within the tolerance.
fn descend(
    search: &Search,
    start: [f64; 3],
    evaluate: &mut impl FnMut([[f64; 3]; SIMPLEX_PROBES]) -> [Minimum; SIMPLEX_PROBES],
) -> Minimum {
    let mut corners = evaluate(search.first_corners(start));
    for _ in 1..search.batches {
        corners.sort_by(|one, other| one.value.total_cmp(&other.value));
        let [best, _, _, worst] = corners;
        let gap = worst.value - best.value;
        if gap.is_nan() || gap <= search.tolerance * best.value.abs() {
            break;
        }
        let centre: [f64; 3] =
            array::from_fn(|d| (best.at[d] + corners[1].at[d] + corners[2].at[d]) / 3.0);
        let away = |factor: f64| {
            search.reflect_into_box(array::from_fn(|d| {
                centre[d] + factor * (centre[d] - worst.at[d])
            }))
        };
        let candidates = evaluate([away(1.0), away(2.0), away(0.5), away(-0.5)]);
        if let Some(corner) = replacement(&corners, candidates) {
            corners[3] = corner;
        } else {
            let towards_best =
                |it: Minimum| array::from_fn(|d| f64::midpoint(best.at[d], it.at[d]));
            corners = evaluate(corners.map(towards_best));
        }
    }
    lowest(corners)
}

fn lowest(points: [Minimum; 4]) -> Minimum {
    points.into_iter().fold(
        points[0],
        |best, it| {
            if it.value < best.value { it } else { best }
        },
    )
}

fn replacement(corners: &[Minimum; 4], candidates: [Minimum; 4]) -> Option<Minimum> {
    let [best, _, second_worst, worst] = *corners;
    let [reflected, expanded, outside, inside] = candidates;
    if reflected.value < best.value {
        return Some(if expanded.value < reflected.value {
            expanded
        } else {
            reflected
        });
    }
    if reflected.value < second_worst.value {
        return Some(reflected);
    }
    if reflected.value < worst.value && outside.value <= reflected.value {
        return Some(outside);
    }
    (inside.value < worst.value).then_some(inside)
}

impl Search {
    /// Reflects at the edge. Clamped to the edge, all corners would stay there.
    fn reflect_into_box(&self, point: [f64; 3]) -> [f64; 3] {
        array::from_fn(|d| {
            let (low, high) = (self.low[d], self.high[d]);
            let mirrored = low + (point[d] - low).abs();
            (high - (high - mirrored).abs()).clamp(low, high)
        })
    }

    /// Each coordinate moved to its nearest edge, and all of them.
    fn nearest_edges(&self, point: [f64; 3]) -> [[f64; 3]; 4] {
        let edge: [f64; 3] = array::from_fn(|d| {
            let (low, high) = (self.low[d], self.high[d]);
            if point[d] - low < high - point[d] {
                low
            } else {
                high
            }
        });
        array::from_fn(|k| array::from_fn(|d| if k == d || k == 3 { edge[d] } else { point[d] }))
    }

    /// `start`, and a step along each axis toward the farther edge.
    fn first_corners(&self, start: [f64; 3]) -> [[f64; 3]; 4] {
        let start = self.reflect_into_box(start);
        array::from_fn(|k| {
            let mut corner = start;
            if let Some(d) = k.checked_sub(1) {
                let step = self.stride * (self.high[d] - self.low[d]);
                let towards_low = start[d] - self.low[d] > self.high[d] - start[d];
                corner[d] += if towards_low { -step } else { step };
            }
            self.reflect_into_box(corner)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_minimum_of_a_parabola_is_found(bottom in 0.0_f64..1.0) {
            let found = minimize_on_interval(0.0, 1.0, |at| at.map(|x| (x - bottom).powi(2)));
            prop_assert!((found - bottom).abs() < 2e-5, "{found} {bottom}");
        }

        #[test]
        fn the_minimum_of_a_quadratic_bowl_is_found(
            bottom in [0.05_f64..0.95, 0.05_f64..0.95, 0.05_f64..0.95],
            start in [0.0_f64..1.0, 0.0_f64..1.0, 0.0_f64..1.0],
        ) {
            let search = Search { low: [0.0; 3], high: [1.0; 3], stride: 0.2, tolerance: 1e-12, batches: 300 };
            let bowl = |points: &[[f64; 3]; 4]| points.map(|point| {
                1.0 + (0..3).map(|d| (point[d] - bottom[d]).powi(2)).sum::<f64>()
            });
            let found = (0..3).fold(start, |at, _| minimize_in_box(&search, at, bowl).at);
            for d in 0..3 {
                prop_assert!((found[d] - bottom[d]).abs() < 1e-3, "{found:?} {bottom:?}");
            }
        }
    }

    #[test]
    fn a_minimum_at_the_edge_is_found() {
        let search = Search {
            low: [0.0; 3],
            high: [1.0; 3],
            stride: 0.2,
            tolerance: 1e-9,
            batches: 100,
        };
        let found = minimize_in_box(&search, [0.5; 3], |points| {
            points.map(|[a, b, c]| 1.0 - a + b + (c - 0.4).powi(2))
        });
        let is_close = |one: f64, other: f64| (one - other).abs() < 1e-3;
        assert!(
            is_close(found.at[0], 1.0) && is_close(found.at[1], 0.0) && is_close(found.at[2], 0.4)
        );
    }

    #[test]
    fn the_deeper_of_two_minima_is_found() {
        let found = minimize_on_interval(0.0, 1.0, |at| {
            at.map(|x| (x - 0.2).powi(2).min((x - 0.8).powi(2) - 0.01))
        });
        assert!((found - 0.8).abs() < 1e-4);
    }

    #[test]
    fn a_nan_function_ends_inside_the_range() {
        let found = minimize_on_interval(0.0, 1.0, |_| [f64::NAN; LINE_PROBES]);
        assert!((0.0..=1.0).contains(&found));
    }
}
