//! The session cookie and the device cookie.

use actix_web::{HttpRequest, http::header};
use domain::{device::DeviceCookie, session::Session};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CookieStyle {
    /// HTTPS only and bound to this host: `__Host-` (RFC 6265bis, 4.1.3.2).
    Secure,
    /// For plain HTTP (loopback, or if configured), where browsers reject `__Host-` cookies.
    Plain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cookie {
    Session,
    /// Marks a known device; grants no access.
    Device,
}

impl CookieStyle {
    pub const fn name(self, cookie: Cookie) -> &'static str {
        match (self, cookie) {
            (Self::Secure, Cookie::Session) => "__Host-sid",
            (Self::Secure, Cookie::Device) => "__Host-device",
            (Self::Plain, Cookie::Session) => "plain-sid",
            (Self::Plain, Cookie::Device) => "plain-device",
        }
    }

    pub fn set(self, cookie: Cookie, value: &str) -> String {
        let seconds = match cookie {
            Cookie::Session => Session::LIFETIME.num_seconds(),
            Cookie::Device => DeviceCookie::LIFETIME.num_seconds(),
        };
        self.line(cookie, value, seconds)
    }

    pub fn clear(self, cookie: Cookie) -> String {
        self.line(cookie, "", 0)
    }

    /// Lax, so that links in e-mails open signed in; changes have further protection.
    fn line(self, cookie: Cookie, value: &str, seconds: i64) -> String {
        let name = self.name(cookie);
        let secure = match self {
            Self::Secure => "; Secure",
            Self::Plain => "",
        };
        format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly{secure}; SameSite=Lax")
    }

    /// `None` if the name occurs twice: either may be forged.
    pub fn sent(self, cookie: Cookie, request: &HttpRequest) -> Option<String> {
        let name = self.name(cookie);
        let lines = request.headers().get_all(header::COOKIE);
        // Bytes: cookies of other services of the domain may not be UTF-8.
        let mut found = lines
            .flat_map(|line| line.as_bytes().split(|it| *it == b';'))
            .filter_map(|pair| pair.trim_ascii().strip_prefix(name.as_bytes()))
            .filter_map(|rest| rest.strip_prefix(b"="));
        let value = found.next()?;
        let is_alone = found.next().is_none();
        let value = str::from_utf8(value).ok().filter(|_| is_alone)?;
        Some(value.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn sent(lines: &[&str]) -> Option<String> {
        let mut request = TestRequest::default();
        for line in lines {
            request = request.append_header((header::COOKIE, *line));
        }
        CookieStyle::Secure.sent(Cookie::Session, &request.to_http_request())
    }

    #[test]
    fn a_cookie_is_bound_to_host_and_https() {
        assert_eq!(
            CookieStyle::Secure.set(Cookie::Session, "abc"),
            "__Host-sid=abc; Path=/; Max-Age=1209600; HttpOnly; Secure; SameSite=Lax"
        );
        assert_eq!(
            CookieStyle::Plain.clear(Cookie::Session),
            "plain-sid=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"
        );
    }

    #[test]
    fn a_cookie_is_found_but_two_of_one_name_are_ignored() {
        let value = Some("abc".to_owned());
        assert_eq!(sent(&["a=b; __Host-sid=abc;c=d"]), value);
        assert_eq!(sent(&["a=b", "__Host-sid=abc"]), value);
        assert_eq!(sent(&["__Host-sid=abc; __Host-sid=def"]), None);
        assert_eq!(sent(&["x__Host-sid=abc", "plain-sid=abc"]), None);
        assert_eq!(sent(&["neighbour=ž; __Host-sid=abc"]), value);
        assert_eq!(sent(&[]), None);
    }
}
