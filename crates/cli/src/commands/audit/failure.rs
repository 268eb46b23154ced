//! Reasons why a site could not be audited, with hints.

use crate::{settings::Settings, wiring::crawler_settings};
use crawler::{Denied, denial_reason};
use domain::ports::site_reader::{SiteReadError, UnreachableReason};
use url::Url;

const PUBLIC_ONLY_HINT: &str = "Only public addresses are read unless the setting crawler.allow_networks opens the \
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
                "its name cannot be resolved".to_owned(),
                "Check how it is written.",
            ),
            cause => (denial_text(cause), hint(cause)),
        },
        SiteReadError::Unreachable(UnreachableReason::Silence) => (
            error.to_string(),
            "See whether the server runs, and whether a firewall keeps this machine from it.",
        ),
        SiteReadError::Unreachable(UnreachableReason::Encryption) => (
            error.to_string(),
            "Check its certificate, or begin at its http address; the setting crawler.trust names \
             authorities of your own.",
        ),
        SiteReadError::NoPage(_) => (
            error.to_string(),
            "Begin at another page of the site, or mend that one.",
        ),
        SiteReadError::RobotsUnavailable => (
            error.to_string(),
            "Let its robots.txt be answered, or with 404 where there is none; then try again.",
        ),
        SiteReadError::DisallowedByRobots => (
            error.to_string(),
            "Allow the agent sightlinebot in its robots.txt.",
        ),
        SiteReadError::Journal(failure) => (
            format!("{error} ({})", failure.0),
            "Check that the folder for temporary files has free space, or name another one: TMPDIR.",
        ),
        SiteReadError::Stopped => (error.to_string(), "Try again."),
    };
    anyhow::anyhow!("{url} could not be audited: {cause}. {hint}")
}

async fn denial(url: &str, settings: &Settings) -> Option<Denied> {
    let url = Url::parse(url).ok()?;
    denial_reason(&url, &crawler_settings(settings)).await
}

fn denial_text(denied: Option<Denied>) -> String {
    denied.map_or_else(
        || "the connection is refused, or there is no way to it".to_owned(),
        |it| format!("it is not asked: {it}"),
    )
}

const fn hint(denied: Option<Denied>) -> &'static str {
    match denied {
        None => "See whether the server runs, and whether it listens on that port.",
        Some(Denied::Port) => {
            "Of public hosts only the ports 80 and 443 are read; the setting crawler.allow_networks opens \
             all ports of a network, for example '[\"192.0.2.7/32\"]'."
        }
        Some(Denied::Own) => {
            "A site on the same machine is read at the address that the setting crawler.resolve gives it, for \
             example '[\"www.example.com:443=127.0.0.1:443\"]'."
        }
        Some(Denied::Scheme | Denied::Literal | Denied::Name | Denied::Address) => PUBLIC_ONLY_HINT,
    }
}
