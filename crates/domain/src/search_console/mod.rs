//! Search Console data of a project: impressions and clicks of its pages.
//!
//! Search Console returns only top rows and omits rare queries. So rows of queries are never summed
//! to a total: a total is a separate row ([`RowSubject::Site`]).

mod basis;
mod binding;
mod country;
mod dimensions;
mod period;
mod property;
mod row;

pub(crate) use basis::granularity;
pub use basis::{Basis, MAX_BASIS_AGE, MAX_PERIOD_DAYS, StoredSpan, choose_basis};
pub use binding::{Binding, FETCH_LEASE};
pub use country::ConsoleCountry;
pub use dimensions::{DimensionSet, RowSubject};
pub use period::{PeriodRows, rows_within};
pub use property::{Property, PropertyRefusal};
pub use row::{
    ConsoleDevice, ImportInfo, MAX_POSITION, MAX_TEXT, Origin, PageDay, RowField, RowKey,
    RowRefusal, RowSet, RowSum, SearchRow, Span,
};
