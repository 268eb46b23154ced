//! What findings have in common. Each type has a module in the crate of what it follows from.

pub mod envelope;

use crate::result_type::ResultType;

/// What a result type consists of, by the names of its public schemas.
#[derive(Debug, Clone, Copy)]
pub struct FindingType {
    pub of: ResultType,
    pub record: &'static str,
    pub summary: &'static str,
    #[cfg(feature = "schemas")]
    pub schemas: fn(&mut Schemas),
}

/// Names and schemas, those of what is inside first.
#[cfg(feature = "schemas")]
pub type Schemas = Vec<(
    String,
    utoipa::openapi::RefOr<utoipa::openapi::schema::Schema>,
)>;

/// Of a type and of what is inside.
#[cfg(feature = "schemas")]
pub fn add_schemas<T: utoipa::ToSchema + utoipa::PartialSchema>(all: &mut Schemas) {
    T::schemas(all);
    all.push((T::name().into_owned(), T::schema()));
}

/// Names the types that stand in the modules beside, in the order of the public document.
#[macro_export]
macro_rules! finding_types {
    ($($of:ident: $module:ident[$record:ident, $summary:ident];)+) => {
        pub const TYPES: &[$crate::findings::FindingType] = &[$($crate::findings::FindingType {
            of: $crate::result_type::ResultType::$of,
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
