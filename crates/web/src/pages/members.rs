//! Settings → Members: who works in the account, and invitations.

use super::components::{Table, icon};
use super::forms::{options, submit};
use super::page_context::PageContext;
use super::settings::copy_button;
use super::{PageError, components};
use domain::ids::ProjectId;
use domain::invitation::Invitation;
use domain::mail::Delivery;
use domain::page::{Direction, PageRequest};
use domain::ports::projects::{ProjectFilter, ProjectSort};
use domain::project::{Project, Status};
use domain::rights::{Right, Role};
use domain::use_cases::members::AccountMember;
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Projects that can be chosen for a client.
const MAX_PROJECTS: u32 = 100;

const fn role_description(role: Role) -> &'static str {
    match role {
        Role::Owner => "everything, owners included",
        Role::Admin => "everything but owners",
        Role::Editor => "changes projects, keywords and plans, starts analyses",
        Role::Viewer => "reads everything, changes nothing",
        Role::Client => "reads the results of chosen projects alone",
    }
}

pub async fn body(visit: &PageContext<'_>) -> Result<Vec<Markup>, PageError> {
    let core = &visit.services.core;
    let members = core.members(visit.account()).await?;
    if !visit.may(Right::MembersManage) {
        return Ok(vec![member_table(visit, &members)]);
    }
    let chosen = visit.query(&["member"]).id("member");
    let chosen = members
        .iter()
        .find(|it| Some(it.user.id.0) == chosen && may_change(visit, it));
    let granted = chosen.map(|it| it.projects.clone()).unwrap_or_default();
    let projects = projects(visit, &granted).await?;
    let mut parts = vec![match chosen {
        Some(member) => change_form(visit, member, &projects),
        None => invite_form(visit, &projects),
    }];
    let invitations = core.open_invitations(visit.account()).await?;
    if !invitations.is_empty() && chosen.is_none() {
        let ids: Vec<i64> = invitations.iter().map(|it| it.id.0).collect();
        let mail = core.mail_of_invitations(visit.account(), &ids).await?;
        parts.push(invitation_table(visit, &invitations, &mail));
    }
    parts.push(member_table(visit, &members));
    Ok(parts)
}

/// The first projects by name, and those granted already.
async fn projects(
    visit: &PageContext<'_>,
    granted: &BTreeSet<ProjectId>,
) -> Result<Vec<Project>, PageError> {
    let all = PageRequest {
        sort: ProjectSort::Name,
        direction: Direction::Ascending,
        after: None,
        limit: MAX_PROJECTS,
        counted: false,
        bytes: None,
    };
    let active = ProjectFilter {
        status: Some(Status::Active),
        ..ProjectFilter::default()
    };
    let granted = ProjectFilter {
        only: Some(granted.clone()),
        ..ProjectFilter::default()
    };
    let core = &visit.services.core;
    let mut found = core.projects(visit.account(), &granted, &all).await?.items;
    let others = core.projects(visit.account(), &active, &all).await?.items;
    let is_new = |it: &Project| !granted.only.as_ref().is_some_and(|of| of.contains(&it.id));
    found.extend(others.into_iter().filter(is_new));
    Ok(found)
}

/// Roles that the member may give.
fn roles(visit: &PageContext<'_>) -> impl Iterator<Item = Role> {
    let own = visit.member.user.role;
    Role::ALL.into_iter().filter(move |it| own.manages(*it))
}

fn role_select(visit: &PageContext<'_>, now: Role) -> Markup {
    let choices = roles(visit).map(|it| {
        let name = components::humanize_capitalized(it.name());
        (it.name(), name, it == now)
    });
    html! {
        label .field {
            span { "Role" }
            select name="role" data-shows="projectIds" { (options(choices)) }
        }
    }
}

fn project_choice(projects: &[Project], granted: &BTreeSet<ProjectId>, is_client: bool) -> Markup {
    html! {
        fieldset .stack data-shown-for="client" hidden[!is_client] disabled[!is_client] {
            legend { "Projects that the client sees" }
            @if projects.is_empty() { p .hint { "There is no project yet." } }
            @for it in projects {
                label .check {
                    input type="checkbox" name="projectIds" value=(it.id.0) data-as="listed" data-number checked[granted.contains(&it.id)];
                    " " (it.name.as_str()) " " span .soft { (it.domain.unicode()) }
                }
            }
        }
    }
}

