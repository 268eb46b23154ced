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
pub struct Asked {
    /// By keyword and page: each call is billed.
    pub calls: BTreeMap<(String, u64), u32>,
    /// Calls being answered now.
    pub under_way: u32,
    /// The maximum of that.
    pub most_under_way: u32,
    /// How many of the next calls are billed and answered with invalid data.
    pub nonsense: u32,
    /// Whether the key is refused, like a revoked one.
    pub refuses: bool,
}

impl Asked {
    pub fn billed(&self) -> u32 {
        self.calls.values().sum()
    }

    pub fn repeated(&self) -> u32 {
        self.calls.values().map(|it| it - 1).sum()
    }
}

pub struct Serper {
    pub base_url: String,
    asked: Arc<Mutex<Asked>>,
    _server: Loopback,
}

type Shared = web::Data<(Arc<Mutex<Asked>>, Duration)>;

impl Serper {
    /// Answers after `pause`.
    pub fn start(pause: Duration) -> Self {
        let asked = Arc::new(Mutex::new(Asked::default()));
        let shared: Shared = web::Data::new((Arc::clone(&asked), pause));
        let server = Loopback::start(move |app| {
            app.app_data(shared.clone())
                .route("/search", web::post().to(search));
        });
        Self {
            base_url: format!("http://{}", server.address),
            asked,
            _server: server,
        }
    }

    pub fn asked(&self) -> MutexGuard<'_, Asked> {
        lock(&self.asked)
    }
}

fn lock(asked: &Mutex<Asked>) -> MutexGuard<'_, Asked> {
    asked.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn search(shared: Shared, question: web::Json<Value>) -> HttpResponse {
    let (asked, pause) = &**shared;
    let keyword = question["q"].as_str().unwrap().to_owned();
    let page = question["page"].as_u64().unwrap();
    {
        let mut asked = lock(asked);
        if asked.refuses {
            let told = json!({ "message": "Unauthorized.", "statusCode": 403 });
            return HttpResponse::Forbidden().json(told);
        }
        *asked.calls.entry((keyword.clone(), page)).or_default() += 1;
        asked.under_way += 1;
        asked.most_under_way = asked.most_under_way.max(asked.under_way);
    }
    tokio::time::sleep(*pause).await;
    {
        let mut asked = lock(asked);
        asked.under_way -= 1;
        if asked.nonsense > 0 {
            asked.nonsense -= 1;
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
