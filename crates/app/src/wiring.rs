use crate::process::retry_while_taken;
use crate::secrets::Secrets;
use crate::settings::{Loaded, QueueSettings, SandboxChoice, Settings};
use crate::system_clock::SystemClock;
use crate::system_randomness::SystemRandomness;
use anyhow::Context;
use chrono::TimeDelta;
use crawler::{BrowserSandbox, BrowserSettings, CrawlerSettings, PoliteReader, is_public};
use domain::{
    ids::IdMint,
    job::policy::QueuePolicy,
    money::MicroUsd,
    ports::{
        ai_answers::AiEngines, clock::Clock, host_throttle::HostThrottle,
        keyword_data::KeywordData, page_speed::LabVitals, randomness::Randomness,
        search_results::SearchResults, site_access::SiteAccessProvider, site_reader::SiteReader,
        storage::Storage,
    },
    shared_key::KeyPurpose,
    use_cases::{
        Core, Policies, measure_page_speed::SpeedSources, outbox::MailPolicy,
        request_analysis::Prices, search_console::fetch::FetchConsole, send_mail::SendMail,
    },
};
use mail::SmtpMailer;
use nix::ifaddrs::getifaddrs;
use passwords::{Argon2Hasher, HashingSettings};
use providers::{ai, keywords, search, search_console, vitals};
use setting::Cap;
use std::{
    fs, io, net::IpAddr, os::unix::fs::DirBuilderExt, path::Path, sync::Arc, time::Duration,
};
use storage::{DatabaseKind, DieselStorage, Exclusive, OpenError, OpenOptions};
use url::{Host, Url};
use web::sleeper::TokioSleeper;
use worker::{WorkerContext, WorkerLimits};

#[derive(Clone)]
pub struct AppContext {
    pub settings: Settings,
    pub storage: Arc<dyn Storage>,
    pub database: DieselStorage,
    pub clock: Arc<dyn Clock>,
    pub randomness: Arc<dyn Randomness>,
    pub mint: Arc<IdMint>,
    pub secrets: Secrets,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Process {
    /// Serves or works; on `SQLite` only one process may.
    Server,
    Tool,
    /// `sightline migrate run`: may create the configured file.
    Migration,
}

impl AppContext {
    /// A fresh database gets its schema. An outdated one is refused on `PostgreSQL` and migrated on `SQLite`.
    pub async fn open(loaded: Loaded, process: Process) -> anyhow::Result<Self> {
        let settings = loaded.settings;
        let database = open_database(&settings, process).await?;
        migrate_if_needed(&database).await?;
        let (clock, randomness) = system_ports();
        let mint = Arc::new(IdMint::new(Arc::clone(&clock), Arc::clone(&randomness)));
        let secrets = Secrets::open(&settings, &database, process, &randomness).await?;
        Ok(Self {
            settings,
            storage: Arc::new(database.clone()),
            database,
            clock,
            randomness,
            mint,
            secrets,
        })
    }

    #[must_use]
    pub fn with_clock(&self, clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            ..self.clone()
        }
    }

    /// For jobs: their statements have longer timeouts than those of requests.
    #[must_use]
    pub fn for_jobs(&self) -> Self {
        let database = self.database.for_jobs();
        Self {
            storage: Arc::new(database.clone()),
            database,
            ..self.clone()
        }
    }

    /// With the prices of suppliers.
    pub fn priced_core(&self) -> Core {
        let settings = &self.settings;
        let search = search_results(settings, &self.clock, &self.randomness);
        let engines = ai_engines(settings, &self.clock, &self.randomness);
        let prices = prices(settings, search.as_ref(), &worker_limits(settings));
        self.core_with(prices, engines)
    }

    /// Use cases that call no supplier.
    pub fn core(&self) -> Arc<Core> {
        Arc::new(self.core_with(Prices::default(), AiEngines::default()))
    }

    /// Use cases that list the AI engines.
    pub fn core_with_engines(&self) -> Core {
        let engines = ai_engines(&self.settings, &self.clock, &self.randomness);
        self.core_with(Prices::default(), engines)
    }

