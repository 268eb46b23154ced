//! Metrics from a browser trace. Events are selected and evaluated as in `core/lib/tracehouse/trace-processor.js` and
//! `core/computed/metrics/` of the npm package `lighthouse` 12.8.2.

mod messages;

use analysis::findings::vitals::blocking_time::Span;
use analysis::findings::vitals::layout_shift::Shift;
use analysis::findings::vitals::speed_index::{Frame, Histogram, count_colors};
use base64::{Engine, engine::general_purpose::STANDARD};
use messages::{Args, Batch, Candidate, LayoutShiftData, Navigation, Screenshot, Wire, pixels};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

pub const CATEGORIES: [&str; 4] = [
    "loading",
    "blink.user_timing",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.screenshot",
];

/// Events kept per kind; no real load has more.
const MAX_EVENTS: usize = 200_000;

/// Chromium takes at most 450 screenshots.
const MAX_SCREENSHOTS: usize = 500;

/// µs after a viewport change in which shifts count although Chromium marks them as following input.
const VIEWPORT_SHIFT_WINDOW: f64 = 500_000.0;

/// Relevant trace events; times in µs of the browser's clock.
#[derive(Debug, Default)]
pub struct Trace {
    frame: String,
    marks: Vec<Mark>,
    tasks: Vec<Task>,
    shifts: Vec<ShiftEvent>,
    screenshots: Vec<(f64, Box<Histogram>)>,
    viewport: Option<f64>,
    end: f64,
}

#[derive(Debug, Clone, Copy)]
struct Mark {
    kind: TraceMarkKind,
    at: f64,
    process: i64,
    thread: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TraceMarkKind {
    Navigation,
    ContentLoaded,
    FirstPaint,
    LargestPaint,
}

#[derive(Debug, Clone, Copy)]
struct Task {
    at: f64,
    duration: f64,
    process: i64,
    thread: i64,
}

#[derive(Debug, Clone, Copy)]
struct ShiftEvent {
    at: f64,
    score: f64,
    after_input: bool,
}

/// Times in ms after the start of the navigation.
#[derive(Debug)]
pub struct Load {
    /// Start of the navigation, in seconds of the browser's clock.
    pub origin: f64,
    pub fcp: Option<f64>,
    pub lcp: Option<f64>,
    pub content_loaded: Option<f64>,
    pub end: f64,
    pub tasks: Vec<Span>,
    /// Unexpected layout shifts of all frames.
    pub shifts: Vec<Shift>,
    pub frames: Vec<Frame>,
}

impl Trace {
    pub fn of_frame(frame: &str) -> Self {
        Self {
            frame: frame.to_owned(),
            ..Self::default()
        }
    }

