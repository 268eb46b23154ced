use super::Db;
use crate::executor::session::{Session, TenantScope};
use crate::instant::At;
use crate::rows::stored::excluded_of;
use crate::schema::server_notes;
use async_trait::async_trait;
use diesel::{delete, insert_into, prelude::*};
use domain::ports::server_notes::{MAX_NOTES, ServerNote, ServerNoteRepository, Topic};
use domain::ports::storage::StorageError;

/// Overwrites the previous note on the topic.
pub fn put(db: &mut Db, note: &ServerNote) -> QueryResult<()> {
    insert_into(server_notes::table)
        .values((
            server_notes::topic.eq(note.topic.to_string()),
            server_notes::note.eq(&note.note),
            server_notes::noted_at.eq(At(note.noted_at)),
        ))
        .on_conflict(server_notes::topic)
        .do_update()
        .set(excluded_of!(server_notes: note, noted_at))
        .execute(db)
        .map(drop)
}

#[async_trait]
impl ServerNoteRepository for Session {
    async fn put(&mut self, note: &ServerNote) -> Result<(), StorageError> {
        let note = note.clone();
        self.change(TenantScope::System, move |db| put(db, &note))
            .await
    }

    async fn remove(&mut self, topic: &Topic) -> Result<(), StorageError> {
        let topic = topic.to_string();
        self.change(TenantScope::System, move |db| {
            delete(server_notes::table.filter(server_notes::topic.eq(&topic))).execute(db)
        })
        .await?;
        Ok(())
    }

    async fn all(&mut self) -> Result<Vec<ServerNote>, StorageError> {
        let rows: Vec<(String, String, At)> = self
            .fetch(TenantScope::System, |db| {
                server_notes::table
                    .order(server_notes::topic)
                    .limit(MAX_NOTES.into())
                    .load(db)
            })
            .await?;
        let known = rows.into_iter().filter_map(|(topic, note, noted_at)| {
            Some(ServerNote {
                topic: topic.parse().ok()?,
                note,
                noted_at: noted_at.0,
            })
        });
        Ok(known.collect())
    }
}
