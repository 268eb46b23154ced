use crate::ids::{AccountId, DeliveryId};
use crate::secret_text::{from_hex, hex};
use crate::shared_key::SharedKey;
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Identifies a message, so that its recipient stops further ones of its kind. Signed by the server; nothing is stored
/// for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopLink {
    pub account: AccountId,
    pub delivery: DeliveryId,
}

/// Where a recipient stops messages of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopUrls {
    /// Has a button.
    pub page: String,
    /// Mail programs send a POST to it (RFC 8058).
    pub one_click: String,
}

impl StopLink {
    /// Its page, for people; the text follows behind a `#`.
    pub const PAGE: &'static str = "/unsubscribe";

    pub fn urls(self, base_url: &str, key: &SharedKey, now: DateTime<Utc>) -> StopUrls {
        let text = self.signed(key, now);
        StopUrls {
            page: format!("{base_url}{}#{text}", Self::PAGE),
            one_click: format!("{base_url}/api/unsubscribe?t={text}"),
        }
    }

    pub fn verify(text: &str, key: &SharedKey, now: DateTime<Utc>) -> Option<Self> {
        let (plain, tag) = text.rsplit_once('.')?;
        let (account, delivery) = plain.split_once('.')?;
        let link = Self {
            account: AccountId(account.parse().ok()?),
            delivery: DeliveryId(delivery.parse().ok()?),
        };
        let tag = from_hex(tag)?;
        // A number has several spellings, of which only ours was signed.
        let is_ours = link.text() == plain;
        let is_signed = key.accepts(now, |it| link.mac(it).verify_slice(&tag).is_ok());
        (is_ours && is_signed).then_some(link)
    }

    fn signed(self, key: &SharedKey, now: DateTime<Utc>) -> String {
        let tag = self.mac(&key.signing(now)).finalize().into_bytes();
        format!("{}.{}", self.text(), hex(&tag))
    }

    fn text(self) -> String {
        format!("{}.{}", self.account, self.delivery)
    }

    fn mac(self, key: &[u8; 32]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length is a key");
        mac.update(format!("stop/1.{}", self.text()).as_bytes());
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared_key::KeyPurpose;
    use crate::test_support::fixtures::now;

    #[test]
    fn only_the_links_of_this_server_are_accepted() {
        let key = SharedKey::fixed(KeyPurpose::StopLinks, [7; 32]);
        let link = StopLink {
            account: AccountId(12),
            delivery: DeliveryId(34),
        };
        let urls = link.urls("https://example.com", &key, now());
        let (page, text) = urls.page.split_once('#').unwrap();
        assert_eq!(page, "https://example.com/unsubscribe");
        assert!(
            urls.one_click
                .ends_with(&format!("/api/unsubscribe?t={text}"))
        );
        assert_eq!(StopLink::verify(text, &key, now()), Some(link));
        let other_key = SharedKey::fixed(KeyPurpose::StopLinks, [8; 32]);
        assert_eq!(StopLink::verify(text, &other_key, now()), None);
        for wrong in [
            text.replacen("12.", "13.", 1),
            text.replacen("12.", "+12.", 1),
            text.replacen("12.", "", 1),
            text[..text.len() - 1].to_owned(),
            String::new(),
        ] {
            assert_eq!(StopLink::verify(&wrong, &key, now()), None, "{wrong}");
        }
    }
}
