use super::{
    NoPage,
    frame::{self, Page, Spot},
    parts::{self, Html, Table},
    settings::frequencies,
    visit::Visit,
};
use askama::Template;
use domain::{
    email::EmailAddress,
    ids::ProjectId,
    project::{Priority, Project, PurgeTerm, WorkflowStatus},
    schedule::{Days, Schedule},
    text::Text,
    use_cases::search_console::ConsoleState,
};

/// Value, name, and whether it is chosen.
type Choice = (&'static str, String, bool);

#[derive(Template)]
#[template(path = "project_settings.html")]
struct Settings<'a> {
    id: i64,
    name: &'a str,
    domain: &'a str,
    client: &'a str,
    category: &'a str,
    tags: String,
    assigned: &'a str,
    priorities: Vec<Choice>,
    statuses: Vec<Choice>,
    favorite: bool,
    enabled: Vec<Choice>,
    frequencies: Vec<Choice>,
    pdf: Vec<Choice>,
    recipients: String,
    console: Html,
    schedule: Html,
    active: bool,
    purged: String,
    end: Html,
}

pub async fn page(visit: &Visit<'_>, id: ProjectId) -> Result<Page, NoPage> {
    let project = visit.project(id).await?;
    let console = visit
        .services
        .core
        .console_state(visit.account(), id)
        .await?;
    let console = console.ok_or(NoPage::NotFound)?;
    let schedules = visit.services.core.schedules(visit.account()).await?;
    let schedules: Vec<Schedule> = schedules
        .into_iter()
        .filter(|it| it.project == id)
        .collect();
    let body = settings(visit, &project, &console, &schedules);
    let lead = "What is noted about it, what is reported, and when it is measured.";
    Ok(Page {
        title: format!("Settings · {}", project.name.as_str()),
        spot: Spot::ProjectSettings,
        simulated: false,
        parts: vec![
            frame::head(frame::crumbs(&project), "Project settings", lead, None),
            body,
        ],
        project: Some(project),
    })
}

fn settings(
    visit: &Visit<'_>,
    project: &Project,
    console: &ConsoleState,
    schedules: &[Schedule],
) -> Html {
    let meta = &project.meta;
    let own = meta.report_settings.as_ref();
    let defaults = &visit.who.account.report_defaults;
    let inherited_flag = |own: Option<bool>, default: bool| -> Vec<Choice> {
        let told = format!(
            "As the account has it ({})",
            if default { "yes" } else { "no" }
        );
        vec![
            ("", told, own.is_none()),
            ("true", "Yes".to_owned(), own == Some(true)),
            ("false", "No".to_owned(), own == Some(false)),
        ]
    };
    let inherited_pdf = |own: Option<bool>, default: bool| -> Vec<Choice> {
        let names = ["inherit", "yes", "no"];
        let choices = inherited_flag(own, default).into_iter();
        choices
            .zip(names)
            .map(|((_, told, on), name)| (name, told, on))
            .collect()
    };
    let frequency = own.and_then(|it| it.frequency);
    let told = format!("As the account has it ({})", defaults.frequency.name());
    let often =
        std::iter::once(("inherit", told, frequency.is_none())).chain(frequencies(frequency));
    let end = if project.is_active() {
        parts::pressed(
            "danger",
            &format!("DELETE /api/projects/{}", project.id),
            "",
            "Take this project out of use?",
            "/",
            "Deactivate the project",
        )
    } else {
        parts::pressed(
            "main",
            &format!("POST /api/projects/{}/reactivate", project.id),
            "",
            "",
            "",
            "Bring the project back",
        )
    };
    let tags: Vec<&str> = meta.tags.iter().map(Text::as_str).collect();
    let recipients: Vec<&str> = meta
        .report_recipients
        .iter()
        .map(EmailAddress::as_str)
        .collect();
    Html::of(&Settings {
        id: project.id.0,
        name: project.name.as_str(),
        domain: project.domain.unicode(),
        client: meta.client_name.as_ref().map_or("", |it| it.as_str()),
        category: meta.category.as_ref().map_or("", |it| it.as_str()),
        tags: tags.join(", "),
        assigned: meta.assigned_to_name.as_ref().map_or("", |it| it.as_str()),
        priorities: Priority::ALL
            .into_iter()
            .map(|it| (it.name(), parts::headed(it.name()), it == meta.priority))
            .collect(),
        statuses: WorkflowStatus::ALL
            .into_iter()
            .map(|it| {
                (
                    it.name(),
                    parts::headed(it.name()),
                    it == meta.workflow_status,
                )
            })
            .collect(),
        favorite: meta.favorite,
        enabled: inherited_flag(own.and_then(|it| it.enabled), defaults.enabled),
        frequencies: often.collect(),
        pdf: inherited_pdf(own.and_then(|it| it.include_pdf), defaults.include_pdf),
        recipients: recipients.join("\n"),
        console: imported(console),
        schedule: planned(schedules),
        active: project.is_active(),
        purged: purged(visit.services.purge_term(), project),
        end,
    })
}

fn purged(term: PurgeTerm, project: &Project) -> String {
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

fn imported(console: &ConsoleState) -> Html {
    let bound = match &console.binding {
        Some(it) => parts::paragraph(
            "",
            &format!("Bound to the property {}; fetched every day.", it.property),
        ),
        None => parts::paragraph(
            "hint",
            "No property is bound. Whoever runs the server can bind one with a service account's key; until then, exports can be imported here.",
        ),
    };
    if console.imported.is_empty() {
        return bound;
    }
    let rows = console.imported.iter().map(|it| {
        parts::row(vec![
            parts::text(&it.label),
            parts::day(it.span.first),
            parts::day(it.span.last),
            parts::count(it.rows),
            parts::ago(it.imported_at),
        ])
    });
    let columns = vec![
        parts::words("From where"),
        parts::words("First day"),
        parts::words("Last day"),
        parts::figures("Rows"),
        parts::words("Imported"),
    ];
    Html::all([
        bound,
        Table::new("What was imported", columns, rows.collect()).html(),
    ])
}

fn planned(schedules: &[Schedule]) -> Html {
    if schedules.is_empty() {
        return parts::paragraph(
            "hint",
            "Nothing is measured by itself. Whoever runs the server sets schedules on its command line: sightline schedule set.",
        );
    }
    let rows = schedules.iter().map(|it| {
        let refusal = it
            .last_refusal
            .as_deref()
            .map_or_else(Html::default, |it| parts::tag("bad", it));
        parts::row(vec![
            parts::text(super::analyses::name(it.kind)),
            parts::text(&rhythm(it)),
            parts::at(it.next_at),
            it.last_at.map_or_else(|| parts::text("never"), parts::ago),
            refusal,
        ])
    });
    let columns = ["Analysis", "When", "Next", "Last", "Refused"]
        .map(parts::words)
        .to_vec();
    Table::new("What is measured by itself", columns, rows.collect()).html()
}

fn rhythm(schedule: &Schedule) -> String {
    let it = &schedule.rhythm;
    let days = match it.days {
        Days::Daily => "every day".to_owned(),
        Days::Weekly(day) => format!("every week on day {day}"),
        Days::Monthly(day) => format!("every month on day {day}"),
    };
    format!("{days} at {:02}:{:02}, {}", it.hour, it.minute, it.zone)
}
