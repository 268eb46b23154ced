use super::stored::{Stored, row};
use super::{from_json, json, known};
use crate::schema::{deliveries, person_links, suppressions};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::email::EmailAddress;
use domain::ids::{AccountId, DeliveryId, PersonLinkId, UserId};
use domain::link::{LinkKind, PersonLink};
use domain::mail::{Delivery, DeliveryState, Message, Purpose, Suppression, SuppressionReason};
use domain::ports::storage::StorageError;
use std::collections::BTreeMap;

row! {
    struct DeliveryRow(deliveries) {
        account_id: AccountId,
        id: DeliveryId,
        recipient: EmailAddress ["e-mail address"],
        person_id: Option<UserId>,
        purpose: Purpose = message.purpose().column(),
        variables: String = json(&message.variables()),
        link_target: Option<i64>,
        state: DeliveryState ["state of a delivery"],
        created_at: DateTime<Utc>,
        expires_at: DateTime<Utc>,
        next_at: Option<DateTime<Utc>>,
        attempt: u32 ["number of attempts"],
        handed_over_at: Option<DateTime<Utc>>,
        ended_at: Option<DateTime<Utc>>,
        reply: Option<String>,
    }
    Delivery {
        account: account_id, id, recipient, person: person_id, message, link_target, state, created_at, expires_at,
        next_at, attempt, handed_over_at, ended_at, reply,
    }
    where {
        message = message(&purpose, &variables)?;
    }
}

fn message(purpose: &str, variables: &str) -> Result<Message, StorageError> {
    let purpose = known(Purpose::named(purpose), "purpose of a delivery")?;
    let texts: BTreeMap<String, String> = from_json(variables, "variables of a delivery")?;
    known(
        Message::from_variables(purpose, &texts),
        "variables of a delivery",
    )
}

row! {
    struct SuppressionRow(suppressions, key (account_id, recipient, reason)) {
        account_id: AccountId,
        recipient: EmailAddress ["e-mail address"],
        reason: SuppressionReason ["reason of a suppression"],
        created_at: DateTime<Utc>,
    }
    Suppression { account: account_id, recipient, reason, at: created_at }
}

row! {
    #[derive(Clone)]
    struct PersonLinkRow(person_links) {
        account_id: AccountId,
        id: PersonLinkId,
        user_id: UserId,
        kind: LinkKind ["kind of a link"],
        email: Option<EmailAddress> ["e-mail address"],
        created_at: DateTime<Utc>,
        expires_at: DateTime<Utc>,
        used_at: Option<DateTime<Utc>>,
    }
    PersonLink { home: account_id, id, person: user_id, kind, email, created_at, expires_at, used_at }
}
