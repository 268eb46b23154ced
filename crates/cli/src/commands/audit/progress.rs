use super::{journal::FileJournal, kept_site::KeptSite};
use crate::terminal::{progress_bar, remark};
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

const BETWEEN_LINES: Duration = Duration::from_secs(10);
/// Longer delays between requests are reported.
const LONG_PAUSE: Duration = Duration::from_secs(1);

pub(super) struct Bars {
    pub(super) journal: FileJournal,
    kept: Option<Arc<KeptSite>>,
    all: MultiProgress,
    /// By the name of the part.
    shown: Mutex<Vec<(&'static str, ProgressBar)>>,
    last_line: Option<Mutex<LastLine>>,
}

struct LastLine {
    at: Instant,
    told: Option<Heard>,
    heard: Option<Heard>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Heard {
    part: &'static str,
    count: Count,
}

impl Bars {
    pub(super) fn new(kept: Option<Arc<KeptSite>>) -> anyhow::Result<Self> {
        let is_drawn = std::io::stderr().is_terminal();
        Ok(Self {
            journal: FileJournal::new()?,
            kept,
            all: MultiProgress::new(),
            shown: Mutex::default(),
            last_line: (!is_drawn).then(|| {
                Mutex::new(LastLine {
                    at: Instant::now(),
                    told: None,
                    heard: None,
                })
            }),
        })
    }

    /// Shows the progress of a part: as a bar, or without a terminal as a line now and then.
    pub(super) fn tell(&self, part: &'static str, count: Count) {
        self.draw(part, count);
        self.note(part, count);
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

    fn note(&self, part: &'static str, count: Count) {
        let Some(last) = &self.last_line else { return };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        // If lines were printed, each part ends with one.
        if last.heard.is_some_and(|it| it.part != part) {
            last.write_if_lines_are_written();
        }
        last.heard = Some(Heard { part, count });
        if last.at.elapsed() >= BETWEEN_LINES {
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
            last.write_if_lines_are_written();
        }
    }

    fn tell_pause(&self, robots: &RobotsFact) {
        let rules = RobotsRules::parse(&robots.text, &CrawlerSettings::default().product);
        let Some(asked) = rules.asked_delay.filter(|it| *it > LONG_PAUSE) else {
            return;
        };
        let kept = rules.delay.unwrap_or_default().as_secs_f64();
        let asked = asked.as_secs_f64();
        self.all.suspend(|| {
            remark(format!(
                "robots.txt asks for {asked} s between two requests; {kept} s are kept."
            ));
        });
    }
}

impl LastLine {
    fn write(&mut self) {
        (self.at, self.told) = (Instant::now(), self.heard);
        if let Some(Heard { part, count }) = self.heard {
            remark(format!("{part}: {} of {}", count.done, count.total));
        }
    }

    fn write_if_lines_are_written(&mut self) {
        if self.told.is_some() && self.told != self.heard {
            self.write();
        }
    }
}

#[async_trait]
impl CrawlJournal for Bars {
    async fn recorded(&self, behind: Option<i64>) -> Result<Vec<RecordedStep>, JournalError> {
        tokio::task::block_in_place(|| self.journal.recorded(behind))
    }

    async fn record(&self, steps: &[CrawlStep]) -> Result<Continue, JournalError> {
        for step in steps {
            if let CrawlStep::Robots(robots) = step {
                self.tell_pause(robots);
            }
        }
        tokio::task::block_in_place(|| self.journal.record(steps))?;
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
                self.note(phase.name(), count);
            }
        }
    }
}
