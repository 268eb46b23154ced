use super::{Group, ResultContext, ResultPage, engine_title};
use crate::pages::charts::{Lines, Mark, Series};
use crate::pages::{PageError, components, events};
use analysis::events::{EventClass, EventSeverity};
use analysis::findings::ai_trends::{AiTrendRecord, AiTrendsSummary, TrendVerdict};
use domain::event::LoggedEvent;
use maud::Markup;

pub const PAGE: ResultPage = ResultPage {
    group: Group::AiAnswers,
    title: "AI trends",
    short: None,
    question: "Is our visibility in AI answers really changing, or is it noise?",
    unit: "series",
    icon: "trend",
    rows: 20,
};

pub async fn body(found: &ResultContext<'_>) -> Result<Vec<Markup>, PageError> {
    let records: Vec<AiTrendRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<AiTrendsSummary>() {
        let stats = it.engines.iter().map(|it| {
            let change = components::delta(it.change_abs.map(|it| 100.0 * it), 1, " points")
                .filter(|_| it.verdict == TrendVerdict::Moved);
            components::stat(
                engine_title(&it.engine),
                components::percent(it.mention_rate),
                &format!("in the last full week; {}", verdict(it.verdict)),
            )
            .with_change(change, "vs the weeks before")
        });
        body.push(components::stats(stats.collect()));
    }
    if records.is_empty() {
        body.push(super::no_results(
            "No course yet",
            "A course begins with the second week of answers.",
        ));
    }
    let (visit, project) = (found.visit, found.project.id);
    let events =
        events::for_charts(visit, project, &[EventClass::Ai], EventSeverity::Info, None).await?;
    body.extend(records.iter().map(|it| record_card(it, &events)));
    body.push(found.pager());
    Ok(body)
}

const fn verdict(it: TrendVerdict) -> &'static str {
    match it {
        TrendVerdict::WithinNoise => "no change that stands out from chance",
        TrendVerdict::Moved => "changed, and not by chance",
        TrendVerdict::InsufficientData => "too few answers to say",
        TrendVerdict::ModelChanged => "another model answers: a new course begins",
        TrendVerdict::PromptPanelChanged => "other prompts are asked: a new course begins",
        TrendVerdict::DetectorChanged => "mentions are found in another way: a new course begins",
        TrendVerdict::SourceChanged => "another source answers: a new course begins",
    }
}

fn trend_chart(it: &AiTrendRecord, marks: Vec<Mark>) -> Markup {
    let days: Vec<_> = it.points.iter().map(|it| it.date).collect();
    let line = |value: fn(&analysis::findings::ai_trends::AiTrendPoint) -> Option<f64>| -> Vec<Option<f64>> { it.points.iter().map(value).collect() };
    Lines {
        title: format!("Mention rate in {}", engine_title(&it.engine)),
        description: format!("{} periods: {}.", it.points.len(), verdict(it.verdict)),
        days,
        series: vec![
            Series {
                name: "Named".to_owned(),
                color: 1,
                dashed: false,
                values: line(|it| Some(it.mention_rate)),
            },
            Series {
                name: "Cited".to_owned(),
                color: 4,
                dashed: false,
                values: line(|it| it.citation_rate),
            },
            Series {
                name: "at least (95 %)".to_owned(),
                color: 6,
                dashed: true,
                values: line(|it| Some(it.low)),
            },
            Series {
                name: "at most (95 %)".to_owned(),
                color: 6,
                dashed: true,
                values: line(|it| Some(it.high)),
            },
        ],
        inverted: false,
        floor: Some(0.0),
        factor: 100.0,
        digits: 1,
        suffix: " %",
        marks,
    }
    .html()
}

fn record_card(it: &AiTrendRecord, events: &[LoggedEvent]) -> Markup {
    let is_of = |event: &&LoggedEvent| event.entry.event.subject.label == it.engine;
    let of_engine = events.iter().filter(|_| it.keyword.is_none()).filter(is_of);
    let marks = events::marks(of_engine);
    let change = match (it.change_abs, it.change_low, it.change_high) {
        (Some(by), Some(low), Some(high)) => components::text(format_args!(
            "{:+.1} points, with 95 % between {:+.1} and {:+.1}",
            100.0 * by,
            100.0 * low,
            100.0 * high
        )),
        _ => components::unknown(),
    };
    let domains = |list: &[analysis::findings::ai_trends::CitedDomainChange]| {
        let items: Vec<Markup> = list
            .iter()
            .take(8)
            .map(|it| {
                components::text(format_args!(
                    "{} ({:.0} % → {:.0} %)",
                    it.domain,
                    100.0 * it.rate_before,
                    100.0 * it.rate
                ))
            })
            .collect();
        components::list("plain", &items)
    };
    let drift: Vec<Markup> = { it.drift_flags.iter() }
        .map(|it| {
            components::text(format_args!(
                "{}: {} ({} → {})",
                it.date,
                components::humanize_value(&it.kind),
                it.from.as_deref().unwrap_or("not told"),
                it.to.as_deref().unwrap_or("not told")
            ))
        })
        .collect();
    let mut facts = vec![
        ("Last period against the four before", change),
        (
            "Why no more is said",
            it.reason.as_ref().map_or_else(
                || components::text("–"),
                |it| components::text(components::humanize_value(it)),
            ),
        ),
        (
            "Prompts in both",
            components::text(format_args!("{} of {}", it.shared_prompts, it.all_prompts)),
        ),
        (
            "Keywords that moved",
            components::text(format_args!(
                "{} of {}",
                it.moved_keywords, it.compared_keywords
            )),
        ),
        ("Newly cited", domains(&it.new_cited_domains)),
        ("No longer cited", domains(&it.lost_cited_domains)),
    ];
    if !drift.is_empty() {
        facts.push(("What else changed", components::list("plain", &drift)));
    }
    let sign = if it.verdict == TrendVerdict::Moved {
        "good"
    } else {
        ""
    };
    let about = it
        .keyword
        .as_deref()
        .map_or_else(|| "All keywords".to_owned(), |it| format!("“{it}”"));
    let inside =
        components::side_by_side("split", trend_chart(it, marks), components::pairs(facts));
    components::card_with_aside(
        engine_title(&it.engine),
        &format!("{about}, by {}", components::humanize_value(&it.period)),
        components::tag(sign, &components::humanize_value(&it.verdict)),
        inside,
    )
}
