use super::SovScope;
use crate::search_panel::{Panel, PanelTopic};
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(super) struct Members {
    /// Indices into the panel's keywords.
    pub present: Vec<usize>,
    pub missing: u64,
}

/// All scopes of a panel: the project, then tags, intents and page groups by name.
pub(super) fn by_scope(panel: &Panel<'_>) -> BTreeMap<SovScope, Members> {
    let mut scopes: BTreeMap<SovScope, Members> = BTreeMap::new();
    scopes.insert(SovScope::Project, Members::default());
    for (place, keyword) in panel.keywords().iter().enumerate() {
        let by_intent = keyword.intent.map(SovScope::Intent);
        for scope in scopes_of_topic(&keyword.topic).chain(by_intent) {
            scopes.entry(scope).or_default().present.push(place);
        }
    }
    // The intent comes from the page, so keywords without a page have none.
    for topic in panel.missing() {
        for scope in scopes_of_topic(topic) {
            scopes.entry(scope).or_default().missing += 1;
        }
    }
    scopes
}

fn scopes_of_topic(topic: &PanelTopic) -> impl Iterator<Item = SovScope> {
    let tags: std::collections::BTreeSet<&String> = topic.tags.iter().collect();
    std::iter::once(SovScope::Project)
        .chain(tags.into_iter().map(|tag| SovScope::Tag(tag.clone())))
        .chain(topic.page_group.clone().map(SovScope::PageGroup))
}
