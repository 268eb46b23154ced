use super::{Group, ResultContext, ResultPage, geo_score::factor};
use crate::pages::{PageError, charts::ring, components};
use analysis::findings::eeat::{EeatRecord, EeatSummary, PillarScores, Signal, SignalScope};
use maud::{Markup, html};

pub const PAGE: ResultPage = ResultPage {
    group: Group::Site,
    title: "Experience, expertise, authority, trust",
    short: Some("E-E-A-T"),
    question: "What on our site shows that it deserves trust?",
    unit: "pages",
    icon: "trust",
    rows: 50,
};

pub async fn body(found: &ResultContext<'_>) -> Result<Vec<Markup>, PageError> {
    let records: Vec<EeatRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<EeatSummary>() {
        body.push(figures(&it));
    }
    let chosen: Option<EeatRecord> = found.chosen_page().await?;
    let site = records.iter().find(|it| it.scope == SignalScope::Site);
    if let Some(it) = chosen.as_ref().or(site).or_else(|| records.first()) {
        body.push(record_card(it));
    }
    body.push(table(found, &records));
    Ok(body)
}

fn pillars(it: &PillarScores) -> Markup {
    let rings = [
        ("Experience", it.experience),
        ("Expertise", it.expertise),
        ("Authority", it.authoritativeness),
        ("Trust", it.trust),
    ];
    html! {
        div .row {
            @for (name, score) in rings {
                div .stack .tight { (ring(name, score)) p .small { (name) } }
            }
        }
    }
}

fn figures(it: &EeatSummary) -> Markup {
    let delicate = match it.ymyl.is_ymyl {
        Some(true) => "money, health or safety is touched, and trust counts more",
        Some(false) => "of no topic on which much depends",
        None => "no word list for the language of these pages",
    };
    let stats = components::stats(vec![
        components::stat(
            "The site",
            components::optional_number(it.site_score, 1),
            "of 100, by signals that hold for all pages",
        ),
        components::stat(
            "Its pages",
            components::optional_number(it.average_page_score, 1),
            &format!("of 100, the mean of {} pages", it.pages),
        ),
        components::stat(
            "Delicate topic",
            match it.ymyl.is_ymyl {
                Some(true) => components::text("yes"),
                Some(false) => components::text("no"),
                None => components::unknown(),
            },
            delicate,
        ),
        components::stat(
            "Signals missing",
            components::count(it.missing.len() as u64),
            "that could be there",
        ),
    ]);
    let note = "What evidence of each was found. The weights are a stated judgement; nobody outside knows how search engines weigh.";
    let inside = html! {
        (pillars(&it.pillars))
        p .small .soft { "Missing:" }
        div .tags { @for it in &it.missing { (components::tag("warn", &components::humanize_value(it))) } }
    };
    html! { (stats) (components::card("Four pillars", note, inside)) }
}

fn signal(it: &Signal) -> Markup {
    let seen: Vec<Markup> = { it.evidence.iter() }
        .take(4)
        .map(|it| {
            let excerpt = it
                .text
                .as_deref()
                .or(it.selector.as_deref())
                .unwrap_or_default();
            html! { (excerpt) @if let Some(url) = &it.url { " " (components::external_path_link(url)) } }
        })
        .collect();
    let name = format!(
        "{} ({})",
        components::humanize_capitalized(&components::api_name(&it.code)),
        components::humanize_value(&it.pillar)
    );
    factor(&name, Some(it.weight), it.value, &seen)
}

fn record_card(it: &EeatRecord) -> Markup {
    let title = match (&it.scope, it.envelope.url.as_deref()) {
        (SignalScope::Site, _) | (_, None) => "The whole site".to_owned(),
        (SignalScope::Page, Some(url)) => components::url_path(url),
    };
    let (applicable, others): (Vec<&Signal>, Vec<&Signal>) =
        it.signals.iter().partition(|it| it.applicable);
    let authors: Vec<Markup> = it
        .authors
        .iter()
        .map(|it| {
            let more = if it.credentials.is_empty() {
                String::new()
            } else {
                format!(", {}", it.credentials.join(", "))
            };
            components::text(format_args!("{}{more}", it.name))
        })
        .collect();
    let mut facts = vec![("Authors", components::list("plain", &authors))];
    if let Some(organization) = &it.organization {
        facts.push((
            "Organization",
            components::text(
                organization
                    .legal_name
                    .as_deref()
                    .or(organization.name.as_deref())
                    .unwrap_or("no name"),
            ),
        ));
        facts.push((
            "Address",
            components::text(organization.address.as_deref().unwrap_or("none found")),
        ));
        facts.push((
            "Company numbers",
            components::text(if organization.ids.is_empty() {
                "none found".to_owned()
            } else {
                organization.ids.join(", ")
            }),
        ));
    }
    let left: Vec<Markup> = others
        .iter()
        .map(|it| components::text(components::humanize_value(&it.code)))
        .collect();
    let inside = html! {
        div .page {
            div .row { (ring("Evidence of trust", it.eeat_score)) (pillars(&it.pillars)) }
            @if it.capped { (components::remark("warn", "The score is capped: something that trust needs is missing.")) }
            (components::pairs(facts))
            ul .factors { @for it in applicable { (signal(it)) } }
            (components::collapsible("What does not apply here", components::list("plain", &left)))
        }
    };
    components::card(
        &title,
        "Every signal that counts, how far it is reached, and where it was seen.",
        inside,
    )
}

fn table(found: &ResultContext<'_>, records: &[EeatRecord]) -> Markup {
    let rows = records.iter().map(|it| {
        let name = match it.envelope.url.as_deref() {
            Some(url) if it.scope == SignalScope::Page => components::link(
                &found.url_with_parameter("url", url),
                &components::url_path(url),
            ),
            _ => components::link(found.visit.path, "The whole site"),
        };
        let kind = it.page_type.as_ref().map_or_else(
            || components::text("site"),
            |it| components::text(components::humanize_value(it)),
        );
        components::row(vec![
            name,
            kind,
            components::optional_number(it.eeat_score, 1),
            components::optional_number(it.pillars.experience, 0),
            components::optional_number(it.pillars.expertise, 0),
            components::optional_number(it.pillars.authoritativeness, 0),
            components::optional_number(it.pillars.trust, 0),
            components::count(it.missing.len() as u64),
        ])
    });
    let columns = vec![
        components::text_column("Page"),
        components::text_column("Kind"),
        components::number_column("Score"),
        components::number_column("Experience"),
        components::number_column("Expertise"),
        components::number_column("Authority"),
        components::number_column("Trust"),
        components::number_column("Missing"),
    ];
    found.records_card(
        "All pages",
        "Choose a page to see its signals.",
        columns,
        rows,
    )
}
