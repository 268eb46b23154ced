//! What stands around every page: navigation, the banner over simulated data, headings.

use super::{
    about::{About, GROUPS},
    assets,
    parts::{self, Html},
};
use analysis::result_type::ResultType;
use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{project::Project, results::ResultHead, use_cases::sessions::Member};

/// Older results are told to be old.
const FRESH_FOR: TimeDelta = TimeDelta::days(35);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    Projects,
    Research,
    Analyses,
    Docs,
    Settings,
    Overview,
    Keywords,
    Results(ResultType),
    /// What is searched and not followed, and the other way round.
    GapCheck,
    ContentPlans,
    ProjectSettings,
}

struct Link {
    href: String,
    label: &'static str,
    icon: &'static str,
    current: bool,
}

struct Group {
    label: &'static str,
    links: Vec<Link>,
}

struct Who<'a> {
    name: &'a str,
    email: &'a str,
}

struct Site<'a> {
    id: i64,
    name: &'a str,
    domain: &'a str,
}

#[derive(Template)]
#[template(path = "layout.html")]
struct Layout<'a> {
    title: &'a str,
    assets: &'a str,
    main: Vec<Link>,
    project: Option<Site<'a>>,
    groups: Vec<Group>,
    who: Option<Who<'a>>,
    simulated: bool,
    body: &'a Html,
}

#[derive(Template)]
#[template(path = "gate.html")]
struct Gate<'a> {
    title: &'a str,
    assets: &'a str,
    body: &'a Html,
}

const MAIN: [(Spot, &str, &str, &str); 5] = [
    (Spot::Projects, "/", "Projects", "projects"),
    (
        Spot::Research,
        "/keyword-research",
        "Keyword research",
        "research",
    ),
    (Spot::Analyses, "/analyses", "Analyses", "queue"),
    (Spot::Docs, "/docs", "API reference", "docs"),
    (Spot::Settings, "/settings/account", "Settings", "settings"),
];

/// For a test that finds missing icons.
#[cfg(test)]
pub fn icons() -> Vec<&'static str> {
    let fixed = [
        "mark", "menu", "flask", "clock", "info", "up", "down", "plus", "play", "star", "copy",
        "key", "person", "check", "overview", "keywords", "settings", "external", "gap", "plan",
    ];
    let types = ResultType::ALL.into_iter().map(|it| About::of(it).icon);
    fixed
        .into_iter()
        .chain(MAIN.iter().map(|it| it.3))
        .chain(types)
        .collect()
}

pub struct Page {
    pub title: String,
    pub spot: Spot,
    pub project: Option<Project>,
    pub simulated: bool,
    pub parts: Vec<Html>,
}

impl Page {
    pub fn html(self, who: Option<&Member>) -> String {
        let body = Html::all(self.parts);
        let main = MAIN.into_iter().map(|(spot, href, label, icon)| Link {
            href: href.to_owned(),
            label,
            icon,
            current: spot == self.spot,
        });
        let project = self.project.as_ref();
        let layout = Layout {
            title: &self.title,
            assets: assets::base(),
            main: main.collect(),
            project: project.map(|it| Site {
                id: it.id.0,
                name: it.name.as_str(),
                domain: it.domain.unicode(),
            }),
            groups: project.map_or_else(Vec::new, |it| groups(it, self.spot)),
            who: who.map(|it| Who {
                name: it.user.name.as_str(),
                email: it.user.email.as_str(),
            }),
            simulated: self.simulated,
            body: &body,
        };
        Html::of(&layout).into_string()
    }
}

/// For whoever is not signed in.
pub fn gate(title: &str, body: &Html) -> String {
    Html::of(&Gate {
        title,
        assets: assets::base(),
        body,
    })
    .into_string()
}

fn groups(project: &Project, spot: Spot) -> Vec<Group> {
    let base = format!("/projects/{}", project.id);
    let own = |of: Spot, end: &str, label, icon| Link {
        href: format!("{base}{end}"),
        label,
        icon,
        current: of == spot,
    };
    let result = |of: ResultType| {
        let about = About::of(of);
        own(
            Spot::Results(of),
            &format!("/results/{of}"),
            about.short,
            about.icon,
        )
    };
    let mut groups = vec![Group {
        label: "",
        links: vec![
            own(Spot::Overview, "", "Overview", "overview"),
            own(Spot::Keywords, "/keywords", "Keywords", "keywords"),
            result(ResultType::Suggestions),
        ],
    }];
    groups.extend(GROUPS.into_iter().map(|(label, types)| Group {
        label,
        links: types.iter().map(|it| result(*it)).collect(),
    }));
    groups.push(Group {
        label: "Plan",
        links: vec![
            own(Spot::GapCheck, "/gap-check", "Gap check", "gap"),
            own(
                Spot::ContentPlans,
                "/content-plans",
                "Content plans",
                "plan",
            ),
        ],
    });
    groups.push(Group {
        label: "Project",
        links: vec![own(
            Spot::ProjectSettings,
            "/settings",
            "Project settings",
            "settings",
        )],
    });
    groups
}

#[derive(Template)]
#[template(path = "head.html")]
struct Head<'a> {
    crumbs: Vec<(String, String)>,
    title: &'a str,
    lead: &'a str,
    action: Option<Html>,
    measured: Option<Html>,
}

pub fn head(crumbs: Vec<(String, String)>, title: &str, lead: &str, action: Option<Html>) -> Html {
    Html::of(&Head {
        crumbs,
        title,
        lead,
        action,
        measured: None,
    })
}

pub fn head_measured(
    crumbs: Vec<(String, String)>,
    title: &str,
    lead: &str,
    action: Option<Html>,
    measured: Html,
) -> Html {
    Html::of(&Head {
        crumbs,
        title,
        lead,
        action,
        measured: Some(measured),
    })
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

#[derive(Template)]
#[template(path = "measured.html")]
struct Measured<'a> {
    at: Html,
    provider: &'a str,
    provenance: &'a str,
    counted: Html,
    requested: Html,
    failed: String,
    unit: &'a str,
    method: &'a str,
    stale: bool,
    warnings: Vec<String>,
}

/// When, by what and from how many: what every figure has to say.
pub fn measured(head: &ResultHead, unit: &str, now: DateTime<Utc>) -> Html {
    let warnings = head.warnings.iter().map(|it| parts::headed(it));
    Html::of(&Measured {
        at: parts::ago(head.measured_at),
        provider: &head.provider,
        provenance: head.provenance.name(),
        counted: parts::count(head.coverage.measured),
        requested: parts::count(head.coverage.requested),
        failed: head.coverage.failed.to_string(),
        unit,
        method: &head.method_version,
        stale: head.measured_at + FRESH_FOR < now,
        warnings: warnings.collect(),
    })
}
