//! The command line.

use crate::settings::Sources;
use clap::{Args, Parser, Subcommand};
use domain::project_overrides::{SiteClass, SiteRole};
use std::path::PathBuf;

/// Measure how visible websites are in search results and AI answers, and audit their pages.
#[derive(Debug, Parser)]
#[command(name = "sightline", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 success, 1 failure, 2 invalid usage or setting, 3 findings (audit --fail-on).\n\nExamples:\n  sightline                        serve the API and the pages on http://127.0.0.1:8080\n  sightline demo                   create a temporary demo account with results and serve it\n  sightline audit https://example.com --fail-on error"
)]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    /// Command to run [default: serve].
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Clone, Args)]
pub struct Common {
    /// Settings file [default: `sightline.toml` in the working directory, if it exists].
    #[arg(long, global = true, env = "SIGHTLINE_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Database, as `sqlite://PATH` or `postgres://…` [default: `sightline.db` in the data directory].
    #[arg(long, global = true, value_name = "URL")]
    pub database_url: Option<String>,
    /// Data directory. Refused if the settings file or the environment sets `database_url`.
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
}

impl Common {
    pub fn sources(&self, environment: Vec<(String, String)>) -> Sources {
        let text = |value: &str| toml::Value::String(value.to_owned());
        let mut flags = Vec::new();
        flags.extend(
            self.database_url
                .as_deref()
                .map(|url| ("database_url".to_owned(), text(url))),
        );
        let dir = self.data_dir.as_ref().map(|dir| dir.display().to_string());
        flags.extend(dir.map(|dir| ("data_dir".to_owned(), text(&dir))));
        Sources {
            file: self.config.clone(),
            environment,
            flags,
        }
    }
}

#[derive(Debug, Clone, Subcommand)]
pub enum ConfigCommand {
    /// Check the settings of the file, the environment and the command line, and report every mistake.
    #[command(
        after_help = "Examples:\n  sightline config check\n  sightline --config /etc/sightline.toml config check --json\n\nExits with 0 if the settings are valid, else with 2. Before a restart: sightline config check && systemctl restart sightline."
    )]
    Check {
        /// Print JSON: `fine` (boolean) and `mistakes` (array of strings).
        #[arg(long)]
        json: bool,
    },
    /// Show all effective settings with their sources; secrets are hidden.
    #[command(after_help = "Example:\n  sightline config show")]
    Show {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Clone, Subcommand)]
pub enum MailCommand {
    /// Send a test message with the settings mail.*, and print the mail server's reply. Needs no database.
    #[command(after_help = "Example:\n  sightline mail test --to ann@example.com")]
    Test {
        /// E-mail address of the recipient.
        #[arg(long)]
        to: String,
    },
    /// Read a bounce or a complaint from standard input, and send no further messages to its recipient. For the mail
    /// server to call with each message to the bounce address.
    #[command(after_help = "Example:\n  sightline mail bounce < message.eml")]
    Bounce,
}

#[derive(Debug, Clone, Subcommand)]
pub enum SecretsCommand {
    /// Create a key file; needed on PostgreSQL, where every server and worker gets the same file.
    #[command(
        after_help = "Example:\n  sightline secrets init --out /etc/sightline/secrets.key\n\nSet secrets.key_file to the file on every machine, and keep a copy apart from backups: without the key the stored secrets are lost."
    )]
    Init {
        /// File to create, with mode 0600; it must not exist.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Show the keys of the key file and those that the database needs.
    #[command(after_help = "Example:\n  sightline secrets status")]
    Status {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Replace the key, in three steps: --prepare, without an option, --finish.
    #[command(
        after_help = "Examples:\n  sightline secrets rotate --prepare\n  sightline secrets rotate\n  sightline secrets rotate --finish\n\n--prepare adds a new key to the file. Copy the file to all machines; servers read it within 30 s. Then rotate without an option: it wraps all data keys by the new key, and replaces the keys of cursors and device cookies; earlier ones stay valid for 24 hours and 90 days. --finish removes the old keys from the file; backups from before need them."
    )]
    Rotate {
        /// Add a new key to the key file.
        #[arg(long, conflicts_with = "finish")]
        prepare: bool,
        /// Remove all keys but the first from the key file, if nothing in the database needs them.
        #[arg(long)]
        finish: bool,
    },
}

