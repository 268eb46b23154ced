//! An audit as JSON `{url, measuredAt, items, summary}`, written to a temporary file and printed when complete.

use super::findings::Found;
use crate::terminal::say_all;
use analysis::findings::site_cards::PageRecord;
use anyhow::Context;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{BufWriter, Seek, Write};

const FULL: &str =
    "what the audit tells cannot be written into the folder for passing files (TMPDIR)";

pub(super) struct Report {
    out: BufWriter<File>,
    is_first: bool,
}

pub(super) struct Whole(File);

impl Report {
    pub(super) fn begin(url: &str, at: DateTime<Utc>) -> anyhow::Result<Self> {
        let file = tempfile::tempfile();
        let file = file.context("no file can be made for what the audit tells; set TMPDIR")?;
        let mut out = BufWriter::new(file);
        let (url, at) = (json!(url), json!(at));
        write!(out, "{{\"url\":{url},\"measuredAt\":{at},\"items\":[")?;
        Ok(Self {
            out,
            is_first: true,
        })
    }

    pub(super) fn add(&mut self, record: &PageRecord) -> anyhow::Result<()> {
        self.item(record.record.as_str())
    }

    fn item(&mut self, text: &str) -> anyhow::Result<()> {
        let comma = if self.is_first { "" } else { "," };
        self.is_first = false;
        write!(self.out, "{comma}{text}").context(FULL)
    }

    pub(super) fn end(mut self, found: &Found) -> anyhow::Result<Whole> {
        for record in found.link_records.texts() {
            self.item(&record?)?;
        }
        let mut summary = Map::new();
        for of in &found.summaries {
            let value: Value = of.summary.parse()?;
            summary.insert(of.result_type.name().to_owned(), typed(of.method, value));
        }
        writeln!(self.out, "],\"summary\":{}}}", Value::Object(summary))?;
        let file = self.out.into_inner().map_err(std::io::Error::from);
        let mut file = file.context(FULL)?;
        file.rewind()?;
        Ok(Whole(file))
    }
}

impl Whole {
    pub(super) fn print(mut self) {
        say_all(&mut self.0);
    }
}

fn typed(method: &str, mut summary: Value) -> Value {
    summary["methodVersion"] = method.into();
    summary
}
