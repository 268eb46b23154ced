//! How far an audit is: bars on a terminal, a line now and then elsewhere.

use super::journal::FileJournal;
use crate::terminal::{progress_bar, remark};
use analysis::observation::web_site::CrawlStep;
use async_trait::async_trait;
use domain::ports::site_reader::{
    Continue, CrawlJournal, CrawlProgress, JournalError, RecordedStep,
};
use indicatif::{MultiProgress, ProgressBar};
use std::{
    io::IsTerminal,
    sync::Mutex,
    time::{Duration, Instant},
};

/// How often a line tells the progress where there is no terminal for bars.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Progress on the terminal, and a journal for as long as the audit takes.
pub(super) struct Bars {
    pub(super) journal: FileJournal,
    all: MultiProgress,
    pages: ProgressBar,
    checks: ProgressBar,
    /// When the last line was written, where bars cannot be drawn.
    last_line: Option<Mutex<Instant>>,
}

impl Bars {
    pub(super) fn new() -> anyhow::Result<Self> {
        let all = MultiProgress::new();
        let pages = all.add(progress_bar("read pages"));
        let checks = all.add(progress_bar("check links"));
        let is_drawn = std::io::stderr().is_terminal();
        Ok(Self {
            journal: FileJournal::new()?,
            all,
            pages,
            checks,
            last_line: (!is_drawn).then(|| Mutex::new(Instant::now())),
        })
    }

    /// A line now and then, for logs of CI systems.
    fn tell(&self, progress: CrawlProgress) {
        let Some(last) = &self.last_line else { return };
        let Ok(mut last) = last.try_lock() else {
            return;
        };
        if last.elapsed() >= BETWEEN_LINES {
            *last = Instant::now();
            remark(format!(
                "{} of {} known pages read, {} of {} further link targets checked",
                progress.pages_done,
                progress.pages_total,
                progress.checks_done,
                progress.checks_total
            ));
        }
    }

    pub(super) fn clear(&self) {
        self.pages.finish_and_clear();
        self.checks.finish_and_clear();
        let _ = self.all.clear();
    }
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

    fn progress(&self, progress: CrawlProgress) {
        self.tell(progress);
        self.pages.set_length(progress.pages_total);
        self.pages.set_position(progress.pages_done);
        self.checks.set_length(progress.checks_total);
        self.checks.set_position(progress.checks_done);
    }
}
