//! What suppliers share: table rows, and the context of their calls.

use crate::http_client::client;
use crate::paid_calls::SpendingRules;
use crate::resilience::{Guard, ResilienceSettings};
use domain::ports::{clock::Clock, randomness::Randomness};
use reqwest::Client;
use std::sync::Arc;

/// A row of a supplier table: `S` is its settings, `P` the port it implements.
pub struct Supplier<S: ?Sized, P: ?Sized> {
    pub name: &'static str,
    pub section: &'static str,
    /// Keys that an operator sets to enable it; empty if another supplier's credentials do.
    pub needs: &'static str,
    /// Whether calls never cost anything, whatever is configured.
    pub is_free: bool,
    pub(crate) is_set: fn(&S) -> bool,
    pub(crate) build: fn(&S, &SupplierContext) -> Option<Arc<P>>,
}

impl<S: ?Sized, P: ?Sized> Supplier<S, P> {
    pub fn is_set(&self, settings: &S) -> bool {
        (self.is_set)(settings)
    }

    /// The enabled suppliers of a table, in order.
    pub(crate) fn build_enabled(
        table: &[Self],
        settings: &S,
        ctx: &SupplierContext,
    ) -> Vec<Arc<P>> {
        { table.iter() }
            .filter(|it| it.is_set(settings))
            .filter_map(|it| (it.build)(settings, ctx))
            .collect()
    }
}

/// `one, two or three`.
pub fn join_with_or<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut words: Vec<&str> = words.into_iter().collect();
    let last = words.pop().unwrap_or_default();
    if words.is_empty() {
        last.to_owned()
    } else {
        format!("{} or {last}", words.join(", "))
    }
}

pub(crate) struct SupplierContext {
    pub resilience: ResilienceSettings,
    pub clock: Arc<dyn Clock>,
    pub randomness: Arc<dyn Randomness>,
    pub spending: SpendingRules,
}

impl SupplierContext {
    /// One client per supplier.
    pub(crate) fn http(&self) -> Client {
        client(self.resilience.connect_timeout)
    }

    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    pub(crate) fn guard(&self, provider: &'static str, operation: &'static str) -> Guard {
        let guard = Guard::new(self.resilience.clone(), Arc::clone(&self.randomness));
        guard.with_target(provider, operation)
    }
}
