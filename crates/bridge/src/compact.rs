/// Removes white space between the tokens of valid JSON; strings and the spelling of numbers are kept.
pub(crate) fn compact(json: &str) -> String {
    let mut line = String::with_capacity(json.len());
    let mut in_string = false;
    let mut is_escaped = false;
    for character in json.chars() {
        if in_string {
            in_string = is_escaped || character != '"';
            is_escaped = !is_escaped && character == '\\';
        } else if matches!(character, ' ' | '\t' | '\n' | '\r') {
            continue;
        } else {
            in_string = character == '"';
        }
        line.push(character);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn strings_and_numbers_are_unchanged() {
        assert_eq!(
            compact("{\r\n \"a b\" : [ 1.0e5 ,\t\"x \\\" y\\\\\" , \"\" ]\n}"),
            "{\"a b\":[1.0e5,\"x \\\" y\\\\\",\"\"]}"
        );
    }

    proptest! {
        #[test]
        fn compacted_json_is_one_line_and_equivalent(key in ".*", text in ".*", number in any::<f64>()) {
            let value = serde_json::json!({ key: [text, number], "more": {} });
            let line = compact(&serde_json::to_string_pretty(&value).unwrap());
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(line, value.to_string());
        }
    }
}
