//! Settings, their defaults, and the origin of each value. Later sources override earlier ones: defaults,
//! `sightline.toml`, `SIGHTLINE_*`, flags.

mod file;
mod new_accounts;
mod page_speed;
mod sources;
mod values;

pub use new_accounts::NewAccountSettings;
pub use page_speed::{SandboxChoice, VitalsSettings};
pub use sources::{Loaded, Origin, SettingRow, SettingsError, Sources};
pub use values::{
    AdminAddress, Budget, CertificateFile, DatabaseAddress, ListenAddress, LogLevel, Network,
    ResolveEntry,
};

use chrono::TimeDelta;
use domain::{
    project::PurgeTerm, stored_data::StorageLimits, token::TokenPolicy,
    use_cases::maintenance::Retention,
};
use mail::MailSettings;
use providers::{
    ai::AiSettings, keywords::KeywordResearchSettings, search::SearchSettings,
    search_console::SearchConsoleSettings,
};
use serde::{Deserialize, Serialize};
use setting::{Mistakes, Seconds, WebAddress, Within, ZeroOr, impl_unchecked_setting, settings};
use std::{net::SocketAddr, path::PathBuf};
use storage::DatabaseUrl;
use web::limits::RequestLimits;

settings! {
    /// All settings. A test compares them with the documentation.
    pub struct Settings {
        /// Folder of the SQLite file; created with mode 700.
        pub data_dir: PathBuf = PathBuf::from("sightline-data"),
        /// `sqlite://PATH`, which `sightline migrate` creates, or `postgres://…`.
        pub database_url: Option<DatabaseAddress>,
        /// Connections for requests, and as many for jobs; on SQLite readers.
        pub database_connections: Within<1, 1_000> = Within(6),
        /// Whether PostgreSQL is behind a pooler in transaction mode, such as pgbouncer.
        pub database_pooler: bool,
        /// Seconds after SIGTERM until the listener closes, while `/readyz` answers 503; 0 to 10.
        pub shutdown_delay_seconds: Seconds<0, 10> = Seconds::of(2),
        /// Address of API and pages.
        pub listen: ListenAddress = ListenAddress(SocketAddr::from(([127, 0, 0, 1], 8080))),
        pub admin: AdminSettings,
        /// URL under which clients reach the server.
        pub public_base_url: Option<WebAddress>,
        /// Proxies with a trusted `X-Forwarded-For`: `["10.0.0.5/32"]`.
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
        pub secrets: SecretSettings,
        pub mail: MailSettings,
        pub new_accounts: NewAccountSettings,
        pub tokens: TokenSettings,
    }
    rules Settings::check_together
}

settings! {
    pub struct AdminSettings {
        /// Address of probes and metrics, or `off`.
        pub listen: AdminAddress,
    }
}

settings! {
    pub struct SessionSettings {
        /// Whether people may sign in over plain HTTP from other machines.
        pub plain_cookies: bool,
    }
}

settings! {
    pub struct TokenSettings {
        /// Maximum age of API tokens, existing ones included; 1 to 3650. The same on all servers.
        pub max_lifetime_days: Option<Within<1, 3_650>>,
    }
}

settings! {
    pub struct SecretSettings {
        /// File with the key of sealed secrets; default on SQLite: `secrets.key` beside the database, created by the
        /// first server.
        pub key_file: Option<PathBuf>,
    }
}

settings! {
    /// The minimum is that of the OWASP cheat sheet "Password Storage" for two passes.
    pub struct PasswordSettings {
        /// KiB of a hash (argon2id); 19456 to 1048576.
        pub memory_kib: Within<19_456, 1_048_576> = Within(passwords::HashingSettings::default().memory_kib),
        /// Passes of a hash; 2 to 20.
        pub passes: Within<2, 20> = Within(passwords::HashingSettings::default().passes),
    }
}

