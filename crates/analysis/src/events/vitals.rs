//! `vitals.regressed`.

use super::budget::AlarmBudget;
use super::event::{EventDraft, EventRun, Subject, dedupe_key};
use super::kind::{EventKind, EventSeverity};
use super::label;
use super::outcome::{TestName, TestOutcome};
use super::state::{EventState, VitalsFigure};
use crate::findings::vitals::{Rating, VitalsRecord, VitalsSource, thresholds_of};
use crate::observation::vitals::{FormFactor, VitalsMetric};
use crate::provenance::RecordStatus;
use crate::statistics::describe::median;
use crate::statistics::moderated_t::{Prior, heavy_tailed_p};
use crate::statistics::wilson::Interval;
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Figures that have events. Others describe the same loads.
pub const METRICS: [VitalsMetric; 4] = [
    VitalsMetric::Lcp,
    VitalsMetric::Inp,
    VitalsMetric::Cls,
    VitalsMetric::Tbt,
];
/// Expected in a month, over all lab figures.
pub const FALSE_ALARMS: f64 = 0.05;
/// Earlier days; a shorter history decides nothing.
pub const MIN_RUNS: usize = 4;
const MAX_RUNS: usize = 12;
/// Series that are remembered: as many as there are records to compare with.
const MAX_SERIES: usize = 800;
/// Of ln(figure): that of five loads of one page under fixed conditions, which counts as ten runs (ours).
pub const PRIOR: Prior = Prior {
    freedom: 10.0,
    deviation: 0.15,
};
/// Smaller changes are not reported: a twentieth of a lab figure, a tenth of a figure of visitors, and a hundredth of
/// layout shift.
pub const MIN_SHARE: f64 = 0.05;
pub const MIN_VISITOR_SHARE: f64 = 0.10;
pub const MIN_SHIFT: f64 = 0.01;

/// Figures of earlier runs, stored between runs: the newest of each of the last twelve days.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VitalsMemory {
    series: BTreeMap<String, Series>,
}

crate::json!(VitalsMemory);

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Series(BTreeMap<VitalsMetric, Vec<(NaiveDate, f64)>>);

impl VitalsMemory {
    /// Adds the figures of a run and drops the pages that were not measured for the longest time.
    pub fn add(&mut self, record: &VitalsRecord) {
        if !has_figures(record) {
            return;
        }
        let day = record.envelope.measured_at.date_naive();
        let series = self.series.entry(key(record)).or_default();
        for (metric, value) in figures(record) {
            let values = series.0.entry(metric).or_default();
            values.retain(|it| it.0 != day);
            values.push((day, value));
            let surplus = values.len().saturating_sub(MAX_RUNS + 1);
            values.drain(..surplus);
        }
        while self.series.len() > MAX_SERIES {
            let newest = |it: &Series| {
                it.0.values()
                    .filter_map(|it| it.last())
                    .map(|it| it.0)
                    .max()
            };
            let oldest = { self.series.iter() }
                .min_by_key(|(_, it)| newest(it))
                .map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { return };
            self.series.remove(&oldest);
        }
    }

    /// Oldest first, before a day.
    fn before(&self, record: &VitalsRecord, metric: VitalsMetric) -> &[(NaiveDate, f64)] {
        let day = record.envelope.measured_at.date_naive();
        let values = { self.series.get(&key(record)) }.and_then(|it| it.0.get(&metric));
        let values = values.map_or(&[][..], Vec::as_slice);
        let end = values.partition_point(|it| it.0 < day);
        &values[end.saturating_sub(MAX_RUNS)..end]
    }
}

fn has_figures(record: &VitalsRecord) -> bool {
    matches!(
        record.envelope.status,
        RecordStatus::Ok | RecordStatus::Partial
    )
}

/// What has to be equal for figures to be of one series.
fn key(record: &VitalsRecord) -> String {
    let envelope = &record.envelope;
    format!(
        "{} {} {} {} {}",
        device(record.form_factor),
        source(record.source),
        envelope.provider.as_deref().unwrap_or_default(),
        envelope.method_version,
        envelope.url.as_deref().unwrap_or_default(),
    )
}

