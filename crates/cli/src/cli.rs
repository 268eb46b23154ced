//! The command line.

use crate::settings::Sources;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// How visible are your websites? In search results, in AI answers, and to their visitors.
#[derive(Debug, Parser)]
#[command(name = "sightline", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done, 1 failed, 2 wrong usage or an unknown setting, 3 findings (audit --fail-on).\n\nExamples:\n  sightline                        serve on http://127.0.0.1:8080\n  sightline demo                   a throw-away account with results to look at\n  sightline audit https://example.com --fail-on error"
)]
pub struct Cli {
    /// What every command takes.
    #[command(flatten)]
    pub common: Common,
    /// What to do; `serve` when left out.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// The settings file (else `sightline.toml` here, if there is one).
    #[arg(long, global = true, env = "SIGHTLINE_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// `sqlite://PATH` or `postgres://…`.
    #[arg(long, global = true, value_name = "URL")]
    pub database_url: Option<String>,
    /// Where data is kept. Refused beside a database that the file or the environment names.
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

/// What can be done with settings.
#[derive(Debug, Clone, Subcommand)]
pub enum ConfigCommand {
    /// Tell every mistake in the file, the environment and the flags at once.
    #[command(
        after_help = "Examples:\n  sightline config check\n  sightline --config /etc/sightline.toml config check --json\n\nEnds with 0 when all is fine, else with 2: before a restart, `sightline config check && systemctl restart sightline`."
    )]
    Check {
        /// As JSON: `fine`, and `mistakes` as texts.
        #[arg(long)]
        json: bool,
    },
    /// Show every effective setting, and where it comes from; secrets are hidden.
    #[command(after_help = "Example:\n  sightline config show")]
    Show {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
}

