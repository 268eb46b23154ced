use crate::{
    agent_api::docs::Documents,
    connections::Connections,
    cookies::CookieStyle,
    limits::{BodyLimit, Limiter, RequestLimits, Slots},
    noticed::Noticed,
    paging::CursorKey,
    patience::TimerPatience,
    problem::{Code, Problem},
    readiness::Readiness,
    refusals,
};
use domain::{
    device::DeviceKey,
    ids::{AccountId, IdMint, ProjectId},
    ports::{
        clock::Clock,
        keyword_data::KeywordData,
        page_speed::NotConfigured,
        password_hasher::PasswordHasher,
        randomness::Randomness,
        search_console::ConsoleExports,
        search_results::SupplierLabel,
        storage::{Storage, StorageError},
    },
    project::{Project, PurgeTerm},
    use_cases::{
        Core, Policies,
        authenticate_agent::AuthenticateAgent,
        authenticate_session::AuthenticateSession,
        cancel_analysis::CancelAnalysis,
        change_password::ChangePassword,
        change_profile::ChangeProfile,
        change_report_defaults::ChangeReportDefaults,
        end_session::EndSession,
        end_sessions::EndSessions,
        find_workers::FindWorkers,
        issue_token::IssueToken,
        list_ai_models::ListAiModels,
        list_audit_events::ListAuditEvents,
        list_jobs::ListJobs,
        list_sessions::ListSessions,
        list_tokens::ListTokens,
        look_up_repeat::LookUpRepeat,
        measure_page_speed::SpeedSources,
        note_failed_sign_in::NoteFailedSignIn,
        note_session_use::NoteSessionUse,
        note_token_use::NoteTokenUse,
        read_account::ReadAccount,
        read_job::ReadJob,
        read_results::ReadResults,
        read_since_sign_in::ReadSinceSignIn,
        read_top_results::ReadTopResults,
        reauthenticate::Reauthenticate,
        recognize_device::RecognizeDevice,
        remember_answer::RememberAnswer,
        report_leak::ReportLeak,
        request_analysis::RequestAnalysis,
        research::keyword::ResearchKeyword,
        revoke_token::RevokeToken,
        set_ai_models::SetAiModels,
        sign_in::SignIn,
        welcome_owner::{WelcomeCode, WelcomeOwner},
    },
};
use std::{
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

#[derive(Clone)]
pub struct WebConfig {
    /// Without a trailing slash.
    pub public_base_url: String,
    pub cursor_key: CursorKey,
    pub policies: Policies,
    pub search: SupplierLabel,
    pub speed: SpeedLabel,
    /// With an accepted token or session.
    pub body: BodyLimit,
    /// Without an accepted token or session.
    pub unknown_body: BodyLimit,
    pub handler_patience: std::time::Duration,
    pub limits: RequestLimits,
    pub sessions: SessionConfig,
}

impl WebConfig {
    /// How long deactivated projects can be brought back.
    pub fn purge_term(&self) -> PurgeTerm {
        self.policies.retention.deactivated_projects
    }
}

#[derive(Clone)]
pub struct SessionConfig {
    pub cookies: CookieStyle,
    pub device_key: DeviceKey,
}

#[derive(Clone)]
pub struct Ports {
    pub storage: Arc<dyn Storage>,
    pub clock: Arc<dyn Clock>,
    pub randomness: Arc<dyn Randomness>,
    pub mint: Arc<IdMint>,
    pub hasher: Arc<dyn PasswordHasher>,
    /// For people who are signed in, or on a device that they signed in on before.
    pub known_hasher: Arc<dyn PasswordHasher>,
    pub console_exports: Arc<dyn ConsoleExports>,
    pub keyword_data: Arc<dyn KeywordData>,
}

impl Ports {
    fn core(&self, policies: Policies) -> Core {
        Core {
            storage: Arc::clone(&self.storage),
            clock: Arc::clone(&self.clock),
            randomness: Arc::clone(&self.randomness),
            mint: Arc::clone(&self.mint),
            policies,
        }
    }
}

/// Who knows how fast pages are, as far as this process can tell.
#[derive(Debug, Clone, Default)]
pub struct SpeedLabel {
    /// Neutral names; empty where nobody knows.
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

/// Imports of all accounts at the same time: each holds a file and its rows in memory, several times over.
const MAX_IMPORTS: u32 = 2;

/// Changes of passwords at the same time: estimating and hashing a new one takes a core a quarter of a second.
const MAX_PASSWORD_CHANGES: u32 = 8;

pub struct Services {
    pub core: Arc<Core>,
    pub config: WebConfig,
    pub clock: Arc<dyn Clock>,
    pub randomness: Arc<dyn Randomness>,
    pub storage: Arc<dyn Storage>,
    /// Wakes a worker in the same process.
    pub wake: Arc<tokio::sync::Notify>,
    /// Cancelled when the process is told to stop: load balancers are told to look elsewhere.
    pub stopping: CancellationToken,
    pub(crate) readiness: Readiness,
    pub(crate) noticed: Noticed,
    pub(crate) limiter: Limiter,
    pub(crate) import_slots: Arc<Slots>,
    pub(crate) password_slots: Arc<Slots>,
    connections: Arc<Connections>,
    pub(crate) documents: Documents,
    pub(crate) authenticate: AuthenticateAgent,
    pub(crate) note_token_use: NoteTokenUse,
    pub(crate) report_leak: ReportLeak,
    pub(crate) look_up_repeat: LookUpRepeat,
    pub(crate) remember_answer: RememberAnswer,
    pub(crate) read_account: ReadAccount,
    pub(crate) list_ai_models: ListAiModels,
    pub(crate) request_analysis: RequestAnalysis,
    pub(crate) list_jobs: ListJobs,
    pub(crate) read_job: ReadJob,
    pub(crate) find_workers: FindWorkers,
    pub(crate) read_results: ReadResults,
    pub(crate) authenticate_session: AuthenticateSession,
    pub(crate) note_session_use: NoteSessionUse,
    pub(crate) note_failed_sign_in: NoteFailedSignIn,
    pub(crate) recognize_device: RecognizeDevice,
    pub(crate) sign_in: SignIn,
    pub(crate) read_since_sign_in: ReadSinceSignIn,
    pub(crate) end_session: EndSession,
    pub(crate) end_sessions: EndSessions,
    pub(crate) list_sessions: ListSessions,
    pub(crate) welcome_owner: WelcomeOwner,
    pub(crate) change_profile: ChangeProfile,
    pub(crate) change_report_defaults: ChangeReportDefaults,
    pub(crate) list_tokens: ListTokens,
    pub(crate) issue_token: IssueToken,
    pub(crate) revoke_token: RevokeToken,
    pub(crate) list_audit_events: ListAuditEvents,
    pub(crate) cancel_analysis: CancelAnalysis,
    pub(crate) reauthenticate: Arc<Reauthenticate>,
    pub(crate) change_password: ChangePassword,
    pub(crate) set_ai_models: SetAiModels,
    pub(crate) console_exports: Arc<dyn ConsoleExports>,
    pub(crate) read_top_results: ReadTopResults,
    pub(crate) research_keyword: ResearchKeyword,
    /// Refusals that browsers reported since the server started.
    pub(crate) policy_reports: AtomicU64,
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

    /// Fails when it takes longer than a handler may.
    pub(crate) async fn patiently<T>(
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
        let timely = tokio::time::timeout(self.config.handler_patience, handling);
        timely.await.map_err(slow)?
    }

    pub fn new(
        config: WebConfig,
        ports: &Ports,
        wake: Arc<tokio::sync::Notify>,
        stopping: CancellationToken,
    ) -> Self {
        let s = || Arc::clone(&ports.storage);
        let c = || Arc::clone(&ports.clock);
        let m = || Arc::clone(&ports.mint);
        let r = || Arc::clone(&ports.randomness);
        let hasher = || Arc::clone(&ports.hasher);
        let known_hasher = || Arc::clone(&ports.known_hasher);
        let stored = config.policies.storage;
        let reauthenticate = Arc::new(Reauthenticate::new(s(), c(), r(), m(), known_hasher()));
        let core = Arc::new(ports.core(config.policies.clone()));
        Self {
            readiness: Readiness::default(),
            noticed: Noticed::default(),
            limiter: Limiter::new(&config.limits, &ports.clock),
            import_slots: Slots::new(MAX_IMPORTS),
            password_slots: Slots::new(MAX_PASSWORD_CHANGES),
            connections: Arc::new(Connections::new(&config.limits)),
            documents: Documents::default(),
            authenticate: AuthenticateAgent::new(s(), c()).under(config.policies.tokens),
            note_token_use: NoteTokenUse::new(s(), c()),
            report_leak: ReportLeak::new(s(), c(), m()),
            look_up_repeat: LookUpRepeat::new(s(), c()),
            remember_answer: RememberAnswer::new(s(), c()),
            read_account: ReadAccount::new(s(), c()).within(stored),
            list_ai_models: ListAiModels::new(s(), config.policies.engines.clone()),
            request_analysis: RequestAnalysis::new(
                s(),
                c(),
                m(),
                config.policies.queue,
                config.policies.prices,
            )
            .asking(config.policies.engines.clone()),
            list_jobs: ListJobs::new(s()),
            read_job: ReadJob::new(s()),
            find_workers: FindWorkers::new(s(), c(), config.policies.queue),
            read_results: ReadResults::new(s()),
            authenticate_session: AuthenticateSession::new(s(), c()),
            note_session_use: NoteSessionUse::new(s(), c()),
            note_failed_sign_in: NoteFailedSignIn::new(s(), c(), m()),
            recognize_device: RecognizeDevice::new(s()),
            sign_in: SignIn::new(s(), c(), r(), m(), hasher()).with_known_hasher(known_hasher()),
            read_since_sign_in: ReadSinceSignIn::new(s()),
            end_session: EndSession::new(s(), c(), m()),
            end_sessions: EndSessions::new(s(), c(), m()),
            list_sessions: ListSessions::new(s(), c()),
            welcome_owner: WelcomeOwner::new(s(), c(), r(), m(), hasher())
                .with_limits(config.policies.new_accounts),
            change_profile: ChangeProfile::new(s(), c(), m()),
            change_report_defaults: ChangeReportDefaults::new(s(), c(), m()),
            list_tokens: ListTokens::new(s()).under(config.policies.tokens),
            issue_token: IssueToken::new(s(), c(), r(), m()).under(config.policies.tokens),
            revoke_token: RevokeToken::new(s(), c(), m()),
            list_audit_events: ListAuditEvents::new(s()),
            cancel_analysis: CancelAnalysis::new(s(), c()),
            change_password: ChangePassword::new(known_hasher(), Arc::clone(&reauthenticate)),
            reauthenticate,
            set_ai_models: SetAiModels::new(s(), c(), m(), config.policies.engines.clone()),
            console_exports: Arc::clone(&ports.console_exports),
            read_top_results: ReadTopResults::new(s()),
            research_keyword: ResearchKeyword {
                core: Arc::clone(&core),
                patience: Arc::new(TimerPatience),
                supplier: Arc::clone(&ports.keyword_data),
            },
            policy_reports: AtomicU64::new(0),
            core,
            clock: c(),
            randomness: r(),
            storage: s(),
            wake,
            stopping,
            config,
        }
    }

    pub fn connections(&self) -> Arc<Connections> {
        Arc::clone(&self.connections)
    }

    /// Shown to the operator while there is no account; `None` afterwards.
    pub async fn welcome_code(&self) -> Result<Option<WelcomeCode>, StorageError> {
        self.welcome_owner.code().await
    }
}
