use super::Outcome;
use crate::server::{SET_BASE_URL, proxy_without_base_url, sign_in_remedy};
use crate::settings::{Loaded, Origin, Settings};
use crate::spending::{REMEDY, paid_sources, unbounded_spenders};
use crate::terminal::{print_line, print_table};
use crate::wiring::{
    Process, is_database_missing, open_database, queue_policy, search_results, server_addresses,
    server_host, site_services, system_ports,
};
use ::mail::SmtpMailer;
use app::secrets::{first_missing, key_file, keys_in_file, needed_key_ids};
use app::sources::sources;
use chrono::{Datelike, SecondsFormat};
use crawler::is_public;
use domain::job::clock_check::{ClockCheck, ClockFault};
use domain::ports::server_notes::ServerNote;
use domain::ports::storage::{Storage, StorageError};
use domain::server_status::{Check, CheckState, SourceKind};
use domain::use_cases::check_clock_skew::clock_fault;
use domain::use_cases::server_status::{backup_check, queue_check, refusal_check};
use serde_json::json;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::net::IpAddr;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use storage::{DatabaseKind, DieselStorage, Encryption, OpenError, TlsCheck};
use tokio::{net::lookup_host, time::timeout};

/// Fails if any check is bad.
pub async fn run(loaded: Loaded, as_json: bool, all: bool) -> anyhow::Result<Outcome> {
    let opened = if is_database_missing(&loaded.settings) {
        None
    } else {
        Some(open_database(&loaded.settings, Process::Tool).await)
    };
    let opened = opened.as_ref();
    let [search, engines, research, speed, search_console] = sources_of(&loaded.settings).await;
    let checks = vec![
        database(&loaded.settings, opened).await,
        encryption(&loaded.settings),
        environment(&loaded),
        search,
        supplier_refusals(opened).await,
        queue(opened).await,
        backup(opened).await,
        secrets(&loaded.settings, opened).await,
        mail(&loaded.settings).await,
        engines,
        research,
        spending(&loaded.settings, opened).await,
        speed,
        search_console,
        crawler(&loaded.settings),
        own_addresses(&loaded.settings).await,
        rendering(&loaded.settings).await,
        sign_in(&loaded.settings),
        proxies(&loaded.settings),
        build(),
        clock(&loaded.settings, opened).await,
        disk(&loaded.settings),
    ];
    if as_json {
        print_line(serde_json::to_string_pretty(&as_value(&loaded, &checks))?);
    } else {
        show(&loaded, &checks, all);
    }
    if checks.iter().any(|check| check.state == CheckState::Bad) {
        anyhow::bail!("at least one check failed: see the rows with the state bad above");
    }
    Ok(Outcome::Done)
}

async fn sources_of(settings: &Settings) -> [Check; SourceKind::ALL.len()] {
    let (clock, randomness) = system_ports();
    let search = search_results(settings, &clock, &randomness);
    let speed = site_services(settings, &clock, &randomness, None).speed;
    let sources = sources(settings, search.as_ref(), &speed).await;
    sources.map(|it| it.check)
}

fn show(loaded: &Loaded, checks: &[Check], all: bool) {
    print_table(
        &["check", "state", "message", "what to do"],
        checks.iter().map(|check| {
            [
                check.subject.to_owned(),
                check.state.name().to_owned(),
                check.message.clone(),
                check.todo.clone().unwrap_or_default(),
            ]
        }),
    );
    let rows = loaded.rows();
    let default = Origin::Default.to_string();
    let (defaults, set): (Vec<_>, Vec<_>) = rows.into_iter().partition(|it| it.from == default);
    let left_out = if all { 0 } else { defaults.len() };
    let shown = set.into_iter().chain(defaults.into_iter().skip(left_out));
    let shown = shown.map(|it| [it.key, it.value, it.from]);
    print_table(&["setting", "value", "from"], shown);
    if left_out > 0 {
        print_line(format!(
            "{left_out} settings have their defaults: `sightline doctor --all` lists them."
        ));
    }
}

fn as_value(loaded: &Loaded, checks: &[Check]) -> serde_json::Value {
    let checks: Vec<_> = checks.iter().map(|it| json!({ "check": it.subject, "state": it.state.name(), "told": it.message, "todo": it.todo })).collect();
    json!({ "settings": loaded.rows(), "checks": checks })
}

