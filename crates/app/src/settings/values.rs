//! Settings written as strings. They are parsed when loaded, so that mistakes are reported with key and origin.

use crawler::Resolve;
use domain::money::MicroUsd;
use rustls::pki_types::{CertificateDer, pem::PemObject};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use setting::{Setting, impl_unchecked_setting};
use std::net::SocketAddr;
use storage::DatabaseUrl;
use tracing_subscriber::EnvFilter;

impl_unchecked_setting!(LogLevel, ListenAddress, AdminAddress, Budget);

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// For example `info`, `debug` or `warn,web=debug`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct LogLevel(String);

impl LogLevel {
    pub fn warn() -> Self {
        Self("warn".to_owned())
    }

    pub fn filter(&self) -> EnvFilter {
        EnvFilter::new(&self.0)
    }
}

impl Default for LogLevel {
    fn default() -> Self {
        Self("info".to_owned())
    }
}

impl TryFrom<String> for LogLevel {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        // `EnvFilter` would accept an unknown level as a target.
        let words = text.split(',').map(str::trim);
        let is_known = |word: &str| word.contains('=') || LEVELS.contains(&&*word.to_lowercase());
        match EnvFilter::try_new(&text) {
            Ok(_) if words.clone().all(is_known) => Ok(Self(text)),
            _ => Err(format!(
                "takes a level (error, warn, info, debug, trace) or levels by part, such as `warn,web=debug`; it is `{text}`"
            )),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseAddress(pub DatabaseUrl);

/// It may contain a password.
impl Setting for DatabaseAddress {
    const IS_SECRET: bool = true;
}

impl<'de> Deserialize<'de> for DatabaseAddress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let url = DatabaseUrl::parse(&text).map_err(serde::de::Error::custom)?;
        Ok(Self(url))
    }
}

/// Without secrets.
impl Serialize for DatabaseAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_string())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ListenAddress(pub SocketAddr);

impl TryFrom<String> for ListenAddress {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = |_| {
            format!(
                "takes an address and a port, such as 127.0.0.1:8080 or 0.0.0.0:8080; it is `{text}`"
            )
        };
        text.parse().map(Self).map_err(wrong)
    }
}

impl From<ListenAddress> for String {
    fn from(ListenAddress(address): ListenAddress) -> Self {
        address.to_string()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum AdminAddress {
    /// Not set: the default address, unless another process has it.
    #[default]
    Default,
    Off,
    /// This address, or the process does not start.
    At(SocketAddr),
}

impl AdminAddress {
    pub const DEFAULT_ADDRESS: SocketAddr =
        SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 9090);
    const OFF: &'static str = "off";
}

impl TryFrom<String> for AdminAddress {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text == Self::OFF {
            return Ok(Self::Off);
        }
        let wrong = |_| {
            format!("takes an address and a port, such as 127.0.0.1:9090, or `off`; it is `{text}`")
        };
        text.parse().map(Self::At).map_err(wrong)
    }
}

impl From<AdminAddress> for String {
    fn from(address: AdminAddress) -> Self {
        match address {
            AdminAddress::Default => AdminAddress::DEFAULT_ADDRESS.to_string(),
            AdminAddress::Off => AdminAddress::OFF.to_owned(),
            AdminAddress::At(address) => address.to_string(),
        }
    }
}

/// US dollars that may be spent, or `none` for no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "toml::Value")]
pub struct Budget(pub Option<MicroUsd>);

impl Budget {
    const NONE: &'static str = "none";
    /// A million US dollars, like other caps.
    const MAX: MicroUsd = MicroUsd(1_000_000_000_000);
}

impl TryFrom<toml::Value> for Budget {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        let text = match value {
            toml::Value::String(text) => text,
            other => other.to_string(),
        };
        if text == Self::NONE {
            return Ok(Self(None));
        }
        let budget = MicroUsd::parse(&text).filter(|it| *it <= Self::MAX);
        budget.map(|it| Self(Some(it))).ok_or_else(|| {
            format!(
                "takes US dollars up to 1000000, such as 25 or 12.50, or \"none\"; it is `{text}`"
            )
        })
    }
}

