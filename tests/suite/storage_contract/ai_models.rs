//! Settings of AI engines by account.

use super::examples::*;
use domain::{
    ai_models::ModelSettings,
    market::{Country, Language},
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    the_last_settings_win,
    the_last_use_of_each_engine_is_remembered,
    model_settings_are_isolated_by_account,
];

fn odd() -> ModelSettings {
    ModelSettings {
        engine: "gemini".to_owned(),
        is_active: false,
        samples: 20,
        prompts: 1,
        country: Some(Country::parse("cz").unwrap()),
        language: Some(Language::parse("cs").unwrap()),
        web_search: false,
        weight: 0.25,
    }
}

async fn the_last_settings_win(db: TestStorage) {
    two_accounts(&db).await;
    let usual = ModelSettings::default_for("chatgpt");
    change!(db, tx => {
        tx.ai_models().set(ANN, &ModelSettings::default_for("gemini")).await.unwrap();
        tx.ai_models().set(ANN, &usual).await.unwrap();
    });
    change!(db, tx => tx.ai_models().set(ANN, &odd()).await.unwrap());
    let set = read!(db, r => r.ai_models().list(ANN).await.unwrap());
    assert_eq!(set, [usual, odd()]);
    // Settings that are left out are reset.
    let again = ModelSettings::default_for("gemini");
    change!(db, tx => tx.ai_models().set(ANN, &again).await.unwrap());
    let set = read!(db, r => r.ai_models().list(ANN).await.unwrap());
    assert_eq!(set[1], again);
}

async fn the_last_use_of_each_engine_is_remembered(db: TestStorage) {
    two_accounts(&db).await;
    let names = |names: &[&str]| -> Vec<String> { names.iter().map(ToString::to_string).collect() };
    change!(db, tx => tx.ai_models().note_use(ANN, &names(&["b", "a", "b"]), now()).await.unwrap());
    change!(db, tx => tx.ai_models().note_use(ANN, &names(&["b"]), after(5)).await.unwrap());
    let used = read!(db, r => r.ai_models().last_used(ANN).await.unwrap());
    assert_eq!(used, [("a".to_owned(), now()), ("b".to_owned(), after(5))]);
}

async fn model_settings_are_isolated_by_account(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => {
        tx.ai_models().set(ANN, &odd()).await.unwrap();
        tx.ai_models().note_use(ANN, &["gemini".to_owned()], now()).await.unwrap();
    });
    read!(db, r => {
        assert!(r.ai_models().list(BOB).await.unwrap().is_empty());
        assert!(r.ai_models().last_used(BOB).await.unwrap().is_empty());
    });
    change!(db, tx => tx.ai_models().set(BOB, &ModelSettings::default_for("gemini")).await.unwrap());
    let set = read!(db, r => r.ai_models().list(ANN).await.unwrap());
    assert_eq!(set, [odd()]);
}
