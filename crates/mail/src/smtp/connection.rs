//! Connections to the mail server, up to the sign-in.

use super::failure::{self, Redaction, Stage};
use super::password_file;
use super::plain_until_tls::PlainUntilTls;
use crate::{MailSettings, Security, SetupError};
use domain::ports::mailer::MailFailure;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::commands::Quit;
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::{Error, response::Response};
use std::io;
use std::path::Path;
use std::time::Duration;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

/// Of one of several addresses of the server, at most.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const QUIT_TIMEOUT: Duration = Duration::from_secs(5);

/// The configured mail server.
pub struct Relay {
    host: String,
    port: u16,
    security: Security,
    tls: Option<TlsParameters>,
    credentials: Option<Credentials>,
    pub redaction: Redaction,
    ehlo: ClientId,
    timeout: Duration,
}

impl Relay {
    /// `ehlo` is the name unless the settings have one. Reads the files of the settings.
    pub fn new(host: &str, settings: &MailSettings, ehlo: &str) -> Result<Self, SetupError> {
        let own = settings.ehlo.as_ref().map(|it| it.as_str().to_owned());
        let mut relay = Self {
            host: host.to_owned(),
            port: settings.port(),
            security: settings.security,
            tls: None,
            credentials: None,
            redaction: Redaction::default(),
            ehlo: ClientId::Domain(own.unwrap_or_else(|| ehlo.to_owned())),
            timeout: settings.timeout_seconds.0,
        };
        if settings.security != Security::None {
            relay.tls = Some(tls(host, settings.ca_file.as_deref())?);
        }
        if let (Some(username), Some(file)) = (&settings.username, &settings.password_file) {
            let password = password_file::read(file)?;
            relay.redaction = Redaction::of(username, password.reveal());
            let password = password.reveal().to_owned();
            relay.credentials = Some(Credentials::new(username.clone(), password));
        }
        Ok(relay)
    }

    /// Waits for what is before the text, for as long as all of it may take.
    pub async fn within_timeout<T>(
        &self,
        opening: impl Future<Output = Result<T, MailFailure>>,
    ) -> Result<T, MailFailure> {
        let late = |_| {
            let seconds = self.timeout.as_secs();
            let text = format!(
                "{}: not ready for a message within {seconds} s",
                self.name()
            );
            MailFailure::Temporary(self.redaction.apply(&text))
        };
        timeout(self.timeout, opening)
            .await
            .unwrap_or_else(|it| Err(late(it)))
    }

    /// Connects, encrypts and signs in.
    pub async fn connect(&self) -> Result<AsyncSmtpConnection, MailFailure> {
        let failed = |error: Error| self.failure(Stage::Connection, &error);
        let mut connection = match self.security {
            Security::Starttls => self.connect_with_starttls().await?,
            Security::Tls | Security::None => {
                let server = (self.host.as_str(), self.port);
                let per_address = Some(self.per_address());
                let opened = AsyncSmtpConnection::connect_tokio1;
                opened(server, per_address, &self.ehlo, self.tls.clone(), None)
                    .await
                    .map_err(failed)?
            }
        };
        if let Some(credentials) = &self.credentials {
            let signed_in = connection.auth(DEFAULT_MECHANISMS, credentials).await;
            if let Err(error) = signed_in {
                end(connection);
                return Err(failed(error));
            }
        }
        Ok(connection)
    }

    async fn connect_with_starttls(&self) -> Result<AsyncSmtpConnection, MailFailure> {
        let failed = |error: Error| self.failure(Stage::Connection, &error);
        let stream = self.connect_tcp().await.map_err(|error| {
            let text = format!("{}: {error}", self.name());
            MailFailure::Temporary(self.redaction.apply(&text))
        })?;
        let stream = Box::new(PlainUntilTls::new(stream));
        let opened = AsyncSmtpConnection::connect_with_transport(stream, &self.ehlo).await;
        let mut connection = opened.map_err(failed)?;
        if let Some(tls) = &self.tls {
            let encrypted = connection.starttls(tls.clone(), &self.ehlo).await;
            encrypted.map_err(failed)?;
        }
        Ok(connection)
    }

    async fn connect_tcp(&self) -> io::Result<TcpStream> {
        let mut last = io::Error::other("it has no address");
        for address in lookup_host((self.host.as_str(), self.port)).await? {
            match timeout(self.per_address(), TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => last = error,
                Err(_) => last = io::ErrorKind::TimedOut.into(),
            }
        }
        Err(last)
    }

    fn per_address(&self) -> Duration {
        CONNECT_TIMEOUT.min(self.timeout)
    }

    pub const fn signs_in(&self) -> bool {
        self.credentials.is_some()
    }

    /// Host and port.
    pub fn name(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    pub fn failure(&self, stage: Stage, error: &Error) -> MailFailure {
        failure::classify(stage, error, &self.name(), &self.redaction)
    }

    pub fn unexpected(&self, stage: Stage, reply: &Response) -> MailFailure {
        failure::unexpected(stage, reply, &self.redaction)
    }
}

/// Quits in the background: the outcome of a message does not depend on it.
pub fn end(mut connection: AsyncSmtpConnection) {
    tokio::spawn(async move {
        let farewell = timeout(QUIT_TIMEOUT, connection.command(Quit)).await;
        drop(farewell);
    });
}

fn tls(host: &str, ca_file: Option<&Path>) -> Result<TlsParameters, SetupError> {
    let mut builder = TlsParameters::builder(host.to_owned());
    if let Some(path) = ca_file {
        let unusable = |reason: String| SetupError::Authority {
            path: path.to_owned(),
            reason,
        };
        let text = std::fs::read(path).map_err(|it| unusable(it.to_string()))?;
        // `Certificate` would take a file without certificates.
        if !String::from_utf8_lossy(&text).contains("-----BEGIN CERTIFICATE-----") {
            return Err(unusable("there is no CERTIFICATE block in it".to_owned()));
        }
        let authority = Certificate::from_pem(&text).map_err(|it| unusable(it.to_string()))?;
        builder = builder.add_root_certificate(authority);
    }
    builder
        .build()
        .map_err(|it| SetupError::Tls(it.to_string()))
}
