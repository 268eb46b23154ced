//! Answers of AI engines, and tallies of them.

use super::examples::*;
use analysis::{
    ai_answers::{
        brands::{BrandBook, BrandSpec},
        evaluate,
    },
    document::Document,
    findings::ai_visibility::{PromptTally, tallies},
    observation::ai_answer::{
        AiAnswer, AnswerCitation, AnswerState, AnswerUsage, CitationPart, EnginePrompt, TextSpan,
    },
    provenance::Provenance,
    result_type::ResultType,
};
use chrono::{DateTime, Days, Utc};
use domain::{
    ids::{AccountId, AnswerId, JobId, KeywordId},
    kept_answers::{AnswerKey, AnswerQuery, KeptAnswer, KeywordTallies, TallyCursor},
    results::{CARRIED_OVER_ORDINAL, Coverage, ResultHead, StagedFinding},
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    an_answer_is_read_as_it_was_kept,
    a_prompt_sample_has_one_answer_per_run,
    answers_are_filtered_by_keyword,
    answers_are_paged_newest_first,
    old_answers_are_deleted_in_batches,
    tallies_are_replaced_and_paged_in_order,
    old_tallies_are_deleted,
    records_of_tracked_keywords_are_carried_over,
    answers_are_isolated_by_account,
];

const JOB: JobId = JobId(31);

fn answer(keyword: Option<i64>, engine: &str, sample: u32, at: DateTime<Utc>) -> AiAnswer {
    AiAnswer {
        engine: engine.to_owned(),
        provider: "sandbox".to_owned(),
        provenance: Provenance::Simulated,
        requested_model: Some("model".to_owned()),
        served_model: Some("model-1".to_owned()),
        prompt: EnginePrompt {
            prompt_id: format!("{}.Q1", keyword.unwrap_or(0)),
            keyword_id: keyword,
            template: "Q1".to_owned(),
            template_version: 1,
            language: "cs".to_owned(),
            is_branded: keyword.is_none(),
            text: "Který stůl?".to_owned(),
        },
        sample,
        state: AnswerState::Answered,
        text: "Žluťoučký **Acme**\u{0} <b>".repeat(200),
        citations: Some(vec![AnswerCitation {
            url: "https://acme.com/a".to_owned(),
            title: None,
            domain: Some("acme.com".to_owned()),
            part: CitationPart::Inline,
            spans: vec![TextSpan { start: 0, end: 3 }],
        }]),
        searches: Some(2),
        queries: vec!["stůl".to_owned()],
        answered_at: at,
        usage: AnswerUsage {
            cost_micros: Some(7),
            ..AnswerUsage::default()
        },
    }
}

fn kept(id: i64, answer: AiAnswer) -> KeptAnswer {
    KeptAnswer {
        id: AnswerId(id),
        job: JOB,
        answer,
    }
}

async fn keep(db: &TestStorage, account: AccountId, answers: &[KeptAnswer]) {
    change!(db, tx => tx.answers().keep(account, SHOP, answers).await.unwrap());
}

fn all(limit: u32) -> AnswerQuery {
    AnswerQuery {
        job: None,
        keyword: None,
        engine: None,
        before: None,
        limit,
    }
}

async fn ids(db: &TestStorage, query: &AnswerQuery) -> Vec<i64> {
    let found = read!(db, r => r.answers().list(ANN, SHOP, query).await.unwrap());
    found.iter().map(|it| it.id.0).collect()
}

async fn an_answer_is_read_as_it_was_kept(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let mut failed = answer(None, "b", 1, after(1));
    failed.state = AnswerState::Failed("supplierTimedOut".to_owned());
    failed.citations = None;
    let answers = [kept(1, answer(Some(21), "a", 1, now())), kept(2, failed)];
    keep(&db, ANN, &answers).await;
    for it in &answers {
        let found = read!(db, r => r.answers().find(ANN, SHOP, it.id).await.unwrap());
        assert_eq!(found.as_ref(), Some(it));
    }
    let missing = read!(db, r => r.answers().find(ANN, SHOP, AnswerId(3)).await.unwrap());
    assert_eq!(missing, None);
}

