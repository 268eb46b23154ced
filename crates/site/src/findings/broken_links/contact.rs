/// Whether the text after `mailto:` has at least one address, and only valid ones.
pub(super) fn is_valid_mail(text: &str) -> bool {
    let (addresses, query) = text.split_once('?').unwrap_or((text, ""));
    let in_query = query.split('&').any(|pair| {
        pair.split_once('=')
            .is_some_and(|(key, value)| key.eq_ignore_ascii_case("to") && !value.is_empty())
    });
    if addresses.trim().is_empty() {
        // RFC 6068: addresses may be in `to=`; a link without any opens a draft,
        // useful only with a body or a subject.
        return in_query
            || query.to_ascii_lowercase().contains("body=")
            || query.to_ascii_lowercase().contains("subject=");
    }
    addresses
        .split(',')
        .all(|it| is_address(&decoded(it.trim())))
}

/// Whether the text after `tel:` is a number: RFC 3966 plus common separators.
pub(super) fn is_valid_phone(text: &str) -> bool {
    let text = decoded(text);
    let number = text.split([';', '?']).next().unwrap_or_default().trim();
    let digits = number.chars().filter(char::is_ascii_digit).count();
    let allowed = |(at, it): (usize, char)| {
        it.is_ascii_digit() || (it == '+' && at == 0) || "-.() /*#".contains(it)
    };
    (2..=20).contains(&digits) && number.char_indices().all(allowed)
}

fn is_address(text: &str) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else {
        return false;
    };
    let local_ok = !local.is_empty()
        && local.len() <= 64
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
        && local
            .chars()
            .all(|it| !it.is_whitespace() && !it.is_control() && !"<>()[]\\,;:@\"".contains(it));
    local_ok && is_mail_host(host)
}

fn is_mail_host(host: &str) -> bool {
    if host.starts_with('[') && host.ends_with(']') {
        return true;
    }
    idna::domain_to_ascii(host).is_ok_and(|ascii| {
        ascii.len() <= 253
            && ascii.contains('.')
            && ascii.split('.').all(|label| {
                !label.is_empty()
                    && label.len() <= 63
                    && !label.starts_with('-')
                    && !label.ends_with('-')
                    && label
                        .bytes()
                        .all(|it| it.is_ascii_alphanumeric() || it == b'-')
            })
    })
}

fn decoded(text: &str) -> String {
    text.replace("%40", "@")
        .replace("%20", " ")
        .replace("%2B", "+")
        .replace("%2b", "+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_links_need_an_address() {
        for text in [
            "a@example.com",
            "a.b+c@bücher.example?subject=x",
            "a@x.org,b@y.org",
            "?to=a@x.org",
            "a%40example.com",
            "?subject=hello",
        ] {
            assert!(is_valid_mail(text), "{text}");
        }
        for text in [
            "",
            "nobody",
            "a@",
            "@example.com",
            "a b@example.com",
            "a@localhost",
            "a@x..org",
            "a@example.com, ",
        ] {
            assert!(!is_valid_mail(text), "{text}");
        }
    }

    #[test]
    fn phone_links_need_a_number() {
        for text in [
            "+49-30-123456",
            "112",
            "(030) 12 34",
            "+49%2030%20123;ext=5",
        ] {
            assert!(is_valid_phone(text), "{text}");
        }
        for text in ["", "call me", "+", "12+34", "1"] {
            assert!(!is_valid_phone(text), "{text}");
        }
    }
}
