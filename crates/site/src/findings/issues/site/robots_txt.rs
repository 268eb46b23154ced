use url::Url;

/// Directives that robots know (RFC 9309, sitemaps.org, Bing, Yandex and others; as in Lighthouse 12.8.2).
const KNOWN: [&str; 10] = [
    "user-agent",
    "allow",
    "disallow",
    "sitemap",
    "crawl-delay",
    "clean-param",
    "host",
    "request-rate",
    "visit-time",
    "noindex",
];

crate::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RobotsTxtFault by as_str {
        /// It has no colon.
        NoDirective = "noDirective",
        UnknownDirective = "unknownDirective",
        /// `user-agent` has no value.
        NoAgent = "noAgent",
        RuleBeforeAgent = "ruleBeforeAgent",
        /// A path begins with neither `/` nor `*`.
        RelativePath = "relativePath",
        /// `$` is not at the end.
        DollarInside = "dollarInside",
        /// The URL of a sitemap is relative, or of a scheme that robots do not read.
        SitemapAddress = "sitemapAddress",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RobotsTxtProblem<'a> {
    /// Counted from 1.
    pub line: usize,
    pub fault: RobotsTxtFault,
    pub text: &'a str,
}

/// Lines that are wrong by Lighthouse's audit `robots-txt` (12.8.2), by position first, else by content.
pub fn robots_txt_problems(text: &str) -> Vec<RobotsTxtProblem<'_>> {
    let mut after_agent = false;
    let lines = lines(text.strip_prefix('\u{feff}').unwrap_or(text));
    let problems = lines.enumerate().filter_map(|(at, text)| {
        let fault = fault_of(text, &mut after_agent)?;
        let line = at + 1;
        Some(RobotsTxtProblem { line, fault, text })
    });
    problems.collect()
}

/// Lines that end with LF, CR or both.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split('\n');
    parts.flat_map(|it| it.strip_suffix('\r').unwrap_or(it).split('\r'))
}

fn fault_of(line: &str, after_agent: &mut bool) -> Option<RobotsTxtFault> {
    let directive = line.split('#').next().unwrap_or_default().trim();
    if directive.is_empty() {
        return None;
    }
    let Some((name, value)) = directive.split_once(':') else {
        return Some(RobotsTxtFault::NoDirective);
    };
    let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
    if !KNOWN.contains(&name.as_str()) {
        return Some(RobotsTxtFault::UnknownDirective);
    }
    match name.as_str() {
        "user-agent" if value.is_empty() => Some(RobotsTxtFault::NoAgent),
        "user-agent" => {
            *after_agent = true;
            None
        }
        "sitemap" => (!is_readable(value)).then_some(RobotsTxtFault::SitemapAddress),
        "allow" | "disallow" if !*after_agent => Some(RobotsTxtFault::RuleBeforeAgent),
        "allow" | "disallow" => path_fault(value),
        _ => None,
    }
}

fn path_fault(path: &str) -> Option<RobotsTxtFault> {
    if !path.is_empty() && !path.starts_with(['/', '*']) {
        return Some(RobotsTxtFault::RelativePath);
    }
    let inside = path.find('$').is_some_and(|at| at + 1 < path.len());
    inside.then_some(RobotsTxtFault::DollarInside)
}

fn is_readable(sitemap: &str) -> bool {
    Url::parse(sitemap).is_ok_and(|it| ["http", "https", "ftp"].contains(&it.scheme()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn faults(text: &str) -> Vec<(usize, RobotsTxtFault)> {
        let problems = robots_txt_problems(text).into_iter();
        problems.map(|it| (it.line, it.fault)).collect()
    }

    #[test]
    fn valid_lines_have_no_fault() {
        let whole = "\u{feff}# All\r\nUser-Agent : *\rDisallow:\nAllow: /a*.html$ # end\n\
            disallow: *.cgi\nCrawl-delay: 2\nHost: example.com\n\nSitemap: https://example.com/a.xml";
        assert_eq!(faults(whole), []);
        assert_eq!(faults(""), []);
    }

    /// The verdicts are those of Lighthouse 12.8.2 (`tests/oracles/lighthouse_seo.py`).
    #[test]
    fn each_fault_has_its_line() {
        let text = "Disallow: /x\nuser-agent:\nUser-agent: a\nAllow: x\nDisallow: /a$b\n\
            Forbid: /\n<html>\nSitemap: /a.xml\nSitemap: file:///a.xml";
        let expected = [
            (1, RobotsTxtFault::RuleBeforeAgent),
            (2, RobotsTxtFault::NoAgent),
            (4, RobotsTxtFault::RelativePath),
            (5, RobotsTxtFault::DollarInside),
            (6, RobotsTxtFault::UnknownDirective),
            (7, RobotsTxtFault::NoDirective),
            (8, RobotsTxtFault::SitemapAddress),
            (9, RobotsTxtFault::SitemapAddress),
        ];
        assert_eq!(faults(text), expected);
    }

    proptest! {
        /// Blank lines and comments change only line numbers.
        #[test]
        fn comments_do_not_change_faults(lines in prop::collection::vec("(user-agent|allow|disallow|sitemap|x)?:? ?[/$*a]{0,4}", 0..8)) {
            let only = |it: Vec<(usize, RobotsTxtFault)>| it.into_iter().map(|it| it.1).collect::<Vec<_>>();
            let plain = only(faults(&lines.join("\n")));
            prop_assert_eq!(plain, only(faults(&lines.join(" # note: x\n\n#y\r"))));
        }
    }
}
