//! Compression, bodies and headers of all responses.

use actix_web::body::SizedStream;
use actix_web::http::header;
use actix_web::http::header::{AcceptEncoding, Encoding, Header as _};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use std::io;

/// At least as preferred as identity (RFC 9110, 12.5.3).
pub fn reads_gzip(request: &HttpRequest) -> bool {
    let offered = [Encoding::gzip(), Encoding::identity()];
    let wanted = AcceptEncoding::parse(request).ok();
    let chosen = wanted.and_then(|it| it.negotiate(offered.iter()));
    chosen == Some(Encoding::gzip())
}

/// Security headers of every response; `secure` under HTTPS.
pub fn add_security_headers(response: &mut HttpResponseBuilder, secure: bool) {
    response.insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"));
    response.insert_header(("cross-origin-resource-policy", "same-origin"));
    if secure {
        let value = "max-age=31536000; includeSubDomains";
        response.insert_header((header::STRICT_TRANSPORT_SECURITY, value));
    }
}

/// HEAD has the headers of GET, including the length, but no body.
pub fn with_body(
    mut response: HttpResponseBuilder,
    body: impl Into<Bytes>,
    is_head: bool,
) -> HttpResponse {
    let body = body.into();
    if !is_head {
        return response.body(body);
    }
    let length = body.len() as u64;
    let nothing = futures_util::stream::empty::<Result<Bytes, io::Error>>();
    response
        .no_chunking(length)
        .body(SizedStream::new(length, nothing))
}
