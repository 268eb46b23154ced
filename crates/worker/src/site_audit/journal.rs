use super::{earlier::StoredPages, progress::progress};
use crate::WorkerContext;
use crate::attempt_state::{AttemptFailure, AttemptOutcome, AttemptState, unreachable};
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
use domain::use_cases::leases::{LeaseError, LeaseToken};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The crawl journal, stored under the job's lease.
pub(super) struct StoredJournal<'a> {
    job: &'a Job,
    state: &'a AttemptState,
    core: &'a Core,
    next: AtomicI64,
    lease_error: Mutex<Option<LeaseError>>,
    kept: StoredPages,
    crawl: Mutex<CrawlProgress>,
    evaluated_pages: AtomicU64,
}

impl<'a> StoredJournal<'a> {
    pub(super) fn new(tools: &'a WorkerContext, job: &'a Job, state: &'a AttemptState) -> Self {
        Self {
            job,
            state,
            core: &tools.core,
            next: AtomicI64::new(0),
            lease_error: Mutex::default(),
            kept: StoredPages::of(tools, job),
            crawl: Mutex::default(),
            evaluated_pages: AtomicU64::new(0),
        }
    }

    pub(super) fn add_evaluated_pages(&self, pages: usize) {
        self.evaluated_pages
            .fetch_add(pages as u64, Ordering::SeqCst);
        self.update_progress();
    }

    fn update_progress(&self) {
        let crawl = *self.crawl.lock().unwrap_or_else(PoisonError::into_inner);
        let looked_at = self.evaluated_pages.load(Ordering::SeqCst);
        self.state.set_progress(progress(&crawl, looked_at));
    }

    pub(super) const fn kept(&self) -> &StoredPages {
        &self.kept
    }

    pub(super) fn progress(&self) -> Progress {
        self.state.progress()
    }

    pub(super) fn explain(&self, error: SiteReadError) -> Result<AttemptOutcome, AttemptFailure> {
        if let Some(lease_error) = self
            .lease_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            return Err(lease_error.into());
        }
        let later = |error| {
            Ok(AttemptOutcome::End(AttemptEnd::Retry {
                error,
                requested_delay: None,
            }))
        };
        match error {
            SiteReadError::Stopped => Ok(AttemptOutcome::Stopped),
            SiteReadError::NoPage(cause) => later(AttemptError {
                code: "startPageUnreadable".to_owned(),
                detail: format!("The start page cannot be read: {cause}."),
                hint: Some("Fix the start page, or set another host as the project's domain; it is retried automatically.".to_owned()),
            }),
            SiteReadError::Unreachable(unreached) => Ok(AttemptOutcome::End(unreachable(unreached))),
            SiteReadError::RobotsUnavailable => later(AttemptError {
                code: "robotsUnavailable".to_owned(),
                detail: "robots.txt cannot be read: the server fails or does not answer. Until then nothing may be read.".to_owned(),
                hint: Some("Let the server answer robots.txt, with 404 if there is none; it is retried automatically.".to_owned()),
            }),
            SiteReadError::DisallowedByRobots => Ok(AttemptOutcome::End(AttemptEnd::Failed(AttemptError {
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
            .journal(LeaseToken::of(self.job), behind)
            .await
            .map_err(|error| JournalError(error.into()))?;
        if let Some(last) = entries.last() {
            self.next.fetch_max(last.sequence + 1, Ordering::SeqCst);
        }
        let read = |entry: &JournalEntry| {
            Ok(RecordedStep {
                sequence: entry.sequence,
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
            .add_to_journal(LeaseToken::of(self.job), &entries, &self.progress())
            .await
        {
            Ok(go_on) => {
                self.state.apply(go_on);
                self.state.mark_progress_stored();
                Ok(if self.state.stop.is_cancelled() {
                    Continue::No
                } else if self.state.is_yield_requested() {
                    Continue::NoNewRequests
                } else {
                    Continue::Yes
                })
            }
            Err(error) => {
                *self
                    .lease_error
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner) = Some(error);
                Ok(Continue::No)
            }
        }
    }

    fn earlier(&self) -> &dyn EarlierPages {
        &self.kept
    }

    fn progress(&self, progress: CrawlProgress) {
        *self.crawl.lock().unwrap_or_else(PoisonError::into_inner) = progress;
        self.update_progress();
    }
}
