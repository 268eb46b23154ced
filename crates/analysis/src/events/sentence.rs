//! An event as a sentence, for pages, the API and messages.

use super::event::Event;
use super::kind::EventKind;
use super::outcome::{TestName, TestOutcome, UntestedReason};
use super::ranks::TOPS;
use super::state::{
    AnswerRate, CompetitorRank, Directive, EventState, IndexDirective, IssuePages, RankFigure,
    SourceCondition, VitalsFigure, WeeklyClicks,
};
use crate::findings::issues::{IssueCode, info};
use crate::findings::vitals::Rating;

/// What happened, and what the test found, in plain text. Labels in it are data of the account.
pub fn sentence(event: &Event) -> String {
    if let Some(more) = event.more {
        return format!("{more} more events “{}” in this run.", event.kind.name());
    }
    let happened = happened(event)
        .unwrap_or_else(|| format!("{}: {}.", event.kind.name(), event.subject.label));
    match tested(event) {
        Some(test) => format!("{happened} {test}"),
        None => happened,
    }
}

fn happened(event: &Event) -> Option<String> {
    use EventState::{
        Access, Budget, Clicks, Competitor, Coverage, Failure, Features, Issues, Page, Rank, Rate,
        Robots, Source, Vitals,
    };
    let label = &event.subject.label;
    let states = (event.before.as_ref(), event.after.as_ref());
    Some(match (event.kind, states) {
        (_, (Some(Rank(before)), Some(Rank(after)))) => ranked(label, *before, *after)?,
        (_, (Some(Page(before)), Some(Page(after)))) => {
            format!(
                "“{label}” now ranks with {}, before with {}.",
                after.url, before.url
            )
        }
        (_, (Some(Features(before)), Some(Features(after)))) => {
            let (verb, feature) = match (before.features.first(), after.features.first()) {
                (_, Some(feature)) => ("won", feature),
                (Some(feature), None) => ("lost", feature),
                (None, None) => return None,
            };
            format!("“{label}” {verb} the {}.", feature.name().replace('_', " "))
        }
        (_, (_, Some(Competitor(after)))) => overtaken(label, after),
        (kind, (Some(Rate(before)), Some(Rate(after)))) => answered(kind, label, before, after),
        (kind, (Some(Issues(before)), Some(Issues(after)))) => issues(kind, label, before, after),
        (_, (_, Some(EventState::Directive(after)))) => noindexed(label, after),
        (_, (_, Some(Robots(after)))) => match after.blocked.len() {
            0 => format!("The rules of robots.txt of {label} changed."),
            count => format!(
                "robots.txt of {label} blocks {} more.",
                counted(count as u64, "tracked page")
            ),
        },
        (_, (Some(Vitals(before)), Some(Vitals(after)))) => {
            regressed(label, event.subject.url.as_deref()?, before, after)
        }
        (_, (Some(Clicks(before)), Some(Clicks(after)))) => clicks(label, before, after),
        (_, (_, Some(Failure(it)))) => {
            format!(
                "The analysis {label} failed in the stage “{}”: {}.",
                it.stage, it.code
            )
        }
        (_, (_, Some(Coverage(it)))) => {
            format!(
                "The analysis {label} measured {} of {} subjects.",
                it.measured, it.requested
            )
        }
        (_, (_, Some(Source(it)))) => match it.state {
            SourceCondition::Working => format!("The source of {} works again.", it.kind_of_source),
            SourceCondition::Failing => {
                format!(
                    "The source of {} fails. Its figures are unknown, not lost.",
                    it.kind_of_source
                )
            }
            SourceCondition::Refused => {
                format!(
                    "The source of {} refuses its key. Its figures are unknown, not lost.",
                    it.kind_of_source
                )
            }
        },
        (_, (_, Some(Budget(it)))) => {
            let percent = u128::from(it.spent) * 100 / u128::from(it.limit.max(1));
            format!("{percent} % of the budget “{label}” is used.")
        }
        (EventKind::TokenCreated, _) => format!("The token “{label}” was created."),
        (EventKind::TokenLeaked, _) => format!("The token “{label}” was reported as leaked."),
        (EventKind::NewDevice, (_, Some(Access(it)))) => {
            let known = [it.browser.as_deref(), it.network.as_deref()];
            let known: Vec<&str> = known.into_iter().flatten().collect();
            if known.is_empty() {
                format!("{label} signed in on a new device.")
            } else {
                format!("{label} signed in on a new device: {}.", known.join(", "))
            }
        }
        (EventKind::SignInFailed, (_, Some(Access(it)))) => {
            format!(
                "{} to sign in as {label} failed.",
                counted(it.count, "attempt")
            )
        }
        _ => return None,
    })
}

