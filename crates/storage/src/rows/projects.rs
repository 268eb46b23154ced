use super::{count, counted, from_json, known, passed, report_settings, tag_list};
use crate::{instant::At, schema::projects};
use diesel::prelude::*;
use domain::{
    domain_name::SiteDomain,
    email::EmailAddress,
    ids::{AccountId, ProjectId},
    ports::storage::StorageError,
    project::{Priority, Project, ProjectMeta, Status, WorkflowStatus},
    text::{Label, Tag},
};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(
    table_name = projects,
    primary_key(account_id, id),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub struct ProjectRow {
    pub account_id: i64,
    pub id: i64,
    pub domain: String,
    pub domain_unicode: String,
    pub name: String,
    pub name_folded: String,
    pub search_text: String,
    pub status: String,
    pub client_name: Option<String>,
    pub category: Option<String>,
    pub tags: String,
    pub favorite: bool,
    pub priority: i32,
    pub workflow_status: String,
    pub assigned_to_name: Option<String>,
    pub report_recipients: String,
    pub report_settings: Option<String>,
    pub keyword_count: i64,
    pub ai_tracked_count: i64,
    pub last_analysis_at: Option<At>,
    pub row_version: i64,
    pub created_at: At,
    pub updated_at: At,
    pub deactivated_at: Option<At>,
}

impl ProjectRow {
    /// Bytes of the texts whose lengths differ.
    pub fn bytes(&self) -> usize {
        let settings = self.report_settings.as_ref().map_or(0, String::len);
        self.name.len() + self.tags.len() + self.report_recipients.len() + settings
    }
}

/// For comparisons that ignore letter case.
pub fn folded(text: &str) -> String {
    text.to_lowercase()
}

/// Rises with the priority.
pub fn rank(priority: Priority) -> i32 {
    priority as i32
}

fn search_text(project: &Project) -> String {
    let client = project.meta.client_name.as_ref().map_or("", Label::as_str);
    let (ascii, unicode) = (project.domain.ascii(), project.domain.unicode());
    folded(&[project.name.as_str(), ascii, unicode, client].join("\n"))
}

impl From<&Project> for ProjectRow {
    fn from(project: &Project) -> Self {
        let meta = &project.meta;
        let text = |label: &Option<Label>| label.as_ref().map(Label::to_string);
        Self {
            account_id: project.account.0,
            id: project.id.0,
            domain: project.domain.ascii().to_owned(),
            domain_unicode: project.domain.unicode().to_owned(),
            name: project.name.to_string(),
            name_folded: folded(project.name.as_str()),
            search_text: search_text(project),
            status: project.status.name().to_owned(),
            client_name: text(&meta.client_name),
            category: text(&meta.category),
            tags: tag_list(meta.tags.iter().map(Tag::as_str)),
            favorite: meta.favorite,
            priority: rank(meta.priority),
            workflow_status: meta.workflow_status.name().to_owned(),
            assigned_to_name: text(&meta.assigned_to_name),
            report_recipients: tag_list(meta.report_recipients.iter().map(EmailAddress::as_str)),
            report_settings: meta.report_settings.as_ref().map(report_settings::own_text),
            keyword_count: count(project.keyword_count),
            ai_tracked_count: count(project.ai_tracked_count),
            last_analysis_at: project.last_analysis_at.map(At),
            row_version: project.row_version,
            created_at: project.created_at.into(),
            updated_at: project.updated_at.into(),
            deactivated_at: project.deactivated_at.map(At),
        }
    }
}

impl TryFrom<ProjectRow> for Project {
    type Error = StorageError;

    fn try_from(row: ProjectRow) -> Result<Self, StorageError> {
        Ok(Self {
            meta: meta(&row)?,
            account: AccountId(row.account_id),
            id: ProjectId(row.id),
            domain: SiteDomain::accepted(row.domain, row.domain_unicode),
            name: passed(Label::parse(&row.name), "project name")?,
            status: known(Status::named(&row.status), "project status")?,
            keyword_count: counted(row.keyword_count, "keyword count")?,
            ai_tracked_count: counted(row.ai_tracked_count, "AI-tracked count")?,
            last_analysis_at: row.last_analysis_at.map(Into::into),
            row_version: row.row_version,
            created_at: row.created_at.into(),
            updated_at: row.updated_at.into(),
            deactivated_at: row.deactivated_at.map(Into::into),
        })
    }
}

fn meta(row: &ProjectRow) -> Result<ProjectMeta, StorageError> {
    let label = |text: &Option<String>, what| {
        let text = text.as_deref();
        text.map(|it| passed(Label::parse(it), what)).transpose()
    };
    let recipients: Vec<String> = from_json(&row.report_recipients, "report recipients")?;
    let recipients = recipients.iter();
    let priority = Priority::ALL
        .into_iter()
        .find(|it| rank(*it) == row.priority);
    Ok(ProjectMeta {
        client_name: label(&row.client_name, "client name")?,
        category: label(&row.category, "category")?,
        tags: super::keywords::tags(&row.tags)?,
        favorite: row.favorite,
        priority: known(priority, "priority")?,
        workflow_status: known(
            WorkflowStatus::named(&row.workflow_status),
            "workflow status",
        )?,
        assigned_to_name: label(&row.assigned_to_name, "assigned person")?,
        report_recipients: recipients
            .map(|it| passed(EmailAddress::parse(it), "report recipient"))
            .collect::<Result<_, _>>()?,
        report_settings: row
            .report_settings
            .as_deref()
            .map(report_settings::own)
            .transpose()?,
    })
}
