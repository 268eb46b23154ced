//! A no-op derive that replaces utoipa's where no schemas are built.

use proc_macro::TokenStream;

#[proc_macro_derive(ToSchema, attributes(schema))]
pub fn to_schema(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
