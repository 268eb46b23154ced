//! The crawl journal of an audit without a database: a temporary file.

use analysis::document::{FromJson, ToJson};
use analysis::observation::web_site::CrawlStep;
use anyhow::Context;
use domain::ports::site_reader::{JournalError, RecordedStep};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};

/// A page takes some 50 KB, at most a hundred times that, and several times its size in memory.
const STEP_BATCH: usize = 10;
const LENGTH_BYTES: usize = 4;

/// Steps, each after its length.
pub struct FileJournal {
    file: File,
    end: Mutex<u64>,
}

impl FileJournal {
    pub fn new() -> anyhow::Result<Self> {
        let file = tempfile::tempfile();
        let file =
            file.context("cannot create a temporary file: set TMPDIR to a writable directory")?;
        Ok(Self {
            file,
            end: Mutex::new(0),
        })
    }

    pub fn append(&self, steps: &[CrawlStep]) -> Result<(), JournalError> {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = Vec::new();
        for step in steps {
            let from = bytes.len();
            bytes.extend([0; LENGTH_BYTES]);
            bytes.extend(step.to_json().as_bytes());
            let length = u32::try_from(bytes.len() - from - LENGTH_BYTES).map_err(journal_error)?;
            bytes[from..from + LENGTH_BYTES].copy_from_slice(&length.to_be_bytes());
        }
        self.file
            .write_all_at(&bytes, *end)
            .map_err(journal_error)?;
        *end += bytes.len() as u64;
        Ok(())
    }

    /// The next steps after the byte offset at which a step ends.
    pub fn read_after(&self, after: Option<i64>) -> Result<Vec<RecordedStep>, JournalError> {
        let end = *self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let mut at = after.map_or(Ok(0), u64::try_from).map_err(journal_error)?;
        let mut steps = Vec::new();
        while at < end && steps.len() < STEP_BATCH {
            let mut length = [0; LENGTH_BYTES];
            self.file
                .read_exact_at(&mut length, at)
                .map_err(journal_error)?;
            let mut body = vec![0; u32::from_be_bytes(length) as usize];
            self.file
                .read_exact_at(&mut body, at + LENGTH_BYTES as u64)
                .map_err(journal_error)?;
            at += (LENGTH_BYTES + body.len()) as u64;
            steps.push(RecordedStep {
                sequence: i64::try_from(at).map_err(journal_error)?,
                step: CrawlStep::from_json(&body).map_err(journal_error)?,
            });
        }
        Ok(steps)
    }
}

fn journal_error(error: impl std::error::Error + Send + Sync + 'static) -> JournalError {
    JournalError(error.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::observation::web_site::LimitHit;

    #[test]
    fn steps_are_read_in_order_and_in_batches() {
        let journal = FileJournal::new().unwrap();
        let limit = |n: usize| CrawlStep::Limit([LimitHit::MaxPages, LimitHit::MaxDepth][n % 2]);
        let all: Vec<CrawlStep> = (0..STEP_BATCH + 3).map(limit).collect();
        journal.append(&all[..5]).unwrap();
        journal.append(&all[5..]).unwrap();
        let mut read = Vec::new();
        let mut behind = None;
        loop {
            let part = journal.read_after(behind).unwrap();
            let Some(last) = part.last() else { break };
            behind = Some(last.sequence);
            read.extend(part.into_iter().map(|it| it.step));
        }
        assert_eq!(read, all);
    }
}
