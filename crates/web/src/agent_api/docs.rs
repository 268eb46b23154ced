//! GET /docs: the machine-readable documentation.

use crate::contract::{query, string_enums};
use crate::endpoint::PublicCall;
use crate::problem::Problem;
use crate::response::ApiResponse;
use crate::services::Services;
use serde_json::Value;
use std::sync::Arc;

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Format {
        Openapi = "openapi",
        Guide = "guide",
    }
}
string_enums!(Format);

query! {
    pub(crate) ReadDocs {
        format: Format = optional "format", "openapi (the default) or guide.";
    }
}

/// With `format=guide`, the short guide.
pub async fn read(services: Arc<Services>, call: PublicCall) -> Result<ApiResponse, Problem> {
    let format = ReadDocs(&call.query).format();
    call.query.finish()?;
    let (base_url, written) = (&services.config.public_base_url, &services.documents);
    let answer = if format == Some(Format::Guide) {
        written
            .guide
            .get_or_init(|| document(&(call.documents.guide)(base_url)))
    } else {
        written
            .openapi
            .get_or_init(|| document(&(call.documents.openapi)(base_url)))
    };
    Ok(answer.clone())
}

/// Weak, since the document is sent both plain and compressed.
fn document(content: &Value) -> ApiResponse {
    ApiResponse {
        cache: "public, max-age=300",
        ..ApiResponse::summary(content)
    }
}
