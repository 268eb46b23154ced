use crate::ids::{AccountId, TokenId, UserId};
use crate::randomness::Randomness;
use crate::scope::Scopes;
use crate::secret_text::{ALPHABET, base62};
use crate::text::Label;
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use std::fmt;
use thiserror::Error;

const PREFIX: &str = PlainToken::PREFIX;
const SECRET_LENGTH: usize = 43;
const CHECKSUM_LENGTH: usize = 6;

/// A token in plain text: `sightline_agt_`, 43 base-62 characters (256 bits), and the CRC-32 of all
/// before it in 6 base-62 characters, so that typing errors cost no lookup and secret scanners
/// recognize leaks. Shown once, never stored.
#[derive(Clone, PartialEq, Eq)]
pub struct PlainToken(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a token of this service")]
pub struct NotAToken;

/// SHA-256 of the whole token, which is all that is stored. 256 random bits need no slow hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash(pub [u8; 32]);

impl PlainToken {
    pub const PREFIX: &'static str = "sightline_agt_";

    /// For documentation and secret scanners.
    pub const PATTERN: &'static str = "^sightline_agt_[0-9A-Za-z]{49}$";

    pub fn generate(randomness: &dyn Randomness) -> Self {
        let mut text = format!("{PREFIX}{}", base62(randomness, SECRET_LENGTH));
        let checksum = checksum(&text);
        text.push_str(&checksum);
        Self(text)
    }

    /// Checks form and checksum only.
    pub fn parse(text: &str) -> Result<Self, NotAToken> {
        let rest = text.strip_prefix(PREFIX).ok_or(NotAToken)?;
        let well_formed = rest.len() == SECRET_LENGTH + CHECKSUM_LENGTH
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !well_formed {
            return Err(NotAToken);
        }
        let (body, given) = text.split_at(text.len() - CHECKSUM_LENGTH);
        (checksum(body) == given)
            .then(|| Self(text.to_owned()))
            .ok_or(NotAToken)
    }

    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0.as_bytes()).into())
    }

    /// The whole token, for the one response that shows it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub fn last_four(&self) -> &str {
        &self.0[self.0.len() - 4..]
    }
}

impl fmt::Debug for PlainToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlainToken(…)")
    }
}

fn checksum(body: &str) -> String {
    let mut rest = crc32fast::hash(body.as_bytes());
    let mut digits = [b'0'; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[(rest % 62) as usize];
        rest /= 62;
    }
    digits.map(char::from).iter().collect()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiToken {
    pub account: AccountId,
    pub id: TokenId,
    pub name: Label,
    pub scopes: Scopes,
    pub last_four: String,
    pub created_by: UserId,
    pub created_at: DateTime<Utc>,
    /// Expiry; `None` is never.
    pub expires_at: Option<DateTime<Utc>>,
    /// Last use, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
    /// A rotated token is revoked at a future time.
    pub revoked_at: Option<DateTime<Utc>>,
    pub revoke_reason: Option<RevokeReason>,
    pub rotated_from: Option<TokenId>,
}

/// Maximum lifetime of tokens on this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenPolicy {
    /// `None` is unlimited.
    pub longest: Option<TimeDelta>,
}

impl TokenPolicy {
    /// Whether a token may have this lifetime; `None` is unlimited.
    pub fn allows(self, lifetime: Option<TimeDelta>) -> bool {
        let fits = |longest| lifetime.is_some_and(|it| it <= longest);
        self.longest.is_none_or(fits)
    }

    pub fn shortened(self, lifetime: TimeDelta) -> TimeDelta {
        self.longest.map_or(lifetime, |it| it.min(lifetime))
    }

