use crate::SetupError;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use std::{fs, path::Path};

const REDACTED: &str = "(hidden)";
/// Shorter tokens may occur in any text, which redaction would spoil. Sightline's are four times as long.
const MIN_BYTES: usize = 16;

/// Its `Debug` output hides the secret.
#[derive(Debug, Clone)]
pub struct Token(SecretString);

impl Token {
    pub fn new(text: &str) -> Result<Self, SetupError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(SetupError::NoToken);
        }
        // Other characters are not allowed in a header.
        if text.len() < MIN_BYTES || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(SetupError::InvalidToken);
        }
        Ok(Self(text.to_owned().into()))
    }

    pub fn from_file(path: &Path) -> Result<Self, SetupError> {
        let text = fs::read_to_string(path).map_err(|source| SetupError::File {
            path: path.to_owned(),
            source,
        })?;
        if text.trim().is_empty() {
            return Err(SetupError::EmptyTokenFile(path.to_owned()));
        }
        Self::new(&text)
    }

    /// Value of the `Authorization` header, marked sensitive: libraries do not log it.
    pub(crate) fn bearer(&self) -> HeaderValue {
        let text = format!("Bearer {}", self.0.expose_secret());
        let mut value = HeaderValue::from_str(&text).expect("a token is visible ASCII");
        value.set_sensitive(true);
        value
    }

    pub(crate) fn redact(&self, text: String) -> String {
        let token = self.0.expose_secret();
        if text.contains(token) {
            text.replace(token, REDACTED)
        } else {
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_redacted_in_logs_and_server_text() {
        let token = Token::new(" sightline_sesame \n").unwrap();
        assert!(!format!("{token:?} {:?}", token.bearer()).contains("sesame"));
        assert_eq!(token.bearer().as_bytes(), b"Bearer sightline_sesame");
        assert_eq!(
            token.redact("no sightline_sesame here".to_owned()),
            "no (hidden) here"
        );
    }

    #[test]
    fn invalid_token_is_refused_and_not_echoed() {
        assert!(matches!(Token::new("  \n"), Err(SetupError::NoToken)));
        for text in [
            "too short",
            "sightline agt sesame",
            "sightline\nsesame",
            "sightline_süß_süß",
        ] {
            let message = Token::new(text).unwrap_err().to_string();
            assert!(!message.contains(text), "{message}");
        }
    }

    #[test]
    fn token_file_contains_only_the_token() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        assert!(matches!(
            Token::from_file(&path),
            Err(SetupError::File { .. })
        ));
        fs::write(&path, "\n").unwrap();
        let message = Token::from_file(&path).unwrap_err().to_string();
        assert!(message.contains("is empty"), "{message}");
        fs::write(&path, "sightline_sesame\r\n").unwrap();
        let token = Token::from_file(&path).unwrap();
        assert_eq!(token.bearer().as_bytes(), b"Bearer sightline_sesame");
    }
}
