//! Records refused authorizations in the audit log, asynchronously and once an hour for each caller and right.

use crate::services::Services;
use domain::audit::{Actor, Author};
use domain::ids::{AccountId, TokenId};
use domain::use_cases::sessions::Member;
use domain::use_cases::tokens::Agent;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Callers and rights that are remembered; beyond, the database alone finds that an event exists.
const MAX_REMEMBERED: usize = 10_000;

/// What this process has recorded in the current hour, so that a caller who is refused again and again costs no writes.
#[derive(Default)]
pub struct RecordedRefusals(Mutex<(i64, HashSet<Key>)>);

/// Account, session's person or token, and right.
type Key = (AccountId, i64, &'static str);

impl RecordedRefusals {
    /// Whether it is the first in this hour.
    fn is_new(&self, hour: i64, key: Key) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 != hour || known.1.len() >= MAX_REMEMBERED {
            *known = (hour, HashSet::new());
        }
        known.1.insert(key)
    }
}

/// The member's role lacked the right.
pub fn note_of_member(services: &Arc<Services>, member: &Member, right: &'static str) {
    let user = &member.user;
    note(
        services,
        (user.account, user.id.0, right),
        user.into(),
        None,
    );
}

/// The token lacked the scope.
pub fn note_of_agent(services: &Arc<Services>, agent: &Agent, scope: &'static str) {
    let (account, token) = (agent.account.id, agent.token.id);
    note(
        services,
        (account, token.0, scope),
        Actor::Finder.into(),
        Some(token),
    );
}

fn note(services: &Arc<Services>, key: Key, by: Author, token: Option<TokenId>) {
    let hour = services.core.clock.now().timestamp() / 3_600;
    if !services.refused_authorizations.is_new(hour, key) {
        return;
    }
    let services = Arc::clone(services);
    tokio::spawn(async move {
        let (account, _, right) = key;
        let noted = { &services.core }.note_refused_authorization(account, by, token, right);
        if let Err(error) = noted.await {
            tracing::debug!(%error, "A refused authorization could not be recorded.");
        }
    });
}
