//! Cumulative Layout Shift: the largest session window (web.dev, "Cumulative Layout Shift").

use crate::observation::vitals::ClsSource;
use std::ops::Range;

/// An unexpected layout shift without recent input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// Time, ms.
    pub at: f64,
    /// Weighted by the frame's share of the viewport.
    pub score: f64,
}

/// Maximum gap within a window, ms.
const MAX_GAP_MS: f64 = 1_000.0;

/// Maximum length of a window, ms.
const MAX_WINDOW_MS: f64 = 5_000.0;

const MAX_SOURCES: usize = 10;

/// The score of the largest session window. `shifts` are in order; 0 without any.
pub fn cumulative_layout_shift(shifts: &[Shift]) -> f64 {
    let largest = largest_window(shifts);
    // A float sum of nothing is −0.
    shifts[largest].iter().fold(0.0, |sum, it| sum + it.score)
}

/// Whether two times are more than `limit` ms apart, in whole microseconds as in browsers.
fn is_longer(from: f64, to: f64, limit: f64) -> bool {
    ((to - from) * 1_000.0).round() > limit * 1_000.0
}

fn largest_window(shifts: &[Shift]) -> Range<usize> {
    let (mut largest, mut largest_sum) = (0..0, 0.0);
    let (mut from, mut sum) = (0, 0.0);
    for (place, shift) in shifts.iter().enumerate() {
        let is_over = place > 0
            && (is_longer(shifts[from].at, shift.at, MAX_WINDOW_MS)
                || is_longer(shifts[place - 1].at, shift.at, MAX_GAP_MS));
        if is_over {
            (from, sum) = (place, 0.0);
        }
        sum += shift.score;
        if sum > largest_sum {
            (largest, largest_sum) = (from..place + 1, sum);
        }
    }
    largest
}

#[derive(Debug, Clone, PartialEq)]
pub struct ShiftPart {
    pub selector: Option<String>,
    /// The area that it left or entered, CSS pixels².
    pub area: f64,
}

/// Elements that moved in the largest window, by descending shift: each score is split by area.
pub fn sources(shifts: &[(Shift, Vec<ShiftPart>)]) -> Vec<ClsSource> {
    let plain: Vec<Shift> = shifts.iter().map(|it| it.0).collect();
    let mut sources: Vec<ClsSource> = Vec::new();
    for (shift, parts) in &shifts[largest_window(&plain)] {
        let whole: f64 = parts.iter().map(|it| it.area).sum();
        for part in parts.iter().filter(|it| whole > 0.0 && it.area > 0.0) {
            let share = shift.score * part.area / whole;
            match sources.iter_mut().find(|it| it.selector == part.selector) {
                Some(known) => known.shift += share,
                None => sources.push(ClsSource {
                    selector: part.selector.clone(),
                    shift: share,
                }),
            }
        }
    }
    sources.sort_by(|one, other| other.shift.total_cmp(&one.shift));
    sources.truncate(MAX_SOURCES);
    sources
}
