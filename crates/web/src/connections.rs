//! Limits connections in total and per network. Each uses two file descriptors until its keep-alive ends.

use crate::http::client_disconnect::Peer;
use crate::limits::{RequestLimits, Slot, Slots, slot_limits};
use crate::request_metrics;
use actix_web::{dev::Extensions, rt::net::TcpStream};
use ipnet::IpNet;
use std::{any::Any, net::IpAddr, sync::Arc};

pub struct Connections {
    slots: Arc<Slots>,
    per_address: u32,
    /// Networks with connections that count in total but are never refused, such as proxies.
    exempt: Vec<IpNet>,
}

/// Held until dropped.
struct ConnectionSlot {
    _slot: Slot,
}

impl Connections {
    pub fn new(limits: &RequestLimits) -> Self {
        request_metrics::init_rate_limit("connections");
        let proxies = limits.trusted_proxies.iter();
        let exempt = proxies.chain(&limits.uncounted_networks).copied();
        Self {
            slots: Slots::new(limits.connections),
            per_address: limits.connections_per_address,
            exempt: exempt.collect(),
        }
    }

    /// Counts a connection and stores its slot in Actix's extensions; closes it above a limit.
    pub fn begin(&self, connection: &dyn Any, kept: &mut Extensions) {
        let Some(stream) = connection.downcast_ref::<TcpStream>() else {
            return;
        };
        let Some(peer) = Peer::of(stream) else { return };
        let Ok(address) = stream.peer_addr() else {
            return;
        };
        match self.slot(address.ip()) {
            Some(slot) => {
                kept.insert(ConnectionSlot { _slot: slot });
            }
            None if self.is_exempt(address.ip()) => {}
            None => {
                request_metrics::count_rate_limited("connections");
                peer.shut_down();
            }
        }
        kept.insert(peer);
    }

    /// Whether three quarters are in use; then no connection is kept alive.
    pub fn are_scarce(&self) -> bool {
        self.slots.in_use() >= self.slots.max() - self.slots.max() / 4
    }

    fn slot(&self, address: IpAddr) -> Option<Slot> {
        let limits = slot_limits(address, self.slots.max(), self.per_address);
        let taken = if self.is_exempt(address) {
            self.slots.take([])
        } else {
            self.slots.take(limits)
        };
        taken.ok()
    }

    fn is_exempt(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.exempt.iter().any(|it| it.contains(&address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_limit_and_proxies_are_exempt() {
        let connections = Connections::new(&RequestLimits {
            connections: 16,
            connections_per_address: 3,
            trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()],
            ..RequestLimits::default()
        });
        let open = |address: &str, wanted: usize| -> Vec<Slot> {
            let address = address.parse().unwrap();
            (0..wanted)
                .filter_map(|_| connections.slot(address))
                .collect()
        };
        let one = open("192.0.2.1", 9);
        assert_eq!(one.len(), 3);
        let network: Vec<_> = (2..9)
            .flat_map(|it| open(&format!("192.0.2.{it}"), 3))
            .collect();
        assert_eq!(network.len(), 5, "a /24 has half of all");
        assert!(!connections.are_scarce());
        let proxied = open("10.1.2.3", 4);
        assert_eq!(proxied.len(), 4);
        assert!(connections.are_scarce());
        assert!(connections.is_exempt("127.0.0.1".parse().unwrap()));
        drop((one, network, proxied));
        assert_eq!(connections.slots.in_use(), 0);
    }
}
