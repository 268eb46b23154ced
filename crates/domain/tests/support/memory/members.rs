//! Members and invitations.

use super::state::{State, add};
use super::{Session, Stored, conflict};
use crate::email::EmailAddress;
use crate::ids::{AccountId, InvitationId, ProjectId, UserId};
use crate::invitation::Invitation;
use crate::link::{LinkHash, LinkKind};
use crate::ports::invitations::InvitationRepository;
use crate::ports::members::MemberRepository;
use crate::user::User;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::cmp::Reverse;
use std::collections::BTreeSet;

impl State {
    /// The person with that address, as member of the home account.
    pub(super) fn user_of(&self, email: &EmailAddress) -> Option<&User> {
        let is_copy =
            |it: &User| { self.joined.iter() }.any(|of| (of.1, of.2) == (it.id, it.account));
        let mut all = self.users.values().filter(|it| !is_copy(it));
        all.find(|it| it.email == *email)
    }

    pub(super) fn members(&self, account: AccountId) -> Vec<User> {
        let own = self.users.values().filter(|it| it.account == account);
        let mut own: Vec<User> = own.cloned().collect();
        own.sort_by_key(|it| (it.created_at, it.id));
        own
    }

    /// E-mail addresses are unique over all accounts.
    pub(super) fn check_free(&self, email: &EmailAddress, user: &User) -> Stored<()> {
        match self.user_of(email) {
            Some(other) if (other.account, other.id) != (user.account, user.id) => {
                conflict("user_directory_pkey")
            }
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl MemberRepository for Session {
    async fn find_by_email(&mut self, email: &EmailAddress) -> Stored<Option<User>> {
        self.query(|state| state.user_of(email).cloned())
    }

    async fn find(&mut self, account: AccountId, user: UserId) -> Stored<Option<User>> {
        self.query(|state| state.users.get(&(account, user)).cloned())
    }

    async fn list(&mut self, account: AccountId) -> Stored<Vec<User>> {
        self.query(|state| state.members(account))
    }

    async fn add(&mut self, user: &User) -> Stored<()> {
        self.change(|state| {
            state.check_free(&user.email, user)?;
            add(&mut state.users, (user.account, user.id), user.clone())
        })
    }

    async fn join(&mut self, user: &User, home: AccountId) -> Stored<()> {
        self.change(|state| {
            state.users.insert((user.account, user.id), user.clone());
            Ok(())
        })?;
        if user.account == home {
            return Ok(());
        }
        self.change(|state| {
            state.joined.insert((home, user.id, user.account));
            Ok(())
        })
    }

    async fn save_profile(&mut self, user: &User) -> Stored<()> {
        self.change(|state| {
            let of_copy = (user.id, user.account);
            let is_copy = state.joined.iter().any(|it| (it.1, it.2) == of_copy);
            if !is_copy {
                state.check_free(&user.email, user)?;
            }
            if let Some(known) = state.users.get_mut(&(user.account, user.id)) {
                (known.email, known.name) = (user.email.clone(), user.name.clone());
            }
            Ok(())
        })
    }

    async fn save_membership(&mut self, user: &User) -> Stored<()> {
        self.change(|state| {
            if let Some(known) = state.users.get_mut(&(user.account, user.id)) {
                (known.role, known.left_at) = (user.role, user.left_at);
            }
            Ok(())
        })
    }

    async fn joined_accounts(&mut self, home: AccountId, person: UserId) -> Stored<Vec<AccountId>> {
        self.query(|state| {
            let own = { state.joined.iter() }.filter(|it| (it.0, it.1) == (home, person));
            own.map(|it| it.2).collect()
        })
    }

    async fn move_home(&mut self, from: &User, to: &User) -> Stored<()> {
        self.change(|state| {
            let (old, new) = ((from.account, from.id), (to.account, to.id));
            if let Some(password) = state.passwords.remove(&old) {
                state.passwords.insert(new, password);
            }
            let moved = |it: &(AccountId, UserId, AccountId)| match *it {
                (account, id, joined) if (account, id) == old => (to.account, id, joined),
                other => other,
            };
            state.joined = state.joined.iter().map(moved).collect();
            state.joined.remove(&(to.account, to.id, to.account));
            state.joined.insert((to.account, to.id, from.account));
            let links = std::mem::take(&mut state.person_links);
            for ((account, id), mut link) in links {
                let is_moved = (account, link.person) == old;
                link.home = if is_moved { to.account } else { account };
                if is_moved {
                    let targets = state.link_hashes.values_mut();
                    let own = targets.filter(|it| (it.account, it.id) == (account, id.0));
                    own.for_each(|it| it.account = to.account);
                }
                state.person_links.insert((link.home, id), link);
            }
            if let Some(since) = state.operators.remove(&old) {
                state.operators.insert(new, since);
            }
            if let Some(known) = state.users.get_mut(&new) {
                (known.email, known.name) = (from.email.clone(), from.name.clone());
            }
            Ok(())
        })
    }

    async fn granted_projects(
        &mut self,
        account: AccountId,
        user: UserId,
    ) -> Stored<BTreeSet<ProjectId>> {
        self.query(|state| {
            let own = { state.grants.iter() }.filter(|it| (it.0, it.1) == (account, user));
            own.map(|it| it.2).collect()
        })
    }

    async fn grants(&mut self, account: AccountId) -> Stored<Vec<(UserId, ProjectId)>> {
        self.query(|state| {
            let own = state.grants.iter().filter(|it| it.0 == account);
            own.map(|it| (it.1, it.2)).collect()
        })
    }

    async fn set_granted_projects(
        &mut self,
        user: &User,
        projects: &BTreeSet<ProjectId>,
        _by: UserId,
        _at: DateTime<Utc>,
    ) -> Stored<()> {
        self.change(|state| {
            let own = (user.account, user.id);
            state.grants.retain(|it| (it.0, it.1) != own);
            let granted = projects.iter().map(|it| (own.0, own.1, *it));
            state.grants.extend(granted);
            Ok(())
        })
    }

    async fn operator_since(
        &mut self,
        home: AccountId,
        person: UserId,
    ) -> Stored<Option<DateTime<Utc>>> {
        self.query(|state| state.operators.get(&(home, person)).copied())
    }

    async fn set_operator(
        &mut self,
        home: AccountId,
        person: UserId,
        since: Option<DateTime<Utc>>,
    ) -> Stored<bool> {
        let person = (home, person);
        self.change(|state| {
            let known = state.operators.contains_key(&person);
            match since {
                Some(since) if !known => drop(state.operators.insert(person, since)),
                None if known => drop(state.operators.remove(&person)),
                _ => return Ok(false),
            }
            Ok(true)
        })
    }
}

#[async_trait]
impl InvitationRepository for Session {
    async fn add(&mut self, invitation: &Invitation, link: LinkHash) -> Stored<()> {
        let key = (invitation.account, invitation.id);
        let row = (invitation.clone(), Some(link));
        self.change(|state| add(&mut state.invitations, key, row))
    }

    async fn find_by_link(&mut self, link: LinkHash) -> Stored<Option<Invitation>> {
        self.query(|state| {
            let mailed = state.link_hashes.get(&link.0);
            let mailed = mailed.filter(|it| it.kind == LinkKind::MailedInvitation);
            let is_of = |it: &&(Invitation, Option<LinkHash>)| {
                it.1 == Some(link)
                    || mailed.is_some_and(|of| (of.account, of.id) == (it.0.account, it.0.id.0))
            };
            let (found, _) = state.invitations.values().find(is_of)?;
            Some(found.clone())
        })
    }

    async fn lock(
        &mut self,
        account: AccountId,
        invitation: InvitationId,
    ) -> Stored<Option<Invitation>> {
        self.change(|state| {
            let found = state.invitations.get(&(account, invitation));
            Ok(found.map(|it| it.0.clone()))
        })
    }

    async fn save(&mut self, invitation: &Invitation, link: Option<LinkHash>) -> Stored<()> {
        self.change(|state| {
            let key = (invitation.account, invitation.id);
            if let Some((known, known_link)) = state.invitations.get_mut(&key) {
                *known_link = link;
                let mailed = (LinkKind::MailedInvitation, key.0, key.1.0);
                state
                    .link_hashes
                    .retain(|_, it| (it.kind, it.account, it.id) != mailed);
                known.issued_at = invitation.issued_at;
                known.issued = invitation.issued;
                known.expires_at = invitation.expires_at;
                known.ended = invitation.ended;
            }
            Ok(())
        })
    }

    async fn list(&mut self, account: AccountId, after: DateTime<Utc>) -> Stored<Vec<Invitation>> {
        self.query(|state| {
            let all = state.invitations.values().map(|it| &it.0);
            let own = all.filter(|it| it.account == account && it.issued_at > after);
            let mut own: Vec<Invitation> = own.cloned().collect();
            own.sort_by_key(|it| Reverse((it.issued_at, it.id)));
            own
        })
    }

    async fn purge_before(&mut self, account: AccountId, before: DateTime<Utc>) -> Stored<u64> {
        self.change(|state| {
            let is_over = |it: &Invitation| it.account == account && it.issued_at < before;
            let count = state.invitations.len();
            state.invitations.retain(|_, it| !is_over(&it.0));
            Ok((count - state.invitations.len()) as u64)
        })
    }
}
