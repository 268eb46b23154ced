//! Common parts of findings. Each result type has a module in the crate of its inputs.

pub mod envelope;

use crate::result_type::ResultType;

/// A result type with the names of its public schemas.
#[derive(Debug, Clone, Copy)]
pub struct FindingType {
    pub result_type: ResultType,
    pub record: &'static str,
    pub summary: &'static str,
    #[cfg(feature = "schemas")]
    pub schemas: fn(&mut Schemas),
}

/// Names and schemas, nested ones first.
#[cfg(feature = "schemas")]
pub type Schemas = Vec<(
    String,
    utoipa::openapi::RefOr<utoipa::openapi::schema::Schema>,
)>;

/// Adds the schemas of a type and of its nested types.
#[cfg(feature = "schemas")]
pub fn add_schemas<T: utoipa::ToSchema + utoipa::PartialSchema>(all: &mut Schemas) {
    T::schemas(all);
    all.push((T::name().into_owned(), T::schema()));
}

/// Lists the result types of the sibling modules, in the order of the public document.
#[macro_export]
macro_rules! finding_types {
    ($($of:ident: $module:ident[$record:ident, $summary:ident];)+) => {
        pub const TYPES: &[$crate::findings::FindingType] = &[$($crate::findings::FindingType {
            result_type: $crate::result_type::ResultType::$of,
            record: stringify!($record),
            summary: stringify!($summary),
            #[cfg(feature = "schemas")]
            schemas: |all| {
                $crate::findings::add_schemas::<$module::$record>(all);
                $crate::findings::add_schemas::<$module::$summary>(all);
            },
        },)+];
    };
}
