use chrono::TimeDelta;
use domain::{ports::search_results::ProviderError, use_cases::end_attempt::AttemptError};

pub(crate) fn retry_delay(error: &ProviderError) -> Option<TimeDelta> {
    match error {
        ProviderError::RateLimited {
            retry_after: Some(wait),
        } => TimeDelta::from_std(*wait).ok(),
        _ => None,
    }
}

pub(crate) fn attempt_error(error: &ProviderError) -> AttemptError {
    let hint = match error {
        ProviderError::Unauthorized => {
            "Ask the operator to check the supplier's credentials (`sightline doctor`)."
        }
        ProviderError::OutOfFunds => "Ask the operator to top up the supplier's account.",
        ProviderError::JobBudgetReached => {
            "Start the analysis again: its maximum cost is reserved again, within the month's budget."
        }
        ProviderError::PaidCallRefused(unpaid) => unpaid.hint(),
        _ => "Nothing has to be done: it is retried automatically.",
    };
    AttemptError {
        code: error.code().to_owned(),
        detail: sentence(error),
        hint: Some(hint.to_owned()),
    }
}

pub(crate) fn sentence(error: &ProviderError) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string())
        .unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
