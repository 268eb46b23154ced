//! Sentiment of an English sentence: VADER's compound score, -1 to 1.
//!
//! Rules and lexicon of Hutto and Gilbert 2014, "VADER: A Parsimonious Rule-based Model for Sentiment
//! Analysis of Social Media Text", as in the Python package vaderSentiment 3.3.2, which serves as the
//! oracle (`tests/oracles/ai_visibility.py`). Left out: emoticons and emoji, which answers use as
//! bullets, and lexicon entries that are not words.

use std::{collections::HashMap, sync::LazyLock};

/// 0 if no word is rated.
pub fn compound(sentence: &str) -> f64 {
    let words: Vec<Word> = sentence.split_whitespace().map(Word::of).collect();
    let capitals = words.iter().filter(|it| it.is_upper).count();
    let mixes_capitals = 0 < capitals && capitals < words.len();
    let mut ratings: Vec<f64> = (0..words.len())
        .map(|at| rating(&words, at, mixes_capitals))
        .collect();
    weigh_around_but(&words, &mut ratings);
    let sum: f64 = ratings.iter().sum();
    let emphasis = emphasis(sentence);
    let sum = if sum > 0.0 {
        sum + emphasis
    } else if sum < 0.0 {
        sum - emphasis
    } else {
        sum
    };
    (sum / (sum * sum + 15.0).sqrt()).clamp(-1.0, 1.0)
}

const BOOST: f64 = 0.293;
const CAPITALS: f64 = 0.733;
const NEGATION: f64 = -0.74;

#[derive(Debug)]
struct Word {
    lower: String,
    is_upper: bool,
}

impl Word {
    fn of(token: &str) -> Self {
        let bare = token.trim_matches(|it: char| it.is_ascii_punctuation());
        let text = if bare.chars().count() <= 2 {
            token
        } else {
            bare
        };
        let lower = text.to_lowercase();
        let has_case = text.chars().any(char::is_uppercase);
        Self {
            is_upper: has_case && !text.chars().any(char::is_lowercase),
            lower,
        }
    }

    fn is(&self, other: &str) -> bool {
        self.lower == other
    }

    fn rated(&self) -> Option<f64> {
        LEXICON.get(self.lower.as_str()).copied()
    }

    fn boost(&self) -> Option<f64> {
        if BOOSTERS.contains(&self.lower.as_str()) {
            Some(BOOST)
        } else {
            DAMPENERS.contains(&self.lower.as_str()).then_some(-BOOST)
        }
    }

    fn negates(&self) -> bool {
        NEGATIONS.contains(&self.lower.as_str()) || self.lower.contains("n't")
    }
}

/// The rating of a word, modified by the words before it.
fn rating(words: &[Word], at: usize, mixes_capitals: bool) -> f64 {
    let word = &words[at];
    let before = |steps: usize| at.checked_sub(steps).map(|at| &words[at]);
    let is = |steps: usize, text: &str| before(steps).is_some_and(|it| it.is(text));
    let is_kind_of = word.is("kind") && words.get(at + 1).is_some_and(|it| it.is("of"));
    if word.boost().is_some() || is_kind_of {
        return 0.0;
    }
    let Some(plain) = word.rated() else {
        return 0.0;
    };
    let mut found = plain;
    if word.is("no") && words.get(at + 1).is_some_and(|it| it.rated().is_some()) {
        found = 0.0;
    }
    if is(1, "no") || is(2, "no") || (is(3, "no") && (is(1, "or") || is(1, "nor"))) {
        found = plain * NEGATION;
    }
    if word.is_upper && mixes_capitals {
        found += if found > 0.0 { CAPITALS } else { -CAPITALS };
    }
    for steps in 1..=3 {
        let Some(earlier) = before(steps).filter(|it| it.rated().is_none()) else {
            continue;
        };
        let fade = [1.0, 0.95, 0.9][steps - 1];
        found += boosted(earlier, found, mixes_capitals) * fade;
        found = negated(found, steps, earlier, is);
        if steps == 3 {
            found = idiom(words, at).unwrap_or(found) + long_boost(words, at);
        }
    }
    if is(1, "least") && !is(2, "at") && !is(2, "very") {
        found *= NEGATION;
    }
    found
}

fn boosted(word: &Word, rating: f64, mixes_capitals: bool) -> f64 {
    let Some(boost) = word.boost() else {
        return 0.0;
    };
    let boost = if rating < 0.0 { -boost } else { boost };
    match (word.is_upper && mixes_capitals, rating > 0.0) {
        (false, _) => boost,
        (true, true) => boost + CAPITALS,
        (true, false) => boost - CAPITALS,
    }
}

fn negated(rating: f64, steps: usize, word: &Word, is: impl Fn(usize, &str) -> bool) -> f64 {
    let so_or_this = |steps| is(steps, "so") || is(steps, "this");
    let (is_more, is_nothing) = match steps {
        2 => (
            is(2, "never") && so_or_this(1),
            is(2, "without") && is(1, "doubt"),
        ),
        3 => (
            (is(3, "never") && so_or_this(2)) || so_or_this(1),
            is(3, "without") && (is(2, "doubt") || is(1, "doubt")),
        ),
        _ => (false, false),
    };
    if is_more {
        rating * 1.25
    } else if !is_nothing && word.negates() {
        rating * NEGATION
    } else {
        rating
    }
}

const IDIOMS: [(&str, f64); 9] = [
    ("the shit", 3.0),
    ("the bomb", 3.0),
    ("bad ass", 1.5),
    ("badass", 1.5),
    ("bus stop", 0.0),
    ("yeah right", -2.0),
    ("kiss of death", -1.5),
    ("to die for", 3.0),
    ("beating heart", 3.5),
];

