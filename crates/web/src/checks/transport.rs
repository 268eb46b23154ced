//! Limits of the request head: 414 and 431.

use crate::problem::{Code, Problem};
use actix_web::HttpRequest;

/// In bytes.
const MOST_URI: usize = 8 * 1024;
/// Below Actix's own limit of 96, which responds without a problem document.
const MOST_FIELDS: usize = 80;
/// Of all names and values.
const MOST_FIELD_BYTES: usize = 32 * 1024;

pub fn check(request: &HttpRequest) -> Result<(), Problem> {
    let uri = request.uri();
    let length = uri.path_and_query().map_or(0, |it| it.as_str().len());
    if length > MOST_URI {
        let problem = Problem::new(Code::UriTooLong, "The URL is longer than 8 KiB.");
        return Err(problem
            .with("limitBytes", MOST_URI)
            .hint("Send shorter parameters."));
    }
    let fields = request.headers().iter();
    let (count, bytes) = fields.fold((0, 0), |(count, bytes), (name, value)| {
        (count + 1, bytes + name.as_str().len() + value.len())
    });
    if count > MOST_FIELDS || bytes > MOST_FIELD_BYTES {
        let problem = Problem::new(
            Code::HeadersTooLarge,
            format!("The request has {count} header fields of {bytes} bytes in all."),
        );
        return Err(problem
            .with("limitBytes", MOST_FIELD_BYTES)
            .with("limitFields", MOST_FIELDS)
            .hint("Leave out the header fields that the API does not read."));
    }
    Ok(())
}
