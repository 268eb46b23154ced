use crate::{
    account::AccountStatus,
    device::DeviceMark,
    ports::storage::{Storage, StorageError},
};
use std::sync::Arc;

pub struct RecognizeDevice {
    storage: Arc<dyn Storage>,
}

impl RecognizeDevice {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// Whether the mark counts: its account is active, and since it was issued the person neither changed the
    /// password nor signed out everywhere. Two indexed reads.
    pub async fn run(&self, mark: &DeviceMark) -> Result<bool, StorageError> {
        let mut read = self.storage.read().await?;
        let account = read.accounts().find(mark.account()).await?;
        if account.is_none_or(|it| it.status != AccountStatus::Active) {
            return Ok(false);
        }
        let from = { read.passwords() }
            .devices_from(mark.account(), mark.user())
            .await?;
        Ok(from.is_some_and(|at| at <= mark.issued_at()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::Account,
        ports::clock::Clock,
        test_support::{CountingRandomness, FakeStorage, FrozenClock, a_user, an_account},
    };
    use chrono::TimeDelta;

    #[tokio::test]
    async fn a_mark_ends_with_its_account_and_what_withdraws_it() {
        let now = FrozenClock::default().now();
        let earlier = now - TimeDelta::microseconds(1);
        let disabled = Account {
            status: AccountStatus::Disabled,
            ..an_account()
        };
        for (account, from, expected) in [
            (Some(an_account()), Some(now), true),
            (Some(an_account()), Some(earlier), true),
            (
                Some(an_account()),
                Some(now + TimeDelta::microseconds(1)),
                false,
            ),
            (Some(an_account()), None, false),
            (Some(disabled), Some(now), false),
            (None, Some(now), false),
        ] {
            let storage = Arc::new(FakeStorage::default());
            storage.expect(move |read| {
                read.accounts.expect_find().return_once(|_| Ok(account));
                let passwords = read.passwords.expect_devices_from();
                passwords.return_once(move |_, _| Ok(from));
            });
            let mark = DeviceMark::new(&a_user(), now, &CountingRandomness::default());
            let recognized = RecognizeDevice::new(storage).run(&mark).await.unwrap();
            assert_eq!(recognized, expected);
        }
    }
}
