//! How far an audit is: bars on a terminal, a line now and then elsewhere.

use super::{journal::FileJournal, kept_site::KeptSite};
use crate::terminal::{progress_bar, remark};
use analysis::observation::web_site::CrawlStep;
use async_trait::async_trait;
use domain::ports::site_reader::{
    Continue, CrawlJournal, CrawlProgress, EarlierPages, JournalError, NoEarlierPages, RecordedStep,
};
use indicatif::{MultiProgress, ProgressBar};
use std::{
    io::IsTerminal,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How often a line tells the progress where there is no terminal for bars.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Progress on the terminal, and a journal for as long as the audit takes.
pub(super) struct Bars {
    pub(super) journal: FileJournal,
    /// What the audit before has left.
    kept: Option<Arc<KeptSite>>,
    all: MultiProgress,
    pages: ProgressBar,
    checks: ProgressBar,
    /// The last line that was written, where bars cannot be drawn.
    last_line: Option<Mutex<LastLine>>,
}

/// A line that was written, and what was heard since.
struct LastLine {
    at: Instant,
    told: CrawlProgress,
    heard: CrawlProgress,
}

impl Bars {
    pub(super) fn new(kept: Option<Arc<KeptSite>>) -> anyhow::Result<Self> {
        let all = MultiProgress::new();
        let pages = all.add(progress_bar("read pages"));
        let checks = all.add(progress_bar("check links"));
        let is_drawn = std::io::stderr().is_terminal();
        Ok(Self {
            journal: FileJournal::new()?,
            kept,
            all,
            pages,
            checks,
            last_line: (!is_drawn).then(|| {
                Mutex::new(LastLine {
                    at: Instant::now(),
                    told: CrawlProgress::default(),
                    heard: CrawlProgress::default(),
                })
            }),
        })
    }

    /// A line now and then, for logs of CI systems.
    fn tell(&self, progress: CrawlProgress) {
        let Some(last) = &self.last_line else { return };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        last.heard = progress;
        if last.at.elapsed() >= BETWEEN_LINES {
            last.write();
        }
    }

    pub(super) fn clear(&self) {
        self.pages.finish_and_clear();
        self.checks.finish_and_clear();
        let _ = self.all.clear();
        if let Some(last) = &self.last_line {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            // Where there were lines, the last one says where it ended.
            if last.told != CrawlProgress::default() && last.told != last.heard {
                last.write();
            }
        }
    }
}

impl LastLine {
    fn write(&mut self) {
        (self.at, self.told) = (Instant::now(), self.heard);
        remark(line(self.heard));
    }
}

fn line(progress: CrawlProgress) -> String {
    format!(
        "{} of {} known pages read, {} of {} further link targets checked",
        progress.pages_done, progress.pages_total, progress.checks_done, progress.checks_total
    )
}

#[async_trait]
impl CrawlJournal for Bars {
    async fn recorded(&self, behind: Option<i64>) -> Result<Vec<RecordedStep>, JournalError> {
        tokio::task::block_in_place(|| self.journal.recorded(behind))
    }

    async fn record(&self, steps: &[CrawlStep]) -> Result<Continue, JournalError> {
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
        self.tell(progress);
        self.pages.set_length(progress.pages_total);
        self.pages.set_position(progress.pages_done);
        self.checks.set_length(progress.checks_total);
        self.checks.set_position(progress.checks_done);
    }
}
