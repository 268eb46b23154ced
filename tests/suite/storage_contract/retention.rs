//! Old data of one account is deleted, however much another one has.

use super::{
    examples::*,
    measurements::measurement,
    results::{head, query, record},
};
use analysis::{findings::rankings::RankState, result_type::ResultType};
use domain::{
    ids::{AccountId, JobId, KeywordId, ProjectId},
    page::Direction,
    results::FindingSort,
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    old_measurements_of_one_account_are_deleted,
    old_records_of_one_account_are_deleted,
];

/// As many keywords as are in one batch, and more projects than are.
const MANY: i64 = 500;

async fn old_measurements_of_one_account_are_deleted(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let others: Vec<_> = (100..100 + MANY)
        .map(|id| keyword(BOB, id, &format!("k{id}")))
        .collect();
    change!(db, tx => {
        tx.keywords().add(&others).await.unwrap();
        let seen = [
            measurement(21, 31, 400, RankState::Ranked),
            measurement(21, 32, 0, RankState::Ranked),
        ];
        for id in [ANN, BOB] {
            tx.measurements().add(id, SHOP, &seen).await.unwrap();
        }
    });
    let left = change!(db, tx => tx.measurements().purge_points(ANN, day(37), None).await.unwrap());
    assert_eq!(left, None, "nothing is left of hers");
    for (account, job, counted) in [(ANN, 31, 0), (ANN, 32, 1), (BOB, 31, 1), (BOB, 32, 1)] {
        let found =
            read!(db, r => r.measurements().counts(account, SHOP, JobId(job)).await.unwrap());
        let expected = (counted > 0).then_some((KeywordId(21), counted));
        assert_eq!(found, Vec::from_iter(expected), "{account:?} {job}");
    }
}

async fn old_records_of_one_account_are_deleted(db: TestStorage) {
    const OTHERS: i64 = 20;
    two_accounts_at_work(&db).await;
    change!(db, tx => {
        for project_id in 100..100 + OTHERS {
            tx.projects().add(&project(BOB, project_id)).await.unwrap();
            let to = ProjectId(project_id);
            let mut of_it = head(31, ResultType::Rankings, 0);
            (of_it.account, of_it.project) = (BOB, to);
            tx.results().publish(BOB, to, JobId(31), &[of_it], &[]).await.unwrap();
        }
        for id in [ANN, BOB] {
            tx.jobs().add(&job(id, 32)).await.unwrap();
            for run in [31, 32] {
                tx.measurements().stage(id, JobId(run), &[record(run, 1, Some(1.0))]).await.unwrap();
                let mut of_it = head(run, ResultType::Rankings, 1);
                of_it.account = id;
                tx.results().publish(id, SHOP, JobId(run), &[of_it], &[]).await.unwrap();
            }
        }
    });
    let forgetting = (ResultType::Rankings, after(100_000));
    let left = change!(db, tx => tx.measurements().purge_findings(ANN, forgetting.0, forgetting.1, None).await.unwrap());
    assert_eq!(left, None, "nothing is left of hers");
    assert_eq!(runs(&db, ANN).await, [32]);
    assert_eq!(runs(&db, BOB).await, [31, 32]);
}

/// The runs that have records.
async fn runs(db: &TestStorage, account: AccountId) -> Vec<i64> {
    let mut runs = Vec::new();
    for job in [31, 32] {
        let finding_query = query(Some(job), FindingSort::Ordinal, Direction::Ascending);
        let found =
            read!(db, r => r.results().findings(account, SHOP, &finding_query).await.unwrap());
        runs.extend(found.items.iter().map(|it| it.job.0));
    }
    runs
}
