use super::components::Table;
use super::forms::{Choice, options, select, submit};
use super::page_context::PageContext;
use super::page_header::PageContent;
use super::settings::{frequencies, no_reports_yet};
use super::{PageError, components, jobs, page_header};
use domain::email::EmailAddress;
use domain::ids::ProjectId;
use domain::project::{Priority, Project, PurgeTerm, WorkflowStatus};
use domain::schedule::{Days, Schedule, weekday};
use domain::text::Text;
use domain::use_cases::search_console::ConsoleState;
use maud::{Markup, html};

pub async fn page(visit: &PageContext<'_>, id: ProjectId) -> Result<PageContent, PageError> {
    let project = visit.project(id).await?;
    let console = visit
        .services
        .core
        .console_state(visit.account(), id)
        .await?;
    let console = console.ok_or(PageError::NotFound)?;
    let schedules = visit.services.core.schedules(visit.account()).await?;
    let schedules: Vec<Schedule> = schedules
        .into_iter()
        .filter(|it| it.project == id)
        .collect();
    let lead = "What is noted about it, what is reported, and when it is measured.";
    Ok(PageContent {
        title: format!("Settings · {}", project.name.as_str()),
        simulated: false,
        parts: vec![
            page_header::head(
                page_header::crumbs(&project),
                "Project settings",
                lead,
                None,
            ),
            about(&project),
            reports(visit, &project),
            search_console(&project, &console),
            html! { section .card .page { h2 { "Schedule" } (schedule_table(&schedules)) } },
            activation_section(visit, &project),
        ],
        project: Some(project),
    })
}

fn about(project: &Project) -> Markup {
    let meta = &project.meta;
    let tags: Vec<&str> = meta.tags.iter().map(Text::as_str).collect();
    let priorities = Priority::ALL.into_iter().map(|it| {
        (
            it.name(),
            components::humanize_capitalized(it.name()),
            it == meta.priority,
        )
    });
    let statuses = WorkflowStatus::ALL.into_iter().map(|it| {
        let is_on = it == meta.workflow_status;
        (
            it.name(),
            components::humanize_capitalized(it.name()),
            is_on,
        )
    });
    html! {
        form .card .page method="post" data-api={ "PATCH /api/projects/" (project.id.0) } data-then="stay" {
            h2 { "About this project" }
            div .fields {
                label .field { span { "Name" } input name="name" required maxlength="200" value=(project.name.as_str()); }
                label .field {
                    span { "Domain" }
                    input value=(project.domain.unicode()) disabled;
                    small { "A project keeps its domain: its history would mean something else." }
                }
                label .field { span { "Client" } input name="clientName" data-as="optional" maxlength="200" value=(meta.client_name.as_ref().map_or("", |it| it.as_str())); }
                label .field { span { "Category" } input name="category" data-as="optional" maxlength="200" value=(meta.category.as_ref().map_or("", |it| it.as_str())); }
                label .field { span { "Tags" } input name="tags" data-as="commas" value=(tags.join(", ")); small { "Apart by commas." } }
                label .field { span { "Who looks after it" } input name="assignedToName" data-as="optional" maxlength="200" value=(meta.assigned_to_name.as_ref().map_or("", |it| it.as_str())); }
                (select("Priority", "priority", priorities))
                (select("State of the work", "workflowStatus", statuses))
            }
            label .check { input type="checkbox" name="favorite" checked[meta.favorite]; " A favourite: it stands first among all projects" }
            (submit("Save"))
        }
    }
}

fn reports(visit: &PageContext<'_>, project: &Project) -> Markup {
    let own = project.meta.report_settings.as_ref();
    let defaults = &visit.member.account.report_defaults;
    let frequency = own.and_then(|it| it.frequency);
    let inherit_label = format!("As the account has it ({})", defaults.frequency.name());
    let often = std::iter::once(("inherit", inherit_label, frequency.is_none()))
        .chain(frequencies(frequency));
    let pdf = inherited(
        ["inherit", "yes", "no"],
        own.and_then(|it| it.include_pdf),
        defaults.include_pdf,
    );
    let recipients = { project.meta.report_recipients.iter() }.map(EmailAddress::as_str);
    let recipients: Vec<&str> = recipients.collect();
    html! {
        form .card .page method="post" data-api={ "PATCH /api/projects/" (project.id.0) } data-then="stay" {
            h2 { "Reports" }
            (no_reports_yet())
            p .hint { "What is inherited follows the account's " a href="/settings/report-defaults" { "report defaults" } "." }
            div .fields {
                label .field {
                    span { "Send reports" }
                    select name="reportSettings.enabled" data-as="inherited" {
                        (options(inherited(["", "true", "false"], own.and_then(|it| it.enabled), defaults.enabled)))
                    }
                }
                (select("How often", "reportSettings.frequency", often))
                (select("As PDF too", "reportSettings.includePdf", pdf))
            }
            label .field {
                span { "Recipients" }
                textarea name="reportRecipients" data-as="lines" { (recipients.join("\n")) }
                small { "One address a line, up to 20." }
            }
            (submit("Save"))
        }
    }
}

