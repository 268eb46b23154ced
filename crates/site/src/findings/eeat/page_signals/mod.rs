mod authors;
mod links;

use super::EeatInput;
use super::outcome::{FACT_CONFIDENCE, Outcome, PHRASE_CONFIDENCE, evidence_at};
use super::phrases::{Phrases, phrases};
use super::record::{EeatAuthor, PageType};
use super::signal::SignalCode;
use crate::observation::page_content::{BlockKind, DateRole, FactSource, PageContent};
use crate::observation::structured_data::Item;
use crate::text::words::words;
use regex::Regex;

/// `None` for signals of the site.
pub fn outcome(
    code: SignalCode,
    input: &EeatInput<'_>,
    written_by: &[EeatAuthor],
    is_ymyl: bool,
) -> Option<Outcome> {
    let page = input.page;
    let is_article = input.page_type == PageType::Article;
    let is_review = matches!(input.page_type, PageType::Article | PageType::Product);
    let known = phrases(page.text.language);
    Some(match code {
        SignalCode::Byline if is_article => authors::byline(page, written_by, is_ymyl),
        SignalCode::AuthorPage if is_article => authors::author_page(input, written_by),
        SignalCode::Credentials if is_article => authors::credentials(page, written_by),
        SignalCode::Reviewer if is_article && is_ymyl => authors::reviewer(page, known),
        SignalCode::AuthorMarkup if is_article => authors::markup(page),
        SignalCode::DateConsistency => dates(page),
        SignalCode::Disclosure => links::disclosure(page, known),
        SignalCode::FirstPerson if is_review => by_phrase(page, known.map(|it| &it.first_person)),
        SignalCode::OriginalImages => links::images(page),
        SignalCode::TestMethod if is_review => by_phrase(page, known.map(|it| &it.test_method)),
        SignalCode::OwnData if is_review => own_data(page, known),
        SignalCode::DatedReviews => reviews(page, input.page_type),
        SignalCode::PrimarySources if is_article => links::primary_sources(page),
        SignalCode::Byline
        | SignalCode::AuthorPage
        | SignalCode::Credentials
        | SignalCode::Reviewer
        | SignalCode::AuthorMarkup
        | SignalCode::FirstPerson
        | SignalCode::TestMethod
        | SignalCode::OwnData
        | SignalCode::PrimarySources => Outcome::not_applicable(),
        _ => return None,
    })
}

/// Compares visible with machine-readable dates, where both exist; time zones may differ by a day.
fn dates(page: &PageContent) -> Outcome {
    let dates = &page.metadata.dates;
    let visible = dates
        .iter()
        .filter(|it| matches!(it.source, FactSource::VisibleText | FactSource::TimeElement));
    let machine: Vec<_> = dates
        .iter()
        .filter(|it| {
            matches!(
                it.source,
                FactSource::JsonLd | FactSource::Meta | FactSource::Microdata
            ) && it.role != DateRole::Unspecified
        })
        .collect();
    let visible: Vec<_> = visible.collect();
    let (Some(first), Some(other)) = (visible.first(), machine.first()) else {
        return Outcome::not_applicable();
    };
    let within_a_day = |days: i64| days.abs() <= 1;
    let agree = visible.iter().any(|one| {
        machine
            .iter()
            .any(|it| within_a_day((one.day - it.day).num_days()))
    });
    let text = format!("visible {}, machine-readable {}", first.day, other.day);
    Outcome::new(f64::from(u8::from(agree)), FACT_CONFIDENCE)
        .with_evidence([evidence_at(&page.url, text)])
}

fn by_phrase(page: &PageContent, phrase: Option<&Regex>) -> Outcome {
    let Some(phrase) = phrase else {
        return Outcome::not_applicable();
    };
    find(page, phrase).map_or(Outcome::new(0.0, PHRASE_CONFIDENCE), |it| {
        Outcome::new(1.0, PHRASE_CONFIDENCE).with_evidence([evidence_at(&page.url, it)])
    })
}

/// The first match in the main text, with context.
fn find(page: &PageContent, phrase: &Regex) -> Option<String> {
    let blocks = page.text.main.blocks.iter();
    let mut prose = blocks.filter(|it| it.kind != BlockKind::Preformatted);
    prose.find_map(|block| {
        let found = phrase.find(&block.text)?;
        let begin = block.text[..found.start()]
            .char_indices()
            .rev()
            .nth(40)
            .map_or(0, |it| it.0);
        Some(block.text[begin..].trim_start().to_owned())
    })
}

/// A table of numbers, a data set, or a phrase about own data.
fn own_data(page: &PageContent, known: Option<&Phrases>) -> Outcome {
    let blocks = page.text.main.blocks.iter();
    let numbers = |text: &str| {
        words(text)
            .filter(|it| {
                it.bytes()
                    .all(|it| it.is_ascii_digit() || matches!(it, b'.' | b','))
            })
            .count()
    };
    let rows: Vec<_> = blocks
        .filter(|it| it.kind == BlockKind::TableRow && numbers(&it.text) >= 2)
        .collect();
    if rows.len() >= 2 {
        return Outcome::new(1.0, PHRASE_CONFIDENCE)
            .with_evidence([evidence_at(&page.url, &rows[0].text)]);
    }
    let mut types = page
        .structured_data
        .items
        .iter()
        .flat_map(Item::schema_types);
    if types.any(|it| it == "Dataset") {
        return Outcome::new(1.0, FACT_CONFIDENCE)
            .with_evidence([evidence_at(&page.url, "Dataset")]);
    }
    by_phrase(page, known.map(|it| &it.own_data))
}

/// The share of the reviews with author and date; applies with reviews, ratings or products.
fn reviews(page: &PageContent, page_type: PageType) -> Outcome {
    let items = &page.structured_data.items;
    let is = |wanted: &'static str| {
        move |it: &&Item| {
            it.schema_types()
                .any(|it| it == wanted || (wanted == "Review" && it == "UserReview"))
        }
    };
    let all: Vec<&Item> = items.iter().filter(is("Review")).collect();
    let Ok(count @ 1..) = u32::try_from(all.len()) else {
        let rated = items.iter().any(|it| is("AggregateRating")(&it));
        let expected = rated || page_type == PageType::Product;
        return if expected {
            Outcome::new(0.0, FACT_CONFIDENCE)
        } else {
            Outcome::not_applicable()
        };
    };
    let has = |it: &Item, name: &str| it.values(name).next().is_some();
    let full = all
        .iter()
        .filter(|it| has(it, "author") && has(it, "datePublished"));
    let full = u32::try_from(full.count()).unwrap_or(count);
    let text = format!("{full} of {count} reviews with author and date");
    Outcome::new(f64::from(full) / f64::from(count), FACT_CONFIDENCE)
        .with_evidence([evidence_at(&page.url, text)])
}
