//! Keys that sign on one server what another verifies: cursors, device cookies, and links that stop mail.

use crate::secret_text::{from_hex, hex};
use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::sync::{Arc, PoisonError, RwLock};

analysis::wire_enum! {
    /// What a shared key signs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum KeyPurpose {
        Cursors = "cursor-key",
        Devices = "device-key",
        StopLinks = "stop-link-key",
    }
}

impl KeyPurpose {
    /// Until when a key is accepted that one of this time replaced: as long as what it signed is valid.
    pub fn replaced_until(self, successor: DateTime<Utc>) -> DateTime<Utc> {
        let lifetime = match self {
            Self::Cursors => TimeDelta::hours(24),
            Self::Devices => crate::device::DeviceCookie::LIFETIME,
            Self::StopLinks => STOP_LINK_LIFETIME,
        };
        successor + SIGNS_AFTER + lifetime
    }
}

/// How long the links of a message that stop further ones work.
pub const STOP_LINK_LIFETIME: TimeDelta = TimeDelta::days(90);

#[derive(Clone, PartialEq, Eq)]
pub struct DatedKey {
    pub key: [u8; 32],
    pub created_at: DateTime<Utc>,
}

/// How long a new key verifies before it signs: by then every server has read it.
pub const SIGNS_AFTER: TimeDelta = TimeDelta::minutes(2);

/// A key of all servers on a database, with the keys that it replaced. Clones share the keys.
#[derive(Clone)]
pub struct SharedKey {
    purpose: KeyPurpose,
    /// Newest first; never empty.
    keys: Arc<RwLock<Arc<[DatedKey]>>>,
}

impl SharedKey {
    /// With one key that is always valid.
    pub fn fixed(purpose: KeyPurpose, key: [u8; 32]) -> Self {
        let created_at = DateTime::UNIX_EPOCH;
        Self::new(purpose, DatedKey { key, created_at }, Vec::new())
    }

    /// `earlier`: newest first.
    pub fn new(purpose: KeyPurpose, newest: DatedKey, mut earlier: Vec<DatedKey>) -> Self {
        earlier.insert(0, newest);
        let keys = Arc::new(RwLock::new(earlier.into()));
        Self { purpose, keys }
    }

    pub fn purpose(&self) -> KeyPurpose {
        self.purpose
    }

    /// Takes over the keys of another one, in all clones.
    pub fn replace_by(&self, other: &Self) {
        let fresh = other.keys();
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = fresh;
    }

    /// The key that signs.
    pub fn signing(&self, now: DateTime<Utc>) -> [u8; 32] {
        let keys = self.keys();
        let known_to_all = { keys.iter() }.find(|it| it.created_at + SIGNS_AFTER <= now);
        known_to_all.or(keys.last()).map_or([0; 32], |it| it.key)
    }

    /// Whether a key that is still accepted passes the check.
    pub fn accepts(&self, now: DateTime<Utc>, check: impl Fn(&[u8; 32]) -> bool) -> bool {
        let keys = self.keys();
        let is_valid = |pair: &&[DatedKey]| now < self.purpose.replaced_until(pair[0].created_at);
        let earlier = keys.windows(2).take_while(is_valid).map(|it| &it[1]);
        keys.first()
            .into_iter()
            .chain(earlier)
            .any(|it| check(&it.key))
    }

    /// The text with its signature: HMAC-SHA256, in hexadecimal digits behind a dot. `kind` keeps texts of one key apart.
    pub fn signed(&self, kind: &str, text: &str, now: DateTime<Utc>) -> String {
        let tag = mac(&self.signing(now), kind, text).finalize().into_bytes();
        format!("{text}.{}", hex(&tag))
    }

    /// The text without its signature; `None` if no accepted key signed it.
    pub fn verified<'t>(&self, kind: &str, signed: &'t str, now: DateTime<Utc>) -> Option<&'t str> {
        let (text, tag) = signed.rsplit_once('.')?;
        let tag = from_hex(tag)?;
        let is_signed = self.accepts(now, |it| mac(it, kind, text).verify_slice(&tag).is_ok());
        is_signed.then_some(text)
    }

    fn keys(&self) -> Arc<[DatedKey]> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn mac(key: &[u8; 32], kind: &str, text: &str) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length is a key");
    mac.update(format!("{kind}.{text}").as_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8, minutes: i64) -> DatedKey {
        let created_at = DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes);
        DatedKey {
            key: [byte; 32],
            created_at,
        }
    }

    #[test]
    fn a_new_key_verifies_at_once_and_signs_when_all_servers_know_it() {
        let shared = SharedKey::new(KeyPurpose::Cursors, key(2, 100), vec![key(1, 0)]);
        let at = |minutes| DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes);
        assert_eq!(shared.signing(at(100)), [1; 32]);
        assert_eq!(shared.signing(at(102)), [2; 32]);
        let accepted =
            |minutes| [1, 2].map(|it| shared.accepts(at(minutes), |key| *key == [it; 32]));
        let day = 24 * 60;
        assert_eq!(accepted(100), [true, true]);
        assert_eq!(accepted(101 + day), [true, true]);
        assert_eq!(accepted(102 + day), [false, true]);
    }

    #[test]
    fn a_single_key_signs_whatever_the_time() {
        let shared = SharedKey::new(KeyPurpose::Devices, key(1, 100), Vec::new());
        assert_eq!(shared.signing(DateTime::UNIX_EPOCH), [1; 32]);
        let clone = shared.clone();
        shared.replace_by(&SharedKey::fixed(KeyPurpose::Devices, [3; 32]));
        assert_eq!(clone.signing(DateTime::UNIX_EPOCH), [3; 32]);
        assert!(!clone.accepts(DateTime::UNIX_EPOCH, |key| *key == [1; 32]));
    }
}
