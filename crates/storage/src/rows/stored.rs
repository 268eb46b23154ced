use super::{counted, known, validated};
use crate::{instant::At, sql::Db};
use analysis::{
    document::Document,
    events::{EventKind, EventSeverity},
    findings::rankings::RankState,
    observation::search_page::Device,
    result_type::ResultType,
    site_class::SiteClass,
};
use chrono::{DateTime, NaiveDate, Utc};
use diesel::QueryResult;
use domain::account::AccountStatus;
use domain::assignment::{AssignmentNote, SubjectKind};
use domain::audit::{Actor, AuditAction};
use domain::content_plan::Clustering;
use domain::email::EmailAddress;
use domain::ids::{
    AccountId, AuditEventId, CallerId, ContentPlanId, DeliveryId, FlightId, InvitationId, JobId,
    KeywordId, PersonLinkId, ProjectId, SearchId, SessionId, TokenId, UserId,
};
use domain::invitation::InvitationEnd;
use domain::job::kind::AnalysisKind;
use domain::job::{JobState, Trigger};
use domain::link::LinkKind;
use domain::mail::{DeliveryState, Purpose, SuppressionReason};
use domain::market::{Country, Language};
use domain::money::MicroUsd;
use domain::ports::storage::StorageError;
use domain::project::{Status, WorkflowStatus};
use domain::project_overrides::SiteRole;
use domain::rights::Role;
use domain::scope::Scopes;
use domain::search_console::Property;
use domain::text::Label;
use domain::token::RevokeReason;

/// A value of the domain as a column holds it.
pub trait Stored: Sized {
    type Column;

    fn column(&self) -> Self::Column;

    /// Fails where the column holds no such value; `subject` names it then.
    fn read(column: Self::Column, subject: &'static str) -> Result<Self, StorageError>;
}

impl<T: Stored> Stored for Option<T> {
    type Column = Option<T::Column>;

    fn column(&self) -> Self::Column {
        self.as_ref().map(T::column)
    }

