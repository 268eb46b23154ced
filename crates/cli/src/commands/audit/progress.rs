use super::{journal::FileJournal, kept_site::KeptSite};
use crate::terminal::{eprint_line, progress_bar};
use analysis::observation::web_site::{CrawlStep, RobotsFact};
use async_trait::async_trait;
use crawler::{CrawlerSettings, RobotsRules};
use domain::ports::site_reader::{
    Continue, Count, CrawlJournal, CrawlPhase, CrawlProgress, EarlierPages, JournalError,
    NoEarlierPages, RecordedStep,
};
use indicatif::{MultiProgress, ProgressBar};
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// Longer delays between requests are reported.
const MIN_REPORTED_DELAY: Duration = Duration::from_secs(1);

pub(super) struct ProgressBars {
    pub(super) journal: FileJournal,
    kept: Option<Arc<KeptSite>>,
    all: MultiProgress,
    /// By the name of the part.
    shown: Mutex<Vec<(&'static str, ProgressBar)>>,
    last_line: Option<Mutex<LineReport>>,
}

struct LineReport {
    at: Instant,
    reported: Option<PartProgress>,
    latest: Option<PartProgress>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct PartProgress {
    part: &'static str,
    count: Count,
}

impl ProgressBars {
    pub(super) fn new(kept: Option<Arc<KeptSite>>) -> anyhow::Result<Self> {
        let is_drawn = std::io::stderr().is_terminal();
        Ok(Self {
            journal: FileJournal::new()?,
            kept,
            all: MultiProgress::new(),
            shown: Mutex::default(),
            last_line: (!is_drawn).then(|| {
                Mutex::new(LineReport {
                    at: Instant::now(),
                    reported: None,
                    latest: None,
                })
            }),
        })
    }

    /// Shows the progress of a part: as a bar, or without a terminal as a line now and then.
    pub(super) fn update(&self, part: &'static str, count: Count) {
        self.draw(part, count);
        self.report_line(part, count);
    }

    fn draw(&self, part: &'static str, count: Count) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let place = shown.iter().position(|it| it.0 == part);
        let place = place.unwrap_or_else(|| {
            shown.push((part, self.all.add(progress_bar(part))));
            shown.len() - 1
        });
        let bar = &shown[place].1;
        bar.set_length(count.total);
        bar.set_position(count.done);
    }

    fn report_line(&self, part: &'static str, count: Count) {
        let Some(last) = &self.last_line else { return };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        // If lines were printed, each part ends with one.
        if last.latest.is_some_and(|it| it.part != part) {
            last.finish_part();
        }
        last.latest = Some(PartProgress { part, count });
        if last.at.elapsed() >= LINE_INTERVAL {
            last.write();
        }
    }

    pub(super) fn clear(&self) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, bar) in shown.drain(..) {
            bar.finish_and_clear();
        }
        let _ = self.all.clear();
        if let Some(last) = &self.last_line {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            last.finish_part();
        }
    }

    fn report_crawl_delay(&self, robots: &RobotsFact) {
        let rules = RobotsRules::parse(&robots.text, &CrawlerSettings::default().product);
        let Some(requested) = rules.requested_delay.filter(|it| *it > MIN_REPORTED_DELAY) else {
            return;
        };
        let kept = rules.delay.unwrap_or_default().as_secs_f64();
        let requested_seconds = requested.as_secs_f64();
        self.all.suspend(|| {
            eprint_line(format!(
                "robots.txt requests a crawl delay of {requested_seconds} s; {kept} s are used."
            ));
        });
    }
}

impl LineReport {
    fn write(&mut self) {
        (self.at, self.reported) = (Instant::now(), self.latest);
        if let Some(PartProgress { part, count }) = self.latest {
            eprint_line(format!("{part}: {} of {}", count.done, count.total));
        }
    }

    fn finish_part(&mut self) {
        if self.reported.is_some() && self.reported != self.latest {
            self.write();
        }
    }
}

#[async_trait]
impl CrawlJournal for ProgressBars {
    async fn recorded(&self, behind: Option<i64>) -> Result<Vec<RecordedStep>, JournalError> {
        tokio::task::block_in_place(|| self.journal.read_after(behind))
    }

    async fn record(&self, steps: &[CrawlStep]) -> Result<Continue, JournalError> {
        for step in steps {
            if let CrawlStep::Robots(robots) = step {
                self.report_crawl_delay(robots);
            }
        }
        tokio::task::block_in_place(|| self.journal.append(steps))?;
        Ok(Continue::Yes)
    }

    fn earlier(&self) -> &dyn EarlierPages {
        match &self.kept {
            Some(kept) => &**kept,
            None => &NoEarlierPages,
        }
    }

    fn progress(&self, progress: CrawlProgress) {
        for phase in CrawlPhase::ALL {
            let count = progress.of(phase);
            if count == Count::default() {
                continue;
            }
            self.draw(phase.name(), count);
            if phase == progress.phase {
                self.report_line(phase.name(), count);
            }
        }
    }
}
