use super::{count, counted, from_json, json, known, stored::row, validated};
use crate::{instant::At, schema::content_plans};
use analysis::search_intent::Intent;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use domain::content_plan::{
    Clustering, ContentPlan, Effort, ItemStatus, PlanAction, PlanItem, PlanSummary,
};
use domain::ids::{AccountId, ContentPlanId, ProjectId};
use domain::keyword::KeywordText;
use domain::ports::storage::StorageError;
use domain::text::{Label, Text};
use serde::{Deserialize, Serialize};

row! {
    struct PlanRow(content_plans) {
        account_id: AccountId,
        id: ContentPlanId,
        project_id: ProjectId,
        name: Label ["the name of a plan"],
        clustered_by: Clustering ["a clustering"],
        item_count: i64 = count(items.len()),
        items: String = json(&items.iter().map(ItemRow::from).collect::<Vec<_>>()),
        created_at: DateTime<Utc>,
        updated_at: DateTime<Utc>,
    }
    ContentPlan { account: account_id, id, project: project_id, name, clustered_by, items, created_at, updated_at }
    where { items = plan_items(&items)?; }
}

fn plan_items(text: &str) -> Result<Vec<PlanItem>, StorageError> {
    let items: Vec<ItemRow> = from_json(text, "the items of a plan")?;
    items.into_iter().map(PlanItem::try_from).collect()
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = content_plans)]
pub struct SummaryRow {
    pub id: i64,
    pub name: String,
    pub clustered_by: String,
    pub item_count: i64,
    pub created_at: At,
    pub updated_at: At,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ItemRow {
    keyword: String,
    cluster: Option<String>,
    intent: Option<String>,
    action: String,
    target_url: Option<String>,
    title: Option<String>,
    outline: Vec<String>,
    schema_types: Vec<String>,
    priority: Option<f64>,
    effort: Option<String>,
    status: String,
    due_on: Option<NaiveDate>,
    owner: Option<String>,
}

impl From<&PlanItem> for ItemRow {
    fn from(item: &PlanItem) -> Self {
        Self {
            keyword: item.keyword.to_string(),
            cluster: item.cluster.as_ref().map(ToString::to_string),
            intent: item.intent.map(|it| it.name().to_owned()),
            action: item.action.name().to_owned(),
            target_url: item.target_url.clone(),
            title: item.title.as_ref().map(ToString::to_string),
            outline: item.outline.iter().map(ToString::to_string).collect(),
            schema_types: item.schema_types.iter().map(ToString::to_string).collect(),
            priority: item.priority,
            effort: item.effort.map(|it| it.name().to_owned()),
            status: item.status.name().to_owned(),
            due_on: item.due_on,
            owner: item.owner.as_ref().map(ToString::to_string),
        }
    }
}

fn text<const MAX: usize>(
    text: Option<String>,
    subject: &'static str,
) -> Result<Option<Text<MAX>>, StorageError> {
    text.map(|it| validated(Text::parse(&it), subject))
        .transpose()
}

fn texts<const MAX: usize>(
    texts: Vec<String>,
    subject: &'static str,
) -> Result<Vec<Text<MAX>>, StorageError> {
    let texts = texts.into_iter();
    texts
        .map(|it| validated(Text::parse(&it), subject))
        .collect()
}

impl TryFrom<ItemRow> for PlanItem {
    type Error = StorageError;

    fn try_from(row: ItemRow) -> Result<Self, StorageError> {
        let intent = |it: String| known(Intent::named(&it), "an intent");
        let effort = |it: String| known(Effort::named(&it), "an effort");
        Ok(Self {
            keyword: validated(KeywordText::parse(&row.keyword), "a keyword of a plan")?,
            cluster: text(row.cluster, "a cluster")?,
            intent: row.intent.map(intent).transpose()?,
            action: known(PlanAction::named(&row.action), "an action of a plan")?,
            target_url: row.target_url,
            title: text(row.title, "a title of a plan")?,
            outline: texts(row.outline, "an outline")?,
            schema_types: texts(row.schema_types, "a type of structured data")?,
            priority: row.priority,
            effort: row.effort.map(effort).transpose()?,
            status: known(ItemStatus::named(&row.status), "a status of a plan")?,
            due_on: row.due_on,
            owner: text(row.owner, "an owner")?,
        })
    }
}

impl TryFrom<SummaryRow> for PlanSummary {
    type Error = StorageError;

    fn try_from(row: SummaryRow) -> Result<Self, StorageError> {
        Ok(Self {
            id: ContentPlanId(row.id),
            name: validated(Label::parse(&row.name), "the name of a plan")?,
            clustered_by: known(Clustering::named(&row.clustered_by), "a clustering")?,
            item_count: counted(row.item_count, "a number of items")?,
            created_at: row.created_at.into(),
            updated_at: row.updated_at.into(),
        })
    }
}