#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Serve the API and the pages, and run analyses in the same process.
    #[command(after_help = "Example:\n  sightline serve --listen 0.0.0.0:8080")]
    Serve(ServeArgs),
    /// Run analyses accepted by other servers on the same PostgreSQL database.
    #[command(after_help = "Example:\n  SIGHTLINE_DATABASE_URL=postgres://… sightline worker")]
    Worker,
    /// Create a temporary account with simulated results and an audit of the built-in example shop, and serve them.
    #[command(after_help = "Example:\n  sightline demo --site https://example.com")]
    Demo(DemoArgs),
    /// Audit one site and print the findings, without an account or a server.
    #[command(
        after_help = "Examples:\n  sightline audit https://example.com --fail-on error\n  sightline audit https://example.com --html report.html\n  sightline audit https://example.com --render 20 --vitals 3\n  sightline audit https://example.com --snapshot example.pages\n  SIGHTLINE_CRAWLER__ALLOW_NETWORKS='[\"127.0.0.0/8\"]' sightline audit http://127.0.0.1:8000/ --json\n\nOnly public addresses are fetched, unless crawler.allow_networks permits others. Pages that robots.txt disallows for the agent sightlinebot are not fetched."
    )]
    Audit(AuditArgs),
    /// Manage accounts.
    #[command(
        subcommand,
        after_help = "Example:\n  sightline account create --email ann@example.com --name Ann"
    )]
    Account(AccountCommand),
    /// Manage API tokens.
    #[command(
        subcommand,
        after_help = "Example:\n  sightline token create --email ann@example.com --name ci --scopes all"
    )]
    Token(TokenCommand),
    /// Manage schedules that start analyses automatically.
    #[command(
        subcommand,
        after_help = "Example:\n  sightline schedule set --email ann@example.com --project 3570000000000000 --type rankCheck --days daily --at 03:00 --zone Europe/Berlin"
    )]
    Schedule(ScheduleCommand),
    /// Manage the competitors of a project.
    #[command(
        subcommand,
        after_help = "Example:\n  sightline competitors add --email ann@example.com --project 3570000000000000 --domain competitor.com"
    )]
    Competitors(CompetitorsCommand),
    /// Manage the own domains of a project and the roles of other domains.
    #[command(
        subcommand,
        after_help = "Example:\n  sightline domains add --email ann@example.com --project 3570000000000000 --domain our-shop.com"
    )]
    Domains(DomainsCommand),
    /// Set brand names that AI answers are searched for.
    #[command(
        subcommand,
        after_help = "Example:\n  sightline brands set --email ann@example.com --project 3570000000000000 --domain kappel.de \"Kappel & Söhne\" Kappel"
    )]
    Brands(BrandsCommand),
    /// List, ignore and reopen the suggestions of a project.
    #[command(
        subcommand,
        after_help = "Example:\n  sightline suggestions list --email ann@example.com --project 3570000000000000"
    )]
    Suggestions(SuggestionsCommand),
    /// Set which AI engines an account queries, and how.
    #[command(
        subcommand,
        after_help = "Examples:\n  sightline models list --email ann@example.com\n  sightline models set --email ann@example.com --engine gemini --active no"
    )]
    Models(ModelsCommand),
    /// Show stored answers of AI engines.
    #[command(
        subcommand,
        after_help = "Example:\n  sightline answers list --email ann@example.com --project 3570000000000000"
    )]
    Answers(AnswersCommand),
    /// Import or fetch the Search Console data of a project.
    #[command(
        subcommand,
        after_help = "Examples:\n  sightline search-console import --email ann@example.com --project 3570000000000000 export.zip\n  sightline search-console bind --email ann@example.com --project 3570000000000000 --property sc-domain:example.com\n  sightline search-console status --email ann@example.com --project 3570000000000000"
    )]
    SearchConsole(SearchConsoleCommand),
    /// Update the schema of the database, or show its status.
    #[command(
        after_help = "Examples:\n  sightline migrate status\n  sightline migrate run --dry-run\n  sightline migrate run\n  sightline migrate enable-rls    # PostgreSQL: enable row-level security"
    )]
    Migrate {
        /// Action; `enable-rls` and `disable-rls` switch row-level security on PostgreSQL.
        #[arg(default_value = "run", value_parser = ["run", "status", "enable-rls", "disable-rls"])]
        action: String,
        /// Print the statements that `run` would execute and an estimate of their duration, and change nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Back up the whole database to a file while servers run.
    #[command(
        after_help = "Examples:\n  sightline backup /backups/sightline-2026-11-23\n  sightline backup --bindir /usr/lib/postgresql/17/bin /backups/today\n\nThe manifest FILE.manifest.json describes the contents: keep both files, and restrict access to them. They contain all data of the database; tokens and passwords only as hashes."
    )]
    Backup(BackupArgs),
    /// Restore a backup to an empty database, or verify a backup.
    #[command(
        after_help = "Examples:\n  sightline restore --verify /backups/sightline-2026-11-23\n  sightline restore --data-dir /var/lib/sightline /backups/sightline-2026-11-23\n\nStop all servers first. A database that contains accounts is replaced only with --force. The old data is kept: a SQLite file, even a damaged one, as ….replaced, ….replaced.2 and so on in the same directory; PostgreSQL tables in the schema sightline_replaced, sightline_replaced_2 and so on."
    )]
    Restore(RestoreArgs),
    /// Shrink a SQLite file: compress uncompressed records of earlier versions and return free space to the file
    /// system.
    #[command(
        after_help = "Example:\n  sightline compact\n\nStop all servers first. Returning free space needs twice the final size of the file on the disk. Without it, SQLite reuses the free space inside the file. The command may be interrupted and run again."
    )]
    Compact {
        /// Print JSON: packedRecords, bytesBefore, bytesAfter, needsBytes.
        #[arg(long)]
        json: bool,
    },
    /// Copy all data from one database to another, SQLite or PostgreSQL.
    #[command(
        after_help = "Examples:\n  sightline transfer --data-dir /var/lib/sightline --to-file /etc/sightline/postgres.url\n  SIGHTLINE_DATABASE_URL=postgres://… sightline transfer --from sqlite:///var/lib/sightline/sightline.db\n\nThe source or the target defaults to the database of the settings. Stop servers and workers on both databases first. The source is not changed; the target must be empty. No server starts on the target before every row was read back and compared. Run the same command again to continue an interrupted transfer. Pass a URL with a password in a file or in SIGHTLINE_DATABASE_URL: other users of the machine can read command lines."
    )]
    Transfer(TransferArgs),
    /// Create and rotate the key that opens the secrets in the database.
    #[command(
        subcommand,
        after_help = "Examples:\n  sightline secrets status\n  sightline secrets init --out /etc/sightline/secrets.key"
    )]
    Secrets(SecretsCommand),
    /// Test the mail settings, or read bounces.
    #[command(
        subcommand,
        after_help = "Examples:\n  sightline mail test --to ann@example.com\n  sightline mail bounce < message.eml"
    )]
    Mail(MailCommand),
    /// Check or show the settings, without opening the database.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Check the settings, the database and all external services, and show the settings.
    #[command(after_help = "Example:\n  sightline doctor --all")]
    Doctor {
        /// Also list settings that have their default values.
        #[arg(long)]
        all: bool,
        /// Print JSON, with all settings.
        #[arg(long)]
        json: bool,
    },
    /// Check whether a server or worker on this machine is ready; exits with 0, or with 1 and the reasons.
    #[command(
        after_help = "Examples:\n  sightline health\n  SIGHTLINE_ADMIN__LISTEN=127.0.0.1:9091 sightline health --live\n\nRequests /readyz, or with --live /livez, from the admin listener (setting admin.listen). Opens no database."
    )]
    Health {
        /// Check liveness only, without the database.
        #[arg(long)]
        live: bool,
    },
    /// Print the OpenAPI document.
    #[command(after_help = "Example:\n  sightline openapi > openapi.json")]
    Openapi,
    /// Run an MCP server on standard input and output that forwards messages to a running Sightline server.
    #[command(
        after_help = "Examples:\n  SIGHTLINE_TOKEN=… sightline mcp\n  sightline mcp --url https://sightline.example.com --token-file ~/.config/sightline/token\n  SIGHTLINE_URL=https://seo.internal SIGHTLINE_TOKEN=… sightline mcp --trust /etc/ssl/internal.pem\n\nThe token comes from SIGHTLINE_TOKEN or --token-file, because other users of the machine can read command lines. No settings and no database are opened. Exits with 2 without a token, and with 0 at the end of the input."
    )]
    Mcp(McpArgs),
}

