//! What stands around every page: navigation, the banner over simulated data, headings.

use super::parts::icon;
use super::{Group, PAGES, assets, parts};
use crate::contract::result_types::spec;
use analysis::result_type::ResultType;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{project::Project, results::ResultHead, use_cases::sessions::Member};
use maud::{Markup, Render, html};

/// Older results are told to be old.
const FRESH_FOR: TimeDelta = TimeDelta::days(35);

/// For a test that finds missing icons.
#[cfg(test)]
pub fn icons() -> Vec<&'static str> {
    let fixed = [
        "mark", "menu", "flask", "clock", "info", "up", "down", "plus", "play", "star", "copy",
        "key", "person", "check", "external",
    ];
    let types = crate::contract::result_types::RESULTS
        .iter()
        .map(|it| it.icon);
    fixed
        .into_iter()
        .chain(PAGES.iter().filter_map(|it| Some(it.entry.as_ref()?.icon)))
        .chain(types)
        .collect()
}

/// In the navigation. Suggestions stand before all groups.
const GROUPS: [(&str, &[ResultType]); 3] = [
    (
        "Search",
        &[
            ResultType::Rankings,
            ResultType::Serp,
            ResultType::Sov,
            ResultType::Competitors,
            ResultType::Cannibalization,
            ResultType::Forecast,
        ],
    ),
    (
        "AI answers",
        &[
            ResultType::AiVisibility,
            ResultType::AiTrends,
            ResultType::GeoScore,
        ],
    ),
    (
        "Site",
        &[
            ResultType::Content,
            ResultType::BrokenLinks,
            ResultType::ContentChanges,
            ResultType::Schema,
            ResultType::Eeat,
            ResultType::Vitals,
        ],
    ),
];

pub struct Page {
    pub title: String,
    pub project: Option<Project>,
    pub simulated: bool,
    pub parts: Vec<Markup>,
}

impl Page {
    /// `marked`: the path of the entry of the navigation that leads here.
    pub fn html(&self, who: Option<&Member>, marked: &str) -> String {
        let brand = html! { a .brand href="/" { (icon("mark")) "Sightline" } };
        let page = html! {
            (maud::DOCTYPE)
            html lang="en" {
                (document_head(&self.title, Some("same-origin")))
                body {
                    a .skip href="#content" { "Skip to the content" }
                    div .app {
                        header .top {
                            button .slim type="button" popovertarget="menu" aria-label="Menu" { (icon("menu")) }
                            " " (brand)
                        }
                        nav .side #menu popover aria-label="Sightline" {
                            (brand)
                            div .nav { (entries(Group::Main, "", marked)) }
                            @if let Some(project) = &self.project { (own_entries(project, marked)) }
                            @if let Some(who) = who {
                                div .who {
                                    b { (who.user.name.as_str()) }
                                    small { (who.user.email.as_str()) }
                                    " "
                                    button class="quiet slim" type="button" data-api="DELETE /api/session" data-then="/sign-in" { "Sign out" }
                                }
                            }
                        }
                        main #content tabindex="-1" {
                            @if self.simulated {
                                div .banner role="note" {
                                    (icon("flask"))
                                    p { b { "Simulated data." } " These figures come from Sightline's sandbox, not from a real search engine. Add a supplier's key to the server's settings to measure the real thing." }
                                }
                            }
                            @for part in &self.parts { (part) }
                        }
                    }
                    (told())
                }
            }
        };
        page.into_string()
    }
}

/// For whoever is not signed in.
pub fn gate(title: &str, body: impl Render) -> String {
    let page = html! {
        (maud::DOCTYPE)
        html lang="en" {
            (document_head(title, None))
            body {
                div .gate {
                    main #content {
                        span .brand { (icon("mark")) "Sightline" }
                        (body)
                    }
                }
                (told())
            }
        }
    };
    page.into_string()
}

fn document_head(title: &str, referrer: Option<&str>) -> Markup {
    let base = assets::base();
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            @if let Some(referrer) = referrer { meta name="referrer" content=(referrer); }
            title { (title) " · Sightline" }
            link rel="icon" href={ (base) "/icon.svg" } type="image/svg+xml";
            link rel="stylesheet" href={ (base) "/sightline.css" };
            script type="module" src={ (base) "/js/app.js" } {}
        }
    }
}

