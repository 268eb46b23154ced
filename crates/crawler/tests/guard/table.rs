//! Addresses that must not be reached, by IANA's special-purpose registries (IPv4 and IPv6, as of November 2026),
//! multicast, and cloud metadata. Independent of the guard's own table.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const IPV4: [&str; 22] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "255.255.255.255/32",
    // Cloud metadata.
    "168.63.129.16/32",
    "169.254.169.254/32",
    "100.100.100.200/32",
];

/// IPv4-mapped addresses (`::ffff:0:0/96`) count as IPv4.
const IPV6: [&str; 21] = [
    "::/128",
    "::1/128",
    "::/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "100:0:0:1::/64",
    "2001::/32",
    "2001:2::/48",
    "2001:10::/28",
    "2001:20::/28",
    "2001:db8::/32",
    "2002::/16",
    "2620:4f:8000::/48",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
    "4000::/3",
];

/// First, middle and last address of each range.
pub fn addresses() -> Vec<IpAddr> {
    let mut all: Vec<IpAddr> = Vec::new();
    for range in IPV4 {
        let (base, bits) = range.split_once('/').expect("a range");
        let base = u32::from(base.parse::<Ipv4Addr>().expect("an address"));
        let rest = u32::MAX
            .checked_shr(bits.parse().expect("bits"))
            .unwrap_or(0);
        for offset in [0, rest / 2 + 1, rest] {
            all.push(Ipv4Addr::from(base | (offset & rest)).into());
        }
    }
    for range in IPV6 {
        let (base, bits) = range.split_once('/').expect("a range");
        let base = u128::from(base.parse::<Ipv6Addr>().expect("an address"));
        let rest = u128::MAX
            .checked_shr(bits.parse().expect("bits"))
            .unwrap_or(0);
        for offset in [0, rest / 2 + 1, rest] {
            all.push(Ipv6Addr::from(base | (offset & rest)).into());
        }
    }
    all.sort();
    all.dedup();
    all
}

/// Notations of an address in a URL.
pub fn notations(address: IpAddr) -> Vec<String> {
    match address {
        IpAddr::V6(it) => vec![format!("[{it}]"), format!("[{}]", long(it))],
        IpAddr::V4(it) => {
            let [a, b, c, d] = it.octets();
            let number = u32::from(it);
            vec![
                it.to_string(),
                format!("{it}."),
                number.to_string(),
                format!("0x{number:x}"),
                format!("0{number:o}"),
                format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"),
                format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
                format!("{a}.{}", number & 0x00FF_FFFF),
                format!("{a}.{b}.{}", number & 0xFFFF),
                format!("[::ffff:{it}]"),
                format!("[::{it}]"),
                format!("[64:ff9b::{it}]"),
                format!("[2002:{:x}:{:x}::]", number >> 16, number & 0xFFFF),
                // Full-width digits, which URL parsers normalize.
                wide(&it.to_string()),
                format!("user@{it}"),
                format!("example.com@{it}"),
            ]
        }
    }
}

fn long(address: Ipv6Addr) -> String {
    let parts = address.segments().map(|it| format!("{it:04X}"));
    parts.join(":")
}

fn wide(text: &str) -> String {
    let widened = text.chars().map(|it| match it.to_digit(10) {
        Some(digit) => char::from_u32(0xFF10 + digit).unwrap_or(it),
        None => it,
    });
    widened.collect()
}