/// Idioms around a word with at least three words before it.
fn idiom(words: &[Word], at: usize) -> Option<f64> {
    let phrase = |from: usize, to: usize| {
        let texts: Vec<&str> = words
            .get(from..to)?
            .iter()
            .map(|it| it.lower.as_str())
            .collect();
        let joined = texts.join(" ");
        IDIOMS.iter().find(|it| it.0 == joined).map(|it| it.1)
    };
    let ahead = phrase(at, at + 3).or_else(|| phrase(at, at + 2));
    ahead.or_else(|| {
        let behind = [
            (at - 1, at + 1),
            (at - 2, at + 1),
            (at - 2, at),
            (at - 3, at),
            (at - 3, at - 1),
        ];
        behind.into_iter().find_map(|(from, to)| phrase(from, to))
    })
}

fn long_boost(words: &[Word], at: usize) -> f64 {
    let pair = |from: usize| (words[from].lower.as_str(), words[from + 1].lower.as_str());
    let is_degree = |pair| matches!(pair, ("just", "enough") | ("kind" | "sort", "of"));
    [at - 3, at - 2]
        .into_iter()
        .filter(|from| is_degree(pair(*from)))
        .map(|_| -BOOST)
        .sum()
}

/// Ratings before the first "but" weigh 0.5, those after it 1.5. Where two words have the same rating,
/// the first is weighted twice, as in the package.
fn weigh_around_but(words: &[Word], ratings: &mut [f64]) {
    let Some(but) = words.iter().position(|it| it.is("but")) else {
        return;
    };
    for at in 0..ratings.len() {
        let rating = ratings[at];
        let first = ratings
            .iter()
            .position(|it| it.to_bits() == rating.to_bits());
        let first = first.unwrap_or(at);
        if first < but {
            ratings[first] = rating * 0.5;
        } else if first > but {
            ratings[first] = rating * 1.5;
        }
    }
}

fn emphasis(sentence: &str) -> f64 {
    let count = |mark: char| u32::try_from(sentence.matches(mark).count()).unwrap_or(u32::MAX);
    let exclamations = f64::from(count('!').min(4)) * 0.292;
    let questions = match count('?') {
        0 | 1 => 0.0,
        few @ 2..=3 => f64::from(few) * 0.18,
        _ => 0.96,
    };
    exclamations + questions
}

static LEXICON: LazyLock<HashMap<&'static str, f64>> = LazyLock::new(|| {
    let rows = include_str!("lexicon.tsv").lines();
    rows.filter_map(|row| {
        let (word, rating) = row.split_once('\t')?;
        Some((word, rating.parse().ok()?))
    })
    .collect()
});

#[rustfmt::skip]
const NEGATIONS: [&str; 59] = [
    "aint", "arent", "cannot", "cant", "couldnt", "darent", "didnt", "doesnt", "ain't", "aren't", "can't", "couldn't",
    "daren't", "didn't", "doesn't", "dont", "hadnt", "hasnt", "havent", "isnt", "mightnt", "mustnt", "neither", "don't",
    "hadn't", "hasn't", "haven't", "isn't", "mightn't", "mustn't", "neednt", "needn't", "never", "none", "nope", "nor",
    "not", "nothing", "nowhere", "oughtnt", "shant", "shouldnt", "uhuh", "wasnt", "werent", "oughtn't", "shan't",
    "shouldn't", "uh-uh", "wasn't", "weren't", "without", "wont", "wouldnt", "won't", "wouldn't", "rarely", "seldom",
    "despite",
];
#[rustfmt::skip]
const BOOSTERS: [&str; 60] = [
    "absolutely", "amazingly", "awfully", "completely", "considerable", "considerably", "decidedly", "deeply", "effing",
    "enormous", "enormously", "entirely", "especially", "exceptional", "exceptionally", "extreme", "extremely",
    "fabulously", "flipping", "flippin", "frackin", "fracking", "fricking", "frickin", "frigging", "friggin", "fully",
    "fuckin", "fucking", "fuggin", "fugging", "greatly", "hella", "highly", "hugely", "incredible", "incredibly",
    "intensely", "major", "majorly", "more", "most", "particularly", "purely", "quite", "really", "remarkably", "so",
    "substantially", "thoroughly", "total", "totally", "tremendous", "tremendously", "uber", "unbelievably", "unusually",
    "utter", "utterly", "very",
];
#[rustfmt::skip]
const DAMPENERS: [&str; 21] = [
    "almost", "barely", "hardly", "kinda", "kindof", "kind-of", "less", "little", "marginal", "marginally", "occasional",
    "occasionally", "partly", "scarce", "scarcely", "slight", "slightly", "somewhat", "sorta", "sortof", "sort-of",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// vaderSentiment 3.3.2; `tests/oracles/ai_visibility.py` compares hundreds more.
    #[test]
    fn scores_are_those_of_the_python_package() {
        for (sentence, score) in [
            ("Acme is the best and most reliable option.", 0.6369),
            ("Acme has poor support and frequent outages.", -0.1027),
            ("Acme opened in 1921.", 0.0),
        ] {
            assert!((compound(sentence) - score).abs() < 1e-4, "{sentence}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_a_score(text in "\\PC{0,80}", words in "([a-z]{1,3}|no|but|least|so|kind of|the bomb|great|[!? ]){0,20}") {
            for text in [text, words] {
                let score = compound(&text);
                proptest::prop_assert!((-1.0..=1.0).contains(&score), "{}", score);
            }
        }
    }
}