impl Command {
    /// Whether it opens only the configured database. `backup`, `restore` and `transfer` use two folders, which may
    /// belong to two users.
    #[must_use]
    pub const fn opens_database(&self) -> bool {
        match self {
            Self::Config(_)
            | Self::Health { .. }
            | Self::Openapi
            | Self::Mcp(_)
            | Self::Audit(_)
            | Self::Demo(_)
            | Self::Backup(_)
            | Self::Restore(_)
            | Self::Secrets(SecretsCommand::Init { .. })
            | Self::Mail(MailCommand::Test { .. })
            | Self::Transfer(_) => false,
            Self::Serve(_)
            | Self::Worker
            | Self::Account(_)
            | Self::Token(_)
            | Self::Schedule(_)
            | Self::Competitors(_)
            | Self::Domains(_)
            | Self::Brands(_)
            | Self::Suggestions(_)
            | Self::Models(_)
            | Self::Answers(_)
            | Self::SearchConsole(_)
            | Self::Migrate { .. }
            | Self::Secrets(_)
            | Self::Mail(_)
            | Self::Compact { .. }
            | Self::Doctor { .. } => true,
        }
    }
}

#[derive(Debug, Clone, Args, Default)]
pub struct ServeArgs {
    /// Address and port to listen on [default: the setting listen].
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<String>,
    /// Run no analyses in this process; requires a separate worker.
    #[arg(long)]
    pub no_worker: bool,
}

#[derive(Debug, Clone, Args)]
pub struct McpArgs {
    /// Base URL of the server, without `/mcp`.
    #[arg(
        long,
        value_name = "URL",
        env = "SIGHTLINE_URL",
        default_value = "http://127.0.0.1:8080"
    )]
    pub url: String,
    /// File with the token only; overrides `SIGHTLINE_TOKEN`.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// PEM file of certificate authorities to trust in addition to the public ones.
    #[arg(long, value_name = "FILE", env = "SIGHTLINE_TRUST")]
    pub trust: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub struct DemoArgs {
    /// Site to audit instead of the built-in example shop.
    #[arg(long, value_name = "URL")]
    pub site: Option<String>,
    /// Address and port to listen on [default: the setting listen].
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<String>,
    /// Exit after printing the results instead of serving them.
    #[arg(long)]
    pub once: bool,
}

#[derive(Debug, Clone, Args)]
pub struct AuditArgs {
    /// Start URL.
    pub url: String,
    /// Print JSON: `{url, measuredAt, items, summary}`; the `type` of an item is its result type.
    #[arg(long)]
    pub json: bool,
    /// Write a self-contained HTML report to FILE.
    #[arg(long, value_name = "FILE")]
    pub html: Option<std::path::PathBuf>,
    /// Exit with 3 if there is a finding of this severity or worse.
    #[arg(long, value_name = "SEVERITY", value_parser = ["error", "warning", "notice"])]
    pub fail_on: Option<String>,
    /// Maximum number of pages [default: the setting `crawler.max_pages`].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub max_pages: Option<u32>,
    /// Maximum number of links from the start URL [default: the setting `crawler.max_depth`].
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
    /// Do not check links to other sites.
    #[arg(long)]
    pub internal_only: bool,
    /// Also render the first N pages, or all without N, in Chromium, and report what scripts change.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "10000", value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub render: Option<u32>,
    /// Measure web vitals of the first N pages, or of the first one without N: page loads in Chromium, and field
    /// data if an API key is set.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub vitals: Option<u32>,
    /// Report changes since the audit stored in FILE, and store this audit there.
    #[arg(long, value_name = "FILE")]
    pub snapshot: Option<std::path::PathBuf>,
}

