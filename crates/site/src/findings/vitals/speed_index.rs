//! Speed Index: the average time at which the parts of the viewport are displayed.
//!
//! The definition is WebPageTest's ("Speed Index"): the area above the curve of visual progress,
//! with progress from color histograms. Details (white is background, progress in whole percent,
//! the first screen taken for white) are those of the npm package `speedline-core` 1.4.3, which
//! Lighthouse uses; Lighthouse also skips frames between similar ones, we use each.

/// Pixels by value, for red, green and blue; white ones (249 and more in all three) are not counted.
pub type Histogram = [[u32; 256]; 3];

/// Minimum value of all three channels of a white pixel.
pub const WHITE: u8 = 249;

/// A screenshot of the viewport.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// When it was shown, ms after navigation start.
    pub at: f64,
    pub colors: Box<Histogram>,
}

/// `pixels` are red, green, blue, one byte each.
pub fn count_colors(pixels: &[u8]) -> Box<Histogram> {
    let mut counts = Box::new([[0; 256]; 3]);
    for pixel in pixels
        .chunks_exact(3)
        .filter(|it| it.iter().any(|part| *part < WHITE))
    {
        for (channel, value) in counts.iter_mut().zip(pixel) {
            channel[usize::from(*value)] += 1;
        }
    }
    counts
}

/// In ms; `frames` are in order, the last one complete. `None` without frames, or if all are white.
pub fn speed_index(frames: &[Frame]) -> Option<f64> {
    let target = &frames.last()?.colors;
    if target.iter().flatten().all(|it| *it == 0) {
        return None;
    }
    let progress: Vec<f64> = frames
        .iter()
        .map(|it| progress(&it.colors, target))
        .collect();
    let first = progress.iter().position(|it| *it > 0.0)?;
    let pairs = frames[first..].windows(2).zip(&progress[first..]);
    let rest: f64 = pairs
        .map(|(pair, seen)| (pair[1].at - pair[0].at) * (1.0 - seen))
        .sum();
    Some(frames[first].at + rest)
}

/// Progress from white to the target, truncated to whole percent.
fn progress(now: &Histogram, target: &Histogram) -> f64 {
    let pairs = now.iter().flatten().zip(target.iter().flatten());
    let (matching, total) = pairs.fold((0_u64, 0_u64), |(matching, total), (now, target)| {
        (
            matching + u64::from(*now.min(target)),
            total + u64::from(*target),
        )
    });
    let percent = (matching * 100).checked_div(total).unwrap_or(100);
    f64::from(u32::try_from(percent).unwrap_or(100)) / 100.0
}
