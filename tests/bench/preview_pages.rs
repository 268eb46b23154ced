//! Pages to look at while they are made: `preview_pages DATABASE_URL ADDRESS:PORT` serves the pages of
//! the first account without asking who looks. For loopback alone, and never a part of the product.

use actix_web::{App, HttpServer};
use async_trait::async_trait;
use domain::{
    ids::IdMint,
    job::policy::QueuePolicy,
    ports::{
        clock::Clock,
        randomness::Randomness,
        search_results::SupplierLabel,
        storage::{Storage, StorageError},
    },
    test_support::{CountingRandomness, FrozenClock},
    use_cases::{list_accounts::ListAccounts, request_analysis::Prices},
};
use harness::{databases, engines};
use std::{
    io::Error,
    sync::Arc,
    time::{Duration, SystemTime},
};
use storage::OpenOptions;
use web::{
    limits::RequestLimits,
    pages::door::{Door, SignedIn},
    paging::CursorKey,
    services::{Services, SpeedLabel, WebConfig},
};

struct Open(SignedIn);

#[async_trait]
impl Door for Open {
    async fn signed_in(&self, _: &[String]) -> Result<Option<SignedIn>, StorageError> {
        Ok(Some(self.0.clone()))
    }
}

fn config() -> WebConfig {
    WebConfig {
        public_base_url: "http://127.0.0.1".into(),
        cursor_key: CursorKey([7; 32]),
        policy: QueuePolicy::default(),
        prices: Prices::default(),
        search: SupplierLabel {
            name: "sandbox".into(),
            engine: "sandbox".into(),
            provenance: analysis::provenance::Provenance::Simulated,
        },
        engines: engines::idle(&[("gemini", 2_000), ("perplexity", 0)]),
        speed: SpeedLabel::default(),
        most_body: 256 * 1024,
        body_patience: Duration::from_secs(10),
        handler_patience: Duration::from_secs(25),
        limits: RequestLimits::default(),
    }
}

#[actix_web::main]
async fn main() -> Result<(), Error> {
    let mut given = std::env::args().skip(1);
    let (Some(url), Some(address)) = (given.next(), given.next()) else {
        return Err(Error::other(
            "usage: preview_pages DATABASE_URL ADDRESS:PORT",
        ));
    };
    let opened = databases::open(&url, OpenOptions::default()).await;
    opened.migrate().await.map_err(Error::other)?;
    let storage: Arc<dyn Storage> = Arc::new(opened);
    let listed = ListAccounts::new(Arc::clone(&storage)).run().await;
    let first = listed.map_err(Error::other)?.into_iter().next();
    let Some((account, user)) = first else {
        return Err(Error::other("there is no account"));
    };
    let time: Arc<dyn Clock> = Arc::new(FrozenClock::at(SystemTime::now().into()));
    let randomness: Arc<dyn Randomness> = Arc::new(CountingRandomness::default());
    let mint = Arc::new(IdMint::new(Arc::clone(&time), Arc::clone(&randomness)));
    let mut services = Services::new(
        config(),
        &storage,
        &time,
        &randomness,
        &mint,
        Arc::default(),
        tokio_util::sync::CancellationToken::new(),
    );
    services.door = Arc::new(Open(SignedIn { account, user }));
    let services = Arc::new(services);
    HttpServer::new(move || {
        App::new().configure(web::serve_these(
            Arc::clone(&services),
            web::endpoints::agent_api(),
        ))
    })
    .workers(1)
    .bind(address)?
    .run()
    .await
}
