//! Reasons why a site could not be audited, with hints.

use crate::{settings::Settings, wiring::crawler_settings};
use crawler::{Denied, denial_reason};
use domain::ports::site_reader::{SiteReadError, UnreachableReason};
use url::Url;

const PUBLIC_ONLY_HINT: &str = "Only public addresses are fetched, unless the setting crawler.allow_networks permits the \
                    site's network, for example SIGHTLINE_CRAWLER__ALLOW_NETWORKS='[\"127.0.0.0/8\"]' \
                    for a site on this machine.";

/// More detailed than the service's errors: the caller owns this machine.
pub(super) async fn explain(
    error: &SiteReadError,
    url: &str,
    settings: &Settings,
) -> anyhow::Error {
    let (cause, hint) = match error {
        SiteReadError::Unreachable(UnreachableReason::Connection) => {
            let cause = denial(url, settings).await;
            (denial_text(cause), hint(cause))
        }
        SiteReadError::Unreachable(UnreachableReason::Name) => match denial(url, settings).await {
            None => (
                "its host name cannot be resolved".to_owned(),
                "Check the spelling.",
            ),
            cause => (denial_text(cause), hint(cause)),
        },
        SiteReadError::Unreachable(UnreachableReason::Silence) => (
            error.to_string(),
            "Check that the server is running and that no firewall blocks the connection.",
        ),
        SiteReadError::Unreachable(UnreachableReason::Encryption) => (
            error.to_string(),
            "Check its certificate, or start at its http URL. Set crawler.trust to trust a private \
             certificate authority.",
        ),
        SiteReadError::NoPage(_) => (
            error.to_string(),
            "Start at another page of the site, or fix this page.",
        ),
        SiteReadError::RobotsUnavailable => (
            error.to_string(),
            "Serve robots.txt with status 200, or 404 if there is none, and retry.",
        ),
        SiteReadError::DisallowedByRobots => (
            error.to_string(),
            "Allow the agent sightlinebot in its robots.txt.",
        ),
        SiteReadError::Journal(failure) => (
            format!("{error} ({})", failure.0),
            "Free disk space in the directory for temporary files, or set TMPDIR to another one.",
        ),
        SiteReadError::Stopped => (error.to_string(), "Retry."),
    };
    anyhow::anyhow!("{url} could not be audited: {cause}. {hint}")
}

async fn denial(url: &str, settings: &Settings) -> Option<Denied> {
    let url = Url::parse(url).ok()?;
    denial_reason(&url, &crawler_settings(settings)).await
}

fn denial_text(denied: Option<Denied>) -> String {
    denied.map_or_else(
        || "the connection was refused, or there is no route to the host".to_owned(),
        |it| format!("the crawler may not connect to it: {it}"),
    )
}

const fn hint(denied: Option<Denied>) -> &'static str {
    match denied {
        None => "Check that the server is running and listens on this port.",
        Some(Denied::Port) => {
            "Public hosts are fetched on ports 80 and 443 only. The setting crawler.allow_networks permits \
             all ports of a network, for example '[\"192.0.2.7/32\"]'."
        }
        Some(Denied::Own) => {
            "A site on this machine is fetched at the address set in crawler.resolve, for \
             example '[\"www.example.com:443=127.0.0.1:443\"]'."
        }
        Some(Denied::Scheme | Denied::Literal | Denied::Name | Denied::Address) => PUBLIC_ONLY_HINT,
    }
}
