//! A parsed domain name parses to itself.

use analysis::url_rules::{DomainName, registrable_domain};
use std::net::IpAddr;

pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(host) = DomainName::parse_non_public(&text) {
        assert_eq!(DomainName::parse_non_public(&host).as_ref(), Ok(&host));
        assert!(registrable_domain(&host).is_some(), "{host}");
    }
    let Ok(read) = DomainName::parse(&text) else {
        return;
    };
    let ascii = &read.ascii;
    assert!(ascii.len() <= 253 && ascii.contains('.'), "{ascii}");
    let is_plain = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || b".-".contains(&it);
    assert!(ascii.bytes().all(is_plain), "{ascii}");
    assert!(ascii.parse::<IpAddr>().is_err(), "{ascii} is an address");
    let url = url::Url::parse(&format!("https://{ascii}/")).expect("a name is valid in a URL");
    assert_eq!(url.host_str(), Some(ascii.as_str()));
    for same in [ascii, &read.unicode] {
        let again = DomainName::parse(same).expect("what was read is a name");
        assert_eq!(&again.ascii, ascii, "{same}");
        assert_eq!(again.unicode, read.unicode, "{same}");
        assert!(
            again.removed.is_empty(),
            "{same}: nothing is left to take off"
        );
    }
}
