//! `sightline demo`: a throw-away account with a token and two projects, one on a simulated market, one audited.

mod show;
mod site;

use super::{Ended, WrongUsage, listen_where_told};
use crate::cli::DemoArgs;
use crate::process::{Stopping, drain, worker_name};
use crate::server;
use crate::settings::{ListenAddress, Loaded, ResolveEntry, Settings};
use crate::system_clock::SetBack;
use crate::terminal::{progress_bar, remark, say};
use crate::wiring::{Foundation, Role, hasher};
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
use domain::use_cases::tokens::{Asker, NewToken};
use domain::use_cases::{Core, Policies};
use domain::user::User;
use providers::{ai::AiSettings, search::SearchSettings, search_console::SearchConsoleSettings};
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use worker::{Tools, Worker};

const PAST: u32 = 40;
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
pub async fn run(loaded: Loaded, args: &DemoArgs) -> anyhow::Result<Ended> {
    let stopping = Stopping::default();
    stopping.on_signal(Duration::ZERO)?;
    let folder = tempfile::Builder::new()
        .prefix("sightline-demo-")
        .tempdir()
        .context("cannot make a folder for the demo")?;
    let own_site = if args.site.is_none() {
        Some(site::serve(stopping.listener.clone())?)
    } else {
        None
    };
    let loaded = Loaded {
        settings: demo_settings(loaded.settings, args, folder.path(), own_site)?,
        ..loaded
    };
    let mut foundation = Foundation::open(loaded, Role::Server).await?;
    let listener = server::bind(foundation.settings.listen.0).with_context(|| {
        format!(
            "cannot listen on {}; choose another address with --listen",
            foundation.settings.listen.0
        )
    })?;
    // Port 0 is any free port: the printed URLs need the actual one.
    foundation.settings.listen = ListenAddress(listener.local_addr()?);
    let (tools, wake) = (foundation.for_work().tools(), Arc::new(Notify::new()));
    let demo = Demo {
        foundation: &foundation,
        tools: &tools,
    };
    let scene = demo.set(args).await?;
    demo.look_back(&scene, &stopping.work).await?;
    if stopping.work.is_cancelled() {
        return Ok(Ended::Done);
    }
    let services = server::services(&foundation, &tools, Arc::clone(&wake), &stopping).await?;
    let worker = Worker::new(
        worker_name(foundation.randomness.as_ref()),
        tools.clone(),
        wake,
        stopping.work.clone(),
    );
    let worker = tokio::spawn(worker.run());
    let serving = tokio::spawn(server::serve(
        listener,
        services,
        stopping.listener.clone(),
        drain(Duration::ZERO),
    ));

    // Cancelled jobs are requeued and never finish.
    tokio::select! {
        played = demo.play(args, &scene) => played?,
        () = stopping.work.cancelled() => {}
    }
    if args.once {
        stopping.now();
    } else if !stopping.work.is_cancelled() {
        say("\nStill serving; stop with Ctrl-C. Everything is thrown away then.");
    }
    serving.await.context("the server failed")??;
    stopping.now();
    worker.await.context("the worker failed")?;
    Ok(Ended::Done)
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
    listen_where_told(&mut settings, args.listen.as_deref())?;
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
    foundation: &'a Foundation,
    tools: &'a Tools,
}

struct Scene {
    account: AccountId,
    token: PlainToken,
    password: String,
    market: ProjectId,
    audited: ProjectId,
}

