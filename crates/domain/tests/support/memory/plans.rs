//! Project overrides, content plans, AI engine settings, and stored data.

use super::paging::{BY_ID, Place, moment, page};
use super::state::{InProject, State, add};
use super::{Session, Stored};
use crate::ai_models::ModelSettings;
use crate::assignment::{Assignment, AssignmentSubject};
use crate::content_plan::{ContentPlan, PlanSummary};
use crate::ids::{AccountId, ContentPlanId, ProjectId};
use crate::page::{Page, PageRequest};
use crate::ports::ai_models::AiModelRepository;
use crate::ports::content_plans::{ContentPlanRepository, ContentPlanSort};
use crate::ports::project_overrides::ProjectOverrideRepository;
use crate::ports::stored_data::StoredDataRepository;
use crate::project_overrides::{BrandNames, IgnoredSuggestion, SiteAnnotation};
use crate::stored_data::{DataSize, StoredData};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

fn of_project<K, Row: Clone>(
    table: &InProject<K, Row>,
    account: AccountId,
    project: ProjectId,
) -> Vec<Row> {
    let rows = table
        .iter()
        .filter(|(key, _)| (key.0, key.1) == (account, project));
    rows.map(|(_, row)| row.clone()).collect()
}

#[async_trait]
impl ProjectOverrideRepository for Session {
    async fn set_site_role(
        &mut self,
        account: AccountId,
        project: ProjectId,
        site: &SiteAnnotation,
    ) -> Stored<()> {
        self.change(|state| {
            let key = (account, project, site.domain.clone());
            state.named_sites.insert(key, site.clone());
            Ok(())
        })
    }

    async fn remove_site_role(
        &mut self,
        account: AccountId,
        project: ProjectId,
        domain: &str,
    ) -> Stored<bool> {
        let key = (account, project, domain.to_owned());
        self.change(|state| Ok(state.named_sites.remove(&key).is_some()))
    }

