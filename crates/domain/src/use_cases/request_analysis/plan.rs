//! Work and cost of an analysis in advance.

use super::estimate::EnginePlan;
use super::{AnalysisRequest, RequestAnalysisError, key_of};
use crate::account::Account;
use crate::allowance::Allowance;
use crate::ids::JobId;
use crate::job::kind::AnalysisKind;
use crate::money::MicroUsd;
use crate::ports::spending::Spending;
use crate::use_cases::Core;
use crate::use_cases::budgets::Budget;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnalysisPlan {
    /// Keywords or pages, if known in advance; unknown for a site audit.
    pub units: Option<u64>,
    pub calls: u64,
    pub cost: MicroUsd,
    pub spending: Spending,
    pub budget: Option<MicroUsd>,
    pub today: Spending,
    pub daily_budget: Option<MicroUsd>,
    /// The cap that would refuse it at present.
    pub exceeds: Option<Budget>,
    /// For analyses that query AI engines.
    pub engines: Vec<EnginePlan>,
    /// Classifies sentiment in languages without a lexicon; many sentences per query.
    pub sentiment: Option<EnginePlan>,
    /// Quota of AI-tracked keywords, for analyses that measure them.
    pub ai_allowance: Option<Allowance>,
    pub duplicate: Option<JobId>,
}

impl Core {
    /// Estimates [`Core::request_analysis`]; stores nothing.
    pub async fn plan_analysis(
        &self,
        account: &Account,
        request: &AnalysisRequest,
    ) -> Result<AnalysisPlan, RequestAnalysisError> {
        self.ensure_startable(request.kind)?;
        let mut read = self.storage.read().await?;
        let project = { read.projects() }
            .find(account.id, request.project)
            .await?
            .ok_or(RequestAnalysisError::NoSuchProject)?;
        let amount = self.estimate(read.as_mut(), &project, request).await?;
        let mut units = amount.units;
        let day = self.clock.now().date_naive();
        let budgets = self.budgets(account, day);
        let mut spent = [Spending::default(); 3];
        for (stands, it) in spent.iter_mut().zip(&budgets) {
            *stands = read.spending().find(it.counter).await?;
        }
        let exceeds = { budgets.iter().zip(spent) }
            .find(|(it, stands)| exceeds(it.cap, *stands, amount.max_spend.cost))
            .map(|(it, _)| it.which);
        let [spending, today, _] = spent;
        let duplicate = read
            .jobs()
            .unfinished_with_key(account.id, &key_of(request))
            .await?
            .map(|job| job.id);
        drop(read);
        if request.kind == AnalysisKind::WebVitals {
            let max_pages = self.policies.prices.speed_pages;
            units = Some(1 + self.choose_pages(&project, max_pages).await?.len() as u64);
        }
        Ok(AnalysisPlan {
            units,
            calls: amount.max_spend.calls,
            cost: amount.max_spend.cost,
            spending,
            budget: account.limits.monthly_budget,
            today,
            daily_budget: account.limits.daily_budget,
            exceeds,
            ai_allowance: (request.kind == AnalysisKind::AiVisibility)
                .then(|| account.ai_allowance()),
            engines: amount.engines,
            sentiment: amount.sentiment,
            duplicate,
        })
    }
}

/// Whether `more` would exceed the cap. Free work never does.
fn exceeds(cap: Option<MicroUsd>, stands: Spending, more: MicroUsd) -> bool {
    let taken = stands.taken().0.saturating_add(more.0);
    more > MicroUsd::default() && cap.is_some_and(|cap| taken > cap.0)
}