/// What can be done.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Serve the API and, unless told otherwise, work.
    #[command(after_help = "Example:\n  sightline serve --listen 0.0.0.0:8080")]
    Serve(ServeArgs),
    /// Work only: run analyses that servers on the same PostgreSQL accept.
    #[command(after_help = "Example:\n  SIGHTLINE_DATABASE_URL=postgres://… sightline worker")]
    Worker,
    /// Show it at once: a throw-away account, a rank check on a simulated market, a site audit of real
    /// pages, a token to try.
    #[command(after_help = "Example:\n  sightline demo --site https://example.com")]
    Demo(DemoArgs),
    /// Audit one site in the terminal: no account, no server.
    #[command(
        after_help = "Examples:\n  sightline audit https://example.com --fail-on error\n  sightline audit https://example.com --html report.html\n  sightline audit https://example.com --render 20 --vitals 3\n  sightline audit https://example.com --keep example.pages\n  SIGHTLINE_CRAWLER__ALLOW_NETWORKS='[\"127.0.0.0/8\"]' sightline audit http://127.0.0.1:8000/ --json\n\nOnly public addresses are read unless crawler.allow_networks opens others. What robots.txt forbids the agent sightlinebot is not read."
    )]
    Audit(AuditArgs),
    /// Accounts.
    #[command(
        subcommand,
        after_help = "Example:\n  sightline account create --email ann@example.com --name Ann"
    )]
    Account(AccountCommand),
    /// API tokens.
    #[command(
        subcommand,
        after_help = "Example:\n  sightline token create --email ann@example.com --name ci --scopes all"
    )]
    Token(TokenCommand),
    /// Analyses that are started by themselves, again and again.
    #[command(
        subcommand,
        after_help = "Example:\n  sightline schedule set --email ann@example.com --project 3570000000000000 --type rankCheck --days daily --at 03:00 --zone Europe/Berlin"
    )]
    Schedule(ScheduleCommand),
    /// Name rivals and further own sites of a project.
    #[command(
        subcommand,
        after_help = "Example:\n  sightline sites name --email ann@example.com --project 3570000000000000 --domain rival.com --as competitor"
    )]
    Sites(SitesCommand),
    /// List what there is to do, and say which suggestions are not wanted.
    #[command(
        subcommand,
        after_help = "Example:\n  sightline suggestions list --email ann@example.com --project 3570000000000000"
    )]
    Suggestions(SuggestionsCommand),
    /// Say which AI engines are asked, and how.
    #[command(
        subcommand,
        after_help = "Examples:\n  sightline models list --email ann@example.com\n  sightline models set --email ann@example.com --engine gemini --active no"
    )]
    Models(ModelsCommand),
    /// Read what AI engines answered.
    #[command(
        subcommand,
        after_help = "Example:\n  sightline answers list --email ann@example.com --project 3570000000000000"
    )]
    Answers(AnswersCommand),
    /// Clicks, impressions and positions of the project's own Search Console.
    #[command(
        subcommand,
        after_help = "Examples:\n  sightline search-console import --email ann@example.com --project 3570000000000000 export.zip\n  sightline search-console bind --email ann@example.com --project 3570000000000000 --property sc-domain:example.com\n  sightline search-console status --email ann@example.com --project 3570000000000000"
    )]
    SearchConsole(SearchConsoleCommand),
    /// Bring the database's schema up to date, or tell how it stands.
    #[command(
        after_help = "Examples:\n  sightline migrate status\n  sightline migrate run --dry-run\n  sightline migrate run\n  sightline migrate wall-up    # PostgreSQL: row-level security before every account's rows"
    )]
    Migrate {
        /// `run` (the default), `status`, or, for PostgreSQL's row-level security, `wall-up` or
        /// `wall-down`.
        #[arg(default_value = "run", value_parser = ["run", "status", "wall-up", "wall-down"])]
        action: String,
        /// Only tell what `run` would do, statement by statement, and about how long where a table is read or written.
        #[arg(long)]
        dry_run: bool,
    },
    /// Take a backup of the whole database into a file, while servers run.
    #[command(
        after_help = "Examples:\n  sightline backup /backups/sightline-2026-11-23\n  sightline backup --programs /usr/lib/postgresql/17/bin /backups/today\n\nBeside the file lies FILE.manifest.json, which says what is in it: keep both. They hold everything that the database holds, so nobody else may read them. Tokens and passwords are in it as hashes alone."
    )]
    Backup(BackupArgs),
    /// Put a backup in the place of an empty database, or look whether it is whole.
    #[command(
        after_help = "Examples:\n  sightline restore --verify /backups/sightline-2026-11-23\n  sightline restore --data-dir /var/lib/sightline /backups/sightline-2026-11-23\n\nServers have to be stopped. Without --force a database that holds accounts is left alone; with it what is there is kept: SQLite's file, even a wreck, beside as ….replaced, ….replaced.2 and so on, and PostgreSQL's tables in the schema sightline_replaced, sightline_replaced_2 and so on."
    )]
    Restore(RestoreArgs),
    /// Make SQLite's file smaller: compress records that earlier versions left as they were, and give free space
    /// back to the disk.
    #[command(
        after_help = "Example:\n  sightline compact\n\nServers have to be stopped. Giving space back takes twice as much room on the disk as the file has afterwards; without it, free space inside of the file is used before the file grows. It may be interrupted, and run again."
    )]
    Compact {
        /// As JSON: packedRecords, bytesBefore, bytesAfter, needsBytes.
        #[arg(long)]
        json: bool,
    },
    /// Copy everything from one database to another: SQLite to PostgreSQL, and back.
    #[command(
        after_help = "Examples:\n  sightline transfer --data-dir /var/lib/sightline --to-file /etc/sightline/postgres.url\n  SIGHTLINE_DATABASE_URL=postgres://… sightline transfer --from sqlite:///var/lib/sightline/sightline.db\n\nThe end that is not named is the database of the settings. Stop servers and workers on both first. The source is only read; the target has to be empty, and no server starts on it before every row was read back and compared. A transfer that was interrupted goes on when the same command is run again. Write a URL with a password into a file or SIGHTLINE_DATABASE_URL: others on the machine can read command lines."
    )]
    Transfer(TransferArgs),
    /// Check or show settings; nothing else is opened.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Check what Sightline needs, and show what is set.
    #[command(after_help = "Example:\n  sightline doctor --all")]
    Doctor {
        /// Settings that have their defaults, too.
        #[arg(long)]
        all: bool,
        /// As JSON, with every setting.
        #[arg(long)]
        json: bool,
    },
    /// Ask a server or worker on this machine whether it is ready: ends with 0, or with 1 and the reasons.
    #[command(
        after_help = "Examples:\n  sightline health\n  SIGHTLINE_ADMIN__LISTEN=127.0.0.1:9091 sightline health --live\n\nIt asks the admin listener (the setting admin.listen) for /readyz, or with --live for /livez. No database is opened."
    )]
    Health {
        /// Ask only whether it takes up work, and nothing of its database.
        #[arg(long)]
        live: bool,
    },
    /// Print the OpenAPI document.
    #[command(after_help = "Example:\n  sightline openapi > openapi.json")]
    Openapi,
    /// Speak MCP on standard input and output, for assistants that start a program: messages go to a
    /// running server, and its answers come back.
    #[command(
        after_help = "Examples:\n  SIGHTLINE_TOKEN=… sightline mcp\n  sightline mcp --url https://sightline.example.com --token-file ~/.config/sightline/token\n  SIGHTLINE_URL=https://seo.internal SIGHTLINE_TOKEN=… sightline mcp --trust /etc/ssl/internal.pem\n\nThe token is taken from SIGHTLINE_TOKEN or from a file, never from the command line, which others on the machine can read. Neither settings nor a database are opened. Without a token it ends with 2; else with 0, when the input ends."
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
            | Self::Transfer(_) => false,
            Self::Serve(_)
            | Self::Worker
            | Self::Account(_)
            | Self::Token(_)
            | Self::Schedule(_)
            | Self::Sites(_)
            | Self::Suggestions(_)
            | Self::Models(_)
            | Self::Answers(_)
            | Self::SearchConsole(_)
            | Self::Migrate { .. }
            | Self::Compact { .. }
            | Self::Doctor { .. } => true,
        }
    }
}

