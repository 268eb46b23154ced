//! Files of the site: how long they are kept, and those for robots.

use super::{SiteContext, SiteFound, robots_txt::robots_txt_problems};
use crate::{
    findings::issues::code::IssueCode,
    site_graph::{Known, SiteGraph, UrlId},
};
use std::collections::BTreeSet;

/// Seconds of seven days (ours; Lighthouse weighs every lifetime).
const LONG_ENOUGH: u64 = 7 * 24 * 60 * 60;
/// Characters below which `llms.txt` says nothing (Lighthouse 13.5).
const LEAST_CHARACTERS: usize = 50;

pub fn find(site: &SiteGraph, context: &SiteContext<'_>, all: &mut SiteFound) {
    let loaded: BTreeSet<UrlId> = { site.cards.iter() }
        .flat_map(|it| it.files.iter().chain(&it.images))
        .copied()
        .filter(|it| site.urls.is_internal(*it))
        .collect();
    for url in loaded {
        if let Known::Other(target) = site.know(url)
            && target.is_success()
            && let Some(seconds) = target.max_age.filter(|it| *it < LONG_ENOUGH)
        {
            all.of(url)
                .add(IssueCode::CacheShort, format!("{seconds} s"));
        }
    }
    let blocked = context
        .agents
        .iter()
        .filter(|it| it.searches && !it.allowed);
    all.of(site.start)
        .add_each(IssueCode::AiSearchBlocked, blocked.map(|it| &it.agent));
    let problems = robots_txt_problems(context.robots_txt.unwrap_or_default());
    let told = problems
        .iter()
        .map(|it| format!("line {}: {}: {}", it.line, it.fault.as_str(), it.text));
    all.of(site.start)
        .add_each(IssueCode::RobotsTxtInvalid, told);
    if let Some(problem) = context.llms_txt.and_then(llms_txt_problem) {
        all.of(site.start)
            .add(IssueCode::LlmsTxtInvalid, problem.to_owned());
    }
}

/// What `llms.txt` lacks, by the rule of Lighthouse 13.5: a first heading, a link, 50 characters.
#[must_use]
pub fn llms_txt_problem(text: &str) -> Option<&'static str> {
    let has_heading = text.lines().any(|it| {
        it.strip_prefix('#')
            .is_some_and(|it| it.starts_with([' ', '\t']) && !it.trim().is_empty())
    });
    let has_link = text.match_indices("](").any(|(at, _)| {
        text[..at]
            .rfind('[')
            .is_some_and(|open| !text[open..at].contains('\n'))
            && text[at + 2..].find(')').is_some_and(|end| end > 0)
    });
    if !has_heading {
        Some("noHeading")
    } else if !has_link {
        Some("noLink")
    } else {
        (text.trim().chars().count() < LEAST_CHARACTERS).then_some("tooShort")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn llms_txt_has_a_heading_a_link_and_something_to_say() {
        let whole = "# Acme\n\n> Cups of all kinds.\n\n- [Catalogue](https://acme.example/cups)";
        assert_eq!(llms_txt_problem(whole), None);
        assert_eq!(llms_txt_problem("## Acme\n[x](y)"), Some("noHeading"));
        assert_eq!(llms_txt_problem("# Acme\n[x] (y)"), Some("noLink"));
        assert_eq!(llms_txt_problem("# Acme\n[x](y)"), Some("tooShort"));
    }
}
