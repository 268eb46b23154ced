//! `sightline health`: for health checks where no HTTP client is installed, as in the image.

use super::Outcome;
use crate::settings::{AdminAddress, Settings};
use crate::terminal::print_line;
use anyhow::Context;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Longer than the listener's own database timeout.
const TIMEOUT: Duration = Duration::from_secs(3);
const MAX_RESPONSE_BYTES: u64 = 65_536;

pub async fn run(settings: &Settings, path: &str) -> anyhow::Result<Outcome> {
    let address = match settings.admin.listen {
        AdminAddress::Off => anyhow::bail!(
            "admin.listen is off: set it to the same address for the server and for this command"
        ),
        AdminAddress::Default => AdminAddress::DEFAULT_ADDRESS,
        AdminAddress::At(address) => connectable(address),
    };
    let url = format!("http://{address}{path}");
    let response = timeout(TIMEOUT, request(address, path)).await;
    let (status, body) = { response.context("no response within 3 s").flatten() }
        .with_context(|| format!("cannot request {url}"))?;
    anyhow::ensure!(status == 200, "{url} returned status {status}: {body}");
    print_line(body);
    Ok(Outcome::Done)
}

/// HTTP/1.0, so that no HTTP client is needed; the listener supports it.
async fn request(address: SocketAddr, path: &str) -> anyhow::Result<(u16, String)> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    let mut answers = stream.take(MAX_RESPONSE_BYTES);
    answers.read_to_string(&mut answer).await?;
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .context("the response is not HTTP")?;
    let status = head
        .split(' ')
        .nth(1)
        .context("the response has no status code")?;
    Ok((status.parse()?, body.trim().to_owned()))
}

/// An unspecified address is reached via loopback.
fn connectable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}
