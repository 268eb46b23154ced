//! Content plans: which pages are to be made or mended, for which keywords.

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
        /// Search pages share results.
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
    /// With which others one page serves it.
    pub cluster: Option<Label>,
    pub intent: Option<Intent>,
    pub action: PlanAction,
    /// The page: an address, or a path of the site.
    pub target_url: Option<String>,
    pub title: Option<PageTitle>,
    pub outline: Vec<OutlineLine>,
    pub schema_types: Vec<SchemaType>,
    /// How much it matters; the greater the more.
    pub priority: Option<f64>,
    pub effort: Option<Effort>,
    pub status: ItemStatus,
    pub due_on: Option<NaiveDate>,
    pub owner: Option<Label>,
}

impl PlanItem {
    /// How many lines an outline has at the most.
    pub const MOST_LINES: usize = 60;
    /// How many types of structured data a page has at the most.
    pub const MOST_TYPES: usize = 20;
    pub const MOST_PRIORITY: f64 = 1e9;
}

/// Read, changed and shown as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentPlan {
    pub account: AccountId,
    pub id: ContentPlanId,
    pub project: ProjectId,
    pub name: Label,
    pub clustered_by: Clustering,
    /// What is to be done, in the owner's order.
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

/// A merge patch of a plan; items are replaced together.
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
    /// What an item takes beside its texts, in bytes: names of members, and short values.
    const OVERHEAD: u64 = 250;

    /// How many bytes it takes to store, about.
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

    pub const MOST_ITEMS: usize = 500;
    /// How many plans a project has at the most.
    pub const MOST_IN_A_PROJECT: u32 = 200;

    /// The plan with the patch applied; the same values leave it as it was.
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
    fn a_patch_that_says_nothing_new_changes_nothing() {
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
