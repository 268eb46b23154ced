use super::end_attempt::cancel_unfinished;
use super::members::present_member;
use super::sessions::{Member, still_signed_in};
use super::transaction_input::TransactionInput;
use super::{Core, impl_as_storage_error};
use crate::account::{Account, AccountLimits, AccountStatus, AccountUsage};
use crate::allowance::Allowance;
use crate::audit::{Actor, AuditAction, AuditEvent, AuditFilter, Author};
use crate::email::EmailAddress;
use crate::ids::{AccountId, AuditEventId, TokenId, UserId};
use crate::patch::Change;
use crate::ports::jobs::QueueSummary;
use crate::ports::spending::{Counter, Spending, month_of};
use crate::ports::storage::{StorageError, Transaction};
use crate::report_settings::EffectiveReportSettings;
use crate::stored_data::{StorageLimits, StoredData};
use crate::text::Label;
use crate::user::User;
use chrono::NaiveDate;
use std::collections::BTreeSet;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountState {
    pub account: Account,
    pub spending: Spending,
    /// First day of the month.
    pub month: NaiveDate,
    pub today: Spending,
    /// In UTC.
    pub day: NaiveDate,
    pub queue: QueueSummary,
    /// Maximum unfinished jobs.
    pub queue_limit: u32,
    /// Stored data, deactivated projects included.
    pub stored: StoredData,
    /// Number of projects, deactivated ones included.
    pub stored_projects: u32,
    pub storage_limits: StorageLimits,
}

