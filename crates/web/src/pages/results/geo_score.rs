use super::{Found, Group, ResultPage};
use crate::pages::charts::{bar, ring};
use crate::pages::parts::Table;
use crate::pages::{NoPage, parts};
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
                    span .soft .tiny { "weight " (parts::number(weight, usize::from(weight.fract() != 0.0))) }
                }
            }
            div {
                (parts::percent(value))
                @if let Some(value) = value { (bar(value, colour(value))) }
            }
            div .soft .small .wrap { (parts::list("plain", evidence)) }
        }
    }
}

pub async fn body(found: &Found<'_>) -> Result<Vec<Markup>, NoPage> {
    let records: Vec<GeoRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<GeoSummary>() {
        body.push(figures(&it));
    }
    let chosen: Option<GeoRecord> = found.chosen_page().await?;
    if let Some(it) = chosen.as_ref().or_else(|| records.first()) {
        body.push(one(it));
    }
    body.push(table(found, &records));
    Ok(body)
}

fn figures(it: &GeoSummary) -> Markup {
    let llms = it.llms_txt.as_ref().map_or("not looked for", |it| {
        if it.present { "present" } else { "absent" }
    });
    let stats = parts::stats(vec![
        parts::stat(
            "Citability of the site",
            parts::maybe(it.site_score, 1),
            "of 100, pages weighted by their links",
        ),
        parts::stat(
            "Pages",
            parts::count(it.pages.into()),
            &format!("{} of them may be indexed", it.indexable_pages),
        ),
        parts::stat(
            "llms.txt",
            parts::text(llms),
            "told, never scored: engines do not need it",
        ),
    ]);
    let lines = it.factors.iter().map(|(code, of)| {
        let told = html! { (of.covered) " of " (of.pages) " pages reach it" };
        factor(&parts::headed(&parts::code(code)), None, of.mean, &[told])
    });
    let note = "Mean of all pages for each factor. A rubric with stated weights, not a prediction of citations.";
    html! {
        (stats)
        (parts::card("What the site does well", note, html! { ul .factors { @for line in lines { (line) } } }))
    }
}

fn one(it: &GeoRecord) -> Markup {
    let url = it.envelope.url.as_deref().unwrap_or_default();
    let gates = it.gates.iter().map(|it| {
        let evidence = it.evidence.join("; ");
        parts::remark(
            "bad",
            format_args!(
                "{}: the score is multiplied by {}. {evidence}",
                parts::headed(&parts::code(&it.code)),
                it.multiplier
            ),
        )
    });
    let lines = it.factors.iter().map(|it| {
        let evidence: Vec<Markup> = it.evidence.iter().map(parts::text).collect();
        factor(
            &parts::headed(&parts::code(&it.code)),
            Some(it.weight),
            it.value,
            &evidence,
        )
    });
    let actions: Vec<Markup> = it
        .top_actions
        .iter()
        .map(|it| parts::text(format_args!("{} (+{:.1})", it.text, it.gain)))
        .collect();
    let agents = it.agents.iter().map(|it| {
        let allowed = match it.allowed {
            Some(true) => parts::tag("good", "allowed"),
            Some(false) => parts::tag("bad", "refused"),
            None => parts::tag("", "not known"),
        };
        parts::row(vec![
            parts::text(&it.name),
            parts::text(parts::said(&it.purpose)),
            allowed,
            parts::text(it.rule.as_deref().unwrap_or("")),
        ])
    });
    let columns = ["Agent", "For", "robots.txt", "Rule"].map(parts::words);
    let agents = Table::new("Which agents may read the page", columns, agents.collect())
        .named_above()
        .html();
    let grade = it.grade.as_ref().map_or_else(
        || "no grade".to_owned(),
        |it| format!("grade {}", parts::code(it).to_uppercase()),
    );
    let inside = html! {
        div .page {
            div .row {
                (ring("Citability", it.geo_score))
                div .stack .tight { p { (grade) } (parts::outward(url)) }
            }
            @for gate in gates { (gate) }
            @if !actions.is_empty() {
                p .small { "What would raise it most:" }
                (parts::list("plain small", &actions))
            }
            ul .factors { @for line in lines { (line) } }
            (parts::folded("Which agents may read the page", agents))
        }
    };
    parts::card(
        &parts::path_of(url),
        "Every factor of this page's score, and what was seen.",
        inside,
    )
}

fn table(found: &Found<'_>, records: &[GeoRecord]) -> Markup {
    let rows = records.iter().map(|it| {
        let url = it.envelope.url.as_deref().unwrap_or_default();
        let grade = it.grade.as_ref().map_or_else(parts::unknown, |it| {
            parts::text(parts::code(it).to_uppercase())
        });
        let first = it
            .top_actions
            .first()
            .map_or_else(Markup::default, |it| parts::text(&it.text));
        let gates = { it.gates.iter() }.map(|it| parts::tag("bad", &parts::said(&it.code)));
        parts::row(vec![
            parts::link(&found.about("url", url), &parts::path_of(url)),
            parts::maybe(it.geo_score, 1),
            grade,
            parts::tags(gates).unwrap_or_else(|| parts::text("–")),
            first,
        ])
    });
    let columns = vec![
        parts::words("Page"),
        parts::figures("Score"),
        parts::words("Grade"),
        parts::words("Held back by"),
        parts::words("First thing to do"),
    ];
    found.listed(
        "All pages",
        "Choose a page to see its factors.",
        columns,
        rows,
    )
}
