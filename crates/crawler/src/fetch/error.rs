use super::resolver::ResolveError;
use crate::guard::Denied;
use analysis::observation::web_site::{FetchFailure, Fetched};
use std::{error::Error, io};

/// Code of a connect timeout.
pub const NO_CONNECTION: &str = "connectTimedOut";

/// Unknown and denied names share one code, which does not disclose what the resolver knows.
const NO_PUBLIC_ADDRESS: &str = "noPublicAddress";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    pub failure: FetchFailure,
    pub detail: String,
}

impl From<&Fetched> for Failed {
    fn from(fetched: &Fetched) -> Self {
        Self {
            failure: fetched.failure.unwrap_or(FetchFailure::Connect),
            detail: fetched.detail.clone().unwrap_or_default(),
        }
    }
}

impl Failed {
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

    pub fn is_about_redirects(&self) -> bool {
        matches!(
            self.failure,
            FetchFailure::RedirectLoop
                | FetchFailure::TooManyRedirects
                | FetchFailure::InvalidRedirect
        )
    }

    pub fn of(error: &reqwest::Error) -> Self {
        causes(error)
            .find_map(of_cause)
            .unwrap_or_else(|| of_phase(error))
    }
}

fn of_cause(cause: &(dyn Error + 'static)) -> Option<Failed> {
    if let Some(error) = cause.downcast_ref::<ResolveError>() {
        return Some(match error {
            // The port is checked only once all addresses are allowed.
            ResolveError::Denied(Denied::Port) => Failed::unreachable(),
            ResolveError::Unknown(_) | ResolveError::Nowhere | ResolveError::Denied(_) => {
                Failed::new(FetchFailure::Dns, NO_PUBLIC_ADDRESS)
            }
            ResolveError::TimedOut => Failed::new(FetchFailure::Dns, "nameLookupTimedOut"),
            // Not the host's fault, so it is retried.
            ResolveError::Busy => Failed::new(FetchFailure::Timeout, NO_CONNECTION),
        });
    }
    if let Some(error) = cause.downcast_ref::<rustls::Error>() {
        return Some(Failed::new(FetchFailure::Tls, tls_detail(error)));
    }
    let error = cause.downcast_ref::<io::Error>()?;
    match error.get_ref() {
        // Unwraps an error inside an `io::Error`.
        Some(inner) => of_cause(inner),
        None => of_io(error.kind()),
    }
}

fn of_io(kind: io::ErrorKind) -> Option<Failed> {
    match kind {
        io::ErrorKind::TimedOut => Some(Failed::new(FetchFailure::Timeout, "timedOut")),
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::UnexpectedEof => {
            Some(Failed::new(FetchFailure::Incomplete, "connectionBroke"))
        }
        _ => None,
    }
}

fn of_phase(error: &reqwest::Error) -> Failed {
    if error.is_connect() && error.is_timeout() {
        return Failed::new(FetchFailure::Timeout, NO_CONNECTION);
    }
    if error.is_connect() {
        return Failed::unreachable();
    }
    if error.is_timeout() {
        return Failed::new(FetchFailure::Timeout, "timedOut");
    }
    let text: String = causes(error).map(|it| it.to_string() + "; ").collect();
    if text.contains("before message completed") || text.contains("connection closed") {
        return Failed::new(FetchFailure::Incomplete, "connectionBroke");
    }
    Failed::new(FetchFailure::Malformed, "notHttp")
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
    fn a_private_name_fails_like_one_that_does_not_exist() {
        let unknown = of_cause(&ResolveError::Unknown("no such name".to_owned()));
        assert_eq!(
            unknown,
            Some(Failed::new(FetchFailure::Dns, "noPublicAddress"))
        );
        for denied in [Denied::Address, Denied::Name, Denied::Own] {
            assert_eq!(of_cause(&ResolveError::Denied(denied)), unknown, "{denied}");
        }
        assert_eq!(of_cause(&ResolveError::Nowhere), unknown);
    }

    #[test]
    fn a_lookup_that_was_not_begun_is_tried_again() {
        let failed = of_cause(&ResolveError::Busy).unwrap();
        assert_eq!(failed.failure, FetchFailure::Timeout);
    }
}