/// What `serve` takes.
#[derive(Debug, Clone, Args, Default)]
pub struct ServeArgs {
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<String>,
    /// Serve only; workers run elsewhere.
    #[arg(long)]
    pub no_worker: bool,
}

/// What `mcp` takes.
#[derive(Debug, Clone, Args)]
pub struct McpArgs {
    /// Where the server is; `/mcp` comes behind it.
    #[arg(
        long,
        value_name = "URL",
        env = "SIGHTLINE_URL",
        default_value = "http://127.0.0.1:8080"
    )]
    pub url: String,
    /// A file that holds the token alone; stands above `SIGHTLINE_TOKEN`.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// A PEM file of certificate authorities that are trusted besides the public ones.
    #[arg(long, value_name = "FILE", env = "SIGHTLINE_TRUST")]
    pub trust: Option<PathBuf>,
}

/// What `demo` takes.
#[derive(Debug, Clone, Args)]
pub struct DemoArgs {
    /// A real site to audit, instead of the one that the demo serves itself.
    #[arg(long, value_name = "URL")]
    pub site: Option<String>,
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<String>,
    /// End when the results are shown, instead of going on serving.
    #[arg(long)]
    pub once: bool,
}

/// What `audit` takes.
#[derive(Debug, Clone, Args)]
pub struct AuditArgs {
    /// Where to begin.
    pub url: String,
    /// As JSON: `{url, measuredAt, items, summary}`; the `type` of an item tells what it is.
    #[arg(long)]
    pub json: bool,
    /// Write a report into this file: one HTML page that needs nothing else.
    #[arg(long, value_name = "FILE")]
    pub html: Option<std::path::PathBuf>,
    /// Exit with 3 when there is a finding of this severity or worse.
    #[arg(long, value_name = "SEVERITY", value_parser = ["error", "warning", "notice"])]
    pub fail_on: Option<String>,
    /// Pages at the most.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub max_pages: Option<u32>,
    /// Links away from the start at the most.
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
    /// Do not check links to other sites.
    #[arg(long)]
    pub internal_only: bool,
    /// Show the first N pages (without N all) in Chromium too, and tell what scripts change.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "10000", value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub render: Option<u32>,
    /// Measure how fast the first N pages are (without N the first): loads in Chromium, and what visitors
    /// saw where a key is set.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub vitals: Option<u32>,
    /// Keep the pages in this file and tell what changed since the audit that wrote it.
    #[arg(long, value_name = "FILE")]
    pub keep: Option<std::path::PathBuf>,
}

