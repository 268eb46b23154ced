use crate::executor::session::{Session, TenantScope};
use crate::instant::At;
use crate::rows::{counted, validated};
use crate::schema::{sealed_secrets, server_keys, server_secrets};
use crate::sql::Db;
use async_trait::async_trait;
use diesel::{delete, insert_into, prelude::*, update};
use domain::ports::secrets::SecretRepository;
use domain::ports::storage::StorageError;
use domain::sealed_secret::{KeyId, SealedSecret, SecretOwner, WrappedKey};
use std::collections::BTreeMap;

type KeyRow = (i64, Vec<u8>, Vec<u8>, At);
type SecretRow = (String, i64, i64, Vec<u8>, At);

fn key_of((version, wrapped_by, wrapped, created_at): KeyRow) -> Result<WrappedKey, StorageError> {
    Ok(WrappedKey {
        owner: SecretOwner::Server,
        version: counted(version, "version")?,
        wrapped_by: KeyId(validated(wrapped_by.try_into(), "key id")?),
        wrapped,
        created_at: created_at.into(),
    })
}

fn secret_of(
    (purpose, number, key_version, envelope, created_at): SecretRow,
) -> Result<SealedSecret, StorageError> {
    Ok(SealedSecret {
        purpose,
        number: counted(number, "number")?,
        key_version: counted(key_version, "version")?,
        envelope,
        created_at: created_at.into(),
    })
}

/// The ids of the keys that wrap the server's data keys. `rows` are the tables of the database, which may be older.
pub fn wrapping_keys(db: &mut Db, rows: &BTreeMap<String, u64>) -> QueryResult<Vec<String>> {
    if !rows.contains_key("server_keys") {
        return Ok(Vec::new());
    }
    let ids: Vec<Vec<u8>> = server_keys::table
        .select(server_keys::wrapped_by)
        .distinct()
        .order(server_keys::wrapped_by)
        .load(db)?;
    let ids = ids.into_iter().filter_map(|it| it.try_into().ok());
    Ok(ids.map(|it| KeyId(it).to_string()).collect())
}

/// Removes the sealed secrets and their data keys: the next server makes new ones.
pub fn remove_all(db: &mut Db) -> QueryResult<()> {
    delete(sealed_secrets::table).execute(db)?;
    delete(server_keys::table).execute(db).map(drop)
}

#[async_trait]
impl SecretRepository for Session {
    async fn find_or_add(&mut self, name: &str, fresh: [u8; 32]) -> Result<[u8; 32], StorageError> {
        let name = name.to_owned();
        let value: Vec<u8> = self
            .change(TenantScope::System, move |db| {
                insert_into(server_secrets::table)
                    .values((
                        server_secrets::name.eq(&name),
                        server_secrets::value.eq(fresh.as_slice()),
                    ))
                    .on_conflict_do_nothing()
                    .execute(db)?;
                server_secrets::table
                    .filter(server_secrets::name.eq(&name))
                    .select(server_secrets::value)
                    .first(db)
            })
            .await?;
        validated(value.try_into(), "secret")
    }

    async fn find(&mut self, name: &str) -> Result<Option<[u8; 32]>, StorageError> {
        let name = name.to_owned();
        let read = |value: Vec<u8>| validated(value.try_into(), "secret");
        self.fetch_optional(TenantScope::System, read, move |db| {
            server_secrets::table
                .filter(server_secrets::name.eq(&name))
                .select(server_secrets::value)
                .first(db)
                .optional()
        })
        .await
    }

    async fn remove(&mut self, name: &str) -> Result<(), StorageError> {
        let name = name.to_owned();
        self.change(TenantScope::System, move |db| {
            delete(server_secrets::table.filter(server_secrets::name.eq(&name))).execute(db)
        })
        .await?;
        Ok(())
    }

    async fn server_keys(&mut self) -> Result<Vec<WrappedKey>, StorageError> {
        self.fetch_all(TenantScope::System, key_of, |db| {
            server_keys::table
                .order(server_keys::version.desc())
                .load(db)
        })
        .await
    }

    async fn add_server_key(&mut self, key: &WrappedKey) -> Result<bool, StorageError> {
        let key = key.clone();
        let added = self.change(TenantScope::System, move |db| {
            insert_into(server_keys::table)
                .values((
                    server_keys::version.eq(i64::from(key.version)),
                    server_keys::wrapped_by.eq(key.wrapped_by.0.as_slice()),
                    server_keys::wrapped.eq(&key.wrapped),
                    server_keys::created_at.eq(At(key.created_at)),
                ))
                .on_conflict_do_nothing()
                .execute(db)
        });
        Ok(added.await? == 1)
    }

    async fn rewrap_server_key(&mut self, key: &WrappedKey) -> Result<(), StorageError> {
        let key = key.clone();
        self.change(TenantScope::System, move |db| {
            let of_the_version = server_keys::version.eq(i64::from(key.version));
            update(server_keys::table.filter(of_the_version))
                .set((
                    server_keys::wrapped_by.eq(key.wrapped_by.0.as_slice()),
                    server_keys::wrapped.eq(&key.wrapped),
                ))
                .execute(db)
        })
        .await?;
        Ok(())
    }

    async fn sealed(&mut self, purpose: &str) -> Result<Vec<SealedSecret>, StorageError> {
        let purpose = purpose.to_owned();
        self.fetch_all(TenantScope::System, secret_of, move |db| {
            sealed_secrets::table
                .filter(sealed_secrets::purpose.eq(&purpose))
                .order(sealed_secrets::number.desc())
                .load(db)
        })
        .await
    }

    async fn add_sealed(&mut self, secret: &SealedSecret) -> Result<bool, StorageError> {
        let secret = secret.clone();
        let added = self.change(TenantScope::System, move |db| {
            insert_into(sealed_secrets::table)
                .values((
                    sealed_secrets::purpose.eq(&secret.purpose),
                    sealed_secrets::number.eq(i64::from(secret.number)),
                    sealed_secrets::key_version.eq(i64::from(secret.key_version)),
                    sealed_secrets::envelope.eq(&secret.envelope),
                    sealed_secrets::created_at.eq(At(secret.created_at)),
                ))
                .on_conflict_do_nothing()
                .execute(db)
        });
        Ok(added.await? == 1)
    }

    async fn remove_sealed(&mut self, purpose: &str, up_to: u32) -> Result<(), StorageError> {
        let purpose = purpose.to_owned();
        self.change(TenantScope::System, move |db| {
            let old = sealed_secrets::table
                .filter(sealed_secrets::purpose.eq(&purpose))
                .filter(sealed_secrets::number.le(i64::from(up_to)));
            delete(old).execute(db)
        })
        .await?;
        Ok(())
    }
}
