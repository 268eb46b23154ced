use super::*;
use crate::findings::ai_visibility::{LeftOut, PromptTally};
use crate::provenance::{Provenance, RecordStatus};
use chrono::{DateTime, Days, NaiveDate, Utc};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A Monday.
pub(super) fn monday() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 10, 5).unwrap()
}

pub(super) fn tally(week: u64, prompt: u64, answers: u64, mentions: u64) -> PromptTally {
    PromptTally {
        day: monday() + Days::new(7 * week + 2),
        engine: "perplexity".to_owned(),
        model: Some("sonar-1".to_owned()),
        template_version: 1,
        detector_version: "ai-mentions/1".to_owned(),
        provenance: Provenance::Measured,
        prompt_id: format!("prompt {prompt}"),
        keyword_id: Some(i64::try_from(prompt / 5).unwrap()),
        is_branded: false,
        answers,
        mentions,
        sourced: answers,
        citations: mentions / 2,
        evaluated: answers,
        recommendations: 0,
        namings: answers,
        shared: answers,
        share_sum: 0.0,
        felt: 0,
        sentiment_sum: 0.0,
        left_out: LeftOut::default(),
        cited_domains: BTreeMap::new(),
    }
}

fn measurement_time() -> DateTime<Utc> {
    (monday() + Days::new(7 * 5 + 1))
        .and_hms_opt(12, 0, 0)
        .unwrap()
        .and_utc()
}

pub(super) fn trend_of(tallies: &[PromptTally]) -> AiTrendRecord {
    trend(&TrendInput {
        project_id: 3,
        keyword: None,
        engine: "perplexity",
        period: TrendPeriod::Week,
        tallies,
        measured_at: measurement_time(),
        provider: Some("perplexity"),
    })
}

/// Five weeks of five prompts with five answers each, with `mentions` per prompt by week.
fn weeks(mentions: [u64; 5]) -> Vec<PromptTally> {
    { mentions.into_iter().enumerate() }
        .flat_map(|(week, mentions)| {
            (0..5).map(move |prompt| tally(week as u64, prompt, 5, mentions))
        })
        .collect()
}

#[test]
fn periods_begin_on_mondays_and_first_days() {
    let day = NaiveDate::from_ymd_opt(2026, 10, 11).unwrap();
    assert_eq!(TrendPeriod::Week.start(day), monday());
    assert_eq!(
        TrendPeriod::Month.start(day),
        NaiveDate::from_ymd_opt(2026, 10, 1).unwrap()
    );
    assert_eq!(TrendPeriod::Day.start(day), day);
}

#[test]
fn the_last_full_week_is_compared_with_the_four_before() {
    let found = trend_of(&weeks([2, 2, 2, 2, 2]));
    assert_eq!(
        (found.verdict, found.reason),
        (TrendVerdict::WithinNoise, None)
    );
    assert_eq!(found.direction, Some(TrendDirection::Flat));
    assert!(found.change_abs.unwrap().abs() < 1e-12);
    let up = trend_of(&weeks([1, 1, 1, 1, 5]));
    assert_eq!(
        (up.verdict, up.direction),
        (TrendVerdict::Moved, Some(TrendDirection::Up))
    );
    let golden = crate::statistics::newcombe::newcombe((25, 25), (20, 100)).unwrap();
    assert!((up.change_low.unwrap() - golden.low).abs() < 1e-12);
    assert!((up.change_high.unwrap() - golden.high).abs() < 1e-12);
    assert_eq!(up.points.len(), 5);
    assert_eq!(up.envelope.status, RecordStatus::Ok);
    // The running week is shown and not compared.
    let mut running = weeks([1, 1, 1, 1, 1]);
    running.extend((0..5).map(|prompt| tally(5, prompt, 5, 5)));
    let found = trend_of(&running);
    assert_eq!(
        (found.verdict, found.points.len()),
        (TrendVerdict::WithinNoise, 6)
    );
}

