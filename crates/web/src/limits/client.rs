//! Where a request comes from.

use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The address that requests are counted by: the peer's, or what trusted proxies say of it. IPv6
/// callers have a network of 64 bits each, so all of it counts as one.
#[must_use]
pub fn client_address<'a>(
    peer: Option<IpAddr>,
    forwarded_for: impl DoubleEndedIterator<Item = &'a str>,
    trusted: &[IpNet],
) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|it| it.contains(&address));
    let mut found = plain(peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)));
    // Each proxy appends whom it heard from: what stands left of the first stranger is hearsay.
    let heard = forwarded_for.flat_map(|value| value.split(',')).rev();
    for told in heard {
        if !is_trusted(found) {
            break;
        }
        let Ok(address) = told.trim().parse() else {
            break;
        };
        found = plain(address);
    }
    match found {
        IpAddr::V4(_) => found,
        IpAddr::V6(address) => {
            let network = address.to_bits() >> 64 << 64;
            Ipv6Addr::from_bits(network).into()
        }
    }
}

/// IPv4 written as IPv6 is IPv4.
fn plain(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(peer: &str, forwarded: &[&str]) -> String {
        let trusted = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let peer = Some(peer.parse().unwrap());
        client_address(peer, forwarded.iter().copied(), &trusted).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(found("198.51.100.7", &["203.0.113.9"]), "198.51.100.7");
        assert_eq!(found("10.0.0.1", &["203.0.113.9"]), "203.0.113.9");
        assert_eq!(found("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(
            found("10.0.0.1", &["192.0.2.1, 203.0.113.9", "10.9.9.9"]),
            "203.0.113.9",
            "what a stranger says of others is not believed"
        );
        assert_eq!(found("10.0.0.1", &["nonsense"]), "10.0.0.1");
    }

    #[test]
    fn a_network_of_ipv6_is_one_caller() {
        assert_eq!(found("2001:db8:1:2:3:4:5:6", &[]), "2001:db8:1:2::");
        assert_eq!(found("::ffff:198.51.100.7", &[]), "198.51.100.7");
    }
}
