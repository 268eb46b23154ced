use super::given::Given;
use super::guesses::{Counted, NoGuess};
use super::sessions::{Cause, Place, SessionSecrets, SignedIn, begin_session, put_away};
use super::{Core, may_be_storage, sessions};
use crate::account::AccountStatus;
use crate::audit::{Actor, AuditAction, AuditEvent};
use crate::email::EmailAddress;
use crate::ids::AccountId;
use crate::password::{HashCost, PasswordHash, TypedPassword};
use crate::ports::password_hasher::{Compared, HashingError, PasswordHasher};
use crate::ports::passwords::Credentials;
use crate::ports::storage::{Repositories, StorageError, Transaction};
use crate::session::SessionHash;
use crate::throttle::GuessLimit;
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

pub struct SignIn {
    core: Arc<Core>,
    hasher: Arc<dyn PasswordHasher>,
    /// For known devices: guesses of others do not keep it busy.
    known_hasher: Arc<dyn PasswordHasher>,
    costs: Mutex<Option<Costs>>,
}

/// What kept hashes cost to compare, and when that was read.
type Costs = (DateTime<Utc>, Arc<[HashCost]>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub email: EmailAddress,
    pub password: TypedPassword,
    /// Where; with a mark of the device when it counts.
    pub place: Place,
    /// The session that the browser had until now; it ends.
    pub before: Option<SessionHash>,
}

#[derive(Debug, Error)]
pub enum SignInError {
    /// Address and password do not belong together, or open nothing: which of it is not told.
    #[error("e-mail address or password are not accepted")]
    Refused {
        /// Whose address it is; for the log alone, never for the answer.
        whose: Option<AccountId>,
    },
    #[error("guesses come too fast")]
    Wait(TimeDelta),
    #[error("too many passwords are being checked")]
    Busy,
    #[error("{0}")]
    Broken(String),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(SignInError);

impl From<NoGuess> for SignInError {
    fn from(error: NoGuess) -> Self {
        match error {
            NoGuess::Wait(wait) => Self::Wait(wait),
            NoGuess::Storage(error) => Self::Storage(error),
        }
    }
}

impl From<HashingError> for SignInError {
    fn from(error: HashingError) -> Self {
        match error {
            HashingError::Busy => Self::Busy,
            HashingError::Broken(what) => Self::Broken(what),
        }
    }
}

impl SignIn {
    pub fn new(
        core: Arc<Core>,
        hasher: Arc<dyn PasswordHasher>,
        known_hasher: Arc<dyn PasswordHasher>,
    ) -> Self {
        Self {
            core,
            hasher,
            known_hasher,
            costs: Mutex::new(None),
        }
    }

    /// How many kept hashes are looked at to know what they cost.
    pub const MOST_COSTS: u32 = 1_000;
    /// How long that is taken to be true.
    const COSTS_ARE_READ_EVERY: TimeDelta = TimeDelta::minutes(1);

    /// The same is done, in the same order, for addresses that nobody has: looking up, counting,
    /// hashing at the cost of a hash that is kept.
    pub async fn run(&self, attempt: &Attempt) -> Result<SignedIn, SignInError> {
        let mut reader = self.core.storage.read().await?;
        let found = reader.passwords().credentials(&attempt.email).await?;
        let costs = self.costs(reader.as_mut()).await?;
        drop(reader);
        let mark = attempt.place.device.as_ref();
        let of_device = |known: &Credentials| mark?.throttle_key(known.user.id);
        let (hasher, limits) = match found.as_ref().and_then(of_device) {
            Some(key) => (&self.known_hasher, GuessLimit::alone(key)),
            None => (
                &self.hasher,
                GuessLimit::of_stranger(&attempt.email, attempt.place.network),
            ),
        };
        let guess = self.core.count_guess(&limits).await?;

        let stand_in = HashCost::standing_in_for(&attempt.email, &costs).cloned();
        let compared = match found.as_ref().and_then(|it| it.password.as_ref()) {
            Some(hash) => hasher.compare(&attempt.password, hash).await,
            None => { hasher.pretend(&attempt.password, stand_in).await }.map(|()| Compared::Wrong),
        };
        let compared = match compared {
            Err(HashingError::Busy) => {
                self.core.give_back_guess(&guess).await?;
                return Err(SignInError::Busy);
            }
            outcome => outcome?,
        };
        let whose = found.as_ref().map(|it| it.account.id);
        let is_open = |it: &Credentials| it.account.status == AccountStatus::Active;
        let (Some(known), Compared::Right { is_outdated }) = (found.filter(is_open), compared)
        else {
            return Err(SignInError::Refused { whose });
        };
        let renewed = if is_outdated {
            renewed(hasher.as_ref(), &attempt.password).await?
        } else {
            None
        };
        let core = &self.core;
        let prepare = || (core.given(), SessionSecrets::generate(&*core.randomness));
        let begin = |work, given| begin(work, given, attempt, &known, renewed.as_ref(), &guess);
        core.transaction_with(prepare, begin).await
    }