/// What can be done with accounts.
#[derive(Debug, Clone, Subcommand)]
pub enum AccountCommand {
    /// Create an account with its owner.
    #[command(
        after_help = "Example:\n  sightline account create --email ann@example.com --name Ann"
    )]
    Create {
        /// The owner's e-mail address.
        #[arg(long)]
        email: String,
        /// The owner's name.
        #[arg(long)]
        name: String,
    },
    /// List all accounts.
    #[command(after_help = "Example:\n  sightline account list --json")]
    List {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Set how much an account may have.
    #[command(
        after_help = "Example:\n  sightline account limits --email ann@example.com --keywords 50000 --monthly-budget 25.00"
    )]
    Limits(LimitsArgs),
    /// Show what was done to an account and its tokens, newest first.
    #[command(after_help = "Example:\n  sightline account log --email ann@example.com")]
    Log {
        /// The owner's e-mail address.
        #[arg(long)]
        email: String,
        /// How many.
        #[arg(long = "most", value_name = "N", default_value_t = 50)]
        limit: u32,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Set the password that an account's owner signs in with: it is read from standard input. All
    /// of the owner's sessions end, and guesses of others no longer count against the owner.
    #[command(
        after_help = "Examples:\n  sightline account password --email ann@example.com < password.txt\n  sightline account password --email ann@example.com --revoke-tokens < password.txt"
    )]
    Password {
        /// The owner's e-mail address.
        #[arg(long)]
        email: String,
        /// Revoke all of the account's tokens as well: whoever was in the account may have made one.
        #[arg(long)]
        revoke_tokens: bool,
    },
    /// Switch an account off: its tokens open nothing, its sessions end, its unfinished analyses are canceled,
    /// and its schedules start none. `--enable` switches it on again.
    #[command(after_help = "Example:\n  sightline account disable --email ann@example.com")]
    Disable {
        /// The owner's e-mail address.
        #[arg(long)]
        email: String,
        /// Switch it on again.
        #[arg(long)]
        enable: bool,
    },
}

/// What `account limits` takes; what is left out stays.
#[derive(Debug, Clone, Args)]
pub struct LimitsArgs {
    /// The owner's e-mail address.
    #[arg(long)]
    pub email: String,
    /// Active projects.
    #[arg(long, value_name = "N")]
    pub projects: Option<u32>,
    /// Active keywords.
    #[arg(long, value_name = "N")]
    pub keywords: Option<u32>,
    /// Active keywords in one project.
    #[arg(long, value_name = "N")]
    pub keywords_per_project: Option<u32>,
    /// Active AI-tracked keywords.
    #[arg(long, value_name = "N")]
    pub ai_tracked: Option<u32>,
    /// Keywords researched in a month.
    #[arg(long, value_name = "N")]
    pub keyword_research: Option<u32>,
    /// US dollars that suppliers may cost in a month, or `none`.
    #[arg(long, value_name = "USD")]
    pub monthly_budget: Option<String>,
    /// US dollars that suppliers may cost on a day (UTC), or `none`.
    #[arg(long, value_name = "USD")]
    pub daily_budget: Option<String>,
}

/// What can be done with tokens.
#[derive(Debug, Clone, Subcommand)]
pub enum TokenCommand {
    /// Create a token; standard output holds the token alone, this once.
    #[command(
        after_help = "Example:\n  TOKEN=$(sightline token create --email ann@example.com --name ci --scopes all)"
    )]
    Create {
        /// The owner's e-mail address.
        #[arg(long)]
        email: String,
        /// What to call it.
        #[arg(long)]
        name: String,
        /// `all`, or names separated by commas.
        #[arg(long, default_value = "all")]
        scopes: String,
        /// `90d`, `12h` (up to ten years), or `never`; 90 days when left out, or
        /// `tokens.max_lifetime_days` where that is less.
        #[arg(long)]
        expires_in: Option<String>,
    },
    /// List an account's tokens.
    #[command(after_help = "Example:\n  sightline token list --email ann@example.com")]
    List {
        /// The owner's e-mail address.
        #[arg(long)]
        email: String,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Put a fresh token in the place of another, which is accepted a while longer; standard output
    /// holds the new token alone, this once.
    #[command(
        after_help = "Example:\n  TOKEN=$(sightline token rotate --email ann@example.com --id 3570000000000000 --grace 2h)"
    )]
    Rotate {
        /// The owner's e-mail address.
        #[arg(long)]
        email: String,
        /// The id of the old one, from `token list`.
        #[arg(long)]
        id: i64,
        /// How long the old one is accepted: minutes or hours, 0m to 24h.
        #[arg(long, default_value = "1h")]
        grace: String,
    },
    /// Revoke a token: the next request with it is refused.
    #[command(
        after_help = "Example:\n  sightline token revoke --email ann@example.com --id 3570000000000000"
    )]
    Revoke {
        /// The owner's e-mail address.
        #[arg(long)]
        email: String,
        /// Its id, from `token list`.
        #[arg(long)]
        id: i64,
    },
}

