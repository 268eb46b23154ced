//! A derive that derives nothing, in the place of utoipa's where no schemas are made.

use proc_macro::TokenStream;

/// Derives nothing.
#[proc_macro_derive(ToSchema, attributes(schema))]
pub fn to_schema(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
