//! Cumulative Layout Shift: the largest session window (web.dev, "Cumulative Layout Shift").

/// Layout shifted, unexpected and without recent input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// When, ms.
    pub at: f64,
    /// By how much, weighted by the frame's share of the viewport.
    pub score: f64,
}

/// A window ends when nothing moves for longer, ms.
const GAP: f64 = 1_000.0;

/// And it is never longer, ms.
const LONGEST: f64 = 5_000.0;

/// The score of the largest window. Windows end after a gap of more than 1 s and after 5 s. Shifts
/// come in order; without any the page did not move: 0.
#[must_use]
pub fn cumulative_layout_shift(shifts: &[Shift]) -> f64 {
    let mut largest = 0.0_f64;
    let (mut first, mut last, mut sum) = (f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0);
    for shift in shifts {
        if shift.at - first > LONGEST || shift.at - last > GAP {
            first = shift.at;
            sum = 0.0;
        }
        last = shift.at;
        sum += shift.score;
        largest = largest.max(sum);
    }
    largest
}