async fn a_prompt_sample_has_one_answer_per_run(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let first = kept(1, answer(Some(21), "a", 1, now()));
    keep(&db, ANN, std::slice::from_ref(&first)).await;
    let mut second = answer(Some(21), "a", 1, after(9));
    "another".clone_into(&mut second.text);
    let of_another_job = KeptAnswer {
        job: JobId(32),
        ..kept(3, second.clone())
    };
    keep(&db, ANN, &[kept(2, second), of_another_job.clone()]).await;
    let about = [Some(KeywordId(21))];
    let found = read!(db, r => r.answers().of_job(ANN, JOB, &about).await.unwrap());
    assert_eq!(found, [first]);
    let other = read!(db, r => r.answers().of_job(ANN, JobId(32), &about).await.unwrap());
    assert_eq!(other, [of_another_job]);
    assert_eq!(
        read!(db, r => r.answers().count(ANN, JOB).await.unwrap()),
        1
    );
}

async fn answers_are_filtered_by_keyword(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let answers = [
        kept(1, answer(Some(22), "a", 2, now())),
        kept(2, answer(Some(22), "a", 1, now())),
        kept(3, answer(Some(21), "b", 1, now())),
        kept(4, answer(None, "a", 1, now())),
    ];
    keep(&db, ANN, &answers).await;
    let of = async |keywords: &[Option<i64>]| -> Vec<i64> {
        let keywords: Vec<Option<KeywordId>> =
            keywords.iter().map(|it| it.map(KeywordId)).collect();
        let found = read!(db, r => r.answers().of_job(ANN, JOB, &keywords).await.unwrap());
        let keys = read!(db, r => r.answers().answered(ANN, JOB, &keywords).await.unwrap());
        let mut of_answers: Vec<AnswerKey> =
            found.iter().map(|it| AnswerKey::of(&it.answer)).collect();
        let mut keys = keys;
        keys.sort();
        of_answers.sort();
        assert_eq!(keys, of_answers);
        found.iter().map(|it| it.id.0).collect()
    };
    assert_eq!(of(&[Some(21), Some(22)]).await, [3, 2, 1]);
    assert_eq!(of(&[Some(22)]).await, [2, 1]);
    assert_eq!(of(&[None]).await, [4]);
    let mut both = of(&[None, Some(21)]).await;
    both.sort_unstable();
    assert_eq!(both, [3, 4]);
    assert!(of(&[]).await.is_empty());
}

async fn answers_are_paged_newest_first(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let mut answers = Vec::new();
    for id in 1..=6 {
        let (keyword, engine) = (20 + id % 2, if id < 4 { "a" } else { "b" });
        let sample = u32::try_from(id).unwrap();
        answers.push(kept(id, answer(Some(keyword), engine, sample, after(id))));
    }
    answers[5].job = JobId(32);
    keep(&db, ANN, &answers).await;
    assert_eq!(ids(&db, &all(10)).await, [6, 5, 4, 3, 2, 1]);
    assert_eq!(ids(&db, &all(2)).await, [6, 5]);
    let behind = AnswerQuery {
        before: Some(AnswerId(5)),
        ..all(2)
    };
    assert_eq!(ids(&db, &behind).await, [4, 3]);
    let narrow = AnswerQuery {
        job: Some(JOB),
        keyword: Some(KeywordId(21)),
        engine: Some("a".to_owned()),
        ..all(10)
    };
    assert_eq!(ids(&db, &narrow).await, [3, 1]);
}

async fn old_answers_are_deleted_in_batches(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let answers: Vec<KeptAnswer> = (1..=5)
        .map(|id| kept(id, answer(Some(21), &format!("e{id}"), 1, after(id))))
        .collect();
    keep(&db, ANN, &answers).await;
    keep(&db, BOB, &answers).await;
    let forget =
        async || change!(db, tx => tx.answers().purge_before(ANN, after(4), 2).await.unwrap());
    assert_eq!((forget().await, forget().await, forget().await), (2, 1, 0));
    assert_eq!(ids(&db, &all(10)).await, [5, 4]);
    let theirs = read!(db, r => r.answers().count(BOB, JOB).await.unwrap());
    assert_eq!(theirs, 5);
}