    fn core_with(&self, prices: Prices, engines: AiEngines) -> Core {
        let settings = &self.settings;
        Core {
            storage: Arc::clone(&self.storage),
            clock: Arc::clone(&self.clock),
            randomness: Arc::clone(&self.randomness),
            mint: Arc::clone(&self.mint),
            cipher: self.secrets.cipher(),
            policies: Policies {
                queue: queue_policy(&settings.queue),
                tokens: settings.tokens.policy(),
                storage: settings.storage.limits(),
                new_accounts: settings.new_accounts.limits(),
                retention: settings.retention.retention(),
                prices,
                engines,
                mail: mail_policy(settings),
            },
        }
    }

    /// `None` on `SQLite`, where a single process crawls.
    fn host_throttle(&self) -> Option<Arc<dyn HostThrottle>> {
        match self.database.kind() {
            DatabaseKind::Postgres => Some(Arc::new(self.database.clone())),
            DatabaseKind::Sqlite => None,
        }
    }

    /// The lock on the `SQLite` file admits one process, so the holders of running jobs are gone.
    pub async fn requeue_running_jobs(&self, worker_context: &WorkerContext) {
        if self.database.kind() == DatabaseKind::Sqlite {
            worker::requeue_running_jobs(worker_context).await;
        }
    }

    /// `worker_context`, with mail if the settings have a mail server. For jobs.
    pub async fn worker_context_with_mail(&self) -> anyhow::Result<WorkerContext> {
        let mut worker = self.worker_context();
        if let Some(mailer) = SmtpMailer::new(&self.settings.mail)? {
            worker.mail = Some(Arc::new(SendMail {
                core: Arc::clone(&worker.core),
                mailer: Arc::new(mailer),
                throttle: Arc::new(self.database.clone()),
                sleeper: Arc::new(TokioSleeper),
                stop_key: self.core().shared_key(KeyPurpose::StopLinks).await?,
            }));
        }
        Ok(worker)
    }

    /// Without mail.
    pub fn worker_context(&self) -> WorkerContext {
        let settings = &self.settings;
        let site_services = site_services(
            settings,
            &self.clock,
            &self.randomness,
            self.host_throttle(),
        );
        let (load, search) = (
            worker_limits(settings),
            search_results(settings, &self.clock, &self.randomness),
        );
        let engines = ai_engines(settings, &self.clock, &self.randomness);
        let prices = prices(settings, search.as_ref(), &load);
        WorkerContext {
            core: Arc::new(self.core_with(prices, engines)),
            console: Arc::new(console_fetcher(self)),
            mail: None,
            search,
            speed: site_services.speed,
            site_access: site_services.site_access,
            sites: site_services.sites,
            limits: load,
            system_clock: Arc::new(SystemClock),
            reconnects_within: storage::MAX_RECONNECT_DELAY,
        }
    }
}

pub fn system_ports() -> (Arc<dyn Clock>, Arc<dyn Randomness>) {
    (Arc::new(SystemClock), Arc::new(SystemRandomness))
}

/// Creates the default data folder and returns whether it is used; a configured path is not created.
pub fn create_data_folder(settings: &Settings) -> anyhow::Result<bool> {
    let is_default = settings.database_url.is_none();
    if is_default {
        let folder = &settings.data_dir;
        storage::as_owner_of(folder, || create_private_folder(folder))
            .flatten()
            .with_context(|| format!("cannot create the data directory {}", folder.display()))?;
    }
    Ok(is_default)
}

/// A folder with mode 0700; missing parents get the default mode.
fn create_private_folder(folder: &Path) -> io::Result<()> {
    if let Some(above) = folder.parent() {
        fs::create_dir_all(above)?;
    }
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(_) if folder.is_dir() => Ok(()),
        outcome => outcome,
    }
}

pub fn is_database_missing(settings: &Settings) -> bool {
    settings.database_url.is_none() && matches!(settings.data_file().try_exists(), Ok(false))
}

