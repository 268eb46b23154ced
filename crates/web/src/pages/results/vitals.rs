use super::{Group, ResultContext, ResultPage};
use crate::pages::charts::{ring, threshold_bar};
use crate::pages::components;
use analysis::findings::vitals::{
    Assessment, MetricRecord, Rating, VitalsRecord, VitalsSource, VitalsSummary,
};
use maud::{Markup, html};

pub const PAGE: ResultPage = ResultPage {
    group: Group::Site,
    title: "Web vitals",
    short: None,
    question: "Are our pages fast, responsive and stable?",
    unit: "measurements",
    icon: "vitals",
    rows: 50,
};

/// Short name, description, upper bound of good, lower bound of poor; in ms, except CLS.
const METRICS: [(&str, &str, f64, f64); 7] = [
    ("LCP", "largest content shown", 2_500.0, 4_000.0),
    ("INP", "answer to an input", 200.0, 500.0),
    ("CLS", "layout shift", 0.1, 0.25),
    ("FCP", "first content shown", 1_800.0, 3_000.0),
    ("TTFB", "first byte", 800.0, 1_800.0),
    ("TBT", "blocked", 200.0, 600.0),
    ("SI", "speed index", 3_387.0, 5_800.0),
];

fn metrics(it: &VitalsRecord) -> [Option<&MetricRecord>; 7] {
    let it = &it.metrics;
    [
        &it.lcp, &it.inp, &it.cls, &it.fcp, &it.ttfb, &it.tbt, &it.si,
    ]
    .map(Option::as_ref)
}

pub fn body(found: &ResultContext<'_>) -> Vec<Markup> {
    let records: Vec<VitalsRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<VitalsSummary>() {
        body.push(figures(&it));
    }
    let chosen = found
        .query
        .text("id")
        .and_then(|it| it.parse::<usize>().ok());
    if let Some(it) = chosen
        .and_then(|at| records.get(at))
        .or_else(|| records.first())
    {
        body.push(record_card(it));
    }
    body.push(table(found, &records));
    body
}

fn figures(it: &VitalsSummary) -> Markup {
    let stats = it.by_form_factor.iter().flat_map(|(factor, it)| {
        let on = components::humanize_value(factor);
        [
            components::stat(
                &format!("Passed, {on}"),
                components::text(format_args!("{} of {}", it.passed, it.assessed)),
                "pages whose visitors see them fast, responsive and stable",
            ),
            components::stat(
                &format!("Lab score, {on}"),
                components::optional_number(it.median_performance_score, 0),
                &format!("of 100, the middle of {} pages", it.scored),
            ),
        ]
    });
    components::stats(stats.collect())
}

fn format_metric(value: f64, name: &str) -> Markup {
    match name {
        "CLS" => components::number(value, 3),
        _ if value >= 1_000.0 => components::number_with_unit("", value / 1_000.0, 2, " s"),
        _ => components::number_with_unit("", value, 0, " ms"),
    }
}

fn rated(it: Option<&MetricRecord>, name: &str) -> Markup {
    let Some((it, value)) = it.and_then(|it| Some((it, it.p75.or(it.value)?))) else {
        return components::unknown();
    };
    let class = match it.rating {
        Some(Rating::Good) => "up",
        Some(Rating::NeedsImprovement) => "flat",
        Some(Rating::Poor) => "down",
        None => "",
    };
    html! { span class=(class) { (format_metric(value, name)) } }
}

