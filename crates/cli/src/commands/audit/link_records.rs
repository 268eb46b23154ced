//! Link records on disk: they arrive page by page and are printed by severity.

use analysis::document::FromJson;
use analysis::findings::broken_links::{BrokenLink, Severity};
use analysis::findings::site_collector::PageRecord;
use anyhow::Context;
use serde::Deserialize;
use std::{fs::File, os::unix::fs::FileExt};

/// Records in a temporary file; their locations in memory.
pub(super) struct LinkRecords {
    file: File,
    end: u64,
    records: Vec<RecordLocation>,
}

/// The order of the fields is the sort order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RecordLocation {
    severity: Severity,
    ordinal: usize,
    start: u64,
    length: u32,
}

#[derive(Deserialize)]
struct RecordSeverity {
    severity: Severity,
}

analysis::json!(read: RecordSeverity);

impl LinkRecords {
    pub(super) fn new() -> anyhow::Result<Self> {
        let file = tempfile::tempfile();
        Ok(Self {
            file: file
                .context("cannot create a temporary file: set TMPDIR to a writable directory")?,
            end: 0,
            records: Vec::new(),
        })
    }

    pub(super) fn add(&mut self, record: &PageRecord) -> anyhow::Result<()> {
        let severity = record.record.parse::<RecordSeverity>()?.severity;
        let text = record.record.as_str().as_bytes();
        let written = self.file.write_all_at(text, self.end);
        written
            .context("cannot write findings to the directory for temporary files (TMPDIR): check its free space")?;
        self.records.push(RecordLocation {
            severity,
            ordinal: record.ordinal,
            start: self.end,
            length: u32::try_from(text.len())?,
        });
        self.end += text.len() as u64;
        Ok(())
    }

    pub(super) fn sort(&mut self) {
        self.records.sort_unstable();
    }

    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    pub(super) fn count(&self, severity: Severity) -> usize {
        let records = self.records.iter();
        records.filter(|it| it.severity == severity).count()
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = anyhow::Result<String>> {
        self.records.iter().map(|it| self.text(it))
    }

    pub(super) fn first(&self, limit: usize) -> anyhow::Result<Vec<BrokenLink>> {
        self.records
            .iter()
            .take(limit)
            .map(|it| self.record(it))
            .collect()
    }

    pub(super) fn first_with_severity(
        &self,
        severity: Severity,
        limit: usize,
    ) -> anyhow::Result<Vec<BrokenLink>> {
        let records = self.records.iter().filter(|it| it.severity == severity);
        records.take(limit).map(|it| self.record(it)).collect()
    }

    fn record(&self, stored: &RecordLocation) -> anyhow::Result<BrokenLink> {
        Ok(BrokenLink::from_json(self.text(stored)?.as_bytes())?)
    }

    fn text(&self, stored: &RecordLocation) -> anyhow::Result<String> {
        let mut text = vec![0; stored.length as usize];
        self.file.read_exact_at(&mut text, stored.start)?;
        Ok(String::from_utf8(text)?)
    }
}
