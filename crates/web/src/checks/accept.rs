use crate::problem::{Code, Problem};
use actix_web::{HttpRequest, http::header};

const AVAILABLE: [&str; 2] = ["application/json", "application/problem+json"];

/// Rejects a request with an Accept header that excludes JSON.
pub fn check(request: &HttpRequest) -> Result<(), Problem> {
    let mut headers = request.headers().get_all(header::ACCEPT).peekable();
    if headers.peek().is_none() {
        return Ok(());
    }
    let accepts = headers
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.split(',').any(admits));
    if accepts {
        return Ok(());
    }
    let problem = Problem::new(Code::NotAcceptable, "Only JSON is answered here.");
    Err(problem
        .with("available", AVAILABLE.to_vec())
        .hint("Send Accept: application/json, or no Accept header."))
}

fn admits(range: &str) -> bool {
    let mut parts = range.split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
    let is_ruled_out = parts.any(|parameter| {
        let value = parameter
            .strip_prefix("q=")
            .or_else(|| parameter.strip_prefix("Q="));
        value.is_some_and(|value| value.parse::<f32>().is_ok_and(|quality| quality <= 0.0))
    });
    let fits =
        ["*/*", "application/*"].contains(&kind.as_str()) || AVAILABLE.contains(&kind.as_str());
    fits && !is_ruled_out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_ranges_and_qualities_are_respected() {
        for good in [
            "*/*",
            "application/*;q=0.1",
            "application/json; charset=utf-8",
            "APPLICATION/JSON",
            "application/problem+json",
        ] {
            assert!(admits(good), "{good}");
        }
        for bad in [
            "text/html",
            "application/json;q=0",
            "*/*; q=0.0",
            "application/xml",
            "",
        ] {
            assert!(!admits(bad), "{bad}");
        }
    }
}