#[derive(Debug, Clone, Subcommand)]
pub enum AccountCommand {
    /// Create an account and its owner.
    #[command(
        after_help = "Example:\n  sightline account create --email ann@example.com --name Ann"
    )]
    Create {
        /// E-mail address of the account's owner.
        #[arg(long)]
        email: String,
        /// Name of the account's owner.
        #[arg(long)]
        name: String,
    },
    /// List all accounts.
    #[command(after_help = "Example:\n  sightline account list --json")]
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Set the quotas and spending limits of an account; omitted ones are not changed.
    #[command(
        after_help = "Example:\n  sightline account limits --email ann@example.com --keywords 50000 --monthly-budget 25.00"
    )]
    Limits(LimitsArgs),
    /// Show the audit log of an account and its tokens, newest first.
    #[command(after_help = "Example:\n  sightline account log --email ann@example.com")]
    Log {
        /// E-mail address of the account's owner.
        #[arg(long)]
        email: String,
        /// Maximum number of entries.
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: u32,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Set the password of a person, read from the first line of standard input. Ends all sessions of the person and
    /// resets the count of failed sign-ins.
    #[command(
        after_help = "Examples:\n  sightline account password --email ann@example.com < password.txt\n  sightline account password --email ann@example.com --revoke-tokens < password.txt"
    )]
    Password {
        /// E-mail address of the account's owner.
        #[arg(long)]
        email: String,
        /// Also revoke all tokens of the account.
        #[arg(long)]
        revoke_tokens: bool,
    },
    /// Print a link with which a person sets a new password: for servers that send no mail. It works once, within 30
    /// minutes.
    #[command(after_help = "Example:\n  sightline account reset-link --email ann@example.com")]
    ResetLink {
        /// E-mail address of the person.
        #[arg(long)]
        email: String,
    },
    /// Let a person use the pages for operators, which show accounts, their limits and usage, but no project.
    #[command(
        after_help = "Examples:\n  sightline account operator --email ann@example.com\n  sightline account operator --email ann@example.com --revoke"
    )]
    Operator {
        /// E-mail address of the person.
        #[arg(long)]
        email: String,
        /// Take the mark away.
        #[arg(long)]
        revoke: bool,
    },
    /// Disable an account: its tokens are refused, its sessions end, its unfinished analyses are canceled, and its
    /// schedules pause.
    #[command(after_help = "Example:\n  sightline account disable --email ann@example.com")]
    Disable {
        /// E-mail address of the account's owner.
        #[arg(long)]
        email: String,
    },
    /// Enable a disabled account.
    #[command(after_help = "Example:\n  sightline account enable --email ann@example.com")]
    Enable {
        /// E-mail address of the account's owner.
        #[arg(long)]
        email: String,
    },
}

#[derive(Debug, Clone, Args)]
pub struct LimitsArgs {
    /// E-mail address of the account's owner.
    #[arg(long)]
    pub email: String,
    /// Maximum number of active projects.
    #[arg(long, value_name = "N")]
    pub projects: Option<u32>,
    /// Maximum number of active keywords.
    #[arg(long, value_name = "N")]
    pub keywords: Option<u32>,
    /// Maximum number of active keywords per project.
    #[arg(long, value_name = "N")]
    pub keywords_per_project: Option<u32>,
    /// Maximum number of active AI-tracked keywords.
    #[arg(long, value_name = "N")]
    pub ai_tracked: Option<u32>,
    /// Maximum number of researched keywords per month.
    #[arg(long, value_name = "N")]
    pub keyword_research: Option<u32>,
    /// Maximum cost of supplier calls per month in US dollars, or `none`.
    #[arg(long, value_name = "USD")]
    pub monthly_budget: Option<String>,
    /// Maximum cost of supplier calls per day (UTC) in US dollars, or `none`.
    #[arg(long, value_name = "USD")]
    pub daily_budget: Option<String>,
}

#[derive(Debug, Clone, Subcommand)]
pub enum TokenCommand {
    /// Create a token and print it; it cannot be printed again.
    #[command(
        after_help = "Example:\n  TOKEN=$(sightline token create --email ann@example.com --name ci --scopes all)"
    )]
    Create {
        /// E-mail address of the account's owner.
        #[arg(long)]
        email: String,
        /// Name of the token.
        #[arg(long)]
        name: String,
        /// Comma-separated scopes, or `all`.
        #[arg(long, default_value = "all")]
        scopes: String,
        /// Lifetime: `1d` to `3650d`, hours as `12h`, or `never` [default: 90d, or the setting
        /// `tokens.max_lifetime_days` if that is less].
        #[arg(long)]
        expires_in: Option<String>,
    },
    /// List the tokens of an account.
    #[command(after_help = "Example:\n  sightline token list --email ann@example.com")]
    List {
        /// E-mail address of the account's owner.
        #[arg(long)]
        email: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Replace a token and print the new one; the old one is accepted during the grace period.
    #[command(
        after_help = "Example:\n  TOKEN=$(sightline token rotate --email ann@example.com --id 3570000000000000 --grace 2h)"
    )]
    Rotate {
        /// E-mail address of the account's owner.
        #[arg(long)]
        email: String,
        /// ID of the token to replace, from `token list`.
        #[arg(long)]
        id: i64,
        /// Grace period of the old token: `0m` to `24h`.
        #[arg(long, default_value = "1h")]
        grace: String,
    },
    /// Revoke a token; the next request with it is refused.
    #[command(
        after_help = "Example:\n  sightline token revoke --email ann@example.com --id 3570000000000000"
    )]
    Revoke {
        /// E-mail address of the account's owner.
        #[arg(long)]
        email: String,
        /// ID of the token, from `token list`.
        #[arg(long)]
        id: i64,
    },
}

#[derive(Debug, Clone, Subcommand)]
pub enum ScheduleCommand {
    /// Start an analysis on a schedule; prints the first run and the cost of 30 days.
    #[command(
        after_help = "Examples:\n  sightline schedule set --email ann@example.com --project 3570000000000000 --type rankCheck --days daily\n  sightline schedule set --email ann@example.com --project 3570000000000000 --type siteAudit --days weekly:monday --at 05:30 --zone Europe/Berlin\n  sightline schedule set --email ann@example.com --project 3570000000000000 --type webVitals --days monthly:1 --dry-run\n\nEach schedule starts up to 30 minutes late, always by the same offset, to spread the load. Runs that were missed while no worker ran are run once."
    )]
    Set {
        #[command(flatten)]
        analysis: ScheduledAnalysis,
        /// Days: `daily`, `weekly:monday` to `weekly:sunday`, or `monthly:1` to `monthly:28`.
        #[arg(long)]
        days: String,
        /// Time of day, as HH:MM.
        #[arg(long, default_value = "03:00")]
        at: String,
        /// Time zone of the time of day.
        #[arg(long, default_value = "UTC")]
        zone: String,
        /// Print the number of runs and their cost, and change nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// List the schedules of an account.
    #[command(after_help = "Example:\n  sightline schedule list --email ann@example.com")]
    List {
        /// E-mail address of the account's owner.
        #[arg(long)]
        email: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Remove the schedule of an analysis.
    #[command(
        after_help = "Example:\n  sightline schedule remove --email ann@example.com --project 3570000000000000 --type rankCheck"
    )]
    Remove {
        #[command(flatten)]
        analysis: ScheduledAnalysis,
    },
}