const FREE_DISK_SPACE: &str = "Free disk space; Sightline then continues, and no data is lost.";

/// The database, opened once for all checks; `None` if it does not exist yet.
type Opened<'o> = Option<&'o anyhow::Result<DieselStorage>>;

async fn database(settings: &Settings, opened: Opened<'_>) -> Check {
    let subject = "database";
    let shown = settings.database();
    let restore = "Restore a backup: `sightline restore --force FILE` keeps the damaged file in the same directory.";
    let opened = match opened {
        None => {
            return Check::notice(
                subject,
                format!("{shown} does not exist yet"),
                "The first start creates it. If it should exist, check the setting data_dir.",
            );
        }
        Some(Ok(opened)) => opened,
        Some(Err(error)) => {
            let todo = match shown.kind() {
                _ if matches!(error.downcast_ref(), Some(OpenError::Unfinished(_))) => {
                    "Run the same `sightline transfer` again, or set another database."
                }
                DatabaseKind::Sqlite if shown.is_disk_full() => FREE_DISK_SPACE,
                _ if matches!(error.downcast_ref(), Some(OpenError::NotADatabase(_))) => restore,
                DatabaseKind::Sqlite if format!("{error:#}").contains("malformed") => restore,
                DatabaseKind::Sqlite => "Check that the server's user can read and write the file.",
                DatabaseKind::Postgres => {
                    "Check the setting database_url, and that the PostgreSQL server is running."
                }
            };
            return Check::bad(subject, format!("{shown}: {error:#}"), todo);
        }
    };
    match opened.faults().await {
        Ok(faults) if faults.is_empty() => {}
        Ok(faults) => {
            let message = format!("{shown} is damaged: {}", faults.join("; "));
            return Check::bad(subject, message, restore);
        }
        Err(error) => {
            let error = anyhow::Error::from(error);
            return Check::bad(
                subject,
                format!("integrity check of {shown} failed: {error:#}"),
                restore,
            );
        }
    }
    match opened.pending().await {
        Ok(pending) if pending.is_empty() => {
            let state = match (shown.kind(), opened.is_rls_enabled().await) {
                (DatabaseKind::Sqlite, _) => "is intact, schema up to date",
                (DatabaseKind::Postgres, Ok(true)) => {
                    "responds, schema up to date, row-level security enabled"
                }
                (DatabaseKind::Postgres, Ok(false)) => {
                    "responds, schema up to date, row-level security disabled"
                }
                (DatabaseKind::Postgres, Err(_)) => "responds, schema up to date",
            };
            Check::good(subject, format!("{shown} {state}"))
        }
        Ok(pending) => Check::notice(
            subject,
            format!("{shown} responds, {} migration(s) pending", pending.len()),
            "Run `sightline migrate`; an empty database gets its schema at the first start.",
        ),
        Err(error) => Check::bad(
            subject,
            error.to_string(),
            "Use the version of Sightline that migrated the database, or a newer one.",
        ),
    }
}

/// Whether variables that look like settings are ignored.
fn environment(loaded: &Loaded) -> Check {
    let subject = "environment";
    let names = &loaded.service_variables;
    if names.is_empty() {
        return Check::good(
            subject,
            "every environment variable SIGHTLINE_… is a known setting",
        );
    }
    Check::notice(
        subject,
        format!(
            "ignored variables that Kubernetes or Docker set for a service named sightline: {}",
            names.join(", ")
        ),
        "No action is needed. In Kubernetes, `enableServiceLinks: false` in the pod removes them.",
    )
}

/// Whether traffic to the database can be read by others.
fn encryption(settings: &Settings) -> Check {
    let subject = "database encryption";
    let Some(encryption) = settings.database().encryption() else {
        return Check::good(subject, "all connections to the database are local");
    };
    let todo = match encryption {
        Encryption::Tls(TlsCheck::AuthorityAndName) => {
            return Check::good(subject, format!("by the settings, {encryption}"));
        }
        Encryption::Tls(TlsCheck::Authority) => {
            "Set sslmode=verify-full in database_url, unless the certificate has another host name."
        }
        Encryption::Tls(TlsCheck::Nothing) => {
            "Set sslmode=verify-full in database_url, with sslrootcert for a private certificate authority. Without verification the connection is open to a man-in-the-middle attack."
        }
        Encryption::Missing => {
            "Set sslmode=verify-full in database_url, unless the network is trusted."
        }
    };
    Check::notice(subject, format!("by the settings, {encryption}"), todo)
}