fn counted(engine: &str, ago: u64, job: i64, keyword: i64) -> KeywordTallies {
    let book = BrandBook::of(&BrandSpec::named("Acme", "acme.com"), &[], &[]);
    let answer = answer(Some(keyword), engine, 1, now());
    let evaluated = evaluate(&answer, &book);
    KeywordTallies {
        job: JobId(job),
        day: now().date_naive() - Days::new(ago),
        keyword: KeywordId(keyword),
        engine: engine.to_owned(),
        tallies: tallies([(&answer, &evaluated)]),
    }
}

async fn tallies_are_replaced_and_paged_in_order(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let rows = [
        counted("a", 2, 31, 22),
        counted("a", 2, 32, 21),
        counted("a", 1, 31, 21),
        counted("a", 0, 30, 21),
        counted("a", 9, 31, 21),
        counted("b", 1, 31, 21),
    ];
    assert_eq!(rows[0].tallies[0].mentions, 1);
    change!(db, tx => tx.answers().save_tallies(ANN, SHOP, &rows).await.unwrap());
    let changed = KeywordTallies {
        tallies: vec![PromptTally {
            mentions: 0,
            ..rows[2].tallies[0].clone()
        }],
        ..rows[2].clone()
    };
    change!(db, tx => tx.answers().save_tallies(ANN, SHOP, std::slice::from_ref(&changed)).await.unwrap());
    let since = now().date_naive() - Days::new(2);
    let (mut seen, mut after): (Vec<KeywordTallies>, Option<TallyCursor>) = (Vec::new(), None);
    loop {
        let part =
            read!(db, r => r.answers().tallies(ANN, SHOP, "a", since, after, 1).await.unwrap());
        let Some(last) = part.last() else { break };
        after = Some(last.cursor());
        seen.extend(part);
    }
    assert_eq!(
        seen,
        [rows[0].clone(), rows[1].clone(), changed, rows[3].clone()]
    );
    let whole = read!(db, r => r.answers().tallies(ANN, SHOP, "a", since, None, 50).await.unwrap());
    assert_eq!(whole, seen);
    let theirs =
        read!(db, r => r.answers().tallies(BOB, SHOP, "a", since, None, 50).await.unwrap());
    assert!(theirs.is_empty());
}

async fn old_tallies_are_deleted(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let rows: Vec<KeywordTallies> = (0..6)
        .flat_map(|ago| [counted("a", ago, 31, 21), counted("b", ago, 31, 21)])
        .collect();
    change!(db, tx => {
        tx.answers().save_tallies(ANN, SHOP, &rows).await.unwrap();
        tx.answers().save_tallies(BOB, SHOP, &rows).await.unwrap();
    });
    let before = now().date_naive() - Days::new(1);
    let mut forgotten = Vec::new();
    loop {
        let number = change!(db, tx => tx.answers().purge_tallies(ANN, before, 3).await.unwrap());
        forgotten.push(number);
        if number < 3 {
            break;
        }
    }
    assert_eq!(forgotten.iter().sum::<u64>(), 8, "{forgotten:?}");
    let since = before - Days::new(30);
    let left = read!(db, r => r.answers().tallies(ANN, SHOP, "a", since, None, 50).await.unwrap());
    assert_eq!(left.len(), 2);
    let theirs =
        read!(db, r => r.answers().tallies(BOB, SHOP, "a", since, None, 50).await.unwrap());
    assert_eq!(theirs.len(), 6);
}

fn staged(ordinal: i64, keyword: Option<i64>, record: &str) -> StagedFinding {
    StagedFinding {
        result_type: ResultType::AiVisibility,
        ordinal,
        keyword: keyword.map(KeywordId),
        url: None,
        sort_value: None,
        measured_at: now(),
        record: Document::from_stored(record.to_owned()),
    }
}

fn job_of_ann(id: JobId) -> domain::job::Job {
    job(ANN, id.0)
}

