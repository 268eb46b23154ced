//! Settings: what can be set, what it is when nothing is set, and where a value came from.
//!
//! Later sources stand above earlier ones: defaults, `sightline.toml`, `SIGHTLINE_*`, flags.

mod ai;
mod file;
mod keyword_research;
mod new_accounts;
mod page_speed;
mod ranges;
mod search;
mod search_console;
mod secret;
mod sources;
mod values;

pub use ai::{AiSettings, ModelChoice};
pub use keyword_research::KeywordResearchSettings;
pub use new_accounts::NewAccountSettings;
pub use page_speed::{SandboxChoice, VitalsSettings};
pub use search::SearchSettings;
pub use search_console::SearchConsoleSettings;
pub use secret::Secret;
pub use sources::{Loaded, Origin, SettingsError, Sources};
pub use values::{
    AdminAddress, Budget, CertificateFile, DatabaseAddress, ListenAddress, LogLevel, Network,
    ResolveEntry, WebAddress,
};

use chrono::TimeDelta;
use domain::{
    project::PurgeTerm, stored_data::StorageLimits, token::TokenPolicy,
    use_cases::keep_house::Retention,
};
use serde::{Deserialize, Serialize};
use std::{net::SocketAddr, path::PathBuf};
use storage::DatabaseUrl;
use web::limits::RequestLimits;

