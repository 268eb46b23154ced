//! TLS to `PostgreSQL` through a tunnel in this process, since libpq is built without TLS (decision 0052).

mod certificates;
mod tunnel;

use crate::opening::OpenError;
use crate::postgres_url::{Parts, Server, TlsRefusal};
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
pub struct Wanted {
    check: Check,
    /// A PEM file of authorities; `None`: the machine's.
    authorities: Option<PathBuf>,
    /// PEM files of the client's certificate and its key.
    client: Option<(PathBuf, PathBuf)>,
    /// Limit for making a connection.
    patience: Duration,
}

impl Wanted {
    /// `None` where the URL leads to a socket of this machine, or does not ask for TLS.
    pub fn of(parts: &Parts) -> Result<Option<Self>, TlsRefusal> {
        let authorities = parts.option("sslrootcert").filter(|it| it != "system");
        let is_ssl = parts.option("ssl").is_some_and(|it| it == "true");
        let check = match parts.option("sslmode").as_deref() {
            None if is_ssl => Check::Nothing,
            None | Some("disable" | "allow" | "prefer") => return Ok(None),
            // For compatibility, as in libpq.
            Some("require") if authorities.is_some() => Check::Authority,
            Some("require") => Check::Nothing,
            Some("verify-ca") if authorities.is_none() => return Err(TlsRefusal::NoAuthority),
            Some("verify-ca") => Check::Authority,
            Some("verify-full") => Check::AuthorityAndName,
            Some(_) => return Err(TlsRefusal::Mode),
        };
        if parts.option("channel_binding").as_deref() == Some("require") {
            return Err(TlsRefusal::ChannelBinding);
        }
        if parts.option("sslnegotiation").as_deref() == Some("direct") {
            return Err(TlsRefusal::Direct);
        }
        if parts.names().any(|it| it.starts_with("sslcrl")) {
            return Err(TlsRefusal::Revoked);
        }
        if parts.names().any(|it| it == "sslpassword") {
            return Err(TlsRefusal::EncryptedKey);
        }
        let client = match (parts.option("sslcert"), parts.option("sslkey")) {
            (Some(certificate), Some(key)) => Some((certificate.into(), key.into())),
            (None, None) => None,
            _ => return Err(TlsRefusal::HalfAClient),
        };
        if !parts.servers().iter().any(Server::is_remote) {
            return Ok(None);
        }
        // Zero or no number is no timeout in libpq; TCP gives up after minutes.
        let seconds = parts.option("connect_timeout");
        let seconds = seconds.as_deref().unwrap_or(CONNECT_SECONDS).parse();
        let seconds = seconds.ok().filter(|it| *it > 0);
        Ok(Some(Self {
            check,
            authorities: authorities.map(PathBuf::from),
            client,
            patience: Duration::from_secs(seconds.unwrap_or(u64::from(u16::MAX))),
        }))
    }

    pub const fn check(&self) -> Check {
        self.check
    }
}

/// The URL for libpq, and the tunnel that it leads through.
pub fn reached(mut parts: Parts) -> Result<(String, Option<Arc<Tunnel>>), OpenError> {
    let wanted = Wanted::of(&parts).map_err(OpenError::Tls)?;
    let is_of_tls = |name: &str| name.starts_with("ssl") || name == "channel_binding";
    parts.remove(is_of_tls);
    let Some(wanted) = wanted else {
        return Ok((parts.to_string(), None));
    };
    let tunnel = Tunnel::open(parts.servers(), &wanted)?;
    tunnel.stand_in(&mut parts);
    Ok((parts.to_string(), Some(Arc::new(tunnel))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(options: &str) -> Result<Option<Check>, TlsRefusal> {
        let url = format!("postgres://ann@db/d?{options}");
        Ok(Wanted::of(&Parts::of(&url))?.map(|it| it.check))
    }

    #[test]
    fn a_mode_says_what_is_checked() {
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
        assert_eq!(Wanted::of(&socket), Ok(None));
    }

    #[test]
    fn what_is_not_possible_is_refused() {
        for (options, refusal) in [
            ("sslmode=on", TlsRefusal::Mode),
            ("sslmode=verify-ca", TlsRefusal::NoAuthority),
            (
                "sslmode=verify-ca&sslrootcert=system",
                TlsRefusal::NoAuthority,
            ),
            ("sslmode=require&sslcert=/c", TlsRefusal::HalfAClient),
            ("sslmode=require&sslkey=/k", TlsRefusal::HalfAClient),
            (
                "sslmode=verify-full&channel_binding=require",
                TlsRefusal::ChannelBinding,
            ),
            ("sslmode=require&sslnegotiation=direct", TlsRefusal::Direct),
            ("sslmode=require&sslcrl=/r", TlsRefusal::Revoked),
            ("sslmode=require&sslpassword=p", TlsRefusal::EncryptedKey),
        ] {
            assert_eq!(wanted(options), Err(refusal), "{options}");
        }
    }
}
