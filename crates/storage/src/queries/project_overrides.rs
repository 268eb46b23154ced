use crate::executor::session::Session;
use crate::rows::project_overrides::{AssignmentRow, BrandRow, IgnoredSuggestionRow, NamedSiteRow};
use crate::rows::stored::Put;
use crate::schema::{assignments, brands, ignored_suggestions, named_sites};
use async_trait::async_trait;
use diesel::{delete, prelude::*};
use domain::assignment::{Assignment, AssignmentSubject};
use domain::ids::{AccountId, ProjectId};
use domain::ports::project_overrides::ProjectOverrideRepository;
use domain::ports::storage::StorageError;
use domain::project_overrides::{BrandNames, IgnoredSuggestion, SiteAnnotation};

#[async_trait]
impl ProjectOverrideRepository for Session {
    async fn set_site_role(
        &mut self,
        account: AccountId,
        project: ProjectId,
        site: &SiteAnnotation,
    ) -> Result<(), StorageError> {
        let row = NamedSiteRow::of(account, project, site);
        self.change(account, move |db| row.put(db)).await
    }

    async fn remove_site_role(
        &mut self,
        account: AccountId,
        project: ProjectId,
        domain: &str,
    ) -> Result<bool, StorageError> {
        let domain = domain.to_owned();
        let forgotten = self.change(account, move |db| {
            let there =
                rows_of!(named_sites, account, project).filter(named_sites::domain.eq(&domain));
            delete(there).execute(db)
        });
        Ok(forgotten.await? == 1)
    }

    async fn site_annotations(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<SiteAnnotation>, StorageError> {
        self.fetch_all(account, SiteAnnotation::try_from, move |db| {
            rows_of!(named_sites, account, project)
                .order(named_sites::domain)
                .select(NamedSiteRow::as_select())
                .load(db)
        })
        .await
    }

    async fn set_brand_names(
        &mut self,
        account: AccountId,
        project: ProjectId,
        brand: &BrandNames,
    ) -> Result<(), StorageError> {
        let row = BrandRow::of(account, project, brand);
        let is_named = !brand.names.is_empty();
        self.change(account, move |db| {
            if is_named {
                row.put(db)
            } else {
                let there =
                    rows_of!(brands, account, project).filter(brands::domain.eq(&row.domain));
                delete(there).execute(db).map(drop)
            }
        })
        .await
    }

    async fn brand_names(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<BrandNames>, StorageError> {
        self.fetch_all(account, BrandNames::try_from, move |db| {
            rows_of!(brands, account, project)
                .order(brands::domain)
                .select(BrandRow::as_select())
                .load(db)
        })
        .await
    }

    async fn ignore_suggestion(
        &mut self,
        account: AccountId,
        project: ProjectId,
        suggestion: &IgnoredSuggestion,
    ) -> Result<(), StorageError> {
        let row = IgnoredSuggestionRow::of(account, project, suggestion);
        self.change(account, move |db| row.put(db)).await
    }

    async fn unignore_suggestion(
        &mut self,
        account: AccountId,
        project: ProjectId,
        suggestion: &str,
    ) -> Result<bool, StorageError> {
        let id = suggestion.to_owned();
        let taken_up = self.change(account, move |db| {
            let there = rows_of!(ignored_suggestions, account, project)
                .filter(ignored_suggestions::suggestion_id.eq(&id));
            delete(there).execute(db)
        });
        Ok(taken_up.await? == 1)
    }

    async fn ignored_suggestions(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<IgnoredSuggestion>, StorageError> {
        self.fetch_all(account, IgnoredSuggestion::try_from, move |db| {
            rows_of!(ignored_suggestions, account, project)
                .order(ignored_suggestions::suggestion_id)
                .select(IgnoredSuggestionRow::as_select())
                .load(db)
        })
        .await
    }

    async fn assign(
        &mut self,
        account: AccountId,
        project: ProjectId,
        assignment: &Assignment,
    ) -> Result<(), StorageError> {
        let row = AssignmentRow::of(account, project, assignment);
        self.change(account, move |db| row.put(db)).await
    }

    async fn unassign(
        &mut self,
        account: AccountId,
        project: ProjectId,
        subject: &AssignmentSubject,
    ) -> Result<bool, StorageError> {
        let AssignmentSubject { kind, key } = subject.clone();
        let unassigned = self.change(account, move |db| {
            let there = rows_of!(assignments, account, project)
                .filter(assignments::subject_kind.eq(kind.name()))
                .filter(assignments::subject_key.eq(&key));
            delete(there).execute(db)
        });
        Ok(unassigned.await? == 1)
    }

    async fn assignments(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<Assignment>, StorageError> {
        self.fetch_all(account, Assignment::try_from, move |db| {
            rows_of!(assignments, account, project)
                .order((assignments::subject_kind, assignments::subject_key))
                .select(AssignmentRow::as_select())
                .load(db)
        })
        .await
    }
}
