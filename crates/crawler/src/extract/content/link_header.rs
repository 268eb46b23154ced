//! The `Link` header (RFC 8288), as far as search engines read it.

#[derive(Debug, PartialEq, Eq)]
pub struct HeaderLink<'a> {
    pub address: &'a str,
    /// Names in lower case, values without quotes.
    pub parameters: Vec<(String, &'a str)>,
}

impl HeaderLink<'_> {
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut all = self.parameters.iter();
        all.find(|it| it.0 == name).map(|it| it.1)
    }

    pub fn is(&self, rel: &str) -> bool {
        self.parameter("rel").is_some_and(|it| {
            it.split_ascii_whitespace()
                .any(|it| it.eq_ignore_ascii_case(rel))
        })
    }
}

/// Malformed links are skipped.
pub fn header_links(value: &str) -> Vec<HeaderLink<'_>> {
    let mut links = Vec::new();
    let mut rest = value;
    while let Some((_, after)) = rest.split_once('<') {
        let Some((address, after)) = after.split_once('>') else {
            break;
        };
        let end = end_of_link(after);
        links.push(HeaderLink {
            address: address.trim(),
            parameters: parameters(&after[..end]),
        });
        rest = &after[end..];
    }
    links
}

/// Offset of the next comma outside quotes.
fn end_of_link(text: &str) -> usize {
    let mut quoted = false;
    for (at, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => return at,
            _ => {}
        }
    }
    text.len()
}

fn parameters(text: &str) -> Vec<(String, &str)> {
    let parts = text.split(';').filter_map(|it| it.split_once('='));
    parts
        .map(|(name, value)| {
            let value = value.trim().trim_matches('"').trim();
            (name.trim().to_ascii_lowercase(), value)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_header_is_split_into_links_and_parameters() {
        let all = header_links(
            "<https://a.example/x,y>; rel=\"canonical\", </b>; REL=alternate; hreflang=\"de, x\";title=t",
        );
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].address, "https://a.example/x,y");
        assert!(all[0].is("canonical") && !all[0].is("alternate"));
        assert_eq!(all[1].parameter("hreflang"), Some("de, x"));
        assert_eq!(header_links("<broken; rel=x, rel=y"), []);
    }
}
