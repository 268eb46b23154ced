//! String interning: texts as numbers, stored in one string to save memory.

use hashbrown::HashTable;
use std::hash::{BuildHasher, RandomState};

/// Numbers are assigned in order of first use.
#[derive(Debug, Clone, Default)]
pub struct Interner {
    texts: String,
    /// End in `texts`, by number.
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    hasher: RandomState,
}

impl Interner {
    pub fn intern(&mut self, text: &str) -> u32 {
        let Self {
            texts,
            ends,
            numbers,
            hasher,
        } = self;
        let entry = numbers.entry(
            hasher.hash_one(text),
            |it| slice(texts, ends, *it) == text,
            |it| hasher.hash_one(slice(texts, ends, *it)),
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

    pub fn get(&self, text: &str) -> Option<u32> {
        let is_it = |it: &u32| self.text(*it) == text;
        self.numbers
            .find(self.hasher.hash_one(text), is_it)
            .copied()
    }

    /// Empty for an unknown number.
    pub fn text(&self, number: u32) -> &str {
        slice(&self.texts, &self.ends, number)
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

fn slice<'a>(texts: &'a str, ends: &[usize], number: u32) -> &'a str {
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
        fn texts_and_numbers_map_one_to_one(texts in proptest::collection::vec("[a-cä]{0,3}", 0..200)) {
            let (mut interned, mut expected) = (Interner::default(), HashMap::new());
            for text in &texts {
                let next = u32::try_from(expected.len()).unwrap();
                let number = *expected.entry(text).or_insert(next);
                prop_assert_eq!(interned.intern(text), number);
            }
            prop_assert_eq!(interned.len(), expected.len());
            for (text, number) in &expected {
                prop_assert_eq!(interned.text(*number), text.as_str());
                prop_assert_eq!(interned.get(text), Some(*number));
            }
            prop_assert_eq!(interned.get("never met"), None);
            prop_assert_eq!(interned.text(u32::MAX), "");
            let in_order: Vec<&str> = interned.sorted().into_iter().map(|it| interned.text(it)).collect();
            prop_assert!(in_order.is_sorted());
        }
    }
}