impl AccountState {
    /// Quotas of projects and keywords, deactivated ones included.
    pub fn stored_allowances(&self) -> [Allowance; 2] {
        let limits = self.account.limits;
        [
            (self.storage_limits).projects(limits.projects, self.stored_projects),
            (self.storage_limits).keywords(limits.keywords, self.stored.keywords),
        ]
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProfilePatch {
    pub account_name: Change<Label>,
    pub name: Change<Label>,
    pub email: Change<EmailAddress>,
}

#[derive(Debug, Error)]
pub enum ChangeProfileError {
    /// Changing the address requires a recent password entry.
    #[error("the password has to be given again first")]
    NotFresh,
    #[error("the session was ended")]
    SignedOut,
    #[error("the address cannot be used")]
    EmailTaken,
    #[error("there is no such account")]
    NoSuchAccount,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(ChangeProfileError);

#[derive(Debug, Error)]
pub enum CreateAccountError {
    #[error("there is an account with this e-mail address")]
    EmailTaken,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(CreateAccountError);

impl Core {
    /// `None` if there is no such account.
    pub async fn account_state(
        &self,
        account: AccountId,
    ) -> Result<Option<AccountState>, StorageError> {
        let day = self.clock.now().date_naive();
        let mut read = self.storage.read().await?;
        let Some(found) = read.accounts().find(account).await? else {
            return Ok(None);
        };
        let [of_month, of_day, _] = Counter::of(account, day);
        let spending = read.spending().find(of_month).await?;
        let today = read.spending().find(of_day).await?;
        let queue = read.jobs().summary(account).await?;
        let stored = read.stored_data().of_account(account).await?;
        let stored_projects = read.projects().count_all(account).await?;
        Ok(Some(AccountState {
            account: found,
            spending,
            month: month_of(day),
            today,
            day,
            queue,
            queue_limit: self.policies.queue.queued_per_account,
            stored,
            stored_projects,
            storage_limits: self.policies.storage,
        }))
    }

    /// For the operator.
    pub async fn create_account(
        &self,
        email: &EmailAddress,
        name: &Label,
    ) -> Result<(Account, User), CreateAccountError> {
        let create = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            if work.members().find_by_email(email).await?.is_some() {
                return Err(CreateAccountError::EmailTaken);
            }
            let created_at = given.now;
            let account = Account {
                id: AccountId::take(&mut given.ids),
                name: name.clone(),
                status: AccountStatus::Active,
                limits: self.policies.new_accounts,
                usage: AccountUsage::default(),
                report_defaults: EffectiveReportSettings::default(),
                audit_days: None,
                created_at,
            };
            let id = UserId::take(&mut given.ids);
            let owner = User::owner(account.id, id, (email.clone(), name.clone()), created_at);
            match work.accounts().add(&account, &owner).await {
                Err(StorageError::Conflict { .. }) => return Err(CreateAccountError::EmailTaken),
                outcome => outcome?,
            }
            let event = AuditEvent {
                detail: format!("for {email}"),
                ..given.event(account.id, Actor::Operator, AuditAction::AccountCreated)
            };
            work.audit().record(&event).await?;
            work.commit().await?;
            Ok((account, owner))
        };
        self.transaction_with_ids(create).await
    }

    /// For the operator. Existing items stay, even above a lower limit.
    pub async fn limit_account(
        &self,
        account: AccountId,
        limits: AccountLimits,
    ) -> Result<Option<Account>, StorageError> {
        let event = (Actor::Operator.into(), AuditAction::AccountLimited);
        let change = |it| Account { limits, ..it };
        self.change_account(account, event, &limits.to_string(), change)
            .await
    }

    /// For the operator. Disabling an account refuses its tokens, ends its sessions for good,
    /// cancels its unfinished analyses, and stops its schedules.
    pub async fn switch_account(
        &self,
        by: impl Into<Author>,
        account: AccountId,
        status: AccountStatus,
    ) -> Result<Option<Account>, StorageError> {
        let action = match status {
            AccountStatus::Active => AuditAction::AccountEnabled,
            AccountStatus::Disabled => AuditAction::AccountDisabled,
        };
        let change = |it| Account { status, ..it };
        self.change_account(account, (by.into(), action), "", change)
            .await
    }

    /// For the operator: all accounts with their members, oldest first.
    pub async fn all_accounts(&self) -> Result<Vec<(Account, Vec<User>)>, StorageError> {
        self.storage.read().await?.accounts().list().await
    }

    /// An unchanged account is neither written nor audited.
    async fn change_account(
        &self,
        account: AccountId,
        (by, action): (Author, AuditAction),
        detail: &str,
        change: impl Fn(Account) -> Account + Send + Sync,
    ) -> Result<Option<Account>, StorageError> {
        let (by, change) = (&by, &change);
        let run = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            let Some(found) = work.accounts().lock(account).await? else {
                return Ok(None);
            };
            let changed = change(found.clone());
            if changed == found {
                return Ok(Some(found));
            }
            work.accounts().save(&changed).await?;
            let mut details = vec![detail.to_owned()];
            if changed.status == AccountStatus::Disabled {
                let ended = work.sessions().end_all_of_account(account).await?;
                details.push(format!("{ended} sessions ended"));
                let queue = work.jobs().lock_queue(account).await?;
                let stopped = cancel_unfinished(work.as_mut(), &queue, None, given.now).await?;
                details.push(format!("{stopped} analyses canceled"));
            }
            details.retain(|it| !it.is_empty());
            let event = AuditEvent {
                detail: details.join("; "),
                ..given.event(account, by.clone(), action)
            };
            work.audit().record(&event).await?;
            work.commit().await?;
            Ok(Some(changed))
        };
        self.transaction_with_ids(run).await
    }

    /// Changes the account's name, and the person's name and address for signing in. Copies in other accounts follow when
    /// the person enters them.
    pub async fn change_profile(
        &self,
        member: &Member,
        patch: &ProfilePatch,
    ) -> Result<(Account, User), ChangeProfileError> {
        self.transaction_with_ids(|work, given| apply_profile_patch(work, given, member, patch))
            .await
    }

    /// Returns the changed account; `None` if there is no such account.
    pub async fn change_report_defaults(
        &self,
        by: &User,
        defaults: &EffectiveReportSettings,
    ) -> Result<Option<Account>, StorageError> {
        let event = (by.into(), AuditAction::ReportDefaultsChanged);
        let change = |it| Account {
            report_defaults: defaults.clone(),
            ..it
        };
        let state = if defaults.enabled { "on" } else { "off" };
        let detail = format!("{state}, {}", defaults.frequency.name());
        self.change_account(by.account, event, &detail, change)
            .await
    }

    /// How many days the audit log is stored; `None` is the server's default. The next purge applies it. Returns the
    /// changed account; `None` if there is no such account.
    pub async fn set_audit_days(
        &self,
        by: &User,
        days: Option<u32>,
    ) -> Result<Option<Account>, StorageError> {
        let event = (by.into(), AuditAction::AuditDaysChanged);
        let detail = match days {
            Some(days) => format!("{days} days"),
            None => "the server's default".to_owned(),
        };
        let change = |it| Account {
            audit_days: days,
            ..it
        };
        self.change_account(by.account, event, &detail, change)
            .await
    }

    /// Newest first.
    pub async fn audit_events(
        &self,
        account: AccountId,
        filter: &AuditFilter,
        limit: u32,
    ) -> Result<Vec<AuditEvent>, StorageError> {
        let mut read = self.storage.read().await?;
        read.audit().list(account, filter, limit).await
    }

    /// Records that a member or token lacked a right, off the request path: one event an hour for each.
    pub async fn note_refused_authorization(
        &self,
        account: AccountId,
        by: impl Into<Author>,
        token: Option<TokenId>,
        right: &str,
    ) -> Result<(), StorageError> {
        let by = by.into();
        let now = self.clock.now();
        let person = by.person.as_ref().map(|it| it.id);
        let subject = format!(
            "{account} {person:?} {token:?} {right} {}",
            now.timestamp() / 3_600
        );
        let event = AuditEvent {
            token,
            detail: right.to_owned(),
            ..AuditEvent::new(
                AuditEventId::of_subject(&subject),
                account,
                now,
                by,
                AuditAction::AuthorizationRefused,
            )
        };
        let mut work = self.storage.write().await?;
        match work.audit().record(&event).await {
            // It was recorded in this hour.
            Err(StorageError::Conflict { .. } | StorageError::IdTaken) => Ok(()),
            outcome => {
                outcome?;
                work.commit().await
            }
        }
    }
}

/// Writes the account that the session works in, and the person's row in the home account.
async fn apply_profile_patch(
    mut work: Box<dyn Transaction>,
    mut given: TransactionInput,
    member: &Member,
    patch: &ProfilePatch,
) -> Result<(Account, User), ChangeProfileError> {
    let locked = work.accounts().lock(member.account.id).await?;
    let before = locked.ok_or(ChangeProfileError::NoSuchAccount)?;
    let (home, id) = (member.session.home, member.user.id);
    let present = present_member(work.as_mut(), before.id, id).await?;
    let present = present.ok_or(ChangeProfileError::SignedOut)?;
    let user_before = work.members().find(home, id).await?;
    let user_before = user_before.ok_or(ChangeProfileError::NoSuchAccount)?;
    let (mut account, mut user) = (before.clone(), user_before.clone());
    patch.account_name.clone().apply_to(&mut account.name);
    patch.name.clone().apply_to(&mut user.name);
    patch.email.clone().apply_to(&mut user.email);
    let changed = User {
        name: user.name.clone(),
        email: user.email.clone(),
        ..present
    };
    if (&account, &user) == (&before, &user_before) {
        return Ok((account, changed));
    }
    if user.email != user_before.email {
        if !member.session.is_fresh(given.now) {
            return Err(ChangeProfileError::NotFresh);
        }
        if !still_signed_in(work.as_mut(), member).await? {
            return Err(ChangeProfileError::SignedOut);
        }
    }
    work.accounts().save(&account).await?;
    match work.members().save_profile(&user).await {
        Err(StorageError::Conflict { .. }) => return Err(ChangeProfileError::EmailTaken),
        outcome => outcome?,
    }
    if account.id != home {
        work.members().save_profile(&changed).await?;
    }
    // Sign-in is a matter of the home account.
    for logged in BTreeSet::from([account.id, home]) {
        let event = AuditEvent {
            detail: profile_changes(&before, &account, &user_before, &user),
            ..given.event(logged, &changed, AuditAction::AccountChanged)
        };
        work.audit().record(&event).await?;
    }
    work.commit().await?;
    Ok((account, changed))
}

fn profile_changes(before: &Account, after: &Account, user_before: &User, user: &User) -> String {
    let changes = [
        (before.name != after.name).then(|| format!("account name: {}", after.name)),
        (user_before.name != user.name).then(|| format!("name: {}", user.name)),
        (user_before.email != user.email)
            .then(|| format!("e-mail: {} instead of {}", user.email, user_before.email)),
    ];
    { changes.into_iter() }
        .flatten()
        .collect::<Vec<_>>()
        .join("; ")
}
