pub mod ai_trends;
pub mod ai_visibility;
pub mod cannibalization;
pub mod competitors;
pub mod forecast;
pub mod keyword_market;
pub mod keyword_research;
pub mod rankings;
pub mod serp;
pub mod sov;

pub(crate) use texts::findings::envelope;

texts::finding_types! {
    Rankings: rankings[RankingRecord, RankingsSummary];
    Serp: serp[SerpRecord, SerpSummary];
    Sov: sov[SovRecord, SovSummary];
    Forecast: forecast[ForecastRecord, ForecastSummary];
    Competitors: competitors[CompetitorRecord, CompetitorsSummary];
    Cannibalization: cannibalization[CannibalizationRecord, CannibalizationSummary];
    AiVisibility: ai_visibility[AiVisibilityRecord, AiVisibilitySummary];
    AiTrends: ai_trends[AiTrendRecord, AiTrendsSummary];
}
