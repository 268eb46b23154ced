//! A paid supplier on loopback in serper.dev's format; it counts calls.

use super::loopback::Loopback;
use actix_web::{HttpResponse, web};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

#[derive(Default)]
pub struct State {
    /// By keyword and page: each call is billed.
    pub calls: BTreeMap<(String, u64), u32>,
    /// Calls being answered now.
    pub under_way: u32,
    /// The maximum of that.
    pub max_under_way: u32,
    /// How many of the next calls are billed and answered with invalid data.
    pub nonsense: u32,
    /// Whether the key is refused, like a revoked one.
    pub refuses: bool,
}

impl State {
    pub fn billed(&self) -> u32 {
        self.calls.values().sum()
    }

    pub fn repeated(&self) -> u32 {
        self.calls.values().map(|it| it - 1).sum()
    }
}

pub struct Serper {
    pub base_url: String,
    state: Arc<Mutex<State>>,
    _server: Loopback,
}

type Shared = web::Data<(Arc<Mutex<State>>, Duration)>;

impl Serper {
    /// Answers after `pause`.
    pub fn start(pause: Duration) -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let shared: Shared = web::Data::new((Arc::clone(&state), pause));
        let server = Loopback::start(move |app| {
            app.app_data(shared.clone())
                .route("/search", web::post().to(search));
        });
        Self {
            base_url: format!("http://{}", server.address),
            state,
            _server: server,
        }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn search(shared: Shared, question: web::Json<Value>) -> HttpResponse {
    let (state, pause) = &**shared;
    let keyword = question["q"].as_str().unwrap().to_owned();
    let page = question["page"].as_u64().unwrap();
    {
        let mut state = lock(state);
        if state.refuses {
            let refusal = json!({ "message": "Unauthorized.", "statusCode": 403 });
            return HttpResponse::Forbidden().json(refusal);
        }
        *state.calls.entry((keyword.clone(), page)).or_default() += 1;
        state.under_way += 1;
        state.max_under_way = state.max_under_way.max(state.under_way);
    }
    tokio::time::sleep(*pause).await;
    {
        let mut state = lock(state);
        state.under_way -= 1;
        if state.nonsense > 0 {
            state.nonsense -= 1;
            return HttpResponse::Ok().body("<p>Not now.");
        }
    }
    let organic: Vec<Value> = (0..10)
        .map(|it| {
            let link = format!("https://site{page}{it}.test/{}", keyword.replace(' ', "-"));
            json!({ "title": "A", "link": link, "position": it + 1 })
        })
        .collect();
    HttpResponse::Ok().json(json!({ "searchParameters": {}, "organic": organic, "credits": 1 }))
}
