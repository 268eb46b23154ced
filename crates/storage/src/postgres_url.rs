//! The parts of a `PostgreSQL` server's URL, as libpq reads it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::fmt::{self, Write};
use thiserror::Error;

/// TLS options of a URL that are not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TlsOptionError {
    #[error("sslmode must be disable, allow, prefer, require, verify-ca or verify-full")]
    Mode,
    #[error(
        "sslmode=verify-ca needs sslrootcert, a PEM file of the authority: with the public authorities anybody has a certificate; or use verify-full"
    )]
    NoAuthority,
    #[error("sslcert and sslkey must be given together, each a PEM file")]
    IncompleteClientCertificate,
    #[error(
        "channel_binding=require is not possible, since TLS ends in a tunnel in front of libpq: use sslmode=verify-full, which proves the identity of the server"
    )]
    ChannelBinding,
    #[error("sslnegotiation=direct is not possible: leave it out")]
    DirectNegotiationUnsupported,
    #[error("sslcrl and sslcrldir are not read: leave them out")]
    RevocationListUnsupported,
    #[error(
        "sslpassword is not used: store the key of sslkey unencrypted, readable by its owner alone"
    )]
    EncryptedKey,
}

/// What is escaped in an option's value; commas separate hosts.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/')
    .remove(b',');
const PORT: u16 = 5432;

/// `scheme://[user[:password]@][host[:port]][,…][/database][?name=value&…]`: the parts, still percent-encoded. Only for
/// unambiguous URLs ([`crate::DatabaseUrl::parse`]).
#[derive(Clone, PartialEq, Eq)]
pub struct Parts<'u> {
    scheme: &'u str,
    user: Option<&'u str>,
    password: Option<&'u str>,
    hosts: &'u str,
    database: Option<&'u str>,
    options: Vec<(&'u str, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The name in its certificate; a folder for a Unix socket; empty for libpq's default.
    pub name: String,
    /// Where it is reached: `hostaddr`, or the name.
    pub address: String,
    pub port: u16,
}

impl Server {
    /// Whether it is reached over a network, not by a Unix socket.
    pub fn is_remote(&self) -> bool {
        !self.address.is_empty() && !self.address.starts_with(['/', '@'])
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name, self.port)
    }
}

impl<'u> Parts<'u> {
    pub fn of(url: &'u str) -> Self {
        let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
        let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = match place.split_once('/') {
            Some((authority, database)) => (authority, Some(database)),
            None => (place, None),
        };
        let (user_info, hosts) = match authority.rsplit_once('@') {
            Some((user_info, hosts)) => (Some(user_info), hosts),
            None => (None, authority),
        };
        let (user, password) = match user_info.map(|it| it.split_once(':')) {
            Some(Some((user, password))) => (Some(user), Some(password)),
            _ => (user_info, None),
        };
        let options = options.split('&').filter_map(|it| it.split_once('='));
        Self {
            scheme,
            user,
            password,
            hosts,
            database,
            options: options
                .map(|(name, value)| (name, value.to_owned()))
                .collect(),
        }
    }

    /// Decoded; of several, the last counts.
    pub fn option(&self, name: &str) -> Option<String> {
        let of_name = self.options.iter().rev().find(|(it, _)| *it == name);
        of_name.map(|(_, value)| percent_decode(value))
    }

    pub fn option_names(&self) -> impl Iterator<Item = &str> {
        self.options.iter().map(|(name, _)| *name)
    }

    pub fn set(&mut self, name: &'u str, value: &str) {
        self.remove(|it| it == name);
        self.options.push((name, percent_encode(value)));
    }

    pub fn set_default(&mut self, name: &'u str, value: &str) {
        if self.option_names().all(|it| it != name) {
            self.set(name, value);
        }
    }

    pub fn remove(&mut self, is_left_out: impl Fn(&str) -> bool) {
        self.options.retain(|(name, _)| !is_left_out(name));
    }

    pub fn take_password(&mut self) -> Option<String> {
        let of_options = self.option("password");
        self.remove(|it| it == "password");
        let of_user = self.password.take();
        of_options.or_else(|| of_user.map(percent_decode))
    }

    pub fn clear_hosts(&mut self) {
        self.hosts = "";
    }