#[derive(Debug, Clone, Subcommand)]
pub enum SearchConsoleCommand {
    /// Import exports of the performance report: an archive, or CSV files. Imports all rows of all files, or none.
    #[command(
        after_help = "Examples:\n  sightline search-console import --email ann@example.com --project 3570000000000000 example.com-Performance-on-Search.zip\n  sightline search-console import --email ann@example.com --project 3570000000000000 --from 2026-08-20 --to 2026-11-19 Queries.csv Pages.csv\n  sightline search-console import --email ann@example.com --project 3570000000000000 --from 2026-11-01 --to 2026-11-19 --page https://example.com/shoes Queries.csv\n\nAccepts exports in any language of the interface, with commas, semicolons or tabs, in UTF-8 or UTF-16, and files of other tools with columns for queries, pages and days. Importing the same days again replaces their rows."
    )]
    Import {
        #[command(flatten)]
        project_args: ProjectArgs,
        /// First day of the report, if no column has days.
        #[arg(long, value_name = "DAY")]
        from: Option<chrono::NaiveDate>,
        /// Last day of the report, if no column has days.
        #[arg(long, value_name = "DAY")]
        to: Option<chrono::NaiveDate>,
        /// Page filter of the report.
        #[arg(long, value_name = "URL")]
        page: Option<String>,
        /// Exported archive, or CSV files.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Fetch a Search Console property once a day; the service account of the settings needs read access to it.
    #[command(
        after_help = "Example:\n  sightline search-console bind --email ann@example.com --project 3570000000000000 --property sc-domain:example.com\n\nThe property must belong to the project's domain. Only operators may bind properties, because the service account may have access to properties of several owners."
    )]
    Bind {
        #[command(flatten)]
        project_args: ProjectArgs,
        /// Property, as `sc-domain:example.com` or `https://www.example.com/`.
        #[arg(long)]
        property: String,
    },
    /// Stop fetching the property; stored rows are kept.
    #[command(
        after_help = "Example:\n  sightline search-console unbind --email ann@example.com --project 3570000000000000"
    )]
    Unbind {
        #[command(flatten)]
        project_args: ProjectArgs,
    },
    /// Fetch all final days that are not stored yet, or the given days.
    #[command(
        after_help = "Examples:\n  sightline search-console fetch --email ann@example.com --project 3570000000000000\n  sightline search-console fetch --email ann@example.com --project 3570000000000000 --from 2026-01-01 --to 2026-03-31"
    )]
    Fetch {
        #[command(flatten)]
        project_args: ProjectArgs,
        /// First day to fetch.
        #[arg(long, value_name = "DAY")]
        from: Option<chrono::NaiveDate>,
        /// Last day to fetch.
        #[arg(long, value_name = "DAY")]
        to: Option<chrono::NaiveDate>,
    },
    /// List the queries and pages with the most impressions in recent weeks, all countries and devices combined.
    #[command(
        after_help = "Examples:\n  sightline search-console rows --email ann@example.com --project 3570000000000000\n  sightline search-console rows --email ann@example.com --project 3570000000000000 --limit 1000 --json"
    )]
    Rows {
        #[command(flatten)]
        project_args: ProjectArgs,
        /// Maximum number of rows.
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=50_000))]
        limit: u32,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show the stored data and the state of fetching.
    #[command(
        after_help = "Example:\n  sightline search-console status --email ann@example.com --project 3570000000000000 --json"
    )]
    Status(ListArgs),
}

#[derive(Debug, Clone, Args)]
pub struct ScheduledAnalysis {
    #[command(flatten)]
    pub project_args: ProjectArgs,
    /// Analysis: `rankCheck`, `aiVisibility`, `siteAudit` or `webVitals`.
    #[arg(long = "type")]
    pub kind: String,
}

/// A project, and the form of what is printed about it.
#[derive(Debug, Clone, Args)]
pub struct ListArgs {
    #[command(flatten)]
    pub project_args: ProjectArgs,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Args)]
pub struct ProjectArgs {
    /// E-mail address of the account's owner.
    #[arg(long)]
    pub email: String,
    /// ID of the project.
    #[arg(long)]
    pub project: i64,
}

#[derive(Debug, Clone, Subcommand)]
pub enum CompetitorsCommand {
    /// Add a competitor.
    #[command(
        after_help = "Examples:\n  sightline competitors add --email ann@example.com --project 3570000000000000 --domain competitor.com\n  sightline competitors add --email ann@example.com --project 3570000000000000 --domain market.com --class marketplace\n\nThe registrable domain is stored, and replaces an earlier entry of the same domain. The next rank check tracks the competitor and reports sovTracked for it."
    )]
    Add {
        #[command(flatten)]
        project_args: ProjectArgs,
        /// Domain name of the competitor.
        #[arg(long)]
        domain: String,
        /// Kind of website.
        #[arg(long, value_parser = SiteClass::NAMES)]
        class: Option<String>,
    },
    /// List the competitors that were added.
    #[command(
        after_help = "Example:\n  sightline competitors list --email ann@example.com --project 3570000000000000"
    )]
    List(ListArgs),
    /// Remove a competitor.
    #[command(
        after_help = "Example:\n  sightline competitors remove --email ann@example.com --project 3570000000000000 --domain competitor.com"
    )]
    Remove {
        #[command(flatten)]
        project_args: ProjectArgs,
        /// Domain name of the competitor.
        #[arg(long)]
        domain: String,
    },
}

