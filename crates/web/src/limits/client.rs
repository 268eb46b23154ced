use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    /// For rate limits; an IPv6 /64 counts as one.
    pub address: IpAddr,
    /// Trusted proxy with an unreadable `X-Forwarded-For` entry: all its clients count as one.
    pub unreadable_proxy: Option<IpAddr>,
    /// Peer in a private network that sent `X-Forwarded-For` but is not trusted, probably the operator's proxy: all its
    /// clients count as one.
    pub untrusted_proxy: Option<IpAddr>,
}

/// The peer, or the address reported by trusted proxies.
pub fn resolve_client<'a>(
    peer: Option<IpAddr>,
    forwarded_for: impl DoubleEndedIterator<Item = &'a str>,
    trusted: &[IpNet],
) -> Client {
    let is_trusted = |address: IpAddr| trusted.iter().any(|it| it.contains(&address));
    let mut found = peer
        .unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
        .to_canonical();
    let mut unreadable_from = None;
    let mut forwarded_for = forwarded_for
        .flat_map(|value| value.split(','))
        .rev()
        .peekable();
    let is_from_a_stranger = forwarded_for.peek().is_some() && !is_trusted(found);
    let untrusted_proxy = (is_from_a_stranger && is_private(found)).then_some(found);
    // Each proxy appends the address of its peer: entries left of the first untrusted one may be forged.
    for entry in forwarded_for {
        if !is_trusted(found) {
            break;
        }
        let Some(address) = read(entry) else {
            unreadable_from = Some(found);
            break;
        };
        found = address.to_canonical();
    }
    let address = match found {
        IpAddr::V4(_) => found,
        IpAddr::V6(address) => {
            let network = address.to_bits() >> 64 << 64;
            Ipv6Addr::from_bits(network).into()
        }
    };
    Client {
        address,
        unreadable_proxy: unreadable_from,
        untrusted_proxy,
    }
}

/// Private (RFC 1918, RFC 4193), link-local or loopback.
const fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => it.is_private() || it.is_loopback() || it.is_link_local(),
        IpAddr::V6(it) => it.is_unique_local() || it.is_loopback() || it.is_unicast_link_local(),
    }
}

/// In the forms that proxies use: bare, with a port, in brackets, in quotes.
fn read(entry: &str) -> Option<IpAddr> {
    let entry = entry.trim();
    let quoted = entry.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let entry = quoted.unwrap_or(entry);
    let with_port = || entry.parse::<SocketAddr>().ok().map(|it| it.ip());
    let in_brackets = || {
        let inner = entry.strip_prefix('[')?.strip_suffix(']')?;
        inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6)
    };
    let bare = entry.parse().ok();
    bare.or_else(with_port).or_else(in_brackets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(peer: &str, forwarded: &[&str]) -> Client {
        let trusted = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let peer = Some(peer.parse().unwrap());
        resolve_client(peer, forwarded.iter().copied(), &trusted)
    }

    fn address(peer: &str, forwarded: &[&str]) -> String {
        found(peer, forwarded).address.to_string()
    }

    #[test]
    fn only_trusted_proxies_set_the_client() {
        assert_eq!(address("198.51.100.7", &["203.0.113.9"]), "198.51.100.7");
        assert_eq!(address("10.0.0.1", &["203.0.113.9"]), "203.0.113.9");
        assert_eq!(address("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(
            address("10.0.0.1", &["192.0.2.1, 203.0.113.9", "10.9.9.9"]),
            "203.0.113.9",
            "what a stranger says of others is not believed"
        );
    }

    #[test]
    fn an_untrusted_private_proxy_is_reported() {
        let proxy = |peer: &str, forwarded: &[&str]| found(peer, forwarded).untrusted_proxy;
        for peer in ["127.0.0.1", "192.168.0.7", "::1", "fe80::1"] {
            assert_eq!(proxy(peer, &["203.0.113.9"]), Some(peer.parse().unwrap()));
            assert_eq!(proxy(peer, &[]), None);
        }
        assert_eq!(proxy("10.0.0.1", &["203.0.113.9"]), None, "it is trusted");
        assert_eq!(proxy("198.51.100.7", &["203.0.113.9"]), None);
    }

    #[test]
    fn a_network_of_ipv6_is_one_caller() {
        assert_eq!(address("2001:db8:1:2:3:4:5:6", &[]), "2001:db8:1:2::");
        assert_eq!(address("::ffff:198.51.100.7", &[]), "198.51.100.7");
    }

    #[test]
    fn entries_may_have_ports_brackets_and_quotes() {
        for (entry, client) in [
            ("203.0.113.7:4711", "203.0.113.7"),
            (" 203.0.113.7 ", "203.0.113.7"),
            ("\"203.0.113.7:80\"", "203.0.113.7"),
            ("[2001:db8::1]:443", "2001:db8::"),
            ("[2001:db8::1]", "2001:db8::"),
            ("\"[2001:db8::1]:443\"", "2001:db8::"),
            ("2001:db8::1", "2001:db8::"),
            ("[::ffff:203.0.113.7]:1", "203.0.113.7"),
        ] {
            let found = found("10.0.0.1", &[entry]);
            assert_eq!(found.address.to_string(), client, "{entry}");
            assert_eq!(found.unreadable_proxy, None, "{entry}");
        }
    }

    #[test]
    fn an_unreadable_entry_of_a_trusted_proxy_is_reported() {
        let proxy = "10.0.0.1".parse().unwrap();
        for entry in ["nonsense", "unknown", "203.0.113.7:x", "[203.0.113.7]", ""] {
            let found = found("10.0.0.1", &[entry]);
            assert_eq!(found.address, proxy, "{entry}");
            assert_eq!(found.unreadable_proxy, Some(proxy), "{entry}");
        }
        let forged = found("10.0.0.1", &["nonsense, 203.0.113.7"]);
        assert_eq!(forged.unreadable_proxy, None);
        assert_eq!(found("198.51.100.7", &["nonsense"]).unreadable_proxy, None);
    }
}
