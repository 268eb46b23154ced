mod change;
mod create;
mod deactivate;
mod list;
mod members;
mod read;

pub(crate) use change::ChangeProject;
pub use change::{change, change_fields, read_project_patch};
pub(crate) use create::CreateProject;
pub use create::create;
pub use deactivate::deactivate;
pub(crate) use list::ListProjects;
pub use list::{LIST_LIMITS, list};
pub(crate) use members::YesOrNo;
pub use members::{EffectiveReportSettingsView, ProjectView, ReportSettingsView};
pub use read::read;
