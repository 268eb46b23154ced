//! Server-sent events: bytes to the data of each event.

#[derive(Debug)]
pub(crate) struct EventStream {
    max_bytes: usize,
    line: Vec<u8>,
    data: Vec<u8>,
    is_message: bool,
    after_return: bool,
    is_first_line: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

impl EventStream {
    /// `longest`: maximum bytes of an event.
    pub(crate) const fn new(longest: usize) -> Self {
        Self {
            max_bytes: longest,
            line: Vec::new(),
            data: Vec::new(),
            is_message: true,
            after_return: false,
            is_first_line: true,
        }
    }

    /// Returns the data of the events that end in these bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, TooLong> {
        let mut events = Vec::new();
        for byte in bytes {
            // A line ends with CR, LF, or both.
            let is_second_half = self.after_return && *byte == b'\n';
            self.after_return = *byte == b'\r';
            match byte {
                _ if is_second_half => {}
                b'\r' | b'\n' => events.extend(self.end_line()),
                _ => {
                    self.line.push(*byte);
                    if self.line.len() + self.data.len() > self.max_bytes {
                        return Err(TooLong);
                    }
                }
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_first_line) && line.starts_with("\u{feff}".as_bytes()) {
            line.drain(.."\u{feff}".len());
        }
        if line.is_empty() {
            return self.end_event();
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (field, value) = line.split_at(colon.unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                // Leading empty lines are dropped: the data is JSON.
                if !self.data.is_empty() {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => self.is_message = matches!(value, b"" | b"message"),
            // Heartbeats, `id` and `retry` are ignored.
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<Vec<u8>> {
        let is_message = std::mem::replace(&mut self.is_message, true);
        let data = std::mem::take(&mut self.data);
        (is_message && !data.is_empty()).then_some(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str, at_once: usize) -> Vec<String> {
        let mut stream = EventStream::new(1000);
        let mut events = Vec::new();
        for part in text.as_bytes().chunks(at_once) {
            events.extend(stream.feed(part).unwrap());
        }
        let text = |data| String::from_utf8(data).unwrap();
        events.into_iter().map(text).collect()
    }

    #[test]
    fn events_do_not_depend_on_chunk_size() {
        for (text, expected) in [
            ("data: {}\n\n", &["{}"][..]),
            ("data:a\r\ndata:  b\r\n\r\ndata: c\r\r", &["a\n b", "c"]),
            (
                ": alive\n\nevent: message\nid: 4\ndata: ž\n\nretry: 10\n\n",
                &["ž"],
            ),
            (
                "event: ping\ndata: x\n\ndata: y\n\ndata\n\ndata:\n\n",
                &["y"],
            ),
            ("\u{feff}data: a\n\ndata: cut off", &["a"]),
        ] {
            for at_once in [1, 2, 3, 1000] {
                assert_eq!(events(text, at_once), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn too_long_event_is_refused() {
        let mut stream = EventStream::new(10);
        assert!(stream.feed(b"data:1234\n\n").is_ok());
        assert!(stream.feed(b"data:1234\ndata:").is_ok());
        assert_eq!(stream.feed(b"56"), Err(TooLong));
        assert_eq!(EventStream::new(3).feed(b":abc"), Err(TooLong));
    }
}
