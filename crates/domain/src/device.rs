//! Device cookies (OWASP): guesses on a device with an earlier sign-in are counted apart from those
//! of unknown devices.

use crate::ids::{AccountId, UserId};
use crate::randomness::Randomness;
use crate::secret_text::{base62, hex};
use crate::shared_key::SharedKey;
use crate::throttle::ThrottleKey;
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use std::fmt;

/// Device cookie: home account, user, time of issue, nonce and signature.
///
/// The signature proves only that we issued it. [`crate::use_cases::Core::recognize_device`] checks
/// that the account is active and the password has not changed since.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct DeviceCookie {
    account: AccountId,
    user: UserId,
    issued_at: DateTime<Utc>,
    nonce: String,
}

const NONCE: usize = 22;
/// Of its signed text.
const KIND: &str = "device/2";

/// Distinguishes a new device from others.
pub struct DeviceNonce(String);

impl DeviceNonce {
    pub fn generate(randomness: &dyn Randomness) -> Self {
        Self(base62(randomness, NONCE))
    }
}
/// Maximum clock difference of servers on a database.
const MAX_CLOCK_SKEW: TimeDelta = TimeDelta::hours(1);

impl DeviceCookie {
    /// Lifetime of a cookie. Each sign-in on the device renews it.
    pub const LIFETIME: TimeDelta = TimeDelta::days(90);

    pub fn new(home: AccountId, user: UserId, at: DateTime<Utc>, nonce: DeviceNonce) -> Self {
        Self {
            account: home,
            user,
            issued_at: at.trunc_subsecs(6),
            nonce: nonce.0,
        }
    }

    #[must_use]
    pub fn renewed(&self, at: DateTime<Utc>) -> Self {
        Self {
            issued_at: at.trunc_subsecs(6),
            ..self.clone()
        }
    }

    /// Accepts a cookie that was signed here and has not expired.
    pub fn verify(text: &str, key: &SharedKey, now: DateTime<Utc>) -> Option<Self> {
        let mut parts = key.verified(KIND, text, now)?.split('.');
        let mut number = || parts.next()?.parse::<i64>().ok();
        let (account, user, issued_at) = (number()?, number()?, number()?);
        let nonce = parts.next()?;
        let is_plain = parts.next().is_none()
            && nonce.len() == NONCE
            && nonce.bytes().all(|it| it.is_ascii_alphanumeric());
        let mark = Self {
            account: AccountId(account),
            user: UserId(user),
            issued_at: DateTime::from_timestamp_micros(issued_at).filter(|_| is_plain)?,
            nonce: nonce.to_owned(),
        };
        let age = now - mark.issued_at;
        (-MAX_CLOCK_SKEW <= age && age < Self::LIFETIME).then_some(mark)
    }

    pub fn signed(&self, key: &SharedKey, now: DateTime<Utc>) -> String {
        key.signed(KIND, &self.text(), now)
    }

    pub const fn account(&self) -> AccountId {
        self.account
    }

    pub const fn user(&self) -> UserId {
        self.user
    }

    /// The device's name in the audit log: 8 hexadecimal digits that do not reveal the cookie.
    pub fn label(&self) -> String {
        hex(&Sha256::digest(self.nonce.as_bytes())[..4])
    }

    /// Time of issue, to the microsecond.
    pub const fn issued_at(&self) -> DateTime<Utc> {
        self.issued_at
    }

    /// The device's throttle key, if it belongs to that user.
    pub fn throttle_key(&self, user: UserId) -> Option<ThrottleKey> {
        (self.user == user).then(|| ThrottleKey::of_device(user, &self.nonce))
    }

    fn text(&self) -> String {
        let issued_at = self.issued_at.timestamp_micros();
        format!("{}.{}.{issued_at}.{}", self.account, self.user, self.nonce)
    }
}

impl fmt::Debug for DeviceCookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceMark(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::clock::Clock;
    use crate::shared_key::KeyPurpose;
    use crate::test_support::{CountingRandomness, FrozenClock, a_user};

    fn a_mark(at: DateTime<Utc>) -> DeviceCookie {
        DeviceCookie::new(
            a_user().account,
            a_user().id,
            at,
            DeviceNonce::generate(&CountingRandomness::default()),
        )
    }

    fn a_key(byte: u8) -> SharedKey {
        SharedKey::fixed(KeyPurpose::Devices, [byte; 32])
    }

    #[test]
    fn only_cookies_signed_with_the_key_are_accepted() {
        let (key, now) = (a_key(1), FrozenClock::default().now());
        let mark = a_mark(now);
        let text = mark.signed(&key, now);
        let read = |text: &str| DeviceCookie::verify(text, &key, now);
        assert_eq!(read(&text), Some(mark.clone()));
        assert_eq!(DeviceCookie::verify(&text, &a_key(2), now), None);
        for at in 0..text.len() {
            let other = if &text[at..=at] == "0" { "1" } else { "0" };
            let mut forged = text.clone();
            forged.replace_range(at..=at, other);
            assert_eq!(read(&forged), None, "{forged}");
        }
        assert_eq!(read(&format!("+{text}")), None);
        let user = a_user().id;
        assert!(mark.throttle_key(user).is_some());
        assert_eq!(mark.throttle_key(UserId(user.0 + 1)), None);
    }

    #[test]
    fn a_device_cookie_expires_after_90_days_unless_renewed() {
        let (key, issued) = (a_key(1), FrozenClock::default().now());
        let mark = a_mark(issued);
        let read =
            |mark: &DeviceCookie, at| DeviceCookie::verify(&mark.signed(&key, issued), &key, at);
        let end = issued + DeviceCookie::LIFETIME;
        assert!(read(&mark, end - TimeDelta::microseconds(1)).is_some());
        assert_eq!(read(&mark, end), None);
        assert_eq!(read(&mark, issued - TimeDelta::hours(2)), None);
        let renewed = mark.renewed(end);
        assert!(read(&renewed, end).is_some());
        let user = a_user().id;
        assert_eq!(renewed.throttle_key(user), mark.throttle_key(user));
        assert_eq!(renewed.label(), mark.label());
    }

    #[test]
    fn a_device_cookie_without_a_date_is_refused() {
        let (key, now) = (a_key(1), FrozenClock::default().now());
        let nonce = "a".repeat(NONCE);
        let earlier = key.signed("device/1", &format!("7.{nonce}"), now);
        assert_eq!(DeviceCookie::verify(&earlier, &key, now), None);
    }
}
