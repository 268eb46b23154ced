//! Tells what a project has of Search Console, and how fetching it goes.

use crate::{
    ids::{AccountId, ProjectId},
    ports::storage::{Storage, StorageError},
    search_console::{Binding, Cut, Origin, Span, StoredSpan},
};
use chrono::{DateTime, Utc};
use std::{collections::BTreeMap, sync::Arc};

pub struct ReadConsoleState {
    storage: Arc<dyn Storage>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsoleState {
    pub binding: Option<Binding>,
    /// What was imported, by cut: days that were told one by one together, periods each for itself.
    pub imported: Vec<ImportedSpan>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedSpan {
    pub cut: Cut,
    pub span: Span,
    /// How many days are told one by one between these; `None` for a period told as a whole.
    pub days: Option<u64>,
    pub rows: u64,
    /// Where the newest come from.
    pub origin: Origin,
    pub label: String,
    pub imported_at: DateTime<Utc>,
}

impl ReadConsoleState {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// `None` when the account has no such project.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<ConsoleState>, StorageError> {
        let mut read = self.storage.read().await?;
        if read.projects().find(account, project).await?.is_none() {
            return Ok(None);
        }
        let binding = read.console_bindings().find(account, project).await?;
        // All of them: no day of theirs is before that one, which every database holds.
        let all = DateTime::UNIX_EPOCH.date_naive();
        let spans = read.console_rows().spans(account, project, all).await?;
        Ok(Some(ConsoleState {
            binding,
            imported: summed_up(spans),
        }))
    }
}

fn summed_up(spans: Vec<StoredSpan>) -> Vec<ImportedSpan> {
    let mut days: BTreeMap<Cut, ImportedSpan> = BTreeMap::new();
    let mut periods = Vec::new();
    for it in spans {
        let told = ImportedSpan {
            cut: it.cut,
            span: it.span,
            days: it.span.is_day().then_some(1),
            rows: it.rows,
            origin: it.origin,
            label: it.label,
            imported_at: it.imported_at,
        };
        match days.get_mut(&it.cut) {
            _ if !it.span.is_day() => periods.push(told),
            None => {
                days.insert(it.cut, told);
            }
            Some(sum) => {
                sum.span.first = sum.span.first.min(told.span.first);
                sum.span.last = sum.span.last.max(told.span.last);
                sum.days = sum.days.map(|it| it + 1);
                sum.rows += told.rows;
                if told.imported_at >= sum.imported_at {
                    sum.origin = told.origin;
                    sum.label = told.label;
                    sum.imported_at = told.imported_at;
                }
            }
        }
    }
    days.into_values().chain(periods).collect()
}
