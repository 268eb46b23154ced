//! The port to a mail server.

use crate::mail::{Delivery, Letter};
use async_trait::async_trait;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MailFailure {
    /// The server did not accept it and may later: no connection, no sign-in, or a reply of 4xx.
    #[error("{0}")]
    Temporary(String),
    /// A reply of 5xx.
    #[error("{reply}")]
    Refused {
        reply: String,
        /// Whether the address does not exist: an enhanced status of 5.1.1, 5.1.2, 5.1.3, 5.1.6 or 5.1.10 (RFC 3463 and
        /// its registry).
        is_unknown_address: bool,
    },
    /// The text was transferred at least in part, and the connection ended without a reply. Only from
    /// [`MailTransfer::send`].
    #[error("{0}")]
    NoReply(String),
}

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Names sender and recipient to the server, until it is ready for the text. Dropping the transfer sends nothing. The
    /// sender may hold the ids of the delivery, so that a bounce can be matched to it.
    async fn open(&self, delivery: &Delivery) -> Result<Box<dyn MailTransfer>, MailFailure>;
}

/// An open transfer.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait MailTransfer: Send {
    /// Transfers the text; returns the reply that accepted it.
    async fn send(self: Box<Self>, letter: &Letter) -> Result<String, MailFailure>;
}
