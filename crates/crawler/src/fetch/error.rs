use super::resolver::ResolveError;
use crate::guard::Denied;
use analysis::observation::web_site::{FetchFailure, Fetched};
use std::{error::Error, io};

/// Code of a connect timeout.
pub const CONNECT_TIMED_OUT: &str = "connectTimedOut";

/// Unknown and denied names share one code, which does not disclose what the resolver knows.
const NO_PUBLIC_ADDRESS: &str = "noPublicAddress";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchError {
    pub failure: FetchFailure,
    pub detail: String,
}

impl From<&Fetched> for FetchError {
    fn from(fetched: &Fetched) -> Self {
        Self {
            failure: fetched.failure.unwrap_or(FetchFailure::Connect),
            detail: fetched.detail.clone().unwrap_or_default(),
        }
    }
}

impl FetchError {
    pub fn new(failure: FetchFailure, detail: &str) -> Self {
        Self {
            failure,
            detail: detail.to_owned(),
        }
    }

    /// Denied hosts and hosts that do not answer share one error.
    pub fn unreachable() -> Self {
        Self::new(FetchFailure::Connect, "unreachable")
    }

    pub fn is_redirect_error(&self) -> bool {
        matches!(
            self.failure,
            FetchFailure::RedirectLoop
                | FetchFailure::TooManyRedirects
                | FetchFailure::InvalidRedirect
        )
    }

    pub fn from_reqwest(error: &reqwest::Error) -> Self {
        causes(error)
            .find_map(from_cause)
            .unwrap_or_else(|| from_phase(error))
    }
}

fn from_cause(cause: &(dyn Error + 'static)) -> Option<FetchError> {
    if let Some(error) = cause.downcast_ref::<ResolveError>() {
        return Some(match error {
            // The port is checked only once all addresses are allowed.
            ResolveError::Denied(Denied::Port) => FetchError::unreachable(),
            ResolveError::Unknown(_) | ResolveError::NoAddress | ResolveError::Denied(_) => {
                FetchError::new(FetchFailure::Dns, NO_PUBLIC_ADDRESS)
            }
            ResolveError::TimedOut => FetchError::new(FetchFailure::Dns, "nameLookupTimedOut"),
            // Not the host's fault, so it is retried.
            ResolveError::Busy => FetchError::new(FetchFailure::Timeout, CONNECT_TIMED_OUT),
        });
    }
    if let Some(error) = cause.downcast_ref::<rustls::Error>() {
        return Some(FetchError::new(FetchFailure::Tls, tls_detail(error)));
    }
    let error = cause.downcast_ref::<io::Error>()?;
    match error.get_ref() {
        // Unwraps an error inside an `io::Error`.
        Some(inner) => from_cause(inner),
        None => from_io(error.kind()),
    }
}

fn from_io(kind: io::ErrorKind) -> Option<FetchError> {
    match kind {
        io::ErrorKind::TimedOut => Some(FetchError::new(FetchFailure::Timeout, "timedOut")),
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::UnexpectedEof => {
            Some(FetchError::new(FetchFailure::Incomplete, "connectionBroke"))
        }
        _ => None,
    }
}

fn from_phase(error: &reqwest::Error) -> FetchError {
    if error.is_connect() && error.is_timeout() {
        return FetchError::new(FetchFailure::Timeout, CONNECT_TIMED_OUT);
    }
    if error.is_connect() {
        return FetchError::unreachable();
    }
    if error.is_timeout() {
        return FetchError::new(FetchFailure::Timeout, "timedOut");
    }
    let text: String = causes(error).map(|it| it.to_string() + "; ").collect();
    if text.contains("before message completed") || text.contains("connection closed") {
        return FetchError::new(FetchFailure::Incomplete, "connectionBroke");
    }
    FetchError::new(FetchFailure::Malformed, "notHttp")
}

fn tls_detail(error: &rustls::Error) -> &'static str {
    match error {
        rustls::Error::InvalidCertificate(_) => "invalidCertificate",
        _ => "tlsHandshake",
    }
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error;
    std::iter::successors(Some(first), |it| (*it).source())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_and_unknown_names_fail_alike() {
        let unknown = from_cause(&ResolveError::Unknown("no such name".to_owned()));
        assert_eq!(
            unknown,
            Some(FetchError::new(FetchFailure::Dns, "noPublicAddress"))
        );
        for denied in [Denied::Address, Denied::Name, Denied::Own] {
            assert_eq!(
                from_cause(&ResolveError::Denied(denied)),
                unknown,
                "{denied}"
            );
        }
        assert_eq!(from_cause(&ResolveError::NoAddress), unknown);
    }

    #[test]
    fn a_busy_resolver_is_a_transient_failure() {
        let failed = from_cause(&ResolveError::Busy).unwrap();
        assert_eq!(failed.failure, FetchFailure::Timeout);
    }
}
