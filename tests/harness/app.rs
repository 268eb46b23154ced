//! The Agent API on a test's database, served over real HTTP on the loopback interface.

use crate::{
    callers::{Agent, Caller, client},
    databases::TestDatabase,
};
use actix_web::{App, HttpServer, dev::ServerHandle};
use analysis::provenance::Provenance;
use domain::{
    account::{Account, AccountLimits},
    email::EmailAddress,
    ids::IdMint,
    job::policy::QueuePolicy,
    ports::{
        clock::Clock, randomness::Randomness, search_results::SupplierLabel, storage::Storage,
    },
    scope::Scope,
    test_support::{CountingRandomness, FrozenClock},
    text::Label,
    use_cases::{
        change_account::ChangeAccount,
        create_account::CreateAccount,
        issue_token::{IssueToken, NewToken},
        request_analysis::Prices,
    },
    user::User,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};
use tokio::sync::Notify;
use web::{
    paging::CursorKey,
    services::{Services, WebConfig},
};

/// A running server.
pub struct TestApp {
    /// Where it is: `http://127.0.0.1:PORT`.
    pub base_url: String,
    /// Its clock; it stands until it is moved.
    pub clock: Arc<FrozenClock>,
    /// Its storage, for helpers that bypass the API.
    pub storage: Arc<dyn Storage>,
    randomness: Arc<dyn Randomness>,
    mint: Arc<IdMint>,
    accounts: AtomicU32,
    server: ServerHandle,
}

/// An account with its owner.
#[derive(Debug, Clone)]
pub struct Tenant {
    /// The account.
    pub account: Account,
    /// Its owner.
    pub owner: User,
}

impl TestApp {
    /// Serves the database.
    pub async fn start(db: &TestDatabase) -> Self {
        Self::start_with(db, |_| ()).await
    }

    /// Serves the database with another configuration.
    ///
    /// # Panics
    /// When no port of the loopback interface is free.
    #[expect(
        clippy::unused_async,
        reason = "it needs a runtime, and reads like what else a test waits for"
    )]
    pub async fn start_with(db: &TestDatabase, change: impl FnOnce(&mut WebConfig)) -> Self {
        let storage: Arc<dyn Storage> = db.port();
        let clock = Arc::new(FrozenClock::default());
        let randomness: Arc<dyn Randomness> = Arc::new(CountingRandomness::default());
        let as_port: Arc<dyn Clock> = Arc::clone(&clock) as Arc<dyn Clock>;
        let mint = Arc::new(IdMint::new(Arc::clone(&as_port), Arc::clone(&randomness)));
        let mut config = config();
        change(&mut config);
        let services = Services::new(
            config,
            &storage,
            &as_port,
            &randomness,
            &mint,
            Arc::new(Notify::new()),
        );
        let services = Arc::new(services);
        let server =
            HttpServer::new(move || App::new().configure(web::serve(Arc::clone(&services))))
                .workers(1)
                .disable_signals()
                .bind(("127.0.0.1", 0))
                .expect("a free port");
        let base_url = format!("http://{}", server.addrs()[0]);
        let server = server.run();
        let handle = server.handle();
        tokio::spawn(server);
        Self {
            base_url,
            clock,
            storage,
            randomness,
            mint,
            accounts: AtomicU32::new(0),
            server: handle,
        }
    }

    /// A caller without a token.
    pub fn anonymous(&self) -> Caller {
        Caller::new(client(), &self.base_url, None)
    }

    /// A caller with something in place of a token.
    pub fn bearing(&self, token: &str) -> Caller {
        Caller::new(client(), &self.base_url, Some(token.to_owned()))
    }

    /// A fresh account with its owner.
    ///
    /// # Panics
    /// When the storage fails.
    pub async fn db_tenant(&self) -> Tenant {
        let number = self.accounts.fetch_add(1, Ordering::SeqCst);
        let email = EmailAddress::parse(&format!("owner{number}@example.com")).expect("an address");
        let create = CreateAccount::new(
            Arc::clone(&self.storage),
            self.clock_port(),
            Arc::clone(&self.mint),
        );
        let (account, owner) = create
            .run(&email, &Label::parse("Owner").expect("a label"))
            .await
            .expect("an account");
        Tenant { account, owner }
    }

    /// An agent of that account with those scopes.
    ///
    /// # Panics
    /// When the storage fails.
    pub async fn db_agent_of(&self, tenant: &Tenant, scopes: &[Scope]) -> Agent {
        let issue = IssueToken::new(
            Arc::clone(&self.storage),
            self.clock_port(),
            Arc::clone(&self.randomness),
            Arc::clone(&self.mint),
        );
        let new = NewToken {
            name: Label::parse("test").expect("a label"),
            scopes: scopes.iter().copied().collect(),
            lifetime: Some(NewToken::DEFAULT_LIFETIME),
        };
        let (plain, token) = issue.run(&tenant.owner, &new).await.expect("a token");
        Agent {
            caller: self.bearing(plain.reveal()),
            account: tenant.account.id,
            token: token.id,
        }
    }

    /// An agent of a fresh account that may do everything.
    pub async fn db_agent(&self) -> Agent {
        let tenant = self.db_tenant().await;
        self.db_agent_of(&tenant, &Scope::ALL).await
    }

    /// Sets how much the agent's account may have.
    ///
    /// # Panics
    /// When the storage fails.
    pub async fn db_limit(&self, agent: &Agent, limits: AccountLimits) {
        let change = ChangeAccount::new(Arc::clone(&self.storage));
        change
            .limit(agent.account, limits)
            .await
            .expect("the limits");
    }

    /// The clock, as use cases know it.
    pub fn clock_port(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock) as Arc<dyn Clock>
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        let server = self.server.clone();
        tokio::spawn(async move { server.stop(false).await });
    }
}

fn config() -> WebConfig {
    WebConfig {
        public_base_url: "https://sightline.example".to_owned(),
        cursor_key: CursorKey([7; 32]),
        policy: QueuePolicy::default(),
        prices: Prices::default(),
        search: SupplierLabel {
            name: "sandbox".to_owned(),
            engine: "sandbox".to_owned(),
            provenance: Provenance::Simulated,
            price_per_call: None,
            results_per_call: 100,
        },
        most_body: 256 * 1024,
        body_patience: Duration::from_secs(10),
        handler_patience: Duration::from_secs(25),
    }
}
