//! The real server without a worker, with simulated suppliers and a frozen clock.

use crate::{browsers::Browser, callers::Caller, databases::TestDatabase};
use actix_web::dev::ServerHandle;
use analysis::{
    document::Document, findings::rankings::RankState, provenance::Provenance,
    result_type::ResultType,
};
use chrono::{DateTime, Utc};
use domain::{
    account::{Account, AccountLimits},
    email::EmailAddress,
    ids::{AccountId, IdMint, JobId, KeywordId, ProjectId, UserId},
    job::{Job, JobState},
    keyword::{Keyword, LatestRank},
    money::MicroUsd,
    ports::{
        clock::Clock,
        keyword_data::KeywordData,
        password_hasher::PasswordHasher,
        randomness::Randomness,
        search_results::{Spent, SupplierLabel},
        storage::Storage,
    },
    results::{Coverage, ResultHead, StagedFinding},
    scope::Scope,
    shared_key::{KeyPurpose, SharedKey},
    test_support::{CountingRandomness, FrozenClock},
    text::Label,
    token::ApiToken,
    use_cases::{
        Core, Policies,
        request_analysis::Prices,
        tokens::{NewToken, TokenIssuer},
    },
    user::User,
};
use passwords::{Argon2Hasher, HashingSettings};
use providers::{keywords::KeywordResearchSettings, search::SearchSettings};
use serde_json::{Value, json};
use std::{
    net::{SocketAddr, TcpListener},
    num::NonZeroUsize,
    ops::{Deref, DerefMut},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use web::{
    endpoint::Endpoint,
    http::cookies::CookieStyle,
    limits::{BodyLimit, Rate, RequestLimits},
    server::HttpServerSetup,
    services::{Ports, ServerFacts, Services, SessionConfig, SpeedLabel, WebConfig},
};

/// Settings of the web layer and of the use cases.
pub struct Settings {
    web: WebConfig,
    pub policies: Policies,
    /// What operators see of the set-up.
    pub server: ServerFacts,
    /// Cheap, unless a test measures times.
    pub hashing: HashingSettings,
}

impl Deref for Settings {
    type Target = WebConfig;

    fn deref(&self) -> &WebConfig {
        &self.web
    }
}

impl DerefMut for Settings {
    fn deref_mut(&mut self) -> &mut WebConfig {
        &mut self.web
    }
}

/// A running server on its own database.
pub struct TestApp {
    pub address: SocketAddr,
    pub clock: Arc<FrozenClock>,
    pub storage: Arc<dyn Storage>,
    randomness: Arc<dyn Randomness>,
    mint: Arc<IdMint>,
    hasher: Arc<dyn PasswordHasher>,
    /// The code of the first run; `None` if an account existed.
    pub welcome_code: Option<String>,
    owners: Mutex<Vec<User>>,
    page_browser: Mutex<Option<Browser>>,
    server: ServerHandle,
}

/// A rankings record as a worker would publish it.
#[derive(Clone)]
pub struct Ranked {
    pub keyword: i64,
    /// `None` is not ranked.
    pub position: Option<u32>,
    /// JSON text.
    pub record: String,
}

impl TestApp {
    pub async fn start(database: &TestDatabase) -> Self {
        Self::on_storage(database.port(), |_| {}).await
    }

    /// With changed settings.
    pub async fn with_settings(
        database: &TestDatabase,
        change: impl FnOnce(&mut Settings),
    ) -> Self {
        Self::on_storage(database.port(), change).await
    }

    /// With another route table.
    pub async fn with_endpoints(database: &TestDatabase, endpoints: fn() -> Vec<Endpoint>) -> Self {
        Self::serve(database.port(), |_| {}, endpoints, sandbox()).await
    }

    /// With another supplier of keyword data and changed settings.
    pub async fn with_keyword_data(
        storage: Arc<dyn Storage>,
        keyword_data: Arc<dyn KeywordData>,
        change: impl FnOnce(&mut Settings),
    ) -> Self {
        Self::serve(storage, change, web::all_endpoints, keyword_data).await
    }

    /// For real browsers: over HTTP, with its own address as the public URL.
    pub async fn for_browsers(database: &TestDatabase, change: impl FnOnce(&mut Settings)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let origin = format!("http://{}", listener.local_addr().expect("an address"));
        let change = |config: &mut Settings| {
            config.public_base_url = origin;
            config.sessions.cookies = CookieStyle::Plain;
            change(config);
        };
        Self::serve_on(
            listener,
            database.port(),
            change,
            web::all_endpoints,
            sandbox(),
        )
        .await
    }

    /// Use cases with the default policies.
    #[must_use]
    pub fn core(&self) -> Core {
        Core {
            storage: Arc::clone(&self.storage),
            clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
            randomness: Arc::clone(&self.randomness),
            mint: Arc::clone(&self.mint),
            cipher: Arc::new(domain::ports::secret_cipher::NoKeyFile),
            policies: Policies::default(),
        }
    }

    #[must_use]
    pub fn hasher(&self) -> Arc<dyn PasswordHasher> {
        Arc::clone(&self.hasher)
    }

    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub async fn on_storage(storage: Arc<dyn Storage>, change: impl FnOnce(&mut Settings)) -> Self {
        Self::serve(storage, change, web::all_endpoints, sandbox()).await
    }

    async fn serve(
        storage: Arc<dyn Storage>,
        change: impl FnOnce(&mut Settings),
        endpoints: fn() -> Vec<Endpoint>,
        keyword_data: Arc<dyn KeywordData>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        Self::serve_on(listener, storage, change, endpoints, keyword_data).await
    }

    async fn serve_on(
        listener: TcpListener,
        storage: Arc<dyn Storage>,
        change: impl FnOnce(&mut Settings),
        endpoints: fn() -> Vec<Endpoint>,
        keyword_data: Arc<dyn KeywordData>,
    ) -> Self {
        let clock = Arc::new(FrozenClock::default());
        let randomness: Arc<dyn Randomness> = Arc::new(CountingRandomness::default());
        let time: Arc<dyn Clock> = Arc::clone(&clock) as Arc<dyn Clock>;
        let mint = Arc::new(IdMint::new(Arc::clone(&time), Arc::clone(&randomness)));
        let mut settings = settings();
        change(&mut settings);
        let (wake, stopping) = (Arc::new(Notify::new()), CancellationToken::new());
        let hasher = Argon2Hasher::new(settings.hashing, Arc::clone(&randomness));
        let hasher: Arc<dyn PasswordHasher> = Arc::new(hasher.expect("allowed parameters"));
        let core = Core {
            storage: Arc::clone(&storage),
            clock: time,
            randomness: Arc::clone(&randomness),
            mint: Arc::clone(&mint),
            cipher: Arc::new(domain::ports::secret_cipher::NoKeyFile),
            policies: settings.policies,
        };
        let ports = Ports {
            core: Arc::new(core),
            known_hasher: Arc::clone(&hasher),
            hasher: Arc::clone(&hasher),
            console_exports: providers::search_console::exports(),
            keyword_data,
            server: settings.server,
        };
        let services = Services::new(settings.web, &ports, wake, stopping);
        // A deliberately damaged database has no code.
        let welcome = services.core.welcome_code().await.ok().flatten();
        let welcome_code = welcome.map(|it| it.reveal().to_owned());
        let (address, server) = listen(listener, services, endpoints);
        Self {
            address,
            clock,
            storage,
            randomness,
            mint,
            hasher,
            welcome_code,
            owners: Mutex::default(),
            page_browser: Mutex::default(),
            server,
        }
    }

    /// A caller without a token.
    #[must_use]
    pub fn anonymous(&self) -> Caller {
        Caller::new(self.address, None)
    }

    /// A caller with this token, valid or not.
    #[must_use]
    pub fn bearer(&self, token: &str) -> Caller {
        Caller::new(self.address, Some(token.to_owned()))
    }

    /// A token of the first account with these scopes.
    pub async fn db_agent(&self, scopes: impl IntoIterator<Item = Scope>) -> Caller {
        self.db_token(0, scopes).await
    }

    /// A token of the first account with all scopes.
    pub async fn db_full_agent(&self) -> Caller {
        self.db_agent(Scope::ALL).await
    }

    /// A token of the second account with all scopes.
    pub async fn db_other_agent(&self) -> Caller {
        self.db_token(1, Scope::ALL).await
    }

    async fn db_token(&self, account: usize, scopes: impl IntoIterator<Item = Scope>) -> Caller {
        let owner = self.db_owner(account).await;
        let new = NewToken {
            name: Label::parse("ci").expect("a label"),
            scopes: scopes.into_iter().collect(),
            lifetime: None,
        };
        let (caller, _) = self.db_issue(&owner, &new).await;
        caller
    }

    pub async fn db_issue(&self, owner: &User, new: &NewToken) -> (Caller, ApiToken) {
        let issued = self
            .core()
            .issue_token(TokenIssuer::Operator(owner), new)
            .await;
        let (plain, token) = issued.expect("a token");
        (self.bearer(plain.reveal()), token)
    }

    /// The owner of that account; missing accounts are created.
    pub async fn db_owner(&self, account: usize) -> User {
        let known = |owners: &Mutex<Vec<User>>| {
            let owners = owners.lock().unwrap_or_else(PoisonError::into_inner);
            owners.get(account).cloned()
        };
        while known(&self.owners).is_none() {
            let number = owner_count(&self.owners);
            let email = EmailAddress::parse(&format!("owner{number}@example.com"));
            let name = Label::parse(&format!("Account {number}")).expect("a label");
            let (core, email) = (self.core(), email.expect("an address"));
            let created = core.create_account(&email, &name).await;
            let (_, owner) = created.expect("an account");
            self.owners
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(owner);
        }
        known(&self.owners).expect("it was just made")
    }

    /// Uses an existing user as the owner of the next account.
    pub fn add_owner(&self, owner: User) {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.push(owner);
    }

    /// Signs the account's owner in.
    pub async fn db_sign_in(&self, account: usize) {
        let browser = self.db_member(account).await;
        *self
            .page_browser
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(browser);
    }

    /// The browser that signed in last, else one without a session.
    #[must_use]
    pub fn page_browser(&self) -> Browser {
        let looks = self
            .page_browser
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        looks.clone().unwrap_or_else(|| self.browser())
    }

    /// The first account.
    pub async fn db_account(&self) -> AccountId {
        self.db_owner(0).await.account
    }

    /// Changes the limits of the first account.
    pub async fn db_limit(&self, change: impl FnOnce(&mut AccountLimits)) {
        let id = self.db_account().await;
        let mut work = self.storage.write().await.expect("a transaction");
        let found = work.accounts().find(id).await.expect("an answer");
        let mut account: Account = found.expect("the account");
        change(&mut account.limits);
        work.accounts().save(&account).await.expect("it is saved");
        work.commit().await.expect("it is kept");
    }

    /// A keyword of the first account, as stored.
    pub async fn db_keyword(&self, keyword: i64) -> Keyword {
        let account = self.db_account().await;
        let mut read = self.storage.read().await.expect("a connection");
        let found = read.keywords().find(account, KeywordId(keyword)).await;
        found.expect("an answer").expect("the keyword")
    }

    /// Changes a job of the first account in the database.
    pub async fn db_job(&self, job: i64, change: impl FnOnce(&mut Job)) {
        let account = self.db_account().await;
        let mut work = self.storage.write().await.expect("a transaction");
        let found = work.jobs().lock(account, JobId(job)).await;
        let mut job = found.expect("an answer").expect("the job");
        change(&mut job);
        work.jobs().save(&job).await.expect("it is saved");
        let queue = work.jobs().lock_queue(account).await.expect("a queue");
        work.jobs()
            .refresh_queue(account, queue.virtual_time)
            .await
            .expect("a queue");
        work.commit().await.expect("it is kept");
    }

    /// Publishes rankings as the results of the job, with the keywords' latest positions, without a worker.
    pub async fn db_publish_rankings(
        &self,
        project: i64,
        job: i64,
        summary: &str,
        ranked: &[Ranked],
    ) {
        let (account, now) = (self.db_account().await, self.clock.now());
        let (project, job) = (ProjectId(project), JobId(job));
        let records: Vec<StagedFinding> = (0..)
            .zip(ranked)
            .map(|(ordinal, it)| staged(ordinal, it, now))
            .collect();
        let latest: Vec<(KeywordId, LatestRank)> = ranked
            .iter()
            .map(|it| (KeywordId(it.keyword), latest(it, now)))
            .collect();
        let head = ResultHead {
            account,
            project,
            result_type: ResultType::Rankings,
            job,
            generated_at: now,
            measured_at: now,
            method_version: "rankings/1".into(),
            provider: "sandbox".into(),
            provenance: Provenance::Simulated,
            coverage: Coverage::new(ranked.len() as u64, ranked.len() as u64, 0),
            item_count: ranked.len() as u64,
            summary: Document::from_stored(summary.to_owned()),
            warnings: vec![],
        };
        let mut work = self.storage.write().await.expect("a transaction");
        let measurements = work.measurements();
        measurements
            .stage(account, job, &records)
            .await
            .expect("staged");
        work.results()
            .publish(account, project, job, &[head], &[])
            .await
            .expect("published");
        work.keywords()
            .save_latest(account, &latest)
            .await
            .expect("saved");
        work.projects()
            .note_analysis(account, project, now)
            .await
            .expect("noted");
        work.commit().await.expect("it is kept");
        self.db_job(job.0, |job| {
            job.state = JobState::Succeeded;
            job.finished_at = Some(now);
        })
        .await;
    }

    /// Publishes records of a type as the results of the job, without a worker.
    pub async fn db_publish(
        &self,
        project: i64,
        job: i64,
        result_type: ResultType,
        summary: &str,
        records: &[String],
    ) {
        let (account, now) = (self.db_account().await, self.clock.now());
        let (project, job) = (ProjectId(project), JobId(job));
        let findings: Vec<StagedFinding> = (0..)
            .zip(records)
            .map(|(ordinal, record)| StagedFinding {
                result_type,
                ordinal,
                ..staged(ordinal, &unranked(record), now)
            })
            .collect();
        let head = ResultHead {
            account,
            project,
            result_type,
            job,
            generated_at: now,
            measured_at: now,
            method_version: "test/1".into(),
            provider: "sandbox".into(),
            provenance: Provenance::Simulated,
            coverage: Coverage::new(records.len() as u64, records.len() as u64, 0),
            item_count: records.len() as u64,
            summary: Document::from_stored(summary.to_owned()),
            warnings: vec![],
        };
        let mut work = self.storage.write().await.expect("a transaction");
        let measurements = work.measurements();
        let kept = measurements.stage(account, job, &findings).await;
        kept.expect("staged");
        let results = work.results();
        let heads = [head];
        let publishes = results.publish(account, project, job, &heads, &[]);
        publishes.await.expect("published");
        work.commit().await.expect("it is kept");
    }

    /// A browser without a session.
    #[must_use]
    pub fn browser(&self) -> Browser {
        Browser::new(self.anonymous())
    }

    /// The owner of an account, with a password.
    pub async fn db_owner_with_password(&self, account: usize) -> User {
        let owner = self.db_owner(account).await;
        let (core, hasher) = (self.core(), self.hasher.as_ref());
        let ended = core.set_password(hasher, &owner, PASSWORD, false).await;
        ended.expect("a password");
        owner
    }

    /// A browser with a session of a new member of the owner's account; `projects` are a client's.
    pub async fn colleague(&self, owner: &Browser, role: &str, projects: &[i64]) -> Browser {
        let number = UserId::mint(&self.mint);
        let email = format!("{role}{number}@example.com");
        let body = json!({ "email": email, "role": role, "projectIds": projects });
        let invitation = owner.post("/api/settings/invitations", body).await;
        let browser = self.browser();
        let link = invitation_secret(&invitation.created());
        let body = json!({ "link": link, "name": format!("A {role}"), "password": PASSWORD });
        let accepted = browser.post("/api/invitation/accept", body).await;
        accepted.created();
        browser
    }

    /// A browser with a session of the account's owner.
    pub async fn db_member(&self, account: usize) -> Browser {
        let owner = self.db_owner_with_password(account).await;
        let browser = self.browser();
        browser.sign_in(owner.email.as_str(), PASSWORD).await.ok();
        browser
    }
}

/// The secret of a new invitation's link.
#[must_use]
pub fn invitation_secret(invitation: &Value) -> String {
    let link = invitation["link"].as_str().expect("a link");
    link.split_once('#').expect("a fragment").1.to_owned()
}

/// The password of all test users.
pub const PASSWORD: &str = "a walrus under 7 umbrellas";

impl Drop for TestApp {
    fn drop(&mut self) {
        // The stop is requested at once; the future only waits for the end.
        drop(self.server.stop(false));
    }
}

fn owner_count(owners: &Mutex<Vec<User>>) -> usize {
    owners.lock().unwrap_or_else(PoisonError::into_inner).len()
}

fn listen(
    listener: TcpListener,
    services: Services,
    endpoints: fn() -> Vec<Endpoint>,
) -> (SocketAddr, ServerHandle) {
    let services = Arc::new(services);
    let connections = services.connections();
    let address = listener.local_addr().expect("an address");
    let listening = HttpServerSetup {
        configure: Arc::new(move |config| {
            web::serve_endpoints(Arc::clone(&services), endpoints())(config);
        }),
        connections: Some(connections),
        threads: Some(NonZeroUsize::MIN),
        drain: Duration::from_secs(30),
    };
    let server = listening.listen(listener).expect("a server");
    let handle = server.handle();
    tokio::spawn(server);
    (address, handle)
}

fn settings() -> Settings {
    let web = WebConfig {
        public_base_url: "https://seo.example".into(),
        cursor_key: SharedKey::fixed(KeyPurpose::Cursors, [7; 32]),
        stop_key: SharedKey::fixed(KeyPurpose::StopLinks, [8; 32]),
        search: SupplierLabel {
            name: "sandbox".into(),
            engine: "sandbox".into(),
            provenance: Provenance::Simulated,
        },
        speed: SpeedLabel::default(),
        body: BodyLimit {
            max_bytes: 256 * 1024,
            timeout: Duration::from_secs(10),
        },
        unknown_body: BodyLimit {
            max_bytes: 4 * 1024,
            timeout: Duration::from_secs(2),
        },
        handler_timeout: Duration::from_secs(25),
        limits: generous_limits(),
        sessions: SessionConfig {
            cookies: CookieStyle::Secure,
            device_key: SharedKey::fixed(KeyPurpose::Devices, [9; 32]),
        },
    };
    let policies = Policies {
        prices: Prices {
            per_keyword: Spent::on(10, MicroUsd(300)),
            speed_pages: 10,
            ..Prices::default()
        },
        ..Policies::default()
    };
    let hashing = HashingSettings {
        memory_kib: 64,
        passes: 1,
        ..HashingSettings::default()
    };
    Settings {
        web,
        policies,
        server: ServerFacts::default(),
        hashing,
    }
}

fn sandbox() -> Arc<dyn KeywordData> {
    let clock: Arc<dyn Clock> = Arc::new(FrozenClock::default());
    let randomness: Arc<dyn Randomness> = Arc::new(CountingRandomness::default());
    let own = KeywordResearchSettings::default();
    let sections = (&own, &SearchSettings::default());
    providers::keywords::configured(sections, &clock, &randomness)
}

/// Effectively no rate limits: tests send faster than clients.
fn generous_limits() -> RequestLimits {
    let rate = Rate::of(1_000_000, 1_000_000);
    RequestLimits {
        reads: rate,
        writes: rate,
        analyses: rate,
        account: rate,
        anonymous: rate,
        failed_tokens: rate,
        sign_ins: rate,
        all_sign_ins: rate,
        stored_responses: rate,
        in_flight_per_token: 1_000,
        in_flight_per_account: 1_000,
        in_flight_unknown: 1_000,
        in_flight_per_address: 1_000,
        ..RequestLimits::default()
    }
}

fn staged(ordinal: i64, ranked: &Ranked, now: DateTime<Utc>) -> StagedFinding {
    StagedFinding {
        result_type: ResultType::Rankings,
        ordinal,
        keyword: Some(KeywordId(ranked.keyword)),
        url: ranked
            .position
            .map(|it| format!("https://shop.example.com/{it}")),
        sort_value: ranked.position.map(f64::from),
        measured_at: now,
        record: Document::from_stored(ranked.record.clone()),
    }
}

fn latest(ranked: &Ranked, now: DateTime<Utc>) -> LatestRank {
    let state = match ranked.position {
        Some(_) => RankState::Ranked,
        None => RankState::NotRanked,
    };
    LatestRank {
        position: ranked.position,
        url: None,
        measured_at: now,
        state,
    }
}

fn unranked(record: &str) -> Ranked {
    Ranked {
        keyword: 1,
        position: None,
        record: record.to_owned(),
    }
}
