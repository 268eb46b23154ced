//! `sightline mail`: tests the mail settings, and reads bounces.

use super::{Outcome, UsageError, open_context};
use crate::cli::MailCommand;
use crate::settings::Loaded;
use crate::terminal::print_line;
use crate::wiring::{AppContext, system_ports};
use anyhow::Context;
use domain::email::EmailAddress;
use domain::ids::{AccountId, DeliveryId, IdMint};
use domain::mail::{Delivery, Letter, Message, SuppressionReason};
use domain::ports::mailer::Mailer;
use mail::{BounceKind, DomainName, EnhancedStatus, MAX_BOUNCE_BYTES, SmtpMailer};
use std::io::Read;
use std::sync::Arc;

pub async fn run(loaded: Loaded, command: MailCommand) -> anyhow::Result<Outcome> {
    match command {
        MailCommand::Test { to } => test(&loaded, &to).await?,
        MailCommand::Bounce => bounce(&open_context(loaded).await?).await?,
    }
    Ok(Outcome::Done)
}

async fn test(loaded: &Loaded, to: &str) -> anyhow::Result<()> {
    let to = EmailAddress::parse(to).map_err(|error| UsageError(format!("--to {error}")))?;
    let mailer = SmtpMailer::new(&loaded.settings.mail)?;
    let mailer = mailer.ok_or_else(|| {
        UsageError("no mail server is set: set mail.host and mail.from first".to_owned())
    })?;
    let (clock, randomness) = system_ports();
    let mint = IdMint::new(Arc::clone(&clock), randomness);
    let now = clock.now();
    // No account sends it.
    let id = (AccountId(0), DeliveryId::mint(&mint));
    let delivery = Delivery::queued(id, to, Message::Test {}, now);
    let transfer = mailer.open(&delivery).await;
    let transfer = transfer.context("the mail server did not take the message")?;
    let letter = Letter {
        action: Some(format!("{}/", loaded.settings.public_base_url())),
        action_expires_at: None,
        stop: None,
        at: now,
        delivery,
    };
    let reply = transfer.send(&letter).await;
    let reply = reply.context("the mail server did not take the message")?;
    print_line(format!("The mail server accepted the message: {reply}"));
    Ok(())
}

async fn bounce(context: &AppContext) -> anyhow::Result<()> {
    let reading = tokio::task::spawn_blocking(|| {
        let mut message = Vec::new();
        let limit = u64::try_from(MAX_BOUNCE_BYTES).unwrap_or(u64::MAX);
        let input = std::io::stdin().lock().take(limit);
        { input }.read_to_end(&mut message).map(|_| message)
    });
    let message = reading.await?;
    let message = message.context("cannot read the message from standard input")?;
    let domain = context.settings.mail.bounce_domain.as_ref();
    let report = mail::read_bounce(&message, domain.map(DomainName::as_str))?;
    let Some((account, delivery)) = report.delivery else {
        anyhow::bail!("the message does not name one of this server's messages");
    };
    let core = context.core();
    let mut read = context.storage.read().await?;
    let sent = read.outbox().find(account, delivery).await?;
    drop(read);
    let Some(sent) = sent else {
        anyhow::bail!("the message that the bounce names is not stored any more");
    };
    let reason = match report.kind {
        BounceKind::Bounce => SuppressionReason::Bounce,
        BounceKind::Complaint => SuppressionReason::Complaint,
    };
    // Reports can be forged: only the recipient of that message counts.
    let is_meant = |it: &mail::Bounced| {
        let is_gone = { it.status }.is_some_and(EnhancedStatus::is_unknown_address);
        it.recipient == sent.recipient && (is_gone || reason == SuppressionReason::Complaint)
    };
    let is_complaint_without_recipient =
        report.recipients.is_empty() && reason == SuppressionReason::Complaint;
    if report.recipients.iter().any(is_meant) || is_complaint_without_recipient {
        core.suppress(account, &sent.recipient, reason).await?;
        print_line(format!(
            "Account {account} sends no further notices and invitations to {}.",
            sent.recipient
        ));
    } else {
        print_line("Nothing changed: the mailbox exists, or the report is about another address.");
    }
    Ok(())
}
