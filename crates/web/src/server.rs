//! Actix's server. It is generic in what it serves: here it is compiled once for all that the process serves,
//! with the optimisation of this crate.

use crate::connections::Connections;
use actix_web::{App, HttpServer, dev::Server, web::ServiceConfig};
use std::{io, net::TcpListener, num::NonZeroUsize, sync::Arc, time::Duration};

/// What is served, and how.
pub struct Served {
    /// Configures the application of each thread.
    pub configure: Arc<dyn Fn(&mut ServiceConfig) + Send + Sync>,
    /// Counts and limits connections.
    pub connections: Option<Arc<Connections>>,
    /// Threads; one for each core where there is no number.
    pub threads: Option<NonZeroUsize>,
    /// How long requests under way may take to finish when the server is stopped.
    pub drain: Duration,
}

impl Served {
    /// Serves on the listener as soon as the server is polled. Signals do not stop it.
    ///
    /// # Errors
    /// The listener cannot be used.
    pub fn on(self, listener: TcpListener) -> io::Result<Server> {
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
