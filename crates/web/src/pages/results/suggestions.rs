use super::{Group, ResultContext, ResultPage};
use crate::pages::assignments::Assignments;
use crate::pages::charts::{bar, stacked_bar};
use crate::pages::components::Table;
use crate::pages::{PageError, components};
use analysis::findings::suggestions::{
    Category, Evidence, ExpectedGain, Figure, GainMetric, Severity, State, SuggestionRecord,
    SuggestionsSummary,
};
use domain::assignment::AssignmentSubject;
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

pub async fn body(found: &ResultContext<'_>) -> Result<Vec<Markup>, PageError> {
    let records: Vec<SuggestionRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<SuggestionsSummary>() {
        let of = |severity: Severity| it.by_severity.get(&severity).copied().unwrap_or(0);
        body.push(components::stats(vec![
            components::stat(
                "Open",
                components::count(it.open),
                &format!("{} of them came back", it.regressed),
            ),
            components::stat(
                "Fixed",
                components::count(it.fixed),
                "since they were first told",
            ),
            components::stat(
                "It helped",
                components::count(it.effects.improved),
                &format!(
                    "{} unchanged, {} worse, {} too early to say",
                    it.effects.unchanged, it.effects.worse, it.effects.too_early
                ),
            ),
            components::stat("Ignored", components::count(it.ignored), "as you decided"),
        ]));
        let bar = stacked_bar(
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
        let note = categories.collect::<Vec<_>>().join(" · ");
        body.push(components::card("What they are about", &note, bar));
    }
    if records.is_empty() {
        body.push(super::no_results(
            "Nothing to do",
            "No result shows anything worth changing.",
        ));
    }
    let assignments = Assignments::read(found.visit, found.project.id).await?;
    let owner = |it: &SuggestionRecord| {
        let subject = AssignmentSubject::suggestion(&it.suggestion_id);
        assignments.owner(found.visit, found.project, &subject)
    };
    body.extend(records.iter().map(|it| record_card(it, &owner(it))));
    body.push(found.pager());
    Ok(body)
}

fn category_name(it: Category) -> String {
    match it {
        Category::Ai => "AI".to_owned(),
        Category::Eeat => "E-E-A-T".to_owned(),
        other => components::humanize_value(&other),
    }
}

fn record_card(it: &SuggestionRecord, owner: &Markup) -> Markup {
    let (sign, severity) = match it.severity {
        Severity::Error => ("bad", "error"),
        Severity::Warning => ("warn", "warning"),
        Severity::Notice => ("", "notice"),
        Severity::Opportunity => ("good", "opportunity"),
    };
    let state = match it.state {
        State::Open => None,
        State::Regressed => Some(components::tag("bad", "came back")),
        State::Ignored => Some(components::tag("", "ignored")),
        State::Fixed => Some(components::tag("good", "fixed")),
    };
    html! {
        article .card .suggestion id=(it.suggestion_id) {
            div .row .apart {
                div .tags {
                    (components::tag(sign, severity))
                    (components::tag("", &category_name(it.category)))
                    @if let Some(state) = state { (state) }
                }
                (components::tag("own", &format!("priority {:.0}", it.priority_score)))
            }
            h2 .wrap { (it.title) }
            p .wrap { (it.rationale) }
            @if let Some(gain) = &it.expected_gain { (components::remark("good", expected_gain_text(gain))) }
            @if !it.steps.is_empty() { ol .plain .small { @for step in &it.steps { li { (step) } } } }
            (components::collapsible(&format!("Evidence ({})", it.evidence.len()), evidence(&it.evidence)))
            (components::collapsible("How the priority comes about", priority(it)))
            @if !it.affected_urls.is_empty() {
                (components::collapsible(&format!("Pages ({})", it.affected_count), links(&it.affected_urls)))
            }
            @if !it.docs.is_empty() { (components::collapsible("Read more", links(&it.docs))) }
            p .small { "Owner: " (owner) }
            p .soft .tiny { "First seen " (components::ago(it.first_seen_at)) ", last " (components::ago(it.last_seen_at)) }
        }
    }
}

fn expected_gain_text(gain: &ExpectedGain) -> String {
    let (figure, unit): (fn(f64) -> String, _) = match gain.metric {
        GainMetric::ClicksPerMonth => (|it| components::format_number(it, 0), " clicks a month"),
        GainMetric::ClickShare => (
            |it| format!("{} %", components::format_number(100.0 * it, 1)),
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
    let urls: Vec<Markup> = urls
        .iter()
        .map(|it| components::external_link(it))
        .collect();
    components::list("plain", &urls)
}

fn figure(it: Option<&Figure>) -> Markup {
    match it {
        None => components::unknown(),
        Some(Figure::Flag(flag)) => components::text(if *flag { "yes" } else { "no" }),
        Some(Figure::Number(number)) => {
            components::number(*number, if number.fract() == 0.0 { 0 } else { 2 })
        }
        Some(Figure::Text(text)) => components::text(text),
    }
}

fn evidence(evidence: &[Evidence]) -> Markup {
    let rows = evidence.iter().map(|it| {
        let about = it.record_ref.url.as_deref().map(components::external_link);
        components::row(vec![
            components::with_subtext(
                components::humanize_capitalized(&it.metric),
                about.unwrap_or_default(),
            ),
            figure(it.observed.as_ref()),
            figure(it.threshold.as_ref()),
            it.record_ref
                .measured_at
                .map_or_else(components::unknown, components::ago),
        ])
    });
    let columns = vec![
        components::text_column("What was seen"),
        components::number_column("Value"),
        components::number_column("Limit"),
        components::text_column("Measured"),
    ];
    Table::new("Evidence", columns, rows.collect())
        .hide_caption()
        .html()
}

fn priority(it: &SuggestionRecord) -> Markup {
    let facts = components::pairs(vec![
        (
            "Reach",
            html! { (components::number(it.reach, 1)) " (" (components::humanize_value(&it.reach_basis)) ")" },
        ),
        ("Impact", components::number(it.impact, 2)),
        ("Confidence", components::number(it.confidence, 2)),
        ("Effort", components::number(it.effort, 1)),
        ("Priority", components::number(it.priority_score, 1)),
        ("Rule", components::text(&it.rule_id)),
    ]);
    html! {
        (facts)
        (bar(it.priority_score / 100.0, "1"))
        p .hint { "Reach × impact × confidence ÷ effort, on a scale on which the median of the project’s open suggestions stands at 63." }
    }
}
