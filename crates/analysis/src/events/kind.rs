use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use texts::result_type::ResultType;

texts::wire_enum! {
    /// What happened. The catalogue of `docs/measurement/events.md` has a row for each.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum EventKind {
        RankChanged = "rank.changed",
        KeywordEntered = "keyword.entered",
        KeywordLost = "keyword.lost",
        KeywordUrlChanged = "keyword.url_changed",
        FeatureWon = "feature.won",
        FeatureLost = "feature.lost",
        CompetitorOvertook = "competitor.overtook",
        MentionRateMoved = "ai.mention_rate_moved",
        CitationWon = "ai.citation_won",
        CitationLost = "ai.citation_lost",
        IssuesNew = "audit.issues_new",
        IssuesFixed = "audit.issues_fixed",
        PageNoindexed = "page.noindexed",
        RobotsChanged = "robots.changed",
        VitalsRegressed = "vitals.regressed",
        ClicksFell = "search_console.clicks_fell",
        AnalysisFailed = "analysis.failed",
        AnalysisPartial = "analysis.partial",
        SourceFailing = "source.failing",
        BudgetReached = "budget.reached",
        TokenCreated = "token.created",
        TokenLeaked = "token.leaked",
        NewDevice = "sign_in.new_device",
        SignInFailed = "sign_in.failed",
    }
}

texts::wire_enum! {
    /// What a kind is about; pages and filters group by it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub enum EventClass {
        Ranks = "ranks",
        Ai = "ai",
        Site = "site",
        Search = "search",
        Work = "work",
        Security = "security",
    }
}

texts::wire_enum! {
    /// How much an event matters, ascending.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub enum EventSeverity {
        Info = "info",
        Notice = "notice",
        Warning = "warning",
        Critical = "critical",
    }
}

/// Whether events of a kind report something bad for the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Bad,
    Good,
    Neutral,
    /// Each event has its own: [`super::Event::fell`] compares before and after.
    Either,
}

/// What follows from the kind alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindInfo {
    pub class: EventClass,
    /// The results it is derived from; `None` for what is not derived from results.
    pub source: Option<ResultType>,
    pub direction: Direction,
    /// Whether it is concluded from figures that vary by chance. Only these can be false alarms.
    pub is_tested: bool,
}

impl EventKind {
    pub const fn info(self) -> KindInfo {
        use Direction::{Bad, Either, Good, Neutral};
        use EventClass::{Ai, Ranks, Search, Security, Site, Work};
        use ResultType::{AiTrends, Content, ContentChanges, Rankings, Serp, Vitals};
        let (class, source, direction, is_tested) = match self {
            Self::RankChanged => (Ranks, Some(Rankings), Either, true),
            Self::KeywordEntered => (Ranks, Some(Rankings), Good, true),
            Self::KeywordLost => (Ranks, Some(Rankings), Bad, true),
            Self::KeywordUrlChanged => (Ranks, Some(Rankings), Neutral, false),
            Self::FeatureWon => (Ranks, Some(Serp), Good, false),
            Self::FeatureLost => (Ranks, Some(Serp), Bad, false),
            Self::CompetitorOvertook => (Ranks, Some(Serp), Bad, true),
            Self::MentionRateMoved => (Ai, Some(AiTrends), Either, true),
            Self::CitationWon => (Ai, Some(AiTrends), Good, true),
            Self::CitationLost => (Ai, Some(AiTrends), Bad, true),
            Self::IssuesNew => (Site, Some(Content), Bad, false),
            Self::IssuesFixed => (Site, Some(Content), Good, false),
            Self::PageNoindexed => (Site, Some(ContentChanges), Bad, false),
            Self::RobotsChanged => (Site, Some(Content), Neutral, false),
            Self::VitalsRegressed => (Site, Some(Vitals), Bad, true),
            Self::ClicksFell => (Search, None, Bad, true),
            Self::AnalysisFailed | Self::AnalysisPartial | Self::BudgetReached => {
                (Work, None, Bad, false)
            }
            Self::SourceFailing => (Work, None, Either, false),
            Self::TokenCreated | Self::NewDevice => (Security, None, Neutral, false),
            Self::TokenLeaked | Self::SignInFailed => (Security, None, Bad, false),
        };
        KindInfo {
            class,
            source,
            direction,
            is_tested,
        }
    }
}

impl EventSeverity {
    /// For what rests on too little history.
    #[must_use]
    pub const fn one_lower(self) -> Self {
        match self {
            Self::Critical => Self::Warning,
            Self::Warning => Self::Notice,
            Self::Notice | Self::Info => Self::Info,
        }
    }
}

impl Serialize for EventKind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for EventKind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        Self::named(&name).ok_or_else(|| D::Error::custom("not a kind of event"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severities_ascend_and_end_at_info() {
        assert!(EventSeverity::ALL.is_sorted_by(|one, other| one < other));
        let lower = EventSeverity::ALL.map(EventSeverity::one_lower);
        assert_eq!(lower[0], EventSeverity::Info);
        assert_eq!(lower[1..], EventSeverity::ALL[..3]);
    }

    #[test]
    fn kinds_have_unique_names_of_two_parts_and_serialize_to_them() {
        for kind in EventKind::ALL {
            assert_eq!(kind.name().split('.').count(), 2, "{kind:?}");
            let json = serde_json::to_string(&kind).unwrap();
            assert_eq!(json, format!("\"{}\"", kind.name()));
            assert_eq!(serde_json::from_str::<EventKind>(&json).unwrap(), kind);
        }
        assert!(serde_json::from_str::<EventKind>("\"rank.moved\"").is_err());
    }
}
