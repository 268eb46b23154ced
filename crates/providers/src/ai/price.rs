/// In millionths of a US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_field_names, reason = "each is per something else")]
pub struct TokenPrices {
    pub per_million_input: u64,
    pub per_million_output: u64,
    pub per_search: u64,
    pub per_request: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TokenUsage {
    pub input: u64,
    pub output: u64,
    pub searches: u64,
}

impl TokenPrices {
    /// Cost, rounded up.
    pub(super) fn cost(&self, taken: TokenUsage) -> u64 {
        let tokens = |count: u64, price: u64| u128::from(count) * u128::from(price);
        let micros = tokens(taken.input, self.per_million_input)
            + tokens(taken.output, self.per_million_output);
        let micros = u64::try_from(micros.div_ceil(1_000_000)).unwrap_or(u64::MAX);
        micros
            .saturating_add(taken.searches.saturating_mul(self.per_search))
            .saturating_add(self.per_request)
    }

    pub(super) fn is_free(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_adds_tokens_searches_and_calls_and_rounds_up() {
        let prices = TokenPrices {
            per_million_input: 2_000_000,
            per_million_output: 10_000_000,
            per_search: 10_000,
            per_request: 5,
        };
        let taken = |input, output, searches| TokenUsage {
            input,
            output,
            searches,
        };
        assert_eq!(prices.cost(taken(0, 0, 0)), 5);
        assert_eq!(
            prices.cost(taken(9_001, 412, 2)),
            18_002 + 4_120 + 20_000 + 5
        );
        assert_eq!(prices.cost(taken(u64::MAX, 0, u64::MAX)), u64::MAX);
        let cheap = TokenPrices {
            per_million_input: 1,
            ..TokenPrices::default()
        };
        assert_eq!(cheap.cost(taken(1, 0, 0)), 1);
        assert!(TokenPrices::default().is_free() && !cheap.is_free());
    }
}
