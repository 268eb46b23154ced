//! CSV tables with commas, semicolons, tabs or bars.

use super::{export_error, text::decode_text};
use csv_core::{ReadRecordResult, ReaderBuilder};
use domain::ports::search_console::ExportError;

const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];
const MAX_LINES: usize = 1_000_000;
const MAX_CELLS: usize = 64;

/// In bytes.
const MAX_LINE_LENGTH: usize = 1024 * 1024;

pub(super) struct Table {
    pub name: String,
    pub titles: Vec<String>,
    pub lines: Vec<(u64, Record)>,
}

/// Cells of a line, trimmed.
pub(super) struct Record(Vec<String>);

impl Record {
    pub fn get(&self, column: usize) -> &str {
        self.0.get(column).map_or("", String::as_str)
    }
}

impl Table {
    pub fn of(name: &str, bytes: &[u8]) -> Result<Self, ExportError> {
        let text = decode_text(name, bytes)?;
        let (declared, text, skipped) = declared_separator(&text);
        let separator = declared.unwrap_or_else(|| guess_separator(text));
        let too_large = || {
            export_error(
                name,
                "it is larger than an export of the performance report can be",
                "Export shorter periods and import them one after the other.",
            )
        };
        let mut lines = Vec::new();
        let mut records = Records::new(text, separator);
        while let Some((line, record)) = records.next().map_err(|()| too_large())? {
            if lines.len() >= MAX_LINES {
                return Err(too_large());
            }
            if record.0.iter().any(|it| !it.is_empty()) {
                lines.push((line + skipped, record));
            }
        }
        if lines.is_empty() {
            return Err(export_error(
                name,
                "it is empty",
                "Export the performance report as CSV.",
            ));
        }
        let (_, Record(titles)) = lines.remove(0);
        let table = Self {
            name: name.to_owned(),
            titles,
            lines,
        };
        table.check_widths()?;
        Ok(table)
    }

    fn check_widths(&self) -> Result<(), ExportError> {
        let wanted = self.titles.len();
        let odd = self
            .lines
            .iter()
            .find(|(_, record)| record.0.len() != wanted);
        match odd {
            None => Ok(()),
            Some((line, record)) => Err(ExportError {
                line: Some(*line),
                ..export_error(
                    &self.name,
                    &format!(
                        "it has {} cells, and the titles are {wanted}",
                        record.0.len()
                    ),
                    "Export it again; if it was edited, put cells that contain the separator between quotation marks.",
                )
            }),
        }
    }

    pub fn cell_error(&self, line: u64, column: usize, reason: &str, remedy: &str) -> ExportError {
        let title = self.titles.get(column).map_or("", String::as_str);
        let shown: String = title.chars().take(40).collect();
        ExportError {
            line: Some(line),
            column: Some(format!("{} (“{shown}”)", column + 1)),
            ..export_error(&self.name, reason, remedy)
        }
    }
}

/// Excel's first line `sep=;`: the separator, the remaining text, and the number of lines skipped.
fn declared_separator(text: &str) -> (Option<u8>, &str, u64) {
    let Some(rest) = text
        .strip_prefix("sep=")
        .or_else(|| text.strip_prefix("SEP="))
    else {
        return (None, text, 0);
    };
    let declared = rest.bytes().next().filter(|it| SEPARATORS.contains(it));
    let end = rest.find('\n').map_or(rest.len(), |it| it + 1);
    (declared, &rest[end..], 1)
}

/// The most frequent separator outside quotes in the first line that holds any.
fn guess_separator(text: &str) -> u8 {
    let mut counts = [0_usize; SEPARATORS.len()];
    let mut is_quoted = false;
    for byte in text.bytes() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' | b'\r' if !is_quoted && counts.iter().any(|it| *it > 0) => break,
            _ if !is_quoted => {
                if let Some(place) = SEPARATORS.iter().position(|it| *it == byte) {
                    counts[place] += 1;
                }
            }
            _ => {}
        }
    }
    // Ties: the first.
    let max_count = counts.iter().copied().max().unwrap_or(0);
    let place = counts.iter().position(|it| *it == max_count).unwrap_or(0);
    SEPARATORS[place]
}

struct Records<'t> {
    reader: csv_core::Reader,
    left: &'t [u8],
    line: u64,
    cells: Vec<u8>,
    ends: [usize; MAX_CELLS + 1],
}

impl<'t> Records<'t> {
    fn new(text: &'t str, separator: u8) -> Self {
        Self {
            reader: ReaderBuilder::new().delimiter(separator).build(),
            left: text.as_bytes(),
            line: 1,
            cells: vec![0; 4 * 1024],
            ends: [0; MAX_CELLS + 1],
        }
    }

    /// The next record and its line number; an error if it is too long.
    fn next(&mut self) -> Result<Option<(u64, Record)>, ()> {
        let blank = self
            .left
            .iter()
            .take_while(|it| matches!(it, b'\r' | b'\n'));
        self.advance(blank.count());
        let begins = self.line;
        let (mut filled, mut ended) = (0, 0);
        loop {
            let (result, read, written, cells) = self.reader.read_record(
                self.left,
                &mut self.cells[filled..],
                &mut self.ends[ended..],
            );
            self.advance(read);
            filled += written;
            ended += cells;
            match result {
                // End of input: the next call flushes the reader.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if self.cells.len() < MAX_LINE_LENGTH => {
                    self.cells.resize(self.cells.len() * 2, 0);
                }
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => return Err(()),
                ReadRecordResult::Record => return Ok(Some((begins, self.record(ended)))),
                ReadRecordResult::End => return Ok(None),
            }
        }
    }

    fn record(&self, ended: usize) -> Record {
        let ends = &self.ends[..ended];
        let begins = std::iter::once(0).chain(ends.iter().copied());
        let cells = begins.zip(ends).map(|(begin, end)| {
            let cell = String::from_utf8_lossy(&self.cells[begin..*end]);
            cell.trim().to_owned()
        });
        Record(cells.collect())
    }

    fn advance(&mut self, bytes: usize) {
        let (passed, left) = self.left.split_at(bytes);
        let next = passed.iter().skip(1).chain(left.first()).map(Some);
        let next = next.chain(std::iter::once(None));
        let breaks = passed.iter().zip(next).filter(|(here, next)| {
            // A lone carriage return ends a line too.
            **here == b'\n' || **here == b'\r' && *next != Some(&b'\n')
        });
        self.line += breaks.count() as u64;
        self.left = left;
    }
}
