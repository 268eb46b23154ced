use crate::{
    rows::owners_words::{BrandRow, IgnoredSuggestionRow, NamedSiteRow},
    schema::{brands, ignored_suggestions, named_sites},
    session::Session,
};
use async_trait::async_trait;
use diesel::{delete, insert_into, prelude::*};
use domain::{
    ids::{AccountId, ProjectId},
    owners_words::{BrandNames, IgnoredSuggestion, NamedSite},
    ports::{owners_words::OwnersWordsRepository, storage::StorageError},
};

#[async_trait]
impl OwnersWordsRepository for Session {
    async fn name_site(
        &mut self,
        account: AccountId,
        project: ProjectId,
        site: &NamedSite,
    ) -> Result<(), StorageError> {
        let row = NamedSiteRow::of(account, project, site);
        self.change(account, move |db| {
            insert_into(named_sites::table)
                .values(&row)
                .on_conflict((
                    named_sites::account_id,
                    named_sites::project_id,
                    named_sites::domain,
                ))
                .do_update()
                .set(&row)
                .execute(db)
        })
        .await?;
        Ok(())
    }

    async fn forget_site(
        &mut self,
        account: AccountId,
        project: ProjectId,
        domain: &str,
    ) -> Result<bool, StorageError> {
        let domain = domain.to_owned();
        let forgotten = self.change(account, move |db| {
            let there = named_sites::table
                .filter(named_sites::account_id.eq(account.0))
                .filter(named_sites::project_id.eq(project.0))
                .filter(named_sites::domain.eq(&domain));
            delete(there).execute(db)
        });
        Ok(forgotten.await? == 1)
    }

    async fn named_sites(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<NamedSite>, StorageError> {
        let rows: Vec<NamedSiteRow> = self
            .ask(account, move |db| {
                named_sites::table
                    .filter(named_sites::account_id.eq(account.0))
                    .filter(named_sites::project_id.eq(project.0))
                    .order(named_sites::domain)
                    .select(NamedSiteRow::as_select())
                    .load(db)
            })
            .await?;
        rows.into_iter().map(NamedSite::try_from).collect()
    }

    async fn call_brand(
        &mut self,
        account: AccountId,
        project: ProjectId,
        brand: &BrandNames,
    ) -> Result<(), StorageError> {
        let row = BrandRow::of(account, project, brand);
        let is_named = !brand.names.is_empty();
        self.change(account, move |db| {
            if is_named {
                insert_into(brands::table)
                    .values(&row)
                    .on_conflict((brands::account_id, brands::project_id, brands::domain))
                    .do_update()
                    .set(&row)
                    .execute(db)
                    .map(drop)
            } else {
                let there = brands::table
                    .filter(brands::account_id.eq(account.0))
                    .filter(brands::project_id.eq(project.0))
                    .filter(brands::domain.eq(&row.domain));
                delete(there).execute(db).map(drop)
            }
        })
        .await
    }

    async fn brands(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<BrandNames>, StorageError> {
        let rows: Vec<BrandRow> = self
            .ask(account, move |db| {
                brands::table
                    .filter(brands::account_id.eq(account.0))
                    .filter(brands::project_id.eq(project.0))
                    .order(brands::domain)
                    .select(BrandRow::as_select())
                    .load(db)
            })
            .await?;
        rows.into_iter().map(BrandNames::try_from).collect()
    }

    async fn ignore(
        &mut self,
        account: AccountId,
        project: ProjectId,
        suggestion: &IgnoredSuggestion,
    ) -> Result<(), StorageError> {
        let row = IgnoredSuggestionRow::of(account, project, suggestion);
        self.change(account, move |db| {
            insert_into(ignored_suggestions::table)
                .values(&row)
                .on_conflict((
                    ignored_suggestions::account_id,
                    ignored_suggestions::project_id,
                    ignored_suggestions::suggestion_id,
                ))
                .do_update()
                .set(&row)
                .execute(db)
        })
        .await?;
        Ok(())
    }

    async fn take_up(
        &mut self,
        account: AccountId,
        project: ProjectId,
        suggestion: &str,
    ) -> Result<bool, StorageError> {
        let id = suggestion.to_owned();
        let taken_up = self.change(account, move |db| {
            let there = ignored_suggestions::table
                .filter(ignored_suggestions::account_id.eq(account.0))
                .filter(ignored_suggestions::project_id.eq(project.0))
                .filter(ignored_suggestions::suggestion_id.eq(&id));
            delete(there).execute(db)
        });
        Ok(taken_up.await? == 1)
    }

    async fn ignored(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<IgnoredSuggestion>, StorageError> {
        let rows: Vec<IgnoredSuggestionRow> = self
            .ask(account, move |db| {
                ignored_suggestions::table
                    .filter(ignored_suggestions::account_id.eq(account.0))
                    .filter(ignored_suggestions::project_id.eq(project.0))
                    .order(ignored_suggestions::suggestion_id)
                    .select(IgnoredSuggestionRow::as_select())
                    .load(db)
            })
            .await?;
        rows.into_iter().map(IgnoredSuggestion::try_from).collect()
    }
}
