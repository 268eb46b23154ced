//! Measures the speed of one page on one kind of device: what visitors saw, or a load of our own.
//! Nothing is stored here.

use crate::ids::ProjectId;
use crate::ports::clock::Clock;
use crate::ports::page_speed::{
    FieldTarget, FieldVitals, FieldVitalsError, LabError, LabOrder, LabVitals, NotConfigured,
    StaticVitals,
};
use crate::ports::search_results::ProviderError;
use crate::ports::site_door::SiteDoor;
use analysis::findings::vitals::{
    Subject, VitalsRecord, VitalsSource, VitalsTrend, field_record, lab_record, static_record,
};
use analysis::observation::vitals::FormFactor;
use std::sync::Arc;

/// Who is asked and what loads pages, the preferred first.
#[derive(Clone)]
pub struct SpeedSources {
    pub field: Arc<dyn FieldVitals>,
    pub browser: Arc<dyn LabVitals>,
    /// Somebody else's lab, for machines without a browser.
    pub other_lab: Option<Arc<dyn LabVitals>>,
    /// Reads files where nothing loads pages.
    pub files: Arc<dyn StaticVitals>,
}

pub struct MeasurePageSpeed {
    sources: SpeedSources,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeedTask {
    pub project: ProjectId,
    /// The page, an absolute URL.
    pub url: String,
    pub form_factor: FormFactor,
    pub source: VitalsSource,
}

#[derive(Debug, Clone)]
pub struct MeasuredSpeed {
    /// The record; after a failure it claims nothing about the page.
    pub record: VitalsRecord,
    /// How somebody who was asked failed, if that is what went wrong.
    pub failure: Option<ProviderError>,
}

impl SpeedSources {
    /// What has to be configured for all figures, in words that may be shown; empty when nothing is missing.
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

    pub fn knows_visitors(&self) -> bool {
        self.sources.field.missing().is_none()
    }

    /// Always brings a record, compared with those of the run before.
    pub async fn run(
        &self,
        task: &SpeedTask,
        door: &dyn SiteDoor,
        before: &[VitalsRecord],
    ) -> MeasuredSpeed {
        let mut measured = match task.source {
            VitalsSource::Field => self.field(task).await,
            VitalsSource::Lab => self.lab(task, door).await,
        };
        let record = &mut measured.record;
        record.trend = before
            .iter()
            .find_map(|it| VitalsTrend::between(record, Some(it)));
        measured
    }

    /// What the task comes to when nobody is to be asked any more, because of that failure.
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
        let told = field.field(&page, task.form_factor).await;
        let subject = self.subject(task);
        match told {
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

    async fn lab(&self, task: &SpeedTask, door: &dyn SiteDoor) -> MeasuredSpeed {
        match self.load(task, door).await {
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

    /// In a browser of ours; where there is none in somebody else's; else as far as files tell.
    /// What we load ourselves is asked for at the door first.
    async fn load(&self, task: &SpeedTask, door: &dyn SiteDoor) -> Result<VitalsRecord, LabError> {
        let order = LabOrder {
            url: task.url.clone(),
            form_factor: task.form_factor,
            runs: None,
        };
        let sources = &self.sources;
        if sources.browser.missing().is_none() {
            door.knock(&task.url).await?;
            match sources.browser.load(&order).await {
                // It is there and does not start: whoever stands in for it is next.
                Err(LabError::NotConfigured(_)) => {}
                Err(error) => return Err(error),
                Ok(measured) => {
                    for run in &measured.runs {
                        refuse_unless_allowed(door, task, &run.final_url).await?;
                    }
                    return Ok(lab_record(&self.subject(task), &measured, None));
                }
            }
        }
        if let Some(other) = &sources.other_lab {
            // It visits the page on its own account, whatever robots.txt says to us.
            let measured = other.load(&order).await?;
            return Ok(lab_record(&self.subject(task), &measured, None));
        }
        door.knock(&task.url).await?;
        let facts = sources.files.look(&order).await?;
        refuse_unless_allowed(door, task, &facts.final_url).await?;
        Ok(static_record(&self.subject(task), &facts))
    }
}

/// A page that browsers are sent to and that does not want us is not measured.
async fn refuse_unless_allowed(
    door: &dyn SiteDoor,
    task: &SpeedTask,
    found_at: &str,
) -> Result<(), LabError> {
    if found_at == task.url || door.allows(found_at).await {
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
