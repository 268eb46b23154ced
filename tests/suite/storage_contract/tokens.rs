//! API tokens.

use super::examples::*;
use chrono::{DateTime, Utc};
use domain::{
    account::{Account, AccountStatus},
    ids::{AccountId, TokenId},
    scope::Scopes,
    text::Label,
    token::{ApiToken, RevokeReason, TokenHash},
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    a_token_is_found_by_its_hash_in_any_state,
    an_account_lists_its_own_tokens_newest_first,
    the_earliest_revocation_time_counts,
    the_working_tokens_of_one_account_are_revoked_together,
    the_last_use_of_a_token_never_moves_back,
];

fn token(account: AccountId, id: i64) -> ApiToken {
    ApiToken {
        account,
        id: TokenId(id),
        name: Label::parse("ci").unwrap(),
        scopes: Scopes::parse("projects:read,analysis:run").unwrap(),
        last_four: "AbC9".into(),
        created_by: owner(account).id,
        created_at: after(id),
        expires_at: Some(after(500) + tick()),
        last_used_at: None,
        revoked_at: None,
        revoke_reason: None,
        rotated_from: None,
    }
}

async fn issued(db: &TestStorage) {
    two_accounts(db).await;
    change!(db, tx => for (account, id) in [(ANN, 1), (ANN, 2), (BOB, 1)] {
        let hash = TokenHash([u8::try_from(10 * account.0 + id).unwrap(); 32]);
        tx.tokens().add(&token(account, id), hash).await.unwrap();
    });
}

async fn a_token_is_found_by_its_hash_in_any_state(db: TestStorage) {
    issued(&db).await;
    let disabled = Account {
        status: AccountStatus::Disabled,
        ..account(ANN)
    };
    change!(db, tx => {
        tx.tokens().revoke(ANN, TokenId(1), after(9), RevokeReason::Leaked).await.unwrap();
        tx.accounts().save(&disabled).await.unwrap();
    });
    let known = read!(db, r => r.tokens().find_by_hash(TokenHash([11; 32])).await.unwrap());
    let known = known.unwrap();
    assert_eq!(
        known.token,
        ApiToken {
            revoked_at: Some(after(9)),
            revoke_reason: Some(RevokeReason::Leaked),
            ..token(ANN, 1)
        }
    );
    assert_eq!(known.account, disabled);
    let unknown = read!(db, r => r.tokens().find_by_hash(TokenHash([99; 32])).await.unwrap());
    assert_eq!(unknown, None);
}

async fn an_account_lists_its_own_tokens_newest_first(db: TestStorage) {
    issued(&db).await;
    let listed = read!(db, r => r.tokens().list(ANN).await.unwrap());
    assert_eq!(listed, [token(ANN, 2), token(ANN, 1)]);
}

async fn the_earliest_revocation_time_counts(db: TestStorage) {
    issued(&db).await;
    let outcomes = change!(db, tx => {
        let tokens = tx.tokens();
        [
            // Rotated: it ends later.
            tokens.revoke(ANN, TokenId(1), after(60), RevokeReason::Rotated).await.unwrap(),
            tokens.revoke(ANN, TokenId(1), after(60), RevokeReason::Rotated).await.unwrap(),
            tokens.revoke(ANN, TokenId(1), after(9), RevokeReason::Owner).await.unwrap(),
            tokens.revoke(ANN, TokenId(1), after(10), RevokeReason::Leaked).await.unwrap(),
            tokens.revoke(ANN, TokenId(77), after(10), RevokeReason::Owner).await.unwrap(),
        ]
    });
    assert_eq!(outcomes, [true, false, true, false, false]);
    let end = (Some(after(9)), Some(RevokeReason::Owner));
    assert_eq!(end_of(&db, ANN).await, end);
    assert_eq!(end_of(&db, BOB).await, (None, None));
}

async fn the_working_tokens_of_one_account_are_revoked_together(db: TestStorage) {
    issued(&db).await;
    let (early, late, rotated) = (after(5), after(9), after(60));
    let ended = change!(db, tx => {
        let tokens = tx.tokens();
        tokens.revoke(ANN, TokenId(1), rotated, RevokeReason::Rotated).await.unwrap();
        tokens.revoke(ANN, TokenId(2), early, RevokeReason::Leaked).await.unwrap();
        tokens.revoke_all(ANN, late, RevokeReason::Owner).await.unwrap()
    });
    assert_eq!(ended, [TokenId(1)]);
    let listed = read!(db, r => r.tokens().list(ANN).await.unwrap());
    let ends = listed.iter().map(|it| (it.revoked_at, it.revoke_reason));
    assert_eq!(
        ends.collect::<Vec<_>>(),
        [
            (Some(early), Some(RevokeReason::Leaked)),
            (Some(late), Some(RevokeReason::Owner)),
        ]
    );
    assert_eq!(end_of(&db, BOB).await, (None, None));
    let again =
        change!(db, tx => tx.tokens().revoke_all(ANN, rotated, RevokeReason::Owner).await.unwrap());
    assert_eq!(again, []);
}

async fn end_of(
    db: &TestStorage,
    account: AccountId,
) -> (Option<DateTime<Utc>>, Option<RevokeReason>) {
    let listed = read!(db, r => r.tokens().list(account).await.unwrap());
    let found = listed.iter().find(|it| it.id == TokenId(1)).unwrap();
    (found.revoked_at, found.revoke_reason)
}

async fn the_last_use_of_a_token_never_moves_back(db: TestStorage) {
    issued(&db).await;
    for second in [5, 9, 7] {
        change!(db, tx => tx.tokens().note_use(ANN, TokenId(1), after(second)).await.unwrap());
    }
    let listed = read!(db, r => r.tokens().list(ANN).await.unwrap());
    assert_eq!(listed[1].last_used_at, Some(after(9)));
    assert_eq!(listed[0].last_used_at, None);
}
