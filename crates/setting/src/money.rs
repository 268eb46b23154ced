use crate::{Mistakes, Setting};
use serde::{Deserialize, Serialize};

/// US dollars from `MIN_MICROS` (in millionths) to `MAX` (in dollars).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Usd<const MIN_MICROS: u32, const MAX: u32>(pub f64);

/// A price above zero. The minimum is the smallest amount that is counted: a smaller one would pass every cap.
pub type Price = Usd<1, 1_000>;
/// A price that may be zero.
pub type Cost = Usd<0, 1_000>;
/// A spending limit.
pub type Cap = Usd<0, 1_000_000>;

const MICROS: f64 = 1_000_000.0;

impl<const MIN_MICROS: u32, const MAX: u32> Usd<MIN_MICROS, MAX> {
    /// In millionths of a US dollar.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an amount within the bounds is small and not negative"
    )]
    pub fn micros(self) -> u64 {
        (self.0.max(0.0) * MICROS).round() as u64
    }
}

impl<const MIN_MICROS: u32, const MAX: u32> Setting for Usd<MIN_MICROS, MAX> {
    fn check(&self, key: &str, mistakes: &mut Mistakes) {
        let range = f64::from(MIN_MICROS) / MICROS..=f64::from(MAX);
        mistakes.within(key, self.0, &range, " US dollars");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(setting: &impl Setting) -> Option<String> {
        let mut mistakes = Mistakes::default();
        setting.check("a.price", &mut mistakes);
        mistakes
            .0
            .pop()
            .map(|it| format!("{}; {}", it.allowed, it.value))
    }

    #[test]
    fn amounts_are_in_micro_dollars_and_bounded() {
        assert_eq!(Usd::<0, 1>(0.000_001_4).micros(), 1);
        assert_eq!(Usd::<1, 1_000>(0.025).micros(), 25_000);
        assert_eq!(Usd::<0, 1_000>(-1.0).micros(), 0);
        assert_eq!(refused(&Usd::<1, 1_000>(0.000_001)), None);
        let free = refused(&Usd::<1, 1_000>(0.0)).unwrap();
        assert_eq!(free, "0.000001 to 1000 US dollars; 0");
        let cap = refused(&Some(Usd::<0, 1_000_000>(-1.0))).unwrap();
        assert_eq!(cap, "0 to 1000000 US dollars; -1");
        assert!(refused(&Usd::<0, 1_000>(f64::NAN)).is_some());
    }
}
