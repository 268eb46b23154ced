use crate::connections::Connections;
use crate::http::cookies::CookieStyle;
use crate::limits::{BodyLimit, Limiter, RequestLimits, Slots};
use crate::problem::{Code, Problem};
use crate::readiness::Readiness;
use crate::refusals;
use crate::refused_authorizations::RecordedRefusals;
use crate::response::ApiResponse;
use crate::sleeper::TokioSleeper;
use crate::supplier_refusals::SupplierRefusalCache;
use domain::{
    ids::{AccountId, ProjectId},
    ports::{
        keyword_data::KeywordData, page_speed::NotConfigured, password_hasher::PasswordHasher,
        search_console::ConsoleExports, search_results::SupplierLabel,
    },
    project::{Project, PurgeTerm},
    server_status::Source,
    shared_key::SharedKey,
    use_cases::{
        Core, measure_page_speed::SpeedSources, research::keyword::ResearchKeyword, sign_in::SignIn,
    },
};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

#[derive(Clone)]
pub struct WebConfig {
    /// Without a trailing slash.
    pub public_base_url: String,
    pub cursor_key: SharedKey,
    /// Signs the links that stop messages.
    pub stop_key: SharedKey,
    pub search: SupplierLabel,
    pub speed: SpeedLabel,
    /// With an accepted token or session.
    pub body: BodyLimit,
    /// Without an accepted token or session.
    pub unknown_body: BodyLimit,
    pub handler_timeout: std::time::Duration,
    pub limits: RequestLimits,
    pub sessions: SessionConfig,
}

#[derive(Clone)]
pub struct SessionConfig {
    pub cookies: CookieStyle,
    pub device_key: SharedKey,
}

#[derive(Clone)]
pub struct Ports {
    pub core: Arc<Core>,
    pub hasher: Arc<dyn PasswordHasher>,
    /// For signed-in users and known devices.
    pub known_hasher: Arc<dyn PasswordHasher>,
    pub console_exports: Arc<dyn ConsoleExports>,
    pub keyword_data: Arc<dyn KeywordData>,
    pub server: ServerFacts,
}

/// What operators see of the server's set-up, as read when the process started.
#[derive(Debug, Clone, Default)]
pub struct ServerFacts {
    /// Kind and version.
    pub database: String,
    pub sources: Vec<Source>,
}

/// Sources of page speed, as known to this process.
#[derive(Debug, Clone, Default)]
pub struct SpeedLabel {
    /// Display names; empty without a source.
    pub names: Vec<String>,
    pub missing: Vec<NotConfigured>,
}

impl SpeedLabel {
    pub fn of(sources: &SpeedSources) -> Self {
        Self {
            names: sources.names(),
            missing: sources.missing(),
        }
    }
}

/// In total: each holds a file and its rows in memory several times.
const MAX_IMPORTS: u32 = 2;

/// Requested resets of passwords that are looked up, in total.
const MAX_RESETS: usize = 64;

/// In total: hashing takes a core a quarter of a second.
const MAX_PASSWORD_CHANGES: u32 = 8;

pub struct Services {
    pub core: Arc<Core>,
    pub config: WebConfig,
    /// Wakes a worker in the same process.
    pub wake: Arc<tokio::sync::Notify>,
    /// Canceled at shutdown; readiness fails from then on.
    pub stopping: CancellationToken,
    pub(crate) readiness: Readiness,
    pub(crate) supplier_refusals: SupplierRefusalCache,
    pub(crate) limiter: Limiter,
    pub(crate) import_slots: Arc<Slots>,
    pub(crate) password_slots: Arc<Slots>,
    pub(crate) reset_slots: Arc<Semaphore>,
    connections: Arc<Connections>,
    pub(crate) documents: Documents,
    pub(crate) hasher: Arc<dyn PasswordHasher>,
    pub(crate) known_hasher: Arc<dyn PasswordHasher>,
    pub(crate) sign_in: SignIn,
    pub(crate) console_exports: Arc<dyn ConsoleExports>,
    pub(crate) research_keyword: ResearchKeyword,
    pub(crate) server: ServerFacts,
    pub(crate) refused_authorizations: RecordedRefusals,
    /// CSP violations reported since the server started.
    pub(crate) csp_report_count: AtomicU64,
}

/// The same for all callers; built on first use.
#[derive(Default)]
pub struct Documents {
    pub openapi: OnceLock<ApiResponse>,
    pub guide: OnceLock<ApiResponse>,
}

impl Services {
    pub(crate) async fn project(
        &self,
        account: AccountId,
        id: ProjectId,
    ) -> Result<Project, Problem> {
        let found = self.core.project(account, id).await?;
        found.ok_or_else(refusals::no_project)
    }

    /// How long deactivated projects can be reactivated.
    pub(crate) fn purge_term(&self) -> PurgeTerm {
        self.core.policies.retention.deactivated_projects
    }

    /// Fails after the handler's timeout.
    pub(crate) async fn with_timeout<T>(
        &self,
        handling: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        let slow = |_| {
            let problem = Problem::new(
                Code::Overloaded,
                "The request took too long and was given up.",
            );
            problem.retry_after(Duration::from_secs(5))
        };
        let timely = tokio::time::timeout(self.config.handler_timeout, handling);
        timely.await.map_err(slow)?
    }

    pub fn new(
        config: WebConfig,
        ports: &Ports,
        wake: Arc<tokio::sync::Notify>,
        stopping: CancellationToken,
    ) -> Self {
        let hasher = || Arc::clone(&ports.hasher);
        let known_hasher = || Arc::clone(&ports.known_hasher);
        let core = Arc::clone(&ports.core);
        Self {
            core: Arc::clone(&core),
            readiness: Readiness::default(),
            supplier_refusals: SupplierRefusalCache::default(),
            limiter: Limiter::new(&config.limits, &core.clock),
            import_slots: Slots::new(MAX_IMPORTS),
            password_slots: Slots::new(MAX_PASSWORD_CHANGES),
            reset_slots: Arc::new(Semaphore::new(MAX_RESETS)),
            connections: Arc::new(Connections::new(&config.limits)),
            documents: Documents::default(),
            sign_in: SignIn::new(Arc::clone(&core), hasher(), known_hasher()),
            hasher: hasher(),
            known_hasher: known_hasher(),
            console_exports: Arc::clone(&ports.console_exports),
            research_keyword: ResearchKeyword {
                core,
                sleeper: Arc::new(TokioSleeper),
                supplier: Arc::clone(&ports.keyword_data),
            },
            server: ports.server.clone(),
            refused_authorizations: RecordedRefusals::default(),
            csp_report_count: AtomicU64::new(0),
            wake,
            stopping,
            config,
        }
    }

    pub fn connections(&self) -> Arc<Connections> {
        Arc::clone(&self.connections)
    }
}