impl Serialize for Budget {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(budget) => serializer.collect_str(&budget),
            None => serializer.serialize_str(Self::NONE),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Network(pub ipnet::IpNet);

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = |_| format!("takes networks such as 127.0.0.0/8; it holds `{text}`");
        text.parse().map(Self).map_err(wrong)
    }
}

impl From<Network> for String {
    fn from(network: Network) -> Self {
        network.0.to_string()
    }
}

/// A host and port with a fixed address: `HOST:PORT=ADDRESS:PORT`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ResolveEntry(pub Resolve);

impl TryFrom<String> for ResolveEntry {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let parsed = text.split_once('=').and_then(|(name, address)| {
            let (host, port) = name.rsplit_once(':').filter(|(host, _)| !host.is_empty())?;
            Some(Resolve {
                host: host.to_ascii_lowercase(),
                port: port.parse().ok()?,
                address: address.parse::<SocketAddr>().ok()?,
            })
        });
        parsed.map(Self).ok_or_else(|| {
            format!("takes entries such as docs.example.com:80=127.0.0.1:8101; it holds `{text}`")
        })
    }
}

impl From<ResolveEntry> for String {
    fn from(ResolveEntry(entry): ResolveEntry) -> Self {
        format!("{}:{}={}", entry.host, entry.port, entry.address)
    }
}

/// A PEM file with certificates, read when the setting is loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CertificateFile {
    path: String,
    pub certificates: Vec<CertificateDer<'static>>,
}

impl TryFrom<String> for CertificateFile {
    type Error = String;

    fn try_from(path: String) -> Result<Self, String> {
        let read = CertificateDer::pem_file_iter(&path)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| error.to_string());
        let certificates = read.and_then(|found| {
            let is_empty = found.is_empty();
            (!is_empty)
                .then_some(found)
                .ok_or_else(|| "it holds none".to_owned())
        });
        match certificates {
            Ok(certificates) => Ok(Self { path, certificates }),
            Err(reason) => Err(format!(
                "takes files with certificates in PEM, such as /etc/ssl/company-ca.pem; `{path}` cannot be used: {reason}"
            )),
        }
    }
}

impl From<CertificateFile> for String {
    fn from(file: CertificateFile) -> Self {
        file.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setting::WebAddress;

    fn refusal<T>(text: &str) -> String
    where
        T: TryFrom<String, Error = String>,
    {
        T::try_from(text.to_owned()).err().expect("it is refused")
    }

    #[test]
    fn refusal_shows_the_value_and_an_example() {
        let refusals = [
            (refusal::<LogLevel>("a=b=c"), "a=b=c", "web=debug"),
            (refusal::<LogLevel>(""), "``", "info"),
            (refusal::<LogLevel>("loudly"), "loudly", "trace"),
            (
                refusal::<ListenAddress>("localhost:1"),
                "localhost:1",
                "127.0.0.1:8080",
            ),
            (refusal::<WebAddress>("zzz"), "zzz", "https"),
            (refusal::<WebAddress>("ftp://a.b"), "ftp://a.b", "https"),
            (refusal::<Network>("10/8"), "10/8", "127.0.0.0/8"),
            (
                refusal::<CertificateFile>("/no/such.pem"),
                "/no/such.pem",
                "company-ca.pem",
            ),
            (refusal::<ResolveEntry>("x"), "`x`", ":80="),
            (
                refusal::<ResolveEntry>(":80=127.0.0.1:1"),
                ":80=",
                "docs.example.com",
            ),
        ];
        for (refusal, given, taken) in refusals {
            assert!(
                refusal.contains(given) && refusal.contains(taken),
                "{refusal}"
            );
        }
    }

    #[test]
    fn values_are_printed_as_they_were_written() {
        let entry = "Docs.example.com:80=127.0.0.1:8101".to_owned();
        let parsed = ResolveEntry::try_from(entry).unwrap();
        assert_eq!(String::from(parsed), "docs.example.com:80=127.0.0.1:8101");
        let network = Network::try_from("127.0.0.0/8".to_owned()).unwrap();
        assert_eq!(String::from(network), "127.0.0.0/8");
    }
}