pub async fn open_database(settings: &Settings, process: Process) -> anyhow::Result<DieselStorage> {
    let is_default = create_data_folder(settings)?;
    let options = OpenOptions {
        create: is_default || process == Process::Migration,
        exclusive: if process == Process::Server {
            Exclusive::Server
        } else {
            Exclusive::Tool
        },
        connections: settings.database_connections.0,
        through_pooler: settings.database_pooler,
        ..OpenOptions::default()
    };
    let open = async || DieselStorage::open(settings.database(), options.clone()).await;
    let is_taken = |error: &OpenError| matches!(error, OpenError::InUse(_));
    Ok(retry_while_taken(open, is_taken).await?)
}

async fn migrate_if_needed(database: &DieselStorage) -> anyhow::Result<()> {
    let pending = database.pending().await?;
    if pending.is_empty() {
        return Ok(());
    }
    let is_fresh = database.is_fresh().await?;
    if database.kind() == DatabaseKind::Postgres && !is_fresh {
        anyhow::bail!(
            "the database needs {} migration(s) first: run `sightline migrate`",
            pending.len()
        );
    }
    database.migrate().await?;
    Ok(())
}

pub fn queue_policy(set: &QueueSettings) -> QueuePolicy {
    let seconds = |number: u32| TimeDelta::seconds(number.into());
    QueuePolicy {
        lease: seconds(set.lease_seconds),
        heartbeat: seconds(set.heartbeat_seconds.0),
        sweep: seconds(set.sweep_seconds.0),
        first_delay: seconds(set.first_delay_seconds.0),
        running_per_account: set.running_per_account.0,
        time_slice: seconds(set.turn_seconds.0),
        ..QueuePolicy::default()
    }
}