const fn device(of: FormFactor) -> &'static str {
    match of {
        FormFactor::Phone => "phone",
        FormFactor::Desktop => "desktop",
        FormFactor::All => "all",
    }
}

const fn source(of: VitalsSource) -> &'static str {
    match of {
        VitalsSource::Field => "field",
        VitalsSource::Lab => "lab",
    }
}

const fn name(of: VitalsMetric) -> &'static str {
    match of {
        VitalsMetric::Lcp => "lcp",
        VitalsMetric::Inp => "inp",
        VitalsMetric::Cls => "cls",
        VitalsMetric::Fcp => "fcp",
        VitalsMetric::Ttfb => "ttfb",
        VitalsMetric::Tbt => "tbt",
        VitalsMetric::Si => "si",
    }
}

fn figures(record: &VitalsRecord) -> impl Iterator<Item = (VitalsMetric, f64)> {
    METRICS.into_iter().filter_map(|metric| {
        let value = record.metrics.of(metric)?.figure()?;
        Some((metric, value))
    })
}

/// Figures of a record that are tested: K of the run is their sum over its lab records.
pub fn tested_figures(record: &VitalsRecord) -> u64 {
    if record.source == VitalsSource::Lab && has_figures(record) {
        figures(record).count() as u64
    } else {
        0
    }
}

/// Events of a record, beside earlier runs. `memory` does not need to know this run, and may.
pub fn vitals_events(
    run: &EventRun<'_>,
    budget: &AlarmBudget,
    record: &VitalsRecord,
    memory: &VitalsMemory,
) -> Vec<EventDraft> {
    if !has_figures(record) {
        return Vec::new();
    }
    let regressed = figures(record).filter_map(|(metric, value)| {
        let before = memory.before(record, metric);
        let figure = Figure {
            record,
            metric,
            budget,
        };
        let found = figure.regressed(value, record.envelope.measured_at.date_naive(), before)?;
        // After a step every run is worse than before: only the first is reported.
        let was_worse = before
            .split_last()
            .is_some_and(|((day, value), before)| figure.regressed(*value, *day, before).is_some());
        (!was_worse).then(|| figure.event(run, value, before.len(), found))
    });
    regressed.collect()
}

struct Figure<'a> {
    record: &'a VitalsRecord,
    metric: VitalsMetric,
    budget: &'a AlarmBudget,
}

/// The usual figure, and what the test found.
#[derive(Clone, Copy)]
struct Regression {
    usual: f64,
    test: TestOutcome,
}

