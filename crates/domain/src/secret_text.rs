//! Unpredictable texts of letters and digits.

use crate::randomness::Randomness;
use std::fmt::Write;

pub(crate) const ALPHABET: &[u8; 62] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// `length` characters with uniform distribution; 43 of them hold 256 bits.
pub(crate) fn base62(randomness: &dyn Randomness, length: usize) -> String {
    let mut text = String::with_capacity(length);
    while text.len() < length {
        let mut bytes = [0; 64];
        randomness.fill(&mut bytes);
        // 248 is the largest multiple of 62 below 256; larger bytes are drawn again, because they
        // would favor some characters.
        let fair = bytes.iter().filter(|byte| **byte < 248);
        let missing = length - text.len();
        text.extend(
            fair.take(missing)
                .map(|byte| char::from(ALPHABET[usize::from(byte % 62)])),
        );
    }
    text
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The 32 bytes of 64 hexadecimal digits.
pub(crate) fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

/// A secret of 43 base-62 characters (256 random bits), the hash that is stored of it (SHA-256: so many random bits need
/// no slow hash), and the error of a text that is none.
macro_rules! plain_secret {
    (
        $(#[$doc:meta])* $plain:ident
        $(#[$hash_doc:meta])* $hash:ident
        $error:ident $message:literal
    ) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq)]
        pub struct $plain(String);

        #[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
        #[error($message)]
        pub struct $error;

        $(#[$hash_doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $hash(pub [u8; 32]);

        impl $plain {
            const LENGTH: usize = 43;

            pub fn generate(randomness: &dyn crate::randomness::Randomness) -> Self {
                Self(crate::secret_text::base62(randomness, Self::LENGTH))
            }

            pub fn parse(text: &str) -> Result<Self, $error> {
                let fits = text.len() == Self::LENGTH
                    && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
                fits.then(|| Self(text.to_owned())).ok_or($error)
            }

            pub fn hash(&self) -> $hash {
                $hash(<sha2::Sha256 as sha2::Digest>::digest(self.0.as_bytes()).into())
            }

            /// For the one place that shows it.
            pub fn reveal(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Debug for $plain {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($plain), "(…)"))
            }
        }
    };
}
pub(crate) use plain_secret;
