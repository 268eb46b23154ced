//! The port to a mail server by SMTP (RFC 5321), one transaction a recipient.
//!
//! `lettre`'s `AsyncTransport::send` is one step from `MAIL` to the final reply. Here the worker records the hand-over
//! between 354 and the text, so the steps are separate.

mod connection;
mod failure;
mod password_file;
mod plain_until_tls;

use crate::compose::{self, Sender};
use crate::{MailSettings, SetupError};
use async_trait::async_trait;
use connection::{Relay, end};
use domain::mail::{Delivery, Letter};
use domain::ports::mailer::{MailFailure, MailTransfer, Mailer};
use failure::{Stage, line};
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::response::{Response, Severity};
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// For the reply to the text (RFC 5321, 4.5.3.2.6).
const REPLY_TIMEOUT: Duration = Duration::from_mins(10);
/// Asks for the text.
const READY_FOR_TEXT: u16 = 354;

pub struct SmtpMailer {
    relay: Arc<Relay>,
    sender: Arc<Sender>,
}

/// What a mail server answers without a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Host and port.
    pub server: String,
    /// The name that it gives itself.
    pub name: String,
    pub is_encrypted: bool,
    pub is_signed_in: bool,
}

impl SmtpMailer {
    /// `None` while mail is off. Reads the password and the authority; changed files count after a restart.
    pub fn new(settings: &MailSettings) -> Result<Option<Self>, SetupError> {
        let (Some(host), Some(from)) = (&settings.host, &settings.from) else {
            return Ok(None);
        };
        let sender = Sender::new(from, settings)?;
        let relay = Relay::new(host.as_str(), settings, from.domain())?;
        Ok(Some(Self {
            relay: Arc::new(relay),
            sender: Arc::new(sender),
        }))
    }

    /// Connects, encrypts and signs in, as for a message.
    pub async fn probe(&self) -> Result<Probe, MailFailure> {
        let connection = self.relay.within_timeout(self.relay.connect()).await?;
        let probe = Probe {
            server: self.relay.name(),
            name: connection.server_info().name().to_owned(),
            is_encrypted: connection.is_encrypted(),
            is_signed_in: self.relay.signs_in(),
        };
        end(connection);
        Ok(probe)
    }

    async fn reach_text(&self, delivery: &Delivery) -> Result<AsyncSmtpConnection, MailFailure> {
        let (from, to) = self.sender.envelope(delivery)?;
        let mut connection = self.relay.connect().await?;
        let named = self.name_both(&mut connection, (from, to)).await;
        if let Err(failure) = named {
            end(connection);
            return Err(failure);
        }
        Ok(connection)
    }

    async fn name_both(
        &self,
        connection: &mut AsyncSmtpConnection,
        (from, to): (lettre::Address, lettre::Address),
    ) -> Result<(), MailFailure> {
        let mail = Mail::new(Some(from), Vec::new());
        self.step(connection, Stage::Sender, mail).await?;
        let recipient = Rcpt::new(to, Vec::new());
        self.step(connection, Stage::Recipient, recipient).await?;
        let reply = self.step(connection, Stage::Recipient, Data).await?;
        if u16::from(reply.code()) == READY_FOR_TEXT {
            Ok(())
        } else {
            Err(self.relay.unexpected(Stage::Recipient, &reply))
        }
    }

    async fn step(
        &self,
        connection: &mut AsyncSmtpConnection,
        stage: Stage,
        command: impl Display + Send,
    ) -> Result<Response, MailFailure> {
        let reply = connection.command(command).await;
        reply.map_err(|error| self.relay.failure(stage, &error))
    }
}

#[async_trait]
impl Mailer for SmtpMailer {
    async fn open(&self, delivery: &Delivery) -> Result<Box<dyn MailTransfer>, MailFailure> {
        let opening = self.reach_text(delivery);
        let connection = self.relay.within_timeout(opening).await?;
        Ok(Box::new(SmtpTransfer {
            connection,
            relay: Arc::clone(&self.relay),
            sender: Arc::clone(&self.sender),
        }))
    }
}

/// A connection to a server that waits for the text. Closed without the final dot, nothing is delivered.
struct SmtpTransfer {
    connection: AsyncSmtpConnection,
    relay: Arc<Relay>,
    sender: Arc<Sender>,
}

#[async_trait]
impl MailTransfer for SmtpTransfer {
    async fn send(self: Box<Self>, letter: &Letter) -> Result<String, MailFailure> {
        let Self {
            mut connection,
            relay,
            sender,
        } = *self;
        let text = compose::message(&sender, letter)?;
        let sending = connection.message(&text);
        let Ok(replied) = timeout(REPLY_TIMEOUT, sending).await else {
            let text = format!("{}: no reply to the text within 10 min", relay.name());
            return Err(MailFailure::NoReply(relay.redaction.apply(&text)));
        };
        let reply = replied.map_err(|error| relay.failure(Stage::Text, &error))?;
        end(connection);
        if reply.code().severity == Severity::PositiveCompletion {
            Ok(relay.redaction.apply(&line(&reply)))
        } else {
            Err(relay.unexpected(Stage::Text, &reply))
        }
    }
}
