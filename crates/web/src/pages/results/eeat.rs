use super::{Found, Group, ResultPage, geo_score::factor};
use crate::pages::{NoPage, charts::ring, parts};
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

pub async fn body(found: &Found<'_>) -> Result<Vec<Markup>, NoPage> {
    let records: Vec<EeatRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<EeatSummary>() {
        body.push(figures(&it));
    }
    let chosen: Option<EeatRecord> = found.chosen_page().await?;
    let site = records.iter().find(|it| it.scope == SignalScope::Site);
    if let Some(it) = chosen.as_ref().or(site).or_else(|| records.first()) {
        body.push(one(it));
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
    let stats = parts::stats(vec![
        parts::stat(
            "The site",
            parts::maybe(it.site_score, 1),
            "of 100, by signals that hold for all pages",
        ),
        parts::stat(
            "Its pages",
            parts::maybe(it.average_page_score, 1),
            &format!("of 100, the mean of {} pages", it.pages),
        ),
        parts::stat(
            "Delicate topic",
            match it.ymyl.is_ymyl {
                Some(true) => parts::text("yes"),
                Some(false) => parts::text("no"),
                None => parts::unknown(),
            },
            delicate,
        ),
        parts::stat(
            "Signals missing",
            parts::count(it.missing.len() as u64),
            "that could be there",
        ),
    ]);
    let note = "What evidence of each was found. The weights are a stated judgement; nobody outside knows how search engines weigh.";
    let inside = html! {
        (pillars(&it.pillars))
        p .small .soft { "Missing:" }
        div .tags { @for it in &it.missing { (parts::tag("warn", &parts::said(it))) } }
    };
    html! { (stats) (parts::card("Four pillars", note, inside)) }
}

fn signal(it: &Signal) -> Markup {
    let seen: Vec<Markup> = { it.evidence.iter() }
        .take(4)
        .map(|it| {
            let said = it
                .text
                .as_deref()
                .or(it.selector.as_deref())
                .unwrap_or_default();
            html! { (said) @if let Some(url) = &it.url { " " (parts::outward_path(url)) } }
        })
        .collect();
    let name = format!(
        "{} ({})",
        parts::headed(&parts::code(&it.code)),
        parts::said(&it.pillar)
    );
    factor(&name, Some(it.weight), it.value, &seen)
}

fn one(it: &EeatRecord) -> Markup {
    let title = match (&it.scope, it.envelope.url.as_deref()) {
        (SignalScope::Site, _) | (_, None) => "The whole site".to_owned(),
        (SignalScope::Page, Some(url)) => parts::path_of(url),
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
            parts::text(format_args!("{}{more}", it.name))
        })
        .collect();
    let mut facts = vec![("Authors", parts::list("plain", &authors))];
    if let Some(organization) = &it.organization {
        facts.push((
            "Organization",
            parts::text(
                organization
                    .legal_name
                    .as_deref()
                    .or(organization.name.as_deref())
                    .unwrap_or("no name"),
            ),
        ));
        facts.push((
            "Address",
            parts::text(organization.address.as_deref().unwrap_or("none found")),
        ));
        facts.push((
            "Company numbers",
            parts::text(if organization.ids.is_empty() {
                "none found".to_owned()
            } else {
                organization.ids.join(", ")
            }),
        ));
    }
    let left: Vec<Markup> = others
        .iter()
        .map(|it| parts::text(parts::said(&it.code)))
        .collect();
    let inside = html! {
        div .page {
            div .row { (ring("Evidence of trust", it.eeat_score)) (pillars(&it.pillars)) }
            @if it.capped { (parts::remark("warn", "The score is capped: something that trust needs is missing.")) }
            (parts::pairs(facts))
            ul .factors { @for it in applicable { (signal(it)) } }
            (parts::folded("What does not apply here", parts::list("plain", &left)))
        }
    };
    parts::card(
        &title,
        "Every signal that counts, how far it is reached, and where it was seen.",
        inside,
    )
}

fn table(found: &Found<'_>, records: &[EeatRecord]) -> Markup {
    let rows = records.iter().map(|it| {
        let name = match it.envelope.url.as_deref() {
            Some(url) if it.scope == SignalScope::Page => {
                parts::link(&found.about("url", url), &parts::path_of(url))
            }
            _ => parts::link(found.visit.path, "The whole site"),
        };
        let kind = it
            .page_type
            .as_ref()
            .map_or_else(|| parts::text("site"), |it| parts::text(parts::said(it)));
        parts::row(vec![
            name,
            kind,
            parts::maybe(it.eeat_score, 1),
            parts::maybe(it.pillars.experience, 0),
            parts::maybe(it.pillars.expertise, 0),
            parts::maybe(it.pillars.authoritativeness, 0),
            parts::maybe(it.pillars.trust, 0),
            parts::count(it.missing.len() as u64),
        ])
    });
    let columns = vec![
        parts::words("Page"),
        parts::words("Kind"),
        parts::figures("Score"),
        parts::figures("Experience"),
        parts::figures("Expertise"),
        parts::figures("Authority"),
        parts::figures("Trust"),
        parts::figures("Missing"),
    ];
    found.listed(
        "All pages",
        "Choose a page to see its signals.",
        columns,
        rows,
    )
}