    /// What kept hashes cost, read anew when it was read too long ago.
    async fn costs(&self, reader: &mut dyn Repositories) -> Result<Arc<[HashCost]>, StorageError> {
        let kept = || self.costs.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.core.clock.now();
        let known = kept().clone();
        if let Some((read_at, costs)) = known
            && (now - read_at).abs() < Self::COSTS_ARE_READ_EVERY
        {
            return Ok(costs);
        }
        let costs: Arc<[HashCost]> = reader.passwords().costs(Self::MOST_COSTS).await?.into();
        *kept() = Some((now, Arc::clone(&costs)));
        Ok(costs)
    }
}

async fn begin(
    mut work: Box<dyn Transaction>,
    (mut given, secrets): (Given, SessionSecrets),
    attempt: &Attempt,
    known: &Credentials,
    renewed: Option<&PasswordHash>,
    guess: &Counted,
) -> Result<SignedIn, SignInError> {
    let (account, user, now) = (known.account.id, known.user.id, given.now);
    // A password that was changed while the old one was being checked is the wrong one now.
    if work.passwords().lock(account, user).await? != known.password {
        return Err(SignInError::Refused {
            whose: Some(account),
        });
    }
    if let Some(hash) = renewed {
        work.passwords().set(account, user, hash, now).await?;
    }
    guess.was_right(work.as_mut(), now).await?;
    if let Some(before) = attempt.before {
        let before = work.sessions().find_by_hash(before).await?;
        if let Some(before) = before.map(|it| it.session) {
            let cause = { before.accept(now) }.map_or(Cause::Over, |()| Cause::SignedInAnew);
            let ended = [before];
            put_away(work.as_mut(), &ended, cause, &mut given).await?;
        }
    }
    let whose = (&known.account, &known.user);
    let place = &attempt.place;
    let signed_in = begin_session(work.as_mut(), whose, place, &mut given, secrets).await?;
    let event = AuditEvent {
        detail: sessions::told(&signed_in.session),
        ..given.event(account, Actor::Owner, AuditAction::SessionBegun)
    };
    work.audit().record(&event).await?;
    work.commit().await?;
    Ok(signed_in)
}

/// The hash by the parameters of today. When nobody has time for it, the next sign-in makes it.
async fn renewed(
    hasher: &dyn PasswordHasher,
    password: &TypedPassword,
) -> Result<Option<PasswordHash>, SignInError> {
    match hasher.hash(password).await {
        Err(HashingError::Busy) => Ok(None),
        outcome => Ok(Some(outcome?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Account;
    use crate::ports::password_hasher::MockPasswordHasher;
    use crate::test_support::{FakeStorage, a_user, an_account, core};
    use crate::throttle::{AddressPrefix, Throttle};

    fn attempt() -> Attempt {
        Attempt {
            email: a_user().email,
            password: TypedPassword::parse("tkgz-81!rq04").unwrap(),
            place: Place {
                network: AddressPrefix::of("192.0.2.1".parse().unwrap()),
                browser: Some("Fire\u{202E}fox".into()),
                device: None,
            },
            before: None,
        }
    }

    fn sign_in(storage: &Arc<FakeStorage>, hasher: MockPasswordHasher) -> SignIn {
        let core = Arc::new(core(storage.clone()));
        let hasher: Arc<dyn PasswordHasher> = Arc::new(hasher);
        SignIn::new(core, Arc::clone(&hasher), hasher)
    }

    fn knowing(found: Option<Credentials>) -> Arc<FakeStorage> {
        let storage = Arc::new(FakeStorage::default());
        storage.expect(move |read| {
            read.passwords
                .expect_credentials()
                .return_once(move |_| Ok(found));
            read.passwords.expect_costs().returning(|_| Ok(costs()));
        });
        storage.expect(|work| {
            work.throttles.expect_lock().times(2).returning(|_, now| {
                Ok(Throttle {
                    guesses: 0,
                    last_at: now,
                })
            });
            work.throttles
                .expect_save()
                .times(2)
                .returning(|_, _| Ok(()));
        });
        storage
    }

    /// Of a server whose parameters were raised after one of two people signed in last.
    fn costs() -> Vec<HashCost> {
        let of = |hash: &str| HashCost::of(&PasswordHash(hash.into())).unwrap();
        vec![
            of("$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$b25l"),
            of("$argon2id$v=19$m=65536,t=3,p=1$b3RoZXJzYWx0$b3RoZXI"),
        ]
    }

    fn credentials(account: Account) -> Credentials {
        Credentials {
            account,
            user: a_user(),
            password: Some(PasswordHash("old".into())),
        }
    }

    #[tokio::test]
    async fn an_address_that_nobody_has_costs_the_same_work() {
        let storage = knowing(None);
        let mut hasher = MockPasswordHasher::new();
        let expected = HashCost::standing_in_for(&attempt().email, &costs()).cloned();
        assert!(expected.is_some());
        hasher
            .expect_pretend()
            .once()
            .withf(move |_, cost| *cost == expected)
            .returning(|_, _| Ok(()));
        let outcome = sign_in(&storage, hasher).run(&attempt()).await;
        assert!(matches!(outcome, Err(SignInError::Refused { whose: None })));
        assert_eq!(storage.commits(), 1, "the guess is counted");
    }

    #[tokio::test]
    async fn an_account_without_a_password_costs_the_same_work() {
        let storage = knowing(Some(Credentials {
            password: None,
            ..credentials(an_account())
        }));
        let mut hasher = MockPasswordHasher::new();
        hasher.expect_pretend().once().returning(|_, _| Ok(()));
        let outcome = sign_in(&storage, hasher).run(&attempt()).await;
        assert!(matches!(outcome, Err(SignInError::Refused { .. })));
    }

    #[tokio::test]
    async fn the_right_password_of_a_disabled_account_opens_nothing() {
        let disabled = Account {
            status: AccountStatus::Disabled,
            ..an_account()
        };
        let mut hasher = MockPasswordHasher::new();
        hasher
            .expect_compare()
            .returning(|_, _| Ok(Compared::Right { is_outdated: false }));
        let storage = knowing(Some(credentials(disabled)));
        let outcome = sign_in(&storage, hasher).run(&attempt()).await;
        assert!(matches!(outcome, Err(SignInError::Refused { .. })));
    }

    #[tokio::test]
    async fn an_outdated_hash_is_renewed_with_the_session() {
        let storage = knowing(Some(credentials(an_account())));
        storage.expect(|work| {
            work.passwords
                .expect_lock()
                .returning(|_, _| Ok(Some(PasswordHash("old".into()))));
            work.passwords
                .expect_set()
                .once()
                .withf(|_, _, hash, _| hash.0 == "new")
                .returning(|_, _, _, _| Ok(()));
            work.throttles.expect_forget().once().returning(|_| Ok(()));
            // The count by e-mail address keeps the guesses of others.
            work.throttles.expect_lock().return_once(|_, now| {
                Ok(Throttle {
                    guesses: 8,
                    last_at: now,
                })
            });
            work.throttles
                .expect_save()
                .once()
                .withf(|_, it| it.guesses == 7)
                .returning(|_, _| Ok(()));
            work.sessions.expect_list().returning(|_, _| Ok(vec![]));
            work.sessions.expect_end().returning(|_, _, _| Ok(0));
            work.sessions
                .expect_add()
                .once()
                .withf(|session, _| session.browser.as_deref() == Some("Firefox"))
                .returning(|_, _| Ok(()));
            work.audit
                .expect_record()
                .once()
                .withf(|it| it.action == AuditAction::SessionBegun)
                .returning(|_| Ok(()));
        });
        let mut hasher = MockPasswordHasher::new();
        hasher
            .expect_compare()
            .returning(|_, _| Ok(Compared::Right { is_outdated: true }));
        hasher
            .expect_hash()
            .once()
            .returning(|_| Ok(PasswordHash("new".into())));
        let signed_in = sign_in(&storage, hasher).run(&attempt()).await.unwrap();
        assert_eq!((signed_in.user, storage.commits()), (a_user(), 2));
    }

    #[tokio::test]
    async fn a_password_that_was_changed_meanwhile_opens_nothing() {
        let storage = knowing(Some(credentials(an_account())));
        storage.expect(|work| {
            work.passwords
                .expect_lock()
                .returning(|_, _| Ok(Some(PasswordHash("newer".into()))));
        });
        let mut hasher = MockPasswordHasher::new();
        hasher
            .expect_compare()
            .returning(|_, _| Ok(Compared::Right { is_outdated: false }));
        let outcome = sign_in(&storage, hasher).run(&attempt()).await;
        assert!(matches!(outcome, Err(SignInError::Refused { .. })));
    }

    #[tokio::test]
    async fn a_guess_that_nobody_could_look_at_does_not_count() {
        let storage = knowing(None);
        storage.expect(|work| {
            work.throttles.expect_lock().times(2).returning(|_, now| {
                Ok(Throttle {
                    guesses: 3,
                    last_at: now,
                })
            });
            work.throttles
                .expect_save()
                .times(2)
                .withf(|_, it| it.guesses == 2)
                .returning(|_, _| Ok(()));
        });
        let mut hasher = MockPasswordHasher::new();
        hasher
            .expect_pretend()
            .returning(|_, _| Err(HashingError::Busy));
        let outcome = sign_in(&storage, hasher).run(&attempt()).await;
        assert!(matches!(outcome, Err(SignInError::Busy)));
        assert_eq!(storage.commits(), 2);
    }
}