/// What can be done with schedules.
#[derive(Debug, Clone, Subcommand)]
pub enum ScheduleCommand {
    /// Have an analysis started by itself; says when it comes first and what 30 days will cost.
    #[command(
        after_help = "Examples:\n  sightline schedule set --email ann@example.com --project 3570000000000000 --type rankCheck --days daily\n  sightline schedule set --email ann@example.com --project 3570000000000000 --type siteAudit --days weekly:monday --at 05:30 --zone Europe/Berlin\n  sightline schedule set --email ann@example.com --project 3570000000000000 --type webVitals --days monthly:1 --dry-run\n\nIt begins up to half an hour later, always by the same, so that not all begin at once. What was missed while no worker ran is made up for once."
    )]
    Set {
        /// Which analysis.
        #[command(flatten)]
        analysis: ScheduledAnalysis,
        /// `daily`, `weekly:monday` (or another day), `monthly:1` (to 28).
        #[arg(long)]
        days: String,
        /// The time of the day.
        #[arg(long, default_value = "03:00")]
        at: String,
        /// The time zone of that time.
        #[arg(long, default_value = "UTC")]
        zone: String,
        /// Only say how often it would run, and what it would cost.
        #[arg(long)]
        dry_run: bool,
    },
    /// List an account's schedules.
    #[command(after_help = "Example:\n  sightline schedule list --email ann@example.com")]
    List {
        /// The owner's e-mail address.
        #[arg(long)]
        email: String,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Have an analysis started no more by itself.
    #[command(
        after_help = "Example:\n  sightline schedule remove --email ann@example.com --project 3570000000000000 --type rankCheck"
    )]
    Remove {
        /// Which analysis.
        #[command(flatten)]
        analysis: ScheduledAnalysis,
    },
}

