//! Deterministic, unguided mutations of seeds.

use crate::SeededRandom;

/// Longer inputs find little and take long.
const MAX_INPUT_BYTES: usize = 16 * 1024;
/// Fragments that parsers often mishandle.
const AWKWARD: [&[u8]; 12] = [
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xae",
    b"\r",
    b"\r\n",
    b"%",
    b"&#0;",
    b"-",
    b"99999999999999999999",
    b"1e400",
    b"\\u0000",
];

/// Generates inputs from seeds.
pub struct Mutator {
    chance: SeededRandom,
    seeds: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
}

impl Mutator {
    /// The name seeds the generator.
    #[must_use]
    pub fn new(name: &str, seeds: Vec<Vec<u8>>, mut words: Vec<Vec<u8>>) -> Self {
        words.extend(AWKWARD.map(<[u8]>::to_vec));
        Self {
            chance: SeededRandom::from_bytes(name.as_bytes()),
            seeds,
            words,
        }
    }

    /// A seed with one to eight mutations.
    pub fn next_input(&mut self) -> Vec<u8> {
        let mut input = self.seed();
        for _ in 0..=self.chance.below(8) {
            self.mutate(&mut input);
        }
        input.truncate(MAX_INPUT_BYTES);
        input
    }

    fn seed(&mut self) -> Vec<u8> {
        let chosen = self.chance.below(self.seeds.len());
        self.seeds.get(chosen).cloned().unwrap_or_default()
    }

    fn mutate(&mut self, input: &mut Vec<u8>) {
        let chance = &mut self.chance;
        let (one, other) = (chance.below(input.len() + 1), chance.below(input.len() + 1));
        let range = one.min(other)..one.max(other).min(one.min(other) + 1 + chance.below(64));
        match chance.below(7) {
            0 if one < input.len() => input[one] ^= 1 << chance.below(8),
            1 if one < input.len() => input[one] = chance.byte(),
            2 => drop(input.drain(range)),
            3 => {
                let copied = input[range].to_vec();
                drop(input.splice(one..one, copied));
            }
            4 => {
                let seed = self.seed();
                let from = self.chance.below(seed.len() + 1);
                input.truncate(one);
                input.extend(&seed[from..]);
            }
            _ => {
                let word = chance.below(self.words.len());
                let word = self.words[word].clone();
                drop(input.splice(one..one, word));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutations_are_deterministic() {
        let drawn = || {
            let mut mutator = Mutator::new("x", vec![b"{\"a\":1}".to_vec()], vec![]);
            (0..100).map(|_| mutator.next_input()).collect::<Vec<_>>()
        };
        let inputs = drawn();
        assert_eq!(inputs, drawn());
        assert!(inputs.iter().any(|it| *it != inputs[0]));
    }
}
