//! Secrets that have to be read again. A data key of the owner seals them; a key outside of the database wraps the
//! data key, so that the database and its backups do not open them.

use crate::ids::AccountId;
use crate::secret_text::hex;
use chrono::{DateTime, Utc};
use std::fmt;
use zeroize::Zeroizing;

/// The owner of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SecretOwner {
    Server,
    Account(AccountId),
}

/// Identifies a key of the key file without revealing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub [u8; 8]);

impl KeyId {
    /// From its 16 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hex = text.len() == 16 && text.bytes().all(|it| it.is_ascii_hexdigit());
        let number = is_hex.then(|| u64::from_str_radix(text, 16).ok())??;
        Some(Self(number.to_be_bytes()))
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// A data key of an owner, wrapped by a key of the key file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrappedKey {
    pub owner: SecretOwner,
    /// Counts from 1.
    pub version: u32,
    pub wrapped_by: KeyId,
    pub wrapped: Vec<u8>,
    pub created_at: DateTime<Utc>,
}

/// What an envelope belongs to: it opens nowhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding<'b> {
    pub purpose: &'b str,
    /// Identifies the row among those of the owner and purpose.
    pub row: u64,
}

/// A sealed secret of the server, with all that is needed to open it but the key file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedSecret {
    pub purpose: String,
    /// Counts from 1 for each purpose.
    pub number: u32,
    /// The version of the data key.
    pub key_version: u32,
    pub envelope: Vec<u8>,
    pub created_at: DateTime<Utc>,
}

impl SealedSecret {
    pub fn binding(&self) -> Binding<'_> {
        Binding {
            purpose: &self.purpose,
            row: self.number.into(),
        }
    }
}

/// An opened secret; overwritten in memory when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretBytes(Zeroizing<Vec<u8>>);

impl SecretBytes {
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    pub fn reveal(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for SecretBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretBytes(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_id_is_sixteen_hexadecimal_digits() {
        let id = KeyId([0, 1, 2, 3, 0xfc, 0xfd, 0xfe, 0xff]);
        assert_eq!(id.to_string(), "00010203fcfdfeff");
        assert_eq!(KeyId::parse("00010203fcfdfeff"), Some(id));
        for wrong in [
            "",
            "00010203fcfdfef",
            "00010203fcfdfeff0",
            "+0010203fcfdfeff",
        ] {
            assert_eq!(KeyId::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn opened_secrets_are_hidden_in_debug_output() {
        assert_eq!(format!("{:?}", SecretBytes::new(vec![7])), "SecretBytes(…)");
    }
}
