//! Content plans: pages to create or improve, and for which keywords.

use crate::ids::{AccountId, ContentPlanId, ProjectId};
use crate::keyword::KeywordText;
use crate::patch::Change;
use crate::stored_data::DataSize;
use crate::text::{Label, Text};
use analysis::search_intent::Intent;
use chrono::{DateTime, NaiveDate, Utc};

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Clustering {
        /// By results shared between search pages.
        SharedResults = "sharedResults",
        Words = "words",
    }
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PlanAction {
        Create = "create",
        Refresh = "refresh",
        Expand = "expand",
        Consolidate = "consolidate",
    }
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Effort {
        Small = "small",
        Medium = "medium",
        Large = "large",
    }
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ItemStatus {
        Planned = "planned",
        InProgress = "inProgress",
        Done = "done",
        Dropped = "dropped",
    }
}

pub type PageTitle = Text<300>;
pub type OutlineLine = Text<500>;
pub type SchemaType = Text<100>;

#[derive(Debug, Clone, PartialEq)]
pub struct PlanItem {
    pub keyword: KeywordText,
    /// Keywords of one cluster are served by one page.
    pub cluster: Option<Label>,
    pub intent: Option<Intent>,
    pub action: PlanAction,
    /// The page's URL, or a path of the site.
    pub target_url: Option<String>,
    pub title: Option<PageTitle>,
    pub outline: Vec<OutlineLine>,
    pub schema_types: Vec<SchemaType>,
    /// Higher is more important.
    pub priority: Option<f64>,
    pub effort: Option<Effort>,
    pub status: ItemStatus,
    pub due_on: Option<NaiveDate>,
    pub owner: Option<Label>,
}

impl PlanItem {
    /// Maximum lines of an outline.
    pub const MAX_LINES: usize = 60;
    /// Maximum types of structured data on a page.
    pub const MAX_TYPES: usize = 20;
    pub const MAX_PRIORITY: f64 = 1e9;
}

/// Read, changed and shown as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentPlan {
    pub account: AccountId,
    pub id: ContentPlanId,
    pub project: ProjectId,
    pub name: Label,
    pub clustered_by: Clustering,
    /// In the owner's order.
    pub items: Vec<PlanItem>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct NewContentPlan {
    pub name: Label,
    pub clustered_by: Clustering,
    pub items: Vec<PlanItem>,
}

/// Merge patch of a plan; replaces all items together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContentPlanPatch {
    pub name: Change<Label>,
    pub clustered_by: Change<Clustering>,
    pub items: Change<Vec<PlanItem>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanSummary {
    pub id: ContentPlanId,
    pub name: Label,
    pub clustered_by: Clustering,
    pub item_count: u32,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl PlanItem {
    /// Estimated bytes of an item besides its texts: member names and short values.
    const OVERHEAD: u64 = 250;

    /// Estimated bytes in storage.
    fn size(&self) -> u64 {
        let optional = [
            self.cluster.as_ref().map(Label::as_str),
            self.target_url.as_deref(),
            self.title.as_ref().map(PageTitle::as_str),
            self.owner.as_ref().map(Label::as_str),
        ];
        let lines = self.outline.iter().map(OutlineLine::as_str);
        let types = self.schema_types.iter().map(SchemaType::as_str);
        let texts = optional.into_iter().flatten().chain(lines).chain(types);
        let texts = texts.chain([self.keyword.as_str()]);
        Self::OVERHEAD + texts.map(|it| it.len() as u64).sum::<u64>()
    }
}

impl ContentPlan {
    pub fn size(&self) -> DataSize {
        DataSize {
            rows: 0,
            bytes: self.items.iter().map(PlanItem::size).sum(),
        }
    }

    pub const MAX_ITEMS: usize = 500;
    /// Maximum plans of a project.
    pub const MAX_IN_A_PROJECT: u32 = 200;

    /// The plan with the patch applied; unchanged if all values are the same.
    #[must_use]
    pub fn patched(&self, patch: ContentPlanPatch, now: DateTime<Utc>) -> Self {
        let mut next = self.clone();
        patch.name.apply_to(&mut next.name);
        patch.clustered_by.apply_to(&mut next.clustered_by);
        patch.items.apply_to(&mut next.items);
        if next != *self {
            next.updated_at = now;
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::clock::Clock;
    use crate::test_support::{FrozenClock, a_content_plan};
    use chrono::TimeDelta;

    #[test]
    fn a_patch_with_the_same_values_changes_nothing() {
        let plan = a_content_plan();
        let later = FrozenClock::default().now() + TimeDelta::hours(1);
        let same = ContentPlanPatch {
            name: Change::Set(plan.name.clone()),
            items: Change::Set(plan.items.clone()),
            ..ContentPlanPatch::default()
        };
        assert_eq!(plan.patched(same, later), plan);
        let emptied = ContentPlanPatch {
            items: Change::Set(vec![]),
            ..ContentPlanPatch::default()
        };
        let emptied = plan.patched(emptied, later);
        assert_eq!((emptied.items.len(), emptied.updated_at), (0, later));
        assert_eq!(
            (&emptied.name, emptied.created_at),
            (&plan.name, plan.created_at)
        );
    }
}