/// Where scripts tell what happened.
fn told() -> Markup {
    html! { div #told .out role="status" aria-live="polite" {} }
}

fn entry(href: &str, label: &str, picture: &str, marked: &str) -> Markup {
    html! { a href=(href) aria-current=[(href == marked).then_some("page")] { (icon(picture)) (label) } }
}

/// Of a group, those of a project with its id.
fn entries(group: Group, id: &str, marked: &str) -> Markup {
    let all = PAGES
        .iter()
        .filter_map(|it| Some((it.marks, it.entry.as_ref()?)));
    html! {
        @for (path, it) in all.filter(|(_, it)| it.group == group) {
            (entry(&path.replace("{id}", id), it.label, it.icon, marked))
        }
    }
}

fn own_entries(project: &Project, marked: &str) -> Markup {
    let (id, base) = (project.id.to_string(), format!("/projects/{}", project.id));
    let own = |group: Group| entries(group, &id, marked);
    let result = |of: ResultType| {
        let spec = spec(of);
        entry(
            &format!("{base}/results/{of}"),
            spec.short,
            spec.icon,
            marked,
        )
    };
    html! {
        div .nav {
            a .where href=(base) {
                b { (project.name.as_str()) }
                span { (project.domain.unicode()) }
            }
            (own(Group::Project))
            (result(ResultType::Suggestions))
            @for (number, (label, types)) in (2..).zip(GROUPS) {
                h2 id={ "nav-" (number) } { (label) }
                @for of in types { (result(*of)) }
            }
            h2 #nav-5 { "Plan" }
            (own(Group::Plan))
            h2 #nav-6 { "Project" }
            (own(Group::ProjectSettings))
        }
    }
}

pub fn head(
    crumbs: Vec<(String, String)>,
    title: &str,
    lead: &str,
    action: Option<Markup>,
) -> Markup {
    head_measured(crumbs, title, lead, action, "")
}

pub fn head_measured(
    crumbs: Vec<(String, String)>,
    title: &str,
    lead: &str,
    action: Option<Markup>,
    measured: impl Render,
) -> Markup {
    html! {
        header .head {
            @if !crumbs.is_empty() {
                nav aria-label="Where this is" {
                    ol .crumbs { @for (href, label) in crumbs { li { a href=(href) { (label) } } } }
                }
            }
            div class="row apart" {
                h1 { (title) }
                @if let Some(action) = action { (action) }
            }
            @if !lead.is_empty() { p .lead { (lead) } }
            (measured)
        }
    }
}

pub fn crumbs(project: &Project) -> Vec<(String, String)> {
    vec![
        ("/".to_owned(), "Projects".to_owned()),
        (
            format!("/projects/{}", project.id),
            project.name.as_str().to_owned(),
        ),
    ]
}

/// When, by what and from how many: what every figure has to say.
pub fn measured(head: &ResultHead, unit: &str, now: DateTime<Utc>) -> Markup {
    let coverage = &head.coverage;
    let limits = head.warnings.len();
    html! {
        p .measured {
            span { "Measured " b { (parts::ago(head.measured_at)) } }
            " "
            span { "by " b { (head.provider) } " (" (head.provenance.name()) ")" }
            " "
            span {
                "from " b { (parts::count(coverage.measured)) " of " (parts::count(coverage.requested)) } " " (unit)
                @if coverage.failed != 0 { ", " (coverage.failed) " failed" }
            }
            " "
            span { "method " b .mono { (head.method_version) } }
        }
        @if head.measured_at + FRESH_FOR < now {
            (parts::notice("warn", "clock", "These results are more than 35 days old. Measure again to see where things stand today."))
        }
        @if limits > 0 {
            details .fold {
                summary { (limits) @if limits == 1 { " limitation" } @else { " limitations" } " of this measurement" }
                ul .plain { @for warning in &head.warnings { li { (parts::headed(warning)) } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::result_types::RESULTS;

    #[test]
    fn every_type_has_a_row_and_a_place_in_the_navigation() {
        for of in ResultType::ALL {
            assert_eq!(RESULTS.iter().filter(|it| it.of == of).count(), 1, "{of}");
            let places = GROUPS.iter().flat_map(|(_, types)| types.iter());
            let expected = usize::from(of != ResultType::Suggestions);
            assert_eq!(places.filter(|it| **it == of).count(), expected, "{of}");
        }
    }
}
