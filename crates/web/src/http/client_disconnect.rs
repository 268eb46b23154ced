//! Detects client disconnects. Actix does not read from a connection while a handler runs.

use actix_web::{HttpRequest, rt::net::TcpStream};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Poll flags that mean the peer closed. Outside Linux, half-close is not reported, only resets.
#[cfg(target_os = "linux")]
const CLOSED: PollFlags = PollFlags::RDHUP.union(PollFlags::HUP).union(PollFlags::ERR);
#[cfg(not(target_os = "linux"))]
const CLOSED: PollFlags = PollFlags::HUP.union(PollFlags::ERR);

#[derive(Clone)]
pub struct Peer(Arc<OwnedFd>);

impl Peer {
    pub fn of(connection: &TcpStream) -> Option<Self> {
        let socket = connection.as_fd().try_clone_to_owned().ok()?;
        Some(Self(Arc::new(socket)))
    }

    pub fn shut_down(&self) {
        if let Ok(socket) = self.0.try_clone() {
            // Fails only if the client has disconnected.
            let _ = std::net::TcpStream::from(socket).shutdown(Shutdown::Both);
        }
    }

    fn is_closed(&self) -> bool {
        let mut looked_at = [PollFd::new(&*self.0, CLOSED)];
        let at_once = Timespec::default();
        let found = poll(&mut looked_at, Some(&at_once));
        found.is_ok() && looked_at[0].revents().intersects(CLOSED)
    }
}

/// Completes when the client disconnects; never if that cannot be detected.
pub async fn client_disconnected(request: &HttpRequest) {
    peer_disconnected(request.conn_data::<Peer>()).await;
}

pub async fn peer_disconnected(peer: Option<&Peer>) {
    let Some(peer) = peer.cloned() else {
        return std::future::pending().await;
    };
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        if peer.is_closed() {
            return;
        }
    }
}
