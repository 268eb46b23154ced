use super::guesses::{CountedGuess, NoGuess};
use super::members::{AcceptError, join, present_member, with_current_name};
use super::person_links::note_new_device;
use super::sessions::{
    ClientInfo, EndCause, Seat, SessionSecrets, SignedIn, begin_session, end_and_audit,
};
use super::transaction_input::TransactionInput;
use super::{Core, impl_as_storage_error, sessions};
use crate::account::{Account, AccountStatus};
use crate::audit::{AuditAction, AuditEvent};
use crate::device::DeviceCookie;
use crate::email::EmailAddress;
use crate::ids::{AccountId, UserId};
use crate::link::LinkHash;
use crate::password::{HashCost, PasswordHash, TypedPassword};
use crate::ports::password_hasher::{HashingError, PasswordHasher, Verification};
use crate::ports::passwords::Credentials;
use crate::ports::storage::{Repositories, StorageError, Transaction};
use crate::session::SessionHash;
use crate::throttle::GuessLimit;
use crate::user::User;
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

pub struct SignIn {
    core: Arc<Core>,
    hasher: Arc<dyn PasswordHasher>,
    /// For known devices, so that guesses of others do not occupy it.
    device_hasher: Arc<dyn PasswordHasher>,
    costs: Mutex<Option<Costs>>,
}

