//! Reasons why a site could not be audited, with hints.

use crate::{settings::Settings, wiring::crawler_settings};
use crawler::{Denied, why_denied};
use domain::ports::site_reader::{SiteReadError, Unreached};
use url::Url;

const OPEN: &str = "Only public addresses are read unless the setting crawler.allow_networks opens the \
                    site's network, for example SIGHTLINE_CRAWLER__ALLOW_NETWORKS='[\"127.0.0.0/8\"]' \
                    for a site on this machine.";

/// More detailed than the service's errors: the caller owns this machine.
pub(super) async fn explained(
    error: &SiteReadError,
    url: &str,
    settings: &Settings,
) -> anyhow::Error {
    let (cause, hint) = match error {
        SiteReadError::Unreachable(Unreached::Connection) => {
            let cause = denied(url, settings).await;
            (told(cause), hint(cause))
        }
        SiteReadError::Unreachable(Unreached::Name) => match denied(url, settings).await {
            None => (
                "its name cannot be resolved".to_owned(),
                "Check how it is written.",
            ),
            cause => (told(cause), hint(cause)),
        },
        SiteReadError::Unreachable(Unreached::Silence) => (
            error.to_string(),
            "See whether the server runs, and whether a firewall keeps this machine from it.",
        ),
        SiteReadError::Unreachable(Unreached::Encryption) => (
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
        SiteReadError::Journal(broken) => (
            format!("{error} ({})", broken.0),
            "See whether there is room in the folder for passing files, or name another one: TMPDIR.",
        ),
        SiteReadError::Stopped => (error.to_string(), "Try again."),
    };
    anyhow::anyhow!("{url} could not be audited: {cause}. {hint}")
}

async fn denied(url: &str, settings: &Settings) -> Option<Denied> {
    let url = Url::parse(url).ok()?;
    why_denied(&url, &crawler_settings(settings)).await
}

fn told(denied: Option<Denied>) -> String {
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
        Some(Denied::Scheme | Denied::Literal | Denied::Name | Denied::Address) => OPEN,
    }
}
