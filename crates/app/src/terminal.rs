//! What a person sees in the terminal: lines, tables and progress bars.

use comfy_table::{ContentArrangement, Table, presets};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    fmt::Display,
    io::{IsTerminal, Write},
};

/// Prints a line on standard output. A reader that went away ends the output, not the program.
pub fn say(line: impl Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Prints a line on standard error: what is not the command's answer.
pub fn remark(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints a table.
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
    table.add_rows(rows);
    say(table);
}

/// A progress bar on standard error; silent when that is no terminal.
#[must_use]
pub fn progress_bar(label: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style =
        ProgressStyle::with_template("{prefix:<28} {wide_bar:.cyan/blue} {pos:>6}/{len:<6} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_prefix(label.to_owned());
    bar
}

/// Shortens text for a column, in characters.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}