settings! {
    /// Retention periods; 0 keeps data forever. The minimum lets results be compared with those of a month ago.
    pub struct RetentionSettings {
        /// Rank histories; 2 to 1200.
        pub rank_months: ZeroOr<2, 1_200> = Retention::default().ranks.into(),
        /// Search pages and forecasts of earlier runs; 38 to 36500.
        pub page_days: ZeroOr<38, 36_500> = Retention::default().pages.into(),
        /// Other records of earlier runs; 2 to 1200. The newest run always stays.
        pub record_months: ZeroOr<2, 1_200> = Retention::default().records.into(),
        /// Responses of paid suppliers; 2 to 36500.
        pub answer_days: ZeroOr<2, 36_500> = Retention::default().answers.into(),
        /// Texts of AI answers; 2 to 36500. Counts are kept like ranks.
        pub ai_answer_days: ZeroOr<2, 36_500> = Retention::default().ai_answers.into(),
        /// Search Console rows; 4 to 1200.
        pub console_months: ZeroOr<4, 1_200> = Retention::default().console.into(),
        /// Keyword searches of people, after their last use; 1 to 1200.
        pub search_months: ZeroOr<1, 1_200> = Retention::default().searches.into(),
        /// Deactivated projects with all data (`purgeAt`), existing ones included; 30 to 36500.
        pub deactivated_project_days: ZeroOr<30, 36_500> = Retention::default().deactivated_projects.0.into(),
        /// Audit log of accounts that set no other time, at most 50,000 events of an account; 30 to 36500.
        pub audit_days: ZeroOr<30, 36_500> = Retention::default().audit.into(),
        /// Event log; 30 to 36500.
        pub event_days: ZeroOr<30, 36_500> = Retention::default().events.into(),
    }
}

settings! {
    /// Limits of what accounts may store; 0 sets no limit.
    pub struct StorageSettings {
        /// Stored projects and keywords, with deactivated ones, as a multiple of the allowance.
        pub inactive_factor: Within<0, 1_000> = Within(StorageLimits::default().inactive_factor.unwrap_or(0)),
        /// MiB of an account's Search Console rows, content plans and events; from 16.
        pub account_mebibytes: ZeroOr<16, { u32::MAX }> =
            limit_or_zero(StorageLimits::default().account_bytes.map(|it| it / MEBIBYTE)),
        /// Search Console rows of a project; from 1000.
        pub project_rows: ZeroOr<1_000, { u32::MAX }> = limit_or_zero(StorageLimits::default().project_rows),
    }
}

settings! {
    /// Rate limits of one server process: sustained (`…_per_minute`) and `…_burst`. Zero is not allowed: it would
    /// refuse every request.
    pub struct LimitSettings {
        /// Reads of a token.
        pub reads_per_minute: Limit = Within(default_limits().reads.per_minute.get()),
        /// Its burst.
        pub reads_burst: Limit = Within(default_limits().reads.burst.get()),
        /// Writes of a token.
        pub writes_per_minute: Limit = Within(default_limits().writes.per_minute.get()),
        /// Its burst.
        pub writes_burst: Limit = Within(default_limits().writes.burst.get()),
        /// Analyses of a token; also writes.
        pub analyses_per_minute: Limit = Within(default_limits().analyses.per_minute.get()),
        /// Its burst.
        pub analyses_burst: Limit = Within(default_limits().analyses.burst.get()),
        /// Requests of all tokens of an account.
        pub account_per_minute: Limit = Within(default_limits().account.per_minute.get()),
        /// Its burst.
        pub account_burst: Limit = Within(default_limits().account.burst.get()),
        /// Requests of an address without a token.
        pub anonymous_per_minute: Limit = Within(default_limits().anonymous.per_minute.get()),
        /// Its burst.
        pub anonymous_burst: Limit = Within(default_limits().anonymous.burst.get()),
        /// Requests of an address with a rejected token.
        pub failed_tokens_per_minute: Limit = Within(default_limits().failed_tokens.per_minute.get()),
        /// Its burst.
        pub failed_tokens_burst: Limit = Within(default_limits().failed_tokens.burst.get()),
        /// Sign-in attempts of an address or a known device.
        pub sign_ins_per_minute: Limit = Within(default_limits().sign_ins.per_minute.get()),
        /// Its burst.
        pub sign_ins_burst: Limit = Within(default_limits().sign_ins.burst.get()),
        /// All sign-in attempts, without known devices.
        pub all_sign_ins_per_minute: Limit = Within(default_limits().all_sign_ins.per_minute.get()),
        /// Its burst.
        pub all_sign_ins_burst: Limit = Within(default_limits().all_sign_ins.burst.get()),
        /// MiB of an account's idempotent responses in 24 hours.
        pub kept_answer_mib: Limit = Within(default_limits().stored_responses.burst.get() / 1_024),
        /// Concurrent requests of a token.
        pub in_flight_per_token: Limit = Within(default_limits().in_flight_per_token),
        /// Concurrent requests of an account.
        pub in_flight_per_account: Limit = Within(default_limits().in_flight_per_account),
        /// Concurrent requests with a token or session.
        pub in_flight: Limit = Within(default_limits().in_flight),
        /// Concurrent requests without one.
        pub in_flight_unknown: Limit = Within(default_limits().in_flight_unknown),
        /// Of these, requests of one address, at most half.
        pub in_flight_per_address: Limit = Within(default_limits().in_flight_per_address),
        /// Connections; at most half of the file limit less 1,024.
        pub connections: Limit = Within(default_limits().connections),
        /// Connections of an address, except trusted proxies and loopback.
        pub connections_per_address: Limit = Within(default_limits().connections_per_address),
    }
}

