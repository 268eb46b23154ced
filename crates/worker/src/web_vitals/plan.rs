//! Pages of a run: chosen once and stored in the journal, so that every attempt measures the same ones.

use super::CORRUPT;
use crate::WorkerContext;
use crate::attempt_state::{AttemptFailure, AttemptState};
use analysis::{findings::vitals::VitalsSource, observation::vitals::FormFactor};
use domain::ids::ProjectId;
use domain::job::Job;
use domain::job::progress::Progress;
use domain::project::Project;
use domain::results::JournalEntry;
use domain::use_cases::leases::LeaseToken;
use domain::use_cases::measure_page_speed::{MeasurePageSpeed, SpeedTask};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

const DEVICES: [FormFactor; 2] = [FormFactor::Phone, FormFactor::Desktop];

/// Ordinals per page: each source on each device.
const RECORDS_PER_PAGE: usize = 2 * DEVICES.len();

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The home page first.
    pub(super) pages: Vec<String>,
    #[serde(rename = "asks_visitors")]
    pub(super) uses_field_data: bool,
}

pub(super) struct Task {
    pub(super) ordinal: i64,
    pub(super) speed: SpeedTask,
}

/// Loads the plan of an earlier attempt or creates one.
pub(super) async fn make(
    tools: &WorkerContext,
    job: &Job,
    project: &Project,
    state: &AttemptState,
    home: String,
    measure: &MeasurePageSpeed,
) -> Result<Plan, AttemptFailure> {
    let (core, lease) = (&tools.core, LeaseToken::of(job));
    let recorded = core.journal(lease, None).await?;
    if let Some(entry) = recorded.first() {
        return Ok(serde_json::from_slice(&entry.body).map_err(|_| CORRUPT)?);
    }
    let mut pages = vec![home];
    pages.extend(core.choose_pages(project, tools.limits.speed_pages).await?);
    let plan = Plan {
        pages,
        uses_field_data: measure.has_field_source(),
    };
    let entry = JournalEntry {
        sequence: 0,
        body: serde_json::to_vec(&plan).map_err(|_| CORRUPT)?,
    };
    let progress = Progress {
        total: plan.pages.len() as u64,
        ..Progress::default()
    };
    let go_on = core.add_to_journal(lease, &[entry], &progress).await?;
    state.apply(go_on);
    Ok(plan)
}

impl Plan {
    pub(super) fn tasks(&self, project: ProjectId) -> Vec<Task> {
        let sources: &[VitalsSource] = if self.uses_field_data {
            &[VitalsSource::Field, VitalsSource::Lab]
        } else {
            &[VitalsSource::Lab]
        };
        let mut tasks = Vec::new();
        for (page, url) in self.pages.iter().enumerate() {
            for (device, form_factor) in DEVICES.into_iter().enumerate() {
                for source in sources {
                    let place = page * RECORDS_PER_PAGE
                        + device * 2
                        + usize::from(*source == VitalsSource::Lab);
                    tasks.push(Task {
                        ordinal: i64::try_from(place).unwrap_or(i64::MAX),
                        speed: SpeedTask {
                            project,
                            url: url.clone(),
                            form_factor,
                            source: *source,
                        },
                    });
                }
            }
        }
        tasks
    }

    pub(super) fn pages_done(&self, project: ProjectId, places: &[i64]) -> u64 {
        let there: HashSet<i64> = places.iter().copied().collect();
        let tasks = self.tasks(project);
        let missing = tasks.iter().filter(|it| !there.contains(&it.ordinal));
        let open: HashSet<&str> = missing.map(|it| it.speed.url.as_str()).collect();
        let done = self.pages.iter().filter(|it| !open.contains(it.as_str()));
        done.count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_are_unique_with_and_without_field_data() {
        let mut plan = Plan {
            pages: vec!["https://a.com/".to_owned(), "https://a.com/b".to_owned()],
            uses_field_data: true,
        };
        let places = |plan: &Plan| -> Vec<i64> {
            let tasks = plan.tasks(ProjectId(1));
            tasks.iter().map(|it| it.ordinal).collect()
        };
        assert_eq!(places(&plan), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(plan.pages_done(ProjectId(1), &[0, 1, 2, 3, 4]), 1);
        plan.uses_field_data = false;
        assert_eq!(places(&plan), [1, 3, 5, 7]);
        assert_eq!(plan.pages_done(ProjectId(1), &[1, 3, 5, 7]), 2);
    }
}
