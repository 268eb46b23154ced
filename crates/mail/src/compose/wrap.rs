use unicode_width::UnicodeWidthChar;

/// Columns of a line of text.
pub const COLUMNS: usize = 72;

/// Breaks a text of one line at its spaces, and words that are longer than a line. The lines after the first are indented.
pub fn wrap(text: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let width = word.chars().map(columns).sum::<usize>();
        if column > indent.len() {
            let fits = column + 1 + width <= COLUMNS;
            out.push_str(if fits { " " } else { "\n" });
            column = if fits { column + 1 } else { 0 };
        }
        for char in word.chars() {
            if column > 0 && column + columns(char) > COLUMNS {
                out.push('\n');
                column = 0;
            }
            if column == 0 && !out.is_empty() {
                out.push_str(indent);
                column = indent.len();
            }
            out.push(char);
            column += columns(char);
        }
    }
    out
}

fn columns(char: char) -> usize {
    char.width().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_within_long_words() {
        let text = format!("{} bb {} c", "a".repeat(70), "d".repeat(80));
        let lines = [
            "a".repeat(70),
            "  bb".to_owned(),
            format!("  {}", "d".repeat(70)),
            format!("  {} c", "d".repeat(10)),
        ];
        assert_eq!(wrap(&text, "  "), lines.join("\n"));
        assert_eq!(wrap(" a  b ", ""), "a b");
        assert_eq!(wrap("", "  "), "");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let wrapped = wrap(&"\u{6f22}".repeat(40), "");
        let lines: Vec<usize> = wrapped.lines().map(|it| it.chars().count()).collect();
        assert_eq!(lines, [36, 4]);
    }
}
