use super::{earlier::StoredPages, progress::progress};
use crate::Tools;
use crate::attempt_state::{AttemptState, Broken, Done, unreachable};
use crate::packing::{packed, unpacked};
use analysis::observation::web_site::CrawlStep;
use async_trait::async_trait;
use domain::job::Job;
use domain::job::progress::Progress;
use domain::ports::site_reader::{
    Continue, CrawlJournal, CrawlProgress, EarlierPages, JournalError, RecordedStep, SiteReadError,
};
use domain::ports::storage::StorageError;
use domain::results::JournalEntry;
use domain::use_cases::Core;
use domain::use_cases::end_attempt::{AttemptEnd, AttemptError};
use domain::use_cases::keep_leases::{Hold, HoldError};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The crawl journal, stored under the job's lease.
pub(super) struct StoredJournal<'a> {
    job: &'a Job,
    state: &'a AttemptState,
    core: &'a Core,
    next: AtomicI64,
    broke: Mutex<Option<HoldError>>,
    kept: StoredPages,
    crawl: Mutex<CrawlProgress>,
    looked_at: AtomicU64,
}

impl<'a> StoredJournal<'a> {
    pub(super) fn new(tools: &'a Tools, job: &'a Job, state: &'a AttemptState) -> Self {
        Self {
            job,
            state,
            core: &tools.core,
            next: AtomicI64::new(0),
            broke: Mutex::default(),
            kept: StoredPages::of(tools, job),
            crawl: Mutex::default(),
            looked_at: AtomicU64::new(0),
        }
    }

    pub(super) fn looked_at(&self, pages: usize) {
        self.looked_at.fetch_add(pages as u64, Ordering::SeqCst);
        self.tell();
    }

    fn tell(&self) {
        let crawl = *self.crawl.lock().unwrap_or_else(PoisonError::into_inner);
        let looked_at = self.looked_at.load(Ordering::SeqCst);
        self.state.note(progress(&crawl, looked_at));
    }

    pub(super) const fn kept(&self) -> &StoredPages {
        &self.kept
    }

    pub(super) fn progress(&self) -> Progress {
        self.state.progress()
    }

    pub(super) fn explain(&self, error: SiteReadError) -> Result<Done, Broken> {
        if let Some(broke) = self
            .broke
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            return Err(broke.into());
        }
        let later = |error| Ok(Done::End(AttemptEnd::Later { error, asked: None }));
        match error {
            SiteReadError::Stopped => Ok(Done::Stopped),
            SiteReadError::NoPage(told) => later(AttemptError {
                code: "startPageUnreadable".to_owned(),
                detail: format!("The start page cannot be read: {told}."),
                hint: Some("Mend the start page, or name another host as the project's domain; it is tried again by itself.".to_owned()),
            }),
            SiteReadError::Unreachable(unreached) => Ok(Done::End(unreachable(unreached))),
            SiteReadError::RobotsUnavailable => later(AttemptError {
                code: "robotsUnavailable".to_owned(),
                detail: "robots.txt cannot be had: the server fails or does not answer. Until then nothing may be read.".to_owned(),
                hint: Some("Let robots.txt be answered, or with 404 where there is none; it is tried again by itself.".to_owned()),
            }),
            SiteReadError::DisallowedByRobots => Ok(Done::End(AttemptEnd::Failed(AttemptError {
                code: "robotsDisallowed".to_owned(),
                detail: "robots.txt does not allow reading the site.".to_owned(),
                hint: Some("Allow the agent `sightlinebot` in robots.txt, then start the analysis again.".to_owned()),
            }))),
            SiteReadError::Journal(error) => Err(StorageError::Unavailable(error.0).into()),
        }
    }
}

#[async_trait]
impl CrawlJournal for StoredJournal<'_> {
    async fn recorded(&self, behind: Option<i64>) -> Result<Vec<RecordedStep>, JournalError> {
        let entries = self
            .core
            .journal(Hold::of(self.job), behind)
            .await
            .map_err(|error| JournalError(error.into()))?;
        if let Some(last) = entries.last() {
            self.next.fetch_max(last.sequence + 1, Ordering::SeqCst);
        }
        let read = |entry: &JournalEntry| {
            Ok(RecordedStep {
                place: entry.sequence,
                step: unpacked(&entry.body)?,
            })
        };
        tokio::task::block_in_place(|| entries.iter().map(read).collect())
    }

    async fn record(&self, steps: &[CrawlStep]) -> Result<Continue, JournalError> {
        let mut entries = Vec::with_capacity(steps.len());
        for step in steps {
            entries.push(JournalEntry {
                sequence: self.next.fetch_add(1, Ordering::SeqCst),
                body: packed(step),
            });
        }
        match self
            .core
            .add_to_journal(Hold::of(self.job), &entries, &self.progress())
            .await
        {
            Ok(go_on) => {
                self.state.heed(go_on);
                self.state.advance();
                Ok(if self.state.stop.is_cancelled() {
                    Continue::No
                } else if self.state.is_asked_to_yield() {
                    Continue::NoFurther
                } else {
                    Continue::Yes
                })
            }
            Err(error) => {
                *self.broke.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Ok(Continue::No)
            }
        }
    }

    fn earlier(&self) -> &dyn EarlierPages {
        &self.kept
    }

    fn progress(&self, progress: CrawlProgress) {
        *self.crawl.lock().unwrap_or_else(PoisonError::into_inner) = progress;
        self.tell();
    }
}
