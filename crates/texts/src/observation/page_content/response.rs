use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResponseFacts {
    /// Until the last response's headers, with connecting, without redirects; `None`: unknown.
    pub ttfb_ms: Option<u32>,
    pub body_bytes: u64,
    /// On the wire, perhaps compressed.
    pub received_bytes: u64,
    pub headers: ResponseHeaders,
}

/// Each value at most 4,096 characters, several joined by commas.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResponseHeaders {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_security_policy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_transport_security: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type_options: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_options: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub referrer_policy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_encoding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_language: Option<String>,
    /// With its parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub robots_tags: Vec<String>,
}

impl ResponseHeaders {
    pub fn add(&mut self, name: &str, value: &str) {
        const MAX_CHARACTERS: usize = 4_096;
        const MAX_VALUES: usize = 100;
        let value = crate::text::words::shortened(value.trim(), MAX_CHARACTERS);
        let list = match name {
            "link" => &mut self.links,
            "x-robots-tag" => &mut self.robots_tags,
            _ => return self.add_single(name, value, MAX_CHARACTERS),
        };
        if list.len() < MAX_VALUES {
            list.push(value.to_owned());
        }
    }

    /// From `Cache-Control`, in seconds: 0 for `no-store` and `no-cache`, `None` without a value.
    pub fn max_age(&self) -> Option<u64> {
        let header = self.cache_control.as_deref()?.to_ascii_lowercase();
        let mut rules = header.split(',').map(str::trim);
        if rules.clone().any(|it| it == "no-store" || it == "no-cache") {
            return Some(0);
        }
        rules.find_map(|it| it.strip_prefix("max-age=")?.trim_matches('"').parse().ok())
    }

    fn add_single(&mut self, name: &str, value: &str, max_bytes: usize) {
        let field = match name {
            "content-security-policy" => &mut self.content_security_policy,
            "strict-transport-security" => &mut self.strict_transport_security,
            "x-content-type-options" => &mut self.content_type_options,
            "x-frame-options" => &mut self.frame_options,
            "referrer-policy" => &mut self.referrer_policy,
            "cache-control" => &mut self.cache_control,
            "expires" => &mut self.expires,
            "etag" => &mut self.etag,
            "last-modified" => &mut self.last_modified,
            "content-encoding" => &mut self.content_encoding,
            "content-language" => &mut self.content_language,
            "content-type" => &mut self.content_type,
            "refresh" => &mut self.refresh,
            _ => return,
        };
        match field {
            Some(known) if known.len() + value.len() < max_bytes => {
                known.push_str(", ");
                known.push_str(value);
            }
            Some(_) => {}
            None => *field = Some(value.to_owned()),
        }
    }
}
