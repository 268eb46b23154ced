//! `analysis.failed`, `analysis.partial`.

use super::event::{EventDraft, EventRun, Subject, SubjectKind};
use super::kind::{EventKind, EventSeverity};
use super::label;
use super::state::{EventState, JobCoverage, JobFailure};
use crate::findings::envelope::Coverage;
use crate::result_type::AnalysisKind;
use chrono::{DateTime, Utc};

/// Of the requested subjects: less is not reported.
pub const MAX_MISSING_PERCENT: u64 = 10;

/// After the last attempt.
pub fn analysis_failed(
    run: &EventRun<'_>,
    analysis: AnalysisKind,
    (code, stage): (&str, &str),
    at: DateTime<Utc>,
) -> EventDraft {
    let failure = EventState::Failure(JobFailure {
        code: label::label(code),
        stage: label::label(stage),
    });
    let (kind, severity) = (EventKind::AnalysisFailed, EventSeverity::Warning);
    let states = (None, Some(failure));
    EventDraft::fact(
        kind,
        severity,
        subject(run, analysis),
        states,
        at,
        run,
        &[&run.job],
    )
}

/// If more than a tenth of the subjects was not measured.
pub fn analysis_partial(
    run: &EventRun<'_>,
    analysis: AnalysisKind,
    coverage: Coverage,
    at: DateTime<Utc>,
) -> Option<EventDraft> {
    let (requested, measured) = (coverage.requested, coverage.measured);
    let missing = requested.saturating_sub(measured);
    if missing.saturating_mul(100) <= requested.saturating_mul(MAX_MISSING_PERCENT) {
        return None;
    }
    let state = EventState::Coverage(JobCoverage {
        requested,
        measured,
    });
    let (kind, severity) = (EventKind::AnalysisPartial, EventSeverity::Notice);
    let states = (None, Some(state));
    Some(EventDraft::fact(
        kind,
        severity,
        subject(run, analysis),
        states,
        at,
        run,
        &[&run.job],
    ))
}

fn subject(run: &EventRun<'_>, analysis: AnalysisKind) -> Subject {
    Subject::new(SubjectKind::Job, Some(run.job), analysis.name(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_tenth_of_the_subjects_has_to_be_missing() {
        let run = EventRun {
            job: 9,
            simulated: false,
            method: "",
        };
        let partial = |requested, measured| {
            let coverage = Coverage::new(requested, measured, 0);
            analysis_partial(
                &run,
                AnalysisKind::RankCheck,
                coverage,
                DateTime::UNIX_EPOCH,
            )
        };
        assert!(partial(100, 89).is_some() && partial(1, 0).is_some());
        assert!(partial(100, 90).is_none() && partial(0, 0).is_none());
        let failed = analysis_failed(
            &run,
            AnalysisKind::SiteAudit,
            ("blocked", "crawl"),
            DateTime::UNIX_EPOCH,
        );
        assert_eq!(
            (failed.dedupe_key.as_str(), failed.fell()),
            ("analysis.failed:9", true)
        );
    }
}
