//! Mail of an in-process server: messages are kept instead of being sent.

use super::{app::TestApp, browsers::Browser, databases::TestDatabase};
use async_trait::async_trait;
use domain::{
    link::LinkKind,
    mail::{Delivery, Letter, Purpose},
    ports::{
        host_throttle::{HostHash, HostThrottle},
        mailer::{MailFailure, MailTransfer, Mailer},
        sleeper::Sleeper,
        storage::StorageError,
    },
    shared_key::{KeyPurpose, SharedKey},
    use_cases::{Core, Policies, outbox::MailPolicy, send_mail::SendMail},
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use web::limits::Rate;

pub const STOP_KEY: [u8; 32] = [8; 32];

#[must_use]
pub fn mail_policy() -> MailPolicy {
    MailPolicy {
        base_url: "https://seo.example".into(),
        per_minute: 1_000,
    }
}

#[derive(Clone, Default)]
struct Letters(Arc<Mutex<Vec<Letter>>>);

#[async_trait]
impl Mailer for Letters {
    async fn open(&self, _: &Delivery) -> Result<Box<dyn MailTransfer>, MailFailure> {
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl MailTransfer for Letters {
    async fn send(self: Box<Self>, letter: &Letter) -> Result<String, MailFailure> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(letter.clone());
        Ok("250 2.0.0 kept".to_owned())
    }
}

struct NoWaits;

#[async_trait]
impl HostThrottle for NoWaits {
    async fn reserve(&self, _: HostHash, _: Duration) -> Result<Duration, StorageError> {
        Ok(Duration::ZERO)
    }

    async fn pause(&self, _: HostHash, _: Duration) -> Result<(), StorageError> {
        Ok(())
    }
}

#[async_trait]
impl Sleeper for NoWaits {
    async fn sleep(&self, _: Duration) {}
}

/// For servers that send mail.
#[must_use]
pub fn with_mail(policies: Policies) -> Policies {
    Policies {
        mail: Some(mail_policy()),
        ..policies
    }
}

impl TestApp {
    /// A server that sends mail; all visitors come from one address.
    pub async fn with_mail(db: &TestDatabase) -> Self {
        Self::with_settings(db, |it| {
            it.policies = with_mail(it.policies.clone());
            it.limits.sign_ins = Rate::of(1_000, 1_000);
        })
        .await
    }

    /// The first account's owner, signed in, after the mail about it.
    pub async fn owner_after_mail(&self) -> Browser {
        let owner = self.db_member(0).await;
        self.delivered().await;
        owner
    }

    /// Sends all due mail, and returns it.
    pub async fn delivered(&self) -> Vec<Letter> {
        let letters = Letters::default();
        let core = self.core();
        let mail = SendMail {
            core: Arc::new(Core {
                policies: with_mail(core.policies.clone()),
                ..core
            }),
            mailer: Arc::new(letters.clone()),
            throttle: Arc::new(NoWaits),
            sleeper: Arc::new(NoWaits),
            stop_key: SharedKey::fixed(KeyPurpose::StopLinks, STOP_KEY),
        };
        loop {
            let due = mail.due().await.expect("the outbox is read");
            if due.is_empty() {
                break;
            }
            for delivery in due {
                mail.send(&delivery).await.expect("the outbox is written");
            }
        }
        let kept = letters.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clone()
    }

    /// The next mail, which may be queued off the request path.
    pub async fn next_delivered(&self) -> Vec<Letter> {
        for _ in 0..500 {
            let letters = self.delivered().await;
            if !letters.is_empty() {
                return letters;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("no mail was queued within 10 s");
    }
}

/// Recipient and purpose of each, in order.
#[must_use]
pub fn summary(letters: &[Letter]) -> Vec<(&str, Purpose)> {
    let mut all: Vec<_> = { letters.iter() }
        .map(|it| {
            let to = it.delivery.recipient.as_str();
            (to, it.delivery.message.purpose())
        })
        .collect();
    all.sort_by_key(|(to, purpose)| (*to, purpose.name()));
    all
}

/// The secret of the only letter with a link of that kind.
#[must_use]
pub fn secret(letters: &[Letter], kind: LinkKind) -> String {
    let mut of_kind = { letters.iter() }
        .filter(|it| it.delivery.message.purpose().link() == Some(kind))
        .filter_map(|it| it.action.as_deref()?.split_once('#'));
    let (page, secret) = of_kind.next().expect("a link");
    assert!(of_kind.next().is_none(), "one link");
    assert!(page.ends_with(kind.path()), "{page}");
    secret.to_owned()
}