fn record_card(it: &VitalsRecord) -> Markup {
    let url = it.envelope.url.as_deref().unwrap_or(&it.requested_url);
    let lines =
        METRICS
            .into_iter()
            .zip(metrics(it))
            .filter_map(|((name, long, good, poor), metric)| {
                let metric = metric?;
                let value = metric.p75.or(metric.value)?;
                let rating = metric
                    .rating
                    .as_ref()
                    .map_or_else(|| "not rated".to_owned(), components::humanize_value);
                let drawn = threshold_bar(&format!("{name}: {rating}"), value, good, poor);
                let visits = match (metric.good, metric.poor) {
                    (Some(good), Some(poor)) => components::text(format_args!(
                        "{rating}; good for {:.0} % of visits, poor for {:.0} %",
                        100.0 * good,
                        100.0 * poor
                    )),
                    _ => components::text(&rating),
                };
                Some(html! {
                    li {
                        b { (name) ", " (long) }
                        (components::with_subtext(format_metric(value, name), visits))
                        (drawn)
                    }
                })
            });
    let source = match it.source {
        VitalsSource::Field => "Real visits, the 75th percentile of 28 days",
        VitalsSource::Lab => "Our own loads in a browser, the middle one",
    };
    let runs = it
        .runs
        .map_or_else(String::new, |it| format!(", {it} loads"));
    let passed = match it.assessment {
        Some(Assessment::Passed) => components::tag("good", "passed"),
        Some(Assessment::Failed) => components::tag("bad", "failed"),
        None => components::tag("", "not assessed"),
    };
    let facts = diagnostics(it);
    let inside = html! {
        div .page {
            @if let Some(score) = it.performance_score {
                div .row { (ring("Performance", Some(score.into()))) "Lab score of 100" }
            }
            ul .factors { @for line in lines { (line) } }
            @if !facts.is_empty() { (components::collapsible("What it is made of", components::pairs(facts))) }
        }
    };
    let note = format!(
        "{source}{runs}, {}.",
        components::humanize_value(&it.form_factor)
    );
    components::card_with_aside(&components::url_path(url), &note, passed, inside)
}

fn diagnostics(it: &VitalsRecord) -> Vec<(&'static str, Markup)> {
    let mut facts = Vec::new();
    if let Some(element) = &it.lcp_element {
        facts.push((
            "Largest element",
            components::text(element.selector.as_deref().unwrap_or(&element.kind)),
        ));
    }
    if let Some(parts_of) = &it.lcp_breakdown {
        facts.push(("First byte", format_metric(parts_of.ttfb, "")));
        facts.push((
            "Waiting for it to load",
            format_metric(parts_of.load_delay, ""),
        ));
        facts.push(("Loading it", format_metric(parts_of.load_duration, "")));
        facts.push(("Showing it", format_metric(parts_of.render_delay, "")));
    }
    for it in it.cls_sources.iter().take(5) {
        facts.push((
            "Shifts",
            components::text(format_args!(
                "{} by {:.3}",
                it.selector.as_deref().unwrap_or("an element"),
                it.shift
            )),
        ));
    }
    for it in it.opportunities.iter().take(6) {
        let saved = it
            .savings_ms
            .map_or_else(String::new, |it| format!(", {it:.0} ms"));
        let bytes = it
            .savings_bytes
            .map_or_else(String::new, |it| format!(", {} kB", it / 1_000));
        facts.push((
            "To gain",
            components::text(format_args!(
                "{}{saved}{bytes}",
                components::humanize(&it.audit_id)
            )),
        ));
    }
    for (kind, total) in &it.resource_summary {
        let bytes = total
            .transfer_bytes
            .map_or_else(String::new, |it| format!(", {} kB", it / 1_000));
        facts.push((
            "Loaded",
            components::text(format_args!(
                "{} × {}{bytes}",
                total.count,
                components::humanize_value(kind)
            )),
        ));
    }
    facts
}

fn table(found: &ResultContext<'_>, records: &[VitalsRecord]) -> Markup {
    if records.is_empty() {
        return super::no_results(
            "No page was measured",
            "Measure again when the site can be reached.",
        );
    }
    let rows = records.iter().enumerate().map(|(at, it)| {
        let url = it.envelope.url.as_deref().unwrap_or(&it.requested_url);
        let name = components::link(
            &found.visit.url_with(&[("id", Some(&at.to_string()))]),
            &components::url_path(url),
        );
        let about = format!(
            "{}, {}",
            components::humanize_value(&it.source),
            components::humanize_value(&it.form_factor)
        );
        let [lcp, inp, cls, fcp, ttfb, tbt, _] = metrics(it);
        let failed = it
            .envelope
            .error
            .as_deref()
            .map(|it| components::tag("bad", &components::humanize(it)));
        components::row(vec![
            components::with_subtext(name, about),
            failed.unwrap_or_else(|| components::optional_count(it.performance_score)),
            rated(lcp, "LCP"),
            rated(inp, "INP"),
            rated(cls, "CLS"),
            rated(fcp, "FCP"),
            rated(ttfb, "TTFB"),
            rated(tbt, "TBT"),
        ])
    });
    let mut columns = vec![
        components::text_column("Page"),
        components::number_column("Lab score"),
    ];
    columns.extend(
        METRICS
            .into_iter()
            .take(6)
            .map(|it| components::number_column(it.0)),
    );
    found.records_card(
        "All measurements",
        "Real visits and our own loads stand apart, and are never mixed.",
        columns,
        rows,
    )
}
