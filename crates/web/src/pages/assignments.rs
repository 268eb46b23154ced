//! A project's assignments: which member takes care of which issue or suggestion.

use super::components::Table;
use super::forms::{options, submit};
use super::page_context::{PageContext, percent_encode};
use super::page_header::{self, PageContent};
use super::{PageError, components};
use analysis::findings::issues::{IssueCode, info};
use domain::assignment::{Assignment, AssignmentNote, AssignmentSubject, SubjectKind};
use domain::ids::{ProjectId, UserId};
use domain::project::Project;
use domain::rights::Right;
use domain::user::{User, present};
use maud::{Markup, html};
use std::collections::{BTreeMap, HashMap};

/// Assignments of a project, with the names of members and suggestions.
pub struct Assignments {
    /// Also those who left.
    members: BTreeMap<UserId, User>,
    by_subject: BTreeMap<AssignmentSubject, Assignment>,
}

impl Assignments {
    pub async fn read(visit: &PageContext<'_>, project: ProjectId) -> Result<Self, PageError> {
        let core = &visit.services.core;
        let found = core.assignments(visit.account(), project).await?;
        let found = found.ok_or(PageError::NotFound)?;
        let members = core.all_members(visit.account()).await?;
        Ok(Self {
            members: members.into_iter().map(|it| (it.id, it)).collect(),
            by_subject: { found.into_iter() }
                .map(|it| (it.subject.clone(), it))
                .collect(),
        })
    }

    /// Who has it, and the link to the form.
    pub fn owner(
        &self,
        visit: &PageContext<'_>,
        project: &Project,
        subject: &AssignmentSubject,
    ) -> Markup {
        let assigned = self.by_subject.get(subject);
        let may = visit.may(Right::PlansWrite) && project.is_active();
        html! {
            @match assigned {
                Some(it) => { (self.name(it.member)) }
                None => { @if !may { (components::unknown()) } }
            }
            @if may {
                " "
                a .small href=(form_url(project.id, subject)) {
                    @if assigned.is_some() { "Change" } @else { "Assign" }
                }
            }
        }
    }

    fn name(&self, member: UserId) -> Markup {
        match self.members.get(&member) {
            Some(it) if it.has_left() => {
                html! { (it.name.as_str()) " " (components::tag("warn", "left")) }
            }
            Some(it) => components::text(it.name.as_str()),
            None => components::unknown(),
        }
    }
}

fn form_url(project: ProjectId, subject: &AssignmentSubject) -> String {
    let (kind, key) = (subject.kind.name(), percent_encode(&subject.key));
    format!("/projects/{project}/assignments?subject={kind}&key={key}")
}

/// Titles of suggestions by id, and of issues by code.
struct Titles(HashMap<String, String>);

impl Titles {
    async fn read(visit: &PageContext<'_>, project: ProjectId) -> Result<Self, PageError> {
        let known = { &visit.services.core }.suggestions(visit.account(), project);
        let known = known.await?.into_iter();
        Ok(Self(known.map(|it| (it.suggestion_id, it.title)).collect()))
    }

    /// `None` if the newest suggestions or the catalogue do not have it.
    fn of(&self, subject: &AssignmentSubject) -> Option<&str> {
        match subject.kind {
            SubjectKind::Issue => IssueCode::named(&subject.key).map(|it| info(it).title),
            SubjectKind::Suggestion => self.0.get(&subject.key).map(String::as_str),
        }
    }
}