    /// In the order in which libpq tries them.
    pub fn servers(&self) -> Vec<Server> {
        let (mut names, mut ports) = (Vec::new(), Vec::new());
        for host in self.hosts.split(',') {
            let behind_address = host.rfind(']').map_or(0, |at| at + 1);
            let at = host[behind_address..]
                .find(':')
                .map(|at| behind_address + at);
            let (name, port) = at.map_or((host, ""), |at| (&host[..at], &host[at + 1..]));
            names.push(percent_decode(name.trim_matches(['[', ']'])));
            ports.push(port.to_owned());
        }
        let listed = |name| {
            let value: Option<String> = self.option(name);
            value.map(|it| it.split(',').map(str::to_owned).collect::<Vec<_>>())
        };
        names = listed("host").unwrap_or(names);
        ports = listed("port").unwrap_or(ports);
        let addresses = listed("hostaddr").unwrap_or_default();
        let count = names.len().max(addresses.len());
        let servers = (0..count).map(|number| {
            let at = |list: &[String]| list.get(number).filter(|it| !it.is_empty()).cloned();
            let port = at(&ports).or_else(|| ports.first().filter(|_| ports.len() == 1).cloned());
            let name = at(&names);
            let address = at(&addresses).or_else(|| name.clone()).unwrap_or_default();
            Server {
                name: name.unwrap_or_else(|| address.clone()),
                address,
                port: port.and_then(|it| it.parse().ok()).unwrap_or(PORT),
            }
        });
        servers.collect()
    }
}

impl fmt::Display for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.scheme)?;
        if let Some(user) = self.user {
            f.write_str(user)?;
            if let Some(password) = self.password {
                write!(f, ":{password}")?;
            }
            f.write_char('@')?;
        }
        f.write_str(self.hosts)?;
        if let Some(database) = self.database {
            write!(f, "/{database}")?;
        }
        for (number, (name, value)) in self.options.iter().enumerate() {
            write!(f, "{}{name}={value}", if number == 0 { '?' } else { '&' })?;
        }
        Ok(())
    }
}

fn percent_decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn percent_encode(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(url: &str) -> Vec<(String, String, u16)> {
        let servers = Parts::of(url).servers().into_iter();
        servers.map(|it| (it.name, it.address, it.port)).collect()
    }

    #[test]
    fn a_url_round_trips() {
        for url in [
            "postgres://ann:se%40cret@db:5432/sightline?sslmode=require&a=b%26c",
            "postgresql://ann@h1:1,h2:2/d",
            "postgres:///s?host=/run",
            "postgres://h",
            "postgres://",
        ] {
            assert_eq!(Parts::of(url).to_string(), url);
        }
    }

    #[test]
    fn servers_are_those_that_libpq_tries() {
        let one =
            |name: &str, address: &str, port| vec![(name.to_owned(), address.to_owned(), port)];
        assert_eq!(servers("postgres://u:p@db/d"), one("db", "db", 5432));
        assert_eq!(servers("postgres://[::1]:6432/d"), one("::1", "::1", 6432));
        assert_eq!(servers("postgres://%2Frun/d"), one("/run", "/run", 5432));
        assert_eq!(servers("postgres:///d"), one("", "", 5432));
        assert_eq!(
            servers("postgres://x/d?host=db&hostaddr=10.0.0.1&port=7"),
            one("db", "10.0.0.1", 7)
        );
        assert_eq!(
            servers("postgres://a:1,b:2/d"),
            [one("a", "a", 1), one("b", "b", 2)].concat()
        );
        assert_eq!(
            servers("postgres:///d?host=a,b&port=9"),
            [one("a", "a", 9), one("b", "b", 9)].concat()
        );
        assert!(!Parts::of("postgres://%2Frun/d").servers()[0].is_remote());
    }

    #[test]
    fn options_are_set_and_removed() {
        let mut parts = Parts::of("postgres://h/d?connect_timeout=9&sslmode=require");
        parts.set_default("connect_timeout", "2");
        parts.set_default("application_name", "a b");
        parts.set("host", "/tmp/x y,/z");
        parts.remove(|it| it.starts_with("ssl"));
        parts.clear_hosts();
        assert_eq!(
            parts.to_string(),
            "postgres:///d?connect_timeout=9&application_name=a%20b&host=/tmp/x%20y,/z"
        );
        assert_eq!(parts.option("host").as_deref(), Some("/tmp/x y,/z"));
    }

    #[test]
    fn take_password_finds_it_in_user_info_and_options() {
        for (url, plain, password) in [
            (
                "postgres://ann:se%40cret@db:5432/sightline",
                "postgres://ann@db:5432/sightline",
                Some("se@cret"),
            ),
            (
                "postgres://db/sightline?password=secret&sslmode=require",
                "postgres://db/sightline?sslmode=require",
                Some("secret"),
            ),
            (
                "postgres://ann@/s?host=/run",
                "postgres://ann@/s?host=/run",
                None,
            ),
            ("postgres:///s", "postgres:///s", None),
        ] {
            let mut parts = Parts::of(url);
            assert_eq!(parts.take_password(), password.map(str::to_owned), "{url}");
            assert_eq!(parts.to_string(), plain, "{url}");
        }
    }
}
