//! What handlers work with: use cases, and what was decided when the server started.

use crate::{
    agent_api::docs::Documents,
    limits::{Limiter, RequestLimits},
    pages::door::{Closed, Door},
    paging::CursorKey,
};
use domain::{
    ids::IdMint,
    job::policy::QueuePolicy,
    ports::{
        ai_answers::AiEngines, clock::Clock, page_speed::NotConfigured, randomness::Randomness,
        search_results::SupplierLabel, storage::Storage,
    },
    use_cases::{
        authenticate_agent::AuthenticateAgent,
        change_keyword::ChangeKeyword,
        change_project::ChangeProject,
        create_project::CreateProject,
        deactivate_keyword::DeactivateKeyword,
        deactivate_project::DeactivateProject,
        list_ai_models::ListAiModels,
        list_jobs::ListJobs,
        list_keywords::ListKeywords,
        list_projects::ListProjects,
        look_up_repeat::LookUpRepeat,
        measure_page_speed::SpeedSources,
        note_token_use::NoteTokenUse,
        read_account::ReadAccount,
        read_job::ReadJob,
        read_keyword::ReadKeyword,
        read_project::ReadProject,
        read_results::ReadResults,
        remember_answer::RememberAnswer,
        report_leak::ReportLeak,
        request_analysis::{Prices, RequestAnalysis},
        track_keywords::TrackKeywords,
    },
};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What was decided when the server started.
#[derive(Clone)]
pub struct WebConfig {
    /// The address under which callers reach the server, without a trailing slash.
    pub public_base_url: String,
    /// The key under which cursors are signed.
    pub cursor_key: CursorKey,
    /// The queue's numbers.
    pub policy: QueuePolicy,
    /// What measuring takes.
    pub prices: Prices,
    /// Who supplies search pages.
    pub search: SupplierLabel,
    /// Who answers questions.
    pub engines: AiEngines,
    /// Who knows how fast pages are.
    pub speed: SpeedLabel,
    /// How large a body may be, in bytes.
    pub most_body: usize,
    /// How long a body may take to arrive.
    pub body_patience: std::time::Duration,
    /// How long a handler may take.
    pub handler_patience: std::time::Duration,
    /// How much may be asked.
    pub limits: RequestLimits,
}

/// Who knows how fast pages are, as far as this process can tell.
#[derive(Debug, Clone, Default)]
pub struct SpeedLabel {
    /// Their neutral names; none where nobody does.
    pub names: Vec<String>,
    /// What is missing, and how to provide it.
    pub missing: Vec<NotConfigured>,
}

impl SpeedLabel {
    /// What there is to say of these sources.
    #[must_use]
    pub fn of(sources: &SpeedSources) -> Self {
        Self {
            names: sources.names(),
            missing: sources.missing(),
        }
    }
}

/// What handlers work with.
pub struct Services {
    /// What was decided when the server started.
    pub config: WebConfig,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Where request ids come from.
    pub randomness: Arc<dyn Randomness>,
    /// For readiness.
    pub storage: Arc<dyn Storage>,
    /// Wakes a worker in the same process.
    pub wake: Arc<tokio::sync::Notify>,
    /// Cancelled when the process was told to stop: load balancers are told to look elsewhere.
    pub stopping: CancellationToken,
    /// Who is signed in, for pages.
    pub door: Arc<dyn Door>,
    pub(crate) limiter: Limiter,
    pub(crate) documents: Documents,
    pub(crate) authenticate: AuthenticateAgent,
    pub(crate) note_token_use: NoteTokenUse,
    pub(crate) report_leak: ReportLeak,
    pub(crate) look_up_repeat: LookUpRepeat,
    pub(crate) remember_answer: RememberAnswer,
    pub(crate) read_account: ReadAccount,
    pub(crate) create_project: CreateProject,
    pub(crate) list_projects: ListProjects,
    pub(crate) read_project: ReadProject,
    pub(crate) change_project: ChangeProject,
    pub(crate) deactivate_project: DeactivateProject,
    pub(crate) track_keywords: TrackKeywords,
    pub(crate) list_keywords: ListKeywords,
    pub(crate) change_keyword: ChangeKeyword,
    pub(crate) deactivate_keyword: DeactivateKeyword,
    pub(crate) list_ai_models: ListAiModels,
    pub(crate) request_analysis: RequestAnalysis,
    pub(crate) list_jobs: ListJobs,
    pub(crate) read_job: ReadJob,
    pub(crate) read_keyword: ReadKeyword,
    pub(crate) read_results: ReadResults,
}

impl Services {
    /// Everything on one storage.
    #[must_use]
    pub fn new(
        config: WebConfig,
        storage: &Arc<dyn Storage>,
        clock: &Arc<dyn Clock>,
        randomness: &Arc<dyn Randomness>,
        mint: &Arc<IdMint>,
        wake: Arc<tokio::sync::Notify>,
        stopping: CancellationToken,
    ) -> Self {
        let s = || Arc::clone(storage);
        let c = || Arc::clone(clock);
        let m = || Arc::clone(mint);
        Self {
            door: Arc::new(Closed),
            limiter: Limiter::new(&config.limits, clock),
            documents: Documents::default(),
            authenticate: AuthenticateAgent::new(s(), c()),
            note_token_use: NoteTokenUse::new(s(), c()),
            report_leak: ReportLeak::new(s(), c(), m()),
            look_up_repeat: LookUpRepeat::new(s(), c()),
            remember_answer: RememberAnswer::new(s(), c()),
            read_account: ReadAccount::new(s(), c()),
            create_project: CreateProject::new(s(), c(), m()),
            list_projects: ListProjects::new(s()),
            read_project: ReadProject::new(s()),
            change_project: ChangeProject::new(s(), c()),
            deactivate_project: DeactivateProject::new(s(), c()),
            track_keywords: TrackKeywords::new(s(), c(), m()),
            list_keywords: ListKeywords::new(s()),
            change_keyword: ChangeKeyword::new(s(), c()),
            deactivate_keyword: DeactivateKeyword::new(s(), c()),
            list_ai_models: ListAiModels::new(s(), config.engines.clone()),
            request_analysis: RequestAnalysis::new(s(), c(), m(), config.policy, config.prices)
                .asking(config.engines.clone()),
            list_jobs: ListJobs::new(s()),
            read_job: ReadJob::new(s()),
            read_keyword: ReadKeyword::new(s()),
            read_results: ReadResults::new(s()),
            clock: c(),
            randomness: Arc::clone(randomness),
            storage: s(),
            wake,
            stopping,
            config,
        }
    }
}
