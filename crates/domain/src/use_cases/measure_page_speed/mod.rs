//! Measures the speed of one page on one form factor: field data, or a lab load. Stores nothing.

use crate::ids::ProjectId;
use crate::ports::clock::Clock;
use crate::ports::page_speed::{
    FieldTarget, FieldVitals, FieldVitalsError, LabError, LabOrder, LabVitals, NotConfigured,
    StaticVitals,
};
use crate::ports::search_results::ProviderError;
use crate::ports::site_access::SiteAccess;
use analysis::findings::vitals::{
    Subject, VitalsRecord, VitalsSource, VitalsTrend, field_record, lab_record, static_record,
};
use analysis::observation::vitals::FormFactor;
use std::sync::Arc;

/// Sources of measurements, in order of preference.
#[derive(Clone)]
pub struct SpeedSources {
    pub field: Arc<dyn FieldVitals>,
    pub browser: Arc<dyn LabVitals>,
    /// An external lab, for machines without a browser.
    pub other_lab: Option<Arc<dyn LabVitals>>,
    /// Analyzes files if no page can be loaded.
    pub files: Arc<dyn StaticVitals>,
}

pub struct MeasurePageSpeed {
    sources: SpeedSources,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeedTask {
    pub project: ProjectId,
    /// An absolute URL.
    pub url: String,
    pub form_factor: FormFactor,
    pub source: VitalsSource,
}

#[derive(Debug, Clone)]
pub struct MeasuredSpeed {
    /// After a failure it claims nothing about the page.
    pub record: VitalsRecord,
    /// The supplier's error, if that was the cause.
    pub failure: Option<ProviderError>,
}

impl SpeedSources {
    /// Missing configuration, safe to show to users; empty if complete.
    pub fn missing(&self) -> Vec<NotConfigured> {
        let lab = self.browser.missing().filter(|_| self.other_lab.is_none());
        self.field.missing().into_iter().chain(lab).collect()
    }

    pub fn names(&self) -> Vec<String> {
        let field = self.field.missing().is_none();
        let field = field.then(|| self.field.provider());
        let lab = if self.browser.missing().is_none() {
            Some(self.browser.provider())
        } else {
            self.other_lab.as_ref().map(|it| it.provider())
        };
        let mut names: Vec<String> = field.into_iter().chain(lab).collect();
        names.dedup();
        names
    }
}

impl MeasurePageSpeed {
    pub fn new(sources: SpeedSources, clock: Arc<dyn Clock>) -> Self {
        Self { sources, clock }
    }

    pub fn has_field_source(&self) -> bool {
        self.sources.field.missing().is_none()
    }

    /// Always returns a record, compared with the previous run's.
    pub async fn run(
        &self,
        task: &SpeedTask,
        access: &dyn SiteAccess,
        before: &[VitalsRecord],
    ) -> MeasuredSpeed {
        let mut measured = match task.source {
            VitalsSource::Field => self.field(task).await,
            VitalsSource::Lab => self.lab(task, access).await,
        };
        let record = &mut measured.record;
        record.trend = before
            .iter()
            .find_map(|it| VitalsTrend::between(record, Some(it)));
        measured
    }

    /// The record of a task that is skipped after that failure.
    pub fn failed(&self, task: &SpeedTask, error: &ProviderError) -> VitalsRecord {
        let subject = self.subject(task);
        subject.failed(task.form_factor, task.source, error.code())
    }

    fn subject<'a>(&self, task: &'a SpeedTask) -> Subject<'a> {
        Subject {
            project_id: task.project.0,
            url: &task.url,
            measured_at: self.clock.now(),
        }
    }

    async fn field(&self, task: &SpeedTask) -> MeasuredSpeed {
        let field = &self.sources.field;
        let page = FieldTarget::Page(task.url.clone());
        let fetched = field.fetch(&page, task.form_factor).await;
        let subject = self.subject(task);
        match fetched {
            Ok(Some(sample)) => MeasuredSpeed::of(field_record(&subject, &sample, None)),
            Ok(None) => {
                MeasuredSpeed::of(subject.without_field_data(task.form_factor, &field.provider()))
            }
            Err(error) => MeasuredSpeed {
                record: subject.failed(task.form_factor, task.source, error.code()),
                failure: match error {
                    FieldVitalsError::NotConfigured(_) => None,
                    FieldVitalsError::Provider(error) => Some(error),
                },
            },
        }
    }

    async fn lab(&self, task: &SpeedTask, access: &dyn SiteAccess) -> MeasuredSpeed {
        match self.load(task, access).await {
            Ok(record) => MeasuredSpeed::of(record),
            Err(error) => MeasuredSpeed {
                record: self
                    .subject(task)
                    .failed(task.form_factor, task.source, error.code()),
                failure: match error {
                    LabError::Provider(error) => Some(error),
                    _ => None,
                },
            },
        }
    }

    /// Uses the local browser, else the external lab, else static analysis. Local loads need an access check first.
    async fn load(
        &self,
        task: &SpeedTask,
        access: &dyn SiteAccess,
    ) -> Result<VitalsRecord, LabError> {
        let order = LabOrder {
            url: task.url.clone(),
            form_factor: task.form_factor,
            runs: None,
        };
        let sources = &self.sources;
        if sources.browser.missing().is_none() {
            access.check(&task.url).await?;
            match sources.browser.load(&order).await {
                // The browser exists but does not start: use the next source.
                Err(LabError::NotConfigured(_)) => {}
                Err(error) => return Err(error),
                Ok(measured) => {
                    for run in &measured.runs {
                        refuse_unless_allowed(access, task, &run.final_url).await?;
                    }
                    return Ok(lab_record(&self.subject(task), &measured, None));
                }
            }
        }
        if let Some(other) = &sources.other_lab {
            // It visits the page by its own rules, independent of our robots.txt check.
            let measured = other.load(&order).await?;
            return Ok(lab_record(&self.subject(task), &measured, None));
        }
        access.check(&task.url).await?;
        let facts = sources.files.analyze(&order).await?;
        refuse_unless_allowed(access, task, &facts.final_url).await?;
        Ok(static_record(&self.subject(task), &facts))
    }
}

/// Refuses pages reached by a browser redirect that robots.txt disallows.
async fn refuse_unless_allowed(
    access: &dyn SiteAccess,
    task: &SpeedTask,
    found_at: &str,
) -> Result<(), LabError> {
    if found_at == task.url || access.allows(found_at).await {
        Ok(())
    } else {
        Err(LabError::DisallowedByRobots)
    }
}

impl MeasuredSpeed {
    fn of(record: VitalsRecord) -> Self {
        Self {
            record,
            failure: None,
        }
    }
}

#[cfg(test)]
mod tests;