    async fn site_annotations(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Stored<Vec<SiteAnnotation>> {
        self.query(|state| of_project(&state.named_sites, account, project))
    }

    async fn set_brand_names(
        &mut self,
        account: AccountId,
        project: ProjectId,
        brand: &BrandNames,
    ) -> Stored<()> {
        let key = (account, project, brand.domain.clone());
        self.change(|state| {
            if brand.names.is_empty() {
                state.brands.remove(&key);
            } else {
                state.brands.insert(key, brand.clone());
            }
            Ok(())
        })
    }

    async fn brand_names(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Stored<Vec<BrandNames>> {
        self.query(|state| of_project(&state.brands, account, project))
    }

    async fn ignore_suggestion(
        &mut self,
        account: AccountId,
        project: ProjectId,
        suggestion: &IgnoredSuggestion,
    ) -> Stored<()> {
        let key = (account, project, suggestion.id.clone());
        self.change(|state| {
            state.ignored.insert(key, suggestion.clone());
            Ok(())
        })
    }

    async fn unignore_suggestion(
        &mut self,
        account: AccountId,
        project: ProjectId,
        suggestion: &str,
    ) -> Stored<bool> {
        let key = (account, project, suggestion.to_owned());
        self.change(|state| Ok(state.ignored.remove(&key).is_some()))
    }

    async fn ignored_suggestions(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Stored<Vec<IgnoredSuggestion>> {
        self.query(|state| of_project(&state.ignored, account, project))
    }

    async fn assign(
        &mut self,
        account: AccountId,
        project: ProjectId,
        assignment: &Assignment,
    ) -> Stored<()> {
        let key = (account, project, assignment.subject.clone());
        self.change(|state| {
            state.assignments.insert(key, assignment.clone());
            Ok(())
        })
    }

    async fn unassign(
        &mut self,
        account: AccountId,
        project: ProjectId,
        subject: &AssignmentSubject,
    ) -> Stored<bool> {
        let key = (account, project, subject.clone());
        self.change(|state| Ok(state.assignments.remove(&key).is_some()))
    }

    async fn assignments(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Stored<Vec<Assignment>> {
        self.query(|state| of_project(&state.assignments, account, project))
    }
}

impl State {
    fn plans_of(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> impl Iterator<Item = &ContentPlan> {
        let plans = self.plans.values();
        plans.filter(move |it| (it.account, it.project) == (account, project))
    }

    /// Counted on each read, so that counts cannot be wrong.
    fn stored(&self, account: AccountId, is_counted: impl Fn(ProjectId) -> bool) -> StoredData {
        let keywords = self.keywords.values();
        let plans = self.plans.values();
        let imports = self.imports.iter();
        let console = imports
            .filter(|(key, it)| key.0 == account && is_counted(it.project))
            .fold(DataSize::default(), |sum, (_, it)| sum.and(it.set.size()));
        StoredData {
            keywords: keywords
                .filter(|it| it.account == account && is_counted(it.project))
                .count() as u64,
            console_rows: console.rows,
            console_bytes: console.bytes,
            plan_bytes: plans
                .filter(|it| it.account == account && is_counted(it.project))
                .map(|it| it.size().bytes)
                .sum(),
            event_bytes: 0,
        }
    }
}

#[async_trait]
impl ContentPlanRepository for Session {
    async fn add(&mut self, plan: &ContentPlan) -> Stored<()> {
        self.change(|state| add(&mut state.plans, (plan.account, plan.id), plan.clone()))
    }

    async fn find(
        &mut self,
        account: AccountId,
        project: ProjectId,
        plan: ContentPlanId,
    ) -> Stored<Option<ContentPlan>> {
        self.query(|state| {
            let found = state.plans.get(&(account, plan))?;
            (found.project == project).then(|| found.clone())
        })
    }

    async fn save(&mut self, plan: &ContentPlan) -> Stored<()> {
        self.change(|state| {
            let known = state.plans.get_mut(&(plan.account, plan.id));
            if let Some(known) = known.filter(|it| it.project == plan.project) {
                *known = ContentPlan {
                    created_at: known.created_at,
                    ..plan.clone()
                };
            }
            Ok(())
        })
    }

    async fn remove(
        &mut self,
        account: AccountId,
        project: ProjectId,
        plan: ContentPlanId,
    ) -> Stored<bool> {
        self.change(|state| {
            let known = state.plans.get(&(account, plan));
            let is_there = known.is_some_and(|it| it.project == project);
            if is_there {
                state.plans.remove(&(account, plan));
            }
            Ok(is_there)
        })
    }

    async fn count(&mut self, account: AccountId, project: ProjectId) -> Stored<u32> {
        self.query(|state| {
            let number = state.plans_of(account, project).count();
            u32::try_from(number).unwrap_or(u32::MAX)
        })
    }

    async fn list(
        &mut self,
        account: AccountId,
        project: ProjectId,
        request: &PageRequest<ContentPlanSort>,
    ) -> Stored<Page<PlanSummary>> {
        self.try_query(|state| {
            let plans = state.plans_of(account, project).map(|it| PlanSummary {
                id: it.id,
                name: it.name.clone(),
                clustered_by: it.clustered_by,
                item_count: u32::try_from(it.items.len()).unwrap_or(u32::MAX),
                created_at: it.created_at,
                updated_at: it.updated_at,
            });
            let plans: Vec<PlanSummary> = plans.collect();
            let place = |it: &PlanSummary| Place {
                value: moment(it.created_at),
                id: it.id.0,
            };
            page(plans.iter(), request, &BY_ID, place, |_| 0)
        })
    }
}

#[async_trait]
impl StoredDataRepository for Session {
    async fn of_account(&mut self, account: AccountId) -> Stored<StoredData> {
        self.query(|state| StoredData {
            event_bytes: state.event_bytes(account),
            ..state.stored(account, |_| true)
        })
    }

    async fn of_project(&mut self, account: AccountId, project: ProjectId) -> Stored<StoredData> {
        self.query(|state| state.stored(account, |it| it == project))
    }

    async fn recount(&mut self, _: AccountId, _: Option<ProjectId>) -> Stored<Option<ProjectId>> {
        self.change(|_| Ok(None))
    }
}

impl State {
    pub(super) fn models_of(&self, account: AccountId) -> Vec<ModelSettings> {
        let own = self.models.iter().filter(|(key, _)| key.0 == account);
        own.map(|(_, it)| it.clone()).collect()
    }
}

#[async_trait]
impl AiModelRepository for Session {
    async fn set(&mut self, account: AccountId, settings: &ModelSettings) -> Stored<()> {
        let key = (account, settings.engine.clone());
        self.change(|state| {
            state.models.insert(key, settings.clone());
            Ok(())
        })
    }

    async fn list(&mut self, account: AccountId) -> Stored<Vec<ModelSettings>> {
        self.query(|state| state.models_of(account))
    }

    async fn note_use(
        &mut self,
        account: AccountId,
        engines: &[String],
        at: DateTime<Utc>,
    ) -> Stored<()> {
        self.change(|state| {
            let uses = engines.iter().map(|it| ((account, it.clone()), at));
            state.model_uses.extend(uses);
            Ok(())
        })
    }

    async fn last_used(&mut self, account: AccountId) -> Stored<Vec<(String, DateTime<Utc>)>> {
        self.query(|state| {
            let own = state.model_uses.iter().filter(|(key, _)| key.0 == account);
            own.map(|(key, at)| (key.1.clone(), *at)).collect()
        })
    }
}
