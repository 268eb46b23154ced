use super::Found;
use crate::pages::{
    NoPage,
    charts::{bar, ring},
    parts::{self, Html, Table, fill, snippet},
};
use analysis::findings::geo_score::{GeoRecord, GeoSummary};

snippet!(Factor { name: &'a str, weight: Option<Html>, value: &'a Html, evidence: &'a Html } = r#"<li><b>{{ name }} {% if let Some(weight) = weight %}<span class="soft tiny">weight {{ weight }}</span>{% endif %}</b><div>{{ value }}</div><div class="soft small wrap">{{ evidence }}</div></li>"#);

pub fn factor(name: &str, weight: Option<f64>, value: Option<f64>, evidence: &[Html]) -> Html {
    let shown = value.map_or_else(parts::unknown, |it| {
        let colour = if it >= 0.75 {
            "g"
        } else if it >= 0.4 {
            "w"
        } else {
            "b"
        };
        Html::all([parts::percent(Some(it)), bar(it, colour)])
    });
    let evidence = if evidence.is_empty() {
        parts::unknown()
    } else {
        parts::list("plain", evidence)
    };
    let weight = weight.map(|it| parts::number(it, usize::from(it.fract() != 0.0)));
    fill!(Factor {
        name,
        weight,
        value: &shown,
        evidence: &evidence
    })
}

pub async fn body(found: &Found<'_>) -> Result<Vec<Html>, NoPage> {
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

fn figures(it: &GeoSummary) -> Html {
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
        let told = parts::text(&format!("{} of {} pages reach it", of.covered, of.pages));
        factor(&parts::headed(&parts::code(code)), None, of.mean, &[told])
    });
    let lines = parts::wrapped("ul", "factors", &Html::all(lines));
    Html::all([
        stats,
        parts::card(
            "What the site does well",
            "Mean of all pages for each factor. A rubric with stated weights, not a prediction of citations.",
            lines,
        ),
    ])
}

fn one(it: &GeoRecord) -> Html {
    let url = it.envelope.url.as_deref().unwrap_or_default();
    let gates: Vec<Html> = it
        .gates
        .iter()
        .map(|it| {
            let evidence = it.evidence.join("; ");
            parts::remark(
                "bad",
                &format!(
                    "{}: the score is multiplied by {}. {evidence}",
                    parts::headed(&parts::code(&it.code)),
                    it.multiplier
                ),
            )
        })
        .collect();
    let lines = it.factors.iter().map(|it| {
        let evidence: Vec<Html> = it.evidence.iter().map(|it| parts::text(it)).collect();
        factor(
            &parts::headed(&parts::code(&it.code)),
            Some(it.weight),
            it.value,
            &evidence,
        )
    });
    let lines = parts::wrapped("ul", "factors", &Html::all(lines));
    let actions: Vec<Html> = it
        .top_actions
        .iter()
        .map(|it| parts::text(&format!("{} (+{:.1})", it.text, it.gain)))
        .collect();
    let agents = it.agents.iter().map(|it| {
        let allowed = match it.allowed {
            Some(true) => parts::tag("good", "allowed"),
            Some(false) => parts::tag("bad", "refused"),
            None => parts::tag("", "not known"),
        };
        parts::row(vec![
            parts::text(&it.name),
            parts::text(&parts::said(&it.purpose)),
            allowed,
            parts::text(it.rule.as_deref().unwrap_or("")),
        ])
    });
    let columns = ["Agent", "For", "robots.txt", "Rule"]
        .map(parts::words)
        .to_vec();
    let agents = Table::new("Which agents may read the page", columns, agents.collect())
        .named_above()
        .html();
    let grade = it.grade.as_ref().map_or_else(
        || "no grade".to_owned(),
        |it| format!("grade {}", parts::code(it).to_uppercase()),
    );
    let top = Html::all([
        ring("Citability", it.geo_score),
        parts::wrapped(
            "div",
            "stack tight",
            &Html::all([parts::paragraph("", &grade), parts::outward(url)]),
        ),
    ]);
    let mut inside = vec![parts::wrapped("div", "row", &top)];
    inside.extend(gates);
    if !actions.is_empty() {
        inside.push(Html::all([
            parts::paragraph("small", "What would raise it most:"),
            parts::list("plain small", &actions),
        ]));
    }
    inside.push(lines);
    inside.push(parts::folded("Which agents may read the page", &agents));
    parts::card(
        &parts::path_of(url),
        "Every factor of this page's score, and what was seen.",
        parts::wrapped("div", "page", &Html::all(inside)),
    )
}

fn table(found: &Found<'_>, records: &[GeoRecord]) -> Html {
    let rows = records.iter().map(|it| {
        let url = it.envelope.url.as_deref().unwrap_or_default();
        let grade = it.grade.as_ref().map_or_else(parts::unknown, |it| {
            parts::text(&parts::code(it).to_uppercase())
        });
        let first = it
            .top_actions
            .first()
            .map_or_else(Html::default, |it| parts::text(&it.text));
        let gates: Vec<Html> = it
            .gates
            .iter()
            .map(|it| parts::tag("bad", &parts::said(&it.code)))
            .collect();
        parts::row(vec![
            parts::link(&found.about("url", url), &parts::path_of(url)),
            parts::maybe(it.geo_score, 1),
            grade,
            if gates.is_empty() {
                parts::text("–")
            } else {
                parts::wrapped("span", "tags", &Html::all(gates))
            },
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
    let (told, first, next) = found.paged();
    let table = Table::new("All pages", columns, rows.collect())
        .named_above()
        .paged(told, first, next);
    parts::card_of("All pages", "Choose a page to see its factors.", &table)
}
