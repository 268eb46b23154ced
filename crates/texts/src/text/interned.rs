//! String interning: texts as numbers, stored in one string to save memory.

use hashbrown::HashTable;
use std::hash::{BuildHasher, RandomState};

/// Numbers are assigned in order of first use.
#[derive(Debug, Clone, Default)]
pub struct Interned {
    texts: String,
    /// End in `texts`, by number.
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    hasher: RandomState,
}

impl Interned {
    pub fn id(&mut self, text: &str) -> u32 {
        let Self {
            texts,
            ends,
            numbers,
            hasher,
        } = self;
        let entry = numbers.entry(
            hasher.hash_one(text),
            |it| of(texts, ends, *it) == text,
            |it| hasher.hash_one(of(texts, ends, *it)),
        );
        // Never reached: 2^32 texts do not fit into memory.
        let next = u32::try_from(ends.len()).unwrap_or(u32::MAX);
        let number = *entry.or_insert(next).get();
        if number == next {
            texts.push_str(text);
            ends.push(texts.len());
        }
        number
    }

    pub fn known(&self, text: &str) -> Option<u32> {
        let is_it = |it: &u32| self.text(*it) == text;
        self.numbers
            .find(self.hasher.hash_one(text), is_it)
            .copied()
    }

    /// Empty for an unknown number.
    pub fn text(&self, number: u32) -> &str {
        of(&self.texts, &self.ends, number)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Numbers sorted by text.
    pub fn sorted(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..).take(self.len()).collect();
        numbers.sort_unstable_by(|one, other| self.text(*one).cmp(self.text(*other)));
        numbers
    }
}

fn of<'a>(texts: &'a str, ends: &[usize], number: u32) -> &'a str {
    let number = number as usize;
    let start = number.checked_sub(1).and_then(|it| ends.get(it));
    let end = ends.get(number).copied().unwrap_or_default();
    texts
        .get(start.copied().unwrap_or_default()..end)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn a_text_has_one_number_and_a_number_one_text(texts in proptest::collection::vec("[a-cä]{0,3}", 0..200)) {
            let (mut interned, mut expected) = (Interned::default(), HashMap::new());
            for text in &texts {
                let next = u32::try_from(expected.len()).unwrap();
                let number = *expected.entry(text).or_insert(next);
                prop_assert_eq!(interned.id(text), number);
            }
            prop_assert_eq!(interned.len(), expected.len());
            for (text, number) in &expected {
                prop_assert_eq!(interned.text(*number), text.as_str());
                prop_assert_eq!(interned.known(text), Some(*number));
            }
            prop_assert_eq!(interned.known("never met"), None);
            prop_assert_eq!(interned.text(u32::MAX), "");
            let in_order: Vec<&str> = interned.sorted().into_iter().map(|it| interned.text(it)).collect();
            prop_assert!(in_order.is_sorted());
        }
    }
}
