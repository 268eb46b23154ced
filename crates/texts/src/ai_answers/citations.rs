//! Pages that an answer cites: unique, in order, without tracking parameters.

use super::brands::{BrandBook, BrandId};
use super::prose::Prose;
use crate::observation::ai_answer::{AiAnswer, CitationPart, TextSpan};
use crate::url_rules;
use std::collections::{HashMap, hash_map::Entry};
use url::Url;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedPage {
    pub url: String,
    pub domain: String,
    /// Rank in the answer, from 1.
    pub index: u32,
    pub owner: Option<BrandId>,
    pub spans: Vec<TextSpan>,
}

/// In the answer's order. `None` where the engine has no sources: links in such texts are often hallucinated.
pub fn citations(answer: &AiAnswer, visible: &Prose, book: &BrandBook) -> Option<Vec<CitedPage>> {
    let listed = answer.citations.as_ref()?;
    let mut pages = Pages::default();
    for it in listed
        .iter()
        .filter(|it| it.part != CitationPart::SearchResult)
    {
        pages.add(&it.url, it.domain.as_deref(), &it.spans, book);
    }
    for it in &visible.links {
        pages.add(&it.url, None, &[it.span], book);
    }
    Some(pages.found)
}

/// Drops user name and password, which must not be published.
fn without_credentials(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(url.trim()) else {
        return url.to_owned();
    };
    let is_removed = parsed.set_username("").is_ok() && parsed.set_password(None).is_ok();
    if is_removed {
        parsed.into()
    } else {
        url.to_owned()
    }
}

#[derive(Debug, Default)]
struct Pages {
    found: Vec<CitedPage>,
    index_by_key: HashMap<String, usize>,
}

impl Pages {
    fn add(
        &mut self,
        url: &str,
        reported_domain: Option<&str>,
        spans: &[TextSpan],
        book: &BrandBook,
    ) {
        let target = without_credentials(&url_rules::unwrapped(url));
        let Some(normal): Option<String> = url_rules::normalized(&target) else {
            return;
        };
        // A redirecting URL does not show the target; the domain that the engine reports does.
        let reported_host =
            reported_domain.map(|it| it.trim().trim_start_matches("www.").to_lowercase());
        let reported_host = reported_host.filter(|it| url_rules::registrable_domain(it).is_some());
        let here = url_rules::domain_of_url(&normal);
        let domain = { reported_host.as_deref().map(url_rules::domain_of_host) }
            .map(str::to_owned)
            .or_else(|| here.clone());
        let Some(domain) = domain else {
            return;
        };
        let leads_elsewhere = here.as_ref().is_some_and(|it| *it != domain);
        let owner = if leads_elsewhere {
            reported_host
                .as_deref()
                .and_then(|it| book.owner_of_host(it))
        } else {
            book.owner_of_url(&normal)
        };
        match self.index_by_key.entry(url_rules::page_key(&normal)) {
            Entry::Occupied(place) => {
                let page = &mut self.found[*place.get()];
                for span in spans {
                    if !page.spans.contains(span) && page.spans.len() < MAX_SPANS {
                        page.spans.push(*span);
                    }
                }
            }
            Entry::Vacant(place) => {
                place.insert(self.found.len());
                self.found.push(CitedPage {
                    url: normal,
                    domain,
                    index: u32::try_from(self.found.len() + 1).unwrap_or(u32::MAX),
                    owner,
                    spans: spans.iter().copied().take(MAX_SPANS).collect(),
                });
            }
        }
    }
}

/// Per page.
const MAX_SPANS: usize = 50;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ai_answers::{brands::BrandSpec, evaluate::tests::answer};
    use crate::observation::ai_answer::AnswerCitation;

    fn cited(url: &str, domain: Option<&str>, part: CitationPart) -> AnswerCitation {
        AnswerCitation {
            url: url.to_owned(),
            title: None,
            domain: domain.map(str::to_owned),
            part,
            spans: Vec::new(),
        }
    }

    #[test]
    fn citations_are_unique_and_exclude_search_results() {
        let book = BrandBook::of(&BrandSpec::named("Acme", "acme.com"), &[], &[]);
        let mut it =
            answer("See [Acme](https://acme.com/desk?utm_source=openai) and https://b.org/x.");
        it.citations = Some(vec![
            cited("https://a.org/y", None, CitationPart::SourceList),
            cited(
                "https://www.acme.com/desk?utm_source=chatgpt.com#top",
                None,
                CitationPart::Inline,
            ),
            cited("https://acme.com/other", None, CitationPart::SearchResult),
            cited(
                "https://redirect.example.com/1",
                Some("www.acme.com"),
                CitationPart::Inline,
            ),
            cited("javascript:alert(1)", None, CitationPart::Inline),
        ]);
        let found = citations(&it, &Prose::of(&it.text), &book).unwrap();
        let rows: Vec<(&str, &str, u32, Option<BrandId>)> = { found.iter() }
            .map(|it| (it.url.as_str(), it.domain.as_str(), it.index, it.owner))
            .collect();
        assert_eq!(
            rows,
            [
                ("https://a.org/y", "a.org", 1, None),
                ("https://www.acme.com/desk", "acme.com", 2, Some(0)),
                ("https://redirect.example.com/1", "acme.com", 3, Some(0)),
                ("https://b.org/x", "b.org", 4, None),
            ]
        );
        it.citations = Some(vec![cited(
            "https://ann:pw@b.org/y",
            None,
            CitationPart::Inline,
        )]);
        let found = citations(&it, &Prose::of("https://ann:pw@b.org/y"), &book).unwrap();
        assert_eq!((found.len(), found[0].url.as_str()), (1, "https://b.org/y"));
        it.citations = None;
        assert_eq!(citations(&it, &Prose::of(&it.text), &book), None);
    }
}
