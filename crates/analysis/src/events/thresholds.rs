use super::kind::EventKind;
use super::{ai, console, job, ranks, search_pages, site, vitals};

/// A default of a rule. Alert rules start from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    pub name: &'static str,
    pub value: f64,
}

impl EventKind {
    /// The defaults of a kind; empty for facts.
    #[expect(clippy::cast_precision_loss, reason = "small")]
    pub fn thresholds(self) -> Vec<Threshold> {
        let at = |name, value| Threshold { name, value };
        match self {
            Self::RankChanged => vec![
                at("places", ranks::MIN_PLACES.into()),
                at("placesBelow20", ranks::MIN_PLACES_BELOW.into()),
                at("falseAlarmsAMonth", ranks::FALSE_ALARMS),
            ],
            Self::KeywordEntered | Self::KeywordLost => {
                vec![at("falseAlarmsAMonth", ranks::FALSE_ALARMS)]
            }
            Self::CompetitorOvertook => vec![
                at("daysAbove", search_pages::MIN_BEHIND.into()),
                at("ofDays", search_pages::NEWEST_DAYS.into()),
                at("ownPosition", search_pages::MAX_OWN_POSITION.into()),
            ],
            Self::MentionRateMoved => vec![at("q", ai::FALSE_DISCOVERY_RATE)],
            Self::IssuesNew | Self::IssuesFixed => vec![
                at("errors", site::MIN_ERRORS as f64),
                at("warnings", site::MIN_WARNINGS as f64),
            ],
            Self::VitalsRegressed => vec![
                at("share", vitals::MIN_SHARE),
                at("shareOfVisitors", vitals::MIN_VISITOR_SHARE),
                at("shift", vitals::MIN_SHIFT),
                at("falseAlarmsAMonth", vitals::FALSE_ALARMS),
            ],
            Self::ClicksFell => vec![
                at("share", console::MIN_FALL),
                at("clicks", console::MIN_CLICKS),
                at("p", console::MAX_P),
            ],
            Self::AnalysisPartial => vec![at("missingPercent", job::MAX_MISSING_PERCENT as f64)],
            _ => Vec::new(),
        }
    }
}
