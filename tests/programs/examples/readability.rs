//! Counts and scores of texts, for `tests/oracles`: JSON lines in, JSON lines out.
//!
//! `{"language": "de", "text": "…"}` counts a text; `words` (an array) and `sentences` (a number) replace `text` with
//! words that are already split; `counts` computes only the formulas. `{"language": "en", "each": [words]}` returns the
//! syllables of each word: as counted, by rules (English) and by vowels.

use analysis::text::{
    counts::{self, Counts, SyllableCounts},
    language::Language,
    readability::{Formula, readability},
    sentences::sentences,
    syllables,
};
use programs::{Failure, answer_lines};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Question {
    language: String,
    text: Option<String>,
    words: Option<Vec<String>>,
    sentences: Option<usize>,
    each: Option<Vec<String>>,
    counts: Option<Counted>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Counted {
    words: usize,
    sentences: usize,
    letters: usize,
    characters: usize,
    long_words: usize,
    syllables: usize,
    words_of_one: usize,
    words_of_three: usize,
    hard_words: usize,
}

const FORMULAS: [Formula; 21] = [
    Formula::Flesch,
    Formula::Amstad,
    Formula::FernandezHuerta,
    Formula::KandelMoles,
    Formula::FleschVacca,
    Formula::Douma,
    Formula::Oborneva,
    Formula::FleschHungarian,
    Formula::Bendova,
    Formula::BendovaForSlovak,
    Formula::Lix,
    Formula::Rix,
    Formula::FleschKincaid,
    Formula::ColemanLiau,
    Formula::AutomatedReadabilityIndex,
    Formula::GunningFog,
    Formula::GunningFogPolish,
    Formula::Smog,
    Formula::WienerSachtext1,
    Formula::SzigrisztPazos,
    Formula::Gulpease,
];

fn main() -> Result<(), Failure> {
    answer_lines(|it| Ok(answer(&it)))
}

fn answer(question: &Question) -> Value {
    let language = Language::from_tag(&question.language);
    if let (Some(words), Some(language)) = (&question.each, language) {
        return each(words, language);
    }
    let (counts, found) = match (&question.text, &question.words, &question.counts) {
        (Some(text), _, _) => (
            counts::count(text, language),
            Some(sentences(text, language)),
        ),
        (None, Some(words), _) => {
            let mut counts = counts::count_words(words.iter().map(String::as_str), language);
            counts.sentences = question.sentences.unwrap_or_default();
            (counts, None)
        }
        (None, None, Some(counted)) => (counted.counts(), None),
        (None, None, None) => return Value::Null,
    };
    let formulas: serde_json::Map<String, Value> = FORMULAS
        .iter()
        .filter_map(|it| Some((serde_json::to_value(it).ok()?.as_str()?.to_owned(), it)))
        .map(|(name, it)| (name, json!(it.value(&counts))))
        .collect();
    json!({
        "counts": Counted::of(&counts),
        "sentences": found,
        "formulas": formulas,
        "readability": readability(&counts, language),
    })
}

fn each(words: &[String], language: Language) -> Value {
    let all = |count: &dyn Fn(&str) -> Option<usize>| -> Vec<Option<usize>> {
        words.iter().map(|it| count(it)).collect()
    };
    json!({
        "syllables": all(&|it| Some(syllables::count(it, language))),
        "rules": all(&|it| (language == Language::English).then(|| syllables::english::by_rules(&it.to_lowercase()))),
        "vowels": all(&|it| syllables::by_vowels(it, language)),
    })
}

impl Counted {
    fn of(counts: &Counts) -> Self {
        let of = counts.syllables.unwrap_or_default();
        Self {
            words: counts.words,
            sentences: counts.sentences,
            letters: counts.letters,
            characters: counts.characters,
            long_words: counts.long_words,
            syllables: of.total,
            words_of_one: of.words_of_one,
            words_of_three: of.words_of_three,
            hard_words: of.hard_words,
        }
    }

    fn counts(&self) -> Counts {
        Counts {
            words: self.words,
            sentences: self.sentences,
            letters: self.letters,
            characters: self.characters,
            long_words: self.long_words,
            syllables: Some(SyllableCounts {
                total: self.syllables,
                words_of_one: self.words_of_one,
                words_of_three: self.words_of_three,
                hard_words: self.hard_words,
            }),
        }
    }
}
