use super::*;
use crate::keyword::LatestRank;
use crate::ports::clock::Clock;
use crate::test_support::{FrozenClock, a_keyword};
use chrono::TimeDelta;

const ID: KeywordId = KeywordId(21);

fn today() -> NaiveDate {
    FrozenClock::default().now().date_naive()
}

fn month() -> CalendarMonth {
    CalendarMonth::of(today()).unwrap()
}

fn point(hours_ago: i64, position: Option<u32>) -> MonthPoint {
    MonthPoint {
        measured_at: FrozenClock::default().now() - TimeDelta::hours(hours_ago),
        position,
        url: position.map(|it| format!("https://shop.example.com/{it}")),
    }
}

fn history(engine: &str, hours_ago: i64, position: u32) -> MonthRanks {
    MonthRanks {
        keyword: ID,
        source: SearchSource {
            engine: engine.to_owned(),
            provenance: Provenance::Measured,
        },
        days: 3,
        best: Some(position),
        start: point(hours_ago + 24, None),
        last: point(hours_ago, Some(position)),
    }
}

fn together(
    keyword: Keyword,
    month: CalendarMonth,
    histories: Vec<MonthRanks>,
    tallies: Vec<KeywordTallies>,
) -> KeywordMonth {
    let all = assemble(
        vec![keyword],
        month,
        today(),
        histories,
        tallies,
        &HashMap::new(),
    );
    all.into_iter().next().unwrap()
}

fn latest(state: RankState) -> Keyword {
    Keyword {
        latest: Some(LatestRank {
            position: Some(4),
            url: None,
            measured_at: FrozenClock::default().now() - TimeDelta::days(40),
            state,
        }),
        ..a_keyword("rust")
    }
}

fn tallied(
    day: NaiveDate,
    engine: &str,
    prompt: &str,
    (hits, trials): (u64, u64),
    provenance: Provenance,
) -> KeywordTallies {
    KeywordTallies {
        job: JobId(31),
        day,
        keyword: ID,
        engine: engine.to_owned(),
        tallies: vec![PromptTally {
            day,
            engine: engine.to_owned(),
            model: None,
            template_version: 1,
            detector_version: "1".to_owned(),
            provenance,
            prompt_id: prompt.to_owned(),
            keyword_id: Some(ID.0),
            is_branded: false,
            answers: trials,
            mentions: hits,
            sourced: 0,
            citations: 0,
            evaluated: 0,
            recommendations: 0,
            namings: 0,
            shared: 0,
            share_sum: 0.0,
            felt: 0,
            sentiment_sum: 0.0,
            left_out: analysis::findings::ai_visibility::LeftOut::default(),
            cited_domains: BTreeMap::new(),
        }],
    }
}

#[test]
fn a_month_is_parsed_and_knows_its_days() {
    let month = CalendarMonth::parse("2028-02").unwrap();
    assert_eq!(month.to_string(), "2028-02");
    assert_eq!(month.first().to_string(), "2028-02-01");
    assert_eq!(month.last().to_string(), "2028-02-29");
    assert_eq!(month.lookback_start().to_string(), "2028-01-25");
    assert_eq!(CalendarMonth::of(month.last()), Some(month));
    for wrong in [
        "2028-2",
        "2028-13",
        "2028-00",
        "28-02",
        "2028-02-01",
        "+028-02",
        "",
        "2028",
    ] {
        assert_eq!(CalendarMonth::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn sources_are_never_joined_and_the_newest_counts() {
    let found = together(
        a_keyword("rust"),
        month(),
        vec![
            history("google", 5, 9),
            history("sandbox", 2, 1),
            history("bing", 7, 3),
        ],
        vec![],
    );
    let seen = found.ranks.unwrap();
    assert_eq!((seen.source.engine.as_str(), seen.days), ("sandbox", 3));
    assert_eq!(found.now, Some(point(2, Some(1))));
}

#[test]
fn now_is_the_newest_measurement_in_the_current_month_only() {
    let now = |keyword, month| together(keyword, month, vec![], vec![]).now;
    assert_eq!(
        now(latest(RankState::Ranked), month()).unwrap().position,
        Some(4)
    );
    assert_eq!(now(latest(RankState::Error), month()), None);
    let before = CalendarMonth::parse("2026-08").unwrap();
    assert!(before < month());
    assert_eq!(now(latest(RankState::Ranked), before), None);
    assert_eq!(now(a_keyword("rust"), month()), None);
}

#[test]
fn rates_are_means_over_prompts_without_simulated_answers() {
    use Provenance::{Measured, Simulated};
    let day = month().first();
    let later = day + Days::new(2);
    let found = together(
        a_keyword("rust"),
        month(),
        vec![],
        vec![
            tallied(day, "chatgpt", "a", (1, 5), Measured),
            tallied(later, "chatgpt", "a", (4, 5), Measured),
            tallied(later, "chatgpt", "b", (0, 5), Measured),
            tallied(later, "gemini", "a", (5, 5), Measured),
            tallied(day, "sandbox", "a", (9, 9), Simulated),
        ],
    );
    let mentions = found.mentions.unwrap();
    assert_eq!(mentions.provenance, Measured);
    assert_eq!(
        (
            mentions.all.answers,
            mentions.all.mentions,
            mentions.all.prompts
        ),
        (20, 10, 3)
    );
    let all = mentions.all.rate.unwrap();
    assert!((all.rate - 0.5).abs() < 1e-12, "(0.5 + 0 + 1) / 3");
    assert!(all.interval.low < 0.5 && all.interval.high > 0.5);
    let names: Vec<&str> = mentions.engines.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(names, ["chatgpt", "gemini"]);
    let chatgpt = mentions.engines[0].1;
    assert!((chatgpt.rate.unwrap().rate - 0.25).abs() < 1e-12);
    assert_eq!((chatgpt.answers, chatgpt.prompts), (15, 2));
}

#[test]
fn questions_without_an_answer_leave_the_rate_unknown() {
    let silent = tallied(
        month().first(),
        "chatgpt",
        "a",
        (0, 0),
        Provenance::Measured,
    );
    let found = together(a_keyword("rust"), month(), vec![], vec![silent]);
    let all = found.mentions.unwrap().all;
    assert_eq!((all.rate, all.answers, all.prompts), (None, 0, 0));
}