    fn read(column: Self::Column, subject: &'static str) -> Result<Self, StorageError> {
        column.map(|it| T::read(it, subject)).transpose()
    }
}

/// A row that can be upserted by its key.
pub trait Put {
    fn put(&self, db: &mut Db) -> QueryResult<()>;
}

/// Types with their column type, how a column is made of `it`, and how it is read as `subject`.
macro_rules! stored {
    ($($type:ty, $column:ty: |$it:ident| $write:expr, |$found:ident, $subject:ident| $read:expr;)+) => {
        $(impl $crate::rows::stored::Stored for $type {
            type Column = $column;

            fn column(&self) -> $column {
                let $it = self;
                $write
            }

            fn read($found: $column, $subject: &'static str) -> Result<Self, domain::ports::storage::StorageError> {
                $read
            }
        })+
    };
}
pub(super) use stored;

macro_rules! unchanged {
    ($($type:ty),+) => {
        stored! { $($type, Self: |it| *it, |it, _subject| Ok(it);)+ }
    };
}

macro_rules! numbers {
    ($($type:ident),+) => {
        stored! { $($type, i64: |it| it.0, |it, _subject| Ok(Self(it));)+ }
    };
}

macro_rules! counts {
    ($($type:ty),+) => {
        stored! { $($type, i64: |it| super::count(*it), |it, subject| counted(it, subject);)+ }
    };
}

macro_rules! words {
    ($($type:ident),+) => {
        stored! { $($type, String: |it| it.name().to_owned(), |it, subject| known(Self::named(&it), subject);)+ }
    };
}

macro_rules! texts {
    ($($type:ident),+) => {
        stored! { $($type, String: |it| it.to_string(), |it, subject| validated(Self::parse(&it), subject);)+ }
    };
}

unchanged!(bool, i64, f64, NaiveDate);
numbers!(
    AccountId,
    AuditEventId,
    CallerId,
    ContentPlanId,
    DeliveryId,
    FlightId,
    InvitationId,
    JobId,
    KeywordId,
    MicroUsd,
    PersonLinkId,
    ProjectId,
    SearchId,
    SessionId,
    TokenId,
    UserId
);
counts!(u32, u64);
words!(
    AccountStatus,
    Actor,
    AnalysisKind,
    AuditAction,
    Clustering,
    DeliveryState,
    Device,
    EventKind,
    InvitationEnd,
    JobState,
    LinkKind,
    Purpose,
    RankState,
    ResultType,
    RevokeReason,
    Role,
    EventSeverity,
    SiteClass,
    SiteRole,
    Status,
    SubjectKind,
    SuppressionReason,
    Trigger,
    WorkflowStatus
);
texts!(
    AssignmentNote,
    Country,
    EmailAddress,
    Label,
    Language,
    Scopes
);
stored! {
    String, Self: |it| it.clone(), |it, _subject| Ok(it);
    Vec<u8>, Self: |it| it.clone(), |it, _subject| Ok(it);
    DateTime<Utc>, At: |it| At(*it), |it, _subject| Ok(it.0);
    u16, i32: |it| (*it).into(), |it, subject| validated(it.try_into(), subject);
    [u8; 32], Vec<u8>: |it| it.to_vec(), |it, subject| validated(it.try_into(), subject);
    Document, String: |it| it.as_str().to_owned(), |it, _subject| Ok(Self::from_stored(it));
    Property, String: |it| it.as_str().to_owned(), |it, _subject| Ok(Self::accepted(it));
}

/// Declares a row: its columns in the order of statements, and the domain value that they are mapped to.
///
/// A column has the type of the value's field. A column that cannot be read is named by the words in brackets, or by
/// its own name. One with `=` holds a text or number derived from the value; `where` reads the value's parts back.
/// `within` are columns beside the value. A row with a `key` can be [`Put`].
macro_rules! row {
    (
        $(#[$attribute:meta])*
        struct $row:ident($table:ident $(, key $key:tt)?) $(within ($($outer:ident: $outer_type:ty),+))? {
            $($column:ident: $type:ty $([$subject:literal])? $(= $made:expr)?,)+
        }
        $domain:ident $value:tt
        $(where { $($part:ident = $read:expr;)+ })?
    ) => {
        row! { @struct
            $(#[$attribute])*
            struct $row($table $(, $key)?) {
                $($(pub $outer: <$outer_type as $crate::rows::stored::Stored>::Column,)+)?
                $(pub $column: <$type as $crate::rows::stored::Stored>::Column,)+
            }
        }

        row! { @write $row of $domain, ($($($outer: $outer_type,)+)?), |it| {
            let $domain $value = it;
            Self {
                $($($outer: $crate::rows::stored::Stored::column(&$outer),)+)?
                $($column: row!(@made $column $(= $made)?),)+
            }
        }}

        impl TryFrom<$row> for $domain {
            type Error = domain::ports::storage::StorageError;

            #[allow(unused_variables, reason = "not every column is read")]
            fn try_from(row: $row) -> Result<Self, Self::Error> {
                $(let $column = row!(@read row.$column, $type, row!(@subject $column $($subject)?) $(, = $made)?);)+
                $($(let $part = $read;)+)?
                Ok($domain $value)
            }
        }
    };
    (@struct $(#[$attribute:meta])* struct $row:ident($table:ident) $fields:tt) => {
        $(#[$attribute])*
        #[derive(Queryable, Selectable, Insertable)]
        #[diesel(table_name = $table, treat_none_as_default_value = false)]
        pub struct $row $fields
    };
    (@struct $(#[$attribute:meta])* struct $row:ident($table:ident, ($($key:ident),+)) $fields:tt) => {
        $(#[$attribute])*
        #[derive(Queryable, Selectable, Insertable, AsChangeset)]
        #[diesel(
            table_name = $table,
            primary_key($($key),+),
            treat_none_as_default_value = false,
            treat_none_as_null = true
        )]
        pub struct $row $fields

        impl $crate::rows::stored::Put for $row {
            fn put(&self, db: &mut $crate::sql::Db) -> diesel::QueryResult<()> {
                diesel::insert_into($table::table)
                    .values(self)
                    .on_conflict(($($table::$key),+))
                    .do_update()
                    .set(self)
                    .execute(db)
                    .map(drop)
            }
        }
    };
    (@write $row:ident of $domain:ident, (), |$it:ident| $body:block) => {
        impl From<&$domain> for $row {
            fn from($it: &$domain) -> Self $body
        }
    };
    (@write $row:ident of $domain:ident, ($($outer:ident: $type:ty,)+), |$it:ident| $body:block) => {
        impl $row {
            pub fn of($($outer: $type,)+ $it: &$domain) -> Self $body
        }
    };
    (@made $column:ident) => {
        $crate::rows::stored::Stored::column($column)
    };
    (@made $column:ident = $made:expr) => {
        $made
    };
    (@subject $column:ident) => {
        stringify!($column)
    };
    (@subject $column:ident $subject:literal) => {
        $subject
    };
    (@read $found:expr, $type:ty, $subject:expr) => {
        <$type as $crate::rows::stored::Stored>::read($found, $subject)?
    };
    (@read $found:expr, $type:ty, $subject:expr, = $made:expr) => {
        $found
    };
}
pub(super) use row;

/// A row's values in some of its columns, to be set.
macro_rules! values_of {
    ($row:expr, $table:ident: $($column:ident),+ $(,)?) => {
        ($($table::$column.eq(&$row.$column),)+)
    };
}
pub(crate) use values_of;

/// The values of an insert that conflicts, to be set on the existing row.
macro_rules! excluded_of {
    ($table:ident: $($column:ident),+ $(,)?) => {
        ($($table::$column.eq(diesel::upsert::excluded($table::$column)),)+)
    };
}
pub(crate) use excluded_of;
