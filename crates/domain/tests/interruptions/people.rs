//! Accounts, users, sessions and tokens.

use super::{
    Case, case,
    fixture::{ANN, answer, label, member, network, once_only, password, place, scene},
};
use chrono::TimeDelta;
use domain::{
    account::{AccountLimits, AccountStatus},
    ai_models::ModelChange,
    audit::Actor,
    email::EmailAddress,
    ids::{SessionId, TokenId},
    patch::Change,
    report_settings::EffectiveReportSettings,
    scope::Scopes,
    shared_key::KeyPurpose,
    test_support::{
        ACCOUNT, MemoryStorage, a_session, a_user,
        fixtures::{now, plain_token, project, session},
    },
    throttle::{Throttle, ThrottleKey},
    use_cases::{
        accounts::ProfilePatch,
        passwords::NewPassword,
        sign_in::{SignIn, SignInAttempt},
        tokens::{NewToken, TokenIssuer},
        welcome_owner::NewOwner,
    },
};
use std::sync::Arc;

pub fn cases() -> Vec<Case> {
    [accounts(), access(), tokens()]
        .into_iter()
        .flatten()
        .collect()
}

fn email(text: &str) -> EmailAddress {
    EmailAddress::parse(text).unwrap()
}

fn renamed() -> ProfilePatch {
    ProfilePatch {
        account_name: Change::Set(label("Agency")),
        name: Change::Set(label("Anna")),
        email: Change::Set(email("anna@example.com")),
    }
}

fn more_samples() -> ModelChange {
    ModelChange {
        samples: Change::Set(7),
        ..ModelChange::default()
    }
}

/// With expired data of every kind.
fn long_ago() -> MemoryStorage {
    let storage = scene()
        .with(session(62).but(|it| it.created_at = now() - TimeDelta::days(100)))
        .with(project().id(12).deactivated_for(400));
    storage.put(|state| {
        let since = (now() - TimeDelta::days(400)).timestamp_micros();
        let mut mark = [0; 32];
        mark[..8].copy_from_slice(&since.to_be_bytes());
        state.secrets.insert("removes-since".to_owned(), mark);
        let guessed = Throttle {
            guesses: 3,
            last_at: now() - TimeDelta::days(400),
        };
        let key = ThrottleKey::of_email(&a_user().email);
        state.throttles.insert(key.0, guessed);
    });
    storage
}

fn accounts() -> Vec<Case> {
    vec![
        case!("create_account", scene, |core, _| core
            .create_account(&email("bob@example.com"), &label("Bob"))
            .await),
        case!("limit_account", scene, |core, _| core
            .limit_account(
                ACCOUNT,
                AccountLimits {
                    projects: 7,
                    ..AccountLimits::default()
                }
            )
            .await),
        case!("switch_account", scene, |core, _| core
            .switch_account(ACCOUNT, AccountStatus::Disabled)
            .await),
        case!("change_profile", scene, |core, _| core
            .change_profile(&member(), &renamed())
            .await),
        case!("change_report_defaults", scene, |core, _| core
            .change_report_defaults(
                ACCOUNT,
                &EffectiveReportSettings {
                    enabled: !EffectiveReportSettings::default().enabled,
                    ..EffectiveReportSettings::default()
                }
            )
            .await),
        case!("change_ai_model", scene, |core, _| core
            .change_ai_model(ACCOUNT, "chatgpt", &more_samples())
            .await),
        case!("change_ai_models", scene, |core, _| core
            .change_ai_models(
                ACCOUNT,
                &[
                    ("chatgpt".to_owned(), more_samples()),
                    ("gemini".to_owned(), more_samples())
                ]
            )
            .await),
        case!("store_response", scene, |core, _| core
            .store_response(ACCOUNT, &once_only(), &answer())
            .await),
        case!("purge_expired", long_ago, |core, _| core
            .purge_expired()
            .await),
        case!("check_retention_clock", scene, |core, _| core
            .check_retention_clock()
            .await),
        case!("welcome_code", MemoryStorage::default, |core, _| core
            .welcome_code()
            .await),
        case!("shared_key", MemoryStorage::default, |core, _| core
            .shared_key(KeyPurpose::Cursors)
            .await),
        case!("rotate_secrets", MemoryStorage::default, |core, _| core
            .rotate_secrets()
            .await),
        case!("welcome_owner", MemoryStorage::default, |core, outside| {
            core.welcome_owner(
                outside,
                &NewOwner {
                    code: "0".repeat(32),
                    email: email("ann@example.com"),
                    name: label("Ann"),
                    password: "tkgz-81!rq04".to_owned(),
                },
                &place(),
            )
            .await
        }),
    ]
}

fn attempt() -> SignInAttempt {
    SignInAttempt {
        email: a_user().email,
        password: password(),
        client: place(),
        before: None,
    }
}

fn access() -> Vec<Case> {
    vec![
        case!("SignIn::run", scene, |core, outside| {
            let hasher = Arc::new(outside.clone());
            let sign_in = SignIn::new(Arc::clone(core), hasher.clone(), hasher);
            sign_in.run(&attempt()).await
        }),
        case!("reauthenticate", scene, |core, outside| core
            .reauthenticate(outside, &member(), &password(), &place())
            .await),
        case!("change_password", scene, |core, outside| core
            .change_password(
                outside,
                &member(),
                &NewPassword {
                    current: password(),
                    new: "another-tkgz-81".to_owned(),
                    ends_others: true,
                    revokes_tokens: true,
                },
                &place()
            )
            .await),
        case!("set_password", scene, |core, outside| core
            .set_password(outside, &a_user(), "another-tkgz-81", true)
            .await),
        case!("note_session_use", scene, |core, _| core
            .note_session_use(ACCOUNT, SessionId(61))
            .await),
        case!("note_failed_sign_in", scene, |core, _| core
            .note_failed_sign_in(ACCOUNT, network())
            .await),
        case!("end_session", scene, |core, _| core
            .end_session(ACCOUNT, ANN, SessionId(61))
            .await),
        case!("end_sessions", scene, |core, _| core
            .end_sessions(ACCOUNT, ANN, None, true)
            .await),
        case!("expire_session", scene, |core, _| core
            .expire_session(&a_session())
            .await),
    ]
}

fn tokens() -> Vec<Case> {
    vec![
        case!("issue_token", scene, |core, _| core
            .issue_token(
                TokenIssuer::Operator(&a_user()),
                &NewToken {
                    name: label("ci"),
                    scopes: Scopes::all(),
                    lifetime: None,
                }
            )
            .await),
        case!("rotate_token", scene, |core, _| core
            .rotate_token(ACCOUNT, TokenId(41), TimeDelta::hours(1))
            .await),
        case!("revoke_token", scene, |core, _| core
            .revoke_token(Actor::Owner, ACCOUNT, TokenId(41))
            .await),
        case!("note_token_use", scene, |core, _| core
            .note_token_use(ACCOUNT, TokenId(41))
            .await),
        case!("report_leak", scene, |core, _| core
            .report_leak(plain_token().reveal())
            .await),
    ]
}
