//! Budgets for supplier cost: an account's per month and per day, and the server's per day (UTC).

use super::Core;
use crate::account::Account;
use crate::money::MicroUsd;
use crate::ports::spending::{Counter, Spending};
use crate::ports::storage::{StorageError, Transaction};
use chrono::{DateTime, Days, Months, NaiveDate, NaiveTime, Utc};
use thiserror::Error;

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Budget {
        /// The account's, per calendar month.
        Month = "monthlyBudget",
        /// The account's, per day.
        Day = "dailyBudget",
        /// All accounts', per day.
        ServerDay = "serverDailyBudget",
    }
}

/// A budget with the counter it limits; without a cap nothing is refused.
#[derive(Debug, Clone, Copy)]
pub(super) struct BudgetLimit {
    pub which: Budget,
    pub counter: Counter,
    pub cap: Option<MicroUsd>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the {} budget does not allow it", match .which {
    Budget::Month => "month's",
    Budget::Day => "day's",
    Budget::ServerDay => "server's daily",
})]
pub struct OverBudget {
    pub which: Budget,
    /// Start of the next period.
    pub until: DateTime<Utc>,
    pub budget: MicroUsd,
    /// `None` for the server's budget, so that spending of other accounts is not revealed.
    pub spending: Option<Spending>,
    pub requested: MicroUsd,
}

impl Core {
    /// In the order in which a transaction reserves: the contended row of all accounts comes last,
    /// to keep its lock short.
    pub(super) fn budgets(&self, account: &Account, day: NaiveDate) -> [BudgetLimit; 3] {
        let limits = &account.limits;
        let [month, of_day, server] = Counter::of(account.id, day);
        [
            (Budget::Month, month, limits.monthly_budget),
            (Budget::Day, of_day, limits.daily_budget),
            (Budget::ServerDay, server, self.policies.prices.max_per_day),
        ]
        .map(|(which, counter, cap)| BudgetLimit {
            which,
            counter,
            cap,
        })
    }
}

impl BudgetLimit {
    /// Refused if the cap would be exceeded. Free work is not counted.
    pub async fn reserve<E>(&self, work: &mut dyn Transaction, amount: MicroUsd) -> Result<(), E>
    where
        E: From<OverBudget> + From<StorageError>,
    {
        if amount == MicroUsd::default()
            || work
                .spending()
                .reserve(self.counter, amount, self.cap)
                .await?
        {
            return Ok(());
        }
        let spending = match self.counter {
            Counter::ServerDay(_) => None,
            own => Some(work.spending().find(own).await?),
        };
        let over = OverBudget {
            which: self.which,
            until: self.until(),
            budget: self.cap.unwrap_or_default(),
            spending,
            requested: amount,
        };
        Err(over.into())
    }

    fn until(&self) -> DateTime<Utc> {
        let next = match self.counter {
            Counter::Month(_, month) => month + Months::new(1),
            Counter::Day(_, day) | Counter::ServerDay(day) => day + Days::new(1),
        };
        next.and_time(NaiveTime::MIN).and_utc()
    }
}
