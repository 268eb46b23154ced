//! Whether a page is YMYL ("your money or your life"): by schema.org types, and by the rate of topic words.
//! Words are matched by prefix, so that inflections count; the lists and thresholds are ours.

use super::record::{Ymyl, YmylTopic};
use crate::{
    observation::{page_content::PageContent, structured_data::Item},
    table::records,
    text::{language::Language, words::words},
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Words of a topic per 1,000 from which a page is about it.
const MIN_RATE: f64 = 8.0;
/// Distinct words of a topic that a page needs.
const MIN_DISTINCT_WORDS: usize = 3;
const MAX_WORDS: usize = 20_000;

/// schema.org types that decide whatever the words.
const TYPES: [(YmylTopic, &[&str]); 4] = [
    (
        YmylTopic::Health,
        &[
            "MedicalWebPage",
            "MedicalCondition",
            "MedicalProcedure",
            "MedicalTherapy",
            "Drug",
            "Physician",
            "MedicalClinic",
            "Hospital",
            "Pharmacy",
            "Dentist",
            "HealthTopicContent",
            "DietarySupplement",
        ],
    ),
    (
        YmylTopic::Finance,
        &[
            "FinancialProduct",
            "LoanOrCredit",
            "InvestmentOrDeposit",
            "BankAccount",
            "CreditCard",
            "MortgageLoan",
            "FinancialService",
            "InsuranceAgency",
            "BankOrCreditUnion",
            "PaymentCard",
            "AccountingService",
        ],
    ),
    (
        YmylTopic::Legal,
        &["LegalService", "Attorney", "Notary", "Legislation"],
    ),
    (
        YmylTopic::Civic,
        &[
            "GovernmentService",
            "GovernmentOffice",
            "GovernmentOrganization",
        ],
    ),
];

pub fn ymyl(page: &PageContent) -> Ymyl {
    let mut found: BTreeMap<YmylTopic, Vec<String>> = BTreeMap::new();
    let types: BTreeSet<&str> = page
        .structured_data
        .items
        .iter()
        .flat_map(Item::schema_types)
        .collect();
    for (topic, names) in TYPES {
        let named = names.iter().filter(|it| types.contains(*it));
        let named: Vec<String> = named.map(|it| (*it).to_owned()).collect();
        if !named.is_empty() {
            found.entry(topic).or_default().extend(named);
        }
    }
    let lists = page.text.language.and_then(|it| PREFIXES.get(&it));
    if let Some(lists) = lists {
        by_words(page, lists, &mut found);
    }
    Ymyl {
        is_ymyl: (lists.is_some() || !found.is_empty()).then_some(!found.is_empty()),
        topics: found.keys().copied().collect(),
        evidence: found.into_values().flatten().take(10).collect(),
    }
}

/// Topics and word prefixes by first letter: most words need one lookup.
type ByLetter = BTreeMap<char, Vec<(usize, &'static str)>>;

static PREFIXES: LazyLock<BTreeMap<Language, ByLetter>> = LazyLock::new(|| {
    let mut all = BTreeMap::new();
    for [code, lists @ ..] in records::<6>(include_str!("ymyl.tsv")) {
        let Some(language) = Language::from_tag(code) else {
            continue;
        };
        let mut by_letter = ByLetter::new();
        for (topic, list) in lists.into_iter().enumerate() {
            for beginning in list.split('|') {
                if let Some(letter) = beginning.chars().next() {
                    by_letter
                        .entry(letter)
                        .or_default()
                        .push((topic, beginning));
                }
            }
        }
        all.insert(language, by_letter);
    }
    all
});

/// Columns of `ymyl.tsv`.
const TOPICS: [YmylTopic; 5] = [
    YmylTopic::Health,
    YmylTopic::Finance,
    YmylTopic::Safety,
    YmylTopic::Legal,
    YmylTopic::Civic,
];

fn by_words(page: &PageContent, lists: &ByLetter, found: &mut BTreeMap<YmylTopic, Vec<String>>) {
    let text = page.text.main.text().to_lowercase();
    let mut counts: [(usize, BTreeSet<&str>); 5] = Default::default();
    let mut all = 0_usize;
    for word in words(&text).take(MAX_WORDS) {
        all += 1;
        let letter = word.chars().next().unwrap_or_default();
        for (topic, beginning) in lists.get(&letter).into_iter().flatten() {
            if word.starts_with(beginning) {
                counts[*topic].0 += 1;
                counts[*topic].1.insert(beginning);
                break;
            }
        }
    }
    for (topic, (count, different)) in TOPICS.into_iter().zip(counts) {
        #[expect(clippy::cast_precision_loss, reason = "words of one page")]
        let rate = 1_000.0 * count as f64 / all.max(1) as f64;
        if rate >= MIN_RATE && different.len() >= MIN_DISTINCT_WORDS {
            let words = different.into_iter().take(5).map(str::to_owned);
            found.entry(topic).or_default().extend(words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::sample_pages::paragraphs;

    #[test]
    fn topic_words_decide_ymyl() {
        let page = paragraphs(&[
            "The symptoms of the disease are treated by medication. Ask a physician about the dosage.",
        ]);
        let found = ymyl(&page);
        assert_eq!(
            (found.is_ymyl, found.topics),
            (Some(true), vec![YmylTopic::Health])
        );
        let page = paragraphs(&["The old house by the river is worth a visit in spring."]);
        assert_eq!(ymyl(&page).is_ymyl, Some(false));
    }

    #[test]
    fn ymyl_is_unknown_without_a_word_list() {
        let mut page = paragraphs(&["Симптомы болезни"]);
        page.text.language = Some(Language::Russian);
        assert_eq!(ymyl(&page).is_ymyl, None);
    }
}