fn invite_form(visit: &PageContext<'_>, projects: &[Project]) -> Markup {
    let sends_mail = visit.services.core.sends_mail();
    html! {
        section .card .page {
            h2 { "Invite a person" }
            p .hint {
                @if sends_mail { "The person gets a mail, and you get a secret link to pass on as well. Each works " }
                @else { "You get a secret link to pass on. It works " }
                "once, within " (Invitation::LIFETIME.num_days()) " days, for the person with this e-mail address alone."
            }
            form .page method="post" data-api="POST /api/settings/invitations" data-show="invited" {
                div .fields {
                    label .field { span { "E-mail" } input type="email" name="email" required autocomplete="off"; }
                    (role_select(visit, Role::Editor))
                }
                (project_choice(projects, &BTreeSet::new(), false))
                (submit("Make an invitation"))
            }
            details {
                summary { "What each role may do" }
                (components::pairs(roles(visit).map(|it| (it.name(), components::text(role_description(it)))).collect()))
            }
            div #invited .page hidden {
                p class="note-box good" tabindex="-1" {
                    (icon("check"))
                    span {
                        "The invitation for " b data-from="email" {}
                        @if sends_mail { " is on its way. This link works as well; it is not shown again." }
                        @else { " is ready. Copy the link now; it is not shown again." }
                    }
                }
                div .row { code .code .wrap #invitation-link data-from="link" {} (copy_button("invitation-link", "Copy")) }
                p { a href="/settings/members" { "Done" } }
            }
        }
    }
}

fn invitation_table(
    visit: &PageContext<'_>,
    invitations: &[Invitation],
    mail: &[Delivery],
) -> Markup {
    let sends_mail = visit.services.core.sends_mail();
    let renew = if sends_mail { "Send again" } else { "New link" };
    let rows = invitations.iter().map(|it| {
        let may = visit.member.user.role.manages(it.role);
        let path = format!("/api/settings/invitations/{}", it.id);
        let actions = html! {
            @if may {
                div .row {
                    button type="button" class="quiet slim" data-api={ "POST " (path) "/link" } data-show="invited" { (renew) }
                    (components::api_button(
                        "quiet slim danger",
                        &format!("DELETE {path}"),
                        "",
                        "Revoke this invitation? Its link stops working.",
                        "",
                        "Revoke",
                    ))
                }
            }
        };
        components::row(vec![
            components::text(it.email.as_str()),
            components::text(components::humanize_capitalized(it.role.name())),
            mail.iter()
                .rfind(|of| of.link_target == Some(it.id.0))
                .map_or_else(components::unknown, super::mail::state),
            components::date_time(it.expires_at),
            actions,
        ])
    });
    let columns = ["E-mail", "Role", "Mail", "Ends", "Change it"].map(components::text_column);
    let table = Table::new("Open invitations", columns, rows.collect()).hide_caption();
    components::table_card(
        "Open invitations",
        "A new link ends the one before.",
        &table,
    )
}

fn member_table(visit: &PageContext<'_>, members: &[AccountMember]) -> Markup {
    let manages = visit.may(Right::MembersManage);
    let rows = members.iter().map(|it| {
        let user = &it.user;
        let is_you = user.id == visit.member.user.id;
        let name = if manages || is_you {
            components::with_subtext(user.name.as_str(), user.email.as_str())
        } else {
            components::text(user.name.as_str())
        };
        let href = format!("/settings/members?member={}", user.id);
        let change = html! {
            @if may_change(visit, it) {
                a href=(href) { "Change" span .out { " " (user.name.as_str()) } }
            }
        };
        components::row(vec![
            html! { (name) @if is_you { " " (components::tag("", "you")) } },
            role_cell(it),
            components::date_time(user.created_at),
            change,
        ])
    });
    let columns = ["Member", "Role", "Since", "Change it"].map(components::text_column);
    let table = Table::new("Members", columns, rows.collect()).hide_caption();
    components::table_card("Members", "", &table)
}

fn role_cell(member: &AccountMember) -> Markup {
    let role = components::humanize_capitalized(member.user.role.name());
    if !member.user.role.is_limited_to_granted_projects() {
        return components::text(role);
    }
    let count = member.projects.len();
    let noun = if count == 1 { "project" } else { "projects" };
    components::with_subtext(role, format_args!("{count} {noun}"))
}

fn may_change(visit: &PageContext<'_>, member: &AccountMember) -> bool {
    visit.member.user.role.manages(member.user.role)
}

fn change_form(visit: &PageContext<'_>, member: &AccountMember, projects: &[Project]) -> Markup {
    let user = &member.user;
    let path = format!("/api/settings/members/{}", user.id);
    let name = user.name.as_str();
    let back = "/settings/members";
    html! {
        section .card .page {
            h2 { "Change " (name) }
            form .page method="post" data-api={ "PATCH " (path) } data-then=(back) {
                (role_select(visit, user.role))
                (project_choice(projects, &member.projects, user.role == Role::Client))
                (submit("Save"))
            }
            @if user.id == visit.member.user.id {
                p .small { a href="/accounts" { "Leave the account" } }
            } @else {
                div .row {
                    (components::api_button(
                        "danger",
                        &format!("DELETE {path}"),
                        "",
                        &format!("Remove {name} from this account? Access ends with the next request. API tokens stay."),
                        back,
                        "Remove",
                    ))
                    (components::api_button(
                        "danger",
                        &format!("DELETE {path}?revokeTokens=true"),
                        "",
                        &format!("Remove {name} and revoke the API tokens that {name} created? Programs that use them are refused from now on."),
                        back,
                        "Remove and revoke tokens",
                    ))
                }
            }
            p .small { a href=(back) { "Cancel" } }
        }
    }
}
