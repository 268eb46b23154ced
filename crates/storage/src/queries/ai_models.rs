use crate::executor::session::Session;
use crate::instant::At;
use crate::rows::ai_models::{ModelRow, UseRow};
use crate::rows::stored::Put;
use crate::schema::{ai_engine_uses, ai_models};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, upsert::excluded};
use domain::ai_models::ModelSettings;
use domain::ids::AccountId;
use domain::ports::ai_models::AiModelRepository;
use domain::ports::storage::StorageError;

#[async_trait]
impl AiModelRepository for Session {
    async fn set(
        &mut self,
        account: AccountId,
        settings: &ModelSettings,
    ) -> Result<(), StorageError> {
        let row = ModelRow::of(account, settings);
        self.change(account, move |db| row.put(db)).await
    }

    async fn list(&mut self, account: AccountId) -> Result<Vec<ModelSettings>, StorageError> {
        self.fetch_all(account, ModelSettings::try_from, move |db| {
            rows_of!(ai_models, account)
                .order(ai_models::engine)
                .select(ModelRow::as_select())
                .load(db)
        })
        .await
    }

    async fn note_use(
        &mut self,
        account: AccountId,
        engines: &[String],
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let mut engines = engines.to_vec();
        // Always in one order, so that two workers cannot deadlock.
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
            .fetch(account, move |db| {
                rows_of!(ai_engine_uses, account)
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
