use crate::terminal::{print_line, print_table, truncate};
use analysis::findings::broken_links::BrokenLink;
use analysis::findings::cannibalization::CannibalizationSummary;
use analysis::findings::competitors::CompetitorsSummary;
use analysis::findings::forecast::ForecastRecord;
use analysis::findings::rankings::RankingRecord;
use analysis::findings::sov::SovSummary;
use analysis::findings::suggestions::{SuggestionRecord, SuggestionsSummary};
use analysis::result_type::ResultType;
use domain::ids::AccountId;
use domain::job::Job;
use domain::page::{Direction, PageRequest};
use domain::ports::storage::Storage;
use domain::results::{Finding, FindingQuery, FindingSort};
use std::sync::Arc;

const MAX_ROWS: u32 = 25;

pub async fn rankings(
    storage: &Arc<dyn Storage>,
    account: AccountId,
    job: &Job,
) -> anyhow::Result<()> {
    print_line(format!("\nrankings ({}, simulated)", job.state.name()));
    let records = findings(
        storage,
        account,
        job,
        ResultType::Rankings,
        FindingSort::Value,
    )
    .await?;
    let rows = records
        .iter()
        .map(|finding| finding.record.parse().map(|record| rank_row(&record)));
    print_table(
        &["position", "keyword", "page", "expected CTR"],
        rows.collect::<Result<Vec<_>, _>>()?,
    );
    Ok(())
}

fn rank_row(record: &RankingRecord) -> [String; 4] {
    let position = record
        .position
        .map_or_else(|| "not found".to_owned(), |position| position.to_string());
    let ctr = record
        .expected_ctr
        .map_or_else(String::new, |ctr| format!("{:.1} %", ctr * 100.0));
    [
        position,
        record.market.keyword.clone(),
        truncate(record.envelope.url.as_deref().unwrap_or("–"), 60),
        ctr,
    ]
}

pub async fn outlook(
    storage: &Arc<dyn Storage>,
    account: AccountId,
    job: &Job,
) -> anyhow::Result<()> {
    print_line("\nrank analyses (simulated)");
    let mut read = storage.read().await?;
    let heads = read.results().heads(account, job.project, 3).await?;
    let of = |wanted: ResultType| heads.iter().find(|it| it.0.result_type == wanted);
    if let Some((head, _)) = of(ResultType::Sov) {
        let sum: SovSummary = head.summary.parse()?;
        if let Some(share) = sum.sov {
            let rank = sum
                .rank
                .map_or_else(String::new, |it| format!(", rank {it}"));
            let domains = sum.domain_count;
            print_line(format!(
                "  share of voice: {:.1} % of {domains} domains{rank}",
                share * 100.0
            ));
        }
    }
    if let Some((head, _)) = of(ResultType::Competitors) {
        let sum: CompetitorsSummary = head.summary.parse()?;
        if let Some(domain) = sum.strongest {
            print_line(format!("  strongest competitor: {domain}"));
        }
    }
    if let Some((_, first)) = of(ResultType::Forecast) {
        let record = first.first().map(|it| it.record.parse()).transpose()?;
        let record: Option<ForecastRecord> = record;
        if let Some(end) = record.as_ref().and_then(|it| it.points.last()) {
            print_line(format!(
                "  visibility forecast for {}: {:.1} (80 % interval {:.1} to {:.1})",
                end.date, end.median, end.lo80, end.hi80
            ));
        }
    }
    if let Some((head, _)) = of(ResultType::Cannibalization) {
        let sum: CannibalizationSummary = head.summary.parse()?;
        print_line(format!("  keywords with cannibalization: {}", sum.keywords));
    }
    if let Some((head, first)) = of(ResultType::Suggestions) {
        let sum: SuggestionsSummary = head.summary.parse()?;
        let open = sum.open;
        print_line(format!("  open suggestions: {open}; highest priority:"));
        for finding in first {
            let record: SuggestionRecord = finding.record.parse()?;
            let rationale = truncate(&record.rationale, 160);
            let (score, title) = (record.priority_score, record.title);
            print_line(format!("    {score:>5.1}  {title}: {rationale}"));
        }
    }
    Ok(())
}

pub async fn broken_links(
    storage: &Arc<dyn Storage>,
    account: AccountId,
    job: &Job,
) -> anyhow::Result<()> {
    print_line(format!("\nbroken-links ({})", job.state.name()));
    if let Some(error) = job.error() {
        print_line(format!(
            "{} {}",
            error.detail,
            error.hint.clone().unwrap_or_default()
        ));
    }
    let records = findings(
        storage,
        account,
        job,
        ResultType::BrokenLinks,
        FindingSort::Ordinal,
    )
    .await?;
    let rows = records
        .iter()
        .map(|finding| finding.record.parse().map(|record| link_row(&record)));
    print_table(
        &["verdict", "target", "linked from", "line"],
        rows.collect::<Result<Vec<_>, _>>()?,
    );
    Ok(())
}

fn link_row(record: &BrokenLink) -> [String; 4] {
    let verdict = serde_json::to_string(&record.verdict).unwrap_or_default();
    [
        verdict.trim_matches('"').to_owned(),
        truncate(&record.target_url, 60),
        truncate(&record.source_url, 50),
        record.position.line.to_string(),
    ]
}

async fn findings(
    storage: &Arc<dyn Storage>,
    account: AccountId,
    job: &Job,
    result_type: ResultType,
    sort: FindingSort,
) -> anyhow::Result<Vec<Finding>> {
    let query = FindingQuery {
        result_type,
        job: Some(job.id),
        keyword: None,
        url: None,
        ordinal: None,
        from: None,
        to: None,
        page: PageRequest {
            sort,
            direction: Direction::Ascending,
            after: None,
            limit: MAX_ROWS,
            counted: false,
            bytes: None,
        },
    };
    Ok(storage
        .read()
        .await?
        .results()
        .findings(account, job.project, &query)
        .await?
        .items)
}
