//! Budgets for what suppliers charge: an account's in a month and on a day, and the server's on a day (UTC).

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
        /// The account's, in the calendar month.
        Month = "monthlyBudget",
        /// The account's, on the day.
        Day = "dailyBudget",
        /// That of all accounts together, on the day.
        ServerDay = "serverDailyBudget",
    }
}

/// A budget with the counter that it bounds; without a cap nothing is refused.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
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
    /// When it begins anew.
    pub until: DateTime<Utc>,
    pub budget: MicroUsd,
    /// `None` of the server's: nobody is told what others spend.
    pub spending: Option<Spending>,
    pub requested: MicroUsd,
}

impl Core {
    /// In the order in which a transaction reserves: that of all accounts comes last, so that none waits long for
    /// another.
    pub(super) fn budgets(&self, account: &Account, day: NaiveDate) -> [Bound; 3] {
        let limits = &account.limits;
        let [month, of_day, server] = Counter::of(account.id, day);
        [
            (Budget::Month, month, limits.monthly_budget),
            (Budget::Day, of_day, limits.daily_budget),
            (Budget::ServerDay, server, self.policies.prices.most_per_day),
        ]
        .map(|(which, counter, cap)| Bound {
            which,
            counter,
            cap,
        })
    }
}

impl Bound {
    /// Refused when that would pass the cap. What costs nothing is not counted.
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