#[derive(Debug, Clone, Subcommand)]
pub enum DomainsCommand {
    /// Add an own domain, or set the role of another domain.
    #[command(
        after_help = "Examples:\n  sightline domains add --email ann@example.com --project 3570000000000000 --domain our-shop.com\n  sightline domains add --email ann@example.com --project 3570000000000000 --domain reviews.com --role other --class directory\n\nThe registrable domain is stored, and replaces an earlier entry of the same domain. From the next rank check on, positions of own domains count as own in shares of voice. A domain with the role other is not a competitor."
    )]
    Add {
        #[command(flatten)]
        project_args: ProjectArgs,
        /// Domain name.
        #[arg(long)]
        domain: String,
        /// Role of the domain.
        #[arg(long, default_value = "own", value_parser = SiteRole::NAMES)]
        role: String,
        /// Kind of website.
        #[arg(long, value_parser = SiteClass::NAMES)]
        class: Option<String>,
    },
    /// List the domains with a role: own domains, competitors and others.
    #[command(
        after_help = "Example:\n  sightline domains list --email ann@example.com --project 3570000000000000"
    )]
    List(ListArgs),
    /// Remove the role of a domain.
    #[command(
        after_help = "Example:\n  sightline domains remove --email ann@example.com --project 3570000000000000 --domain our-shop.com"
    )]
    Remove {
        #[command(flatten)]
        project_args: ProjectArgs,
        /// Domain name.
        #[arg(long)]
        domain: String,
    },
}

#[derive(Debug, Clone, Subcommand)]
pub enum BrandsCommand {
    /// Set the brand names of the project or of a competitor; without NAME, remove them.
    #[command(
        after_help = "Examples:\n  sightline brands set --email ann@example.com --project 3570000000000000 --domain kappel.de \"Kappel & Söhne\" Kappel\n  sightline brands set --email ann@example.com --project 3570000000000000 --domain anker.com --common-word yes Anker\n\nThe first name is the display name. Needed where a brand is not recognized by its domain name. New answers of AI engines are searched for the names, and stored answers again."
    )]
    Set {
        #[command(flatten)]
        project_args: ProjectArgs,
        /// Domain name of the project or of a competitor.
        #[arg(long)]
        domain: String,
        /// Whether the name is also a common word [default: decided by lists of common words].
        #[arg(long, value_parser = ["yes", "no"])]
        common_word: Option<String>,
        /// Brand names.
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
}

#[derive(Debug, Clone, Subcommand)]
pub enum SuggestionsCommand {
    /// List the open suggestions of the newest analyses, by priority.
    #[command(
        after_help = "Examples:\n  sightline suggestions list --email ann@example.com --project 3570000000000000\n  sightline suggestions list --email ann@example.com --project 3570000000000000 --all --json"
    )]
    List {
        #[command(flatten)]
        project_args: ProjectArgs,
        /// Include fixed and ignored suggestions, with reasons.
        #[arg(long)]
        all: bool,
        /// Print JSON: `items`, the records of the results API, and `ignored`.
        #[arg(long)]
        json: bool,
    },
    /// Ignore a suggestion; the next analysis reports it as ignored.
    #[command(
        after_help = "Example:\n  sightline suggestions ignore --email ann@example.com --project 3570000000000000 --id 4b1f0c9d2e7a6538 --reason \"the page goes in May\""
    )]
    Ignore {
        #[command(flatten)]
        project_args: ProjectArgs,
        /// ID of the suggestion.
        #[arg(long)]
        id: String,
        /// Reason to show in lists.
        #[arg(long)]
        reason: Option<String>,
    },
    /// Reopen an ignored suggestion.
    #[command(
        after_help = "Example:\n  sightline suggestions reopen --email ann@example.com --project 3570000000000000 --id 4b1f0c9d2e7a6538"
    )]
    Reopen {
        #[command(flatten)]
        project_args: ProjectArgs,
        /// ID of the suggestion.
        #[arg(long)]
        id: String,
    },
}

#[derive(Debug, Clone, Subcommand)]
pub enum ModelsCommand {
    /// List the AI engines, the account's settings for them, and the maximum cost of an answer.
    #[command(after_help = "Example:\n  sightline models list --email ann@example.com --json")]
    List {
        /// E-mail address of the account's owner.
        #[arg(long)]
        email: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Set how an engine is queried; omitted options are not changed.
    #[command(
        after_help = "Examples:\n  sightline models set --email ann@example.com --engine chatgpt --samples 5 --prompts 3\n  sightline models set --email ann@example.com --engine gemini --active no\n  sightline models set --email ann@example.com --engine perplexity --country de --language de --weight 2"
    )]
    Set(ModelArgs),
}

#[derive(Debug, Clone, Args)]
pub struct ModelArgs {
    /// E-mail address of the account's owner.
    #[arg(long)]
    pub email: String,
    /// Name of the engine, from `models list`.
    #[arg(long)]
    pub engine: String,
    /// Whether the engine is queried.
    #[arg(long, value_parser = ["yes", "no"])]
    pub active: Option<String>,
    /// Number of answers to each prompt per run, 3 to 20.
    #[arg(long, value_name = "N")]
    pub samples: Option<u32>,
    /// Maximum number of prompts per keyword, 1 to 6.
    #[arg(long, value_name = "N")]
    pub prompts: Option<u32>,
    /// Country of the queries (ISO 3166-1 code), or `keyword` for that of the keyword.
    #[arg(long)]
    pub country: Option<String>,
    /// Language of the prompts (ISO 639-1 code), or `keyword` for that of the keyword.
    #[arg(long)]
    pub language: Option<String>,
    /// Whether the engine searches the web; some engines always do, others never.
    #[arg(long, value_parser = ["yes", "no"])]
    pub web_search: Option<String>,
    /// Weight of the engine in figures over all engines, 0 to 100.
    #[arg(long)]
    pub weight: Option<f64>,
}

