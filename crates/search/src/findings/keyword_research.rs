use super::envelope::rounded;
use crate::keyword_metrics::VolumeChange;
use crate::observation::keyword_research::{
    CompetitionLevel, CostPerClick, IdeaRelation, KeywordFigures, MonthlyVolume, ReportedIntent,
    ResearchedKeyword,
};
use crate::observation::search_page::Feature;
use crate::provenance::Provenance;
use crate::{ToSchema, keyword_metrics, search_intent};
use serde::{Deserialize, Serialize};

/// What is known of a keyword.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeywordReport {
    /// Who answered, as a neutral label.
    pub provider: String,
    /// What the figures are.
    pub provenance: Provenance,
    /// Its figures.
    #[serde(flatten)]
    pub figures: KeywordFacts,
    /// How searches changed.
    pub trend_change: VolumeChange,
    /// The months of the year with the largest demand, 1 to 12; null unless a whole year is known.
    #[schema(required = true)]
    pub peak_months: Option<Vec<u32>>,
    /// Features on the results page; null when unknown.
    #[schema(required = true)]
    pub serp_features: Option<Vec<Feature>>,
    /// Whether the page shows an AI overview; null when unknown.
    #[schema(required = true)]
    pub ai_overview_likely: Option<bool>,
    /// Other keywords.
    pub ideas: Vec<IdeaReport>,
}

/// What is known of an idea.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IdeaReport {
    /// Its text.
    pub keyword: String,
    /// How it came to be one.
    pub relation: IdeaRelation,
    /// Its figures.
    #[serde(flatten)]
    pub figures: KeywordFacts,
}

/// Figures that keyword and ideas have alike. Null is unknown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeywordFacts {
    /// Searches a month.
    #[schema(required = true)]
    pub search_volume: Option<u64>,
    /// What advertisers pay for a click.
    #[schema(required = true)]
    pub cpc: Option<CostPerClick>,
    /// How many advertisers want it, 0 to 1.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub competition: Option<f64>,
    /// The same in a word.
    #[schema(required = true)]
    pub competition_level: Option<CompetitionLevel>,
    /// How hard it is to rank, 0 to 100.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub difficulty: Option<f64>,
    /// What the difficulty rests on.
    #[schema(required = true)]
    pub difficulty_method: Option<DifficultyMethod>,
    /// What searchers want.
    #[schema(required = true)]
    pub intent: Option<ReportedIntent>,
    /// The last twelve months, oldest first; null when none is known.
    #[schema(required = true)]
    pub trend: Option<Vec<MonthlyVolume>>,
}

/// What a difficulty rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum DifficultyMethod {
    /// The supplier's own measure.
    Supplier,
    /// Domains that link to the first ten results ([`keyword_metrics::difficulty_from_mean`]).
    Links,
}

/// From a supplier's data on a keyword; `language` is ISO 639-1.
pub fn report(keyword: &str, language: &str, found: &ResearchedKeyword) -> KeywordReport {
    let months = &found.figures.months;
    let change = keyword_metrics::volume_change(months);
    KeywordReport {
        provider: found.provider.clone(),
        provenance: found.provenance,
        figures: facts(keyword, language, &found.figures),
        trend_change: VolumeChange {
            year: change.year.or(found.figures.yearly_change),
            ..change
        },
        peak_months: keyword_metrics::peak_months(months),
        ai_overview_likely: { found.features.as_ref() }.map(|it| it.contains(&Feature::AiOverview)),
        serp_features: found.features.clone(),
        ideas: { found.ideas.iter() }
            .map(|idea| IdeaReport {
                keyword: idea.keyword.clone(),
                relation: relation(&idea.keyword, language, idea.relation),
                figures: facts(&idea.keyword, language, &idea.figures),
            })
            .collect(),
    }
}

fn facts(keyword: &str, language: &str, known: &KeywordFigures) -> KeywordFacts {
    let by_links = known
        .referring_domains
        .and_then(keyword_metrics::difficulty_from_mean);
    let (difficulty, difficulty_method) = match (known.difficulty, by_links) {
        (Some(supplied), _) => (Some(supplied), Some(DifficultyMethod::Supplier)),
        (None, Some(links)) => (Some(links), Some(DifficultyMethod::Links)),
        (None, None) => (None, None),
    };
    KeywordFacts {
        search_volume: known.search_volume,
        cpc: known.cpc.clone(),
        competition: known.competition,
        competition_level: known
            .competition_level
            .or_else(|| known.competition.map(competition_level)),
        difficulty,
        difficulty_method,
        intent: { known.intent.clone() }.or_else(|| intent_from_words(keyword, language)),
        trend: keyword_metrics::last_year(&known.months),
    }
}

/// Questions are [`IdeaRelation::Question`] whatever their source, except for `AlsoAsk`.
fn relation(keyword: &str, language: &str, reported: IdeaRelation) -> IdeaRelation {
    let is_question = search_intent::is_question(keyword, language) == Some(true);
    if is_question && reported != IdeaRelation::AlsoAsk {
        IdeaRelation::Question
    } else {
        reported
    }
}