/// Refusals of the operator's account, as recorded by servers and workers.
async fn supplier_refusals(opened: Opened<'_>) -> Check {
    let subject = "suppliers' accounts";
    let Some(Ok(opened)) = opened else {
        return Check::notice(subject, WITHOUT_DATABASE, "See the check database.");
    };
    let notes = match notes(opened).await {
        Ok(notes) => notes,
        Err(error) => return unknown_check(subject, error),
    };
    refusal_check(&notes)
}

const WITHOUT_DATABASE: &str = "unknown without a database";

async fn notes(opened: &DieselStorage) -> Result<Vec<ServerNote>, StorageError> {
    opened.read().await?.server_notes().all().await
}

async fn backup(opened: Opened<'_>) -> Check {
    let subject = "last backup";
    let Some(Ok(opened)) = opened else {
        return Check::notice(subject, WITHOUT_DATABASE, "See the check database.");
    };
    let found = async { Ok::<_, StorageError>((notes(opened).await?, opened.now().await?)) };
    let (notes, now) = match found.await {
        Ok(found) => found,
        Err(error) => return unknown_check(subject, error),
    };
    backup_check(&notes, now)
}

/// Whether the key file opens the secrets of the database.
async fn secrets(settings: &Settings, opened: Opened<'_>) -> Check {
    let subject = "secrets";
    let Some(Ok(opened)) = opened else {
        return Check::notice(subject, WITHOUT_DATABASE, "See the check database.");
    };
    let needed = match needed_key_ids(opened).await {
        Ok(found) => found,
        Err(error) => return unknown_check(subject, error),
    };
    let in_file = match keys_in_file(settings) {
        Ok(found) => found,
        Err(error) => {
            let todo = "Restore the file from its copy, with mode 600 and the user of the server.";
            return Check::bad(subject, format!("{error:#}"), todo);
        }
    };
    let missing = first_missing(&needed, in_file.as_deref().unwrap_or_default());
    match (missing, in_file, key_file(settings)) {
        (Some(id), ..) => Check::bad(
            subject,
            format!("the database needs the key {id}, which is in no key file"),
            "Restore the key file from its copy, or restore a backup with --drop-secrets.",
        ),
        (None, Some(_), Some(file)) => Check::good(
            subject,
            format!(
                "{} opens all: keep a copy apart from backups",
                file.display()
            ),
        ),
        (None, _, Some(_)) => Check::good(
            subject,
            "there is no key file yet: the first server creates it",
        ),
        (None, _, None) => Check::notice(
            subject,
            "there is no key file: keys of cursors and device cookies are not sealed",
            "Run `sightline secrets init --out FILE`, and set secrets.key_file on all machines.",
        ),
    }
}

/// Whether the mail server takes messages of this server; none is sent.
async fn mail(settings: &Settings) -> Check {
    let subject = "mail";
    let mailer = match SmtpMailer::new(&settings.mail) {
        Ok(mailer) => mailer,
        Err(error) => {
            return Check::bad(subject, error.to_string(), "Correct the settings mail.*.");
        }
    };
    let Some(mailer) = mailer else {
        return Check::good(
            subject,
            "off: links are shown to be copied; mail.host turns it on",
        );
    };
    match mailer.probe().await {
        Ok(found) => {
            let encrypted = if found.is_encrypted { "TLS" } else { "no TLS" };
            let signed_in = if found.is_signed_in {
                "signed in"
            } else {
                "without login"
            };
            Check::good(
                subject,
                format!(
                    "{} ({}), {encrypted}, {signed_in}",
                    found.server, found.name
                ),
            )
        }
        Err(error) => Check::bad(
            subject,
            error.to_string(),
            "Check mail.host, mail.port, mail.security, mail.username and mail.password_file.",
        ),
    }
}

