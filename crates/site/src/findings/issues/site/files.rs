use super::{SiteContext, SiteIssueCollector, robots_txt::robots_txt_problems};
use crate::findings::geo_score::is_ai_search_agent;
use crate::findings::issues::code::IssueCode;
use crate::site_graph::{Resolved, SiteGraph, UrlId};
use std::collections::BTreeSet;

/// Seven days in seconds (ours; Lighthouse weighs every lifetime).
const MIN_CACHE_SECONDS: u64 = 7 * 24 * 60 * 60;

pub fn find(site: &SiteGraph, context: &SiteContext<'_>, all: &mut SiteIssueCollector) {
    let loaded: BTreeSet<UrlId> = { site.nodes.iter() }
        .flat_map(|it| {
            it.files
                .iter()
                .chain(&it.images)
                .chain(&it.image_candidates)
        })
        .copied()
        .filter(|it| site.urls.is_internal(*it))
        .collect();
    for url in loaded {
        if let Resolved::Other(target) = site.resolve(url)
            && target.is_success()
            && let Some(seconds) = target.max_age.filter(|it| *it < MIN_CACHE_SECONDS)
        {
            all.issues_of(url)
                .add(IssueCode::CacheShort, format!("{seconds} s"));
        }
    }
    let blocked = { context.agents.iter() }
        .filter(|it| !it.allowed && is_ai_search_agent(&it.name))
        .map(|it| &it.name);
    let of_start = all.issues_of(site.start);
    of_start.add_each(IssueCode::AiSearchBlocked, blocked);
    let problems = robots_txt_problems(context.robots_txt.unwrap_or_default());
    let details = { problems.iter() }
        .map(|it| format!("line {}: {}: {}", it.line, it.fault.as_str(), it.text));
    of_start.add_each(IssueCode::RobotsTxtInvalid, details);
    if let Some(found) = context.llms_txt.filter(|it| it.valid == Some(false)) {
        let names: Vec<&str> = found.issues.iter().map(|it| it.name()).collect();
        of_start.add(IssueCode::LlmsTxtInvalid, names.join("\n"));
    }
}
