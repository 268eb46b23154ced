use crate::opening::OpenError;
use crate::postgres_url::Parts;
use crate::sql::{DatabaseKind, Db};
use crate::tls;
use crate::tls::Tunnel;
use diesel::{ConnectionError, ConnectionResult};
use std::sync::Arc;

/// The `application_name` in `pg_stat_activity`.
pub const APPLICATION: &str = "sightline";

#[derive(Clone)]
pub struct PostgresEndpoint {
    /// The URL for libpq.
    pub target: String,
    /// `None` without TLS.
    tunnel: Option<Arc<Tunnel>>,
}

impl PostgresEndpoint {
    /// Does not connect.
    pub fn new(url: &str) -> Result<Self, OpenError> {
        let mut parts = Parts::of(url);
        // A dead server is noticed in seconds, and operators see who is connected.
        for (name, value) in [
            ("connect_timeout", tls::CONNECT_SECONDS),
            ("tcp_user_timeout", "15000"),
            ("application_name", APPLICATION),
        ] {
            parts.set_default(name, value);
        }
        let (target, tunnel) = tls::resolve_url(parts)?;
        Ok(Self { target, tunnel })
    }

    /// A URL without password, and the password, for programs of `PostgreSQL`; valid while this lives.
    pub fn url_and_password(&self) -> (String, Option<String>) {
        let mut parts = Parts::of(&self.target);
        let password = parts.take_password();
        (parts.to_string(), password)
    }

    pub fn connect(&self, setup: &str) -> ConnectionResult<Db> {
        self.connect_to(&self.target, setup)
    }

    pub fn connect_to(&self, target: &str, setup: &str) -> ConnectionResult<Db> {
        let connected = Db::connect(DatabaseKind::Postgres, target, setup);
        let connected = connected.map(|it| it.with_tunnel(self.tunnel.clone()));
        connected.map_err(|error| match error {
            ConnectionError::BadConnection(reason) => {
                let message = match &self.tunnel {
                    Some(tunnel) => tunnel.restore_server_names(&reason),
                    None => reason,
                };
                ConnectionError::BadConnection(message.trim().replace('\n', "; "))
            }
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_options_override_the_defaults() {
        let target = |url| PostgresEndpoint::new(url).unwrap().target;
        assert_eq!(
            target("postgres://h/d?connect_timeout=9"),
            "postgres://h/d?connect_timeout=9&tcp_user_timeout=15000&application_name=sightline"
        );
        assert!(target("postgres://h/d").contains("d?connect_timeout=2&"));
        assert!(!target("postgres://h/d?sslmode=prefer").contains("ssl"));
    }
}