pub type Limit = Within<1, 1_000_000_000>;

fn default_limits() -> RequestLimits {
    RequestLimits::default()
}

settings! {
    pub struct LogSettings {
        /// `readable` or `json`.
        pub format: LogFormat = LogFormat::Readable,
        /// `warn`, or by target: `warn,web=debug`.
        pub level: LogLevel,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Readable,
    /// One JSON object per line.
    Json,
}

impl_unchecked_setting!(LogFormat);

settings! {
    pub struct WorkerSettings {
        /// Concurrent jobs.
        pub jobs: Within<1, 1_000, usize> = Within(4),
        /// Of these, slots reserved for rank checks; at least one slot takes any kind.
        pub short_jobs: Within<0, 1_000, usize> = Within(1),
        /// Concurrent keywords of a rank check.
        pub keywords_at_once: Within<1, 1_000, usize> = Within(16),
        /// The same with a paid supplier; a crash may repeat as many paid calls.
        pub paid_keywords_at_once: Within<1, 1_000, usize> = Within(1),
        /// Concurrent questions to a paid AI engine; a crash may repeat as many.
        pub paid_answers_at_once: Within<1, 1_000, usize> = Within(4),
    }
}

settings! {
    /// All servers and workers on one database must use the same values.
    pub struct QueueSettings {
        /// Lease of a job; twice the heartbeat to 7200.
        pub lease_seconds: u32 = 45,
        /// Interval of lease renewal.
        pub heartbeat_seconds: QueueSeconds = Within(10),
        /// Interval of the sweep for expired leases.
        pub sweep_seconds: QueueSeconds = Within(10),
        /// First delay between attempts; doubles up to 30 minutes.
        pub first_delay_seconds: QueueSeconds = Within(15),
        /// Running jobs of an account, over all workers.
        pub running_per_account: Within<1, 1_000> = Within(4),
        /// Time until a job yields its slot to another account.
        pub turn_seconds: QueueSeconds = Within(60),
    }
    rules QueueSettings::check_lease_length
}

/// The minimum of 1 prevents busy loops.
type QueueSeconds = Within<1, 3_600>;

settings! {
    pub struct CrawlerSettings {
        /// URL in the user agent for site owners; set your own.
        pub contact_url: WebAddress = WebAddress::from_static("https://sightline.invalid/bot"),
        /// Private networks open to all accounts, on every port: `["127.0.0.0/8"]`.
        pub allow_networks: Vec<Network>,
        /// Networks that are never crawled: `["203.0.113.7/32"]`.
        pub deny_networks: Vec<Network>,
        /// Addresses of hosts, always crawled: `["docs.example.com:80=127.0.0.1:8101"]`.
        pub resolve: Vec<ResolveEntry>,
        /// PEM files of additional authorities: `["/etc/ssl/company-ca.pem"]`.
        pub trust: Vec<CertificateFile>,
        /// Delay between requests to a registrable domain; 0 to 60000, public sites at least 200.
        pub per_host_delay_ms: Within<0, 60_000, u64> = Within(1_000),
        /// Connections to a registrable domain; public sites at most 2.
        pub connections_per_host: Within<1, 64> = Within(2),
        /// Pages of an audit.
        pub max_pages: Within<1, 1_000_000> = Within(500),
        /// Links away from the start.
        pub max_depth: u32 = 10,
        /// Whether links to other sites are checked.
        pub check_external: bool = true,
        /// Link targets on other sites in an audit; 1 to 5000.
        pub external_targets: Within<1, 5_000> = Within(2_000),
        /// First pages of an audit to render in Chromium; 0 to 10000.
        pub render_pages: Within<0, 10_000>,
    }
}

impl TokenSettings {
    pub fn policy(&self) -> TokenPolicy {
        TokenPolicy {
            longest: { self.max_lifetime_days }.map(|it| TimeDelta::days(it.0.into())),
        }
    }
}

const MEBIBYTE: u64 = 1_024 * 1_024;

fn limit_or_zero<const MIN: u32, const MAX: u32>(limit: Option<u64>) -> ZeroOr<MIN, MAX> {
    ZeroOr(limit.unwrap_or(0).try_into().unwrap_or(u32::MAX))
}

impl StorageSettings {
    pub fn limits(&self) -> StorageLimits {
        let mebibytes = self.account_mebibytes.non_zero();
        StorageLimits {
            inactive_factor: Some(self.inactive_factor.0).filter(|it| *it > 0),
            account_bytes: mebibytes.map(|it| u64::from(it) * MEBIBYTE),
            project_rows: self.project_rows.non_zero().map(u64::from),
        }
    }
}

impl RetentionSettings {
    pub fn retention(&self) -> Retention {
        Retention {
            ranks: self.rank_months.non_zero(),
            pages: self.page_days.non_zero(),
            records: self.record_months.non_zero(),
            answers: self.answer_days.non_zero(),
            ai_answers: self.ai_answer_days.non_zero(),
            console: self.console_months.non_zero(),
            searches: self.search_months.non_zero(),
            deactivated_projects: PurgeTerm(self.deactivated_project_days.non_zero()),
            audit: self.audit_days.non_zero(),
            events: self.event_days.non_zero(),
        }
    }
}

impl QueueSettings {
    fn check_lease_length(&self, key: &str, mistakes: &mut Mistakes) {
        let heartbeat = self.heartbeat_seconds.0;
        let min_lease = heartbeat.saturating_mul(2);
        if !(min_lease..=7_200).contains(&self.lease_seconds) {
            mistakes.add(
                &format!("{key}.lease_seconds"),
                self.lease_seconds.to_string(),
                format!(
                    "{min_lease} (twice {key}.heartbeat_seconds, which is {heartbeat}) to 7200"
                ),
            );
        }
    }
}

impl Settings {
    /// The two listeners need different addresses. Files such as keys are checked when they are needed.
    fn check_together(&self, key: &str, mistakes: &mut Mistakes) {
        self.check_listeners(key, mistakes);
        self.check_mail(key, mistakes);
    }

    fn check_listeners(&self, _: &str, mistakes: &mut Mistakes) {
        let listen = self.listen.0;
        if listen.port() != 0 && self.admin.listen == AdminAddress::At(listen) {
            let allowed = "another address than listen, or off";
            mistakes.add("admin.listen", listen.to_string(), allowed);
        }
    }

    fn check_mail(&self, _: &str, mistakes: &mut Mistakes) {
        if self.mail.host.is_some() && self.public_base_url.is_none() {
            let allowed = "the URL of this server, because mail.host is set";
            mistakes.add("public_base_url", "not set", allowed);
        }
    }

    pub fn database(&self) -> DatabaseUrl {
        let file = || DatabaseUrl::file(self.data_file());
        self.database_url
            .as_ref()
            .map_or_else(file, |it| it.0.clone())
    }

    /// The default database file.
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

#[cfg(test)]
mod tests {
    use super::{sources::find_mistakes, *};
    use setting::{Share, Usd};
    use std::collections::BTreeMap;

    fn mistakes_text(settings: &Settings) -> String {
        find_mistakes(settings, &BTreeMap::new())
            .unwrap()
            .to_string()
    }

    type Mistake = fn(&mut Settings);

    #[test]
    fn defaults_are_valid() {
        assert!(find_mistakes(&Settings::default(), &BTreeMap::new()).is_none());
    }

    #[test]
    fn out_of_range_value_is_refused_with_key_and_value() {
        let broken: [(&str, &str, Mistake); 8] = [
            ("search.depth", "is 0", |it| it.search.depth.0 = 0),
            ("worker.jobs", "is 0", |it| it.worker.jobs.0 = 0),
            // A paid call with price 0 would pass every cap.
            ("search.serper.price_per_call", "is 0", |it| {
                it.search.serper.price_per_call = Usd(0.0);
            }),
            ("search.most_per_call", "is NaN", |it| {
                it.search.most_per_call = Some(Usd(f64::NAN));
            }),
            ("search.most_per_day", "is -1", |it| {
                it.search.most_per_day = Some(Usd(-1.0));
            }),
            ("search.sandbox.failure_rate", "is 1.5", |it| {
                it.search.sandbox.failure_rate = Share(1.5);
            }),
            ("vitals.lab.run_seconds takes 55", "is 50", |it| {
                it.vitals.lab.run_seconds = 50;
            }),
            // One late heartbeat would lose such a lease.
            ("queue.lease_seconds takes 20", "is 19", |it| {
                it.queue.lease_seconds = 19;
            }),
        ];
        for (key, value, change) in broken {
            let mut settings = Settings::default();
            change(&mut settings);
            let mistakes = mistakes_text(&settings);
            assert!(
                mistakes.contains(key) && mistakes.contains(value),
                "{mistakes}"
            );
        }
    }

    #[test]
    fn invalid_model_setting_is_refused_with_key_and_origin() {
        let mut settings = Settings::default();
        settings.ai.chatgpt.most_searches.0 = 0;
        settings.ai.compatible.model.0 = "a b".to_owned();
        settings.ai.claude.price_per_million_input = Some(Usd(0.0));
        let name = "SIGHTLINE_AI__CHATGPT__MOST_SEARCHES".to_owned();
        let origin = (
            "ai.chatgpt.most_searches".to_owned(),
            Origin::Environment(name),
        );
        let mistakes = find_mistakes(&settings, &BTreeMap::from([origin]))
            .unwrap()
            .to_string();
        for line in [
            "the setting ai.chatgpt.most_searches takes 1 to 50; it is 0 (SIGHTLINE_AI__CHATGPT__MOST_SEARCHES)",
            "the setting ai.claude.price_per_million_input takes 0.000001 to 1000 US dollars; it is 0 (default)",
            "the setting ai.compatible.model takes the name of a model: letters, digits and . _ : / - @; it is \"a b\" (default)",
        ] {
            assert!(mistakes.lines().any(|it| it == line), "{line}: {mistakes}");
        }
        assert_eq!(mistakes.lines().count(), 3, "{mistakes}");
    }

    #[test]
    fn all_invalid_settings_are_reported_together() {
        let mut settings = Settings::default();
        (settings.search.depth.0, settings.worker.jobs.0) = (0, 0);
        let mistakes = mistakes_text(&settings);
        assert_eq!(mistakes.lines().count(), 2, "{mistakes}");
    }
}
