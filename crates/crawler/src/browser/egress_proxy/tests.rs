//! The proxy against well-behaved and malformed SOCKS 5 clients.

use super::*;
use ipnet::IpNet;

async fn gate(open: bool, limit: u64) -> EgressProxy {
    let networks: Vec<IpNet> = if open {
        vec!["127.0.0.0/8".parse().unwrap()]
    } else {
        Vec::new()
    };
    let settings = CrawlerSettings {
        allow_networks: networks,
        ..CrawlerSettings::default()
    };
    let own = rustix::process::geteuid().as_raw();
    EgressProxy::start(Arc::new(settings), limit, own)
        .await
        .unwrap()
}

/// Requests a host by name; returns the connection and the reply code.
async fn connect_to(gate: &EgressProxy, host: &str, port: u16) -> (TcpStream, u8) {
    let mut stream = TcpStream::connect(("127.0.0.1", gate.port()))
        .await
        .unwrap();
    stream.write_all(&[5, 1, 0]).await.unwrap();
    let mut chosen = [0; 2];
    stream.read_exact(&mut chosen).await.unwrap();
    assert_eq!(chosen, [5, 0]);
    let mut request = vec![5, 1, 0, 3, u8::try_from(host.len()).unwrap()];
    request.extend_from_slice(host.as_bytes());
    request.extend_from_slice(&port.to_be_bytes());
    stream.write_all(&request).await.unwrap();
    let mut answer = [0; 10];
    stream.read_exact(&mut answer).await.unwrap();
    (stream, answer[1])
}

/// Starts an echo server and returns its port.
async fn echo() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut from, mut to) = stream.split();
                tokio::io::copy(&mut from, &mut to).await
            });
        }
    });
    port
}

#[tokio::test]
async fn non_public_hosts_are_refused_in_every_notation() {
    let port = echo().await;
    let closed = gate(false, 1_000_000).await;
    for host in [
        "127.0.0.1",
        "localhost",
        "127.1",
        "2130706433",
        "0x7f.1",
        "::1",
        "::ffff:127.0.0.1",
        "169.254.169.254",
        "metadata.internal",
        "10.0.0.1",
        "",
        "a/b",
        "user@127.0.0.1",
    ] {
        assert_eq!(connect_to(&closed, host, port).await.1, 4, "{host}");
    }
}

#[tokio::test]
async fn allowed_networks_are_relayed_in_both_directions() {
    let port = echo().await;
    let open = gate(true, 1_000_000).await;
    let (mut stream, answer) = connect_to(&open, "127.0.0.1", port).await;
    assert_eq!(answer, 0);
    stream.write_all(b"hello").await.unwrap();
    let mut heard = [0; 5];
    stream.read_exact(&mut heard).await.unwrap();
    assert_eq!(&heard, b"hello");
    assert!(!open.is_exhausted());
}

#[tokio::test]
async fn connections_close_at_the_traffic_limit() {
    let port = echo().await;
    let open = gate(true, 1_000).await;
    let (mut stream, _) = connect_to(&open, "127.0.0.1", port).await;
    stream.write_all(&[7; 5_000]).await.unwrap();
    let mut heard = Vec::new();
    // The connection ends by a close or a reset.
    let _ = stream.read_to_end(&mut heard).await;
    assert!(open.is_exhausted() && heard.len() <= 1_000);
}

#[tokio::test]
async fn malformed_bind_and_udp_requests_are_disconnected() {
    let open = gate(true, 1_000_000).await;
    for request in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        &[5, 1, 0, 5, 2, 0, 1, 127, 0, 0, 1, 0, 80],
        &[5, 1, 0, 5, 3, 0, 1, 0, 0, 0, 0, 0, 0],
        &[4, 1, 0, 80, 127, 0, 0, 1, 0],
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", open.port()))
            .await
            .unwrap();
        stream.write_all(request).await.unwrap();
        let mut heard = Vec::new();
        let _ = stream.read_to_end(&mut heard).await;
        assert!(heard.len() <= 2, "{heard:?}");
    }
}

#[test]
fn socket_owner_is_read_from_the_tcp_list() {
    let list = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
        0: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 11 1\n   \
        1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 12 1\n";
    let at = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
    if cfg!(target_endian = "little") {
        assert_eq!(socket_owner(list, at(50_000), at(8_080)), Some(1_000));
        assert_eq!(socket_owner(list, at(8_080), at(50_000)), Some(0));
    }
    assert_eq!(socket_owner(list, at(50_000), at(8_081)), None);
    assert_eq!(socket_owner("nonsense", at(50_000), at(8_080)), None);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn connections_of_other_users_are_closed() {
    let own = rustix::process::geteuid().as_raw();
    let gate = EgressProxy::start(Arc::default(), 1_000_000, own + 1)
        .await
        .unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", gate.port()))
        .await
        .unwrap();
    let _ = stream.write_all(&[5, 1, 0]).await;
    let mut heard = Vec::new();
    let _ = stream.read_to_end(&mut heard).await;
    assert!(heard.is_empty(), "{heard:?}");
}