pub async fn page(visit: &PageContext<'_>, id: ProjectId) -> Result<PageContent, PageError> {
    let project = visit.project(id).await?;
    let query = visit.query(&["subject", "key", "of"]);
    let assignments = Assignments::read(visit, id).await?;
    let titles = Titles::read(visit, id).await?;
    let chosen = query.text("subject").and_then(SubjectKind::named);
    let chosen = chosen.zip(query.free_text("key", 200));
    let chosen = chosen.map(|(kind, key)| AssignmentSubject { kind, key });
    let mut parts = vec![page_header::head(
        page_header::crumbs(&project),
        "Assignments",
        "Who takes care of which issue and suggestion.",
        None,
    )];
    if let Some(subject) = &chosen {
        let may = visit.may(Right::PlansWrite) && project.is_active();
        parts.push(match titles.of(subject).filter(|_| may) {
            Some(title) => form(visit, &project, &assignments, subject, title),
            None => components::empty_state(
                "person",
                "It cannot be assigned",
                "The newest suggestions do not have it any more, the project is deactivated, or your role may not assign.",
                None,
            ),
        });
    } else if assignments.by_subject.is_empty() {
        parts.push(components::empty_state(
            "person",
            "Nothing is assigned",
            "Assign a suggestion, or an issue of the content page, to a member with the link beside it.",
            Some(components::main_link(&format!("/projects/{id}/results/suggestions"), "Suggestions")),
        ));
    }
    let own = visit.member.user.id;
    let (yours, others): (Vec<_>, Vec<_>) =
        { assignments.by_subject.values() }.partition(|it| it.member == own);
    for (title, list) in [("Assigned to you", yours), ("Assigned to others", others)] {
        if !list.is_empty() {
            parts.push(table(visit, &project, &assignments, &titles, title, &list));
        }
    }
    Ok(PageContent {
        title: format!("Assignments · {}", project.name.as_str()),
        simulated: false,
        project: Some(project),
        parts,
    })
}

fn form(
    visit: &PageContext<'_>,
    project: &Project,
    assignments: &Assignments,
    subject: &AssignmentSubject,
    title: &str,
) -> Markup {
    let now = assignments.by_subject.get(subject);
    let members = assignments.members.values();
    let members = present(members).filter(|it| it.role.holds(Right::DetailsRead));
    let you = visit.member.user.id;
    let choices = members.map(|it| {
        let name = if it.id == you {
            format!("{} (you)", it.name)
        } else {
            it.name.to_string()
        };
        let selected = now.map_or(you, |it| it.member) == it.id;
        (it.id.to_string(), name, selected)
    });
    let back = format!("/projects/{}/assignments", project.id);
    let note = now
        .and_then(|it| it.note.as_ref())
        .map_or("", AssignmentNote::as_str);
    html! {
        section .card .page {
            h2 .wrap { (title) }
            form .page method="post" data-api={ "PUT /api" (back) } data-then=(back) data-notice="The assignment was saved." {
                input type="hidden" name="subject" value=(subject.kind.name());
                input type="hidden" name="key" value=(subject.key);
                label .field {
                    span { "Member" }
                    select name="memberId" data-as="number" {
                        (options(choices))
                        option value="" { "Nobody: remove the assignment" }
                    }
                }
                label .field { span { "Note (optional)" } input name="note" data-as="optional" maxlength=(AssignmentNote::MAX) value=(note); }
                (submit("Save"))
            }
            p .small { a href=(back) { "Cancel" } }
        }
    }
}

fn table(
    visit: &PageContext<'_>,
    project: &Project,
    assignments: &Assignments,
    titles: &Titles,
    title: &str,
    list: &[&Assignment],
) -> Markup {
    let rows = list.iter().map(|it| {
        let known = titles.of(&it.subject);
        let place = match it.subject.kind {
            SubjectKind::Issue => format!("/projects/{}/results/content", project.id),
            SubjectKind::Suggestion => format!(
                "/projects/{}/results/suggestions#{}",
                project.id,
                percent_encode(&it.subject.key)
            ),
        };
        let subject = match known {
            Some(title) => components::link(&place, title),
            None => {
                components::with_subtext(&it.subject.key, "no longer among the newest suggestions")
            }
        };
        let note = it.note.as_ref().map_or("", AssignmentNote::as_str);
        components::row(vec![
            subject,
            components::text(components::humanize_capitalized(it.subject.kind.name())),
            assignments.owner(visit, project, &it.subject),
            components::text(note),
            components::with_subtext(
                assignments.name(it.assigned_by),
                components::ago(it.assigned_at),
            ),
        ])
    });
    let columns = ["What", "Kind", "Owner", "Note", "Assigned by"].map(components::text_column);
    let table = Table::new(title, columns, rows.collect()).hide_caption();
    components::table_card(title, "", &table)
}
