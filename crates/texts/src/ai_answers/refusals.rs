//! Detects refusals to answer.

use super::folded::fold;

/// Longer texts are answers.
const MAX_CHARACTERS: usize = 400;

/// Openings of refusals, folded. Our list.
#[rustfmt::skip]
const BEGINNINGS: [&str; 35] = [
    "i'm sorry, but i can't", "i'm sorry, but i cannot", "i am sorry, but i can", "sorry, but i can't", "sorry, i can't", "i can't help with", "i cannot help with",
    "i can't assist", "i cannot assist", "i'm unable to", "i am unable to", "i'm not able to", "i am not able to",
    "as an ai language model, i can't", "es tut mir leid, aber ich kann", "tut mir leid, aber ich kann", "ich kann dabei nicht helfen",
    "leider kann ich", "je suis desole, mais je ne peux", "desole, mais je ne peux", "je ne peux pas", "lo siento, pero no puedo",
    "no puedo ayudar", "mi dispiace, ma non posso", "non posso aiutar", "het spijt me, maar ik kan", "ik kan je daar niet",
    "przykro mi, ale nie moge", "nie moge pomoc", "omlouvam se, ale nemohu", "bohuzel vam nemohu", "lutujem, ale nemozem",
    "ospravedlnujem sa, ale nemozem", "sajnalom, de nem", "sajnos nem tudok",
];

pub(super) fn is_refusal(text: &str) -> bool {
    let trimmed = text.trim();
    if trimmed.chars().nth(MAX_CHARACTERS).is_some() {
        return false;
    }
    let folded = fold(trimmed);
    BEGINNINGS.iter().any(|it| folded.starts_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_texts_are_refusals() {
        assert!(is_refusal("I’m sorry, but I can’t help with that."));
        assert!(is_refusal("Omlouvám se, ale nemohu na to odpovědět."));
        assert!(!is_refusal(
            "Sorry to hear that your desk broke. Acme repairs it."
        ));
        let long = format!(
            "I cannot help with prices, but {}",
            "here is a list of shops ".repeat(30)
        );
        assert!(!is_refusal(&long));
    }
}
