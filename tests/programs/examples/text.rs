//! Text measures for `tests/oracles`: JSON lines in, JSON lines out. `do` selects the operation.

use analysis::text::{
    diff::difference,
    duplicates::{Fingerprint, Signature, clusters, simhash},
    language::{Language, detection::detect},
    noise::without_noise,
    pixel_width::pixel_width,
    similarity::{jaccard, shingles},
    stems::stem,
    words::words,
};
use programs::{Failure, answer_lines};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
enum Question {
    PixelWidth {
        text: String,
        size: f64,
    },
    Language {
        text: String,
    },
    Stems {
        language: String,
        words: Vec<String>,
    },
    Words {
        text: String,
    },
    Signature {
        text: String,
    },
    Estimates {
        pairs: Vec<(String, String)>,
    },
    Clusters {
        texts: Vec<String>,
    },
    Difference {
        before: String,
        after: String,
    },
    Noise {
        text: String,
    },
}

fn main() -> Result<(), Failure> {
    answer_lines(|it| Ok(answer(it)))
}

fn answer(question: Question) -> Value {
    match question {
        Question::PixelWidth { text, size } => json!(pixel_width(&text, size)),
        Question::Language { text } => json!(detect(&text).map(|it| (it.code, it.confidence))),
        Question::Stems {
            language,
            words: given,
        } => Language::from_tag(&language).map_or(Value::Null, |language| {
            given.iter().map(|it| stem(it, language)).collect()
        }),
        Question::Words { text } => words(&text.to_lowercase()).collect(),
        Question::Signature { text } => {
            let shingles = shingles(&text);
            let signature = Signature::of(&shingles);
            json!({
                "signature": signature.map(|it| it.values().to_vec()),
                "simhash": simhash(&shingles),
            })
        }
        Question::Estimates { pairs } => pairs.iter().map(|(a, b)| estimate(a, b)).collect(),
        Question::Clusters { texts } => found_in(&texts),
        Question::Difference { before, after } => {
            let found = difference(&before, &after);
            json!({
                "applied": found.applied_to(&before),
                "similarity": found.similarity,
                "containmentOfOld": found.containment_of_old,
                "addedWords": found.added_words,
                "removedWords": found.removed_words,
                "operations": found.report(&before).operations,
            })
        }
        Question::Noise { text } => json!(without_noise(&text)),
    }
}

fn estimate(one: &str, other: &str) -> Value {
    let (one, other) = (shingles(one), shingles(other));
    let estimated = Signature::of(&one)
        .zip(Signature::of(&other))
        .map(|(one, other)| one.similarity(&other));
    json!([jaccard(&one, &other), estimated])
}

fn found_in(texts: &[String]) -> Value {
    let pages: Vec<_> = texts.iter().map(|it| Fingerprint::of(it)).collect();
    let sets: Vec<_> = texts.iter().map(|it| shingles(it)).collect();
    let found = clusters(&pages, |one, other| jaccard(&sets[one], &sets[other]));
    let clusters = found.clusters.iter().map(|it| (&it.pages, it.exact));
    json!({
        "clusters": clusters.collect::<Vec<_>>(),
        "nearest": found.nearest.iter().map(|it| it.map(|it| (it.page, it.similarity))).collect::<Vec<_>>(),
        "complete": found.complete,
    })
}
