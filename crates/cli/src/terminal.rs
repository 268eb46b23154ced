pub use app::stderr::{eprint_line, escape_controls};

use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Display;
use std::io;
use std::io::{ErrorKind, IsTerminal, Read, Write};
use std::sync::OnceLock;

/// The first write failure.
static OUTPUT_FAILURE: OnceLock<io::Error> = OnceLock::new();

/// Prints a line. A closed pipe ends the output; [`check_output`] reports other failures.
pub fn print_line(line: impl Display) {
    note_failure(writeln!(
        io::stdout(),
        "{}",
        escape_controls(&line.to_string())
    ));
}

pub fn print_all(text: &mut impl Read) {
    let mut out = io::stdout().lock();
    note_failure(io::copy(text, &mut out).and_then(|_| out.flush()));
}

fn note_failure(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _ = OUTPUT_FAILURE.set(error);
    }
}

/// Fails if output was lost: a full disk must not look like success.
pub fn check_output() -> anyhow::Result<()> {
    match OUTPUT_FAILURE.get() {
        None => Ok(()),
        Some(error) => anyhow::bail!("cannot write standard output: {error}"),
    }
}

pub fn print_table<Row: IntoIterator<Item = String>>(
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
    let cell = |it: String| escape_controls(&it).replace(['\n', '\t'], " ");
    table.add_rows(rows.into_iter().map(|row| row.into_iter().map(cell)));
    // Ids are copied, so the first column never wraps.
    if let Some(names) = table.column_mut(0) {
        names.set_constraint(ColumnConstraint::ContentWidth);
    }
    print_line(table);
}

/// A progress bar on standard error; silent without a terminal.
pub fn progress_bar(label: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style =
        ProgressStyle::with_template("{prefix:<28} {wide_bar:.cyan/blue} {pos:>6}/{len:<6} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_prefix(label.to_owned());
    bar
}

/// In characters.
pub fn truncate(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    let kept: String = text.chars().take(max_chars.saturating_sub(1)).collect();
    format!("{kept}…")
}