/// What can be done with Search Console.
#[derive(Debug, Clone, Subcommand)]
pub enum SearchConsoleCommand {
    /// Import the export of the performance report: the archive whole, or files of it; all rows of all
    /// files, or none.
    #[command(
        after_help = "Examples:\n  sightline search-console import --email ann@example.com --project 3570000000000000 example.com-Performance-on-Search.zip\n  sightline search-console import --email ann@example.com --project 3570000000000000 --from 2026-08-20 --to 2026-11-19 Queries.csv Pages.csv\n  sightline search-console import --email ann@example.com --project 3570000000000000 --from 2026-11-01 --to 2026-11-19 --page https://example.com/shoes Queries.csv\n\nAny language of the interface; commas, semicolons or tabs; UTF-8 or UTF-16. Files of tools that export queries with pages and days are taken, too, and say most. Importing the same days again replaces them."
    )]
    Import {
        /// Which project.
        #[command(flatten)]
        project_args: ProjectArgs,
        /// The first day that rows sum up, where no column tells days.
        #[arg(long, value_name = "DAY")]
        from: Option<chrono::NaiveDate>,
        /// The last one.
        #[arg(long, value_name = "DAY")]
        to: Option<chrono::NaiveDate>,
        /// The page that the report was filtered by before it was exported.
        #[arg(long, value_name = "URL")]
        page: Option<String>,
        /// The archive, or CSV files of it.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Have a property fetched once a day, by a service account that may read it.
    #[command(
        after_help = "Example:\n  sightline search-console bind --email ann@example.com --project 3570000000000000 --property sc-domain:example.com\n\nThe property has to be that of the project's site. It is for operators alone: the service account may be able to read more than one owner's properties."
    )]
    Bind {
        /// Which project.
        #[command(flatten)]
        project_args: ProjectArgs,
        /// `sc-domain:example.com`, or `https://www.example.com/`.
        #[arg(long)]
        property: String,
    },
    /// Have it fetched no more; what was fetched stays.
    #[command(
        after_help = "Example:\n  sightline search-console unbind --email ann@example.com --project 3570000000000000"
    )]
    Unbind {
        /// Which project.
        #[command(flatten)]
        project_args: ProjectArgs,
    },
    /// Fetch now what is final and not there yet, or days that are named.
    #[command(
        after_help = "Examples:\n  sightline search-console fetch --email ann@example.com --project 3570000000000000\n  sightline search-console fetch --email ann@example.com --project 3570000000000000 --from 2026-01-01 --to 2026-03-31"
    )]
    Fetch {
        /// Which project.
        #[command(flatten)]
        project_args: ProjectArgs,
        /// The first day.
        #[arg(long, value_name = "DAY")]
        from: Option<chrono::NaiveDate>,
        /// The last one.
        #[arg(long, value_name = "DAY")]
        to: Option<chrono::NaiveDate>,
    },
    /// List the pages in searches that were shown most over the last weeks, all countries and devices
    /// together: the rows that suggestions name as evidence.
    #[command(
        after_help = "Examples:\n  sightline search-console rows --email ann@example.com --project 3570000000000000\n  sightline search-console rows --email ann@example.com --project 3570000000000000 --limit 1000 --json"
    )]
    Rows {
        /// Which project.
        #[command(flatten)]
        project_args: ProjectArgs,
        /// Rows at the most.
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=50_000))]
        limit: u32,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show what is there, and how fetching goes.
    #[command(
        after_help = "Example:\n  sightline search-console status --email ann@example.com --project 3570000000000000 --json"
    )]
    Status {
        /// Which project.
        #[command(flatten)]
        project_args: ProjectArgs,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
}

/// An analysis of a project.
#[derive(Debug, Clone, Args)]
pub struct ScheduledAnalysis {
    /// Which project.
    #[command(flatten)]
    pub project_args: ProjectArgs,
    /// `rankCheck`, `aiVisibility`, `siteAudit` or `webVitals`.
    #[arg(long = "type")]
    pub kind: String,
}

/// Which project.
#[derive(Debug, Clone, Args)]
pub struct ProjectArgs {
    /// The owner's e-mail address.
    #[arg(long)]
    pub email: String,
    /// The project's id.
    #[arg(long)]
    pub project: i64,
}

/// What can be said of sites.
#[derive(Debug, Clone, Subcommand)]
pub enum SitesCommand {
    /// Name a site; its registrable domain counts. What was said of it before is replaced.
    #[command(
        after_help = "Examples:\n  sightline sites name --email ann@example.com --project 3570000000000000 --domain rival.com\n  sightline sites name --email ann@example.com --project 3570000000000000 --domain our-shop.com --as own\n  sightline sites name --email ann@example.com --project 3570000000000000 --domain reviews.com --as other --class directory\n\nA competitor is followed wherever it stands, and sovTracked is told beside it. Another own site is no rival, and its places count as own in shares of voice."
    )]
    Name {
        /// Which project.
        #[command(flatten)]
        project_args: ProjectArgs,
        /// The site's domain name.
        #[arg(long)]
        domain: String,
        /// `competitor`, `own` or `other`.
        #[arg(long = "as", default_value = "competitor")]
        role: String,
        /// What kind of site it is: `direct`, `publisher`, `marketplace`, `directory` or `platform`.
        #[arg(long)]
        class: Option<String>,
    },
    /// List the sites that are named.
    #[command(
        after_help = "Example:\n  sightline sites list --email ann@example.com --project 3570000000000000"
    )]
    List {
        /// Which project.
        #[command(flatten)]
        project_args: ProjectArgs,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Say what the project or a rival is called, where its domain alone does not tell: its name first,
    /// then whatever else it is called. Without a name what was said before is forgotten.
    #[command(
        after_help = "Examples:\n  sightline sites call --email ann@example.com --project 3570000000000000 --domain kappel.de \"Kappel & Söhne\" Kappel\n  sightline sites call --email ann@example.com --project 3570000000000000 --domain anker.com --word yes Anker\n\nAI answers are searched for these names; those that are kept are read anew with them."
    )]
    Call {
        /// Which project.
        #[command(flatten)]
        project_args: ProjectArgs,
        /// The domain name of the project's site, or of a rival's.
        #[arg(long)]
        domain: String,
        /// Whether the name is also a word: `yes` or `no`; left out, lists of common words decide.
        #[arg(long, value_parser = ["yes", "no"])]
        word: Option<String>,
        /// The names.
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// Take back what was said of a site.
    #[command(
        after_help = "Example:\n  sightline sites forget --email ann@example.com --project 3570000000000000 --domain rival.com"
    )]
    Forget {
        /// Which project.
        #[command(flatten)]
        project_args: ProjectArgs,
        /// The site's domain name.
        #[arg(long)]
        domain: String,
    },
}