fn unknown_check(subject: &'static str, error: StorageError) -> Check {
    let error = anyhow::Error::from(error);
    Check::notice(
        subject,
        format!("unknown: {error:#}"),
        "See the check database.",
    )
}

async fn queue(opened: Opened<'_>) -> Check {
    let subject = "queue";
    let Some(Ok(opened)) = opened else {
        return Check::notice(subject, WITHOUT_DATABASE, "See the check database.");
    };
    let figures = async {
        let mut read = opened.read().await?;
        let figures = read.jobs().queue_figures().await?;
        // The database's clock: this machine's may be wrong.
        Ok::<_, StorageError>((figures, opened.now().await?))
    };
    let (figures, now) = match figures.await {
        Ok(found) => found,
        Err(error) => return unknown_check(subject, error),
    };
    queue_check(&figures, now)
}

async fn spending(settings: &Settings, opened: Opened<'_>) -> Check {
    let subject = "spending";
    if paid_sources(settings).is_empty() {
        return Check::good(subject, "no paid supplier is configured");
    }
    let Some(database) = opened else {
        let limits = settings.new_accounts.limits();
        let message = format!("no accounts yet; limits of a new one: {limits}");
        let has_cap = settings.search.most_per_day.is_some();
        return if has_cap || !settings.new_accounts.is_without_budget() {
            Check::good(subject, message)
        } else {
            Check::notice(subject, message, REMEDY)
        };
    };
    let unknown = |reason: String| {
        Check::notice(
            subject,
            format!("spending limits are unknown: {reason}"),
            "Fix the check database first.",
        )
    };
    match database {
        Err(error) => unknown(format!("{error:#}")),
        Ok(database) => match unbounded_spenders(settings, Arc::new(database.clone())).await {
            Ok(None) => Check::good(
                subject,
                "every account has a budget, or all accounts together have a daily cap",
            ),
            Ok(Some(spenders)) => Check::notice(subject, spenders, REMEDY),
            Err(error) => unknown(format!("{:#}", anyhow::Error::from(error))),
        },
    }
}

fn crawler(settings: &Settings) -> Check {
    let subject = "crawler";
    let set = &settings.crawler;
    let networks = set.allow_networks.iter().map(|it| it.0.to_string());
    let resolved = set
        .resolve
        .iter()
        .filter(|it| !is_public(it.0.address.ip()));
    let named = resolved.map(|it| format!("{} for {}", it.0.address, it.0.host));
    let open: Vec<String> = networks.chain(named).collect();
    if open.is_empty() {
        return Check::good(subject, "fetches public addresses only");
    }
    Check::notice(
        subject,
        format!(
            "projects of every account may fetch {} in addition to public addresses",
            open.join(", ")
        ),
        "Check that these networks have no services that accounts must not reach.",
    )
}

const LOOKUP_TIMEOUT: Duration = Duration::from_secs(3);

/// Addresses of this server that projects cannot crawl. Behind NAT or a shared proxy only the operator knows them.
async fn own_addresses(settings: &Settings) -> Check {
    let subject = "own addresses";
    let known = server_addresses(settings);
    let closed = |address: &IpAddr| {
        let mut networks = settings.crawler.deny_networks.iter();
        known.contains(address) || networks.any(|it| it.0.contains(address))
    };
    let host = server_host(settings);
    let mut open = Vec::new();
    if let Some(host) = &host {
        let Ok(Ok(found)) = timeout(LOOKUP_TIMEOUT, lookup_host((host.as_str(), 0))).await else {
            return Check::notice(
                subject,
                format!(
                    "cannot resolve {host}, so the public addresses of this server are unknown"
                ),
                "List the public addresses of this server in crawler.deny_networks.",
            );
        };
        let found = found.map(|it| it.ip().to_canonical());
        open.extend(found.filter(|it| is_public(*it) && !closed(it)));
    }
    open.sort_unstable();
    open.dedup();
    let host = host.unwrap_or_default();
    if !open.is_empty() {
        return Check::notice(
            subject,
            format!(
                "{host} resolves to {}, which is not an address of this machine, and projects may fetch it",
                join_addresses(&open)
            ),
            "If it belongs to this server only (NAT), add it to crawler.deny_networks. If it is shared (a CDN), no action is needed.",
        );
    }
    let is_local = settings.listen.0.ip().is_loopback() && settings.public_base_url.is_none();
    if known.is_empty() && host.is_empty() && !is_local {
        return Check::notice(
            subject,
            "the public addresses of this server are unknown",
            "If it has one (NAT), add it to crawler.deny_networks.",
        );
    }
    if known.is_empty() {
        return Check::good(
            subject,
            "projects can fetch no public address of this server",
        );
    }
    Check::good(
        subject,
        format!("projects cannot fetch {}", join_addresses(&known)),
    )
}

