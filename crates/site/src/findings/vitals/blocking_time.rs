//! Time to Interactive, and the blocking time until then (web.dev, "Total Blocking Time" and "Time
//! to Interactive"; computed as in `core/computed/metrics/` of the npm package `lighthouse` 12.8.2).

/// A time interval, ms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    pub from: f64,
    pub to: f64,
}

impl Span {
    fn length(self) -> f64 {
        self.to - self.from
    }
}

/// Minimum duration of a long task, ms.
const LONG_TASK_MS: f64 = 50.0;

/// Required quiet time, ms.
pub const QUIET_MS: f64 = 5_000.0;

/// Maximum requests in flight in a quiet network.
const MAX_QUIET_REQUESTS: u32 = 2;

/// The activity of a page load, in ms after navigation start.
#[derive(Debug, Clone, PartialEq)]
pub struct Activity<'a> {
    pub fcp: f64,
    /// When the document's parser and its deferred scripts were done.
    pub dom_content_loaded: f64,
    /// When the trace ended.
    pub end: f64,
    /// The main thread's tasks, in order, not overlapping.
    pub tasks: &'a [Span],
    /// Successful GET requests, in any order.
    pub requests: &'a [Span],
}

/// When the page became interactive: the start of the first 5 s without long tasks that overlap 5 s
/// with at most two requests in flight, not before the first paint. `None` if the trace ended before
/// that.
pub fn time_to_interactive(load: &Activity<'_>) -> Option<f64> {
    let is_long_enough = |it: &Span| it.to > load.fcp + QUIET_MS && it.length() >= QUIET_MS;
    let cpu = quiet_cpu(load);
    let network = quiet_network(load.requests, load.end);
    let mut cpu = cpu.into_iter().filter(is_long_enough);
    let mut network = network.into_iter().filter(is_long_enough);
    let (mut cpu_gap, mut network_gap) = (cpu.next()?, network.next()?);
    loop {
        if cpu_gap.from >= network_gap.from {
            if network_gap.to >= cpu_gap.from + QUIET_MS {
                break;
            }
            network_gap = network.next()?;
        } else {
            if cpu_gap.to >= network_gap.from + QUIET_MS {
                break;
            }
            cpu_gap = cpu.next()?;
        }
    }
    Some(cpu_gap.from.max(load.fcp).max(load.dom_content_loaded))
}

fn quiet_cpu(load: &Activity<'_>) -> Vec<Span> {
    let mut gaps = Vec::new();
    let mut from = f64::NEG_INFINITY;
    for task in load.tasks.iter().filter(|it| it.length() >= LONG_TASK_MS) {
        gaps.push(Span {
            from,
            to: task.from,
        });
        from = task.to;
    }
    gaps.push(Span { from, to: load.end });
    gaps
}

/// Intervals with at most two requests in flight.
fn quiet_network(requests: &[Span], end: f64) -> Vec<Span> {
    let begins = requests.iter().map(|it| (it.from, true));
    let ends = requests.iter().map(|it| (it.to, false));
    let mut events: Vec<(f64, bool)> = begins.chain(ends).filter(|it| it.0 <= end).collect();
    events.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut under_way, mut since, mut quiet) = (0_u32, Some(f64::NEG_INFINITY), Vec::new());
    for (at, begins) in events {
        if begins {
            under_way += 1;
            if under_way > MAX_QUIET_REQUESTS
                && let Some(from) = since.take()
            {
                quiet.push(Span { from, to: at });
            }
        } else {
            under_way = under_way.saturating_sub(1);
            if under_way <= MAX_QUIET_REQUESTS {
                since.get_or_insert(at);
            }
        }
    }
    quiet.extend(since.map(|from| Span { from, to: end }));
    quiet
}

/// Sum over tasks, clipped to first paint and time to interactive, of the time beyond 50 ms.
pub fn total_blocking_time(tasks: &[Span], fcp: f64, tti: f64) -> f64 {
    if tti <= fcp {
        return 0.0;
    }
    let inside = tasks.iter().map(|task| Span {
        from: task.from.max(fcp),
        to: task.to.min(tti),
    });
    // An empty float sum is −0.
    inside.fold(0.0, |sum, it| sum + (it.length() - LONG_TASK_MS).max(0.0))
}
