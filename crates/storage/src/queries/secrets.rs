use crate::executor::session::{Session, TenantScope};
use crate::rows::validated;
use crate::schema::server_secrets;
use async_trait::async_trait;
use diesel::{insert_into, prelude::*};
use domain::ports::{secrets::SecretRepository, storage::StorageError};

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
}
