//! The guard against the published registries.

use super::*;
use crate::{addresses::is_public, settings::Resolve};
use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and updates, as of 2026-01), multicast and
/// reserved space, and clouds' metadata addresses.
const NOT_PUBLIC: &[&str] = &[
    "0.0.0.0/8",
    "0.0.0.0/32",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.0.0/29",
    "192.0.0.8/32",
    "192.0.0.9/32",
    "192.0.0.10/32",
    "192.0.0.170/32",
    "192.0.0.171/32",
    "192.0.0.192/32",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.88.99.2/32",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "233.252.0.0/24",
    "240.0.0.0/4",
    "255.255.255.255/32",
    "100.100.100.200/32",
    "169.254.169.254/32",
    "168.63.129.16/32",
    "::/128",
    "::1/128",
    "::/96",
    "::ffff:0:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "100:0:0:1::/64",
    "2001::/23",
    "2001::/32",
    "2001:1::1/128",
    "2001:1::2/128",
    "2001:1::3/128",
    "2001:2::/48",
    "2001:3::/32",
    "2001:4:112::/48",
    "2001:10::/28",
    "2001:20::/28",
    "2001:30::/28",
    "2001:db8::/32",
    "2002::/16",
    "2620:4f:8000::/48",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fd00:ec2::254/128",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
    "4000::/3",
    "6000::/3",
    "8000::/3",
    "a000::/3",
    "c000::/3",
];

const PUBLIC: &[&str] = &[
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "168.63.129.15",
    "2606:4700::1111",
    "2001:4860:4860::8888",
    "2a00:1450::1",
    "2000::1",
    "2003::1",
    "2620:4f:7fff::1",
    "3ffe::1",
];

/// First, middle and last address of a network.
fn samples(network: &str) -> [IpAddr; 3] {
    let network: IpNet = network.parse().unwrap();
    let middle = match (network.network(), network.broadcast()) {
        (IpAddr::V4(a), IpAddr::V4(b)) => {
            let (a, b) = (u32::from(a), u32::from(b));
            IpAddr::V4(Ipv4Addr::from(a + (b - a) / 2))
        }
        (IpAddr::V6(a), IpAddr::V6(b)) => {
            let (a, b) = (u128::from(a), u128::from(b));
            IpAddr::V6(Ipv6Addr::from(a + (b - a) / 2))
        }
        _ => unreachable!("a network has one family"),
    };
    [network.network(), middle, network.broadcast()]
}

/// Encodings of an IPv4 address in an IPv6 one.
fn disguises(address: Ipv4Addr) -> Vec<IpAddr> {
    let [a, b, c, d] = address.octets();
    let text = [
        format!("::ffff:{address}"),
        format!("::{address}"),
        format!("64:ff9b::{address}"),
        format!("64:ff9b:1::{address}"),
        format!("2002:{a:02x}{b:02x}:{c:02x}{d:02x}::1"),
        format!("2001:0:{a:02x}{b:02x}:{c:02x}{d:02x}::1"),
        format!(
            "2001:0:4136:e378:8000:63bf:{:02x}{:02x}:{:02x}{:02x}",
            !a, !b, !c, !d
        ),
        format!("2a00:1450::5efe:{address}"),
        format!("2a00:1450::200:5efe:{address}"),
        format!("fe80::5efe:{address}"),
    ];
    text.iter().map(|it| it.parse().unwrap()).collect()
}

#[test]
fn special_purpose_addresses_are_denied_in_every_form() {
    let mut tried = 0;
    for address in NOT_PUBLIC.iter().flat_map(|it| samples(it)) {
        let mut forms = vec![address];
        if let IpAddr::V4(v4) = address {
            forms.extend(disguises(v4));
        }
        for form in forms {
            assert!(!is_public(form), "{form} (of {address})");
            tried += 1;
        }
    }
    assert!(tried >= 1_000, "only {tried} addresses");
}

#[test]
fn addresses_next_to_special_ranges_are_public() {
    for text in PUBLIC {
        assert!(is_public(text.parse().unwrap()), "{text}");
    }
    assert!(is_public("::ffff:8.8.8.8".parse().unwrap()));
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn open_loopback() -> CrawlerSettings {
    CrawlerSettings {
        allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
        ..CrawlerSettings::default()
    }
}

#[test]
fn ip_literals_are_denied_in_every_notation() {
    let closed = CrawlerSettings::default();
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "017700000001",
        "0177.0.0.1",
        "127.1",
        "127.0.1",
        "１２７.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[0:0:0:0:0:0:0:1]",
        "169.254.169.254",
        "8.8.8.8",
        "user@127.0.0.1",
        "example.com@127.0.0.1",
        "127.0.0.1.",
        "①②⑦.⓪.⓪.①",
    ] {
        assert_eq!(
            vet_url(&url(&format!("http://{host}/")), &closed),
            Err(Denied::Literal),
            "{host}"
        );
    }
}

#[test]
fn reserved_names_are_denied() {
    let closed = CrawlerSettings::default();
    for host in [
        "localhost",
        "a.localhost",
        "printer",
        "nas.local",
        "metadata.google.internal",
        "x.onion",
        "a.test",
        "router.home.arpa",
        "LOCALHOST.",
        "instance-data",
    ] {
        assert_eq!(
            vet_url(&url(&format!("http://{host}/")), &closed),
            Err(Denied::Name),
            "{host}"
        );
    }
    for host in ["127.0.0.1..", "0x7f.1..", "example.com..", "a..example.com"] {
        let denied = vet_url(&url(&format!("http://{host}/")), &closed);
        assert_eq!(denied, Err(Denied::Name), "{host} has an empty part");
    }
    assert_eq!(vet_url(&url("http://example.com./"), &closed), Ok(()));
    assert_eq!(vet_url(&url("http://example.com/"), &closed), Ok(()));
    assert_eq!(
        vet_url(&url("ftp://example.com/"), &closed),
        Err(Denied::Scheme)
    );
}