pub fn search_results(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> Arc<dyn SearchResults> {
    search::configured(&settings.search, clock, randomness)
}

/// The configured suppliers one by one, with names, in query order; empty if simulated.
pub fn search_supplier_list(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> Vec<(&'static str, Arc<dyn SearchResults>)> {
    search::each(&settings.search, clock, randomness)
}

pub fn ai_engines(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> AiEngines {
    ai::configured((&settings.ai, &settings.search), clock, randomness)
}

pub fn keyword_data(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> Arc<dyn KeywordData> {
    let sections = (&settings.keyword_research, &settings.search);
    keywords::configured(sections, clock, randomness)
}

/// `None` without a mail server.
fn mail_policy(settings: &Settings) -> Option<MailPolicy> {
    let mail = &settings.mail;
    mail.host.as_ref().map(|_| MailPolicy {
        base_url: settings.public_base_url(),
        per_minute: mail.per_minute.0,
    })
}

fn prices(settings: &Settings, search: &dyn SearchResults, load: &WorkerLimits) -> Prices {
    let amount = |it: Cap| MicroUsd(i64::try_from(it.micros()).unwrap_or(i64::MAX));
    Prices {
        per_keyword: search.max_spend(load.depth),
        paid_call_refusal: search.paid_call_refusal(load.depth),
        max_per_day: settings.search.most_per_day.map(amount),
        speed_pages: load.speed_pages,
    }
}

pub fn console_fetcher(context: &AppContext) -> FetchConsole {
    let set = &context.settings.search_console;
    FetchConsole {
        core: context.core(),
        console: search_console::configured(set, &context.clock, &context.randomness),
        limits: set.limits(),
    }
}

fn worker_limits(settings: &Settings) -> WorkerLimits {
    let (worker, crawler) = (&settings.worker, &settings.crawler);
    WorkerLimits {
        jobs: worker.jobs.0,
        short_jobs: worker.short_jobs.0,
        keywords_at_once: worker.keywords_at_once.0,
        paid_keywords_at_once: worker.paid_keywords_at_once.0,
        paid_answers_at_once: worker.paid_answers_at_once.0,
        depth: settings.search.depth.0,
        max_pages: crawler.max_pages.0,
        max_depth: crawler.max_depth,
        check_external: crawler.check_external,
        render_pages: crawler.render_pages.0,
        speed_pages: settings.vitals.max_pages.0,
    }
}

pub struct SiteServices {
    pub sites: Arc<dyn SiteReader>,
    pub site_access: Arc<dyn SiteAccessProvider>,
    pub speed: SpeedSources,
}

pub fn site_services(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
    throttle: Option<Arc<dyn HostThrottle>>,
) -> SiteServices {
    let reader = build_site_reader(settings, clock, randomness, throttle);
    SiteServices {
        speed: speed_sources(&reader, settings, clock, randomness),
        site_access: Arc::clone(&reader) as _,
        sites: reader,
    }
}

/// One reader for all requests to sites, so that politeness limits apply to all of them.
fn build_site_reader(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
    throttle: Option<Arc<dyn HostThrottle>>,
) -> Arc<PoliteReader> {
    let reader = PoliteReader::new(
        crawler_settings(settings),
        Arc::clone(clock),
        Arc::clone(randomness),
    );
    let reader = match throttle {
        Some(throttle) => reader.with_shared_throttle(throttle),
        None => reader,
    };
    Arc::new(reader.with_browser(browser_settings(settings)))
}

fn speed_sources(
    reader: &PoliteReader,
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> SpeedSources {
    let set = &settings.vitals;
    let sources = vitals::configured(&set.crux, &set.page_speed, clock, randomness);
    let browser: Arc<dyn LabVitals> = Arc::new(reader.lab_runner(browser_settings(settings)));
    SpeedSources {
        field: sources.field,
        browser,
        other_lab: sources.lab,
        files: Arc::new(reader.static_reader()),
    }
}

fn browser_settings(settings: &Settings) -> BrowserSettings {
    let set = &settings.vitals.lab;
    let mib = |number: u32| u64::from(number) * 1_024 * 1_024;
    BrowserSettings {
        browser: set.browser.clone(),
        runs: set.runs.0,
        folder: set.folder.clone(),
        load_limit: Duration::from_secs(set.load_seconds.0.into()),
        run_limit: Duration::from_secs(set.run_seconds.into()),
        memory_limit: mib(set.memory_mib.0),
        traffic_limit: mib(set.traffic_mib.0),
        sandbox: match set.sandbox {
            SandboxChoice::Required => BrowserSandbox::Required,
            SandboxChoice::Off => BrowserSandbox::Off,
        },
        ..BrowserSettings::default()
    }
}

pub fn crawler_settings(settings: &Settings) -> CrawlerSettings {
    let set = &settings.crawler;
    CrawlerSettings {
        contact: set.contact_url.text().to_owned(),
        per_host_delay: Duration::from_millis(set.per_host_delay_ms.0),
        connections_per_host: set.connections_per_host.0,
        allow_networks: set.allow_networks.iter().map(|it| it.0).collect(),
        deny_networks: set.deny_networks.iter().map(|it| it.0).collect(),
        server_addresses: server_addresses(settings),
        server_host: server_host(settings),
        max_external_checks: set.external_targets.0,
        resolve: set.resolve.iter().map(|it| it.0.clone()).collect(),
        trusted: { set.trust.iter() }
            .flat_map(|it| it.certificates.iter().cloned())
            .collect(),
        ..CrawlerSettings::default()
    }
}

/// The known public addresses of this server: listener, public URL, and interfaces.
pub fn server_addresses(settings: &Settings) -> Vec<IpAddr> {
    let listening = Some(settings.listen.0.ip());
    let base = Url::parse(&settings.public_base_url()).ok();
    let named = base.and_then(|it| match it.host()? {
        Host::Ipv4(address) => Some(IpAddr::V4(address)),
        Host::Ipv6(address) => Some(IpAddr::V6(address)),
        Host::Domain(_) => None,
    });
    let mut addresses: Vec<IpAddr> = { listening.into_iter().chain(named) }
        .chain(interface_addresses())
        .map(|it| it.to_canonical())
        .filter(|it| is_public(*it))
        .collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

/// Logs which non-public networks may be crawled: all accounts share them.
pub fn warn_about_open_networks(settings: &Settings) {
    let networks = { settings.crawler.allow_networks.iter() }
        .map(|it| it.0.to_string())
        .collect::<Vec<_>>()
        .join(", ");
    if !networks.is_empty() {
        tracing::warn!(%networks, "Projects of all accounts may fetch non-public networks (crawler.allow_networks).");
    }
}

pub fn server_host(settings: &Settings) -> Option<String> {
    let base = Url::parse(&settings.public_base_url()).ok()?;
    base.domain().map(str::to_owned)
}

/// Empty if the system does not report them.
fn interface_addresses() -> Vec<IpAddr> {
    let interfaces = match getifaddrs() {
        Ok(interfaces) => interfaces,
        Err(error) => {
            tracing::warn!(%error, "Cannot read the addresses of the network interfaces; list the public addresses of this server in crawler.deny_networks.");
            return Vec::new();
        }
    };
    let addresses = interfaces.filter_map(|it| {
        let address = it.address?;
        let of_v4 = address.as_sockaddr_in().map(|it| IpAddr::V4(it.ip()));
        of_v4.or_else(|| address.as_sockaddr_in6().map(|it| IpAddr::V6(it.ip())))
    });
    addresses.collect()
}

pub fn password_hasher(context: &AppContext) -> anyhow::Result<Arc<Argon2Hasher>> {
    let set = &context.settings.passwords;
    let settings = HashingSettings {
        memory_kib: set.memory_kib.0,
        passes: set.passes.0,
        ..HashingSettings::default()
    };
    let randomness = Arc::clone(&context.randomness);
    Ok(Arc::new(Argon2Hasher::new(settings, randomness)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ListenAddress, Network};
    use setting::WebAddress;

    #[test]
    fn default_queue_settings_equal_the_default_policy() {
        let policy = queue_policy(&QueueSettings::default());
        assert_eq!(policy, QueuePolicy::default());
    }

    #[test]
    fn denied_networks_and_the_listen_address_are_not_crawled() {
        let mut settings = Settings::default();
        let of_machine = crawler_settings(&settings).server_addresses;
        settings.crawler.deny_networks = vec![Network("192.0.2.0/24".parse().unwrap())];
        settings.listen = ListenAddress("93.184.216.34:80".parse().unwrap());
        let crawler = crawler_settings(&settings);
        for address in ["192.0.2.7", "93.184.216.34", "::ffff:93.184.216.34"] {
            assert!(
                !crawler.may_connect_to(address.parse().unwrap()),
                "{address}"
            );
        }
        assert!(crawler.may_connect_to("93.184.216.35".parse().unwrap()));
        for everywhere in ["0.0.0.0:80", "[::]:80", "127.0.0.1:80", "10.0.0.1:80"] {
            settings.listen = ListenAddress(everywhere.parse().unwrap());
            let known = crawler_settings(&settings).server_addresses;
            assert_eq!(known, of_machine, "{everywhere}");
        }
    }

    #[test]
    fn address_and_host_of_the_public_url_are_not_crawled() {
        let address = "93.184.216.34".parse().unwrap();
        let url = |text: &str| WebAddress::try_from(text.to_owned()).unwrap();
        let mut settings = Settings {
            public_base_url: Some(url("http://93.184.216.34:8080")),
            ..Settings::default()
        };
        assert!(!crawler_settings(&settings).may_connect_to(address));
        assert_eq!(crawler_settings(&settings).server_host, None);
        settings.crawler.allow_networks = vec![Network("93.184.216.0/24".parse().unwrap())];
        assert!(crawler_settings(&settings).may_connect_to(address));
        settings.public_base_url = Some(url("https://seo.example.com/"));
        let host = crawler_settings(&settings).server_host;
        assert_eq!(host.as_deref(), Some("seo.example.com"));
    }

    #[test]
    fn interface_addresses_include_loopback() {
        let loopback: IpAddr = "127.0.0.1".parse().unwrap();
        assert!(interface_addresses().contains(&loopback));
    }

    #[test]
    fn default_lab_settings_equal_the_browser_defaults() {
        assert_eq!(
            browser_settings(&Settings::default()),
            BrowserSettings::default()
        );
    }
}