/// Verification costs of stored hashes, and when they were read.
type Costs = (DateTime<Utc>, Arc<[HashCost]>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInAttempt {
    pub email: EmailAddress,
    pub password: TypedPassword,
    /// Network, browser and, if valid, device cookie.
    pub client: ClientInfo,
    /// The browser's previous session, which ends.
    pub before: Option<SessionHash>,
}

#[derive(Debug, Error)]
pub enum SignInError {
    /// Wrong address or password, or a disabled account; the response does not reveal which.
    #[error("e-mail address or password are not accepted")]
    Refused {
        /// Home account and person of the address; only for the log, never for the response.
        person: Option<(AccountId, UserId)>,
    },
    #[error("guesses come too fast")]
    Wait(TimeDelta),
    #[error("too many passwords are being checked")]
    Busy,
    /// The password was right, but the invitation could not be accepted.
    #[error(transparent)]
    NotJoined(AcceptError),
    #[error("{0}")]
    HashingFailed(String),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(SignInError);

impl From<NoGuess> for SignInError {
    fn from(error: NoGuess) -> Self {
        match error {
            NoGuess::Wait(wait) => Self::Wait(wait),
            NoGuess::Storage(error) => Self::Storage(error),
        }
    }
}

impl From<AcceptError> for SignInError {
    fn from(error: AcceptError) -> Self {
        match error {
            AcceptError::Storage(error) => Self::Storage(error),
            other => Self::NotJoined(other),
        }
    }
}

impl From<HashingError> for SignInError {
    fn from(error: HashingError) -> Self {
        match error {
            HashingError::Busy => Self::Busy,
            HashingError::Failed(cause) => Self::HashingFailed(cause),
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
            device_hasher: known_hasher,
            costs: Mutex::new(None),
        }
    }

    /// Number of stored hashes sampled for their cost.
    pub const MAX_COSTS: u32 = 1_000;
    /// Cache lifetime.
    const COSTS_TTL: TimeDelta = TimeDelta::minutes(1);

    /// Unknown addresses take the same steps in the same order: lookup, count, verification at the
    /// cost of a stored hash.
    pub async fn run(&self, attempt: &SignInAttempt) -> Result<SignedIn, SignInError> {
        self.sign_in(attempt, None).await
    }

    /// Signs a known person in to the account of an invitation, which is accepted with it.
    pub async fn join(
        &self,
        attempt: &SignInAttempt,
        link: LinkHash,
    ) -> Result<SignedIn, SignInError> {
        self.sign_in(attempt, Some(link)).await
    }

    async fn sign_in(
        &self,
        attempt: &SignInAttempt,
        joins: Option<LinkHash>,
    ) -> Result<SignedIn, SignInError> {
        let mut reader = self.core.storage.read().await?;
        let found = reader.passwords().credentials(&attempt.email).await?;
        let costs = self.costs(reader.as_mut()).await?;
        drop(reader);
        let mark = attempt.client.device.as_ref();
        let of_device = |known: &Credentials| mark?.throttle_key(known.user.id);
        let (hasher, limits) = match found.as_ref().and_then(of_device) {
            Some(key) => (&self.device_hasher, GuessLimit::single(key)),
            None => (
                &self.hasher,
                GuessLimit::for_unknown_device(&attempt.email, attempt.client.network),
            ),
        };
        let guess = self.core.count_guess(&limits).await?;

        let stand_in = HashCost::decoy_for(&attempt.email, &costs).cloned();
        let compared = match found.as_ref().and_then(|it| it.password.as_ref()) {
            Some(hash) => hasher.verify(&attempt.password, hash).await,
            None => { hasher.verify_dummy(&attempt.password, stand_in).await }
                .map(|()| Verification::Wrong),
        };
        let compared = match compared {
            Err(HashingError::Busy) => {
                self.core.give_back_guess(&guess).await?;
                return Err(SignInError::Busy);
            }
            outcome => outcome?,
        };
        let person = found.as_ref().map(|it| (it.account.id, it.user.id));
        let (Some(known), Verification::Right { is_outdated }) = (found, compared) else {
            return Err(SignInError::Refused { person });
        };
        let renewed = if is_outdated {
            renewed(hasher.as_ref(), &attempt.password).await?
        } else {
            None
        };
        let core = &self.core;
        let checked = Checked {
            known: &known,
            renewed: renewed.as_ref(),
            guess: &guess,
        };
        let begin = |work, given| begin(work, given, attempt, &checked, joins);
        core.storage
            .transaction_with(|| core.input_with_secrets(), begin)
            .await
    }

    /// Cached verification costs of stored hashes.
    async fn costs(&self, reader: &mut dyn Repositories) -> Result<Arc<[HashCost]>, StorageError> {
        let kept = || self.costs.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.core.clock.now();
        let known = kept().clone();
        if let Some((read_at, costs)) = known
            && (now - read_at).abs() < Self::COSTS_TTL
        {
            return Ok(costs);
        }
        let costs: Arc<[HashCost]> = reader.passwords().costs(Self::MAX_COSTS).await?.into();
        *kept() = Some((now, Arc::clone(&costs)));
        Ok(costs)
    }
}

/// A password that was right.
struct Checked<'a> {
    known: &'a Credentials,
    /// Its hash with current parameters, if the stored one is outdated.
    renewed: Option<&'a PasswordHash>,
    guess: &'a CountedGuess,
}

async fn begin(
    mut work: Box<dyn Transaction>,
    (mut given, secrets): (TransactionInput, SessionSecrets),
    attempt: &SignInAttempt,
    checked: &Checked<'_>,
    joins: Option<LinkHash>,
) -> Result<SignedIn, SignInError> {
    let Checked {
        known,
        renewed,
        guess,
    } = *checked;
    let (home, user, now) = (known.account.id, known.user.id, given.now);
    let refused = || SignInError::Refused {
        person: Some((home, user)),
    };
    // If the password was changed during verification, the old one is wrong now.
    if work.passwords().lock(home, user).await? != known.password {
        return Err(refused());
    }
    // Role and membership may have changed since the password was read.
    let person = work.members().find(home, user).await?;
    let person = person.ok_or_else(refused)?;
    if let Some(hash) = renewed {
        work.passwords().set(&person, hash, now).await?;
    }
    let (account, member, home) = if let Some(link) = joins {
        let joined = join(work.as_mut(), &mut given, link, &person).await?;
        (joined.account, joined.user, joined.home)
    } else {
        let opened = open_account(work.as_mut(), &known.account, &person).await?;
        let (account, member) = opened.ok_or_else(refused)?;
        let member = with_current_name(work.as_mut(), member, &person).await?;
        (account, member, home)
    };
    guess.was_right(work.as_mut(), now).await?;
    if let Some(before) = attempt.before {
        let before = work.sessions().find_by_hash(before).await?;
        if let Some(before) = before.map(|it| it.session) {
            let cause =
                { before.accept(now) }.map_or(EndCause::Expired, |()| EndCause::SignedInAnew);
            let ended = [before];
            end_and_audit(work.as_mut(), &ended, cause, &mut given).await?;
        }
    }
    let seat = Seat {
        home,
        account: &account,
        user: &member,
    };
    let place = &attempt.client;
    let signed_in = begin_session(work.as_mut(), seat, place, &mut given, secrets).await?;
    let event = AuditEvent {
        detail: sessions::describe_session(&signed_in.session),
        ..given.event(home, &member, AuditAction::SessionBegun)
    };
    work.audit().record(&event).await?;
    // The cookie of another person's sign-in on the device does not count.
    let is_of_person = |it: &DeviceCookie| (it.account(), it.user()) == (home, person.id);
    if !place.device.as_ref().is_some_and(is_of_person) {
        let of = (signed_in.session.browser.clone(), place.network);
        note_new_device(work.as_mut(), &mut given, &person, of).await?;
    }
    work.commit().await?;
    Ok(signed_in)
}

/// The account that a person who signs in works in: the home account, else the first other that is open.
async fn open_account(
    work: &mut dyn Transaction,
    home: &Account,
    user: &User,
) -> Result<Option<(Account, User)>, StorageError> {
    if home.status == AccountStatus::Active && !user.has_left() {
        return Ok(Some((home.clone(), user.clone())));
    }
    // At most [`MAX_ACCOUNTS`](super::members::MAX_ACCOUNTS).
    for other in work.members().joined_accounts(home.id, user.id).await? {
        if let Some(open) = open_membership(work, other, user.id).await? {
            return Ok(Some(open));
        }
    }
    Ok(None)
}

/// The account and the member, unless the account is disabled or the member left.
pub(super) async fn open_membership(
    read: &mut (impl Repositories + ?Sized),
    account: AccountId,
    person: UserId,
) -> Result<Option<(Account, User)>, StorageError> {
    let Some(member) = present_member(read, account, person).await? else {
        return Ok(None);
    };
    let account = read.accounts().find(account).await?;
    let account = account.filter(|it| it.status == AccountStatus::Active);
    Ok(account.map(|it| (it, member)))
}

/// The hash with current parameters; `None` if the hasher is busy, so that the next sign-in renews it.
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
    use crate::ports::password_hasher::MockPasswordHasher;
    use crate::test_support::fixtures::{Fixture, account, now, user};
    use crate::test_support::{ACCOUNT, MemoryStorage, PasswordRow, a_user, core};
    use crate::throttle::{AddressPrefix, Throttle};

    fn attempt() -> SignInAttempt {
        SignInAttempt {
            email: a_user().email,
            password: TypedPassword::parse("tkgz-81!rq04").unwrap(),
            client: ClientInfo {
                network: AddressPrefix::of("192.0.2.1".parse().unwrap()),
                browser: Some("Fire\u{202E}fox".into()),
                device: None,
            },
            before: None,
        }
    }

    fn sign_in(storage: &MemoryStorage, hasher: MockPasswordHasher) -> SignIn {
        let core = Arc::new(core(storage.port()));
        let hasher: Arc<dyn PasswordHasher> = Arc::new(hasher);
        SignIn::new(core, Arc::clone(&hasher), hasher)
    }

    fn set_password(storage: &MemoryStorage, user: UserId, hash: &str) {
        let password = PasswordRow {
            hash: PasswordHash(hash.to_owned()),
            changed_at: now(),
            devices_from: None,
        };
        storage.put(|state| {
            state.passwords.insert((ACCOUNT, user), password);
        });
    }

    /// Parameters were raised after one of two users last signed in.
    const HASHES: [&str; 2] = [
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$b25l",
        "$argon2id$v=19$m=65536,t=3,p=1$b3RoZXJzYWx0$b3RoZXI",
    ];

    fn with_others() -> MemoryStorage {
        let storage = MemoryStorage::default();
        for (id, hash) in (91..).zip(HASHES) {
            set_password(&storage, UserId(id), hash);
        }
        storage
    }

    /// Storage with the user's password and nothing else.
    fn knowing(account: Fixture<Account>, password: Option<&str>) -> MemoryStorage {
        let storage = with_others().with(account).with(user());
        if let Some(password) = password {
            set_password(&storage, a_user().id, password);
        }
        storage
    }

    /// Counters of the network and of the e-mail address.
    fn guesses(storage: &MemoryStorage) -> [Option<u32>; 2] {
        let state = storage.state();
        keys().map(|it| state.throttles.get(&it).map(|it| it.guesses))
    }

    fn keys() -> [[u8; 32]; 2] {
        let limits = GuessLimit::for_unknown_device(&attempt().email, attempt().client.network);
        [limits[0].key.0, limits[1].key.0]
    }

    /// Adds guesses of others during a verification.
    fn guess_meanwhile(storage: &MemoryStorage, key: [u8; 32], guesses: u32) {
        let counted = Throttle {
            guesses,
            last_at: now(),
        };
        storage.put(|state| {
            state.throttles.insert(key, counted);
        });
    }

    #[tokio::test]
    async fn an_unknown_address_costs_the_same_work() {
        let storage = with_others();
        let mut hasher = MockPasswordHasher::new();
        let costs = HASHES.map(|it| HashCost::of(&PasswordHash(it.to_owned())).unwrap());
        let expected = HashCost::decoy_for(&attempt().email, &costs).cloned();
        assert!(expected.is_some());
        hasher
            .expect_verify_dummy()
            .once()
            .withf(move |_, cost| *cost == expected)
            .returning(|_, _| Ok(()));
        let outcome = sign_in(&storage, hasher).run(&attempt()).await;
        assert!(matches!(
            outcome,
            Err(SignInError::Refused { person: None })
        ));
        assert_eq!(storage.commits(), 1);
        assert_eq!(guesses(&storage), [Some(1); 2], "the guess is counted");
    }

    #[tokio::test]
    async fn an_account_without_a_password_costs_the_same_work() {
        let storage = knowing(account(), None);
        let mut hasher = MockPasswordHasher::new();
        hasher.expect_verify_dummy().once().returning(|_, _| Ok(()));
        let outcome = sign_in(&storage, hasher).run(&attempt()).await;
        assert!(matches!(outcome, Err(SignInError::Refused { .. })));
        assert_eq!(guesses(&storage), [Some(1); 2]);
    }

    fn right(is_outdated: bool) -> MockPasswordHasher {
        let mut hasher = MockPasswordHasher::new();
        hasher
            .expect_verify()
            .withf(|_, hash| hash.0 == "old")
            .returning(move |_, _| Ok(Verification::Right { is_outdated }));
        hasher
    }

    #[tokio::test]
    async fn the_right_password_of_a_disabled_account_opens_nothing() {
        let storage = knowing(account().disabled(), Some("old"));
        let outcome = sign_in(&storage, right(false)).run(&attempt()).await;
        assert!(matches!(outcome, Err(SignInError::Refused { .. })));
        assert!(storage.state().sessions.is_empty());
    }

    #[tokio::test]
    async fn an_outdated_hash_is_renewed_with_the_session() {
        let storage = knowing(account(), Some("old"));
        let mut hasher = right(true);
        let others = storage.clone();
        hasher.expect_hash().once().returning(move |_| {
            guess_meanwhile(&others, keys()[1], 8);
            Ok(PasswordHash("new".into()))
        });
        let signed_in = sign_in(&storage, hasher).run(&attempt()).await.unwrap();
        assert_eq!((&signed_in.user, storage.commits()), (&a_user(), 2));
        let state = storage.state();
        assert_eq!(state.passwords[&(ACCOUNT, a_user().id)].hash.0, "new");
        // The counter of the e-mail address keeps the guesses of others.
        assert_eq!(guesses(&storage), [None, Some(7)]);
        let (session, hash) = &state.sessions[&(ACCOUNT, signed_in.session.id)];
        assert_eq!(session.browser.as_deref(), Some("Firefox"));
        assert_eq!(*hash, signed_in.secret.hash());
        let actions: Vec<AuditAction> = state.audit.values().map(|it| it.action).collect();
        assert_eq!(actions, [AuditAction::SessionBegun]);
    }

    #[tokio::test]
    async fn a_password_changed_during_sign_in_opens_nothing() {
        let storage = knowing(account(), Some("old"));
        let mut hasher = MockPasswordHasher::new();
        let changed = storage.clone();
        hasher.expect_verify().returning(move |_, _| {
            set_password(&changed, a_user().id, "newer");
            Ok(Verification::Right { is_outdated: false })
        });
        let outcome = sign_in(&storage, hasher).run(&attempt()).await;
        assert!(matches!(outcome, Err(SignInError::Refused { .. })));
        let state = storage.state();
        assert!(state.sessions.is_empty() && state.audit.is_empty());
        assert_eq!(guesses(&storage), [Some(1); 2]);
    }

    #[tokio::test]
    async fn a_guess_refused_as_busy_does_not_count() {
        for meanwhile in [None, Some(3)] {
            let storage = with_others();
            let mut hasher = MockPasswordHasher::new();
            let others = storage.clone();
            hasher.expect_verify_dummy().returning(move |_, _| {
                for (key, guesses) in keys().into_iter().zip([meanwhile; 2]) {
                    if let Some(guesses) = guesses {
                        guess_meanwhile(&others, key, guesses);
                    }
                }
                Err(HashingError::Busy)
            });
            let outcome = sign_in(&storage, hasher).run(&attempt()).await;
            assert!(matches!(outcome, Err(SignInError::Busy)));
            let left = meanwhile.map_or(0, |it| it - 1);
            assert_eq!(guesses(&storage), [Some(left); 2]);
            assert_eq!(storage.commits(), 2);
        }
    }
}
