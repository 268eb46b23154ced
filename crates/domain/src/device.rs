//! Devices on which somebody signed in before (OWASP, "device cookies"): their owner's guesses are
//! counted apart from those of strangers.

use crate::{
    ids::UserId,
    ports::randomness::Randomness,
    secret_text::{base62, hex},
    throttle::ThrottleKey,
};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;

/// The key under which devices are known; every server on a database has the same.
#[derive(Clone)]
pub struct DeviceKey(pub [u8; 32]);

/// What a known device sends: whose it is, a number of its own, and our signature.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct DeviceMark {
    user: UserId,
    nonce: String,
}

const NONCE: usize = 22;

impl DeviceMark {
    /// A mark for a device on which that person just signed in.
    #[must_use]
    pub fn new(user: UserId, randomness: &dyn Randomness) -> Self {
        Self {
            user,
            nonce: base62(randomness, NONCE),
        }
    }

    /// Recognises a mark that was signed here.
    #[must_use]
    pub fn read(text: &str, key: &DeviceKey) -> Option<Self> {
        let mut parts = text.split('.');
        let (user, nonce, tag) = (parts.next()?, parts.next()?, parts.next()?);
        let is_plain = parts.next().is_none()
            && nonce.len() == NONCE
            && nonce.bytes().all(|it| it.is_ascii_alphanumeric());
        let mark = Self {
            user: UserId(user.parse().ok().filter(|_| is_plain)?),
            nonce: nonce.to_owned(),
        };
        let tag = from_hex(tag)?;
        mark.mac(key).verify_slice(&tag).is_ok().then_some(mark)
    }

    /// Its text, signed.
    #[must_use]
    pub fn signed(&self, key: &DeviceKey) -> String {
        let tag = self.mac(key).finalize().into_bytes();
        format!("{}.{}.{}", self.user, self.nonce, hex(&tag))
    }

    /// Who signed in on it.
    #[must_use]
    pub const fn user(&self) -> UserId {
        self.user
    }

    /// What this device's guesses are counted by, when it is that person's.
    #[must_use]
    pub fn throttle_key(&self, user: UserId) -> Option<ThrottleKey> {
        (self.user == user).then(|| ThrottleKey::of_device(user, &self.nonce))
    }

    fn mac(&self, key: &DeviceKey) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&key.0).expect("any length is a key");
        mac.update(format!("device/1.{}.{}", self.user, self.nonce).as_bytes());
        mac
    }
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

impl fmt::Debug for DeviceMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceMark(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::CountingRandomness;

    #[test]
    fn only_what_was_signed_here_is_recognised() {
        let key = DeviceKey([1; 32]);
        let mark = DeviceMark::new(UserId(7), &CountingRandomness::default());
        let text = mark.signed(&key);
        assert_eq!(DeviceMark::read(&text, &key), Some(mark.clone()));
        assert_eq!(DeviceMark::read(&text, &DeviceKey([2; 32])), None);
        for at in 0..text.len() {
            let other = if &text[at..=at] == "0" { "1" } else { "0" };
            let mut forged = text.clone();
            forged.replace_range(at..=at, other);
            assert_eq!(DeviceMark::read(&forged, &key), None, "{forged}");
        }
        assert!(mark.throttle_key(UserId(7)).is_some());
        assert_eq!(mark.throttle_key(UserId(8)), None);
    }
}
