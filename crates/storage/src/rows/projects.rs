use super::stored::{row, stored};
use super::{from_json, known, report_settings, tag_list, validated};
use crate::schema::projects;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::domain_name::SiteDomain;
use domain::email::EmailAddress;
use domain::ids::{AccountId, ProjectId};
use domain::ports::storage::StorageError;
use domain::project::{Priority, Project, ProjectMeta, Status, WorkflowStatus};
use domain::report_settings::ReportSettings;
use domain::text::{Label, Tag};

row! {
    struct ProjectRow(projects, key (account_id, id)) {
        account_id: AccountId,
        id: ProjectId,
        domain: String = site.ascii().to_owned(),
        domain_unicode: String = site.unicode().to_owned(),
        name: Label ["project name"],
        name_folded: String = folded(name.as_str()),
        search_text: String = text_to_search(site, name, client_name.as_ref()),
        status: Status ["project status"],
        client_name: Option<Label> ["client name"],
        category: Option<Label>,
        tags: Vec<Tag>,
        favorite: bool,
        priority: Priority,
        workflow_status: WorkflowStatus ["workflow status"],
        assigned_to_name: Option<Label> ["assigned person"],
        report_recipients: Vec<EmailAddress> ["report recipients"],
        report_settings: Option<ReportSettings>,
        keyword_count: u32 ["keyword count"],
        ai_tracked_count: u32 ["AI-tracked count"],
        last_analysis_at: Option<DateTime<Utc>>,
        row_version: i64,
        created_at: DateTime<Utc>,
        updated_at: DateTime<Utc>,
        deactivated_at: Option<DateTime<Utc>>,
    }
    Project {
        account: account_id, id, domain: site, name, status,
        meta: ProjectMeta {
            client_name, category, tags, favorite, priority, workflow_status, assigned_to_name, report_recipients,
            report_settings,
        },
        keyword_count, ai_tracked_count, last_analysis_at, row_version, created_at, updated_at, deactivated_at,
    }
    where { site = SiteDomain::accepted(domain, domain_unicode); }
}

impl ProjectRow {
    /// Bytes of the texts of variable length.
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

fn text_to_search(site: &SiteDomain, name: &Label, client: Option<&Label>) -> String {
    let client = client.map_or("", Label::as_str);
    folded(&[name.as_str(), site.ascii(), site.unicode(), client].join("\n"))
}

stored! {
    Priority, i32: |it| rank(*it), |found, subject| known(Self::ALL.into_iter().find(|it| rank(*it) == found), subject);
    Vec<EmailAddress>, String: |it| tag_list(it.iter().map(EmailAddress::as_str)), |it, subject| recipients(&it, subject);
    ReportSettings, String: |it| report_settings::own_text(it), |it, _subject| report_settings::own(&it);
}

fn recipients(text: &str, subject: &'static str) -> Result<Vec<EmailAddress>, StorageError> {
    let recipients: Vec<String> = from_json(text, subject)?;
    let read = |it: &String| validated(EmailAddress::parse(it), "report recipient");
    recipients.iter().map(read).collect()
}
