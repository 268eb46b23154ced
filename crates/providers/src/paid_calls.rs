//! Paid calls: guarded, recorded in the ledger before they are made, metered after.

use crate::http_client::RawResponse;
use crate::resilience::{Billing, CallFailure, FailedCall, Guard, Repeat};
use chrono::{DateTime, Utc};
use domain::money::MicroUsd;
use domain::ports::paid_call_ledger::{
    LedgerEntry, PaidCall, PaidCallLedger, PaidCallOutcome, PaidCallStart, RecordedAnswer,
};
use domain::ports::search_results::{PaidCallRefusal, ProviderError, Spent};

pub(crate) trait Billed {
    /// Cost reported by the supplier, in millionths of a US dollar.
    fn reported_cost(&self) -> Option<u64>;
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct SpendingRules {
    pub paid_calls: bool,
    /// In millionths of a US dollar.
    pub max_per_call: Option<u64>,
}

impl SpendingRules {
    /// Why a call at that price is not made. A price of 0 for a paid call counts as unknown.
    pub(crate) fn objection(self, price: u64) -> Option<PaidCallRefusal> {
        if !self.paid_calls {
            return Some(PaidCallRefusal::SwitchedOff);
        }
        if price == 0 {
            return Some(PaidCallRefusal::PriceUnknown);
        }
        let limit = self.max_per_call.filter(|limit| price > *limit)?;
        Some(PaidCallRefusal::TooExpensive {
            price: micro_usd(price),
            limit: micro_usd(limit),
        })
    }
}

pub(crate) struct Counter<'a> {
    guard: &'a Guard,
    ledger: &'a dyn PaidCallLedger,
    billing: Billing,
    /// Maximum price of a call; charged if the supplier reports no cost.
    price: u64,
    pub spent: Spent,
    /// Time of the oldest answer reused from an earlier attempt.
    pub oldest_answer_at: Option<DateTime<Utc>>,
}

impl<'a> Counter<'a> {
    pub(crate) fn new(
        guard: &'a Guard,
        ledger: &'a dyn PaidCallLedger,
        billing: Billing,
        price: u64,
    ) -> Self {
        Self {
            guard,
            ledger,
            billing,
            price,
            spent: Spent::default(),
            oldest_answer_at: None,
        }
    }

    /// Makes a guarded call. Paid calls are recorded in the ledger first; equal `step`s reuse a stored answer.
    pub(crate) async fn call<T, F>(
        &mut self,
        step: String,
        without_secrets: impl Fn(&str) -> String + Send + Sync,
        send: impl Fn() -> F + Send + Sync,
        read: impl Fn(&RawResponse) -> Result<T, CallFailure> + Send + Sync,
    ) -> Result<T, ProviderError>
    where
        T: Billed + Send,
        F: Future<Output = Result<RawResponse, CallFailure>> + Send,
    {
        let mut ticket: Option<LedgerEntry> = None;
        if self.billing == Billing::PerCall {
            let call = PaidCall {
                step,
                max_cost: micro_usd(self.price),
            };
            match self.ledger.begin(&call).await {
                Ok(PaidCallStart::Proceed(given)) => ticket = Some(given),
                Ok(PaidCallStart::AlreadyAnswered(RecordedAnswer { body, at })) => {
                    self.oldest_answer_at =
                        Some(self.oldest_answer_at.map_or(at, |since| since.min(at)));
                    return read(&RawResponse::from_stored(body)).map_err(|failure| failure.error);
                }
                Err(error) => {
                    tracing::warn!(?error, "a call that costs money is not made");
                    return Err(error);
                }
            }
        }
        let (send, read, without_secrets) = (&send, &read, &without_secrets);
        let request = || async move {
            let mut answer = send().await?;
            let clean = without_secrets(&String::from_utf8_lossy(&answer.body)).into_bytes();
            let raw = std::mem::replace(&mut answer.body, clean);
            match read(&answer) {
                // If redaction makes the answer unreadable, the secret is an ordinary word of it: use the original, but
                // do not store it.
                Err(_) if answer.body != raw => {
                    answer.body = raw;
                    Ok((read(&answer)?, None))
                }
                parsed => Ok((parsed?, Some(answer.body))),
            }
        };
        let (took, brought, answer) = match self.guard.call(self.billing, request).await {
            Ok(called) => {
                let (value, body) = called.value;
                let took = self.charge_answered(called.attempts, value.reported_cost());
                (took, Ok(value), body)
            }
            Err(failed) => (self.charge_failed(&failed), Err(failed.error), None),
        };
        if self.billing == Billing::PerCall {
            // Counted like budgets do: at the maximum if no cost was reported.
            metrics::counter!("provider_cost_micro_usd_total", "provider" => self.guard.provider())
                .increment(u64::try_from(took.cost.0).unwrap_or_default());
        }
        if let Some(ticket) = ticket {
            self.spent.ledger_calls += took.calls;
            let ended = PaidCallOutcome {
                calls: took.calls,
                cost: took.cost,
                answer,
            };
            if let Err(error) = self.ledger.end(ticket, ended).await {
                tracing::warn!(
                    ?error,
                    "what became of a call cannot be written down: it counts at its most"
                );
            }
        }
        brought
    }

    /// Only the last attempt was answered; earlier ones cost nothing.
    fn charge_answered(&mut self, attempts: u32, reported: Option<u64>) -> Spent {
        self.charge(attempts, reported.unwrap_or(self.price))
    }

    fn charge_failed(&mut self, failed: &FailedCall) -> Spent {
        let cost = match failed.repeat {
            Repeat::Billed(cost) => cost,
            Repeat::Uncertain => self.price,
            Repeat::Safe | Repeat::Pointless | Repeat::NotMade => 0,
        };
        self.charge(failed.attempts, cost)
    }

    fn charge(&mut self, attempts: u32, cost: u64) -> Spent {
        let took = Spent {
            calls: attempts.into(),
            cost: micro_usd(cost),
            ledger_calls: 0,
        };
        self.spent = self.spent.and(took);
        took
    }
}

pub(crate) fn micro_usd(amount: u64) -> MicroUsd {
    MicroUsd(i64::try_from(amount).unwrap_or(i64::MAX))
}