fn ranked(label: &str, before: RankFigure, after: RankFigure) -> Option<String> {
    Some(match (before.position, after.position) {
        (Some(was), Some(is)) => {
            let (places, verb) = (was.abs_diff(is), if is > was { "fell" } else { "rose" });
            let crossed = |top: &&u32| (was <= **top) != (is <= **top);
            let top = if is > was {
                TOPS.iter().rev().find(crossed)
            } else {
                TOPS.iter().find(crossed)
            };
            match top {
                Some(top) if is > was => {
                    format!("“{label}” fell out of the top {top}: {was} → {is}.")
                }
                Some(top) => format!("“{label}” rose into the top {top}: {was} → {is}."),
                None => format!(
                    "“{label}” {verb} {}: {was} → {is}.",
                    counted(places.into(), "place")
                ),
            }
        }
        (Some(was), None) => {
            format!(
                "“{label}” is not found in the top {}; before {was}.",
                after.depth?
            )
        }
        (None, Some(is)) => {
            format!(
                "“{label}” is found at {is}; before, not in the top {}.",
                before.depth?
            )
        }
        (None, None) => return None,
    })
}

fn overtaken(label: &str, after: &CompetitorRank) -> String {
    let place = |it: Option<u32>| it.map_or_else(|| "not found".to_owned(), |it| it.to_string());
    let (theirs, own) = (place(after.position), place(after.own_position));
    format!(
        "{} ranks above you for “{label}”: {theirs}, you {own}.",
        after.domain
    )
}

fn answered(kind: EventKind, label: &str, before: &AnswerRate, after: &AnswerRate) -> String {
    let percent = |rate: f64| format!("{:.0}", rate * 100.0);
    let (was, is) = (percent(before.rate), percent(after.rate));
    match kind {
        EventKind::CitationWon => {
            format!("{label} now links to your site in {is} of 100 answers, before in none.")
        }
        EventKind::CitationLost => {
            format!("{label} no longer links to your site, before in {was} of 100 answers.")
        }
        _ => format!("{label} names you in {is} of 100 answers, before {was}."),
    }
}

fn issues(kind: EventKind, label: &str, before: &IssuePages, after: &IssuePages) -> String {
    let title = IssueCode::named(label).map_or(label, |it| info(it).title);
    let word = if kind == EventKind::IssuesFixed {
        "Fixed"
    } else {
        "New"
    };
    format!(
        "{word}: “{title}”, on {}, before {}.",
        counted(after.urls, "page"),
        before.urls
    )
}

fn noindexed(label: &str, after: &IndexDirective) -> String {
    let directive = match after.directive {
        Directive::Index => "index",
        Directive::Meta => "meta element",
        Directive::Header => "X-Robots-Tag header",
    };
    match (after.pages, after.position) {
        (Some(1), _) => "1 page that does not rank is now noindex.".to_owned(),
        (Some(pages), _) => format!("{pages} pages that do not rank are now noindex."),
        (None, Some(position)) => {
            format!("{label}, which ranks at {position}, is now noindex ({directive}).")
        }
        (None, None) => format!("{label} is now noindex ({directive})."),
    }
}

fn regressed(label: &str, url: &str, before: &VitalsFigure, after: &VitalsFigure) -> String {
    let rating = match after.rating {
        Rating::Good => "still good, but worse",
        Rating::NeedsImprovement => "in need of improvement",
        Rating::Poor => "poor",
    };
    let unit = if label.starts_with("CLS") { "" } else { " ms" };
    format!(
        "{label} of {url} is {rating}: {} → {}{unit}.",
        figure(before.p75),
        figure(after.p75)
    )
}