/// What can be said of suggestions.
#[derive(Debug, Clone, Subcommand)]
pub enum SuggestionsCommand {
    /// List the newest suggestions that are open, the most worthwhile first.
    #[command(
        after_help = "Examples:\n  sightline suggestions list --email ann@example.com --project 3570000000000000\n  sightline suggestions list --email ann@example.com --project 3570000000000000 --all --json"
    )]
    List {
        /// Which project.
        #[command(flatten)]
        project_args: ProjectArgs,
        /// Those too that are fixed or ignored, and why they are.
        #[arg(long)]
        all: bool,
        /// As JSON: the records as the results API has them, and `ignored`.
        #[arg(long)]
        json: bool,
    },
    /// Say that a suggestion is not wanted; the next analysis tells it as ignored.
    #[command(
        after_help = "Example:\n  sightline suggestions ignore --email ann@example.com --project 3570000000000000 --id 4b1f0c9d2e7a6538 --reason \"the page goes in May\""
    )]
    Ignore {
        /// Which project.
        #[command(flatten)]
        project_args: ProjectArgs,
        /// The suggestion's id.
        #[arg(long)]
        id: String,
        /// Why, for whoever asks later.
        #[arg(long)]
        reason: Option<String>,
    },
    /// Take up a suggestion again that was ignored.
    #[command(
        after_help = "Example:\n  sightline suggestions take-up --email ann@example.com --project 3570000000000000 --id 4b1f0c9d2e7a6538"
    )]
    TakeUp {
        /// Which project.
        #[command(flatten)]
        project_args: ProjectArgs,
        /// The suggestion's id.
        #[arg(long)]
        id: String,
    },
}

/// What can be said of AI models.
#[derive(Debug, Clone, Subcommand)]
pub enum ModelsCommand {
    /// List the AI engines with how the account asks them, and what an answer costs at the most.
    #[command(after_help = "Example:\n  sightline models list --email ann@example.com --json")]
    List {
        /// The owner's e-mail address.
        #[arg(long)]
        email: String,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Set how an engine is asked; what is left out stays.
    #[command(
        after_help = "Examples:\n  sightline models set --email ann@example.com --engine chatgpt --samples 5 --prompts 3\n  sightline models set --email ann@example.com --engine gemini --active no\n  sightline models set --email ann@example.com --engine perplexity --country de --language de --weight 2"
    )]
    Set(ModelArgs),
}

/// What `models set` takes.
#[derive(Debug, Clone, Args)]
pub struct ModelArgs {
    /// The owner's e-mail address.
    #[arg(long)]
    pub email: String,
    /// The engine, as `models list` names it.
    #[arg(long)]
    pub engine: String,
    /// Whether it is asked: `yes` or `no`.
    #[arg(long, value_parser = ["yes", "no"])]
    pub active: Option<String>,
    /// How often each prompt is asked in a run, 3 to 20.
    #[arg(long, value_name = "N")]
    pub samples: Option<u32>,
    /// Prompts for each keyword at the most, 1 to 6.
    #[arg(long, value_name = "N")]
    pub prompts: Option<u32>,
    /// The country that is asked from (ISO 3166-1), or `keyword` for the keyword's.
    #[arg(long)]
    pub country: Option<String>,
    /// The language of the prompts (ISO 639-1), or `keyword` for the keyword's.
    #[arg(long)]
    pub language: Option<String>,
    /// Whether the engine is to look at the web: `yes` or `no`; some always do, some never.
    #[arg(long, value_parser = ["yes", "no"])]
    pub web_search: Option<String>,
    /// How much its figures count beside the other engines', 0 to 100.
    #[arg(long)]
    pub weight: Option<f64>,
}

