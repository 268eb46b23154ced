//! Mail: the port to a mail server by SMTP, the texts of all messages, and the reading of bounces and complaints.

mod bounce;
mod compose;
mod content;
mod settings;
mod smtp;
mod status;
mod templates;

pub use bounce::{
    BounceKind, BounceReport, Bounced, MAX_BOUNCE_BYTES, UnreadableBounce, read_bounce,
};
pub use compose::{Rendered, render};
pub use settings::{DomainName, MailSettings, Mailbox, Security, ServerName};
pub use smtp::{Probe, SmtpMailer};
pub use status::EnhancedStatus;

use std::path::PathBuf;
use thiserror::Error;

/// Why mail cannot be set up with the settings.
#[derive(Debug, Error)]
pub enum SetupError {
    #[error("cannot use the file in mail.password_file, {}: {reason}", .path.display())]
    Password { path: PathBuf, reason: String },
    #[error("cannot use the file in mail.ca_file, {}: {reason}", .path.display())]
    Authority { path: PathBuf, reason: String },
    #[error("cannot set up TLS to the mail server: {0}")]
    Tls(String),
    #[error(
        "the address {0} cannot be used in SMTP: choose another one in mail.from or mail.reply_to"
    )]
    Address(String),
}
