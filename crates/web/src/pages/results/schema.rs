use super::{Group, ResultContext, ResultPage};
use crate::pages::charts::{ring, stacked_bar};
use crate::pages::{PageError, components};
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

const fn eligibility_tag(it: Eligibility) -> (&'static str, &'static str) {
    match it {
        Eligibility::Eligible => ("good", "eligible"),
        Eligibility::EligibleWithWarnings => ("info", "eligible, could say more"),
        Eligibility::Ineligible => ("bad", "something required is missing"),
        Eligibility::NotSupported => ("", "valid, no special display"),
        Eligibility::Retired => ("", "valid, display was retired"),
    }
}

pub async fn body(found: &ResultContext<'_>) -> Result<Vec<Markup>, PageError> {
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
        body.push(record_card(it));
    }
    body.push(table(found, &records));
    Ok(body)
}

fn figures(it: &SchemaSummary) -> Markup {
    let of = |kind: Eligibility| u64::from(it.by_eligibility.get(&kind).copied().unwrap_or(0));
    let stats = components::stats(vec![
        components::stat(
            "Pages with structured data",
            components::percent(it.coverage),
            &format!("of {} pages that may be indexed", it.indexable_pages),
        ),
        components::stat(
            "Score",
            components::optional_number(it.average_score, 1),
            &format!("of 100, the mean of {} pages", it.scored_pages),
        ),
        components::stat(
            "Errors",
            components::count(it.errors.into()),
            &format!("{} blocks cannot be read at all", it.parse_errors),
        ),
        components::stat(
            "Warnings",
            components::count(it.warnings.into()),
            "what could be said and is not",
        ),
        components::stat(
            "Things told",
            components::count(it.entities.into()),
            &format!(
                "{} JSON-LD, {} microdata, {} RDFa",
                it.formats.json_ld, it.formats.microdata, it.formats.rdfa
            ),
        ),
    ]);
    let bar = stacked_bar(
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
    let note = types.collect::<Vec<_>>().join(" · ");
    html! { (stats) (components::card("What is told", &note, bar)) }
}

fn entity(it: &Entity) -> Markup {
    let (class, text) = eligibility_tag(it.eligibility);
    let required = [
        ("bad", "required", &it.missing_required),
        ("", "recommended", &it.missing_recommended),
    ];
    let missing = required
        .into_iter()
        .filter(|(_, _, names)| !names.is_empty());
    let missing = missing.map(|(class, label, names)| {
        html! { (components::tag(class, label)) " " (names.join(", ")) }
    });
    let issues = it.issues.iter().map(|it| {
        let class = match components::api_name(&it.severity).as_str() {
            "error" => "bad",
            "warning" => "warn",
            _ => "",
        };
        html! { (components::tag(class, &components::humanize_value(&it.level))) " " code .wrap { (it.path) } " " (it.message) }
    });
    let mut lines: Vec<Markup> = missing.chain(issues).collect();
    if lines.is_empty() {
        lines.push(components::text("Nothing is missing."));
    }
    html! {
        details open[it.eligibility == Eligibility::Ineligible] {
            summary {
                b { (it.types.join(", ")) }
                @if let Some(name) = &it.name { " “" (name) "”" }
                " " (components::tag(class, text)) " "
                (it.properties) " properties, " (components::humanize_value(&it.format)) " at line " (it.location.line)
            }
            div .tree { (components::list("stack small", &lines)) }
        }
    }
}

fn record_card(it: &SchemaRecord) -> Markup {
    let url = it.envelope.url.as_deref().unwrap_or_default();
    let errors = it.parse_errors.iter().map(|it| {
        components::remark(
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
        .map(|it| html! { (it.property) " of " (it.of) " ends " (components::day(it.until)) })
        .collect();
    let outside = it.outside_items.iter().map(|it| {
        components::remark(
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
            div .row { (ring("Structured data", it.schema_score)) (components::external_link(url)) }
            @for remark in errors.chain(outside) { (remark) }
            div .tree { @for it in &it.entities { (entity(it)) } }
            @if !ends.is_empty() { (components::list("plain small", &ends)) }
        }
    };
    components::card(
        &components::url_path(url),
        "Every thing that the page tells, and what is wrong with it.",
        inside,
    )
}

fn table(found: &ResultContext<'_>, records: &[SchemaRecord]) -> Markup {
    let rows = records.iter().map(|it| {
        let url = it.envelope.url.as_deref().unwrap_or_default();
        let mut types: Vec<&str> = it
            .entities
            .iter()
            .flat_map(|it| &it.types)
            .map(String::as_str)
            .collect();
        types.dedup();
        let types = types.into_iter().take(5).map(|it| components::tag("", it));
        components::row(vec![
            components::link(
                &found.url_with_parameter("url", url),
                &components::url_path(url),
            ),
            components::optional_number(it.schema_score, 0),
            components::tags(types).unwrap_or_else(|| components::text("none")),
            components::count(it.errors.into()),
            components::count(it.warning_count.into()),
            components::count(it.features.len() as u64),
        ])
    });
    let columns = vec![
        components::text_column("Page"),
        components::number_column("Score"),
        components::text_column("What it tells"),
        components::number_column("Errors"),
        components::number_column("Warnings"),
        components::number_column("Displays it may get"),
    ];
    found.records_card(
        "All pages",
        "Choose a page to see its structured data.",
        columns,
        rows,
    )
}
