use crate::{
    instant::At,
    rows::ai_models::{ModelRow, UseRow},
    schema::{ai_engine_uses, ai_models},
    session::Session,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, upsert::excluded};
use domain::{
    ai_models::ModelSettings,
    ids::AccountId,
    ports::{ai_models::AiModelRepository, storage::StorageError},
};

#[async_trait]
impl AiModelRepository for Session {
    async fn set(
        &mut self,
        account: AccountId,
        settings: &ModelSettings,
    ) -> Result<(), StorageError> {
        let row = ModelRow::of(account, settings);
        self.change(account, move |db| {
            insert_into(ai_models::table)
                .values(&row)
                .on_conflict((ai_models::account_id, ai_models::engine))
                .do_update()
                .set(&row)
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn list(&mut self, account: AccountId) -> Result<Vec<ModelSettings>, StorageError> {
        let rows: Vec<ModelRow> = self
            .ask(account, move |db| {
                ai_models::table
                    .filter(ai_models::account_id.eq(account.0))
                    .order(ai_models::engine)
                    .select(ModelRow::as_select())
                    .load(db)
            })
            .await?;
        rows.into_iter().map(ModelSettings::try_from).collect()
    }

    async fn note_use(
        &mut self,
        account: AccountId,
        engines: &[String],
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let mut engines = engines.to_vec();
        // Always in one order, so that two workers do not wait for each other.
        engines.sort_unstable();
        engines.dedup();
        let rows = engines.into_iter().map(|engine| UseRow {
            account_id: account.0,
            engine,
            last_used_at: At(at),
        });
        let rows: Vec<UseRow> = rows.collect();
        self.change(account, move |db| {
            insert_into(ai_engine_uses::table)
                .values(rows.as_slice())
                .on_conflict((ai_engine_uses::account_id, ai_engine_uses::engine))
                .do_update()
                .set(ai_engine_uses::last_used_at.eq(excluded(ai_engine_uses::last_used_at)))
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn last_used(
        &mut self,
        account: AccountId,
    ) -> Result<Vec<(String, DateTime<Utc>)>, StorageError> {
        let rows: Vec<(String, At)> = self
            .ask(account, move |db| {
                ai_engine_uses::table
                    .filter(ai_engine_uses::account_id.eq(account.0))
                    .order(ai_engine_uses::engine)
                    .select((ai_engine_uses::engine, ai_engine_uses::last_used_at))
                    .load(db)
            })
            .await?;
        Ok(rows
            .into_iter()
            .map(|(engine, at)| (engine, at.0))
            .collect())
    }
}
