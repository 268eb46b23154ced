use super::{CORRUPT, Pass};
use crate::{WorkerContext, attempt_state::AttemptOutcome};
use analysis::document::{Document, FromJson};
use analysis::events::{
    AlarmBudget, EventDraft, EventLimit, EventRun, VitalsMemory, tested_figures, vitals_events,
};
use analysis::findings::vitals::{METHOD, NO_BROWSER, VitalsRecord, VitalsSource, VitalsSummary};
use analysis::provenance::{Provenance, RecordStatus};
use analysis::result_type::ResultType;
use domain::job::Job;
use domain::ports::storage::StorageError;
use domain::results::{CarriedKind, ResultHead};
use domain::use_cases::end_attempt::{AttemptEnd, AttemptError};
use domain::use_cases::publish_results::JobResults;
use std::collections::BTreeSet;

const FIELD_NOT_CONFIGURED: &str = "fieldVitalsNotConfigured";
const LAB_NOT_CONFIGURED: &str = "labNotConfigured";
/// Error codes that describe the site, not a failed measurement.
const SITE_ERROR_CODES: [&str; 3] = ["robotsDisallowed", "pageStatus", "pageNotHtml"];
/// Maximum records kept for comparison; the limit also drops pages no longer measured.
const MAX_CARRIED: usize = 800;

pub(crate) async fn newest_vitals(
    tools: &WorkerContext,
    job: &Job,
) -> Result<Vec<VitalsRecord>, StorageError> {
    carried(tools, job, CarriedKind::Vitals).await
}

pub(super) async fn vitals_history(
    tools: &WorkerContext,
    job: &Job,
) -> Result<VitalsMemory, StorageError> {
    carried(tools, job, CarriedKind::VitalsHistory).await
}

async fn carried<T: FromJson + Default>(
    tools: &WorkerContext,
    job: &Job,
    of: CarriedKind,
) -> Result<T, StorageError> {
    let mut read = tools.core.storage.read().await?;
    let carried = { read.results() }
        .carried_over(job.account, job.project, of)
        .await?;
    let found = carried.map(|it| it.parse()).transpose();
    Ok(found.map_err(|_| CORRUPT)?.unwrap_or_default())
}

impl Pass<'_> {
    pub(super) fn sum_up(self) -> AttemptOutcome {
        let progress = self.progress(true);
        let requested = self.plan.tasks(self.job.project).len() as u64;
        let records: Vec<VitalsRecord> = self.records.into_values().collect();
        let summary = VitalsSummary::of(&records, requested);
        if !records.iter().any(is_meaningful) {
            return AttemptOutcome::End(AttemptEnd::Failed(nothing_measured(&records)));
        }
        let now = self.tools.core.clock.now();
        let head = ResultHead {
            account: self.job.account,
            project: self.job.project,
            result_type: ResultType::Vitals,
            job: self.job.id,
            generated_at: now,
            measured_at: records
                .iter()
                .map(|it| it.envelope.measured_at)
                .max()
                .unwrap_or(now),
            method_version: METHOD.to_owned(),
            provider: providers(&records),
            provenance: provenance(&records),
            coverage: summary.coverage,
            item_count: records.len() as u64,
            summary: Document::of(&summary),
            warnings: warnings(&records, self.plan.uses_field_data),
        };
        let mut history = self.history;
        let run = EventRun {
            job: self.job.id.0,
            simulated: false,
            method: METHOD,
        };
        let events = events(&run, &records, &history);
        for record in &records {
            history.add(record);
        }
        let carried = Document::of(&carry_over(records, self.previous));
        AttemptOutcome::Results(JobResults {
            heads: vec![head],
            latest: vec![],
            carried_over: vec![
                (CarriedKind::Vitals, carried),
                (CarriedKind::VitalsHistory, Document::of(&history)),
            ],
            partial: summary.coverage.failed > 0,
            progress,
            events,
        })
    }
}

fn events(run: &EventRun<'_>, records: &[VitalsRecord], history: &VitalsMemory) -> Vec<EventDraft> {
    let budget = AlarmBudget::of_vitals(records.iter().map(tested_figures).sum());
    let mut events = EventLimit::default();
    for record in records {
        events.extend(vitals_events(run, &budget, record, history));
    }
    events.finish(run)
}

fn is_meaningful(record: &VitalsRecord) -> bool {
    let error = record.envelope.error.as_deref();
    error.is_none_or(|code| SITE_ERROR_CODES.contains(&code))
}

fn providers(records: &[VitalsRecord]) -> String {
    let named = records
        .iter()
        .filter_map(|it| it.envelope.provider.as_deref());
    let named: BTreeSet<&str> = named.collect();
    if named.is_empty() {
        return "crawler".to_owned();
    }
    named.into_iter().collect::<Vec<_>>().join(", ")
}

