//! A paid model on loopback in the format of OpenAI's chat completions; it counts calls.

use super::loopback::Loopback;
use actix_web::{HttpResponse, web};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

const ABOUT_SENTENCES: &str = "Each numbered line";

#[derive(Default)]
pub struct State {
    /// By prompt: each call is billed.
    pub calls: BTreeMap<String, u32>,
    /// Calls being answered now.
    pub under_way: u32,
    /// The maximum of that.
    pub max_under_way: u32,
}

impl State {
    /// Distinct sentiment prompts, and the number of calls for them.
    pub fn about_sentences(&self) -> (usize, u32) {
        let sentiment_calls = { self.calls.iter() }.filter(|it| it.0.starts_with(ABOUT_SENTENCES));
        (
            sentiment_calls.clone().count(),
            sentiment_calls.map(|it| it.1).sum(),
        )
    }

    pub fn billed(&self) -> u32 {
        self.calls.values().sum()
    }
}

pub struct ChatModel {
    pub base_url: String,
    state: Arc<Mutex<State>>,
    tokens: Arc<AtomicU64>,
    _server: Loopback,
}

#[derive(Clone)]
struct Shared {
    state: Arc<Mutex<State>>,
    tokens: Arc<AtomicU64>,
    pause: Duration,
}

impl ChatModel {
    /// Answers after `pause`, and reports a hundred tokens in and out.
    pub fn start(pause: Duration) -> Self {
        let shared = Shared {
            state: Arc::default(),
            tokens: Arc::new(AtomicU64::new(100)),
            pause,
        };
        let data = web::Data::new(shared.clone());
        let server = Loopback::start(move |app| {
            app.app_data(data.clone())
                .route("/v1/chat/completions", web::post().to(complete));
        });
        Self {
            base_url: format!("http://{}/v1", server.address),
            state: shared.state,
            tokens: shared.tokens,
            _server: server,
        }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Changes the reported number of tokens.
    pub fn bill(&self, tokens: u64) {
        self.tokens.store(tokens, Ordering::SeqCst);
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Recommends; of several sentences it rates the first as negative and the others as positive.
fn reply_to(prompt: &str) -> String {
    if prompt.starts_with(ABOUT_SENTENCES) {
        let lines = prompt.lines().filter_map(|it| it.split_once(": "));
        let numbers = lines.filter_map(|(number, _)| number.parse::<u32>().ok());
        let sentiment = |it| if it == 1 { "negative" } else { "positive" };
        let ratings = numbers.map(|it| format!("{it}: {}\n", sentiment(it)));
        return ratings.collect();
    }
    if prompt.to_lowercase().contains("schreibtisch") {
        return "Ich würde **Zyxwor** wegen der langen Garantie empfehlen.".to_owned();
    }
    "I would recommend **Zyxwor** for its warranty.".to_owned()
}

async fn complete(shared: web::Data<Shared>, question: web::Json<Value>) -> HttpResponse {
    let messages = question["messages"].as_array().unwrap();
    let prompt = messages.last().unwrap()["content"]
        .as_str()
        .unwrap()
        .to_owned();
    {
        let mut state = lock(&shared.state);
        *state.calls.entry(prompt.clone()).or_default() += 1;
        state.under_way += 1;
        state.max_under_way = state.max_under_way.max(state.under_way);
    }
    tokio::time::sleep(shared.pause).await;
    lock(&shared.state).under_way -= 1;
    let tokens = shared.tokens.load(Ordering::SeqCst);
    let reply = reply_to(&prompt);
    HttpResponse::Ok().json(json!({
        "id": "chat-1",
        "object": "chat.completion",
        "model": "lama-3-70b",
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": reply },
            "finish_reason": "stop",
        }],
        "usage": { "prompt_tokens": tokens, "completion_tokens": tokens, "total_tokens": 2 * tokens },
    }))
}