#[derive(Debug, Clone, Subcommand)]
pub enum AnswersCommand {
    /// List stored answers, newest first.
    #[command(
        after_help = "Examples:\n  sightline answers list --email ann@example.com --project 3570000000000000\n  sightline answers list --email ann@example.com --project 3570000000000000 --keyword 3570000000000001 --engine gemini"
    )]
    List {
        #[command(flatten)]
        project_args: ProjectArgs,
        /// Only answers about the keyword.
        #[arg(long, value_name = "ID")]
        keyword: Option<i64>,
        /// Only answers of the engine.
        #[arg(long)]
        engine: Option<String>,
        /// Only answers of the analysis.
        #[arg(long, value_name = "ID")]
        job: Option<i64>,
        /// Only answers older than the answer.
        #[arg(long, value_name = "ID")]
        before: Option<i64>,
        /// Maximum number of answers.
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=200))]
        limit: u32,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show one answer with its brands and cited pages marked.
    #[command(
        after_help = "Examples:\n  sightline answers show --email ann@example.com --project 3570000000000000 --id 3570000000000002\n  sightline answers show --email ann@example.com --project 3570000000000000 --id 3570000000000002 --html > answer.html"
    )]
    Show {
        #[command(flatten)]
        project_args: ProjectArgs,
        /// ID of the answer.
        #[arg(long)]
        id: i64,
        /// Print JSON; marks are character offsets in `text`.
        #[arg(long, conflicts_with = "html")]
        json: bool,
        /// Print a static HTML page.
        #[arg(long)]
        html: bool,
    },
}

#[derive(Debug, Clone, clap::Args)]
pub struct BackupArgs {
    /// File to create; it must not exist.
    pub file: PathBuf,
    /// Directory of `pg_dump` [default: the newest in /usr/lib/postgresql, else the PATH].
    #[arg(long, value_name = "DIR")]
    pub bindir: Option<PathBuf>,
    /// Print the manifest as JSON.
    #[arg(long)]
    pub json: bool,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
#[derive(Debug, Clone, clap::Args)]
pub struct RestoreArgs {
    /// Backup file; its manifest must be in the same directory.
    pub file: PathBuf,
    /// Read and check the whole backup, and change nothing.
    #[arg(long)]
    pub verify: bool,
    /// Replace a database that contains accounts; the old data is kept.
    #[arg(long, conflicts_with = "verify")]
    pub force: bool,
    /// Delete the secrets that the key file does not open.
    #[arg(long, conflicts_with = "verify")]
    pub drop_secrets: bool,
    /// Directory of `pg_restore` [default: the newest in /usr/lib/postgresql, else the PATH].
    #[arg(long, value_name = "DIR")]
    pub bindir: Option<PathBuf>,
    /// Print the manifest as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, clap::Args)]
pub struct TransferArgs {
    /// Source database, as `sqlite://PATH` or `postgres://…` [default: the database of the settings].
    #[arg(long, value_name = "URL", conflicts_with = "from_file")]
    pub from: Option<String>,
    /// File with the URL of the source only.
    #[arg(long, value_name = "FILE")]
    pub from_file: Option<PathBuf>,
    /// Target database [default: the database of the settings].
    #[arg(long, value_name = "URL", conflicts_with = "to_file")]
    pub to: Option<String>,
    /// File with the URL of the target only.
    #[arg(long, value_name = "FILE")]
    pub to_file: Option<PathBuf>,
    /// Print every table with its number of rows and its checksum as JSON.
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::{audit, override_listen};
    use crate::settings::{Loaded, Settings};
    use clap::CommandFactory;
    use clap::builder::PossibleValue;
    use std::collections::BTreeSet;

    /// A command line, the variable of the same setting, its value, and how the effective value is read.
    type Row = (&'static [&'static str], &'static str, &'static str, Read);
    type Read = fn(&Cli, Settings) -> String;

    /// Every flag with a variable; the flag sets `2`, the variable `1`.
    const FLAGS_WITH_VARIABLE: [Row; 8] = [
        (
            &["--database-url", "sqlite://2"],
            "SIGHTLINE_DATABASE_URL",
            "sqlite://1",
            |_, set| set.database().to_string(),
        ),
        (&["--data-dir", "2"], "SIGHTLINE_DATA_DIR", "1", |_, set| {
            set.data_dir.display().to_string()
        }),
        (
            &["serve", "--listen", "127.0.0.1:2"],
            "SIGHTLINE_LISTEN",
            "127.0.0.1:1",
            effective_listen,
        ),
        (
            &["demo", "--listen", "127.0.0.1:2"],
            "SIGHTLINE_LISTEN",
            "127.0.0.1:1",
            effective_listen,
        ),
        (
            &["audit", "--max-pages", "2", "a.example"],
            "SIGHTLINE_CRAWLER__MAX_PAGES",
            "1",
            |cli, set| planned_crawl(cli, &set).max_pages.to_string(),
        ),
        (
            &["audit", "--max-depth", "2", "a.example"],
            "SIGHTLINE_CRAWLER__MAX_DEPTH",
            "1",
            |cli, set| planned_crawl(cli, &set).max_depth.to_string(),
        ),
        (
            &["audit", "--render", "2", "a.example"],
            "SIGHTLINE_CRAWLER__RENDER_PAGES",
            "1",
            |cli, set| format!("{:?}", planned_crawl(cli, &set).render),
        ),
        (
            &["audit", "--internal-only", "a.example"],
            "SIGHTLINE_CRAWLER__CHECK_EXTERNAL",
            "true",
            |cli, set| {
                let external = planned_crawl(cli, &set).check_external;
                String::from(if external { "1" } else { "2" })
            },
        ),
    ];

    /// Variables that the parser reads itself.
    const PARSER_VARIABLES: [(&str, &str); 3] = [
        ("config", "SIGHTLINE_CONFIG"),
        ("url", "SIGHTLINE_URL"),
        ("trust", "SIGHTLINE_TRUST"),
    ];