/// Without a confidence, which words do not give.
fn intent_from_words(keyword: &str, language: &str) -> Option<ReportedIntent> {
    let main = search_intent::classify(keyword, language, None)?;
    Some(ReportedIntent {
        main,
        secondary: Vec::new(),
        confidence: None,
    })
}

/// In thirds, as Google Ads labels its competition index.
fn competition_level(competition: f64) -> CompetitionLevel {
    if competition < 1.0 / 3.0 {
        CompetitionLevel::Low
    } else if competition < 2.0 / 3.0 {
        CompetitionLevel::Medium
    } else {
        CompetitionLevel::High
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{observation::keyword_research::KeywordIdea, search_intent::Intent};

    fn found(figures: KeywordFigures) -> ResearchedKeyword {
        ResearchedKeyword {
            provider: "sandbox".to_owned(),
            provenance: Provenance::Simulated,
            fetched_at: chrono::DateTime::UNIX_EPOCH,
            figures,
            features: None,
            ideas: Vec::new(),
        }
    }

    #[test]
    fn what_is_unknown_is_null_in_every_member() {
        let record = report("xyzzy", "xx", &found(KeywordFigures::default()));
        let record = serde_json::to_value(record).unwrap();
        for name in [
            "searchVolume",
            "cpc",
            "competition",
            "competitionLevel",
            "difficulty",
            "difficultyMethod",
            "intent",
            "trend",
            "peakMonths",
            "serpFeatures",
            "aiOverviewLikely",
        ] {
            let value = record.get(name).unwrap_or_else(|| panic!("{name}"));
            assert!(value.is_null(), "{name}: {value}");
        }
        for span in ["month", "quarter", "year"] {
            assert!(record["trendChange"][span].is_null(), "{span}");
        }
    }

    #[test]
    fn supplier_values_take_precedence() {
        let known = KeywordFigures {
            difficulty: Some(31.0),
            referring_domains: Some(50.0),
            competition: Some(0.7),
            competition_level: Some(CompetitionLevel::Low),
            intent: Some(ReportedIntent {
                main: Intent::Navigational,
                secondary: vec![Intent::Commercial],
                confidence: Some(0.75),
            }),
            yearly_change: Some(0.11),
            ..KeywordFigures::default()
        };
        let record = report("buy shoes", "en", &found(known.clone()));
        assert_eq!(record.figures.difficulty, Some(31.0));
        assert_eq!(
            record.figures.difficulty_method,
            Some(DifficultyMethod::Supplier)
        );
        assert_eq!(
            record.figures.competition_level,
            Some(CompetitionLevel::Low)
        );
        assert_eq!(record.figures.intent, known.intent);
        assert_eq!(record.trend_change.year, Some(0.11));
    }

    #[test]
    fn missing_values_are_computed_and_marked() {
        let known = KeywordFigures {
            referring_domains: Some(50.0),
            competition: Some(0.34),
            ..KeywordFigures::default()
        };
        let figures = report("buy shoes", "en", &found(known)).figures;
        assert!((figures.difficulty.unwrap() - 56.910_8).abs() < 5e-5);
        assert_eq!(figures.difficulty_method, Some(DifficultyMethod::Links));
        assert_eq!(figures.competition_level, Some(CompetitionLevel::Medium));
        let intent = figures.intent.unwrap();
        assert_eq!(
            (intent.main, intent.confidence),
            (Intent::Transactional, None)
        );
        for (competition, word) in [
            (0.0, CompetitionLevel::Low),
            (0.33, CompetitionLevel::Low),
            (0.66, CompetitionLevel::Medium),
            (0.67, CompetitionLevel::High),
            (1.0, CompetitionLevel::High),
        ] {
            assert_eq!(competition_level(competition), word, "{competition}");
        }
    }

    #[test]
    fn questions_are_detected_by_their_words() {
        let idea = |keyword: &str, relation| KeywordIdea {
            keyword: keyword.to_owned(),
            relation,
            figures: KeywordFigures::default(),
        };
        let ideas = vec![
            idea("how to clean shoes", IdeaRelation::Phrase),
            idea("red shoes", IdeaRelation::Phrase),
            idea("why are shoes red", IdeaRelation::AlsoAsk),
            idea("shoes?", IdeaRelation::Related),
        ];
        let features = Some(vec![Feature::AiOverview]);
        let found = ResearchedKeyword {
            features,
            ideas,
            ..found(KeywordFigures::default())
        };
        let record = report("shoes", "en", &found);
        let relations: Vec<IdeaRelation> = record.ideas.iter().map(|it| it.relation).collect();
        assert_eq!(
            relations,
            [
                IdeaRelation::Question,
                IdeaRelation::Phrase,
                IdeaRelation::AlsoAsk,
                IdeaRelation::Question
            ]
        );
        assert_eq!(record.ai_overview_likely, Some(true));
    }
}
