use crate::ids::{AccountId, DeliveryId};
use crate::shared_key::SharedKey;
use chrono::{DateTime, Utc};

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
    /// For mail programs; the text follows as `?t=`.
    pub const API: &'static str = "/api/unsubscribe";
    const KIND: &'static str = "stop/1";

    pub fn urls(self, base_url: &str, key: &SharedKey, now: DateTime<Utc>) -> StopUrls {
        let text = format!("{}.{}", self.account, self.delivery);
        let text = key.signed(Self::KIND, &text, now);
        StopUrls {
            page: format!("{base_url}{}#{text}", Self::PAGE),
            one_click: format!("{base_url}{}?t={text}", Self::API),
        }
    }

    pub fn verify(text: &str, key: &SharedKey, now: DateTime<Utc>) -> Option<Self> {
        let (account, delivery) = key.verified(Self::KIND, text, now)?.split_once('.')?;
        Some(Self {
            account: AccountId(account.parse().ok()?),
            delivery: DeliveryId(delivery.parse().ok()?),
        })
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