    /// The token with the policy applied: one issued before the limit existed ends where a new one would have.
    pub fn applied(self, token: ApiToken) -> ApiToken {
        let latest = self.longest.map(|it| token.created_at + it);
        let expires_at = [token.expires_at, latest].into_iter().flatten().min();
        ApiToken {
            expires_at,
            ..token
        }
    }
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RevokeReason {
        Owner = "owner",
        Rotated = "rotated",
        Leaked = "leaked",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TokenRefusal {
    #[error("the token has expired")]
    Expired { at: DateTime<Utc> },
    #[error("the token was revoked")]
    Revoked,
}

impl ApiToken {
    /// Minimum interval between writes of the last use.
    pub const USE_WRITE_INTERVAL: TimeDelta = TimeDelta::seconds(60);

    pub fn accept(&self, now: DateTime<Utc>) -> Result<(), TokenRefusal> {
        if let Some(at) = self.expires_at.filter(|at| *at <= now) {
            return Err(TokenRefusal::Expired { at });
        }
        match self.revoked_at {
            Some(at) if at <= now => Err(TokenRefusal::Revoked),
            _ => Ok(()),
        }
    }

    /// End of validity as far as known; `None` is never.
    pub fn ends_at(&self) -> Option<DateTime<Utc>> {
        [self.expires_at, self.revoked_at]
            .into_iter()
            .flatten()
            .min()
    }

    /// Whether it was rotated and is accepted only until its replacement is in use everywhere.
    pub fn is_superseded(&self, now: DateTime<Utc>) -> bool {
        self.accept(now).is_ok() && self.revoked_at.is_some()
    }

    pub fn should_record_use(&self, now: DateTime<Utc>) -> bool {
        self.last_used_at
            .is_none_or(|last| last + Self::USE_WRITE_INTERVAL <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::clock::Clock;
    use crate::test_support::{CountingRandomness, FrozenClock};

    fn token() -> PlainToken {
        PlainToken::generate(&CountingRandomness::default())
    }

    #[test]
    fn a_longest_lifetime_holds_for_tokens_made_before_it() {
        let day = TimeDelta::days(1);
        let policy = TokenPolicy {
            longest: Some(day * 30),
        };
        let token = crate::test_support::a_token();
        let at = |days| Some(token.created_at + day * days);
        for (made, accepted) in [(None, at(30)), (at(90), at(30)), (at(7), at(7))] {
            let token = ApiToken {
                expires_at: made,
                ..token.clone()
            };
            assert_eq!(policy.applied(token.clone()).expires_at, accepted);
            assert_eq!(TokenPolicy::default().applied(token).expires_at, made);
        }
        assert!(policy.allows(Some(day * 30)) && !policy.allows(Some(day * 31)));
        assert!(!policy.allows(None) && TokenPolicy::default().allows(None));
        assert_eq!(policy.shortened(day * 90), day * 30);
    }

    #[test]
    fn a_generated_token_is_recognized_and_a_mistyped_one_is_not() {
        let token = token();
        assert_eq!(PlainToken::parse(token.reveal()), Ok(token.clone()));
        assert_eq!(token.reveal().len(), 63);
        for (at, _) in token.reveal().char_indices() {
            let mut mistyped = token.reveal().to_owned();
            let other = if &mistyped[at..=at] == "A" { "B" } else { "A" };
            mistyped.replace_range(at..=at, other);
            assert_eq!(PlainToken::parse(&mistyped), Err(NotAToken), "{mistyped}");
        }
    }

    #[test]
    fn the_checksum_is_the_crc_32_of_the_body() {
        // Published check value: CRC-32 (ISO-HDLC) of "123456789" is 0xCBF43926 = 3421780262, the
        // base-62 digits 3, 45, 35, 27, 22, 14.
        assert_eq!(checksum("123456789"), "3jZRME");
    }

    #[test]
    fn a_token_has_four_identifying_characters() {
        let token = token();
        assert_eq!(token.last_four().len(), 4);
        assert!(token.reveal().ends_with(token.last_four()));
    }

    #[test]
    fn a_token_is_hidden_in_logs() {
        assert_eq!(format!("{:?}", token()), "PlainToken(…)");
    }

    #[test]
    fn a_token_ends_exactly_at_its_limit() {
        let now = FrozenClock::default().now();
        let token = |expires_at, revoked_at| ApiToken {
            account: AccountId(1),
            id: TokenId(1),
            name: Label::parse("ci").unwrap(),
            scopes: Scopes::all(),
            last_four: "abcd".into(),
            created_by: UserId(1),
            created_at: now,
            expires_at,
            last_used_at: None,
            revoked_at,
            revoke_reason: None,
            rotated_from: None,
        };
        let tick = TimeDelta::microseconds(1);
        let used = |ago| ApiToken {
            last_used_at: Some(now - ago),
            ..token(None, None)
        };
        assert!(token(None, None).should_record_use(now));
        assert!(used(ApiToken::USE_WRITE_INTERVAL).should_record_use(now));
        assert!(!used(ApiToken::USE_WRITE_INTERVAL - tick).should_record_use(now));
        assert_eq!(token(Some(now + tick), None).accept(now), Ok(()));
        assert_eq!(
            token(Some(now), None).accept(now),
            Err(TokenRefusal::Expired { at: now })
        );
        assert_eq!(
            token(None, Some(now)).accept(now),
            Err(TokenRefusal::Revoked)
        );
        assert_eq!(token(None, None).accept(now), Ok(()));
        let superseded = token(None, Some(now + tick));
        assert_eq!(superseded.accept(now), Ok(()));
        assert!(superseded.is_superseded(now) && !superseded.is_superseded(now + tick));
    }
}
