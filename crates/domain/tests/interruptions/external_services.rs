//! External dependencies; counts their calls.

use analysis::{
    observation::keyword_research::{KeywordFigures, ResearchedKeyword},
    provenance::Provenance,
};
use async_trait::async_trait;
use chrono::{DateTime, Days, NaiveDate, Utc};
use domain::ports::secret_cipher::{CipherError, SecretCipher};
use domain::sealed_secret::{Binding, KeyId, SecretBytes, SecretOwner, WrappedKey};
use domain::{
    password::{HashCost, PasswordHash, PasswordRefusal, TypedPassword},
    ports::{
        keyword_data::{KeywordData, KeywordDataLabel, KeywordDataOutcome, KeywordQuery},
        page_speed::NotConfigured,
        paid_call_ledger::PaidCallLedger,
        password_hasher::{HashingError, PasswordHasher, Verification},
        search_console::{SearchConsole, SearchConsoleError},
        search_results::{PaidCallRefusal, Spent},
        sleeper::Sleeper,
    },
    search_console::{DimensionSet, Property, SearchRow, Span},
    test_support::fixtures::now,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

#[derive(Clone, Default)]
pub struct Outside(Arc<AtomicU32>);

impl Outside {
    pub fn calls(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }

    pub fn count(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Every password is right.
#[async_trait]
impl PasswordHasher for Outside {
    async fn hash(&self, _: &TypedPassword) -> Result<PasswordHash, HashingError> {
        self.count();
        Ok(PasswordHash("new".to_owned()))
    }

    async fn hash_new(
        &self,
        _: &str,
        _: &[String],
    ) -> Result<Result<PasswordHash, PasswordRefusal>, HashingError> {
        self.count();
        Ok(Ok(PasswordHash("new".to_owned())))
    }

    async fn verify(
        &self,
        _: &TypedPassword,
        _: &PasswordHash,
    ) -> Result<Verification, HashingError> {
        self.count();
        Ok(Verification::Right { is_outdated: true })
    }

    async fn verify_dummy(
        &self,
        _: &TypedPassword,
        _: Option<HashCost>,
    ) -> Result<(), HashingError> {
        self.count();
        Ok(())
    }
}

#[async_trait]
impl Sleeper for Outside {
    async fn sleep(&self, _: Duration) {}
}

#[async_trait]
impl KeywordData for Outside {
    fn label(&self) -> KeywordDataLabel {
        KeywordDataLabel {
            name: "supplier".to_owned(),
            provenance: Provenance::Estimated,
        }
    }

    fn max_spend(&self) -> Spent {
        Spent {
            calls: 1,
            cost: domain::money::MicroUsd(40),
            ledger_calls: 0,
        }
    }

    fn paid_call_refusal(&self) -> Option<PaidCallRefusal> {
        None
    }

    async fn research(&self, _: &KeywordQuery, _: &Arc<dyn PaidCallLedger>) -> KeywordDataOutcome {
        self.count();
        KeywordDataOutcome {
            answer: Ok(researched()),
            spent: self.max_spend(),
        }
    }
}

pub fn researched() -> ResearchedKeyword {
    ResearchedKeyword {
        provider: "supplier".to_owned(),
        provenance: Provenance::Estimated,
        fetched_at: now(),
        figures: KeywordFigures {
            search_volume: Some(900),
            cpc: None,
            competition: None,
            competition_level: None,
            difficulty: Some(40.0),
            referring_domains: None,
            intent: None,
            months: vec![],
            yearly_change: None,
        },
        features: None,
        ideas: vec![],
    }
}

/// Yesterday is final, with impressions for one query.
#[async_trait]
impl SearchConsole for Outside {
    fn missing(&self) -> Option<NotConfigured> {
        None
    }

    async fn last_final_day(
        &self,
        _: &Property,
        among: Span,
    ) -> Result<Option<NaiveDate>, SearchConsoleError> {
        self.count();
        Ok(among.last.checked_sub_days(Days::new(1)))
    }

    async fn rows(
        &self,
        _: &Property,
        _: NaiveDate,
        cut: DimensionSet,
        _: u32,
    ) -> Result<Vec<SearchRow>, SearchConsoleError> {
        self.count();
        let row = SearchRow {
            query: cut.subject.has_query().then(|| "rust".to_owned()),
            page: (cut.subject.has_page()).then(|| "https://shop.example.com/".to_owned()),
            country: None,
            device: None,
            clicks: 1,
            impressions: 2,
            position: Some(3.0),
        };
        Ok(if cut.is_by_market() {
            vec![]
        } else {
            vec![row]
        })
    }
}

/// Seals nothing: what is sealed is the secret itself.
pub struct OpenCipher;

impl SecretCipher for OpenCipher {
    fn wrapping_key(&self) -> Result<KeyId, CipherError> {
        Ok(KeyId([1; 8]))
    }

    fn new_data_key(
        &self,
        owner: SecretOwner,
        version: u32,
        created_at: DateTime<Utc>,
    ) -> Result<WrappedKey, CipherError> {
        Ok(WrappedKey {
            owner,
            version,
            wrapped_by: self.wrapping_key()?,
            wrapped: vec![1],
            created_at,
        })
    }

    fn rewrap(&self, key: &WrappedKey) -> Result<WrappedKey, CipherError> {
        Ok(key.clone())
    }

    fn seal(&self, _: &WrappedKey, _: Binding<'_>, secret: &[u8]) -> Result<Vec<u8>, CipherError> {
        Ok(secret.to_vec())
    }

    fn open(
        &self,
        _: &WrappedKey,
        _: Binding<'_>,
        envelope: &[u8],
    ) -> Result<SecretBytes, CipherError> {
        Ok(SecretBytes::new(envelope.to_vec()))
    }
}
