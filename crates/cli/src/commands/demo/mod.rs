//! `sightline demo`: a temporary account with a token and two projects, one on a simulated market, one audited.

mod show;
mod site;

use super::{Outcome, UsageError, override_listen};
use crate::cli::DemoArgs;
use crate::process::{Shutdown, drain_timeout, worker_name};
use crate::server;
use crate::settings::{ListenAddress, Loaded, ResolveEntry, Settings};
use crate::system_clock::BackdatedClock;
use crate::terminal::{eprint_line, print_line, progress_bar};
use crate::wiring::{AppContext, Process, password_hasher};
use anyhow::Context;
use crawler::Resolve;
use domain::account::Account;
use domain::ai_models::ModelChoice;
use domain::domain_name::SiteDomain;
use domain::email::EmailAddress;
use domain::ids::{AccountId, JobId, ProjectId};
use domain::job::kind::AnalysisKind;
use domain::job::{Job, JobPriority, Trigger};
use domain::keyword::{KeywordChoice, KeywordText, NewKeywords};
use domain::market::Market;
use domain::password::TypedPassword;
use domain::project::{NewProject, ProjectMeta};
use domain::scope::Scopes;
use domain::text::Label;
use domain::token::PlainToken;
use domain::use_cases::request_analysis::AnalysisRequest;
use domain::use_cases::tokens::{NewToken, TokenIssuer};
use domain::use_cases::{Core, Policies};
use domain::user::User;
use providers::{ai::AiSettings, search::SearchSettings, search_console::SearchConsoleSettings};
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use worker::{Worker, WorkerContext};

const PAST_DAYS: u32 = 40;
const OWNER: &str = "demo@sightline.example";
const KEYWORDS: [&str; 12] = [
    "running shoes",
    "trail running shoes",
    "best running shoes 2026",
    "running shoes women",
    "running shoes men",
    "marathon training plan",
    "how to choose running shoes",
    "waterproof running shoes",
    "cheap running shoes",
    "running shoes near me",
    "barefoot shoes vs running shoes",
    "running shoe size chart",
];

/// With `--once`, ends after printing the results.
pub async fn run(loaded: Loaded, args: &DemoArgs) -> anyhow::Result<Outcome> {
    let stopping = Shutdown::default();
    stopping.trigger_on_signal(Duration::ZERO)?;
    let folder = tempfile::Builder::new()
        .prefix("sightline-demo-")
        .tempdir()
        .context("cannot create a temporary directory for the demo")?;
    let own_site = if args.site.is_none() {
        Some(site::serve(stopping.listener.clone())?)
    } else {
        None
    };
    let loaded = Loaded {
        settings: demo_settings(loaded.settings, args, folder.path(), own_site)?,
        ..loaded
    };
    let mut context = AppContext::open(loaded, Process::Server).await?;
    let listener = server::bind(context.settings.listen.0).with_context(|| {
        format!(
            "cannot listen on {}: choose another address with --listen",
            context.settings.listen.0
        )
    })?;
    // Port 0 is any free port: the printed URLs need the actual one.
    context.settings.listen = ListenAddress(listener.local_addr()?);
    let (worker_context, wake) = (context.for_jobs().worker_context(), Arc::new(Notify::new()));
    let demo = Demo {
        context: &context,
        worker_context: &worker_context,
    };
    let data = demo.create_data(args).await?;
    demo.simulate_past(&data, &stopping.work).await?;
    if stopping.work.is_cancelled() {
        return Ok(Outcome::Done);
    }
    let services =
        server::build_services(&context, &worker_context, Arc::clone(&wake), &stopping).await?;
    let worker = Worker::new(
        worker_name(context.randomness.as_ref()),
        worker_context.clone(),
        wake,
        stopping.work.clone(),
    );
    let worker = tokio::spawn(worker.run());
    let serving = tokio::spawn(server::serve(
        listener,
        services,
        stopping.listener.clone(),
        drain_timeout(Duration::ZERO),
    ));

    // Cancelled jobs are requeued and never finish.
    tokio::select! {
        outcome = demo.run_analyses(args, &data) => outcome?,
        () = stopping.work.cancelled() => {}
    }
    if args.once {
        stopping.trigger();
    } else if !stopping.work.is_cancelled() {
        print_line("\nStill serving; press Ctrl-C to stop. All data of the demo is deleted then.");
    }
    serving.await.context("the HTTP server failed")??;
    stopping.trigger();
    worker.await.context("the worker task failed")?;
    Ok(Outcome::Done)
}