/// What can be done with answers.
#[derive(Debug, Clone, Subcommand)]
pub enum AnswersCommand {
    /// List answers, newest first.
    #[command(
        after_help = "Examples:\n  sightline answers list --email ann@example.com --project 3570000000000000\n  sightline answers list --email ann@example.com --project 3570000000000000 --keyword 3570000000000001 --engine gemini"
    )]
    List {
        /// Which project.
        #[command(flatten)]
        project_args: ProjectArgs,
        /// About this keyword alone.
        #[arg(long, value_name = "ID")]
        keyword: Option<i64>,
        /// Of this engine alone.
        #[arg(long)]
        engine: Option<String>,
        /// Of this analysis alone.
        #[arg(long, value_name = "ID")]
        job: Option<i64>,
        /// Older than this one.
        #[arg(long, value_name = "ID")]
        before: Option<i64>,
        /// How many.
        #[arg(long = "most", value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=200))]
        limit: u32,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show one answer, with marks on the brands that it names and the pages that it cites.
    #[command(
        after_help = "Examples:\n  sightline answers show --email ann@example.com --project 3570000000000000 --id 3570000000000002\n  sightline answers show --email ann@example.com --project 3570000000000000 --id 3570000000000002 --html > answer.html"
    )]
    Show {
        /// Which project.
        #[command(flatten)]
        project_args: ProjectArgs,
        /// The answer's id.
        #[arg(long)]
        id: i64,
        /// As JSON; marks count characters of `text`.
        #[arg(long, conflicts_with = "html")]
        json: bool,
        /// As a page for browsers; nothing in it is live.
        #[arg(long)]
        html: bool,
    },
}

/// Arguments of `sightline backup`.
#[derive(Debug, Clone, clap::Args)]
pub struct BackupArgs {
    /// Where it goes. There must be nothing of that name.
    pub file: PathBuf,
    /// Where `pg_dump` is, if not where it usually is.
    #[arg(long, value_name = "FOLDER")]
    pub programs: Option<PathBuf>,
    /// What was taken, as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `sightline restore`.
#[derive(Debug, Clone, clap::Args)]
pub struct RestoreArgs {
    /// The backup. Its manifest lies beside it.
    pub file: PathBuf,
    /// Look whether it is whole, and change nothing.
    #[arg(long)]
    pub verify: bool,
    /// Give up what the database holds.
    #[arg(long, conflicts_with = "verify")]
    pub force: bool,
    /// Where `pg_restore` is, if not where it usually is.
    #[arg(long, value_name = "FOLDER")]
    pub programs: Option<PathBuf>,
    /// What is in it, as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `sightline transfer`.
#[derive(Debug, Clone, clap::Args)]
pub struct TransferArgs {
    /// The database that is copied: `sqlite://PATH` or `postgres://…`; that of the settings when left out.
    #[arg(long, value_name = "URL", conflicts_with = "from_file")]
    pub from: Option<String>,
    /// A file that holds its URL alone.
    #[arg(long, value_name = "FILE")]
    pub from_file: Option<PathBuf>,
    /// The database that is filled; that of the settings when left out.
    #[arg(long, value_name = "URL", conflicts_with = "to_file")]
    pub to: Option<String>,
    /// A file that holds its URL alone.
    #[arg(long, value_name = "FILE")]
    pub to_file: Option<PathBuf>,
    /// Every table with its rows and its checksum, as JSON.
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::{audit, override_listen};
    use crate::settings::{Loaded, Settings};
    use clap::CommandFactory;

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
    const UNRELATED_FLAGS: [&str; 8] = [
        "engine",
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
            keys.iter().any(|it| it.0.rsplit('.').next() == Some(&name))
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
}
