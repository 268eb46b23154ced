use super::*;
use proptest::prelude::*;

fn counts(words: &[&str], language: Language) -> Vec<usize> {
    words.iter().map(|it| count(it, language)).collect()
}
