//! Limits of the request head: 414 and 431.

use crate::problem::{Code, Problem};
use actix_web::HttpRequest;

/// In bytes.
const MAX_URI: usize = 8 * 1024;
/// Below Actix's own limit of 96, which responds without a problem document.
const MAX_FIELDS: usize = 80;
/// Of all names and values.
const MAX_FIELD_BYTES: usize = 32 * 1024;

pub fn check(request: &HttpRequest) -> Result<(), Problem> {
    let uri = request.uri();
    let length = uri.path_and_query().map_or(0, |it| it.as_str().len());
    if length > MAX_URI {
        let problem = Problem::new(Code::UriTooLong, "The URL is longer than 8 KiB.");
        return Err(problem
            .with("limitBytes", MAX_URI)
            .hint("Send shorter parameters."));
    }
    let fields = request.headers().iter();
    let (count, bytes) = fields.fold((0, 0), |(count, bytes), (name, value)| {
        (count + 1, bytes + name.as_str().len() + value.len())
    });
    if count > MAX_FIELDS || bytes > MAX_FIELD_BYTES {
        let problem = Problem::new(
            Code::HeadersTooLarge,
            format!("The request has {count} header fields of {bytes} bytes in all."),
        );
        return Err(problem
            .with("limitBytes", MAX_FIELD_BYTES)
            .with("limitFields", MAX_FIELDS)
            .hint("Leave out the header fields that the API does not read."));
    }
    Ok(())
}