/// The options inherit, yes and no, with these values.
fn inherited(values: [&'static str; 3], own: Option<bool>, default: bool) -> [Choice; 3] {
    let default = if default { "yes" } else { "no" };
    let [inherit, yes, no] = values;
    [
        (
            inherit,
            format!("As the account has it ({default})"),
            own.is_none(),
        ),
        (yes, "Yes".to_owned(), own == Some(true)),
        (no, "No".to_owned(), own == Some(false)),
    ]
}

fn search_console(project: &Project, console: &ConsoleState) -> Markup {
    html! {
        form .card .page method="post" data-import={ "/api/projects/" (project.id.0) "/search-console" } {
            h2 { "Search Console" }
            (import_history(console))
            label .field {
                span { "A file" }
                input type="file" name="file" accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values";
                small { "The CSV of Search Console’s performance report, in any language of its interface. Its text comes into the field below." }
            }
            label .field {
                span { "Or its text" }
                textarea name="content" required spellcheck="false" placeholder="Query,Clicks,Impressions,CTR,Position" {}
            }
            div .fields {
                label .field { span { "From" } input type="date" name="from"; small { "Only where the file has no column of days." } }
                label .field { span { "To" } input type="date" name="to"; }
            }
            input type="hidden" name="name";
            div .row { button type="submit" { "Import" } }
            p data-outcome {}
        }
    }
}

/// Deactivates or reactivates the project.
fn activation_section(visit: &PageContext<'_>, project: &Project) -> Markup {
    let (title, hint, button) = if project.is_active() {
        let button = components::api_button(
            "danger",
            &format!("DELETE /api/projects/{}", project.id),
            "",
            "Take this project out of use?",
            "/",
            "Deactivate the project",
        );
        let hint = "Nothing is measured any more, its places are free again, its history stays. You can bring it back.";
        ("Take it out of use", hint, button)
    } else {
        let button = components::api_button(
            "main",
            &format!("POST /api/projects/{}/reactivate", project.id),
            "",
            "",
            "",
            "Bring the project back",
        );
        let hint = "Its keywords and its history are there as they were.";
        ("Bring it back", hint, button)
    };
    html! {
        section .card .page {
            h2 { (title) }
            p .hint { (hint) " " (purge_note(visit.services.purge_term(), project)) }
            div .row { (button) }
        }
    }
}

fn purge_note(term: PurgeTerm, project: &Project) -> String {
    match (term.0, term.purge_at(project)) {
        (_, Some(at)) => {
            let day = at.format("%-d %b %Y");
            format!("It is removed with all its data on {day}.")
        }
        (Some(days), None) => {
            format!("{days} days later it is removed with all its data.")
        }
        (None, None) => String::new(),
    }
}

fn import_history(console: &ConsoleState) -> Markup {
    let bound = html! {
        @if let Some(it) = &console.binding {
            p { "Bound to the property " (it.property) "; fetched every day." }
        } @else {
            p .hint { "No property is bound. Whoever runs the server can bind one with a service account's key; until then, exports can be imported here." }
        }
    };
    if console.imported.is_empty() {
        return bound;
    }
    let rows = console.imported.iter().map(|it| {
        components::row(vec![
            components::text(&it.label),
            components::day(it.span.first),
            components::day(it.span.last),
            components::count(it.rows),
            components::ago(it.imported_at),
        ])
    });
    let columns = vec![
        components::text_column("From where"),
        components::text_column("First day"),
        components::text_column("Last day"),
        components::number_column("Rows"),
        components::text_column("Imported"),
    ];
    let table = Table::new("What was imported", columns, rows.collect());
    html! { (bound) (table.html()) }
}

fn schedule_table(schedules: &[Schedule]) -> Markup {
    if schedules.is_empty() {
        return html! {
            p .hint { "Nothing is measured by itself. Whoever runs the server sets schedules on its command line: sightline schedule set." }
        };
    }
    let rows = schedules.iter().map(|it| {
        let refusal = it
            .last_refusal
            .as_deref()
            .map_or_else(Markup::default, |it| components::tag("bad", it));
        components::row(vec![
            components::text(jobs::name(it.kind)),
            components::text(schedule_text(it)),
            components::date_time(it.next_at),
            it.last_at
                .map_or_else(|| components::text("never"), components::ago),
            refusal,
        ])
    });
    let columns = ["Analysis", "When", "Next", "Last", "Refused"].map(components::text_column);
    Table::new("What is measured by itself", columns, rows.collect()).html()
}

fn schedule_text(schedule: &Schedule) -> String {
    let it = &schedule.recurrence;
    let days = match it.days {
        Days::Daily => "every day".to_owned(),
        Days::Weekly(day) => format!("every {}", components::humanize_capitalized(weekday(day))),
        Days::Monthly(day) => format!("every month on day {day}"),
    };
    format!("{days} at {:02}:{:02}, {}", it.hour, it.minute, it.zone)
}
