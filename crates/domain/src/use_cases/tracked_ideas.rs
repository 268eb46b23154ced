use super::research_keyword::ResearchRequest;
use crate::ports::storage::{Repositories, StorageError};
use analysis::{keyword_text::normalised, observation::keyword_research::ResearchedKeyword};
use std::collections::BTreeSet;

/// Normalised texts of ideas that are active keywords of a project in the researched country and language.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrackedIdeas(BTreeSet<String>);

impl TrackedIdeas {
    pub fn holds(&self, idea: &str) -> bool {
        self.0.contains(&normalised(idea))
    }
}

/// `None` when no project is named; one statement otherwise.
pub(super) async fn tracked<R: Repositories + ?Sized>(
    read: &mut R,
    request: &ResearchRequest,
    found: &ResearchedKeyword,
) -> Result<Option<TrackedIdeas>, StorageError> {
    let Some(project) = request.project else {
        return Ok(None);
    };
    let ideas: Vec<String> = { found.ideas.iter() }
        .map(|it| normalised(&it.keyword))
        .collect();
    let subject = &request.subject;
    let texts = read
        .keywords()
        .active_texts(
            request.account,
            project,
            subject.country,
            subject.language,
            &ideas,
        )
        .await?;
    Ok(Some(TrackedIdeas(texts)))
}