fn demo_settings(
    settings: Settings,
    args: &DemoArgs,
    folder: &std::path::Path,
    own_site: Option<std::net::SocketAddr>,
) -> anyhow::Result<Settings> {
    // The demo makes no paid calls, and simulates its past.
    let search = SearchSettings {
        depth: settings.search.depth,
        sandbox: settings.search.sandbox.clone(),
        ..SearchSettings::default()
    };
    let mut settings = Settings {
        data_dir: folder.to_path_buf(),
        database_url: None,
        public_base_url: None,
        search,
        search_console: SearchConsoleSettings::default(),
        ai: AiSettings::default(),
        ..settings
    };
    override_listen(&mut settings, args.listen.as_deref())?;
    if let Some(address) = own_site {
        settings.crawler.resolve.push(ResolveEntry(Resolve {
            host: site::HOST.to_owned(),
            port: 80,
            address,
        }));
        settings.crawler.per_host_delay_ms.0 = 0;
    }
    Ok(settings)
}

struct Demo<'a> {
    context: &'a AppContext,
    worker_context: &'a WorkerContext,
}

struct DemoData {
    account: AccountId,
    token: PlainToken,
    password: String,
    market: ProjectId,
    audited: ProjectId,
    /// The audited site, for messages.
    site: String,
}

impl Demo<'_> {
    async fn create_data(&self, args: &DemoArgs) -> anyhow::Result<DemoData> {
        let (account, token, password) = self.account().await?;
        let host = args
            .site
            .as_deref()
            .map_or_else(|| Ok(site::HOST.to_owned()), parse_host)?;
        let market = self
            .project(&account, "running-store.com", "Simulated market", &KEYWORDS)
            .await?;
        let audited = self.project(&account, &host, "Audited site", &[]).await?;
        Ok(DemoData {
            account: account.id,
            token,
            password,
            market,
            audited,
            site: if args.site.is_some() {
                host
            } else {
                "the example shop that the demo serves itself".to_owned()
            },
        })
    }

    /// Simulates the past days until it is stopped: a forecast needs history.
    async fn simulate_past(
        &self,
        scene: &DemoData,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        eprint_line(format!(
            "Search results and AI answers are simulated (sandbox). The site audit reads {}.",
            scene.site
        ));
        let bar = progress_bar("rankCheck");
        bar.set_length(PAST_DAYS.into());
        bar.set_message("days before today");
        for days in (1..=PAST_DAYS).rev() {
            let then = self.context.with_clock(Arc::new(BackdatedClock { days }));
            let (worker_context, wake) = (then.worker_context(), Arc::new(Notify::new()));
            let day_is_over = stop.child_token();
            let demo = Demo {
                context: &then,
                worker_context: &worker_context,
            };
            let name = worker_name(then.randomness.as_ref());
            let job = demo
                .start_analysis(scene.account, scene.market, AnalysisKind::RankCheck)
                .await?;
            let worker = Worker::new(name, worker_context.clone(), wake, day_is_over.clone());
            let worker = tokio::spawn(worker.run());
            let mut jobs = vec![job];
            // Trends of AI engines compare weeks.
            if days.is_multiple_of(7) {
                let kind = AnalysisKind::AiVisibility;
                jobs.push(
                    demo.start_analysis(scene.account, scene.market, kind)
                        .await?,
                );
            }
            for job in jobs {
                tokio::select! {
                    ended = wait_until_finished(&worker_context.core, scene.account, job) => ended?,
                    () = stop.cancelled() => {}
                }
            }
            day_is_over.cancel();
            worker.await.context("the worker task failed")?;
            if stop.is_cancelled() {
                break;
            }
            bar.inc(1);
            let left = days - 1;
            if bar.is_hidden() && left > 0 && left.is_multiple_of(10) {
                eprint_line(format!(
                    "{} of {PAST_DAYS} days before today are measured.",
                    PAST_DAYS - left
                ));
            }
        }
        bar.finish_and_clear();
        Ok(())
    }

    async fn run_analyses(&self, args: &DemoArgs, scene: &DemoData) -> anyhow::Result<()> {
        let account = scene.account;
        let ranks = self
            .run_analysis(account, scene.market, AnalysisKind::RankCheck)
            .await?;
        self.run_analysis(account, scene.market, AnalysisKind::AiVisibility)
            .await?;
        let links = self
            .run_analysis(account, scene.audited, AnalysisKind::SiteAudit)
            .await?;
        show::rankings(&self.context.storage, account, &ranks).await?;
        show::outlook(&self.context.storage, account, &ranks).await?;
        show::broken_links(&self.context.storage, account, &links).await?;
        if !args.once {
            self.print_access(scene);
        }
        Ok(())
    }

    /// The demo's own data ignores the operator's limits.
    fn core(&self) -> Core {
        Core {
            policies: Policies::default(),
            ..Core::clone(&self.context.core())
        }
    }

    async fn account(&self) -> anyhow::Result<(Account, PlainToken, String)> {
        let core = self.core();
        let (email, name) = (EmailAddress::parse(OWNER)?, Label::parse("Demo")?);
        let (account, owner): (Account, User) = core.create_account(&email, &name).await?;
        let password = TypedPassword::generated(self.context.randomness.as_ref());
        core.set_password(
            password_hasher(self.context)?.as_ref(),
            &owner,
            &password,
            false,
        )
        .await?;
        let new = NewToken {
            name: Label::parse("demo")?,
            scopes: Scopes::all(),
            lifetime: Some(NewToken::DEFAULT_LIFETIME),
        };
        let (token, _) = core
            .issue_token(TokenIssuer::Operator(&owner), &new)
            .await?;
        Ok((account, token, password))
    }

    async fn project(
        &self,
        account: &Account,
        host: &str,
        name: &str,
        keywords: &[&str],
    ) -> anyhow::Result<ProjectId> {
        let domain = analysis::url_rules::DomainName::parse(host)
            .map_err(|refusal| UsageError(format!("`{host}` cannot be monitored: {refusal}")))?;
        let new = NewProject {
            domain: SiteDomain::accepted(domain.ascii, domain.unicode),
            name: Some(Label::parse(name)?),
            meta: ProjectMeta::default(),
        };
        let texts = keywords
            .iter()
            .map(|text| KeywordText::parse(text))
            .collect::<Result<_, _>>()?;
        let keywords = NewKeywords {
            texts,
            ai_tracked: Some(true),
            market: Market::default(),
            tags: vec![],
        };
        let core = self.core();
        let created = core.create_project(account.id, &new, &keywords, None);
        Ok(created.await?.project.id)
    }

    async fn run_analysis(
        &self,
        account: AccountId,
        project: ProjectId,
        kind: AnalysisKind,
    ) -> anyhow::Result<Job> {
        let job = self.start_analysis(account, project, kind).await?;
        follow_job(&self.worker_context.core, account, job, kind).await
    }

    async fn start_analysis(
        &self,
        account: AccountId,
        project: ProjectId,
        kind: AnalysisKind,
    ) -> anyhow::Result<JobId> {
        let request = AnalysisRequest {
            project,
            kind,
            keywords: KeywordChoice::All,
            models: ModelChoice::All,
            priority: JobPriority::Normal,
            trigger: Trigger::Api,
        };
        let core = &self.worker_context.core;
        let requested = core.request_analysis(account, &request, None).await?;
        Ok(requested.job.id)
    }

    fn print_access(&self, scene: &DemoData) {
        let server = self.context.settings.public_base_url();
        print_line(format!(
            "\nSign in: {server}/sign-in\n  e-mail    {OWNER}\n  password  {}",
            scene.password
        ));
        let base = format!("{server}/api/agent/v1");
        print_line("\nCall the API:");
        print_line(format!("export TOKEN={}", scene.token.reveal()));
        print_line(format!(
            "curl -s -H \"Authorization: Bearer $TOKEN\" {base}/projects"
        ));
        for (of, project) in [
            ("rankings", scene.market),
            ("ai-trends", scene.market),
            ("broken-links", scene.audited),
        ] {
            print_line(format!(
                "curl -s -H \"Authorization: Bearer $TOKEN\" '{base}/results?type={of}&projectId={project}&limit=3'"
            ));
        }
    }
}

