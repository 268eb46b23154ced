mod edits;
mod factors;

use super::*;
use crate::findings::sample_pages::{page, recount, set_title};
use crate::observation::page_content::BlockKind;
use chrono::{DateTime, TimeDelta, Utc};

/// A day in 2024.
fn today() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(20_000)
}

fn context() -> FindingContext {
    FindingContext {
        project_id: 7,
        measured_at: today(),
    }
}

fn input(page: &PageContent) -> GeoInput<'_> {
    GeoInput {
        page,
        agents: &[],
        rendered_words: None,
        schema: None,
        keywords: &[],
        site: SiteIdentity::default(),
        llms_txt: None,
    }
}

fn evaluated(page: &PageContent) -> GeoRecord {
    evaluate(&input(page), &context())
}

fn value(record: &GeoRecord, code: FactorCode) -> Option<f64> {
    factor(record, code).value
}

fn factor(record: &GeoRecord, code: FactorCode) -> &Factor {
    record.factors.iter().find(|it| it.code == code).unwrap()
}

fn verdicts(allowed: impl Fn(&AiAgent) -> bool) -> Vec<AgentVerdict> {
    let each = AI_AGENTS.iter();
    each.map(|it| AgentVerdict {
        name: it.name.to_owned(),
        allowed: allowed(it),
        rule: Some("Disallow: /".to_owned()),
    })
    .collect()
}

#[test]
fn a_truncated_page_has_no_score() {
    let mut page = plain_article();
    page.document.parser_limit = true;
    page.text.main.blocks.clear();
    recount(&mut page);
    let agents = verdicts(|_| true);
    let input = GeoInput {
        agents: &agents,
        rendered_words: Some(900),
        ..input(&page)
    };
    let record = evaluate(&input, &context());
    assert_eq!((record.geo_score, record.grade), (None, None));
    let known = record.factors.iter().filter(|it| it.value.is_some());
    let known: Vec<FactorCode> = known.map(|it| it.code).collect();
    assert_eq!(known, [FactorCode::Access]);
    assert!(record.gates.is_empty(), "{:?}", record.gates);
    assert!(record.envelope.warnings.contains(&"parserLimit".to_owned()));
    let mut summary = GeoSummary::default();
    summary.add(&record, None);
    assert_eq!((summary.pages, summary.site_score), (1, None));
}

/// An article without anything that raises the score.
fn plain_article() -> PageContent {
    let sentence = "It is known that many people like the old house near the river in spring.";
    let paragraph = [sentence; 5].join(" ");
    let mut blocks = vec![(BlockKind::Heading(1), "The old house by the river")];
    blocks.extend(std::iter::repeat_n(
        (BlockKind::Paragraph, paragraph.as_str()),
        5,
    ));
    let mut page = page("https://example.com/house", &blocks);
    set_title(&mut page, "A place to see");
    page
}

/// Changes the text of every block from the second on.
fn edited(page: &PageContent, edit: impl Fn(usize, &str) -> String) -> PageContent {
    let mut page = page.clone();
    for (at, block) in page.text.main.blocks.iter_mut().enumerate().skip(1) {
        block.text = edit(at, &block.text);
    }
    recount(&mut page);
    page
}

#[test]
fn weights_sum_to_a_hundred() {
    let sum: f64 = FactorCode::ALL.iter().map(|it| it.weight()).sum();
    assert!((sum - 100.0).abs() < 1e-12);
}

#[test]
fn records_mark_weights_as_judgment() {
    let record = evaluated(&plain_article());
    let written = serde_json::to_value(&record).unwrap();
    assert_eq!(written["weightsBasis"], "judgement");
    assert_eq!(written["type"], "geo-score");
    assert_eq!(written["methodVersion"], "geo-score/2");
    assert_eq!(written["factors"].as_array().unwrap().len(), 11);
    let read: GeoRecord = serde_json::from_value(written).unwrap();
    assert_eq!(read.factors.len(), record.factors.len());
}

#[test]
fn unknown_factors_are_left_out_and_listed() {
    let record = evaluated(&plain_article());
    assert_eq!(
        record.envelope.warnings,
        ["unknownAccess", "unknownStructuredData"]
    );
    let known = record
        .factors
        .iter()
        .filter_map(|it| Some((it.weight, it.value?)));
    let (sum, weights) = known.fold((0.0, 0.0), |(sum, all), (weight, value)| {
        (sum + weight * value, all + weight)
    });
    assert!((weights - 81.0).abs() < 1e-12);
    assert!((record.geo_score.unwrap() - 100.0 * sum / weights).abs() < 1e-9);
}

#[test]
fn grades_begin_at_their_bounds() {
    let golden = [
        (85.0, Grade::A),
        (84.9, Grade::B),
        (70.0, Grade::B),
        (50.0, Grade::C),
        (30.0, Grade::D),
        (29.9, Grade::E),
    ];
    for (score, grade) in golden {
        assert_eq!(Grade::of(score), grade, "{score}");
    }
}

#[test]
fn actions_name_what_gains_most() {
    let record = evaluated(&plain_article());
    let first = &record.top_actions[0];
    assert_eq!(first.factor, Some(FactorCode::Statistics));
    assert!((first.gain - 100.0 * 13.0 / 81.0).abs() < 1e-9);
    let mut shut = plain_article();
    shut.fetched.status = Some(404);
    let record = evaluated(&shut);
    assert_eq!(record.top_actions[0].gate, Some(GateCode::NotIndexable));
    assert_eq!(record.top_actions.len(), 1);
}

#[test]
fn a_site_is_the_mean_of_its_pages_by_clicks() {
    let plain = plain_article();
    let mut other = plain.clone();
    other.structure.has_main = true;
    let mut gone = plain.clone();
    gone.fetched.status = Some(404);
    let records = [evaluated(&plain), evaluated(&other), evaluated(&gone)];
    let mut summary = GeoSummary::default();
    summary.add(&records[0], Some(2.0));
    summary.add(&records[1], None);
    summary.add(&records[2], Some(100.0));
    let expected = (3.0 * records[0].geo_score.unwrap() + records[1].geo_score.unwrap()) / 4.0;
    assert!((summary.site_score.unwrap() - expected).abs() < 1e-9);
    assert_eq!((summary.pages, summary.indexable_pages), (3, 2));
    assert_eq!(summary.gates[&GateCode::NotIndexable], 1);
    let structure = summary.factors[&FactorCode::Structure];
    assert_eq!((structure.pages, structure.covered), (2, 0));
}
