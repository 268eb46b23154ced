//! Actix's server, which is generic: instantiated here, it is compiled once and with this crate's optimization.

use crate::connections::Connections;
use actix_web::{App, HttpServer, dev::Server, web::ServiceConfig};
use std::{io, net::TcpListener, num::NonZeroUsize, sync::Arc, time::Duration};

pub struct HttpServerSetup {
    pub configure: Arc<dyn Fn(&mut ServiceConfig) + Send + Sync>,
    pub connections: Option<Arc<Connections>>,
    /// `None`: one per core.
    pub threads: Option<NonZeroUsize>,
    /// For requests in flight at shutdown.
    pub drain: Duration,
}

impl HttpServerSetup {
    /// Starts when polled; signals do not stop it. Fails if the listener cannot be used.
    pub fn listen(self, listener: TcpListener) -> io::Result<Server> {
        let Self {
            configure,
            connections,
            threads,
            drain,
        } = self;
        let app = move || App::new().configure(|config| configure(config));
        let mut server = HttpServer::new(app)
            .disable_signals()
            .keep_alive(Duration::from_secs(75))
            .client_request_timeout(Duration::from_secs(5))
            .shutdown_timeout(drain.as_secs());
        if let Some(threads) = threads {
            server = server.workers(threads.get());
        }
        if let Some(connections) = connections {
            server = server.on_connect(move |connection, kept| connections.begin(connection, kept));
        }
        Ok(server.listen(listener)?.run())
    }
}
