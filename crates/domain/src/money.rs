//! Money in millionths of a US dollar, so that sums are exact.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct MicroUsd(pub i64);

impl MicroUsd {
    /// ISO 4217 code.
    pub const CURRENCY: &'static str = "USD";
    pub const PER_UNIT: i64 = 1_000_000;

    /// Parses a decimal amount that is not negative, with at most six decimal places.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, places) = text.split_once('.').unwrap_or((text, "0"));
        let digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(places) || places.len() > 6 {
            return None;
        }
        let micros: i64 = format!("{places:0<6}").parse().ok()?;
        whole
            .parse::<i64>()
            .ok()?
            .checked_mul(1_000_000)?
            .checked_add(micros)
            .map(Self)
    }
}

impl fmt::Display for MicroUsd {
    /// Decimal string with two to six decimal places: `0.00`, `1.2345`.
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
    fn amounts_are_read_as_they_are_written() {
        assert_eq!(MicroUsd::parse("12.5"), Some(MicroUsd(12_500_000)));
        assert_eq!(MicroUsd::parse("25"), Some(MicroUsd(25_000_000)));
        assert_eq!(MicroUsd::parse("0.000001"), Some(MicroUsd(1)));
        for wrong in ["", "-1", "1.", ".5", "1e3", "1.0000001", "99999999999999"] {
            assert_eq!(MicroUsd::parse(wrong), None, "{wrong}");
        }
    }

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
