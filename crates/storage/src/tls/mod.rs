//! TLS to `PostgreSQL` through a tunnel in this process, since libpq is built without TLS (decision 0052).

mod certificates;
mod tunnel;

use crate::opening::OpenError;
use crate::postgres_url::{Parts, Server, TlsOptionError};
use std::{path::PathBuf, sync::Arc, time::Duration};
pub use tunnel::{Tunnel, remove_folders};

/// How long a connection may take to be made where the URL does not say (libpq's `connect_timeout`), in seconds.
pub const CONNECT_SECONDS: &str = "2";

/// What is checked of the server's certificate (libpq's `sslmode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Nothing: an attacker in between can pose as the server (`require`).
    Nothing,
    /// An authority that is trusted signed it (`verify-ca`).
    Authority,
    /// That, and it is for the name of the host (`verify-full`).
    AuthorityAndName,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsOptions {
    check: Check,
    /// A PEM file of authorities; `None`: the machine's.
    authorities: Option<PathBuf>,
    /// PEM files of the client's certificate and its key.
    client: Option<(PathBuf, PathBuf)>,
    /// Limit for making a connection.
    connect_timeout: Duration,
}

impl TlsOptions {
    /// `None` where the URL leads to a socket of this machine, or does not ask for TLS.
    pub fn from_url(parts: &Parts) -> Result<Option<Self>, TlsOptionError> {
        let authorities = parts.option("sslrootcert").filter(|it| it != "system");
        let is_ssl = parts.option("ssl").is_some_and(|it| it == "true");
        let check = match parts.option("sslmode").as_deref() {
            None if is_ssl => Check::Nothing,
            None | Some("disable" | "allow" | "prefer") => return Ok(None),
            // For compatibility, as in libpq.
            Some("require") if authorities.is_some() => Check::Authority,
            Some("require") => Check::Nothing,
            Some("verify-ca") if authorities.is_none() => return Err(TlsOptionError::NoAuthority),
            Some("verify-ca") => Check::Authority,
            Some("verify-full") => Check::AuthorityAndName,
            Some(_) => return Err(TlsOptionError::Mode),
        };
        if parts.option("channel_binding").as_deref() == Some("require") {
            return Err(TlsOptionError::ChannelBinding);
        }
        if parts.option("sslnegotiation").as_deref() == Some("direct") {
            return Err(TlsOptionError::DirectNegotiationUnsupported);
        }
        if parts.option_names().any(|it| it.starts_with("sslcrl")) {
            return Err(TlsOptionError::RevocationListUnsupported);
        }
        if parts.option_names().any(|it| it == "sslpassword") {
            return Err(TlsOptionError::EncryptedKey);
        }
        let client = match (parts.option("sslcert"), parts.option("sslkey")) {
            (Some(certificate), Some(key)) => Some((certificate.into(), key.into())),
            (None, None) => None,
            _ => return Err(TlsOptionError::IncompleteClientCertificate),
        };
        if !parts.servers().iter().any(Server::is_remote) {
            return Ok(None);
        }
        // Zero or an invalid number disables the timeout in libpq; TCP gives up after minutes.
        let seconds = parts.option("connect_timeout");
        let seconds = seconds.as_deref().unwrap_or(CONNECT_SECONDS).parse();
        let seconds = seconds.ok().filter(|it| *it > 0);
        Ok(Some(Self {
            check,
            authorities: authorities.map(PathBuf::from),
            client,
            connect_timeout: Duration::from_secs(seconds.unwrap_or(u64::from(u16::MAX))),
        }))
    }

    pub const fn check(&self) -> Check {
        self.check
    }
}

/// The URL for libpq, and the tunnel that it leads through.
pub fn resolve_url(mut parts: Parts) -> Result<(String, Option<Arc<Tunnel>>), OpenError> {
    let wanted = TlsOptions::from_url(&parts).map_err(OpenError::Tls)?;
    let is_of_tls = |name: &str| name.starts_with("ssl") || name == "channel_binding";
    parts.remove(is_of_tls);
    let Some(wanted) = wanted else {
        return Ok((parts.to_string(), None));
    };
    let tunnel = Tunnel::open(parts.servers(), &wanted)?;
    tunnel.redirect_url(&mut parts);
    Ok((parts.to_string(), Some(Arc::new(tunnel))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(options: &str) -> Result<Option<Check>, TlsOptionError> {
        let url = format!("postgres://ann@db/d?{options}");
        Ok(TlsOptions::from_url(&Parts::of(&url))?.map(|it| it.check))
    }

    #[test]
    fn sslmode_selects_the_certificate_check() {
        for (options, check) in [
            ("", None),
            ("sslmode=disable", None),
            ("sslmode=prefer", None),
            ("sslmode=require", Some(Check::Nothing)),
            ("ssl=true", Some(Check::Nothing)),
            ("sslmode=require&sslrootcert=/a.pem", Some(Check::Authority)),
            (
                "sslmode=verify-ca&sslrootcert=/a.pem",
                Some(Check::Authority),
            ),
            ("sslmode=verify-full", Some(Check::AuthorityAndName)),
            (
                "sslmode=verify-full&sslrootcert=system&sslcert=/c&sslkey=/k",
                Some(Check::AuthorityAndName),
            ),
        ] {
            assert_eq!(wanted(options), Ok(check), "{options}");
        }
        let socket = Parts::of("postgres:///d?host=/run&sslmode=require");
        assert_eq!(TlsOptions::from_url(&socket), Ok(None));
    }

    #[test]
    fn unsupported_tls_options_are_refused() {
        for (options, refusal) in [
            ("sslmode=on", TlsOptionError::Mode),
            ("sslmode=verify-ca", TlsOptionError::NoAuthority),
            (
                "sslmode=verify-ca&sslrootcert=system",
                TlsOptionError::NoAuthority,
            ),
            (
                "sslmode=require&sslcert=/c",
                TlsOptionError::IncompleteClientCertificate,
            ),
            (
                "sslmode=require&sslkey=/k",
                TlsOptionError::IncompleteClientCertificate,
            ),
            (
                "sslmode=verify-full&channel_binding=require",
                TlsOptionError::ChannelBinding,
            ),
            (
                "sslmode=require&sslnegotiation=direct",
                TlsOptionError::DirectNegotiationUnsupported,
            ),
            (
                "sslmode=require&sslcrl=/r",
                TlsOptionError::RevocationListUnsupported,
            ),
            (
                "sslmode=require&sslpassword=p",
                TlsOptionError::EncryptedKey,
            ),
        ] {
            assert_eq!(wanted(options), Err(refusal), "{options}");
        }
    }
}
