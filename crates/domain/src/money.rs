//! Money, in millionths of a US dollar, so that sums are exact.

use std::fmt;

/// An amount of US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct MicroUsd(pub i64);

impl MicroUsd {
    /// The currency, as ISO 4217 names it.
    pub const CURRENCY: &'static str = "USD";
}

impl fmt::Display for MicroUsd {
    /// A decimal string with at least two and at most six places: `0.00`, `1.2345`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let micros = self.0.unsigned_abs();
        let places = format!("{:06}", micros % 1_000_000);
        let kept = places.trim_end_matches('0').len().max(2);
        write!(f, "{sign}{}.{}", micros / 1_000_000, &places[..kept])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact_decimal_strings() {
        for (micros, text) in [
            (0, "0.00"),
            (600, "0.0006"),
            (1_234_500, "1.2345"),
            (2_000_000, "2.00"),
            (-10_000, "-0.01"),
        ] {
            assert_eq!(MicroUsd(micros).to_string(), text);
        }
    }
}
