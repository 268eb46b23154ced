use super::{Found, Group, ResultPage};
use crate::pages::charts::{bar, parts_bar};
use crate::pages::parts;
use crate::pages::parts::Table;
use analysis::findings::suggestions::{
    Category, Evidence, ExpectedGain, Figure, GainMetric, Severity, State, SuggestionRecord,
    SuggestionsSummary,
};
use maud::{Markup, html};

pub const PAGE: ResultPage = ResultPage {
    group: Group::First,
    title: "Suggestions",
    short: None,
    question: "What should we do next, and what does it bring?",
    unit: "results",
    icon: "suggestions",
    rows: 20,
};

pub fn body(found: &Found<'_>) -> Vec<Markup> {
    let records: Vec<SuggestionRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<SuggestionsSummary>() {
        let of = |severity: Severity| it.by_severity.get(&severity).copied().unwrap_or(0);
        body.push(parts::stats(vec![
            parts::stat(
                "Open",
                parts::count(it.open),
                &format!("{} of them came back", it.regressed),
            ),
            parts::stat(
                "Fixed",
                parts::count(it.fixed),
                "since they were first told",
            ),
            parts::stat(
                "It helped",
                parts::count(it.effects.improved),
                &format!(
                    "{} unchanged, {} worse, {} too early to say",
                    it.effects.unchanged, it.effects.worse, it.effects.too_early
                ),
            ),
            parts::stat("Ignored", parts::count(it.ignored), "as you decided"),
        ]));
        let bar = parts_bar(
            "Open suggestions by kind",
            &[
                ("errors", of(Severity::Error), 5),
                ("warnings", of(Severity::Warning), 2),
                ("opportunities", of(Severity::Opportunity), 1),
                ("notices", of(Severity::Notice), 6),
            ],
        );
        let categories = it
            .by_category
            .iter()
            .map(|(category, count)| format!("{} {count}", category_name(*category)));
        let told = categories.collect::<Vec<_>>().join(" · ");
        body.push(parts::card("What they are about", &told, bar));
    }
    if records.is_empty() {
        body.push(super::none(
            "Nothing to do",
            "No result shows anything worth changing.",
        ));
    }
    body.extend(records.iter().map(one));
    body.push(found.pager());
    body
}

fn category_name(it: Category) -> String {
    match it {
        Category::Ai => "AI".to_owned(),
        Category::Eeat => "E-E-A-T".to_owned(),
        other => parts::said(&other),
    }
}

fn one(it: &SuggestionRecord) -> Markup {
    let (sign, severity) = match it.severity {
        Severity::Error => ("bad", "error"),
        Severity::Warning => ("warn", "warning"),
        Severity::Notice => ("", "notice"),
        Severity::Opportunity => ("good", "opportunity"),
    };
    let state = match it.state {
        State::Open => None,
        State::Regressed => Some(parts::tag("bad", "came back")),
        State::Ignored => Some(parts::tag("", "ignored")),
        State::Fixed => Some(parts::tag("good", "fixed")),
    };
    html! {
        article .card .suggestion id=(it.suggestion_id) {
            div .row .apart {
                div .tags {
                    (parts::tag(sign, severity))
                    (parts::tag("", &category_name(it.category)))
                    @if let Some(state) = state { (state) }
                }
                (parts::tag("own", &format!("priority {:.0}", it.priority_score)))
            }
            h2 .wrap { (it.title) }
            p .wrap { (it.rationale) }
            @if let Some(gain) = &it.expected_gain { (parts::remark("good", may_bring(gain))) }
            @if !it.steps.is_empty() { ol .plain .small { @for step in &it.steps { li { (step) } } } }
            (parts::folded(&format!("Evidence ({})", it.evidence.len()), evidence(&it.evidence)))
            (parts::folded("How the priority comes about", priority(it)))
            @if !it.affected_urls.is_empty() {
                (parts::folded(&format!("Pages ({})", it.affected_count), links(&it.affected_urls)))
            }
            @if !it.docs.is_empty() { (parts::folded("Read more", links(&it.docs))) }
            p .soft .tiny { "First seen " (parts::ago(it.first_seen_at)) ", last " (parts::ago(it.last_seen_at)) }
        }
    }
}

fn may_bring(gain: &ExpectedGain) -> String {
    let (figure, unit): (fn(f64) -> String, _) = match gain.metric {
        GainMetric::ClicksPerMonth => (|it| parts::grouped(it, 0), " clicks a month"),
        GainMetric::ClickShare => (
            |it| format!("{} %", parts::grouped(100.0 * it, 1)),
            " of the searches' clicks, added over its keywords",
        ),
    };
    format!(
        "May bring {} to {}{unit} (most likely {}).",
        figure(gain.low),
        figure(gain.high),
        figure(gain.mid)
    )
}

fn links(urls: &[String]) -> Markup {
    let urls: Vec<Markup> = urls.iter().map(|it| parts::outward(it)).collect();
    parts::list("plain", &urls)
}

fn figure(it: Option<&Figure>) -> Markup {
    match it {
        None => parts::unknown(),
        Some(Figure::Flag(flag)) => parts::text(if *flag { "yes" } else { "no" }),
        Some(Figure::Number(number)) => {
            parts::number(*number, if number.fract() == 0.0 { 0 } else { 2 })
        }
        Some(Figure::Text(text)) => parts::text(text),
    }
}

fn evidence(evidence: &[Evidence]) -> Markup {
    let rows = evidence.iter().map(|it| {
        let about = it.record_ref.url.as_deref().map(parts::outward);
        parts::row(vec![
            parts::under(parts::headed(&it.metric), about.unwrap_or_default()),
            figure(it.observed.as_ref()),
            figure(it.threshold.as_ref()),
            it.record_ref
                .measured_at
                .map_or_else(parts::unknown, parts::ago),
        ])
    });
    let columns = vec![
        parts::words("What was seen"),
        parts::figures("Value"),
        parts::figures("Limit"),
        parts::words("Measured"),
    ];
    Table::new("Evidence", columns, rows.collect())
        .named_above()
        .html()
}

fn priority(it: &SuggestionRecord) -> Markup {
    let facts = parts::pairs(vec![
        (
            "Reach",
            html! { (parts::number(it.reach, 1)) " (" (parts::said(&it.reach_basis)) ")" },
        ),
        ("Impact", parts::number(it.impact, 2)),
        ("Confidence", parts::number(it.confidence, 2)),
        ("Effort", parts::number(it.effort, 1)),
        ("Priority", parts::number(it.priority_score, 1)),
        ("Rule", parts::text(&it.rule_id)),
    ]);
    html! {
        (facts)
        (bar(it.priority_score / 100.0, "1"))
        p .hint { "Reach × impact × confidence ÷ effort, on a scale on which the middle suggestion of the account stands at 63." }
    }
}