impl Figure<'_> {
    fn rating(&self, value: f64) -> Rating {
        thresholds_of(self.metric, self.record.form_factor).rate(value)
    }

    fn regressed(
        &self,
        value: f64,
        day: NaiveDate,
        before: &[(NaiveDate, f64)],
    ) -> Option<Regression> {
        if before.len() < MIN_RUNS {
            return None;
        }
        match self.record.source {
            VitalsSource::Lab => self.regressed_in_lab(value, day, before),
            VitalsSource::Field => self.regressed_for_visitors(value, before),
        }
    }

    /// Test A1 on ln(figure + offset); the change has to exceed the thresholds and the spread of the loads.
    fn regressed_in_lab(
        &self,
        value: f64,
        day: NaiveDate,
        before: &[(NaiveDate, f64)],
    ) -> Option<Regression> {
        let offset = offset(self.metric);
        let logs: Vec<f64> = before.iter().map(|it| (it.1 + offset).ln()).collect();
        let expected = PRIOR.expected(&logs)?;
        let figure = |log: f64| (log.exp() - offset).max(0.0);
        let usual = figure(expected.mean);
        let spread = self.record.iqr.and_then(|it| it.of(self.metric));
        if value - usual <= self.min_change(usual).max(spread.unwrap_or(0.0)) {
            return None;
        }
        let t = expected.statistic((value + offset).ln());
        let age = |it: &&(NaiveDate, f64)| day.num_days_from_ce() - it.0.num_days_from_ce() < 28;
        let runs = 1 + before.iter().filter(age).count();
        let limit = self.budget.limit(u32::try_from(runs).unwrap_or(u32::MAX));
        let p = heavy_tailed_p(t);
        if p > limit {
            return None;
        }
        let range = expected.interval();
        let range = Interval {
            low: figure(range.low),
            high: figure(range.high),
        };
        let test = TestOutcome::of(TestName::ModeratedT, t, p);
        Some(Regression {
            usual,
            test: test.with_limit(limit).with_range(range),
        })
    }

    /// Figures of all visitors over 28 days hardly vary: a worse rating than the usual one, and a tenth more.
    fn regressed_for_visitors(
        &self,
        value: f64,
        before: &[(NaiveDate, f64)],
    ) -> Option<Regression> {
        let values: Vec<f64> = before.iter().map(|it| it.1).collect();
        let usual = median(&values)?;
        (self.rating(value) > self.rating(usual) && value - usual > self.min_change(usual))
            .then_some(Regression {
                usual,
                test: TestOutcome::NOT_APPLICABLE,
            })
    }

    fn min_change(&self, usual: f64) -> f64 {
        let share = match self.record.source {
            VitalsSource::Lab => MIN_SHARE,
            VitalsSource::Field => MIN_VISITOR_SHARE,
        };
        let shift = match self.metric {
            VitalsMetric::Cls => MIN_SHIFT,
            _ => 0.0,
        };
        shift.max(usual * share)
    }

    fn event(&self, run: &EventRun<'_>, value: f64, n: usize, found: Regression) -> EventDraft {
        let record = self.record;
        let url = record
            .envelope
            .url
            .as_deref()
            .unwrap_or(&record.requested_url);
        let rating = self.rating(value);
        let state = |p75, rating, iqr| Some(EventState::Vitals(VitalsFigure { p75, rating, iqr }));
        let iqr = record.iqr.and_then(|it| it.of(self.metric));
        let kind = EventKind::VitalsRegressed;
        let (device, name) = (device(record.form_factor), name(self.metric));
        let label = format!(
            "{} ({device}, {})",
            name.to_uppercase(),
            source(record.source)
        );
        let hash = label::url_hash(url);
        EventDraft {
            dedupe_key: dedupe_key(
                kind,
                &[&hash, &device, &source(record.source), &name, &run.job],
            ),
            n: u32::try_from(n).ok(),
            test: found.test,
            effect: ((value + offset(self.metric)) / (found.usual + offset(self.metric))).ln(),
            simulated: record.envelope.provenance.is_simulated(),
            ..EventDraft::fact(
                kind,
                if rating == Rating::Poor {
                    EventSeverity::Warning
                } else {
                    EventSeverity::Notice
                },
                Subject {
                    label,
                    ..Subject::page(url)
                },
                (
                    state(found.usual, self.rating(found.usual), None),
                    state(value, rating, iqr),
                ),
                measured_at(record),
                run,
                &[],
            )
        }
    }
}

const fn measured_at(record: &VitalsRecord) -> DateTime<Utc> {
    record.envelope.measured_at
}

