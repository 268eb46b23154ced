//! Every notation of an address gets the same verdict, and no URL with an address is fetched.

use crawler::{CrawlerSettings, Denied, is_public, vet_url};
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::LazyLock,
};
use url::{Host, Url};

static SETTINGS: LazyLock<CrawlerSettings> = LazyLock::new(CrawlerSettings::default);

/// The bytes as an IPv4 address, as an IPv6 address, and as a host.
pub(crate) fn check(bytes: &[u8]) {
    if let Some(four) = bytes.first_chunk() {
        check_v4((*four).into());
    }
    if let Some(sixteen) = bytes.first_chunk() {
        check_v6((*sixteen).into());
    }
    let text = String::from_utf8_lossy(bytes);
    for url in [text.to_string(), format!("http://{text}/")] {
        if let Ok(url) = Url::parse(&url) {
            check_url(&url);
        }
    }
}

fn check_v4(address: Ipv4Addr) {
    let is_open = is_public(IpAddr::V4(address));
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_unspecified();
    assert!(!(is_open && is_special), "{address}");
    let mapped = is_public(address.to_ipv6_mapped().into());
    assert_eq!(mapped, is_open, "{address} and the same mapped");
    for hidden in embedded_forms(address) {
        assert!(!is_public(hidden.into()), "{hidden} hides {address}");
    }
    let url = Url::parse(&format!("http://{address}/")).expect("a URL");
    assert_eq!(vet_url(&url, &SETTINGS), Err(Denied::Literal));
}

/// IPv6 forms that a gateway or tunnel translates to an IPv4 address: compatible, NAT64 (both prefixes), 6to4, Teredo,
/// ISATAP.
fn embedded_forms(address: Ipv4Addr) -> [Ipv6Addr; 7] {
    let [a, b, c, d] = address.octets();
    let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
    [
        Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low),
        Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
        Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, high, low),
        Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
        Ipv6Addr::new(0x2001, 0, high, low, 0, 0, !high, !low),
        Ipv6Addr::new(0x2a00, 0x1450, 0, 0, 0, 0x5efe, high, low),
        Ipv6Addr::new(0x2a00, 0x1450, 0, 0, 0x200, 0x5efe, high, low),
    ]
}

fn check_v6(address: Ipv6Addr) {
    let is_open = is_public(address.into());
    assert_eq!(is_open, is_public(IpAddr::V6(address).to_canonical()));
    let is_special = address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || address.is_unique_local()
        || address.is_unicast_link_local();
    assert!(!(is_open && is_special), "{address}");
    let url = Url::parse(&format!("https://[{address}]/")).expect("a URL");
    assert_eq!(vet_url(&url, &SETTINGS), Err(Denied::Literal));
}

fn check_url(url: &Url) {
    let vetted = vet_url(url, &SETTINGS);
    if vetted.is_err() {
        return;
    }
    assert!(matches!(url.scheme(), "http" | "https"), "{url}");
    let Some(Host::Domain(name)) = url.host() else {
        panic!("{url} has no name");
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    assert!(
        !name.split('.').any(str::is_empty),
        "{name} has empty parts"
    );
    assert!(name.parse::<IpAddr>().is_err(), "{name} is an address");
    let last = name.rsplit('.').next().unwrap_or_default();
    assert!(name.contains('.'), "{name} has a single label");
    assert!(!["localhost", "local", "internal", "onion"].contains(&last));
    // C resolvers also accept plain numbers, octal and hexadecimal as addresses.
    let is_number = |it: &str| {
        let digits = it.strip_prefix("0x").unwrap_or(it);
        !it.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            && (digits.len() < it.len() || it.bytes().all(|byte| byte.is_ascii_digit()))
    };
    assert!(!name.split('.').all(is_number), "{name} is an address");
}
