use std::fmt;

/// A host name that may be monitored: lower case, in ASCII (for DNS and URLs) and in Unicode. Only
/// made from what [`analysis::url_rules::DomainName::parse`] accepted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SiteDomain {
    ascii: String,
    unicode: String,
}

impl SiteDomain {
    /// Takes an already validated pair.
    pub fn accepted(ascii: String, unicode: String) -> Self {
        Self { ascii, unicode }
    }

    pub fn ascii(&self) -> &str {
        &self.ascii
    }

    pub fn unicode(&self) -> &str {
        &self.unicode
    }
}

impl fmt::Display for SiteDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.ascii)
    }
}