    pub fn read(&mut self, params: &RawValue) {
        // Malformed events are ignored.
        let Ok(batch) = serde_json::from_str::<Batch<'_>>(params.get()) else {
            return;
        };
        for event in batch.value {
            if let Ok(event) = serde_json::from_str::<Wire<'_>>(event.get()) {
                self.record(&event);
            }
        }
    }

    fn record(&mut self, event: &Wire<'_>) {
        self.end = self.end.max(event.ts + event.dur);
        match &*event.name {
            "RunTask" if event.dur > 0.0 && self.tasks.len() < MAX_EVENTS => {
                self.tasks.push(Task {
                    at: event.ts,
                    duration: event.dur,
                    process: event.pid,
                    thread: event.tid,
                });
            }
            "navigationStart" => {
                let is_page = |it: Navigation| it.document.starts_with("http");
                self.record_mark::<Navigation>(event, TraceMarkKind::Navigation, is_page);
            }
            "domContentLoadedEventEnd" => {
                self.record_mark::<IgnoredAny>(event, TraceMarkKind::ContentLoaded, |_| true);
            }
            "firstContentfulPaint" => {
                self.record_mark::<IgnoredAny>(event, TraceMarkKind::FirstPaint, |_| true);
            }
            "largestContentfulPaint::Candidate" => {
                let is_one = |it: Candidate| it.size.is_some();
                self.record_mark::<Candidate>(event, TraceMarkKind::LargestPaint, is_one);
            }
            "viewport" => {
                self.viewport.get_or_insert(event.ts);
            }
            "LayoutShift" => self.record_shift(event),
            "Screenshot" => self.record_screenshot(event),
            _ => {}
        }
    }

    fn record_mark<'a, D: Deserialize<'a>>(
        &mut self,
        event: &Wire<'a>,
        kind: TraceMarkKind,
        counts: impl FnOnce(D) -> bool,
    ) {
        let Some(args) = event.args else {
            return;
        };
        let Ok(args) = serde_json::from_str::<Args<D>>(args.get()) else {
            return;
        };
        let lenient = !matches!(
            kind,
            TraceMarkKind::Navigation | TraceMarkKind::LargestPaint
        );
        let counts = args.data.map_or(lenient, counts);
        if args.frame == self.frame && counts && self.marks.len() < MAX_EVENTS {
            self.marks.push(Mark {
                kind,
                at: event.ts,
                process: event.pid,
                thread: event.tid,
            });
        }
    }

    fn record_shift(&mut self, event: &Wire<'_>) {
        let args = event
            .args
            .and_then(|it| serde_json::from_str::<Args<LayoutShiftData>>(it.get()).ok());
        if let Some(data) = args.and_then(|it| it.data)
            && data.is_main_frame.is_some()
            && let Some(score) = data.weighted_score_delta
            && self.shifts.len() < MAX_EVENTS
        {
            self.shifts.push(ShiftEvent {
                at: event.ts,
                score,
                after_input: data.had_recent_input,
            });
        }
    }

    fn record_screenshot(&mut self, event: &Wire<'_>) {
        if self.screenshots.len() >= MAX_SCREENSHOTS {
            return;
        }
        let colours = event
            .args
            .and_then(|it| serde_json::from_str::<Screenshot<'_>>(it.get()).ok())
            .and_then(|it| STANDARD.decode(it.snapshot.as_bytes()).ok())
            .and_then(|it| pixels(&it))
            .map(|it| count_colors(&it));
        if let Some(colours) = colours {
            self.screenshots.push((event.ts, colours));
        }
    }

    /// The last navigation of the page; `None` without one.
    pub fn load(mut self) -> Option<Load> {
        self.marks.sort_by(|one, other| one.at.total_cmp(&other.at));
        let start = *self
            .marks
            .iter()
            .rfind(|it| it.kind == TraceMarkKind::Navigation)?;
        let after = |at: f64| (at - start.at) / 1_000.0;
        let first = |kind| {
            let mut marks = self.marks.iter();
            marks
                .find(|it| it.kind == kind && it.at > start.at)
                .map(|it| after(it.at))
        };
        let largest = self
            .marks
            .iter()
            .rfind(|it| it.kind == TraceMarkKind::LargestPaint);
        Some(Load {
            origin: start.at / 1e6,
            fcp: first(TraceMarkKind::FirstPaint),
            lcp: largest.filter(|it| it.at > start.at).map(|it| after(it.at)),
            content_loaded: first(TraceMarkKind::ContentLoaded),
            end: after(self.end),
            tasks: self.tasks(start),
            shifts: self.shifts(start.at),
            frames: self.frames(start.at),
        })
    }

    /// Tasks of the page's main thread, without overlaps.
    fn tasks(&mut self, start: Mark) -> Vec<Span> {
        let own = |it: &&Task| it.process == start.process && it.thread == start.thread;
        let mut own: Vec<Task> = self.tasks.iter().filter(own).copied().collect();
        own.sort_by(|one, other| one.at.total_cmp(&other.at));
        let mut spans: Vec<Span> = Vec::with_capacity(own.len());
        for task in own {
            let from = (task.at - start.at) / 1_000.0;
            if let Some(before) = spans.last_mut()
                && from < before.to
            {
                before.to = from - 0.001;
            }
            let to = from + task.duration / 1_000.0;
            spans.push(Span { from, to });
        }
        spans
    }

    /// Layout shifts without recent input. Setting the viewport counts as input in Chromium: up to the first unmarked
    /// shift, marked ones within 500 ms of it count too.
    fn shifts(&mut self, start: f64) -> Vec<Shift> {
        self.shifts
            .sort_by(|one, other| one.at.total_cmp(&other.at));
        let viewport = self.viewport.unwrap_or(start);
        let mut respected = false;
        let mut counted = Vec::new();
        for shift in self.shifts.iter().filter(|it| it.at >= start) {
            if !shift.after_input {
                respected = true;
            } else if respected || shift.at - viewport > VIEWPORT_SHIFT_WINDOW {
                continue;
            }
            counted.push(Shift {
                at: (shift.at - start) / 1_000.0,
                score: shift.score,
            });
        }
        counted
    }

    fn frames(&mut self, start: f64) -> Vec<Frame> {
        self.screenshots
            .sort_by(|one, other| one.0.total_cmp(&other.0));
        let pictures = std::mem::take(&mut self.screenshots);
        let shown = pictures.into_iter().filter(|it| it.0 >= start);
        shown
            .map(|(at, colours)| Frame {
                at: (at - start) / 1_000.0,
                colors: colours,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
