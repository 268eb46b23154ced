//! Factors of the text: statistics, citations, quotations, extractability, structure, fluency, length.

use super::cue_words::cue_words;
use super::factors::{Measured, Part, flag, to_f64};
use super::{numbers, quotations};
use crate::observation::page_content::{Block, BlockKind, PageContent};
use crate::observation::page_url::registrable_domain;
use crate::observation::structured_data::Item;
use crate::observation::web_site::LinkTarget;
use crate::text::readability::{Band, readability};
use crate::text::sentences::sentences;
use crate::text::words::words;
use regex::Regex;
use std::{collections::BTreeSet, sync::LazyLock};
use url::Url;

/// Facts per 1,000 words for the full value. These three are our choice, fixed per method version.
const ENOUGH_FACTS: f64 = 8.0;
/// Sources per 1,000 words for the full value.
const ENOUGH_SOURCES: f64 = 4.0;
/// Quotations per 1,000 words for the full value.
const ENOUGH_QUOTATIONS: f64 = 2.0;
/// Maximum words of a section.
const SECTION_WORDS: usize = 300;
/// Words of an answer below its heading.
const ANSWER_WORDS: std::ops::RangeInclusive<usize> = 5..=60;

static DOI: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\b10\.\d{4,9}/[^\s"<>]+[^\s"<>.,;)]"#).ok());

pub fn statistics(page: &PageContent) -> Measured {
    let blocks = page.text.main.blocks.iter();
    let read = blocks.filter(|it| it.kind != BlockKind::Preformatted);
    let facts: Vec<String> = read.flat_map(|it| numbers::facts(&it.text)).collect();
    Measured::per_thousand(facts.len(), page.text.counts.words, ENOUGH_FACTS, facts)
}

/// External sources; half the value if all are of one domain.
pub fn citations(page: &PageContent) -> Measured {
    let sources = sources(page);
    let domains: BTreeSet<String> = sources.iter().filter_map(|it| domain(it)).collect();
    let all: Vec<String> = sources.into_iter().collect();
    let mut found = Measured::per_thousand(all.len(), page.text.counts.words, ENOUGH_SOURCES, all);
    if domains.len() == 1 {
        found.value = found.value.map(|it| it / 2.0);
        let domain: Vec<String> = domains.into_iter().collect();
        found.evidence.push(format!("all of {}", domain.join("")));
    }
    found
}

/// Distinct external pages linked in the main text, and DOIs in it; not sponsored or user-generated links.
fn sources(page: &PageContent) -> BTreeSet<String> {
    let own = domain(&page.url);
    let mut all = BTreeSet::new();
    for link in &page.links {
        let rel = link.rel.as_deref().unwrap_or_default().to_ascii_lowercase();
        let is_paid = rel
            .split_ascii_whitespace()
            .any(|it| matches!(it, "sponsored" | "ugc"));
        if let LinkTarget::Web { url, .. } = &link.target
            && link.in_main_text
            && link.is_navigable()
            && !is_paid
            && domain(url) != own
        {
            all.insert(url.clone());
        }
    }
    for block in &page.text.main.blocks {
        if let Some(doi) = DOI.as_ref().filter(|_| block.text.contains("10.")) {
            let named = doi.find_iter(&block.text).map(|it| it.as_str());
            let linked: Vec<&str> = named
                .filter(|doi| !all.iter().any(|it| it.ends_with(doi)))
                .collect();
            all.extend(linked.iter().map(|it| format!("https://doi.org/{it}")));
        }
    }
    all
}

fn domain(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    Some(registrable_domain(url.host_str()?))
}

pub fn quoted(page: &PageContent) -> Measured {
    let found = quotations::quotations(page);
    let count = found.len();
    Measured::per_thousand(count, page.text.counts.words, ENOUGH_QUOTATIONS, found)
}

