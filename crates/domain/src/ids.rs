//! Identifiers: 53-bit integers made by the application, typed so that they cannot be mixed up.
//!
//! An id is `seconds << 21 | low`: it fits a JSON number exactly, sorts roughly by age, needs no
//! database call, and leaves no hot spot at the end of an index.

use crate::{clock::Clock, randomness::Randomness};
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

const LOW_BITS: u32 = 21;
const LOW_MASK: u64 = (1 << LOW_BITS) - 1;

/// The largest integer that JSON numbers hold exactly, and so the largest id.
pub const LARGEST_ID: i64 = (1 << 53) - 1;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl $name {
            #[must_use]
            pub fn mint(mint: &IdMint) -> Self {
                Self(mint.next())
            }

            /// `count` fresh ids in ascending order, for rows that are ordered by id.
            #[must_use]
            pub fn mint_ascending(mint: &IdMint, count: usize) -> Vec<Self> {
                let mut ids: Vec<Self> = (0..count).map(|_| Self::mint(mint)).collect();
                ids.sort_unstable();
                ids
            }

            /// The next of the reserved ids.
            pub fn take(ids: &mut Ids) -> Self {
                Self(ids.next())
            }
        }
    };
}

id!(
    /// An account: the tenant.
    AccountId
);
id!(
    /// A person who signs in.
    UserId
);
id!(
    /// An API token.
    TokenId
);
id!(
    /// A signed-in session.
    SessionId
);
id!(
    /// A caller: a token or a session; their ids never collide.
    CallerId
);
id!(
    /// A monitored site.
    ProjectId
);
id!(
    /// A tracked keyword.
    KeywordId
);
id!(
    /// One run of an analysis.
    JobId
);

id!(
    /// An event of the audit log.
    AuditEventId
);
id!(
    /// A stored answer of an AI engine.
    AnswerId
);
id!(
    /// A content plan.
    ContentPlanId
);
id!(
    /// Rows of Search Console imported together for the same days.
    ConsoleSpanId
);
id!(
    /// A query to a keyword data supplier in flight.
    FlightId
);
id!(
    /// An invitation to an account.
    InvitationId
);
id!(
    /// A message to one recipient.
    DeliveryId
);
id!(
    /// A link to a page where a person acts without a session.
    PersonLinkId
);
id!(
    /// A keyword search of a user.
    SearchId
);

impl AuditEventId {
    /// The same for the same text, for events that are recorded once.
    pub fn of_subject(text: &str) -> Self {
        let digest = Sha256::digest(text.as_bytes());
        let bytes = digest.first_chunk().copied().unwrap_or_default();
        Self(i64::from_be_bytes(bytes) & LARGEST_ID)
    }
}

impl From<TokenId> for CallerId {
    fn from(token: TokenId) -> Self {
        Self(token.0)
    }
}

impl From<SessionId> for CallerId {
    fn from(session: SessionId) -> Self {
        Self(session.0)
    }
}

/// Makes ids that never repeat within one process. Two processes collide about once in a thousand
/// batches of a thousand ids made in the same second; storage then returns
/// [`IdTaken`](crate::ports::storage::StorageError::IdTaken), which is retried.
pub struct IdMint {
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    series: Mutex<Series>,
}

/// Ids of one second: a random start and a random odd stride, so that all 2²¹ low values occur once
/// and neighboring ids cannot be guessed.
#[derive(Default)]
struct Series {
    second: u64,
    start: u64,
    stride: u64,
    made: u64,
}

impl Series {
    fn next(&mut self) -> i64 {
        let low = (self.start + self.made * self.stride) & LOW_MASK;
        self.made += 1;
        i64::try_from(self.second << LOW_BITS | low).unwrap_or(LARGEST_ID)
    }
}

/// Reserved ids, for a transaction that does not know how many it needs. Ids beyond
/// [`Ids::SET_ASIDE`] may collide, as those of another process may.
pub struct Ids(Series);

impl Ids {
    pub const SET_ASIDE: u64 = 1_024;

    fn next(&mut self) -> i64 {
        self.0.next()
    }
}

impl IdMint {
    pub fn new(clock: Arc<dyn Clock>, randomness: Arc<dyn Randomness>) -> Self {
        let series = Mutex::default();
        Self {
            clock,
            randomness,
            series,
        }
    }

    fn next(&self) -> i64 {
        self.set_aside(1).next()
    }

    /// Ids that nothing else in this process gets.
    pub fn ids(&self) -> Ids {
        self.set_aside(Ids::SET_ASIDE)
    }

    fn set_aside(&self, count: u64) -> Ids {
        let now = u64::try_from(self.clock.now().timestamp()).unwrap_or(0);
        let mut series = self.series.lock().unwrap_or_else(PoisonError::into_inner);
        let exhausted = series.made + count > LOW_MASK + 1;
        if series.second < now || series.stride == 0 || exhausted {
            // If the clock steps back, or a second needs more than 2²¹ ids, use a future second
            // instead of repeating ids.
            let second = now.max(series.second + u64::from(series.stride != 0));
            *series = self.series_of(second);
        }
        let ids = Ids(Series { ..*series });
        series.made += count;
        ids
    }

    fn series_of(&self, second: u64) -> Series {
        let mut bytes = [0; 16];
        self.randomness.fill(&mut bytes);
        let [start, stride] = [0, 8].map(|at| {
            let eight: [u8; 8] = std::array::from_fn(|n| bytes[at + n]);
            u64::from_le_bytes(eight) & LOW_MASK
        });
        Series {
            second,
            start,
            stride: stride | 1,
            made: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{CountingRandomness, FrozenClock};
    use std::collections::HashSet;

    fn mint() -> IdMint {
        IdMint::new(
            Arc::new(FrozenClock::default()),
            Arc::new(CountingRandomness::default()),
        )
    }

    #[test]
    fn ids_of_one_second_are_distinct_and_fit_a_json_number() {
        let mint = mint();
        let ids: HashSet<i64> = (0..20_000).map(|_| mint.next()).collect();
        assert_eq!(ids.len(), 20_000);
        assert!(ids.iter().all(|id| (1..=LARGEST_ID).contains(id)));
    }

    #[test]
    fn reserved_ids_are_never_handed_out_again() {
        let mint = mint();
        let (mut some, mut others) = (mint.ids(), mint.ids());
        let taken = (0..Ids::SET_ASIDE).flat_map(|_| [some.next(), others.next(), mint.next()]);
        let taken: HashSet<i64> = taken.collect();
        assert_eq!(taken.len() as u64, 3 * Ids::SET_ASIDE);
    }

    #[test]
    fn an_exhausted_second_borrows_the_next_one() {
        let mint = mint();
        let first = mint.next() >> LOW_BITS;
        for _ in 0..LOW_MASK {
            mint.next();
        }
        assert_eq!(mint.next() >> LOW_BITS, first + 1);
    }
}
