//! Repairs common mistakes in JSON: line breaks in strings, trailing semicolons and commas.

pub fn repair(text: &str) -> String {
    let text = text.trim_end_matches(';');
    let mut out = String::with_capacity(text.len());
    let (mut in_text, mut escaped) = (false, false);
    for character in text.chars() {
        if in_text {
            in_text = escaped || character != '"';
            escaped = character == '\\' && !escaped;
            out.push(if character.is_control() {
                ' '
            } else {
                character
            });
            continue;
        }
        if matches!(character, '}' | ']') {
            let end = out.trim_end().trim_end_matches(',').len();
            out.truncate(end);
        }
        in_text = character == '"';
        out.push(character);
    }
    out
}