/// .3 definition + .25 comparison + .25 steps + .2 answer first.
pub fn extractable(page: &PageContent) -> Measured {
    let words = cue_words(page.text.language);
    let blocks = &page.text.main.blocks;
    let has_type = |wanted: &[&str]| {
        let mut types = page
            .structured_data
            .items
            .iter()
            .flat_map(Item::schema_types);
        types.any(|it| wanted.contains(&it))
    };
    let running = || blocks.iter().filter(|it| is_running(it));
    let defined = page.structure.definition_lists > 0 || has_type(&["DefinedTerm"]);
    let definition = words.map(|words| {
        running().find_map(|block| {
            let mut all = sentences(&block.text, page.text.language).into_iter();
            all.find(|it| words.is_definition(it)).map(str::to_owned)
        })
    });
    let compared = page.structure.tables > 0;
    let comparison = words.map(|words| {
        let mut texts = blocks
            .iter()
            .filter(|it| it.kind != BlockKind::Preformatted);
        texts.any(|it| words.comparison.is_match(&it.text))
    });
    let steps = page.structure.ordered_lists > 0 || has_type(&["HowTo"]);
    // Without markup, a language without a word list is unknown.
    let or = |markup: bool, found: Option<bool>| {
        if markup { Some(1.0) } else { found.map(flag) }
    };
    let named = match &definition {
        Some(Some(sentence)) => format!("definition “{sentence}”"),
        _ => "definition".to_owned(),
    };
    Measured::from_parts(&[
        Part::new(0.3, or(defined, definition.map(|it| it.is_some())), named),
        Part::new(0.25, or(compared, comparison), "comparison"),
        Part::new(0.25, flag(steps), "ordered list or HowTo"),
        Part::new(
            0.2,
            flag(answers_first(blocks)),
            "short answer below a heading",
        ),
    ])
}

const fn is_running(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Paragraph | BlockKind::ListItem)
}

fn answers_first(blocks: &[Block]) -> bool {
    blocks.windows(2).any(|pair| {
        matches!(pair[0].kind, BlockKind::Heading(_))
            && pair[1].kind == BlockKind::Paragraph
            && ANSWER_WORDS.contains(&words(&pair[1].text).take(61).count())
    })
}

/// One h1 .2, no skipped level .2, a heading every 300 words .3, lists or tables .15, landmarks .15.
pub fn structure(page: &PageContent) -> Measured {
    let firsts = page.headings.iter().filter(|it| it.level == 1).count();
    let levels = page.headings.iter().map(|it| it.level);
    let skips = levels
        .clone()
        .zip(levels.skip(1))
        .filter(|(one, next)| *next > one + 1)
        .count();
    let it = &page.structure;
    let lists = it.ordered_lists + it.unordered_lists + it.definition_lists + it.tables > 0;
    Measured::from_parts(&[
        Part::new(
            0.2,
            flag(firsts == 1),
            format!("one h1 (there are {firsts})"),
        ),
        Part::new(
            0.2,
            flag(!page.headings.is_empty() && skips == 0),
            format!("levels without gaps ({skips} skipped)"),
        ),
        Part::new(
            0.3,
            short_section_share(page),
            "share of the text in sections of 300 words and fewer",
        ),
        Part::new(0.15, flag(lists), "lists or tables"),
        Part::new(0.15, flag(it.has_main || it.has_article), "main or article"),
    ])
}

/// Share of the words in sections of at most 300 words; every heading below `h1` begins one.
fn short_section_share(page: &PageContent) -> f64 {
    let (mut sections, mut current) = (Vec::new(), 0);
    for block in &page.text.main.blocks {
        match block.kind {
            BlockKind::Heading(level) if level > 1 => {
                sections.push(std::mem::take(&mut current));
            }
            BlockKind::Heading(_) => {}
            _ => current += words(&block.text).count(),
        }
    }
    sections.push(current);
    let all: usize = sections.iter().sum();
    if all == 0 {
        return 0.0;
    }
    let short: usize = sections.iter().filter(|it| **it <= SECTION_WORDS).sum();
    to_f64(short) / to_f64(all)
}

/// By readability band: standard and easier 1, fairly difficult .8, difficult .6, very difficult .3.
pub fn fluency(page: &PageContent) -> Measured {
    let Some(found) = readability(&page.text.counts, page.text.language) else {
        return Measured::default();
    };
    let value = match found.band {
        Band::VeryEasy | Band::Easy | Band::FairlyEasy | Band::Standard => 1.0,
        Band::FairlyDifficult => 0.8,
        Band::Difficult => 0.6,
        Band::VeryDifficult => 0.3,
    };
    let score = found.reading_ease.unwrap_or(found.lix);
    Measured {
        value: Some(value),
        figure: Some(score.value),
        target: Some(if found.reading_ease.is_some() {
            60.0
        } else {
            50.0
        }),
        evidence: vec![format!("{:?}: {:?}", score.formula, found.band)],
    }
}

/// By words of the main text.
pub fn substance(page: &PageContent) -> Measured {
    let words = page.text.counts.words;
    let value = match words {
        0..100 => 0.0,
        100..300 => 0.4,
        300..600 => 0.7,
        600..1_000 => 0.85,
        _ => 1.0,
    };
    Measured {
        value: Some(value),
        figure: Some(to_f64(words)),
        target: Some(1_000.0),
        evidence: vec![format!("{words} words")],
    }
}