/// All settings. `docs/OPERATIONS.md` documents each; a test compares the two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Where data is kept: the SQLite file, when no other database is named.
    pub data_dir: PathBuf,
    /// `sqlite://PATH` or `postgres://…`; the SQLite file in `data_dir` when left out.
    pub database_url: Option<DatabaseAddress>,
    /// Connections to PostgreSQL, or readers of SQLite.
    pub database_connections: u32,
    /// Whether PostgreSQL is reached through a pooler in transaction mode, such as pgbouncer.
    pub database_pooler: bool,
    /// After SIGTERM, how long `/readyz` says 503 before the listener closes.
    pub shutdown_delay_seconds: u32,
    pub listen: ListenAddress,
    pub admin: AdminSettings,
    /// The address under which callers reach the server; `http://` and `listen` when left out.
    pub public_base_url: Option<WebAddress>,
    /// Proxies whose `X-Forwarded-For` is believed, as CIDR.
    pub trusted_proxies: Vec<Network>,
    pub limits: LimitSettings,
    pub log: LogSettings,
    pub worker: WorkerSettings,
    pub queue: QueueSettings,
    pub search: SearchSettings,
    pub ai: AiSettings,
    pub keyword_research: KeywordResearchSettings,
    pub search_console: SearchConsoleSettings,
    pub crawler: CrawlerSettings,
    pub vitals: VitalsSettings,
    pub retention: RetentionSettings,
    pub storage: StorageSettings,
    pub sessions: SessionSettings,
    pub passwords: PasswordSettings,
    pub new_accounts: NewAccountSettings,
    pub tokens: TokenSettings,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AdminSettings {
    /// The address for probes and metrics, or `off`.
    pub listen: AdminAddress,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SessionSettings {
    /// Whether cookies may go over plain http where the server is reached that way.
    pub plain_cookies: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TokenSettings {
    pub max_lifetime_days: Option<u32>,
}

impl TokenSettings {
    pub fn policy(&self) -> TokenPolicy {
        TokenPolicy {
            longest: { self.max_lifetime_days }.map(|it| TimeDelta::days(it.into())),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PasswordSettings {
    /// Memory of each hash (argon2id), in KiB.
    pub memory_kib: u32,
    pub passes: u32,
}

impl Default for PasswordSettings {
    fn default() -> Self {
        let it = passwords::HashingSettings::default();
        Self {
            memory_kib: it.memory_kib,
            passes: it.passes,
        }
    }
}

/// How long things are kept; 0 keeps them for ever.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionSettings {
    pub rank_months: u32,
    /// Search pages and forecasts of earlier runs.
    pub page_days: u32,
    /// All other records of earlier runs.
    pub record_months: u32,
    /// What suppliers that cost money answered.
    pub answer_days: u32,
    pub ai_answer_days: u32,
    pub console_months: u32,
    pub search_months: u32,
    /// Deactivated projects with everything that is stored of them.
    pub deactivated_project_days: u32,
    pub audit_days: u32,
}

/// How much accounts may store of what callers write; 0 sets no limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StorageSettings {
    /// How many times its allowances of projects and keywords an account may store, deactivated ones included.
    pub inactive_factor: u32,
    /// Rows of Search Console and content plans of an account, in MiB.
    pub account_mebibytes: u32,
    pub project_rows: u32,
}

/// How much may be asked of one server process: in the long run (`…_per_minute`), and at once (`…_burst`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitSettings {
    pub reads_per_minute: u32,
    pub reads_burst: u32,
    pub writes_per_minute: u32,
    pub writes_burst: u32,
    pub analyses_per_minute: u32,
    pub analyses_burst: u32,
    pub account_per_minute: u32,
    pub account_burst: u32,
    /// Requests of an address without a token.
    pub anonymous_per_minute: u32,
    pub anonymous_burst: u32,
    /// Requests of an address with a token that is not accepted.
    pub failed_tokens_per_minute: u32,
    pub failed_tokens_burst: u32,
    /// Attempts to sign in, by address or known device.
    pub sign_ins_per_minute: u32,
    pub sign_ins_burst: u32,
    /// Attempts to sign in from everywhere, known devices apart.
    pub all_sign_ins_per_minute: u32,
    pub all_sign_ins_burst: u32,
    /// Answers kept for idempotency keys, by account: in MiB, at once and in 24 hours.
    pub kept_answer_mib: u32,
    pub in_flight_per_token: u32,
    pub in_flight_per_account: u32,
    /// Requests with an accepted token or session under way at the same time.
    pub in_flight: u32,
    /// Requests without one under way at the same time.
    pub in_flight_unknown: u32,
    /// The same of an address.
    pub in_flight_per_address: u32,
    pub connections: u32,
    pub connections_per_address: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogSettings {
    pub format: LogFormat,
    /// What is logged, for example `info` or `warn,web=debug`.
    pub level: LogLevel,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Readable,
    /// One JSON object a line.
    Json,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WorkerSettings {
    pub jobs: usize,
    /// Of `jobs`, how many are kept for rank checks; at least one takes jobs of any kind.
    pub short_jobs: usize,
    /// Keywords at the same time in each rank check.
    pub keywords_at_once: usize,
    /// The same, when a supplier costs money: as many calls may have to be paid again after a crash.
    pub paid_keywords_at_once: usize,
    /// Questions at the same time to each AI engine that costs money; the same holds.
    pub paid_answers_at_once: usize,
}

/// The queue. All servers and workers on one database take the same numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct QueueSettings {
    pub lease_seconds: u32,
    pub heartbeat_seconds: u32,
    pub sweep_seconds: u32,
    /// The first delay before a failed attempt is followed by another; doubles each time.
    pub first_delay_seconds: u32,
    /// Running jobs of one account, over all workers.
    pub running_per_account: u32,
    /// How long a job runs at the least before it gives its slot back to others that wait.
    pub turn_seconds: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CrawlerSettings {
    pub contact_url: WebAddress,
    /// Networks that may be read although they are not public, as CIDR.
    pub allow_networks: Vec<Network>,
    /// Networks that are never read, as CIDR.
    pub deny_networks: Vec<Network>,
    /// Addresses for hosts, as `HOST:PORT=ADDRESS:PORT`.
    pub resolve: Vec<ResolveEntry>,
    /// Authorities that are trusted beside the public ones, as files.
    pub trust: Vec<CertificateFile>,
    pub per_host_delay_ms: u64,
    pub connections_per_host: u32,
    pub max_pages: u32,
    /// Links away from the start at the most.
    pub max_depth: u32,
    pub check_external: bool,
    /// Link targets on other sites that one audit asks for at the most.
    pub external_targets: u32,
    /// Pages of a site that a browser shows too, the first ones of a crawl.
    pub render_pages: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            data_dir: PathBuf::from("sightline-data"),
            database_url: None,
            database_connections: 6,
            database_pooler: false,
            shutdown_delay_seconds: 2,
            listen: ListenAddress(SocketAddr::from(([127, 0, 0, 1], 8080))),
            admin: AdminSettings::default(),
            public_base_url: None,
            trusted_proxies: vec![],
            limits: LimitSettings::default(),
            log: LogSettings::default(),
            worker: WorkerSettings::default(),
            queue: QueueSettings::default(),
            search: SearchSettings::default(),
            ai: AiSettings::default(),
            keyword_research: KeywordResearchSettings::default(),
            search_console: SearchConsoleSettings::default(),
            crawler: CrawlerSettings::default(),
            vitals: VitalsSettings::default(),
            retention: RetentionSettings::default(),
            storage: StorageSettings::default(),
            sessions: SessionSettings::default(),
            passwords: PasswordSettings::default(),
            new_accounts: NewAccountSettings::default(),
            tokens: TokenSettings::default(),
        }
    }
}

impl Default for RetentionSettings {
    fn default() -> Self {
        let it = Retention::default();
        Self {
            rank_months: it.ranks.unwrap_or(0),
            page_days: it.pages.unwrap_or(0),
            record_months: it.records.unwrap_or(0),
            answer_days: it.answers.unwrap_or(0),
            ai_answer_days: it.ai_answers.unwrap_or(0),
            console_months: it.console.unwrap_or(0),
            search_months: it.searches.unwrap_or(0),
            deactivated_project_days: it.deactivated_projects.0.unwrap_or(0),
            audit_days: it.audit.unwrap_or(0),
        }
    }
}

const MEBIBYTE: u64 = 1_024 * 1_024;

impl Default for StorageSettings {
    fn default() -> Self {
        let it = StorageLimits::default();
        let mebibytes = it.account_bytes.unwrap_or(0) / MEBIBYTE;
        Self {
            inactive_factor: it.inactive_factor.unwrap_or(0),
            account_mebibytes: mebibytes.try_into().unwrap_or(u32::MAX),
            project_rows: it.project_rows.unwrap_or(0).try_into().unwrap_or(u32::MAX),
        }
    }
}

impl StorageSettings {
    pub fn limits(&self) -> StorageLimits {
        let unless_zero = |it: u32| (it > 0).then_some(it);
        StorageLimits {
            inactive_factor: unless_zero(self.inactive_factor),
            account_bytes: unless_zero(self.account_mebibytes).map(|it| u64::from(it) * MEBIBYTE),
            project_rows: unless_zero(self.project_rows).map(u64::from),
        }
    }
}

impl RetentionSettings {
    pub fn retention(&self) -> Retention {
        let unless_zero = |it: u32| (it > 0).then_some(it);
        Retention {
            ranks: unless_zero(self.rank_months),
            pages: unless_zero(self.page_days),
            records: unless_zero(self.record_months),
            answers: unless_zero(self.answer_days),
            ai_answers: unless_zero(self.ai_answer_days),
            console: unless_zero(self.console_months),
            searches: unless_zero(self.search_months),
            deactivated_projects: PurgeTerm(unless_zero(self.deactivated_project_days)),
            audit: unless_zero(self.audit_days),
        }
    }
}

impl Default for LimitSettings {
    fn default() -> Self {
        let it = RequestLimits::default();
        Self {
            reads_per_minute: it.reads.per_minute.get(),
            reads_burst: it.reads.burst.get(),
            writes_per_minute: it.writes.per_minute.get(),
            writes_burst: it.writes.burst.get(),
            analyses_per_minute: it.analyses.per_minute.get(),
            analyses_burst: it.analyses.burst.get(),
            account_per_minute: it.account.per_minute.get(),
            account_burst: it.account.burst.get(),
            anonymous_per_minute: it.anonymous.per_minute.get(),
            anonymous_burst: it.anonymous.burst.get(),
            failed_tokens_per_minute: it.failed_tokens.per_minute.get(),
            failed_tokens_burst: it.failed_tokens.burst.get(),
            sign_ins_per_minute: it.sign_ins.per_minute.get(),
            sign_ins_burst: it.sign_ins.burst.get(),
            all_sign_ins_per_minute: it.all_sign_ins.per_minute.get(),
            all_sign_ins_burst: it.all_sign_ins.burst.get(),
            kept_answer_mib: it.kept_answers.burst.get() / 1_024,
            in_flight_per_token: it.in_flight_per_token,
            in_flight_per_account: it.in_flight_per_account,
            in_flight: it.in_flight,
            in_flight_unknown: it.in_flight_unknown,
            in_flight_per_address: it.in_flight_per_address,
            connections: it.connections,
            connections_per_address: it.connections_per_address,
        }
    }
}

impl Default for LogSettings {
    fn default() -> Self {
        Self {
            format: LogFormat::Readable,
            level: LogLevel::default(),
        }
    }
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self {
            jobs: 4,
            short_jobs: 1,
            keywords_at_once: 16,
            paid_keywords_at_once: 1,
            paid_answers_at_once: 4,
        }
    }
}

impl Default for QueueSettings {
    fn default() -> Self {
        Self {
            lease_seconds: 45,
            heartbeat_seconds: 10,
            sweep_seconds: 10,
            first_delay_seconds: 15,
            running_per_account: 4,
            turn_seconds: 60,
        }
    }
}

impl Default for CrawlerSettings {
    fn default() -> Self {
        Self {
            contact_url: WebAddress::fixed("https://sightline.invalid/bot"),
            allow_networks: vec![],
            deny_networks: vec![],
            resolve: vec![],
            trust: vec![],
            per_host_delay_ms: 1_000,
            connections_per_host: 2,
            max_pages: 500,
            max_depth: 10,
            check_external: true,
            external_targets: 2_000,
            render_pages: 0,
        }
    }
}

impl Settings {
    pub fn database(&self) -> DatabaseUrl {
        let file = || DatabaseUrl::file(self.data_file());
        self.database_url
            .as_ref()
            .map_or_else(file, |it| it.0.clone())
    }

    /// The file of the database that nobody named.
    pub fn data_file(&self) -> PathBuf {
        self.data_dir.join("sightline.db")
    }

    /// The address under which callers reach the server, without a trailing slash.
    pub fn public_base_url(&self) -> String {
        let own = || format!("http://{}", self.listen.0);
        let set = self.public_base_url.as_ref();
        set.map_or_else(own, |it| it.text().to_owned())
            .trim_end_matches('/')
            .to_owned()
    }
}