#[test]
fn one_private_address_denies_the_name() {
    let closed = CrawlerSettings::default();
    let addresses = |list: &[&str]| -> Vec<SocketAddr> {
        list.iter()
            .map(|it| SocketAddr::new(it.parse().unwrap(), 0))
            .collect()
    };
    let vet = |list: &[&str], port| vet_addresses("example.com", port, &addresses(list), &closed);
    assert_eq!(vet(&["93.184.216.34"], 80), Ok(()));
    assert_eq!(
        vet(&["93.184.216.34", "10.0.0.1"], 80),
        Err(Denied::Address)
    );
    assert_eq!(vet(&["93.184.216.34", "::1"], 443), Err(Denied::Address));
    assert_eq!(vet(&["93.184.216.34"], 6379), Err(Denied::Port));
}

#[test]
fn denied_networks_may_be_public() {
    let settings = CrawlerSettings {
        deny_networks: vec!["93.184.216.0/24".parse().unwrap()],
        ..CrawlerSettings::default()
    };
    let own: SocketAddr = "93.184.216.34:0".parse().unwrap();
    let mapped: SocketAddr = "[::ffff:93.184.216.34]:0".parse().unwrap();
    for address in [own, mapped] {
        let vetted = vet_addresses("example.com", 80, &[address], &settings);
        assert_eq!(vetted, Err(Denied::Address));
    }
}

#[test]
fn own_addresses_and_name_are_denied_unless_allowed() {
    let mut settings = CrawlerSettings {
        server_addresses: vec!["93.184.216.34".parse().unwrap()],
        server_host: Some("seo.example.com".to_owned()),
        ..CrawlerSettings::default()
    };
    let own: SocketAddr = "93.184.216.34:0".parse().unwrap();
    let mapped: SocketAddr = "[::ffff:93.184.216.34]:0".parse().unwrap();
    let other: SocketAddr = "93.184.216.35:0".parse().unwrap();
    let vet =
        |name, address, settings: &CrawlerSettings| vet_addresses(name, 443, &[address], settings);
    assert_eq!(vet("a.example", own, &settings), Err(Denied::Own));
    assert_eq!(vet("a.example", mapped, &settings), Err(Denied::Own));
    assert_eq!(vet("SEO.example.com.", other, &settings), Err(Denied::Own));
    assert_eq!(vet("a.example", other, &settings), Ok(()));
    settings.allow_networks = vec!["93.184.216.32/30".parse().unwrap()];
    assert_eq!(vet("a.example", own, &settings), Ok(()));
    assert_eq!(vet("seo.example.com", other, &settings), Ok(()));
}

#[test]
fn denied_networks_override_allowed_ones() {
    let settings = CrawlerSettings {
        allow_networks: vec!["10.0.0.0/8".parse().unwrap()],
        deny_networks: vec!["10.0.0.0/24".parse().unwrap()],
        ..CrawlerSettings::default()
    };
    let closed: SocketAddr = "10.0.0.1:0".parse().unwrap();
    let open: SocketAddr = "10.0.1.1:0".parse().unwrap();
    let vet = |address| vet_addresses("a.example", 8080, &[address], &settings);
    assert_eq!(vet(open), Ok(()));
    assert_eq!(vet(closed), Err(Denied::Address));
    assert_eq!(vet_url(&url("http://10.0.1.1:8080/"), &settings), Ok(()));
    for host in ["10.0.0.1", "[::ffff:10.0.0.1]"] {
        let vetted = vet_url(&url(&format!("http://{host}:8080/")), &settings);
        assert_eq!(vetted, Err(Denied::Literal), "{host}");
    }
}

#[test]
fn configured_addresses_override_denied_networks() {
    let settings = CrawlerSettings {
        deny_networks: vec!["10.0.0.0/24".parse().unwrap()],
        resolve: vec![Resolve {
            host: "docs.example.com".to_owned(),
            port: 80,
            address: "10.0.0.1:8101".parse().unwrap(),
        }],
        ..CrawlerSettings::default()
    };
    assert!(settings.is_operator_host(&url("http://docs.example.com/")));
    assert!(!settings.is_operator_host(&url("http://docs.example.com:81/")));
    assert!(!settings.may_connect_to("10.0.0.1".parse().unwrap()));
}

#[test]
fn only_allowed_networks_are_open_on_any_port() {
    let open = open_loopback();
    assert_eq!(vet_url(&url("http://127.0.0.1:8101/"), &open), Ok(()));
    assert_eq!(vet_url(&url("http://[::ffff:127.0.0.1]:1/"), &open), Ok(()));
    assert_eq!(vet_url(&url("http://[::1]/"), &open), Err(Denied::Literal));
    assert_eq!(
        vet_url(&url("http://10.0.0.1/"), &open),
        Err(Denied::Literal)
    );
    let loopback: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let private: SocketAddr = "10.0.0.1:0".parse().unwrap();
    assert_eq!(vet_addresses("localhost", 8101, &[loopback], &open), Ok(()));
    assert_eq!(
        vet_addresses("localhost", 80, &[private], &open),
        Err(Denied::Address)
    );
    assert_eq!(
        vet_addresses("a.example", 80, &[loopback, private], &open),
        Err(Denied::Address)
    );
}
