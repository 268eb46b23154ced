use super::Found;
use crate::pages::{
    NoPage,
    charts::{parts_bar, ring},
    parts::{self, Html, Table, fill, snippet},
};
use analysis::findings::schema::{Eligibility, Entity, SchemaRecord, SchemaSummary};

snippet!(Node { head: &'a Html, body: &'a Html, open: bool } = r#"<details{% if open %} open{% endif %}><summary>{{ head }}</summary><div class="tree">{{ body }}</div></details>"#);

const fn sign(it: Eligibility) -> (&'static str, &'static str) {
    match it {
        Eligibility::Eligible => ("good", "eligible"),
        Eligibility::EligibleWithWarnings => ("info", "eligible, could say more"),
        Eligibility::Ineligible => ("bad", "something required is missing"),
        Eligibility::NotSupported => ("", "valid, no special display"),
        Eligibility::Retired => ("", "valid, display was retired"),
    }
}

pub async fn body(found: &Found<'_>) -> Result<Vec<Html>, NoPage> {
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

fn figures(it: &SchemaSummary) -> Html {
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
    Html::all([stats, parts::card("What is told", &told, bar)])
}

fn entity(it: &Entity) -> Html {
    let (class, text) = sign(it.eligibility);
    let name = it
        .name
        .as_deref()
        .map_or_else(String::new, |it| format!(" “{it}”"));
    let head = Html::all([
        parts::wrapped("b", "", &parts::text(&it.types.join(", "))),
        parts::text(&format!("{name} ")),
        parts::tag(class, text),
        parts::text(&format!(
            " {} properties, {} at line {}",
            it.properties,
            parts::said(&it.format),
            it.location.line
        )),
    ]);
    let mut lines: Vec<Html> = Vec::new();
    let missing = |names: &[String]| names.join(", ");
    if !it.missing_required.is_empty() {
        lines.push(Html::all([
            parts::tag("bad", "required"),
            parts::text(&format!(" {}", missing(&it.missing_required))),
        ]));
    }
    if !it.missing_recommended.is_empty() {
        lines.push(Html::all([
            parts::tag("", "recommended"),
            parts::text(&format!(" {}", missing(&it.missing_recommended))),
        ]));
    }
    lines.extend(it.issues.iter().map(|it| {
        let class = match parts::code(&it.severity).as_str() {
            "error" => "bad",
            "warning" => "warn",
            _ => "",
        };
        let place = parts::wrapped("code", "wrap", &parts::text(&it.path));
        Html::all([
            parts::tag(class, &parts::said(&it.level)),
            parts::text(" "),
            place,
            parts::text(&format!(" {}", it.message)),
        ])
    }));
    if lines.is_empty() {
        lines.push(parts::text("Nothing is missing."));
    }
    let lines = parts::list("stack small", &lines);
    fill!(Node {
        head: &head,
        body: &lines,
        open: it.eligibility == Eligibility::Ineligible
    })
}

fn one(it: &SchemaRecord) -> Html {
    let url = it.envelope.url.as_deref().unwrap_or_default();
    let errors: Vec<Html> = it
        .parse_errors
        .iter()
        .map(|it| {
            parts::remark(
                "bad",
                &format!(
                    "Line {}, column {}: {}",
                    it.location.line, it.location.column, it.message
                ),
            )
        })
        .collect();
    let ends: Vec<Html> = it
        .expiries
        .iter()
        .map(|it| {
            Html::all([
                parts::text(&format!("{} of {} ends ", it.property, it.of)),
                parts::day(it.until),
            ])
        })
        .collect();
    let top = Html::all([
        ring("Structured data", it.schema_score),
        parts::outward(url),
    ]);
    let tree = parts::wrapped("div", "tree", &Html::all(it.entities.iter().map(entity)));
    let mut inside = vec![parts::wrapped("div", "row", &top)];
    inside.extend(errors);
    inside.extend(it.outside_items.iter().map(|it| {
        parts::remark(
            "warn",
            &format!(
                "Line {}: {} belongs to no item; put it inside the element with the itemscope that it describes",
                it.location.line,
                it.properties.join(" ")
            ),
        )
    }));
    inside.push(tree);
    if !ends.is_empty() {
        inside.push(parts::list("plain small", &ends));
    }
    parts::card(
        &parts::path_of(url),
        "Every thing that the page tells, and what is wrong with it.",
        parts::wrapped("div", "page", &Html::all(inside)),
    )
}

fn table(found: &Found<'_>, records: &[SchemaRecord]) -> Html {
    let rows = records.iter().map(|it| {
        let url = it.envelope.url.as_deref().unwrap_or_default();
        let mut types: Vec<&str> = it
            .entities
            .iter()
            .flat_map(|it| &it.types)
            .map(String::as_str)
            .collect();
        types.dedup();
        let types: Vec<Html> = types
            .into_iter()
            .take(5)
            .map(|it| parts::tag("", it))
            .collect();
        parts::row(vec![
            parts::link(&found.about("url", url), &parts::path_of(url)),
            parts::maybe(it.schema_score, 0),
            if types.is_empty() {
                parts::text("none")
            } else {
                parts::wrapped("span", "tags", &Html::all(types))
            },
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
    let (told, first, next) = found.paged();
    let table = Table::new("All pages", columns, rows.collect())
        .named_above()
        .paged(told, first, next);
    parts::card_of(
        "All pages",
        "Choose a page to see its structured data.",
        &table,
    )
}
