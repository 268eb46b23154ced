//! Metrics from a browser trace. Events are selected and evaluated as in `core/lib/tracehouse/trace-processor.js` and
//! `core/computed/metrics/` of the npm package `lighthouse` 12.8.2.

mod messages;

use analysis::findings::vitals::blocking_time::Span;
use analysis::findings::vitals::layout_shift::Shift;
use analysis::findings::vitals::speed_index::{Frame, Histogram, colours};
use base64::{Engine, engine::general_purpose::STANDARD};
use messages::{Args, Batch, Candidate, Navigation, Picture, Shifted, Wire, pixels};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

pub const CATEGORIES: [&str; 4] = [
    "loading",
    "blink.user_timing",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.screenshot",
];

/// Events kept per kind; no real load has more.
const MOST_EVENTS: usize = 200_000;

/// Chromium takes at most 450 screenshots.
const MOST_PICTURES: usize = 500;

/// µs after a viewport change in which shifts count although Chromium marks them as following input.
const AFTER_VIEWPORT: f64 = 500_000.0;

/// Relevant trace events; times in µs of the browser's clock.
#[derive(Debug, Default)]
pub struct Trace {
    frame: String,
    marks: Vec<Mark>,
    tasks: Vec<Task>,
    shifts: Vec<Moved>,
    pictures: Vec<(f64, Box<Histogram>)>,
    viewport: Option<f64>,
    end: f64,
}

#[derive(Debug, Clone, Copy)]
struct Mark {
    what: What,
    at: f64,
    process: i64,
    thread: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Navigation,
    ContentLoaded,
    FirstPaint,
    LargestPaint,
}

#[derive(Debug, Clone, Copy)]
struct Task {
    at: f64,
    lasts: f64,
    process: i64,
    thread: i64,
}

#[derive(Debug, Clone, Copy)]
struct Moved {
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
                self.note(&event);
            }
        }
    }

    fn note(&mut self, event: &Wire<'_>) {
        self.end = self.end.max(event.ts + event.dur);
        match &*event.name {
            "RunTask" if event.dur > 0.0 && self.tasks.len() < MOST_EVENTS => {
                self.tasks.push(Task {
                    at: event.ts,
                    lasts: event.dur,
                    process: event.pid,
                    thread: event.tid,
                });
            }
            "navigationStart" => {
                let is_page = |it: Navigation| it.document.starts_with("http");
                self.mark::<Navigation>(event, What::Navigation, is_page);
            }
            "domContentLoadedEventEnd" => {
                self.mark::<IgnoredAny>(event, What::ContentLoaded, |_| true);
            }
            "firstContentfulPaint" => self.mark::<IgnoredAny>(event, What::FirstPaint, |_| true),
            "largestContentfulPaint::Candidate" => {
                let is_one = |it: Candidate| it.size.is_some();
                self.mark::<Candidate>(event, What::LargestPaint, is_one);
            }
            "viewport" => {
                self.viewport.get_or_insert(event.ts);
            }
            "LayoutShift" => self.shift(event),
            "Screenshot" => self.picture(event),
            _ => {}
        }
    }

    fn mark<'a, D: Deserialize<'a>>(
        &mut self,
        event: &Wire<'a>,
        what: What,
        counts: impl FnOnce(D) -> bool,
    ) {
        let Some(args) = event.args else {
            return;
        };
        let Ok(args) = serde_json::from_str::<Args<D>>(args.get()) else {
            return;
        };
        let lenient = !matches!(what, What::Navigation | What::LargestPaint);
        let counts = args.data.map_or(lenient, counts);
        if args.frame == self.frame && counts && self.marks.len() < MOST_EVENTS {
            self.marks.push(Mark {
                what,
                at: event.ts,
                process: event.pid,
                thread: event.tid,
            });
        }
    }

    fn shift(&mut self, event: &Wire<'_>) {
        let args = event
            .args
            .and_then(|it| serde_json::from_str::<Args<Shifted>>(it.get()).ok());
        if let Some(data) = args.and_then(|it| it.data)
            && data.is_main_frame.is_some()
            && let Some(score) = data.weighted_score_delta
            && self.shifts.len() < MOST_EVENTS
        {
            self.shifts.push(Moved {
                at: event.ts,
                score,
                after_input: data.had_recent_input,
            });
        }
    }

    fn picture(&mut self, event: &Wire<'_>) {
        if self.pictures.len() >= MOST_PICTURES {
            return;
        }
        let colours = event
            .args
            .and_then(|it| serde_json::from_str::<Picture<'_>>(it.get()).ok())
            .and_then(|it| STANDARD.decode(it.snapshot.as_bytes()).ok())
            .and_then(|it| pixels(&it))
            .map(|it| colours(&it));
        if let Some(colours) = colours {
            self.pictures.push((event.ts, colours));
        }
    }

    /// The last navigation of the page; `None` without one.
    pub fn load(mut self) -> Option<Load> {
        self.marks.sort_by(|one, other| one.at.total_cmp(&other.at));
        let start = *self.marks.iter().rfind(|it| it.what == What::Navigation)?;
        let after = |at: f64| (at - start.at) / 1_000.0;
        let first = |what| {
            let mut marks = self.marks.iter();
            marks
                .find(|it| it.what == what && it.at > start.at)
                .map(|it| after(it.at))
        };
        let largest = self.marks.iter().rfind(|it| it.what == What::LargestPaint);
        Some(Load {
            origin: start.at / 1e6,
            fcp: first(What::FirstPaint),
            lcp: largest.filter(|it| it.at > start.at).map(|it| after(it.at)),
            content_loaded: first(What::ContentLoaded),
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
            let to = from + task.lasts / 1_000.0;
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
            } else if respected || shift.at - viewport > AFTER_VIEWPORT {
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
        self.pictures
            .sort_by(|one, other| one.0.total_cmp(&other.0));
        let pictures = std::mem::take(&mut self.pictures);
        let shown = pictures.into_iter().filter(|it| it.0 >= start);
        shown
            .map(|(at, colours)| Frame {
                at: (at - start) / 1_000.0,
                colours,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
