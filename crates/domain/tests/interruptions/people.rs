//! Accounts, users, sessions and tokens.

use super::{
    Case, case,
    fixture::{ANN, SHOP, answer, label, member, network, once_only, password, place, scene},
};
use chrono::TimeDelta;
use domain::{
    account::{Account, AccountLimits, AccountStatus},
    ai_models::ModelChange,
    audit::Actor,
    email::EmailAddress,
    ids::{AccountId, InvitationId, SessionId, TokenId, UserId},
    invitation::Invitation,
    link::PlainLink,
    patch::Change,
    report_settings::EffectiveReportSettings,
    rights::Role,
    scope::Scopes,
    session::Session,
    shared_key::KeyPurpose,
    test_support::{
        ACCOUNT, MemoryStorage, a_session, a_user, an_account,
        fixtures::{account, now, plain_token, project, session, user},
    },
    throttle::{Throttle, ThrottleKey},
    use_cases::{
        accounts::ProfilePatch,
        members::{Invitee, MemberPatch, NewPerson},
        passwords::NewPassword,
        sessions::Member,
        sign_in::{SignIn, SignInAttempt},
        tokens::{NewToken, TokenIssuer},
        welcome_owner::NewOwner,
    },
    user::User,
};
use std::{collections::BTreeSet, sync::Arc};

pub fn cases() -> Vec<Case> {
    [accounts(), access(), tokens(), members()]
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
            .switch_account(Actor::Operator, ACCOUNT, AccountStatus::Disabled)
            .await),
        case!("change_profile", scene, |core, _| core
            .change_profile(&member(), &renamed())
            .await),
        case!("change_report_defaults", scene, |core, _| core
            .change_report_defaults(
                &a_user(),
                &EffectiveReportSettings {
                    enabled: !EffectiveReportSettings::default().enabled,
                    ..EffectiveReportSettings::default()
                }
            )
            .await),
        case!("set_audit_days", scene, |core, _| core
            .set_audit_days(&a_user(), Some(90))
            .await),
        case!("change_ai_model", scene, |core, _| core
            .change_ai_model(ACCOUNT, "chatgpt", &more_samples())
            .await),
        case!("change_ai_models", scene, |core, _| core
            .change_ai_models(
                &a_user(),
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
            .note_failed_sign_in((ACCOUNT, ANN), network())
            .await),
        case!("note_refused_authorization", scene, |core, _| core
            .note_refused_authorization(ACCOUNT, &a_user(), None, "projects.write")
            .await),
        case!("end_session", scene, |core, _| core
            .end_session(&member(), SessionId(61))
            .await),
        case!("end_sessions", scene, |core, _| core
            .end_sessions(&member(), None, true)
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

const BEA: UserId = UserId(52);
const AGENCY: AccountId = AccountId(2);
const LINK: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

fn bea() -> User {
    User {
        id: BEA,
        email: email("bea@example.com"),
        role: Role::Editor,
        ..a_user()
    }
}

/// Ann's account with a second member, Bea, and an open invitation for `invitee`; Bea also joined an agency.
fn with_invitation(invitee: &str) -> MemoryStorage {
    let storage = scene().with(user().but(|it| *it = bea()));
    let agency = account().but(|it| it.id = AGENCY);
    let storage = storage.with(agency);
    storage.put(|state| {
        let joined = User {
            account: AGENCY,
            ..bea()
        };
        state.users.insert((AGENCY, BEA), joined);
        state.joined.insert((ACCOUNT, BEA, AGENCY));
        let invitation = Invitation {
            account: AGENCY,
            id: InvitationId(71),
            email: email(invitee),
            role: Role::Viewer,
            projects: BTreeSet::new(),
            invited_by: BEA,
            created_at: now(),
            issued_at: now(),
            issued: 1,
            expires_at: now() + TimeDelta::days(7),
            ended: None,
        };
        let link = PlainLink::parse(LINK).unwrap().hash();
        let key = (AGENCY, invitation.id);
        state.invitations.insert(key, (invitation, Some(link)));
    });
    storage
}

fn for_ann() -> MemoryStorage {
    with_invitation("ann@example.com")
}

fn for_carl() -> MemoryStorage {
    with_invitation("carl@example.com")
}

/// Bea in the agency, which has the open invitation.
fn in_agency() -> Member {
    let (account, session) = (an_account(), a_session());
    Member {
        account: Account {
            id: AGENCY,
            ..account
        },
        user: User {
            account: AGENCY,
            role: Role::Admin,
            ..bea()
        },
        granted_projects: None,
        session: Session {
            works_in: AGENCY,
            user: BEA,
            ..session
        },
        should_record_use: false,
    }
}

/// Bea is an admin of the agency, signed in.
fn managed() -> MemoryStorage {
    let storage = for_carl();
    storage.put(|state| {
        let bea = state.users.get_mut(&(AGENCY, BEA)).unwrap();
        bea.role = Role::Admin;
        let (session, _) = state.sessions.get_mut(&(ACCOUNT, SessionId(61))).unwrap();
        *session = in_agency().session;
    });
    storage
}

fn members() -> Vec<Case> {
    vec![
        case!("invite", for_carl, |core, _| core
            .invite(
                &member(),
                &Invitee {
                    email: email("dora@example.com"),
                    role: Role::Client,
                    projects: [SHOP].into(),
                }
            )
            .await),
        case!("renew_invitation", managed, |core, _| core
            .renew_invitation(&in_agency(), InvitationId(71))
            .await),
        case!("revoke_invitation", managed, |core, _| core
            .revoke_invitation(&in_agency(), InvitationId(71))
            .await),
        case!("accept_as_new_person", for_carl, |core, outside| {
            let person = NewPerson {
                name: label("Carl"),
                password: "tkgz-81!rq04".to_owned(),
            };
            core.accept_as_new_person(outside, LINK, &person, &place())
                .await
        }),
        case!("accept_signed_in", for_ann, |core, _| core
            .accept_signed_in(&member(), LINK)
            .await),
        case!("SignIn::join", for_ann, |core, outside| {
            let hasher = Arc::new(outside.clone());
            let sign_in = SignIn::new(Arc::clone(core), hasher.clone(), hasher);
            let link = PlainLink::parse(LINK).unwrap().hash();
            sign_in.join(&attempt(), link).await
        }),
        case!("enter_account", managed, |core, _| core
            .enter_account(&in_agency(), ACCOUNT)
            .await),
        case!("change_member", for_carl, |core, _| core
            .change_member(
                &member(),
                BEA,
                &MemberPatch {
                    role: Some(Role::Client),
                    projects: Some([SHOP].into()),
                }
            )
            .await),
        case!("remove_member", for_carl, |core, _| core
            .remove_member(&member(), BEA, true)
            .await),
        case!("mark_operator", scene, |core, _| core
            .mark_operator(&a_user(), true)
            .await),
    ]
}
