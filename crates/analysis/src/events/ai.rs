//! `ai.mention_rate_moved`, `ai.citation_won`, `ai.citation_lost`, once a full week.

use super::event::{EventDraft, EventRun, Subject, SubjectKind, dedupe_key};
use super::kind::{EventKind, EventSeverity};
use super::outcome::{TestName, TestOutcome};
use super::state::{AnswerRate, EventState};
use crate::findings::ai_trends::{
    AiTrendPoint, AiTrendRecord, CitedDomainChange, PERIODS_BEFORE, TrendVerdict,
};
use crate::statistics::{benjamini_hochberg, normal::two_sided_p, wilson::Interval};
use crate::url_rules::OwnSites;
use chrono::Days;

/// Share of false ones among the engines that are reported.
pub const FALSE_DISCOVERY_RATE: f64 = 0.05;
/// 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_964;

/// Events of the project's trends, one record an engine. Records of keywords and of other periods than weeks are ignored.
pub fn answer_events(
    run: &EventRun<'_>,
    trends: &[AiTrendRecord],
    own: &OwnSites,
) -> Vec<EventDraft> {
    let of_project = trends.iter().filter(|it| it.keyword.is_none());
    let compared: Vec<Compared<'_>> = of_project.filter_map(Compared::of).collect();
    let p_values: Vec<f64> = compared.iter().map(|it| it.p).collect();
    let q_values = benjamini_hochberg::adjusted(&p_values);
    let mut events = Vec::new();
    for (one, q) in compared.iter().zip(q_values) {
        if one.trend.verdict == TrendVerdict::Moved && q <= FALSE_DISCOVERY_RATE {
            events.push(one.moved(run, q));
        }
        let mut cited = |kind, domains: &[CitedDomainChange]| {
            let is_own = |it: &&CitedDomainChange| own.owns_host(&it.domain);
            let found = domains.iter().find(is_own);
            events.extend(found.map(|it| one.cited(run, kind, it)));
        };
        cited(EventKind::CitationWon, &one.trend.new_cited_domains);
        cited(EventKind::CitationLost, &one.trend.lost_cited_domains);
    }
    events
}

/// A trend with a last full week that was compared with those before.
struct Compared<'a> {
    trend: &'a AiTrendRecord,
    now: &'a AiTrendPoint,
    /// The weeks before, of the same segment.
    earlier: Vec<&'a AiTrendPoint>,
    change: f64,
    range: Interval,
    p: f64,
}

impl<'a> Compared<'a> {
    fn of(trend: &'a AiTrendRecord) -> Option<Self> {
        let now = trend
            .points
            .iter()
            .find(|it| it.date == trend.last_period)?;
        let first = now
            .date
            .checked_sub_days(Days::new(7 * PERIODS_BEFORE as u64))?;
        let is_earlier = |it: &&AiTrendPoint| {
            it.segment == now.segment && it.date < now.date && it.date >= first
        };
        let change = trend.change_abs?;
        let range = Interval {
            low: trend.change_low?,
            high: trend.change_high?,
        };
        Some(Self {
            trend,
            now,
            earlier: trend.points.iter().filter(is_earlier).collect(),
            change,
            range,
            p: p_of(change, range),
        })
    }

    fn moved(&self, run: &EventRun<'_>, q: f64) -> EventDraft {
        let is_down = self.change < 0.0;
        let before = (self.now.mention_rate - self.change).clamp(0.0, 1.0);
        let now = AnswerRate {
            rate: self.now.mention_rate,
            low: Some(self.now.low),
            high: Some(self.now.high),
            answers: self.now.answer_count,
            prompts: self.now.prompt_count,
        };
        let test = TestOutcome::of(TestName::Newcombe, self.change, self.p);
        EventDraft {
            test: test.with_q(q).with_range(self.range),
            effect: self.change.abs(),
            ..self.draft(
                run,
                EventKind::MentionRateMoved,
                if is_down {
                    EventSeverity::Warning
                } else {
                    EventSeverity::Info
                },
                (self.earlier_rate(before), now),
            )
        }
    }

    fn cited(&self, run: &EventRun<'_>, kind: EventKind, domain: &CitedDomainChange) -> EventDraft {
        let now = AnswerRate {
            rate: domain.rate,
            low: None,
            high: None,
            answers: self.now.answer_count,
            prompts: self.now.prompt_count,
        };
        let change = domain.rate - domain.rate_before;
        EventDraft {
            test: TestOutcome::of(TestName::Newcombe, change, None),
            effect: change.abs(),
            ..self.draft(
                run,
                kind,
                if kind == EventKind::CitationLost {
                    EventSeverity::Warning
                } else {
                    EventSeverity::Info
                },
                (self.earlier_rate(domain.rate_before), now),
            )
        }
    }

    fn earlier_rate(&self, rate: f64) -> AnswerRate {
        let prompts = self.earlier.iter().map(|it| it.prompt_count).max();
        AnswerRate {
            rate,
            low: None,
            high: None,
            answers: self.earlier.iter().map(|it| it.answer_count).sum(),
            prompts: prompts.unwrap_or(0),
        }
    }

    fn draft(
        &self,
        run: &EventRun<'_>,
        kind: EventKind,
        severity: EventSeverity,
        (before, after): (AnswerRate, AnswerRate),
    ) -> EventDraft {
        let envelope = &self.trend.envelope;
        EventDraft {
            dedupe_key: dedupe_key(kind, &[&self.trend.engine, &self.trend.last_period]),
            n: u32::try_from(self.earlier.len()).ok(),
            simulated: envelope.provenance.is_simulated(),
            method_version: envelope.method_version.clone(),
            ..EventDraft::fact(
                kind,
                severity,
                Subject::new(SubjectKind::Engine, None, &self.trend.engine, None),
                (
                    Some(EventState::Rate(before)),
                    Some(EventState::Rate(after)),
                ),
                envelope.measured_at,
                run,
                &[],
            )
        }
    }
}

/// Two-sided, by the half of the interval that is towards 0: below 0.05 if and only if the interval excludes 0.
fn p_of(change: f64, range: Interval) -> f64 {
    let half = if change > 0.0 {
        change - range.low
    } else {
        range.high - change
    };
    if half > 0.0 {
        two_sided_p(Z * change.abs() / half)
    } else if change == 0.0 {
        1.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_is_below_5_percent_if_and_only_if_the_interval_excludes_0() {
        for (change, low, high) in [
            (0.2, 0.001, 0.5),
            (0.2, -0.001, 0.5),
            (-0.2, -0.5, -0.001),
            (-0.2, -0.5, 0.001),
        ] {
            let range = Interval { low, high };
            assert_eq!(
                p_of(change, range) < 0.05,
                range.excludes(0.0),
                "{change} {range:?}"
            );
        }
        let none = Interval {
            low: 0.0,
            high: 0.0,
        };
        assert!(p_of(0.0, none) >= 1.0);
    }
}