fn join_addresses(addresses: &[IpAddr]) -> String {
    let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    addresses.join(", ")
}

fn sign_in(settings: &Settings) -> Check {
    let subject = "sign-in";
    let base = settings.public_base_url();
    match sign_in_remedy(settings) {
        None => Check::good(subject, format!("sign-in page: {base}/sign-in")),
        Some(remedy) => Check::notice(
            subject,
            format!("sign-in at {base} fails: session cookies require https"),
            remedy,
        ),
    }
}

fn proxies(settings: &Settings) -> Check {
    let subject = "proxies";
    let is_behind_one = settings.public_base_url().starts_with("https://");
    if is_behind_one && settings.trusted_proxies.is_empty() {
        return Check::notice(
            subject,
            "public_base_url is https, so requests come through a proxy, and trusted_proxies is empty: all clients share one rate limit",
            "Set trusted_proxies to the networks of the proxy, and configure the proxy to append the client's address to X-Forwarded-For.",
        );
    }
    if let Some(message) = proxy_without_base_url(settings) {
        return Check::notice(subject, message, SET_BASE_URL);
    }
    Check::good(
        subject,
        match settings.trusted_proxies.len() {
            0 => "no trusted proxies; clients are identified by the address of their connection"
                .to_owned(),
            networks => format!("X-Forwarded-For is accepted from {networks} network(s)"),
        },
    )
}

async fn rendering(settings: &Settings) -> Check {
    let subject = "rendering";
    let (clock, randomness) = system_ports();
    let reader = site_services(settings, &clock, &randomness, None).sites;
    let browser = reader.browser().await;
    let pages = settings.crawler.render_pages.0;
    match (pages, browser) {
        (0, Some(browser)) => Check::good(
            subject,
            format!("audits render no pages (crawler.render_pages is 0); {browser} is available"),
        ),
        (0, None) => Check::good(
            subject,
            "audits render no pages (crawler.render_pages is 0); no browser was found",
        ),
        (pages, Some(browser)) => Check::good(
            subject,
            format!("audits render the first {pages} pages in {browser}"),
        ),
        (pages, None) => Check::new(
            subject,
            CheckState::Notice,
            format!("audits should render {pages} pages, but no browser was found"),
            reader.missing_browser().map(|it| format!("{it}.")),
        ),
    }
}

/// Production uses the profile `dist` with the feature `dist`.
fn build() -> Check {
    let subject = "build";
    let profile = if cfg!(debug_assertions) {
        "dev"
    } else if cfg!(optimized) {
        "dist"
    } else {
        "release"
    };
    let stated = match (profile, cfg!(feature = "dist")) {
        ("dist", true) => return Check::good(subject, "profile dist, for production"),
        ("dist", false) => {
            "profile dist without the feature dist: it uses the system's allocator".to_owned()
        }
        (_, _) => format!("profile {profile}, for development: slower than dist"),
    };
    Check::notice(
        subject,
        stated,
        "For production, build with `cargo build --profile dist --features dist -p cli` and run target/dist/sightline.",
    )
}

/// The year of the first release: an earlier clock is wrong.
const MIN_YEAR: i32 = 2026;

