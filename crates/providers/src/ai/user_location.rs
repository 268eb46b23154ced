use domain::ports::ai_answers::AiQuery;
use serde_json::{Value, json};

/// The user's location in the format of OpenAI and Anthropic.
pub(super) fn approximate_location(question: &AiQuery) -> Value {
    let mut place = json!({"type": "approximate", "country": question.country.to_uppercase()});
    if let Some(city) = city(question) {
        place["city"] = json!(city);
    }
    place
}

/// First part of a location such as `Berlin,Berlin,Germany`.
pub(super) fn city(question: &AiQuery) -> Option<&str> {
    let place = question.location.as_deref()?;
    let town = place.split(',').next().map(str::trim)?;
    (!town.is_empty()).then_some(town)
}
