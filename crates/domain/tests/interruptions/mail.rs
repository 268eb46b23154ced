//! Mail, and links that are opened without a session.

use super::{
    Case, case,
    external_services::Outside,
    fixture::{ANN, member, network, scene},
};
use async_trait::async_trait;
use domain::{
    email::EmailAddress,
    ids::{DeliveryId, PersonLinkId},
    link::{LinkKind, LinkTarget, PersonLink, PlainLink},
    mail::{Delivery, DeliveryState, Letter, Message, StopLink, Suppression, SuppressionReason},
    ports::{
        host_throttle::{HostHash, HostThrottle},
        mailer::{MailFailure, MailTransfer, Mailer},
        storage::StorageError,
    },
    shared_key::{KeyPurpose, SharedKey},
    test_support::{ACCOUNT, MemoryStorage, a_user, fixtures::now},
    use_cases::{Core, outbox::MailPolicy, person_links::PasswordReset, send_mail::SendMail},
};
use std::{sync::Arc, time::Duration};

pub fn policy() -> MailPolicy {
    MailPolicy {
        base_url: "https://seo.example".to_owned(),
        per_minute: 60,
    }
}

const LINK: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

fn address() -> EmailAddress {
    EmailAddress::parse("new@example.com").unwrap()
}

/// Ann has a link of that kind, with [`LINK`] as its secret.
fn with_link(kind: LinkKind) -> MemoryStorage {
    let storage = scene();
    storage.put(|state| {
        let link = PersonLink {
            home: ACCOUNT,
            id: PersonLinkId(81),
            person: ANN,
            kind,
            email: Some(address()),
            created_at: now(),
            expires_at: now() + kind.lifetime(),
            used_at: None,
        };
        let target = LinkTarget {
            account: ACCOUNT,
            kind,
            id: 81,
        };
        let hash = PlainLink::parse(LINK).unwrap().hash();
        state.person_links.insert((ACCOUNT, link.id), link);
        state.link_hashes.insert(hash.0, target);
    });
    storage
}

fn resetting() -> MemoryStorage {
    with_link(LinkKind::PasswordReset)
}

fn changing() -> MemoryStorage {
    with_link(LinkKind::AddressConfirmation)
}

fn cancelling() -> MemoryStorage {
    with_link(LinkKind::AddressCancellation)
}

fn disowning() -> MemoryStorage {
    with_link(LinkKind::NotMe)
}

/// A message to Ann, in that state, with the link of [`with_link`].
fn with_delivery(state: DeliveryState) -> MemoryStorage {
    let storage = resetting();
    let id = (ACCOUNT, DeliveryId(91));
    let queued = Delivery {
        link_target: Some(81),
        ..Delivery::queued(id, a_user().email, Message::PasswordReset {}, now())
    };
    let delivery = match state {
        DeliveryState::Queued => queued,
        ended => queued.ended(ended, None, now()),
    };
    storage.put(|state| {
        state.deliveries.insert(id, delivery);
    });
    storage
}

fn queued() -> MemoryStorage {
    with_delivery(DeliveryState::Queued)
}

fn failed() -> MemoryStorage {
    with_delivery(DeliveryState::Failed)
}

/// A notice, which its recipient may stop.
fn noticed() -> MemoryStorage {
    let storage = scene();
    let id = (ACCOUNT, DeliveryId(91));
    let message = Message::MemberLeft {
        account: "Ann".to_owned(),
        member: "Bea".to_owned(),
    };
    storage.put(|state| {
        let notice = Delivery::queued(id, a_user().email, message, now());
        state.deliveries.insert(id, notice);
    });
    storage
}

fn suppressed() -> MemoryStorage {
    let storage = scene();
    storage.put(|state| {
        let reason = SuppressionReason::Bounce;
        let suppression = Suppression {
            account: ACCOUNT,
            recipient: address(),
            reason,
            at: now(),
        };
        let key = (ACCOUNT, (address(), reason.name()));
        state.suppressions.insert(key, suppression);
    });
    storage
}

/// Every message is accepted.
#[async_trait]
impl Mailer for Outside {
    async fn open(&self, _: &Delivery) -> Result<Box<dyn MailTransfer>, MailFailure> {
        self.count();
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl MailTransfer for Outside {
    async fn send(self: Box<Self>, letter: &Letter) -> Result<String, MailFailure> {
        self.count();
        assert!(letter.action.is_some());
        Ok("250 2.0.0 queued".to_owned())
    }
}

#[async_trait]
impl HostThrottle for Outside {
    async fn reserve(&self, _: HostHash, _: Duration) -> Result<Duration, StorageError> {
        Ok(Duration::ZERO)
    }

    async fn pause(&self, _: HostHash, _: Duration) -> Result<(), StorageError> {
        Ok(())
    }
}

fn sender(core: &Arc<Core>, outside: &Outside) -> SendMail {
    SendMail {
        core: Arc::clone(core),
        mailer: Arc::new(outside.clone()),
        throttle: Arc::new(outside.clone()),
        sleeper: Arc::new(outside.clone()),
        stop_key: SharedKey::fixed(KeyPurpose::StopLinks, [7; 32]),
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        case!("request_password_reset", scene, |core, _| core
            .request_password_reset(&a_user().email, network())
            .await),
        case!("password_reset_link", scene, |core, _| core
            .password_reset_link(&a_user())
            .await),
        case!("reset_password", resetting, |core, outside| {
            let reset = PasswordReset {
                link: LINK.to_owned(),
                password: "another-tkgz-81".to_owned(),
                revokes_tokens: true,
            };
            core.reset_password(outside, &reset, network()).await
        }),
        case!("request_address", scene, |core, _| core
            .request_address(&member(), &address())
            .await),
        case!("note_taken_address", scene, |core, _| core
            .note_taken_address(&a_user().email)
            .await),
        case!("confirm_address", changing, |core, _| core
            .confirm_address(LINK)
            .await),
        case!("cancel_address", cancelling, |core, _| core
            .cancel_address(LINK)
            .await),
        case!("disown_sign_in", disowning, |core, _| core
            .disown_sign_in(LINK)
            .await),
        case!("send_again", failed, |core, _| core
            .send_again(&member(), DeliveryId(91))
            .await),
        case!("lift_suppression", suppressed, |core, _| core
            .lift_suppression(&member(), &address(), SuppressionReason::Bounce)
            .await),
        case!("suppress", scene, |core, _| core
            .suppress(ACCOUNT, &address(), SuppressionReason::Complaint)
            .await),
        case!("stop_mail", noticed, |core, _| core
            .stop_mail(StopLink {
                account: ACCOUNT,
                delivery: DeliveryId(91),
            })
            .await),
        case!("SendMail::send", queued, |core, outside| {
            let mail = sender(core, outside);
            match mail.due().await {
                Ok(due) => mail.send(&due[0]).await,
                Err(error) => Err(error),
            }
        }),
    ]
}
