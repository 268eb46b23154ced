//! An audit as JSON `{url, measuredAt, items, summary}`, written to a temporary file and printed when complete.

use super::findings::AuditFindings;
use crate::terminal::print_all;
use analysis::findings::site_collector::PageRecord;
use anyhow::Context;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{BufWriter, Seek, Write};

const WRITE_FAILURE: &str = "cannot write the report to the directory for temporary files (TMPDIR)";

pub(super) struct JsonReport {
    out: BufWriter<File>,
    is_first: bool,
}

pub(super) struct FinishedReport(File);

impl JsonReport {
    pub(super) fn start(url: &str, at: DateTime<Utc>) -> anyhow::Result<Self> {
        let file = tempfile::tempfile();
        let file =
            file.context("cannot create a temporary file: set TMPDIR to a writable directory")?;
        let mut out = BufWriter::new(file);
        let (url, at) = (json!(url), json!(at));
        write!(out, "{{\"url\":{url},\"measuredAt\":{at},\"items\":[")?;
        Ok(Self {
            out,
            is_first: true,
        })
    }

    pub(super) fn add(&mut self, record: &PageRecord) -> anyhow::Result<()> {
        self.write_item(record.record.as_str())
    }

    fn write_item(&mut self, text: &str) -> anyhow::Result<()> {
        let comma = if self.is_first { "" } else { "," };
        self.is_first = false;
        write!(self.out, "{comma}{text}").context(WRITE_FAILURE)
    }

    pub(super) fn finish(mut self, found: &AuditFindings) -> anyhow::Result<FinishedReport> {
        for record in found.link_records.texts() {
            self.write_item(&record?)?;
        }
        let mut summary = Map::new();
        for summary_of_type in &found.summaries {
            let value: Value = summary_of_type.summary.parse()?;
            summary.insert(
                summary_of_type.result_type.name().to_owned(),
                with_method_version(summary_of_type.method, value),
            );
        }
        writeln!(self.out, "],\"summary\":{}}}", Value::Object(summary))?;
        let file = self.out.into_inner().map_err(std::io::Error::from);
        let mut file = file.context(WRITE_FAILURE)?;
        file.rewind()?;
        Ok(FinishedReport(file))
    }
}

impl FinishedReport {
    pub(super) fn print(mut self) {
        print_all(&mut self.0);
    }
}

fn with_method_version(method: &str, mut summary: Value) -> Value {
    summary["methodVersion"] = method.into();
    summary
}
