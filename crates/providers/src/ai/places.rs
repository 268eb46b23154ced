use domain::ports::ai_answers::AiQuestion;
use serde_json::{Value, json};

/// The place of the one who asks, as OpenAI and Anthropic take it.
pub(super) fn approximate(question: &AiQuestion) -> Value {
    let mut place = json!({"type": "approximate", "country": question.country.to_uppercase()});
    if let Some(city) = city(question) {
        place["city"] = json!(city);
    }
    place
}

/// The town of a place such as `Berlin,Berlin,Germany`.
pub(super) fn city(question: &AiQuestion) -> Option<&str> {
    let place = question.location.as_deref()?;
    let town = place.split(',').next().map(str::trim)?;
    (!town.is_empty()).then_some(town)
}
