//! Factors of the page and its site: access, freshness, structured data, provenance.

use super::SiteIdentity;
use super::agents::{AgentAccess, AgentPurpose};
use super::factors::{Measured, Part, flag, to_f64};
use crate::findings::broken_links::Severity;
use crate::findings::schema::{Entity, SchemaRecord};
use crate::observation::page_content::{DateFact, DateRole, FactSource, PageContent};
use chrono::NaiveDate;

/// Types that are on every page of a site and not its subject.
const BOILERPLATE_TYPES: [&str; 9] = [
    "WebSite",
    "WebPage",
    "Organization",
    "Corporation",
    "BreadcrumbList",
    "SiteNavigationElement",
    "WPHeader",
    "WPFooter",
    "SearchAction",
];

/// Share of the checked search and fetch agents that robots.txt allows.
pub fn access(agents: &[AgentAccess]) -> Measured {
    let weighed = agents
        .iter()
        .filter(|it| it.purpose != AgentPurpose::Training);
    let known: Vec<(&str, bool)> = weighed
        .filter_map(|it| Some((it.name.as_str(), it.allowed?)))
        .collect();
    if known.is_empty() {
        return Measured::default();
    }
    let allowed = known.iter().filter(|it| it.1).count();
    let share = to_f64(allowed) / to_f64(known.len());
    let blocked = known.iter().filter(|it| !it.1);
    let blocked: Vec<&str> = blocked.map(|it| it.0).collect();
    Measured {
        value: Some(share),
        figure: Some(share),
        target: Some(1.0),
        evidence: if blocked.is_empty() {
            vec![format!("all {} let in", known.len())]
        } else {
            vec![format!("kept out: {}", blocked.join(", "))]
        },
    }
}

/// Visible date .3, machine-readable date .3, agreement of the two .2, age .2.
pub fn freshness(page: &PageContent, today: NaiveDate) -> Measured {
    let dates = &page.metadata.dates;
    let is_past = |it: &&DateFact| it.day <= today.succ_opt().unwrap_or(today);
    let visible: Vec<&DateFact> = dates.iter().filter(|it| is_visible(it)).collect();
    let machine: Vec<&DateFact> = dates
        .iter()
        .filter(|it| is_machine_readable(it))
        .filter(is_past)
        .collect();
    let agree = visible.iter().any(|one| {
        machine
            .iter()
            // Time zones may differ by a day.
            .any(|other| (one.day - other.day).num_days().abs() <= 1)
    });
    let latest = dates.iter().filter(is_past).map(|it| it.day).max();
    let age = latest.map(|it| (today - it).num_days().max(0));
    let by_age = age.map_or(0.0, |days| match days {
        ..=90 => 1.0,
        91..=365 => 0.7,
        366..=730 => 0.4,
        _ => 0.1,
    });
    let describe_date = |dates: &[&DateFact], name: &str| match dates.first() {
        Some(it) => format!("{name} ({})", it.day),
        None => name.to_owned(),
    };
    let mut found = Measured::from_parts(&[
        Part::new(
            0.3,
            flag(!visible.is_empty()),
            describe_date(&visible, "visible date"),
        ),
        Part::new(
            0.3,
            flag(!machine.is_empty()),
            describe_date(&machine, "machine-readable date"),
        ),
        Part::new(0.2, flag(agree), "both agree"),
        Part::new(0.2, by_age, "new"),
    ]);
    found.figure = age.and_then(|it| u32::try_from(it).ok()).map(f64::from);
    found.target = Some(90.0);
    found
}

const fn is_visible(date: &DateFact) -> bool {
    matches!(
        date.source,
        FactSource::VisibleText | FactSource::TimeElement
    )
}

/// Whether a date is machine-readable and has a role.
fn is_machine_readable(date: &DateFact) -> bool {
    matches!(
        date.source,
        FactSource::JsonLd | FactSource::Meta | FactSource::Microdata
    ) && date.role != DateRole::Unspecified
}

/// Whether the main entity has no errors; boilerplate counts only if there is nothing else.
pub fn structured_data(schema: Option<&SchemaRecord>) -> Measured {
    let Some(schema) = schema else {
        return Measured::default();
    };
    let is_boilerplate = |it: &Entity| {
        it.types
            .iter()
            .all(|it| BOILERPLATE_TYPES.contains(&it.as_str()))
    };
    let main = schema
        .entities
        .iter()
        .find(|it| !is_boilerplate(it))
        .or_else(|| schema.entities.first());
    let evidence = match main {
        None => "no structured data".to_owned(),
        Some(it) => format!("{}: {}", it.types.join(", "), errors(it)),
    };
    Measured {
        value: Some(main.map_or(0.0, |it| flag(errors(it) == NO_ERRORS))),
        figure: None,
        target: None,
        evidence: vec![evidence],
    }
}

const NO_ERRORS: &str = "no errors";

fn errors(entity: &Entity) -> String {
    let errors = entity
        .issues
        .iter()
        .filter(|it| it.severity == Severity::Error);
    let messages: Vec<&str> = errors.map(|it| it.message.as_str()).take(3).collect();
    if messages.is_empty() {
        NO_ERRORS.to_owned()
    } else {
        messages.join("; ")
    }
}

/// Author with a page .35 (half for a name alone), organization with sameAs .25 (half without),
/// about and contact .2, https and a canonical of the same host .2. The halves are our choice.
pub fn provenance(page: &PageContent, site: SiteIdentity) -> Measured {
    let authors = &page.metadata.authors;
    let author = match authors.first() {
        Some(_) if authors.iter().any(|it| it.url.is_some()) => 1.0,
        Some(_) => 0.5,
        None => 0.0,
    };
    let name = authors.first().map_or_else(
        || "author with a page".to_owned(),
        |it| format!("author with a page ({})", it.name),
    );
    let (here, here_same_as) = organization(page);
    let organization = match (
        here || site.organization == Some(true),
        here_same_as || site.organization_same_as == Some(true),
    ) {
        (true, true) => Some(1.0),
        (true, false) => Some(0.5),
        // None on this page, and none known on others.
        (false, _) => site.organization.map(|_| 0.0).or(Some(0.0)),
    };
    let reachable = match (site.about_reachable, site.contact_reachable) {
        (None, None) => None,
        (about, contact) => {
            let known = [about, contact].into_iter().flatten();
            super::factors::weighted_mean(known.map(|it| (1.0, Some(flag(it)))))
        }
    };
    let host = |text: &str| Some(url::Url::parse(text).ok()?.host_str()?.to_owned());
    let consistent = page
        .canonical()
        .is_none_or(|it| host(it) == host(&page.url));
    Measured::from_parts(&[
        Part::new(0.35, author, name),
        Part::new(0.25, organization, "organisation with sameAs"),
        Part::new(0.2, reachable, "about and contact can be reached"),
        Part::new(
            0.2,
            f64::midpoint(flag(page.is_https()), flag(consistent)),
            "https, and a canonical of the same host",
        ),
    ])
}

/// Whether the page describes an organization, and one with `sameAs`.
fn organization(page: &PageContent) -> (bool, bool) {
    let is_one = |it: &&crate::observation::structured_data::Item| {
        it.schema_types().any(|it| {
            it.ends_with("Organization") || it.ends_with("Business") || it == "Corporation"
        })
    };
    let all = || page.structured_data.items.iter().filter(is_one);
    let described = all().next().is_some();
    (
        described,
        all().any(|it| it.values("sameAs").next().is_some()),
    )
}
