//! The header fields that a part of a report consists of, in groups between empty lines.

use domain::email::EmailAddress;
use mail_parser::MessageParser;

/// Groups of a report: one of the report, one of each recipient.
const MAX_GROUPS: usize = 200;
const MAX_FIELDS: usize = 100;

#[derive(Debug, Default)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    pub fn groups(part: &[u8]) -> Vec<Self> {
        let text = String::from_utf8_lossy(part).replace("\r\n", "\n");
        { text.split("\n\n") }
            .filter(|it| !it.trim().is_empty())
            .take(MAX_GROUPS)
            .map(Self::parse)
            .collect()
    }

    fn parse(group: &str) -> Self {
        let text = format!("{}\n\n", group.trim_matches('\n'));
        let parsed = MessageParser::default().parse_headers(text.as_bytes());
        let headers = parsed.iter().flat_map(mail_parser::Message::headers_raw);
        let fields = headers.take(MAX_FIELDS);
        Self(
            fields
                .map(|(name, value)| (name.to_owned(), unfold(value)))
                .collect(),
        )
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self
            .0
            .iter()
            .filter(move |it| it.0.eq_ignore_ascii_case(name));
        named.map(|it| it.1.as_str())
    }

    pub fn first(&self, name: &str) -> Option<&str> {
        let named = self.0.iter().find(|it| it.0.eq_ignore_ascii_case(name));
        named.map(|it| it.1.as_str())
    }
}

fn unfold(value: &str) -> String {
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The address in `rfc822; ann@example.com`, `Ann <ann@example.com>` and similar texts.
pub fn address_of(text: &str) -> Option<EmailAddress> {
    let text = text.rsplit(';').next()?;
    let inner = text.split_once('<').map_or(text, |(_, rest)| rest);
    let inner = inner.split('>').next()?;
    EmailAddress::parse(inner.trim()).ok()
}
