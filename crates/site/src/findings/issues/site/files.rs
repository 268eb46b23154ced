use super::{SiteContext, SiteFound, robots_txt::robots_txt_problems};
use crate::findings::geo_score::searches_for_answers;
use crate::findings::issues::code::IssueCode;
use crate::site_graph::{Known, SiteGraph, UrlId};
use std::collections::BTreeSet;

/// Seven days in seconds (ours; Lighthouse weighs every lifetime).
const LONG_ENOUGH: u64 = 7 * 24 * 60 * 60;

pub fn find(site: &SiteGraph, context: &SiteContext<'_>, all: &mut SiteFound) {
    let loaded: BTreeSet<UrlId> = { site.cards.iter() }
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
        if let Known::Other(target) = site.know(url)
            && target.is_success()
            && let Some(seconds) = target.max_age.filter(|it| *it < LONG_ENOUGH)
        {
            all.of(url)
                .add(IssueCode::CacheShort, format!("{seconds} s"));
        }
    }
    let blocked = { context.agents.iter() }
        .filter(|it| !it.allowed && searches_for_answers(&it.name))
        .map(|it| &it.name);
    let of_start = all.of(site.start);
    of_start.add_each(IssueCode::AiSearchBlocked, blocked);
    let problems = robots_txt_problems(context.robots_txt.unwrap_or_default());
    let told = { problems.iter() }
        .map(|it| format!("line {}: {}: {}", it.line, it.fault.as_str(), it.text));
    of_start.add_each(IssueCode::RobotsTxtInvalid, told);
    if let Some(found) = context.llms_txt.filter(|it| it.valid == Some(false)) {
        let names: Vec<&str> = found.issues.iter().map(|it| it.name()).collect();
        of_start.add(IssueCode::LlmsTxtInvalid, names.join("\n"));
    }
}