#[test]
fn a_model_change_starts_a_new_segment() {
    let mut tallies = weeks([1, 1, 1, 1, 5]);
    for it in tallies
        .iter_mut()
        .filter(|it| it.day >= monday() + Days::new(28))
    {
        it.model = Some("sonar-2".to_owned());
    }
    let found = trend_of(&tallies);
    assert_eq!(
        (found.verdict, found.reason),
        (TrendVerdict::ModelChanged, Some(TrendReason::NewSegment))
    );
    assert_eq!(
        (found.change_abs, found.significant, found.direction),
        (None, None, None)
    );
    assert_eq!(found.envelope.status, RecordStatus::InsufficientData);
    assert_eq!(
        found.drift_flags,
        [DriftFlag {
            date: monday() + Days::new(30),
            kind: DriftKind::ModelChange,
            from: Some("sonar-1".to_owned()),
            to: Some("sonar-2".to_owned()),
        }]
    );
    assert_eq!(found.points[4].segment, 1);
}

type Change = (fn(&mut PromptTally), TrendVerdict, DriftKind);

#[test]
fn prompt_detector_and_source_changes_start_segments() {
    let changes: [Change; 3] = [
        (
            |it| it.template_version = 2,
            TrendVerdict::PromptPanelChanged,
            DriftKind::PromptPanelChange,
        ),
        (
            |it| it.detector_version = "ai-mentions/2".to_owned(),
            TrendVerdict::DetectorChanged,
            DriftKind::DetectorChange,
        ),
        (
            |it| it.provenance = Provenance::Simulated,
            TrendVerdict::SourceChanged,
            DriftKind::SourceChange,
        ),
    ];
    for (change, verdict, kind) in changes {
        let mut tallies = weeks([1, 1, 1, 1, 5]);
        tallies
            .iter_mut()
            .filter(|it| it.day >= monday() + Days::new(28))
            .for_each(change);
        let found = trend_of(&tallies);
        assert_eq!((found.verdict, found.drift_flags[0].kind), (verdict, kind));
    }
}

#[test]
fn weeks_before_a_model_change_are_not_compared() {
    let mut tallies = weeks([5, 5, 1, 1, 1]);
    for it in tallies
        .iter_mut()
        .filter(|it| it.day >= monday() + Days::new(14))
    {
        it.model = Some("sonar-2".to_owned());
    }
    let found = trend_of(&tallies);
    assert_eq!(found.verdict, TrendVerdict::WithinNoise);
    assert!(found.change_abs.unwrap().abs() < 1e-12);
}

#[test]
fn a_weeks_rate_excludes_answers_of_other_models() {
    let mut tallies = weeks([1, 1, 1, 1, 1]);
    let mut stray = tally(4, 0, 4, 4);
    stray.model = Some("sonar-2".to_owned());
    tallies.push(stray);
    let found = trend_of(&tallies);
    assert_eq!(found.verdict, TrendVerdict::WithinNoise);
    assert_eq!(
        (
            found.points[4].answer_count,
            found.points[4].other_answer_count
        ),
        (25, 4)
    );
    assert!(
        found
            .envelope
            .warnings
            .contains(&"answersOnOtherTerms".to_owned())
    );
}

#[test]
fn comparison_needs_half_of_the_prompts_on_both_sides() {
    let mut tallies = weeks([1, 1, 1, 1, 1]);
    // A new keyword on which the project is always named changes nothing.
    tallies.extend((5..9).map(|prompt| tally(4, prompt, 5, 5)));
    let found = trend_of(&tallies);
    assert_eq!(found.verdict, TrendVerdict::WithinNoise);
    assert!(found.composition_adjusted && found.change_abs.unwrap().abs() < 1e-12);
    assert_eq!((found.shared_prompts, found.all_prompts), (5, 9));
    tallies.extend((9..20).map(|prompt| tally(4, prompt, 5, 5)));
    let found = trend_of(&tallies);
    assert_eq!(found.reason, Some(TrendReason::FewSharedPrompts));
}

#[test]
fn gaps_stay_gaps_with_a_reason() {
    let mut gap = weeks([1, 1, 1, 1, 1]);
    gap.retain(|it| it.day < monday() + Days::new(7) || it.day >= monday() + Days::new(21));
    let found = trend_of(&gap);
    assert_eq!(found.points.len(), 3);
    assert!(found.envelope.warnings.contains(&"gaps".to_owned()));
    let mut none = weeks([1, 1, 1, 1, 1]);
    none.truncate(20);
    let mut refused = tally(4, 0, 0, 0);
    refused.left_out.refused = 5;
    none.push(refused);
    let found = trend_of(&none);
    assert_eq!(found.reason, Some(TrendReason::NoAnswersInLastPeriod));
    assert_eq!(found.left_out.refused, 5);
    let only = trend_of(&weeks([1, 1, 1, 1, 1])[20..]);
    assert_eq!(only.reason, Some(TrendReason::NoAnswersBefore));
    let few: Vec<PromptTally> = (0..5).map(|week| tally(week, 0, 1, 1)).collect();
    assert_eq!(trend_of(&few).reason, Some(TrendReason::FewAnswers));
    assert_eq!(trend_of(&[]).points.len(), 0);
}

