//! The password hasher port with Argon2id, on blocking threads, with bounded concurrency and queue.

use argon2::password_hash::{PasswordHasher as _, PasswordVerifier, phc};
use argon2::{Algorithm, Argon2, Params, Version};
use async_trait::async_trait;
use domain::password::{HashCost, PasswordHash, PasswordRefusal, TypedPassword};
use domain::ports::password_hasher::{HashingError, PasswordHasher, Verification};
use domain::ports::randomness::Randomness;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// RFC 9106, section 4.
const SALT_BYTES: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashingSettings {
    pub memory_kib: u32,
    pub passes: u32,
    pub lanes: u32,
    pub max_concurrency: usize,
    /// How many may wait in addition to these.
    pub max_waiting: usize,
}

impl Default for HashingSettings {
    /// 19 MiB, two passes, one lane: the minimum of OWASP's cheat sheet "Password Storage". One core stays free.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self {
            memory_kib: 19 * 1_024,
            passes: 2,
            lanes: 1,
            max_concurrency: (cores - 1).max(1),
            max_waiting: 32,
        }
    }
}

pub struct Argon2Hasher {
    params: Params,
    randomness: Arc<dyn Randomness>,
    queue_slots: Arc<Semaphore>,
    hash_permits: Arc<Semaphore>,
}

impl Argon2Hasher {
    pub fn new(
        settings: HashingSettings,
        randomness: Arc<dyn Randomness>,
    ) -> Result<Self, HashingError> {
        let params = Params::new(
            settings.memory_kib,
            settings.passes,
            settings.lanes,
            Some(Params::DEFAULT_OUTPUT_LEN),
        )
        .map_err(hashing_failed)?;
        Ok(Self {
            params,
            randomness,
            queue_slots: Arc::new(Semaphore::new(
                settings.max_concurrency + settings.max_waiting,
            )),
            hash_permits: Arc::new(Semaphore::new(settings.max_concurrency.max(1))),
        })
    }

    /// A hasher with the same parameters and separate limits, so that neither blocks the other.
    #[must_use]
    pub fn with_own_queue(&self, at_once: usize, waiting: usize) -> Self {
        Self {
            params: self.params.clone(),
            randomness: Arc::clone(&self.randomness),
            queue_slots: Arc::new(Semaphore::new(at_once + waiting)),
            hash_permits: Arc::new(Semaphore::new(at_once.max(1))),
        }
    }

    /// The parameters of the cost; the current ones if it cannot be parsed.
    fn dummy_params(&self, cost: Option<&HashCost>) -> Params {
        let read = |it: &HashCost| {
            let named = phc::PasswordHash::new(&it.parameters).ok()?;
            Params::try_from(&named).ok()
        };
        cost.and_then(read).unwrap_or_else(|| self.params.clone())
    }

    async fn run_queued<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, HashingError> + Send + 'static,
    ) -> Result<T, HashingError> {
        let queue_slot = Arc::clone(&self.queue_slots).try_acquire_owned();
        let queue_slot = queue_slot.map_err(|_| HashingError::Busy)?;
        let permit = Arc::clone(&self.hash_permits).acquire_owned().await;
        let permit = permit.map_err(hashing_failed)?;
        let task = tokio::task::spawn_blocking(move || {
            // Held until the work ends, even if the caller stops waiting.
            let _permits = (queue_slot, permit);
            work()
        });
        task.await.map_err(hashing_failed)?
    }
}

#[async_trait]
impl PasswordHasher for Argon2Hasher {
    async fn hash(&self, password: &TypedPassword) -> Result<PasswordHash, HashingError> {
        let (params, password) = (self.params.clone(), password.clone());
        let salt = salt(self.randomness.as_ref());
        let hashing = self.run_queued(move || compute_hash(&params, password.reveal(), &salt));
        hashing.await.map(PasswordHash)
    }

    async fn hash_new(
        &self,
        text: &str,
        known: &[String],
    ) -> Result<Result<PasswordHash, PasswordRefusal>, HashingError> {
        let (params, text) = (self.params.clone(), text.to_owned());
        let known = known.to_vec();
        let salt = salt(self.randomness.as_ref());
        self.run_queued(move || {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            match TypedPassword::parse_new(&text, &known) {
                Ok(password) => {
                    compute_hash(&params, password.reveal(), &salt).map(|it| Ok(PasswordHash(it)))
                }
                Err(refusal) => Ok(Err(refusal)),
            }
        })
        .await
    }

    async fn verify(
        &self,
        password: &TypedPassword,
        hash: &PasswordHash,
    ) -> Result<Verification, HashingError> {
        let known = phc::PasswordHash::new(&hash.0).map_err(hashing_failed)?;
        let is_outdated = Params::try_from(&known).map_err(hashing_failed)? != self.params;
        let password = password.clone();
        let is_match = self
            .run_queued(move || {
                Ok(Argon2::default()
                    .verify_password(password.reveal(), &known)
                    .is_ok())
            })
            .await?;
        Ok(if is_match {
            Verification::Right { is_outdated }
        } else {
            Verification::Wrong
        })
    }

    async fn verify_dummy(
        &self,
        password: &TypedPassword,
        cost: Option<HashCost>,
    ) -> Result<(), HashingError> {
        let (params, password) = (self.dummy_params(cost.as_ref()), password.clone());
        let salt = salt(self.randomness.as_ref());
        let hashing = self.run_queued(move || compute_hash(&params, password.reveal(), &salt));
        hashing.await.map(drop)
    }
}

fn salt(randomness: &dyn Randomness) -> [u8; SALT_BYTES] {
    let mut salt = [0; SALT_BYTES];
    randomness.fill(&mut salt);
    salt
}