/// Whether the machine's clock is plausible and agrees with the database's.
async fn clock(settings: &Settings, opened: Opened<'_>) -> Check {
    let subject = "clock";
    let (clock, _) = system_ports();
    let now = clock.now();
    let message = now.to_rfc3339_opts(SecondsFormat::Secs, true);
    if now.year() < MIN_YEAR {
        return Check::bad(subject, message, "Set the clock of this machine.");
    }
    // A database that does not respond is reported by another check.
    let Some(Ok(database)) = opened else {
        return Check::good(subject, message);
    };
    let (policy, mut seen) = (queue_policy(&settings.queue), ClockCheck::default());
    match clock_fault(database, clock.as_ref(), &policy, &mut seen).await {
        Ok(Some(ClockFault::Skewed(by) | ClockFault::Stepped(by))) => Check::bad(
            subject,
            format!(
                "{message}, {} s apart from the database's clock",
                by.num_seconds().abs()
            ),
            "Synchronize the clocks of both machines (NTP): workers claim no jobs while they differ.",
        ),
        _ => Check::good(subject, message),
    }
}

fn disk(settings: &Settings) -> Check {
    let subject = "data folder";
    let folder: &Path = &settings.data_dir;
    if settings.database_url.is_some() {
        return Check::good(subject, "not used: database_url is set");
    }
    let shown = folder.display();
    if is_database_missing(settings) && !folder.exists() {
        let message = format!("{shown} does not exist yet");
        return Check::notice(subject, message, "The first start creates it.");
    }
    let file = settings.data_file();
    if let (Ok(true), Err(error)) = (
        file.try_exists(),
        OpenOptions::new().append(true).open(&file),
    ) {
        let message = format!("{}: {error}", file.display());
        let mend = "Give the server's user write permission for the file, for example with chmod 600 and chown.";
        return Check::bad(subject, message, mend);
    }
    // An unnamed file cannot overwrite anything.
    let written = tempfile::tempfile_in(folder).and_then(|mut it| it.write_all(b"ok"));
    match written.and_then(|()| std::fs::metadata(folder)) {
        Ok(about) if about.mode() & 0o077 != 0 => Check::notice(
            subject,
            format!(
                "{shown} is writable, and other users can read it (mode {:o})",
                about.mode() & 0o777
            ),
            format!("chmod 700 {shown}"),
        ),
        Ok(_) => Check::good(subject, format!("{shown} is writable")),
        Err(error) => Check::bad(
            subject,
            format!("{shown}: {error}"),
            match error.kind() {
                ErrorKind::StorageFull => FREE_DISK_SPACE,
                _ => "Set data_dir to a writable directory.",
            },
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ListenAddress, Network};
    use setting::WebAddress;

    fn at(url: &str) -> Settings {
        Settings {
            public_base_url: Some(WebAddress::try_from(url.to_owned()).unwrap()),
            ..Settings::default()
        }
    }

    #[test]
    fn allowed_networks_are_reported_as_open_to_all_accounts() {
        let mut settings = Settings::default();
        assert_eq!(crawler(&settings).state, CheckState::Good);
        settings.crawler.allow_networks = vec![Network("10.0.0.0/8".parse().unwrap())];
        let check = crawler(&settings);
        assert_eq!(check.state, CheckState::Notice);
        assert!(check.message.contains("every account") && check.message.contains("10.0.0.0/8"));
    }

    #[test]
    fn unwritable_database_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings {
            data_dir: folder.path().to_owned(),
            ..Settings::default()
        };
        assert_ne!(disk(&settings).state, CheckState::Bad);
        // A directory cannot be written as a file, not even by root, who ignores modes.
        std::fs::create_dir(settings.data_file()).unwrap();
        let check = disk(&settings);
        assert_eq!(check.state, CheckState::Bad, "{}", check.message);
        assert!(check.message.contains("sightline.db"), "{}", check.message);
    }

    #[tokio::test]
    async fn unknown_own_address_is_reported() {
        let check = own_addresses(&at("https://name.invalid")).await;
        assert_eq!(check.state, CheckState::Notice, "{}", check.message);
        let check = own_addresses(&at("http://localhost:8080")).await;
        assert_eq!(check.state, CheckState::Good, "{}", check.message);
        let mut settings = at("http://93.184.216.34");
        let check = own_addresses(&settings).await;
        assert!(check.message.contains("93.184.216.34"), "{}", check.message);
        settings.public_base_url = None;
        settings.listen = ListenAddress("0.0.0.0:80".parse().unwrap());
        let is_known = !server_addresses(&settings).is_empty();
        let check = own_addresses(&settings).await;
        assert_eq!(
            check.state == CheckState::Good,
            is_known,
            "{}",
            check.message
        );
    }
}