#[test]
fn a_series_of_zeros_has_an_upper_bound() {
    let found = trend_of(&weeks([0; 5]));
    let bound = crate::statistics::wilson::wilson(0, 25).unwrap();
    assert!((found.points[4].high - bound.high).abs() < 1e-12);
    assert!(found.points[4].smoothed_mention_rate > 0.0);
}

#[test]
fn movers_are_corrected_for_multiple_tests() {
    let of = |keyword: u64, week: u64, mentions: u64| -> Vec<PromptTally> {
        (0..5)
            .map(|at| tally(week, keyword * 5 + at, 5, mentions))
            .collect()
    };
    let mut tallies: Vec<PromptTally> = Vec::new();
    for keyword in 0..40 {
        for week in 0..4 {
            tallies.extend(of(keyword, week, 2));
        }
        // One rises clearly, one slightly, the others stay.
        tallies.extend(of(
            keyword,
            4,
            match keyword {
                0 => 5,
                1 => 3,
                _ => 2,
            },
        ));
    }
    let found = trend_of(&tallies);
    assert_eq!(found.compared_keywords, 40);
    let gainers: Vec<i64> = found.top_gainers.iter().map(|it| it.keyword_id).collect();
    assert_eq!(
        (gainers, found.top_losers.len(), found.moved_keywords),
        (vec![0], 0, 1)
    );
    assert!(found.top_gainers[0].q_value >= found.top_gainers[0].p_value);
}

#[test]
fn cited_domains_change_only_if_significant() {
    let mut tallies = weeks([1; 5]);
    for it in &mut tallies {
        let is_last = it.day >= monday() + Days::new(28);
        let (new, old) = if is_last { (5, 0) } else { (0, 5) };
        it.cited_domains = BTreeMap::from([
            ("new.org".to_owned(), new),
            ("old.org".to_owned(), old),
            ("same.org".to_owned(), 3),
        ]);
    }
    tallies[20].cited_domains.insert("once.org".to_owned(), 1);
    let found = trend_of(&tallies);
    let names = |rows: &[CitedDomainChange]| -> Vec<String> {
        rows.iter().map(|it| it.domain.clone()).collect()
    };
    assert_eq!(names(&found.new_cited_domains), ["new.org"]);
    assert_eq!(names(&found.lost_cited_domains), ["old.org"]);
}

#[test]
fn a_trend_record_round_trips_through_json() {
    let json = serde_json::to_string(&trend_of(&weeks([1, 1, 1, 1, 5]))).unwrap();
    let back: AiTrendRecord = serde_json::from_str(&json).unwrap();
    assert_eq!(serde_json::to_string(&back).unwrap(), json);
    for field in [
        "\"type\":\"ai-trends\"",
        "\"changeAbs\":",
        "\"driftFlags\":",
        "\"compositionAdjusted\":",
        "\"newCitedDomains\":",
    ] {
        assert!(json.contains(field), "{field}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn changes_and_verdicts_agree_for_any_counts(
        counts in proptest::collection::vec((0_u64..6, 0_u64..4, 0_u64..6, 0_u64..6), 0..40)
    ) {
        let tallies: Vec<PromptTally> = counts.iter()
            .map(|(week, prompt, answers, mentions)| tally(*week, *prompt, *answers, *mentions.min(answers)))
            .collect();
        let found = trend_of(&tallies);
        prop_assert_eq!(found.change_abs.is_some(), found.reason.is_none());
        prop_assert_eq!(found.significant == Some(true), found.verdict == TrendVerdict::Moved);
        if let (Some(change), Some(low), Some(high)) = (found.change_abs, found.change_low, found.change_high) {
            prop_assert!(low <= change + 1e-12 && change <= high + 1e-12);
            prop_assert_eq!(found.significant, Some(low > 0.0 || high < 0.0));
        }
        for point in &found.points {
            prop_assert!(point.low <= point.mention_rate + 1e-12 && point.mention_rate <= point.high + 1e-12);
        }
        let mut back = tallies;
        back.reverse();
        prop_assert_eq!(trend_of(&back), found);
    }
}