fn clicks(label: &str, before: &WeeklyClicks, after: &WeeklyClicks) -> String {
    let percent = (1.0 - after.clicks / before.clicks.max(1.0)) * 100.0;
    format!(
        "Clicks of {label} fell {percent:.0} % against the {} before: {:.0} → {:.0} a week.",
        counted(before.weeks.into(), "week"),
        before.clicks,
        after.clicks
    )
}

fn tested(event: &Event) -> Option<String> {
    let test = &event.test;
    if test.reason == Some(UntestedReason::TooLittleHistory) {
        let days = counted(event.n.unwrap_or(0).into(), "measurement");
        return Some(format!("Too little history to test: {days} before."));
    }
    let n = event.n?;
    let statistic = test.statistic?;
    Some(match test.name {
        TestName::ModeratedT => {
            let usual = range(test, figure)?;
            format!(
                "Test: t = {statistic:.1}, {}, n = {n}; usual range {usual}.",
                p_value(test)
            )
        }
        TestName::SignTest => format!("Sign test: {statistic:.0} of 8 days, {}.", p_value(test)),
        TestName::Newcombe => {
            let points = |it: f64| format!("{:+.0}", it * 100.0);
            let change = range(test, points)?;
            format!(
                "Change {} points, 95 % interval {change}, {}.",
                points(statistic),
                p_value(test)
            )
        }
        TestName::None => return None,
    })
}

fn range(test: &TestOutcome, shown: fn(f64) -> String) -> Option<String> {
    let (low, high) = (shown(test.low?), shown(test.high?));
    let between = if high.starts_with(['+', '-']) {
        " to "
    } else {
        "–"
    };
    Some(format!("{low}{between}{high}"))
}

/// Small figures with two decimals, others as integers.
fn figure(value: f64) -> String {
    if value < 1.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.0}")
    }
}

fn p_value(test: &TestOutcome) -> String {
    match test.p {
        Some(p) if p < 1e-15 => "p < 1e-15".to_owned(),
        Some(p) if p < 0.001 => format!("p = {p:.0e}"),
        Some(p) => format!("p = {p:.3}"),
        None => "p unknown".to_owned(),
    }
}

fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::event::{EventDraft, EventRun, Subject, SubjectKind};
    use crate::events::kind::EventSeverity;
    use crate::events::state::{
        AccessFact, BudgetUse, JobCoverage, JobFailure, OwnedFeatures, PageUrl, RobotsVersion,
        SourceState,
    };
    use crate::observation::search_page::Feature;
    use crate::statistics::wilson::Interval;
    use chrono::DateTime;

    const RUN: EventRun<'_> = EventRun {
        job: 1,
        simulated: false,
        method: "",
    };

    fn shown(
        kind: EventKind,
        label: &str,
        before: Option<EventState>,
        after: EventState,
        change: impl FnOnce(&mut EventDraft),
    ) -> String {
        let subject = Subject::new(
            SubjectKind::Keyword,
            Some(1),
            label,
            Some("https://a.example/"),
        );
        let states = (before, Some(after));
        let severity = EventSeverity::Info;
        let mut draft = EventDraft::fact(
            kind,
            severity,
            subject,
            states,
            DateTime::UNIX_EPOCH,
            &RUN,
            &[],
        );
        change(&mut draft);
        sentence(&draft.published(None, DateTime::UNIX_EPOCH))
    }

    fn plain(
        kind: EventKind,
        label: &str,
        before: Option<EventState>,
        after: EventState,
    ) -> String {
        shown(kind, label, before, after, |_| {})
    }

    fn rank(was: Option<u32>, is: Option<u32>) -> String {
        let state = |it| EventState::Rank(RankFigure::of(it, 100));
        plain(
            EventKind::RankChanged,
            "rank tracker",
            Some(state(was)),
            state(is),
        )
    }

    #[test]
    fn ranks_name_the_place_that_was_lost() {
        let state = |it| EventState::Rank(RankFigure::of(Some(it), 100));
        let tested = |draft: &mut EventDraft| {
            let test = TestOutcome::of(TestName::ModeratedT, 7.1, 1.1e-8);
            draft.test = test.with_range(Interval {
                low: 3.6,
                high: 6.9,
            });
            draft.n = Some(27);
        };
        assert_eq!(
            shown(
                EventKind::RankChanged,
                "rank tracker",
                Some(state(5)),
                state(15),
                tested
            ),
            "“rank tracker” fell out of the top 10: 5 → 15. Test: t = 7.1, p = 1e-8, n = 27; usual range 4–7."
        );
        let short = |draft: &mut EventDraft| {
            draft.test = TestOutcome::TOO_LITTLE_HISTORY;
            draft.n = Some(3);
        };
        assert_eq!(
            shown(
                EventKind::RankChanged,
                "rank tracker",
                Some(state(25)),
                state(70),
                short
            ),
            "“rank tracker” fell 45 places: 25 → 70. Too little history to test: 3 measurements before."
        );
        assert_eq!(
            rank(Some(2), Some(15)),
            "“rank tracker” fell out of the top 10: 2 → 15."
        );
        assert_eq!(
            rank(Some(15), Some(2)),
            "“rank tracker” rose into the top 3: 15 → 2."
        );
        assert_eq!(
            rank(Some(2), Some(1)),
            "“rank tracker” rose 1 place: 2 → 1."
        );
        assert_eq!(
            rank(Some(5), None),
            "“rank tracker” is not found in the top 100; before 5."
        );
        assert_eq!(
            rank(None, Some(8)),
            "“rank tracker” is found at 8; before, not in the top 100."
        );
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a row for each state")]
    fn every_kind_of_state_has_a_sentence() {
        use EventState as S;
        let features = |it: &[Feature]| {
            S::Features(OwnedFeatures {
                features: it.to_vec(),
            })
        };
        let rate = |rate| {
            S::Rate(AnswerRate {
                rate,
                low: None,
                high: None,
                answers: 300,
                prompts: 60,
            })
        };
        let issues = |urls| {
            S::Issues(IssuePages {
                urls,
                sample: vec![],
            })
        };
        let page = |it: &str| S::Page(PageUrl { url: it.to_owned() });
        let directive = |position, pages| {
            S::Directive(IndexDirective {
                directive: Directive::Meta,
                position,
                pages,
            })
        };
        let robots = |count| {
            let blocked = vec!["https://a.example/".to_owned(); count];
            S::Robots(RobotsVersion {
                hash: "0".to_owned(),
                blocked,
            })
        };
        let vitals = |p75, rating| {
            S::Vitals(VitalsFigure {
                p75,
                rating,
                iqr: None,
            })
        };
        let source = |state| {
            S::Source(SourceState {
                kind_of_source: "search pages".to_owned(),
                state,
            })
        };
        let competitor = S::Competitor(CompetitorRank {
            domain: "b.example".to_owned(),
            position: Some(5),
            own_position: None,
        });
        let failure = S::Failure(JobFailure {
            code: "blocked".to_owned(),
            stage: "measure".to_owned(),
        });
        let access = |count| {
            S::Access(AccessFact {
                browser: Some("Firefox".to_owned()),
                network: None,
                count,
            })
        };
        for (kind, label, before, after, expected) in [
            (
                EventKind::KeywordUrlChanged,
                "k",
                Some(page("x")),
                page("y"),
                "“k” now ranks with y, before with x.",
            ),
            (
                EventKind::FeatureLost,
                "k",
                Some(features(&[Feature::FeaturedSnippet])),
                features(&[]),
                "“k” lost the featured snippet.",
            ),
            (
                EventKind::FeatureWon,
                "k",
                Some(features(&[])),
                features(&[Feature::Video]),
                "“k” won the video.",
            ),
            (
                EventKind::CompetitorOvertook,
                "k",
                None,
                competitor,
                "b.example ranks above you for “k”: 5, you not found.",
            ),
            (
                EventKind::MentionRateMoved,
                "e",
                Some(rate(0.3)),
                rate(0.18),
                "e names you in 18 of 100 answers, before 30.",
            ),
            (
                EventKind::CitationLost,
                "e",
                Some(rate(0.12)),
                rate(0.0),
                "e no longer links to your site, before in 12 of 100 answers.",
            ),
            (
                EventKind::CitationWon,
                "e",
                Some(rate(0.0)),
                rate(0.12),
                "e now links to your site in 12 of 100 answers, before in none.",
            ),
            (
                EventKind::IssuesNew,
                "x",
                Some(issues(3)),
                issues(10),
                "New: “x”, on 10 pages, before 3.",
            ),
            (
                EventKind::IssuesFixed,
                "x",
                Some(issues(3)),
                issues(1),
                "Fixed: “x”, on 1 page, before 3.",
            ),
            (
                EventKind::PageNoindexed,
                "u",
                None,
                directive(Some(4), None),
                "u, which ranks at 4, is now noindex (meta element).",
            ),
            (
                EventKind::PageNoindexed,
                "u",
                None,
                directive(None, Some(9)),
                "9 pages that do not rank are now noindex.",
            ),
            (
                EventKind::RobotsChanged,
                "a.example",
                None,
                robots(0),
                "The rules of robots.txt of a.example changed.",
            ),
            (
                EventKind::RobotsChanged,
                "a.example",
                None,
                robots(2),
                "robots.txt of a.example blocks 2 tracked pages more.",
            ),
            (
                EventKind::VitalsRegressed,
                "LCP (phone, lab)",
                Some(vitals(2_000.0, Rating::Good)),
                vitals(4_100.0, Rating::Poor),
                "LCP (phone, lab) of https://a.example/ is poor: 2000 → 4100 ms.",
            ),
            (
                EventKind::AnalysisFailed,
                "rankCheck",
                None,
                failure,
                "The analysis rankCheck failed in the stage “measure”: blocked.",
            ),
            (
                EventKind::AnalysisPartial,
                "rankCheck",
                None,
                S::Coverage(JobCoverage {
                    requested: 100,
                    measured: 80,
                }),
                "The analysis rankCheck measured 80 of 100 subjects.",
            ),
            (
                EventKind::SourceFailing,
                "s",
                None,
                source(SourceCondition::Failing),
                "The source of search pages fails. Its figures are unknown, not lost.",
            ),
            (
                EventKind::SourceFailing,
                "s",
                None,
                source(SourceCondition::Working),
                "The source of search pages works again.",
            ),
            (
                EventKind::BudgetReached,
                "month",
                None,
                S::Budget(BudgetUse {
                    spent: 8,
                    limit: 10,
                }),
                "80 % of the budget “month” is used.",
            ),
            (
                EventKind::TokenLeaked,
                "ci",
                None,
                access(1),
                "The token “ci” was reported as leaked.",
            ),
            (
                EventKind::NewDevice,
                "Eva",
                None,
                access(1),
                "Eva signed in on a new device: Firefox.",
            ),
            (
                EventKind::SignInFailed,
                "Eva",
                None,
                access(10),
                "10 attempts to sign in as Eva failed.",
            ),
        ] {
            assert_eq!(plain(kind, label, before, after), expected);
        }
    }

    #[test]
    fn clicks_and_answers_name_their_tests() {
        let state = |clicks, weeks| EventState::Clicks(WeeklyClicks { clicks, weeks });
        let tested = |draft: &mut EventDraft| {
            let test = TestOutcome::of(TestName::ModeratedT, -4.2, 0.000_9);
            draft.test = test.with_range(Interval {
                low: 900.0,
                high: 1_500.0,
            });
            draft.n = Some(8);
        };
        assert_eq!(
            shown(
                EventKind::ClicksFell,
                "a.example",
                Some(state(1_200.0, 8)),
                state(780.0, 1),
                tested
            ),
            "Clicks of a.example fell 35 % against the 8 weeks before: 1200 → 780 a week. Test: t = -4.2, p = 9e-4, n = 8; usual range 900–1500."
        );
    }

    #[test]
    fn the_rest_of_a_run_is_counted() {
        let state = EventState::Rank(RankFigure::of(None, 1));
        let more = shown(EventKind::RankChanged, "", None, state, |it| {
            it.more = 9_500;
        });
        assert_eq!(more, "9500 more events “rank.changed” in this run.");
    }
}