/// Measured if any record is; each record has its own provenance.
fn provenance(records: &[VitalsRecord]) -> Provenance {
    let is_ours = |it: &VitalsRecord| {
        it.source == VitalsSource::Lab && it.envelope.provenance == Provenance::Measured
    };
    if records.iter().any(is_ours) {
        Provenance::Measured
    } else {
        Provenance::Imported
    }
}

fn warnings(records: &[VitalsRecord], has_field_source: bool) -> Vec<String> {
    let mut warnings = BTreeSet::new();
    if !has_field_source {
        warnings.insert(FIELD_NOT_CONFIGURED.to_owned());
    }
    for record in records {
        let envelope = &record.envelope;
        if envelope.warnings.iter().any(|it| it == NO_BROWSER) {
            warnings.insert(LAB_NOT_CONFIGURED.to_owned());
        }
        warnings.extend(envelope.error.clone());
    }
    warnings.into_iter().collect()
}

/// The latest values of each page: those of this run, and earlier ones that it did not replace.
fn carry_over(now: Vec<VitalsRecord>, before: Vec<VitalsRecord>) -> Vec<VitalsRecord> {
    let mut seen = BTreeSet::new();
    let mut kept = Vec::new();
    for mut record in now.into_iter().chain(before) {
        let has_figures = matches!(
            record.envelope.status,
            RecordStatus::Ok | RecordStatus::Partial
        );
        let key = (
            record.form_factor,
            record.source,
            record.envelope.url.clone(),
        );
        if has_figures && seen.insert(key) && kept.len() < MAX_CARRIED {
            // Only metrics are compared.
            record.cls_sources.clear();
            record.opportunities.clear();
            record.resource_summary.clear();
            record.trend = None;
            kept.push(record);
        }
    }
    kept
}

fn nothing_measured(records: &[VitalsRecord]) -> AttemptError {
    let codes = records.iter().filter_map(|it| it.envelope.error.as_deref());
    let codes: BTreeSet<&str> = codes.collect();
    let codes = codes.into_iter().collect::<Vec<_>>().join(", ");
    AttemptError {
        code: "nothingMeasured".to_owned(),
        detail: format!("Not one page could be measured ({codes}); earlier results stay published."),
        hint: Some("Start the analysis again later; if it fails again, ask the operator to run `sightline doctor`.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::findings::vitals::{Subject, static_record};
    use analysis::observation::vitals::{FormFactor, StaticFacts};
    use chrono::DateTime;

    fn subject(url: &str) -> Subject<'_> {
        Subject {
            project_id: 7,
            url,
            measured_at: DateTime::UNIX_EPOCH,
        }
    }

    fn seen(url: &str, ttfb: f64) -> VitalsRecord {
        let facts = StaticFacts {
            form_factor: FormFactor::Phone,
            final_url: url.to_owned(),
            ttfb_ms: Some(ttfb),
            redirects_ms: None,
            server_response_ms: None,
            unsized_images: 3,
            resources: vec![],
            warnings: vec![],
        };
        static_record(&subject(url), &facts)
    }

    fn failed(url: &str, code: &str) -> VitalsRecord {
        subject(url).failed(FormFactor::Phone, VitalsSource::Lab, code)
    }

    fn ttfb(records: &[VitalsRecord]) -> Vec<f64> {
        let ttfb = |it: &VitalsRecord| it.metrics.ttfb.as_ref()?.value;
        records.iter().filter_map(ttfb).collect()
    }

    #[test]
    fn earlier_values_are_kept_until_replaced() {
        let (home, other) = ("https://a.com/", "https://a.com/b");
        let now = vec![seen(home, 100.0), failed(other, "pageTimedOut")];
        let before = vec![seen(home, 900.0), seen(other, 300.0)];
        let kept = carry_over(now, before);
        assert_eq!(ttfb(&kept), [100.0, 300.0]);
        assert!(kept.iter().all(|it| it.opportunities.is_empty()));
    }

    #[test]
    fn only_site_errors_are_meaningful_results() {
        for (code, expected) in [
            ("pageTimedOut", false),
            ("browserFailed", false),
            ("robotsDisallowed", true),
            ("pageStatus", true),
        ] {
            assert_eq!(
                is_meaningful(&failed("https://a.com/", code)),
                expected,
                "{code}"
            );
        }
        assert!(is_meaningful(&seen("https://a.com/", 1.0)));
    }

    #[test]
    fn warnings_name_missing_configuration_and_failures() {
        let records = [
            seen("https://a.com/", 1.0),
            failed("https://a.com/b", "pageStatus"),
        ];
        assert_eq!(
            warnings(&records, false),
            ["fieldVitalsNotConfigured", "labNotConfigured", "pageStatus"]
        );
        assert_eq!(warnings(&records[1..], true), ["pageStatus"]);
        assert_eq!(providers(&records), "crawler");
    }
}
