use super::{Found, Group, ResultPage};
use crate::pages::charts::{parts_bar, ring};
use crate::pages::{NoPage, parts};
use analysis::findings::schema::{Eligibility, Entity, SchemaRecord, SchemaSummary};
use maud::{Markup, html};

pub const PAGE: ResultPage = ResultPage {
    group: Group::Site,
    title: "Structured data",
    short: None,
    question: "Can search engines read what our pages are about?",
    unit: "pages",
    icon: "schema",
    rows: 50,
};

const fn sign(it: Eligibility) -> (&'static str, &'static str) {
    match it {
        Eligibility::Eligible => ("good", "eligible"),
        Eligibility::EligibleWithWarnings => ("info", "eligible, could say more"),
        Eligibility::Ineligible => ("bad", "something required is missing"),
        Eligibility::NotSupported => ("", "valid, no special display"),
        Eligibility::Retired => ("", "valid, display was retired"),
    }
}

pub async fn body(found: &Found<'_>) -> Result<Vec<Markup>, NoPage> {
    let records: Vec<SchemaRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<SchemaSummary>() {
        body.push(figures(&it));
    }
    let chosen: Option<SchemaRecord> = found.chosen_page().await?;
    let with_data = |it: &&SchemaRecord| {
        !it.entities.is_empty() || !it.parse_errors.is_empty() || !it.outside_items.is_empty()
    };
    if let Some(it) = chosen.as_ref().or_else(|| records.iter().find(with_data)) {
        body.push(one(it));
    }
    body.push(table(found, &records));
    Ok(body)
}

fn figures(it: &SchemaSummary) -> Markup {
    let of = |kind: Eligibility| u64::from(it.by_eligibility.get(&kind).copied().unwrap_or(0));
    let stats = parts::stats(vec![
        parts::stat(
            "Pages with structured data",
            parts::percent(it.coverage),
            &format!("of {} pages that may be indexed", it.indexable_pages),
        ),
        parts::stat(
            "Score",
            parts::maybe(it.average_score, 1),
            &format!("of 100, the mean of {} pages", it.scored_pages),
        ),
        parts::stat(
            "Errors",
            parts::count(it.errors.into()),
            &format!("{} blocks cannot be read at all", it.parse_errors),
        ),
        parts::stat(
            "Warnings",
            parts::count(it.warnings.into()),
            "what could be said and is not",
        ),
        parts::stat(
            "Things told",
            parts::count(it.entities.into()),
            &format!(
                "{} JSON-LD, {} microdata, {} RDFa",
                it.formats.json_ld, it.formats.microdata, it.formats.rdfa
            ),
        ),
    ]);
    let bar = parts_bar(
        "Things by what they may become",
        &[
            ("eligible", of(Eligibility::Eligible), 1),
            ("could say more", of(Eligibility::EligibleWithWarnings), 4),
            ("required missing", of(Eligibility::Ineligible), 5),
            ("no special display", of(Eligibility::NotSupported), 6),
            ("retired", of(Eligibility::Retired), 3),
        ],
    );
    let types = it
        .by_type
        .iter()
        .take(12)
        .map(|(name, count)| format!("{name} {count}"));
    let told = types.collect::<Vec<_>>().join(" · ");
    html! { (stats) (parts::card("What is told", &told, bar)) }
}

fn entity(it: &Entity) -> Markup {
    let (class, text) = sign(it.eligibility);
    let required = [
        ("bad", "required", &it.missing_required),
        ("", "recommended", &it.missing_recommended),
    ];
    let missing = required
        .into_iter()
        .filter(|(_, _, names)| !names.is_empty());
    let missing = missing.map(|(class, said, names)| {
        html! { (parts::tag(class, said)) " " (names.join(", ")) }
    });
    let issues = it.issues.iter().map(|it| {
        let class = match parts::code(&it.severity).as_str() {
            "error" => "bad",
            "warning" => "warn",
            _ => "",
        };
        html! { (parts::tag(class, &parts::said(&it.level))) " " code .wrap { (it.path) } " " (it.message) }
    });
    let mut lines: Vec<Markup> = missing.chain(issues).collect();
    if lines.is_empty() {
        lines.push(parts::text("Nothing is missing."));
    }
    html! {
        details open[it.eligibility == Eligibility::Ineligible] {
            summary {
                b { (it.types.join(", ")) }
                @if let Some(name) = &it.name { " “" (name) "”" }
                " " (parts::tag(class, text)) " "
                (it.properties) " properties, " (parts::said(&it.format)) " at line " (it.location.line)
            }
            div .tree { (parts::list("stack small", &lines)) }
        }
    }
}

fn one(it: &SchemaRecord) -> Markup {
    let url = it.envelope.url.as_deref().unwrap_or_default();
    let errors = it.parse_errors.iter().map(|it| {
        parts::remark(
            "bad",
            format_args!(
                "Line {}, column {}: {}",
                it.location.line, it.location.column, it.message
            ),
        )
    });
    let ends: Vec<Markup> = it
        .expiries
        .iter()
        .map(|it| html! { (it.property) " of " (it.of) " ends " (parts::day(it.until)) })
        .collect();
    let outside = it.outside_items.iter().map(|it| {
        parts::remark(
            "warn",
            format_args!(
                "Line {}: {} belongs to no item; put it inside the element with the itemscope that it describes",
                it.location.line,
                it.properties.join(" ")
            ),
        )
    });
    let inside = html! {
        div .page {
            div .row { (ring("Structured data", it.schema_score)) (parts::outward(url)) }
            @for told in errors.chain(outside) { (told) }
            div .tree { @for it in &it.entities { (entity(it)) } }
            @if !ends.is_empty() { (parts::list("plain small", &ends)) }
        }
    };
    parts::card(
        &parts::path_of(url),
        "Every thing that the page tells, and what is wrong with it.",
        inside,
    )
}

fn table(found: &Found<'_>, records: &[SchemaRecord]) -> Markup {
    let rows = records.iter().map(|it| {
        let url = it.envelope.url.as_deref().unwrap_or_default();
        let mut types: Vec<&str> = it
            .entities
            .iter()
            .flat_map(|it| &it.types)
            .map(String::as_str)
            .collect();
        types.dedup();
        let types = types.into_iter().take(5).map(|it| parts::tag("", it));
        parts::row(vec![
            parts::link(&found.about("url", url), &parts::path_of(url)),
            parts::maybe(it.schema_score, 0),
            parts::tags(types).unwrap_or_else(|| parts::text("none")),
            parts::count(it.errors.into()),
            parts::count(it.warning_count.into()),
            parts::count(it.features.len() as u64),
        ])
    });
    let columns = vec![
        parts::words("Page"),
        parts::figures("Score"),
        parts::words("What it tells"),
        parts::figures("Errors"),
        parts::figures("Warnings"),
        parts::figures("Displays it may get"),
    ];
    found.listed(
        "All pages",
        "Choose a page to see its structured data.",
        columns,
        rows,
    )
}