async fn publish(db: &TestStorage, job: JobId, findings: &[StagedFinding]) {
    let head = ResultHead {
        account: ANN,
        project: SHOP,
        result_type: ResultType::AiVisibility,
        job,
        generated_at: now(),
        measured_at: now(),
        method_version: "ai-visibility/1".to_owned(),
        provider: "sandbox".to_owned(),
        provenance: Provenance::Simulated,
        coverage: Coverage::new(1, 1, 0),
        item_count: findings.len() as u64,
        summary: Document::from_stored("{}".to_owned()),
        warnings: vec![],
    };
    change!(db, tx => {
        tx.measurements().stage(ANN, job, findings).await.unwrap();
        tx.results().publish(ANN, SHOP, job, &[head], &[]).await.unwrap();
    });
}

/// A run of one keyword carries over records about the other keywords and the project; keywords that are not tracked
/// any more are left out.
async fn records_of_tracked_keywords_are_carried_over(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let tracked = |id: i64, ai_tracked: bool| domain::keyword::Keyword {
        ai_tracked,
        ..keyword(ANN, id, &format!("keyword {id}"))
    };
    change!(db, tx => tx.keywords().add(&[tracked(22, true), tracked(23, true), tracked(24, false)]).await.unwrap());
    let place = |keyword: i64, engine: i64| keyword * 64 + engine;
    let mut first = vec![
        staged(0, None, "\"project a\""),
        staged(1, None, "\"project b\""),
    ];
    for keyword in [22, 23, 24] {
        for engine in [0, 1] {
            let record = format!("\"{keyword} {engine}\"");
            first.push(staged(place(keyword, engine), Some(keyword), &record));
        }
    }
    publish(&db, JOB, &first).await;
    for job in [JobId(32), JobId(33)] {
        add_job(&db, &job_of_ann(job)).await;
        let own = staged(place(22, 1), Some(22), "\"anew\"");
        change!(db, tx => tx.measurements().stage(ANN, job, &[own]).await.unwrap());
        // A second attempt carries nothing over twice.
        for expected in [5, 0] {
            let carried = change!(db, tx => tx.answers().stage_carried_over(ANN, SHOP, job, &[0, 1]).await.unwrap());
            assert_eq!(carried, expected);
        }
        let of = ResultType::AiVisibility;
        let found = read!(db, r => r.measurements().staged(ANN, job, of, None, 50).await.unwrap());
        let found: Vec<(i64, &str)> = found
            .iter()
            .map(|it| (it.ordinal, it.record.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (place(22, 1), "\"anew\""),
                (CARRIED_OVER_ORDINAL, "\"project a\""),
                (CARRIED_OVER_ORDINAL + 1, "\"project b\""),
                (CARRIED_OVER_ORDINAL + place(22, 0), "\"22 0\""),
                (CARRIED_OVER_ORDINAL + place(23, 0), "\"23 0\""),
                (CARRIED_OVER_ORDINAL + place(23, 1), "\"23 1\""),
            ]
        );
        publish(&db, job, &[]).await;
    }
    // Nothing is carried over for engines that are not queried any more.
    add_job(&db, &job_of_ann(JobId(34))).await;
    let carried = change!(db, tx => tx.answers().stage_carried_over(ANN, SHOP, JobId(34), &[1]).await.unwrap());
    assert_eq!(carried, 3);
}

async fn answers_are_isolated_by_account(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let it = kept(1, answer(Some(21), "a", 1, now()));
    keep(&db, ANN, std::slice::from_ref(&it)).await;
    read!(db, r => {
        let about = [Some(KeywordId(21))];
        assert!(r.answers().find(BOB, SHOP, it.id).await.unwrap().is_none());
        assert!(r.answers().list(BOB, SHOP, &all(9)).await.unwrap().is_empty());
        assert!(r.answers().of_job(BOB, JOB, &about).await.unwrap().is_empty());
        assert!(r.answers().answered(BOB, JOB, &about).await.unwrap().is_empty());
        assert_eq!(r.answers().count(BOB, JOB).await.unwrap(), 0);
    });
    // Both accounts have the same ids.
    keep(&db, BOB, std::slice::from_ref(&it)).await;
    assert_eq!(
        read!(db, r => r.answers().count(ANN, JOB).await.unwrap()),
        1
    );
}
