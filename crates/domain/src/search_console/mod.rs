//! Search Console data of a project: impressions and clicks of its pages.
//!
//! Search Console returns only top rows and omits rare queries. So rows of queries are never summed
//! to a total: a total is a row of its own ([`About::Site`]).

mod basis;
mod binding;
mod country;
mod cut;
mod period;
mod property;
mod row;

pub(crate) use basis::fineness;
pub use basis::{Basis, FRESH, LONGEST_PERIOD, StoredSpan, choose};
pub use binding::{Binding, HOLD};
pub use country::ConsoleCountry;
pub use cut::{About, Cut};
pub use period::{PeriodRows, within};
pub use property::{Property, PropertyRefusal};
pub use row::{
    ConsoleDevice, MOST_POSITION, MOST_TEXT, Origin, PageDay, RowField, RowKey, RowRefusal, RowSet,
    RowSum, SearchRow, Span, Told,
};