fn parse_host(url: &str) -> Result<String, UsageError> {
    let parsed = analysis::url_rules::DomainName::parse(url);
    parsed
        .map(|domain| domain.ascii)
        .map_err(|refusal| UsageError(format!("--site: `{url}` cannot be monitored: {refusal}")))
}

async fn wait_until_finished(core: &Core, account: AccountId, job: JobId) -> anyhow::Result<()> {
    loop {
        let found = core.analysis(account, job).await?;
        if !found
            .context("the analysis does not exist any more")?
            .job
            .state
            .is_unfinished()
        {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn follow_job(
    core: &Core,
    account: AccountId,
    job: JobId,
    kind: AnalysisKind,
) -> anyhow::Result<Job> {
    let bar = progress_bar(kind.name());
    loop {
        let found = core
            .analysis(account, job)
            .await?
            .context("the analysis does not exist any more")?
            .job;
        bar.set_length(found.progress.total);
        bar.set_position(found.progress.done);
        bar.set_message(kind.unit());
        if !found.state.is_unfinished() {
            bar.finish_and_clear();
            return Ok(found);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setting::Secret;

    #[test]
    fn demo_uses_no_paid_supplier() {
        let mut settings = Settings::default();
        settings.search.serper.api_key = Some(Secret::new("a key".to_owned()));
        settings.search_console.key_file = Some("key.json".into());
        settings.ai.chatgpt.api_key = Some(Secret::new("a key".to_owned()));
        settings.search.sandbox.seed = 7;
        let args = DemoArgs {
            site: None,
            listen: None,
            once: true,
        };
        let folder = std::path::Path::new("/tmp");
        let demo = demo_settings(settings, &args, folder, None).expect("they are right");
        assert!(demo.search.serper.api_key.is_none());
        assert!(demo.search_console.key_file.is_none());
        assert!(demo.ai.is_simulated(&demo.search));
        assert_eq!(demo.search.sandbox.seed, 7);
    }
}
