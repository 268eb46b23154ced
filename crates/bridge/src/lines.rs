use crate::{envelope::Id, id_search::IdSearch};
use std::io;
use tokio::io::{AsyncBufRead, AsyncBufReadExt};

#[derive(Debug)]
pub(crate) enum Line {
    Whole(Vec<u8>),
    /// The line exceeds the limit. Holds its id if one could be read.
    TooLong(Option<Id>),
}

/// Reads lines. A partial line is kept here, so `next` is cancel-safe.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    max_bytes: usize,
    partial: Vec<u8>,
    too_long: Option<IdSearch>,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    pub(crate) const fn new(input: R, longest: usize) -> Self {
        Self {
            input,
            max_bytes: longest,
            partial: Vec::new(),
            too_long: None,
        }
    }

    /// The next line; `None` at the end. The last one needs no line feed.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let bytes = self.input.fill_buf().await?;
            if bytes.is_empty() {
                let has_begun = self.too_long.is_some() || !self.partial.is_empty();
                return Ok(has_begun.then(|| self.finish_line()));
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let used = part.len() + usize::from(end.is_some());
            if let Some(search) = &mut self.too_long {
                search.feed(part);
            } else {
                self.partial.extend_from_slice(part);
                // A trailing carriage return does not count toward the limit.
                if self
                    .partial
                    .strip_suffix(b"\r")
                    .unwrap_or(&self.partial)
                    .len()
                    > self.max_bytes
                {
                    let mut search = IdSearch::default();
                    search.feed(&self.partial);
                    self.partial = Vec::new();
                    self.too_long = Some(search);
                }
            }
            self.input.consume(used);
            if end.is_some() {
                return Ok(Some(self.finish_line()));
            }
        }
    }

    fn finish_line(&mut self) -> Line {
        match self.too_long.take() {
            Some(search) => Line::TooLong(search.found()),
            None => Line::Whole(std::mem::take(&mut self.partial)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::BufReader;

    async fn read(text: &str, longest: usize) -> Vec<String> {
        let input = BufReader::with_capacity(4, text.as_bytes());
        let mut lines = Lines::new(input, longest);
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            read.push(match line {
                Line::Whole(bytes) => String::from_utf8(bytes).unwrap(),
                Line::TooLong(id) => format!("too long: {:?}", id.map(|id| id.text().to_owned())),
            });
        }
        read
    }

    #[tokio::test]
    async fn lines_end_with_lf_or_end_of_input() {
        assert_eq!(
            read("abc\n\ndefghi\r\nj", 8).await,
            ["abc", "", "defghi\r", "j"]
        );
        assert_eq!(read("abc\n", 8).await, ["abc"]);
        assert!(read("", 8).await.is_empty());
    }

    #[tokio::test]
    async fn too_long_line_yields_its_id_and_reading_continues() {
        assert_eq!(
            read("{\"x\":\"yyyyyyy\",\"id\":12}\n{}\n123456789", 8).await,
            ["too long: Some(\"12\")", "{}", "too long: None"]
        );
        assert_eq!(read("12345678\r\n", 8).await, ["12345678\r"]);
    }
}
