//! Paid answers: recorded in the ledger first, not requested if that fails, not requested again once stored.

use super::{
    super::{
        KEY,
        fault_server::{FaultServer, Reply},
        paid_call_ledger::{Book, as_journal, earlier},
    },
    Setup, engine, question,
    shapes::{ENGINES, TEXT, compatible_at, model_at},
};
use domain::{
    money::MicroUsd,
    ports::{
        ai_answers::AiQuery,
        search_results::{PaidCallRefusal, ProviderError, Spent},
    },
};
use providers::ai::{AiSettings, CompatibleSettings, ModelSettings};
use setting::Usd;

#[tokio::test]
async fn answers_are_kept_without_secrets_and_not_paid_again() {
    for shape in &ENGINES {
        let mut body = (shape.answered)(TEXT).body;
        if let Some(body) = body.as_object_mut() {
            body.insert("echo".to_owned(), KEY.into());
        }
        let server = FaultServer::always(Reply::ok(&body)).await;
        let book = Book::with(1_000_000);
        let engine = engine(&(shape.at)(&server), shape.engine);
        let first = engine.query(&question(), &as_journal(&book)).await;
        let first_answer = first.answer.expect(shape.name);
        let again = engine.query(&question(), &as_journal(&book)).await;
        assert_eq!(again.spent, Spent::default(), "{}", shape.name);
        let answer = again.answer.expect(shape.name);
        assert_eq!(server.calls(), 1, "{}", shape.name);
        assert_eq!(
            (&answer.text, &answer.citations),
            (&first_answer.text, &first_answer.citations)
        );
        assert_eq!(answer.usage.cost_micros, first_answer.usage.cost_micros);
        assert_eq!(
            (answer.answered_at, answer.usage.latency_ms),
            (earlier(), None)
        );
        // The sample is part of the call: five samples are five calls.
        for sample in 2..=5 {
            let question = AiQuery {
                sample,
                ..question()
            };
            assert!(
                engine
                    .query(&question, &as_journal(&book))
                    .await
                    .answer
                    .is_ok()
            );
        }
        assert_eq!(server.calls(), 5, "{}", shape.name);
        for (step, max_cost, ended) in book.lines() {
            assert!(!step.contains(KEY), "{step}");
            let ended = ended.expect("it ended");
            assert!(ended.cost.0 <= max_cost, "{step}");
            let kept = String::from_utf8(ended.answer.expect("an answer")).expect("text");
            assert!(!kept.contains(KEY), "{step}: {kept}");
        }
    }
}

/// Neither tenants nor the database may see the operator's key, whatever a service echoes.
#[tokio::test]
async fn echoed_key_is_removed_from_answers() {
    for shape in &ENGINES {
        let text = format!("Your key is {KEY}, or https://a.test/?key={KEY}.");
        let server = FaultServer::always(Reply::ok(&(shape.answered)(&text).body)).await;
        let outcome = { engine(&(shape.at)(&server), shape.engine) }
            .query(&question(), &crate::MONEY)
            .await;
        let answer = outcome.answer.expect(shape.name);
        assert!(answer.text.contains("Your key is"), "{}", shape.name);
        assert!(!format!("{answer:?}").contains(KEY), "{}", shape.name);
    }
}

#[tokio::test]
async fn call_refused_by_the_ledger_is_not_made() {
    for shape in &ENGINES {
        let server = FaultServer::always(Reply::ok(&(shape.answered)(TEXT).body)).await;
        let engine = engine(&(shape.at)(&server), shape.engine);
        let outcome = engine
            .query(&question(), &as_journal(&Book::with(1_999)))
            .await;
        assert_eq!(
            outcome.answer,
            Err(ProviderError::JobBudgetReached),
            "{}",
            shape.name
        );
        assert_eq!((outcome.spent, server.calls()), (Spent::default(), 0));
    }
}

#[tokio::test]
async fn call_beyond_the_spending_rules_is_not_made() {
    for shape in &ENGINES {
        let server = FaultServer::always(Reply::ok(&(shape.answered)(TEXT).body)).await;
        let max_cost = f64::from(i32::try_from(shape.max_cost).expect("a price"));
        let with = |change: &dyn Fn(&mut AiSettings)| {
            let mut setup = (shape.at)(&server);
            change(&mut setup.ai);
            setup
        };
        let off = with(&|it| it.paid_calls = false);
        let dear = with(&|it| it.most_per_call = Some(Usd((max_cost - 1.0) / 1_000_000.0)));
        let just = with(&|it| it.most_per_call = Some(Usd(max_cost / 1_000_000.0)));
        let too_dear = PaidCallRefusal::TooExpensive {
            price: MicroUsd(shape.max_cost),
            limit: MicroUsd(shape.max_cost - 1),
        };
        for (settings, unpaid) in [(off, PaidCallRefusal::SwitchedOff), (dear, too_dear)] {
            let engine = engine(&settings, shape.engine);
            assert_eq!(
                (engine.paid_call_refusal(), engine.max_spend()),
                (Some(unpaid), Spent::default())
            );
            let outcome = engine
                .query(&question(), &as_journal(&Book::with(1_000_000)))
                .await;
            assert_eq!(
                outcome.answer,
                Err(ProviderError::PaidCallRefused(unpaid)),
                "{}",
                shape.name
            );
        }
        assert_eq!(server.calls(), 0, "{}", shape.name);
        assert_eq!(engine(&just, shape.engine).paid_call_refusal(), None);
    }
}

#[tokio::test]
async fn model_of_unknown_price_is_skipped_and_free_one_queried() {
    let server = FaultServer::always(Reply::status(500, &serde_json::Value::Null)).await;
    let unknown = Setup::of(AiSettings {
        chatgpt: ModelSettings {
            price_per_million_input: None,
            price_per_million_output: None,
            ..model_at(&server)
        },
        compatible: CompatibleSettings {
            price_per_million_input: None,
            ..compatible_at(&server)
        },
        ..AiSettings::default()
    });
    for name in ["chatgpt", "compatible"] {
        let engine = engine(&unknown, name);
        assert_eq!(
            engine.paid_call_refusal(),
            Some(PaidCallRefusal::PriceUnknown),
            "{name}"
        );
    }
    let shape = ENGINES
        .iter()
        .find(|it| it.engine == "compatible")
        .expect("a shape");
    let server = FaultServer::always(Reply::ok(&(shape.answered)(TEXT).body)).await;
    let free = Setup::of(AiSettings {
        compatible: CompatibleSettings {
            price_per_million_input: Some(Usd(0.0)),
            price_per_million_output: Some(Usd(0.0)),
            api_key: None,
            ..compatible_at(&server)
        },
        paid_calls: false,
        ..AiSettings::default()
    });
    let book = Book::with(0);
    let outcome = engine(&free, "compatible")
        .query(&question(), &as_journal(&book))
        .await;
    assert_eq!(outcome.answer.expect("it is free").text, TEXT);
    assert_eq!(
        super::bill(outcome.spent),
        super::bill(Spent::on(1, MicroUsd(0)))
    );
    assert!(book.lines().is_empty());
    assert!(
        !server.received()[0]
            .head
            .to_lowercase()
            .contains("authorization")
    );
}
