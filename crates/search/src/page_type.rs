use crate::ToSchema;
use serde::{Deserialize, Serialize};

/// A kind of page.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
#[schema(as = ResultPageType)]
pub enum PageType {
    /// The start page of a site.
    Home,
    /// Something to buy.
    Product,
    /// A list of products or articles.
    Category,
    /// Something written and published at a time.
    Article,
    /// People talking.
    Discussion,
    /// A film.
    Video,
    /// An encyclopedia or a dictionary.
    Reference,
    /// Anything else.
    Other,
}
