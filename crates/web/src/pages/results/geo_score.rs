use super::{Group, ResultContext, ResultPage};
use crate::pages::charts::{bar, ring};
use crate::pages::components::Table;
use crate::pages::{PageError, components};
use analysis::findings::geo_score::{GeoRecord, GeoSummary};
use maud::{Markup, html};

pub const PAGE: ResultPage = ResultPage {
    group: Group::AiAnswers,
    title: "Citability by AI engines",
    short: Some("Citability"),
    question: "Can generative engines find, read and cite our pages?",
    unit: "pages",
    icon: "quote",
    rows: 50,
};

pub fn factor(name: &str, weight: Option<f64>, value: Option<f64>, evidence: &[Markup]) -> Markup {
    let colour = |it: f64| match it {
        0.75.. => "g",
        0.4.. => "w",
        _ => "b",
    };
    html! {
        li {
            b {
                (name) " "
                @if let Some(weight) = weight {
                    span .soft .tiny { "weight " (components::number(weight, usize::from(weight.fract() != 0.0))) }
                }
            }
            div {
                (components::percent(value))
                @if let Some(value) = value { (bar(value, colour(value))) }
            }
            div .soft .small .wrap { (components::list("plain", evidence)) }
        }
    }
}

pub async fn body(found: &ResultContext<'_>) -> Result<Vec<Markup>, PageError> {
    let records: Vec<GeoRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<GeoSummary>() {
        body.push(figures(&it));
    }
    let chosen: Option<GeoRecord> = found.chosen_page().await?;
    if let Some(it) = chosen.as_ref().or_else(|| records.first()) {
        body.push(record_card(it));
    }
    body.push(table(found, &records));
    Ok(body)
}

fn figures(it: &GeoSummary) -> Markup {
    let llms = it.llms_txt.as_ref().map_or("not looked for", |it| {
        if it.present { "present" } else { "absent" }
    });
    let stats = components::stats(vec![
        components::stat(
            "Citability of the site",
            components::optional_number(it.site_score, 1),
            "of 100, pages weighted by their links",
        ),
        components::stat(
            "Pages",
            components::count(it.pages.into()),
            &format!("{} of them may be indexed", it.indexable_pages),
        ),
        components::stat(
            "llms.txt",
            components::text(llms),
            "told, never scored: engines do not need it",
        ),
    ]);
    let lines = it.factors.iter().map(|(code, of)| {
        let coverage = html! { (of.covered) " of " (of.pages) " pages reach it" };
        factor(
            &components::humanize_capitalized(&components::api_name(code)),
            None,
            of.mean,
            &[coverage],
        )
    });
    let note = "Mean of all pages for each factor. A rubric with stated weights, not a prediction of citations.";
    html! {
        (stats)
        (components::card("What the site does well", note, html! { ul .factors { @for line in lines { (line) } } }))
    }
}

fn record_card(it: &GeoRecord) -> Markup {
    let url = it.envelope.url.as_deref().unwrap_or_default();
    let gates = it.gates.iter().map(|it| {
        let evidence = it.evidence.join("; ");
        components::remark(
            "bad",
            format_args!(
                "{}: the score is multiplied by {}. {evidence}",
                components::humanize_capitalized(&components::api_name(&it.code)),
                it.multiplier
            ),
        )
    });
    let lines = it.factors.iter().map(|it| {
        let evidence: Vec<Markup> = it.evidence.iter().map(components::text).collect();
        factor(
            &components::humanize_capitalized(&components::api_name(&it.code)),
            Some(it.weight),
            it.value,
            &evidence,
        )
    });
    let actions: Vec<Markup> = it
        .top_actions
        .iter()
        .map(|it| components::text(format_args!("{} (+{:.1})", it.text, it.gain)))
        .collect();
    let agents = it.agents.iter().map(|it| {
        let allowed = match it.allowed {
            Some(true) => components::tag("good", "allowed"),
            Some(false) => components::tag("bad", "refused"),
            None => components::tag("", "not known"),
        };
        components::row(vec![
            components::text(&it.name),
            components::text(components::humanize_value(&it.purpose)),
            allowed,
            components::text(it.rule.as_deref().unwrap_or("")),
        ])
    });
    let columns = ["Agent", "For", "robots.txt", "Rule"].map(components::text_column);
    let agents = Table::new("Which agents may read the page", columns, agents.collect())
        .hide_caption()
        .html();
    let grade = it.grade.as_ref().map_or_else(
        || "no grade".to_owned(),
        |it| format!("grade {}", components::api_name(it).to_uppercase()),
    );
    let inside = html! {
        div .page {
            div .row {
                (ring("Citability", it.geo_score))
                div .stack .tight { p { (grade) } (components::external_link(url)) }
            }
            @for gate in gates { (gate) }
            @if !actions.is_empty() {
                p .small { "What would raise it most:" }
                (components::list("plain small", &actions))
            }
            ul .factors { @for line in lines { (line) } }
            (components::collapsible("Which agents may read the page", agents))
        }
    };
    components::card(
        &components::url_path(url),
        "Every factor of this page's score, and what was seen.",
        inside,
    )
}

fn table(found: &ResultContext<'_>, records: &[GeoRecord]) -> Markup {
    let rows = records.iter().map(|it| {
        let url = it.envelope.url.as_deref().unwrap_or_default();
        let grade = it.grade.as_ref().map_or_else(components::unknown, |it| {
            components::text(components::api_name(it).to_uppercase())
        });
        let first = it
            .top_actions
            .first()
            .map_or_else(Markup::default, |it| components::text(&it.text));
        let gates = { it.gates.iter() }
            .map(|it| components::tag("bad", &components::humanize_value(&it.code)));
        components::row(vec![
            components::link(
                &found.url_with_parameter("url", url),
                &components::url_path(url),
            ),
            components::optional_number(it.geo_score, 1),
            grade,
            components::tags(gates).unwrap_or_else(|| components::text("–")),
            first,
        ])
    });
    let columns = vec![
        components::text_column("Page"),
        components::number_column("Score"),
        components::text_column("Grade"),
        components::text_column("Held back by"),
        components::text_column("First thing to do"),
    ];
    found.records_card(
        "All pages",
        "Choose a page to see its factors.",
        columns,
        rows,
    )
}