/// Keeps figures near 0 from large ratios: 50 ms, or 0.02 of layout shift (ours).
const fn offset(metric: VitalsMetric) -> f64 {
    match metric {
        VitalsMetric::Cls => 0.02,
        _ => 50.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::vitals::{MetricRecord, Spread, Subject as Measured};
    use chrono::Days;

    const RUN: EventRun<'_> = EventRun {
        job: 1,
        simulated: false,
        method: METHOD,
    };
    const METHOD: &str = crate::findings::vitals::METHOD;

    fn record(day: u64, source: VitalsSource, lcp: f64) -> VitalsRecord {
        let measured = Measured {
            project_id: 1,
            url: "https://a.example/",
            measured_at: DateTime::UNIX_EPOCH + Days::new(day),
        };
        let mut record = measured.failed(FormFactor::Phone, source, "pageTimedOut");
        (record.envelope.status, record.envelope.error) = (RecordStatus::Ok, None);
        record.metrics.lcp = Some(MetricRecord {
            value: Some(lcp),
            ..MetricRecord::default()
        });
        record
    }

    fn events(
        source: VitalsSource,
        values: &[f64],
        change: impl Fn(&mut VitalsRecord),
    ) -> Vec<EventDraft> {
        let records = (0..).zip(values).map(|(day, it)| record(day, source, *it));
        let mut records: Vec<VitalsRecord> = records.collect();
        let mut last = records.pop().unwrap();
        change(&mut last);
        let mut memory = VitalsMemory::default();
        for record in &records {
            memory.add(record);
        }
        // As read back from the storage.
        let json = serde_json::to_string(&memory).unwrap();
        memory = serde_json::from_str(&json).unwrap();
        let events = vitals_events(&RUN, &AlarmBudget::of_vitals(10), &last, &memory);
        memory.add(&last);
        let again = vitals_events(&RUN, &AlarmBudget::of_vitals(10), &last, &memory);
        assert_eq!(
            events, again,
            "the run itself does not count as its history"
        );
        events
    }

    const LAB: VitalsSource = VitalsSource::Lab;

    #[test]
    fn a_doubled_lab_figure_is_reported_once() {
        let found = events(
            LAB,
            &[2_000.0, 2_000.0, 2_000.0, 2_000.0, 2_000.0, 6_000.0],
            |_| {},
        );
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].severity, found[0].n),
            (EventSeverity::Warning, Some(5))
        );
        assert_eq!(found[0].subject.label, "LCP (phone, lab)");
        let step = [
            2_000.0, 2_000.0, 2_000.0, 2_000.0, 2_000.0, 6_000.0, 6_000.0,
        ];
        assert_eq!(events(LAB, &step, |_| {}), []);
        assert_eq!(events(LAB, &step[2..6], |_| {}), [], "three runs before");
        assert_eq!(
            events(LAB, &[6_000.0, 6_000.0, 6_000.0, 6_000.0, 2_000.0], |_| {}),
            []
        );
    }

    #[test]
    fn the_spread_of_the_loads_and_another_series_prevent_events() {
        let values = [2_000.0, 2_000.0, 2_000.0, 2_000.0, 2_000.0, 6_000.0];
        let spread = |it: &mut VitalsRecord| {
            it.iqr = Some(Spread {
                lcp: Some(4_001.0),
                ..Spread::default()
            });
        };
        assert_eq!(events(LAB, &values, spread), []);
        let provider = |it: &mut VitalsRecord| it.envelope.provider = Some("other".to_owned());
        assert_eq!(events(LAB, &values, provider), []);
        let failed = |it: &mut VitalsRecord| it.envelope.status = RecordStatus::Error;
        assert_eq!(events(LAB, &values, failed), []);
    }

    #[test]
    fn figures_of_visitors_need_a_worse_rating_and_a_tenth() {
        let field = |now: f64| {
            events(
                VitalsSource::Field,
                &[2_400.0, 2_400.0, 2_400.0, 2_400.0, now],
                |_| {},
            )
        };
        assert_eq!(field(2_600.0), []);
        assert_eq!(field(2_700.0).len(), 1);
        assert_eq!(field(2_700.0)[0].severity, EventSeverity::Notice);
        let good = events(
            VitalsSource::Field,
            &[1_000.0, 1_000.0, 1_000.0, 1_000.0, 2_400.0],
            |_| {},
        );
        assert_eq!(good, []);
    }

    #[test]
    fn the_memory_is_bounded_in_runs_and_pages() {
        let mut memory = VitalsMemory::default();
        for day in 0..40 {
            memory.add(&record(day, LAB, 1_000.0));
            memory.add(&record(day, LAB, 1_001.0));
        }
        let last = record(40, LAB, 1.0);
        assert_eq!(memory.before(&last, VitalsMetric::Lcp).len(), MAX_RUNS);
        for page in 0..MAX_SERIES {
            let mut other = record(50, LAB, 1_000.0);
            other.envelope.url = Some(page.to_string());
            memory.add(&other);
        }
        assert_eq!(memory.series.len(), MAX_SERIES);
        assert!(
            memory.before(&last, VitalsMetric::Lcp).is_empty(),
            "the oldest page is dropped"
        );
    }
}
