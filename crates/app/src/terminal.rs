use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    fmt::Display,
    io::{self, ErrorKind, IsTerminal, Read, Write},
    sync::OnceLock,
};

/// Why something that was said could not be written; the first time.
static UNWRITTEN: OnceLock<io::Error> = OnceLock::new();

/// Prints a line on standard output. A reader that went away ends the output, not the program; any
/// other failure is told by [`all_is_said`].
pub fn say(line: impl Display) {
    heed(writeln!(io::stdout(), "{}", harmless(&line.to_string())));
}

pub fn say_all(text: &mut impl Read) {
    let mut out = io::stdout().lock();
    heed(io::copy(text, &mut out).and_then(|_| out.flush()));
}

fn heed(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _ = UNWRITTEN.set(error);
    }
}

/// Whether everything that was said could be written: a full disk must not look like success.
pub fn all_is_said() -> anyhow::Result<()> {
    match UNWRITTEN.get() {
        None => Ok(()),
        Some(error) => anyhow::bail!("standard output cannot be written: {error}"),
    }
}

pub fn remark(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{}", harmless(&line.to_string()));
}

pub fn show_table<Row: IntoIterator<Item = String>>(
    header: &[&str],
    rows: impl IntoIterator<Item = Row>,
) {
    let mut table = Table::new();
    table
        .load_preset(presets::UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic);
    if !std::io::stdout().is_terminal() {
        table.set_width(120);
    }
    table.set_header(header);
    let cell = |it: String| harmless(&it).replace(['\n', '\t'], " ");
    table.add_rows(rows.into_iter().map(|row| row.into_iter().map(cell)));
    // What things are called by has to be copied: it is never broken.
    if let Some(names) = table.column_mut(0) {
        names.set_constraint(ColumnConstraint::ContentWidth);
    }
    say(table);
}

/// A text that is safe to show: characters that move a cursor, set a title or turn the direction are escaped (`\u{1b}`).
pub fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        let is_turning = matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        );
        let is_moving = character.is_control() && !matches!(character, '\n' | '\t');
        if is_turning || is_moving {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// A progress bar on standard error; silent when that is no terminal.
pub fn progress_bar(label: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style =
        ProgressStyle::with_template("{prefix:<28} {wide_bar:.cyan/blue} {pos:>6}/{len:<6} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_prefix(label.to_owned());
    bar
}

/// Shortens text for a column, in characters.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_site_says_moves_no_cursor_and_turns_no_text() {
        assert_eq!(
            harmless("a\u{1b}]0;owned\u{7}\tb\nc\u{202e}d\u{9b}1;1H"),
            "a\\u{1b}]0;owned\\u{7}\tb\nc\\u{202e}d\\u{9b}1;1H"
        );
        assert_eq!(harmless("Žluťoučký 日本 🙂"), "Žluťoučký 日本 🙂");
    }
}