    /// Flags that share the last part of a setting's name but mean something else.
    const UNRELATED_FLAGS: [&str; 9] = [
        "engine",
        "from",
        "projects",
        "keywords",
        "keywords-per-project",
        "ai-tracked",
        "keyword-research",
        "monthly-budget",
        "daily-budget",
    ];

    fn effective_listen(cli: &Cli, mut set: Settings) -> String {
        let flag = match &cli.command {
            Some(Command::Serve(args)) => args.listen.as_deref(),
            Some(Command::Demo(args)) => args.listen.as_deref(),
            _ => None,
        };
        override_listen(&mut set, flag).unwrap();
        set.listen.0.to_string()
    }

    fn planned_crawl(cli: &Cli, set: &Settings) -> domain::ports::site_reader::CrawlPlan {
        let Some(Command::Audit(args)) = &cli.command else {
            panic!("another command");
        };
        audit::plan(args, set, args.url.clone())
    }

    fn parsed(line: &[&str]) -> Cli {
        Cli::try_parse_from([&["sightline"], line].concat()).unwrap()
    }

    fn loaded(cli: &Cli, variable: &str, value: &str) -> Loaded {
        let environment = vec![(variable.to_owned(), value.to_owned())];
        cli.common.sources(environment).load().unwrap()
    }

    #[test]
    fn flags_override_their_variables() {
        for (line, variable, value, read) in FLAGS_WITH_VARIABLE {
            let cli = parsed(line);
            let effective = read(&cli, loaded(&cli, variable, value).settings);
            assert!(effective.contains('2'), "{line:?}: {effective}");
            assert!(!effective.ends_with('1'), "{line:?}: {effective}");
        }
    }

    #[test]
    fn every_flag_with_a_variable_is_in_the_table() {
        let keys = loaded(&parsed(&[]), "HOME", "/home/ann").rows();
        let is_setting = |flag: &str| {
            let name = flag.replace('-', "_");
            keys.iter()
                .any(|it| it.key.rsplit('.').next() == Some(&name))
        };
        let mut commands = vec![Cli::command()];
        let mut seen = 0;
        while let Some(command) = commands.pop() {
            for argument in command.get_arguments() {
                let Some(flag) = argument.get_long() else {
                    continue;
                };
                seen += 1;
                let variable = argument.get_env().map(|it| it.to_str().unwrap());
                let by_parser = PARSER_VARIABLES.iter().find(|it| Some(it.1) == variable);
                assert_eq!(by_parser.map(|it| it.0), variable.map(|_| flag));
                let long = format!("--{flag}");
                let is_above = FLAGS_WITH_VARIABLE.iter().any(|it| it.0.contains(&&*long));
                let is_known = is_above || UNRELATED_FLAGS.contains(&flag) || variable.is_some();
                assert!(
                    is_known || !is_setting(flag),
                    "{} {long}",
                    command.get_name()
                );
            }
            commands.extend(command.get_subcommands().cloned());
        }
        assert!(seen > 50, "{seen}");
    }

    fn commands_document() -> String {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/reference/commands.md"
        );
        std::fs::read_to_string(path).unwrap()
    }

    /// The command with its arguments or its subcommands, as people type it.
    fn usage(command: &clap::Command) -> String {
        let mut words = vec!["sightline".to_owned(), command.get_name().to_owned()];
        for argument in command.get_positionals() {
            let names = argument.get_value_names().unwrap_or_default();
            let values = argument.get_possible_values();
            let values: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
            words.push(if argument.is_required_set() {
                names.join(" ")
            } else {
                format!("[{}]", values.join("\\|"))
            });
        }
        let below: Vec<&str> = { command.get_subcommands() }
            .map(clap::Command::get_name)
            .collect();
        words.extend((!below.is_empty()).then(|| below.join("\\|")));
        words.join(" ")
    }

    #[test]
    fn the_document_lists_the_commands_of_the_help() {
        let cli = Cli::command();
        let rows: Vec<String> = { cli.get_subcommands() }
            .map(|it| format!("| `{}` | {} |", usage(it), it.get_about().unwrap()))
            .collect();
        let rows = rows.join("\n");
        let document = commands_document();
        assert!(
            document.contains(&rows),
            "docs/reference/commands.md lacks this table:\n{rows}"
        );
    }

    /// The options of a command and of those below it, without those of all commands.
    fn options(command: &clap::Command) -> BTreeSet<String> {
        let shared = [
            "help",
            "version",
            "json",
            "config",
            "database-url",
            "data-dir",
        ];
        let own = { command.get_arguments() }
            .filter_map(clap::Arg::get_long)
            .filter(|it| !shared.contains(it))
            .map(str::to_owned);
        let below = command.get_subcommands().flat_map(options);
        own.chain(below).collect()
    }

    #[test]
    fn the_document_has_each_option_in_the_section_of_its_command() {
        let (document, cli) = (commands_document(), Cli::command());
        let mut described = 0;
        for section in document.split("\n## ").skip(1) {
            let (title, text) = section.split_once('\n').unwrap();
            let known: BTreeSet<String> = { cli.get_subcommands() }
                .filter(|it| title.split(", ").any(|name| name == it.get_name()))
                .inspect(|_| described += 1)
                .flat_map(options)
                .collect();
            if known.is_empty() {
                continue;
            }
            let named = { text.split("--").skip(1) }
                .map(|it| it.split(|c: char| !c.is_ascii_alphanumeric() && c != '-'))
                .map(|mut it| it.next().unwrap_or_default().to_owned())
                .filter(|it| it.starts_with(char::is_alphabetic) && it != "json");
            assert_eq!(named.collect::<BTreeSet<_>>(), known, "{title}");
        }
        assert_eq!(described, cli.get_subcommands().count());
    }
}
