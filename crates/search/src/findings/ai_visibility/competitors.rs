//! Competitors in the answers. A brand that the prompt names is not counted in its answers.

use super::{evaluate::Prompts, record::CompetitorRates};
use crate::ai_answers::EvaluatedAnswer;
use crate::ai_answers::brands::{BrandBook, BrandId, OWN};
use crate::statistics::describe::mean;
use crate::statistics::panel_rate::Count;

/// Most mentions first.
pub(super) fn competitors(prompts: &Prompts<'_>, book: &BrandBook) -> Vec<CompetitorRates> {
    let all: u64 = (0..book.count())
        .map(|it| count_mentions(prompts, it))
        .sum();
    let mut rows: Vec<CompetitorRates> = (0..book.count())
        .filter(|brand| *brand != OWN)
        .map(|brand| CompetitorRates {
            name: book.name(brand).to_owned(),
            domain: book.domain(brand).map(str::to_owned),
            mention_count: count_mentions(prompts, brand),
            mention_rate: rate(prompts, |it| {
                (!it.prompted.contains(&brand)).then(|| it.brands.contains(&brand))
            }),
            citation_rate: rate(prompts, |it| {
                let pages = it.citations.as_ref()?;
                Some(pages.iter().any(|page| page.owner == Some(brand)))
            }),
            share_of_voice: share(count_mentions(prompts, brand), all),
            prompted_count: { prompts.values() }
                .filter(|answers| answers.iter().any(|it| it.prompted.contains(&brand)))
                .count() as u64,
        })
        .collect();
    rows.sort_by(|a, b| (b.mention_count.cmp(&a.mention_count)).then_with(|| a.name.cmp(&b.name)));
    rows
}

/// The project's share of all mentions; `None` without mentions.
pub(super) fn own_share_of_voice(prompts: &Prompts<'_>, book: &BrandBook) -> Option<f64> {
    let all: u64 = (0..book.count())
        .map(|it| count_mentions(prompts, it))
        .sum();
    share(count_mentions(prompts, OWN), all)
}

fn count_mentions(prompts: &Prompts<'_>, brand: BrandId) -> u64 {
    let answers = prompts.values().flatten();
    let naming = answers.filter(|it| it.brands.contains(&brand) && !it.prompted.contains(&brand));
    naming.count() as u64
}

#[expect(clippy::cast_precision_loss, reason = "counts of answers")]
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The mean over prompts of the share of answers for which `is` holds; answers with `None` are left out.
fn rate(prompts: &Prompts<'_>, is: impl Fn(&EvaluatedAnswer) -> Option<bool>) -> Option<f64> {
    let counts = counts(prompts, is);
    let rates: Vec<f64> = { counts.iter() }
        .filter_map(|it| share(it.hits, it.trials))
        .collect();
    mean(&rates)
}

pub(super) fn counts(
    prompts: &Prompts<'_>,
    is: impl Fn(&EvaluatedAnswer) -> Option<bool>,
) -> Vec<Count> {
    let count = |answers: &Vec<&EvaluatedAnswer>| {
        let mut count = Count::default();
        for found in answers.iter().filter_map(|it| is(it)) {
            count.add(Count {
                hits: u64::from(found),
                trials: 1,
            });
        }
        count
    };
    prompts.values().map(count).collect()
}