impl Demo<'_> {
    async fn set(&self, args: &DemoArgs) -> anyhow::Result<Scene> {
        let (account, token, password) = self.account().await?;
        let host = args
            .site
            .as_deref()
            .map_or_else(|| Ok(site::HOST.to_owned()), host_of)?;
        let market = self
            .project(&account, "running-store.com", "Simulated market", &KEYWORDS)
            .await?;
        let audited = self.project(&account, &host, "Real pages", &[]).await?;
        Ok(Scene {
            account: account.id,
            token,
            password,
            market,
            audited,
        })
    }

    /// Simulates the past days until it is stopped: a forecast needs history.
    async fn look_back(&self, scene: &Scene, stop: &CancellationToken) -> anyhow::Result<()> {
        remark(
            "Search results and AI answers are simulated (sandbox); the site audit reads real pages.",
        );
        let bar = progress_bar("rankCheck");
        bar.set_length(PAST.into());
        bar.set_message("days before today");
        for days in (1..=PAST).rev() {
            let then = self.foundation.with_clock(Arc::new(SetBack { days }));
            let (tools, wake) = (then.tools(), Arc::new(Notify::new()));
            let day_is_over = stop.child_token();
            let demo = Demo {
                foundation: &then,
                tools: &tools,
            };
            let name = worker_name(then.randomness.as_ref());
            let job = demo
                .begin(scene.account, scene.market, AnalysisKind::RankCheck)
                .await?;
            let worker = Worker::new(name, tools.clone(), wake, day_is_over.clone());
            let worker = tokio::spawn(worker.run());
            let mut jobs = vec![job];
            // Trends of AI engines compare weeks.
            if days.is_multiple_of(7) {
                let kind = AnalysisKind::AiVisibility;
                jobs.push(demo.begin(scene.account, scene.market, kind).await?);
            }
            for job in jobs {
                tokio::select! {
                    ended = over(&tools.core, scene.account, job) => ended?,
                    () = stop.cancelled() => {}
                }
            }
            day_is_over.cancel();
            worker.await.context("the worker failed")?;
            if stop.is_cancelled() {
                break;
            }
            bar.inc(1);
            let left = days - 1;
            if bar.is_hidden() && left > 0 && left.is_multiple_of(10) {
                remark(format!(
                    "{} of {PAST} days before today are measured.",
                    PAST - left
                ));
            }
        }
        bar.finish_and_clear();
        Ok(())
    }

    async fn play(&self, args: &DemoArgs, scene: &Scene) -> anyhow::Result<()> {
        let account = scene.account;
        let ranks = self
            .analyse(account, scene.market, AnalysisKind::RankCheck)
            .await?;
        self.analyse(account, scene.market, AnalysisKind::AiVisibility)
            .await?;
        let links = self
            .analyse(account, scene.audited, AnalysisKind::SiteAudit)
            .await?;
        show::rankings(&self.foundation.storage, account, &ranks).await?;
        show::outlook(&self.foundation.storage, account, &ranks).await?;
        show::broken_links(&self.foundation.storage, account, &links).await?;
        if !args.once {
            self.invite(scene);
        }
        Ok(())
    }

    /// The demo's own data ignores the operator's limits.
    fn core(&self) -> Core {
        Core {
            policies: Policies::default(),
            ..Core::clone(&self.foundation.core())
        }
    }

    async fn account(&self) -> anyhow::Result<(Account, PlainToken, String)> {
        let core = self.core();
        let (email, name) = (EmailAddress::parse(OWNER)?, Label::parse("Demo")?);
        let (account, owner): (Account, User) = core.create_account(&email, &name).await?;
        let password = TypedPassword::generated(self.foundation.randomness.as_ref());
        core.set_password(hasher(self.foundation)?.as_ref(), &owner, &password, false)
            .await?;
        let new = NewToken {
            name: Label::parse("demo")?,
            scopes: Scopes::all(),
            lifetime: Some(NewToken::DEFAULT_LIFETIME),
        };
        let (token, _) = core.issue_token(Asker::Operator(&owner), &new).await?;
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
            .map_err(|refusal| WrongUsage(format!("`{host}` cannot be monitored: {refusal}")))?;
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

    async fn analyse(
        &self,
        account: AccountId,
        project: ProjectId,
        kind: AnalysisKind,
    ) -> anyhow::Result<Job> {
        let job = self.begin(account, project, kind).await?;
        follow(&self.tools.core, account, job, kind).await
    }

    async fn begin(
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
        let core = &self.tools.core;
        let requested = core.request_analysis(account, &request, None).await?;
        Ok(requested.job.id)
    }

    fn invite(&self, scene: &Scene) {
        let server = self.foundation.settings.public_base_url();
        say(format!(
            "\nLook at it: {server}/sign-in\n  e-mail    {OWNER}\n  password  {}",
            scene.password
        ));
        let base = format!("{server}/api/agent/v1");
        say("\nTry it yourself:");
        say(format!("export TOKEN={}", scene.token.reveal()));
        say(format!(
            "curl -s -H \"Authorization: Bearer $TOKEN\" {base}/projects"
        ));
        for (of, project) in [
            ("rankings", scene.market),
            ("ai-trends", scene.market),
            ("broken-links", scene.audited),
        ] {
            say(format!(
                "curl -s -H \"Authorization: Bearer $TOKEN\" '{base}/results?type={of}&projectId={project}&limit=3'"
            ));
        }
    }
}

fn host_of(url: &str) -> Result<String, WrongUsage> {
    let parsed = analysis::url_rules::DomainName::parse(url);
    parsed
        .map(|domain| domain.ascii)
        .map_err(|refusal| WrongUsage(format!("--site: `{url}` cannot be monitored: {refusal}")))
}

async fn over(core: &Core, account: AccountId, job: JobId) -> anyhow::Result<()> {
    loop {
        let found = core.analysis(account, job).await?;
        if !found
            .context("the analysis is gone")?
            .job
            .state
            .is_unfinished()
        {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn follow(
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
            .context("the analysis is gone")?
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
    fn a_demo_asks_nobody_who_costs_money() {
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
