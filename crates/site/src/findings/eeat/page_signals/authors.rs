use super::by_phrase;
use crate::findings::eeat::outcome::{
    FACT_CONFIDENCE, GUESS_CONFIDENCE, Outcome, PHRASE_CONFIDENCE, evidence_at,
};
use crate::findings::eeat::people::{AuthorMarkup, author_markup, is_written_by_organization};
use crate::findings::eeat::phrases::Phrases;
use crate::findings::eeat::record::EeatAuthor;
use crate::findings::eeat::{EeatInput, StandardPage};
use crate::observation::page_content::PageContent;

/// Minimum words of an author page.
const BIOGRAPHY_WORDS: u32 = 50;
/// 1 for a name; half if a YMYL page names only an organization.
pub fn byline(page: &PageContent, authors: &[EeatAuthor], is_ymyl: bool) -> Outcome {
    let Some(author) = authors.first() else {
        return Outcome::new(0.0, PHRASE_CONFIDENCE);
    };
    let by_organization = is_written_by_organization(&page.structured_data);
    let value = if by_organization && is_ymyl { 0.5 } else { 1.0 };
    let text = page
        .metadata
        .byline
        .as_ref()
        .map_or(&author.name, |it| &it.text);
    Outcome::new(value, FACT_CONFIDENCE).with_evidence([evidence_at(&page.url, text)])
}

/// 1 for fifty words; half if shorter, unread or elsewhere. On a site of one author it may be the about page.
pub fn author_page(input: &EeatInput<'_>, authors: &[EeatAuthor]) -> Outcome {
    let about = input.site.standard.get(&StandardPage::About);
    let own = about
        .filter(|_| input.site.has_one_author())
        .map(|it| it.url.clone());
    let addresses = authors.iter().filter_map(|it| it.url.clone()).chain(own);
    let mut best = Outcome::new(0.0, PHRASE_CONFIDENCE);
    for url in addresses {
        let (value, confidence) = match input.site.words_of(&without_fragment(&url)) {
            Some(words) if words >= BIOGRAPHY_WORDS => (1.0, FACT_CONFIDENCE),
            Some(_) => (0.5, FACT_CONFIDENCE),
            None => (0.5, GUESS_CONFIDENCE),
        };
        if best.value.is_none_or(|it| value > it) {
            best = Outcome::new(value, confidence).with_evidence([evidence_at(&url, "")]);
        }
    }
    best
}

fn without_fragment(url: &str) -> String {
    crate::observation::page_url::normalized(url).unwrap_or_else(|| url.to_owned())
}

pub fn credentials(page: &PageContent, authors: &[EeatAuthor]) -> Outcome {
    let found = authors.iter().flat_map(|it| &it.credentials).next();
    found.map_or(Outcome::new(0.0, PHRASE_CONFIDENCE), |it| {
        Outcome::new(1.0, FACT_CONFIDENCE).with_evidence([evidence_at(&page.url, it)])
    })
}

pub fn reviewer(page: &PageContent, known: Option<&Phrases>) -> Outcome {
    let items = &page.structured_data.items;
    let marked = items
        .iter()
        .any(|it| it.values("reviewedBy").next().is_some());
    if marked {
        return Outcome::new(1.0, FACT_CONFIDENCE)
            .with_evidence([evidence_at(&page.url, "reviewedBy")]);
    }
    by_phrase(page, known.map(|it| &it.reviewed))
}

pub fn markup(page: &PageContent) -> Outcome {
    let (value, text) = match author_markup(&page.structured_data) {
        AuthorMarkup::None => return Outcome::new(0.0, FACT_CONFIDENCE),
        AuthorMarkup::Named => (0.5, "author without url and sameAs"),
        AuthorMarkup::Linked => (1.0, "author with url or sameAs"),
    };
    Outcome::new(value, FACT_CONFIDENCE).with_evidence([evidence_at(&page.url, text)])
}
