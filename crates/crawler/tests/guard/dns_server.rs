//! A DNS server with answers that may change (RFC 1035, as far as resolvers of the C library need).

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr, UdpSocket},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

/// Records of a name.
#[derive(Debug, Clone)]
pub struct Entry {
    pub addresses: Vec<IpAddr>,
    /// Addresses from the second connection on, if they change (DNS rebinding).
    pub later: Option<Vec<IpAddr>>,
    /// Whether the addresses are served through a CNAME.
    pub is_alias: bool,
}

impl Entry {
    pub fn of(addresses: &[IpAddr]) -> Self {
        Self {
            addresses: addresses.to_vec(),
            later: None,
            is_alias: false,
        }
    }
}

/// IPv4 queries per name: one per connection.
type QueryCounts = Mutex<HashMap<String, u32>>;

/// Serves forever on its own thread; counts queries.
pub fn serve(at: SocketAddr, names: HashMap<String, Entry>) -> Arc<AtomicU32> {
    let socket = UdpSocket::bind(at).expect("a port for names");
    let count = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&count);
    std::thread::spawn(move || {
        let query_counts = QueryCounts::default();
        let mut buffer = [0; 512];
        while let Ok((length, whence)) = socket.recv_from(&mut buffer) {
            counted.fetch_add(1, Ordering::Relaxed);
            if let Some(answer) = answer(&buffer[..length], &names, &query_counts) {
                let _ = socket.send_to(&answer, whence);
            }
        }
    });
    count
}

fn answer(
    query: &[u8],
    names: &HashMap<String, Entry>,
    query_counts: &QueryCounts,
) -> Option<Vec<u8>> {
    let (name, behind) = name_at(query, 12)?;
    let kind = u16::from_be_bytes([*query.get(behind)?, *query.get(behind + 1)?]);
    let question = query.get(12..behind + 4)?;
    let found = names.get(&name);
    let addresses = found.map_or(&[][..], |it| match &it.later {
        Some(later) if times(query_counts, &name, kind) > 1 => later,
        _ => &it.addresses,
    });
    let mut records = Vec::new();
    let mut count = 0_u16;
    let alias = b"\x05alias\x07example\x00".as_slice();
    let is_alias = found.is_some_and(|it| it.is_alias);
    if is_alias {
        record(&mut records, b"\xC0\x0C", 5, alias);
        count += 1;
    }
    let owner = if is_alias { alias } else { b"\xC0\x0C" };
    for address in addresses {
        match (address, kind) {
            (IpAddr::V4(it), 1) => record(&mut records, owner, 1, &it.octets()),
            (IpAddr::V6(it), 28) => record(&mut records, owner, 28, &it.octets()),
            _ => continue,
        }
        count += 1;
    }
    // NXDOMAIN for unknown names only; otherwise an empty answer.
    let flags: u16 = if found.is_some() { 0x8580 } else { 0x8583 };
    let mut response = query[..2].to_vec();
    for number in [flags, 1, count, 0, 0] {
        response.extend(number.to_be_bytes());
    }
    response.extend(question);
    response.extend(records);
    Some(response)
}

/// Lookups of the name, this one included; each asks for both kinds of addresses.
fn times(query_counts: &QueryCounts, name: &str, kind: u16) -> u32 {
    let mut query_counts = query_counts.lock().expect("nobody panics here");
    let times = query_counts.entry(format!("{name} {kind}")).or_default();
    *times += 1;
    *times
}

fn record(records: &mut Vec<u8>, owner: &[u8], kind: u16, data: &[u8]) {
    records.extend(owner);
    records.extend(kind.to_be_bytes());
    records.extend(1_u16.to_be_bytes());
    // TTL 0: no caching.
    records.extend(0_u32.to_be_bytes());
    records.extend(
        u16::try_from(data.len())
            .expect("a short record")
            .to_be_bytes(),
    );
    records.extend(data);
}

fn name_at(query: &[u8], mut at: usize) -> Option<(String, usize)> {
    let mut labels = Vec::new();
    loop {
        let length = usize::from(*query.get(at)?);
        at += 1;
        if length == 0 {
            return Some((labels.join(".").to_ascii_lowercase(), at));
        }
        let label = query.get(at..at + length)?;
        labels.push(String::from_utf8_lossy(label).into_owned());
        at += length;
    }
}
