//! A server on loopback, in this process.

use actix_web::{App, HttpServer, dev::ServerHandle, web::ServiceConfig};
use std::net::SocketAddr;

/// Stops when dropped.
pub struct Loopback {
    pub address: SocketAddr,
    server: ServerHandle,
}

impl Loopback {
    pub fn start(configure: impl Fn(&mut ServiceConfig) + Clone + Send + 'static) -> Self {
        let server = HttpServer::new(move || App::new().configure(configure.clone()))
            .workers(1)
            .disable_signals()
            .bind(("127.0.0.1", 0))
            .unwrap();
        let address = server.addrs()[0];
        let server = server.run();
        let handle = server.handle();
        tokio::spawn(server);
        Self {
            address,
            server: handle,
        }
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        let stop = self.server.stop(false);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(stop);
        }
    }
}
