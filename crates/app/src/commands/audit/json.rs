//! An audit as JSON, written as it comes: `{url, measuredAt, items, summary}`.

use super::findings::Found;
use analysis::findings::site_audit::PageRecord;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use std::io::Write;

/// A report under way.
pub(super) struct Report<W> {
    out: W,
    is_first: bool,
}

impl<W: Write> Report<W> {
    /// With its head.
    pub(super) fn begin(mut out: W, url: &str, at: DateTime<Utc>) -> anyhow::Result<Self> {
        let (url, at) = (json!(url), json!(at));
        write!(out, "{{\"url\":{url},\"measuredAt\":{at},\"items\":[")?;
        Ok(Self {
            out,
            is_first: true,
        })
    }

    /// A record of a page; its `type` says of which kind.
    pub(super) fn add(&mut self, record: &PageRecord) -> anyhow::Result<()> {
        self.item(record.record.as_str())
    }

    fn item(&mut self, text: &str) -> anyhow::Result<()> {
        let comma = if self.is_first { "" } else { "," };
        self.is_first = false;
        Ok(write!(self.out, "{comma}{text}")?)
    }

    /// The records of links, and what all types come to.
    pub(super) fn end(mut self, found: &Found) -> anyhow::Result<()> {
        for record in found.link_records.texts() {
            self.item(&record?)?;
        }
        let mut summary = Map::new();
        for of in &found.summaries {
            let value: Value = of.summary.parse()?;
            summary.insert(of.result_type.name().to_owned(), typed(of.method, value));
        }
        writeln!(self.out, "],\"summary\":{}}}", Value::Object(summary))?;
        Ok(())
    }
}

/// A summary, with the method that it follows.
fn typed(method: &str, mut summary: Value) -> Value {
    summary["methodVersion"] = method.into();
    summary
}