fn compute_hash(params: &Params, password: &[u8], salt: &[u8]) -> Result<String, HashingError> {
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
    let hash = argon2.hash_password_with_salt(password, salt);
    Ok(hash.map_err(hashing_failed)?.to_string())
}

fn hashing_failed(cause: impl std::fmt::Display) -> HashingError {
    HashingError::Failed(cause.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::test_support::CountingRandomness;

    fn hasher(change: impl FnOnce(&mut HashingSettings)) -> Argon2Hasher {
        let mut settings = HashingSettings {
            memory_kib: 64,
            passes: 1,
            ..HashingSettings::default()
        };
        change(&mut settings);
        Argon2Hasher::new(settings, Arc::new(CountingRandomness::default())).expect("a hasher")
    }

    fn typed(text: &str) -> TypedPassword {
        TypedPassword::parse(text).expect("a password")
    }

    #[tokio::test]
    async fn password_matches_only_its_own_hash() {
        let hasher = hasher(|_| {});
        let (one, other) = (typed("kvašená řepa"), typed("kvašená repa"));
        let hash = hasher.hash(&one).await.expect("a hash");
        let again = hasher.hash(&one).await.expect("a hash");
        assert_ne!(hash, again, "each has its own salt");
        let right = Verification::Right { is_outdated: false };
        assert_eq!(hasher.verify(&one, &hash).await, Ok(right));
        assert_eq!(hasher.verify(&one, &again).await, Ok(right));
        let wrong = Ok(Verification::Wrong);
        assert_eq!(hasher.verify(&other, &hash).await, wrong);
    }

    #[tokio::test]
    async fn guessable_password_is_refused() {
        let (hasher, known) = (hasher(|_| {}), ["ann.lee@orchard.example".to_owned()]);
        let refused = hasher.hash_new("ann.lee.orchard", &known).await;
        assert_eq!(refused, Ok(Err(PasswordRefusal::Guessable)));
        let hash = hasher.hash_new("tkgz-81!rq04", &known).await;
        let hash = hash.expect("a turn").expect("a good one");
        let right = Ok(Verification::Right { is_outdated: false });
        let compared = hasher.verify(&typed("tkgz-81!rq04"), &hash).await;
        assert_eq!(compared, right);
    }

    #[tokio::test]
    async fn strength_estimation_is_queued_on_blocking_threads() {
        let hasher = hasher(|it| (it.max_concurrency, it.max_waiting) = (1, 0));
        let place = Arc::clone(&hasher.queue_slots).try_acquire_owned();
        let guessable = || hasher.hash_new("password1234", &[]);
        assert_eq!(guessable().await, Err(HashingError::Busy));
        drop(place);
        assert_eq!(guessable().await, Ok(Err(PasswordRefusal::Guessable)));
    }

    #[tokio::test]
    async fn hash_contains_its_parameters_and_can_be_outdated() {
        let (old, new) = (hasher(|_| {}), hasher(|it| it.passes = 2));
        let password = typed("tkgz-81!rq04");
        let hash = old.hash(&password).await.expect("a hash");
        assert!(
            hash.0.starts_with("$argon2id$v=19$m=64,t=1,p=1$"),
            "{}",
            hash.0
        );
        let outdated = Ok(Verification::Right { is_outdated: true });
        assert_eq!(new.verify(&password, &hash).await, outdated);
    }

    #[tokio::test]
    async fn dummy_verification_costs_as_much_as_a_stored_hash() {
        let (old, new) = (hasher(|_| {}), hasher(|it| it.passes = 2));
        let password = typed("tkgz-81!rq04");
        let cost = HashCost::of(&old.hash(&password).await.expect("a hash"));
        let kept = new.dummy_params(cost.as_ref());
        let costs = |it: &Params| (it.m_cost(), it.t_cost(), it.p_cost());
        assert_eq!(costs(&kept), costs(&old.params));
        assert_eq!(new.dummy_params(None), new.params);
        assert_eq!(new.verify_dummy(&password, cost).await, Ok(()));
    }

    #[tokio::test]
    async fn hash_of_the_reference_implementation_verifies() {
        // Test vector of the reference implementation: password "password", salt "somesalt", m=65536, t=2, p=1, version
        // 19 (phc-winner-argon2, src/test.c).
        let vector = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
        let compared = hasher(|_| {})
            .verify(&typed("password"), &PasswordHash(vector.into()))
            .await;
        assert_eq!(compared, Ok(Verification::Right { is_outdated: true }));
    }

    #[tokio::test]
    async fn full_hasher_does_not_block_another() {
        let full = hasher(|it| (it.max_concurrency, it.max_waiting) = (1, 0));
        let _place = Arc::clone(&full.queue_slots).try_acquire_owned();
        let password = typed("tkgz-81!rq04");
        assert_eq!(full.hash(&password).await, Err(HashingError::Busy));
        assert!(full.with_own_queue(1, 0).hash(&password).await.is_ok());
    }

    #[tokio::test]
    async fn full_queue_refuses_with_busy() {
        let hasher = Arc::new(hasher(|it| {
            it.memory_kib = 8 * 1_024;
            (it.max_concurrency, it.max_waiting) = (1, 2);
        }));
        let tried = (0..12).map(|_| {
            let hasher = Arc::clone(&hasher);
            tokio::spawn(async move { hasher.hash(&typed("tkgz-81!rq04")).await })
        });
        let tried: Vec<_> = tried.collect();
        let mut busy = 0;
        for one in tried {
            busy += usize::from(one.await.expect("an outcome") == Err(HashingError::Busy));
        }
        assert_eq!(busy, 9);
        assert!(hasher.hash(&typed("tkgz-81!rq04")).await.is_ok());
    }
}
