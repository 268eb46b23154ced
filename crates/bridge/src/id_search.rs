//! Finds the id of a message that is too long to keep: its sender waits for a response.

use crate::envelope::Id;

const MAX_TOKEN_BYTES: usize = 256;

/// Scans a message byte by byte. Only tokens of the outermost object are kept, one at a time.
#[derive(Debug, Default)]
pub(crate) struct IdSearch {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    token: Vec<u8>,
    is_id: bool,
    found: Option<Id>,
}

impl IdSearch {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    pub(crate) fn found(self) -> Option<Id> {
        self.found
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            self.in_string = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            return self.keep(byte);
        }
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b'{' | b'[' => {
                // A token that begins with a nested object or array is not an id.
                self.keep(byte);
                self.depth += 1;
            }
            b':' if self.depth == 1 => {
                self.is_id = self.token == b"\"id\"";
                self.token.clear();
            }
            b',' | b'}' if self.depth == 1 => {
                if self.is_id && self.found.is_none() {
                    let token = std::str::from_utf8(&self.token).ok();
                    self.found = token.and_then(Id::read);
                }
                self.is_id = false;
                self.token.clear();
                self.depth -= usize::from(byte == b'}');
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {
                self.in_string = byte == b'"';
                self.keep(byte);
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        // One byte above the limit: a truncated token does not parse as an id.
        if self.depth == 1 && self.token.len() <= MAX_TOKEN_BYTES {
            self.token.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<String> {
        let mut search = IdSearch::default();
        for part in text.as_bytes().chunks(3) {
            search.feed(part);
        }
        search.found().map(|id| id.text().to_owned())
    }

    #[test]
    fn id_is_found_at_any_place_of_the_outermost_object() {
        for (text, id) in [
            ("{\"id\":7,\"params\":{", Some("7")),
            ("{ \"id\" : \"a,b}\" }", Some("\"a,b}\"")),
            (
                "{\"params\":{\"id\":1,\"x\":[{\"id\":2}]},\"id\":3}",
                Some("3"),
            ),
            (
                "{\"a\":\"\\\"id\\\":1,\",\"jsonrpc\":\"2.0\",\"id\":-4}",
                Some("-4"),
            ),
            ("{\"id\":{\"id\":1}}", None),
            ("{\"id\":null}", None),
            ("{\"params\":{\"id\":1}}", None),
            ("[{\"id\":1}]", None),
            ("}}]]{\"id\":5", None),
            ("", None),
        ] {
            assert_eq!(found(text).as_deref(), id, "{text}");
        }
        let long = format!("{{\"id\":\"{}\"}}", "x".repeat(MAX_TOKEN_BYTES));
        assert_eq!(found(&long), None);
    }
}
