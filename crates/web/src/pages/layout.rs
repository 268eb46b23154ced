//! The HTML document around every page: head, navigation, banner over simulated data.

use super::components::icon;
use super::page_header::PageContent;
use super::results::{self, RESULT_PAGES};
use super::{Group, PAGES, PageSpec, assets};
use analysis::result_type::ResultType;
use domain::rights::Right;
use domain::{project::Project, use_cases::sessions::Member};
use maud::{Markup, Render, html};

/// For a test that finds missing icons.
#[cfg(test)]
pub fn icons() -> Vec<&'static str> {
    let fixed = [
        "mark", "menu", "flask", "clock", "info", "up", "down", "plus", "play", "star", "copy",
        "key", "person", "check", "external",
    ];
    let types = RESULT_PAGES.iter().map(|(_, it)| it.icon);
    fixed
        .into_iter()
        .chain(PAGES.iter().filter_map(|it| Some(it.entry.as_ref()?.icon)))
        .chain(types)
        .collect()
}

/// `marked`: path of the current navigation entry.
pub fn html(page: &PageContent, member: Option<&Member>, marked: &str) -> String {
    let brand = html! { a .brand href="/" { (icon("mark")) "Sightline" } };
    let html = html! {
        (maud::DOCTYPE)
        html lang="en" {
            (document_head(&page.title, Some("same-origin")))
            body data-account=[member.map(|it| it.account.id.0)] {
                a .skip href="#content" { "Skip to the content" }
                div .app {
                    header .top {
                        button .slim type="button" popovertarget="menu" aria-label="Menu" { (icon("menu")) }
                        " " (brand)
                    }
                    nav .side #menu popover aria-label="Sightline" {
                        (brand)
                        div .nav { (entries(Group::Main, "", member, marked)) }
                        @if let Some(project) = &page.project { (own_entries(project, member, marked)) }
                        @if let Some(member) = member {
                            div class="signed-in" {
                                b { (member.user.name.as_str()) }
                                small { (member.user.email.as_str()) }
                                small { (member.account.name.as_str()) " · " (member.user.role.name()) }
                                a .small href="/accounts" { "Your accounts" }
                                " "
                                button class="quiet slim" type="button" data-api="DELETE /api/session" data-then="/sign-in" { "Sign out" }
                            }
                        }
                    }
                    main #content tabindex="-1" {
                        @if page.simulated {
                            div .banner role="note" {
                                (icon("flask"))
                                p { b { "Simulated data." } " These figures come from Sightline's sandbox, not from a real search engine. Add a supplier's key to the server's settings to measure the real thing." }
                            }
                        }
                        @for part in &page.parts { (part) }
                    }
                }
                (live_region())
            }
        }
    };
    html.into_string()
}

/// For pages without navigation.
pub fn minimal_layout(title: &str, body: impl Render) -> String {
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
                (live_region())
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

/// Live region for messages of scripts.
fn live_region() -> Markup {
    html! { div class="out" id="announcements" role="status" aria-live="polite" {} }
}

fn entry(href: &str, label: &str, picture: &str, marked: &str) -> Markup {
    html! { a href=(href) aria-current=[(href == marked).then_some("page")] { (icon(picture)) (label) } }
}

/// `id` fills `{id}` in the paths of a project's entries.
fn entries(group: Group, id: &str, member: Option<&Member>, marked: &str) -> Markup {
    let is_open = |it: &&PageSpec| {
        { it.right() }.is_none_or(|right| member.is_none_or(|member| member.holds(right)))
    };
    let all =
        { PAGES.iter().filter(is_open) }.filter_map(|it| Some((it.marks, it.entry.as_ref()?)));
    html! {
        @for (path, it) in all.filter(|(_, it)| it.group == group) {
            (entry(&path.replace("{id}", id), it.label, it.icon, marked))
        }
    }
}

fn own_entries(project: &Project, member: Option<&Member>, marked: &str) -> Markup {
    let (id, base) = (project.id.to_string(), format!("/projects/{}", project.id));
    let own = |group: Group| entries(group, &id, member, marked);
    let reads = |of: ResultType| member.is_none_or(|it| it.holds(Right::to_read(of)));
    let results = |group: results::Group| {
        let all = { RESULT_PAGES.iter() }.filter(|(of, it)| it.group == group && reads(*of));
        html! {
            @for (of, it) in all {
                (entry(&format!("{base}/results/{of}"), it.name(), it.icon, marked))
            }
        }
    };
    html! {
        div .nav {
            a .where href=(base) {
                b { (project.name.as_str()) }
                span { (project.domain.unicode()) }
            }
            (own(Group::Project))
            (results(results::Group::First))
            @for (number, (group, label)) in (2..).zip(results::Group::HEADED) {
                h2 id={ "nav-" (number) } { (label) }
                (results(group))
            }
            @if member.is_none_or(|it| it.holds(Right::DetailsRead)) {
                h2 #nav-5 { "Plan" }
                (own(Group::Plan))
            }
            @if member.is_none_or(|it| it.holds(Right::ProjectsWrite)) {
                h2 #nav-6 { "Project" }
                (own(Group::ProjectSettings))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_type_is_in_the_navigation() {
        for of in ResultType::ALL {
            let rows: Vec<_> = RESULT_PAGES.iter().filter(|(it, _)| *it == of).collect();
            assert_eq!(rows.len(), 1, "{of}");
            let group = rows[0].1.group;
            let headings = results::Group::HEADED.iter().filter(|it| it.0 == group);
            let expected = usize::from(of != ResultType::Suggestions);
            assert_eq!(headings.count(), expected, "{of}");
        }
    }
}
