//! Networks that an address is counted in. An IPv6 subscriber has a /64, often a /56 or /48, so counting by /64 alone
//! would grant one subscriber the limit of many. Wider networks may hold several subscribers, so they have a multiple.

use super::SlotKey;
use ipnet::IpNet;
use std::net::IpAddr;

/// Prefix lengths with the multiple of an address's limit, narrow to wide.
const IPV4: [(u8, u32); 2] = [(32, 1), (24, 4)];
pub(super) const IPV6: [(u8, u32); 3] = [(64, 1), (56, 4), (48, 8)];

/// Narrow to wide, with the multiple of an address's limit.
pub fn networks(address: IpAddr) -> impl Iterator<Item = (IpNet, u32)> {
    let address = address.to_canonical();
    let prefixes: &'static [(u8, u32)] = match address {
        IpAddr::V4(_) => &IPV4,
        IpAddr::V6(_) => &IPV6,
    };
    prefixes.iter().filter_map(move |(length, multiple)| {
        let network = IpNet::new(address, *length).ok()?;
        Some((network.trunc(), *multiple))
    })
}

/// Per network: the multiple of `per_address`, at most half of `max`.
pub fn slot_limits(
    address: IpAddr,
    max: u32,
    per_address: u32,
) -> impl Iterator<Item = (SlotKey, u32)> {
    let half = (max / 2).max(1);
    networks(address).map(move |(network, multiple)| {
        let limit = per_address.saturating_mul(multiple).min(half);
        (SlotKey::Network(network), limit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(address: &str) -> Vec<String> {
        let all = networks(address.parse().unwrap());
        all.map(|(network, multiple)| format!("{network} {multiple}"))
            .collect()
    }

    #[test]
    fn an_address_is_counted_with_its_prefixes() {
        assert_eq!(found("192.0.2.7"), ["192.0.2.7/32 1", "192.0.2.0/24 4"]);
        assert_eq!(found("::ffff:192.0.2.7"), found("192.0.2.7"));
        assert_eq!(
            found("2001:db8:1:2345::9"),
            [
                "2001:db8:1:2345::/64 1",
                "2001:db8:1:2300::/56 4",
                "2001:db8:1::/48 8"
            ]
        );
    }

    #[test]
    fn no_network_may_hold_more_than_half() {
        let limits = |max, per_address| -> Vec<u32> {
            let all = slot_limits("2001:db8::1".parse().unwrap(), max, per_address);
            all.map(|(_, limit)| limit).collect()
        };
        assert_eq!(limits(64, 8), [8, 32, 32]);
        assert_eq!(limits(1_000, 8), [8, 32, 64]);
        assert_eq!(limits(4, 8), [2, 2, 2]);
        assert_eq!(limits(1, 8), [1, 1, 1]);
    }
}
