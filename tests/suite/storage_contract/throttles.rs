//! Sign-in throttles.

use super::examples::*;
use domain::throttle::{Throttle, ThrottleKey};
use futures_util::future::join_all;
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    each_key_is_counted_from_zero,
    concurrent_guesses_are_all_counted,
    old_counts_are_deleted_in_batches,
];

const ONE: ThrottleKey = ThrottleKey([1; 32]);
const TWO: ThrottleKey = ThrottleKey([2; 32]);

async fn each_key_is_counted_from_zero(db: TestStorage) {
    let counted = Throttle {
        guesses: 7,
        last_at: after(3) + tick(),
    };
    change!(db, tx => {
        let fresh = tx.throttles().lock(ONE, now()).await.unwrap();
        assert_eq!(fresh, Throttle { guesses: 0, last_at: now() });
        tx.throttles().save(ONE, counted).await.unwrap();
    });
    change!(db, tx => {
        assert_eq!(tx.throttles().lock(ONE, after(9)).await.unwrap(), counted);
        assert_eq!(tx.throttles().lock(TWO, now()).await.unwrap().guesses, 0);
        tx.throttles().reset(ONE).await.unwrap();
    });
    change!(db, tx => assert_eq!(tx.throttles().lock(ONE, now()).await.unwrap().guesses, 0));
}

async fn concurrent_guesses_are_all_counted(db: TestStorage) {
    let guess = |_| async {
        domain::ports::storage::run_with_retries(&*db.storage, || async {
            let mut tx = domain::ports::storage::Storage::write(&*db.storage).await?;
            let before = tx.throttles().lock(ONE, now()).await?;
            let counted = Throttle {
                guesses: before.guesses + 1,
                ..before
            };
            tx.throttles().save(ONE, counted).await?;
            tx.commit().await
        })
        .await
    };
    let outcomes: Vec<Result<(), domain::ports::storage::StorageError>> =
        join_all((0..32).map(guess)).await;
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    change!(db, tx => assert_eq!(tx.throttles().lock(ONE, now()).await.unwrap().guesses, 32));
}

async fn old_counts_are_deleted_in_batches(db: TestStorage) {
    change!(db, tx => for number in 0..5_u8 {
        tx.throttles().lock(ThrottleKey([number; 32]), after(number.into())).await.unwrap();
    });
    let forget = |limit| {
        let db = &db;
        async move { change!(db, tx => tx.throttles().purge_before(after(4), limit).await.unwrap()) }
    };
    assert_eq!(
        (forget(3).await, forget(3).await, forget(3).await),
        (3, 1, 0)
    );
    change!(db, tx => {
        let kept = tx.throttles().lock(ThrottleKey([4; 32]), now()).await.unwrap();
        assert_eq!(kept.last_at, after(4), "at that very moment is not before it");
    });
}
