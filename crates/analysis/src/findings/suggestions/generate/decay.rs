//! Content decay: positions or clicks decline, and the text has not changed for half a year.

use crate::findings::suggestions::collect::Findings;
use crate::findings::suggestions::collected::PageState;
use crate::findings::suggestions::declines::{Decline, SIGNIFICANT};
use crate::findings::suggestions::draft::Draft;
use crate::findings::suggestions::evidence::Evidence;
use crate::findings::suggestions::inputs::ConsoleRow;
use crate::findings::suggestions::rule;
use crate::findings::suggestions::rule::CONTENT_DECAY;
use crate::result_type::ResultType;
use chrono::TimeDelta;

/// Age from which on a text is old.
const OLD: TimeDelta = TimeDelta::days(180);
/// One suggestion per page. With several keywords, the smallest p-value is multiplied by their number
/// (Bonferroni).
pub(in super::super) fn drafts(findings: &Findings<'_>) -> Vec<Draft> {
    { findings.pages.iter() }
        .filter(|(_, state)| state.indexable)
        .filter_map(|(page, state)| draft(findings, page, state))
        .collect()
}

fn draft(findings: &Findings<'_>, page: &str, state: &PageState) -> Option<Draft> {
    let searches = &findings.searches;
    let since = searches.context.at - OLD;
    let (day, pointer) = state.dated.filter(|it| it.0 <= since.date_naive())?;
    if findings
        .text_changes
        .get(page)
        .is_some_and(|it| *it > since)
    {
        return None;
    }
    let landing = searches.landings.get(page)?;
    let looked_at = landing.places.len().max(1);
    #[expect(clippy::cast_precision_loss, reason = "keywords of a page")]
    let corrected = |fall: &Decline| fall.p * looked_at as f64;
    let mut falls: Vec<(&i64, &String, &Decline)> = { landing.places.iter() }
        .filter_map(|(_, keyword_id, engine)| {
            let fall = searches.rank_declines.get(&(*keyword_id, engine.clone()))?;
            (corrected(fall) < SIGNIFICANT).then_some((keyword_id, engine, fall))
        })
        .collect();
    falls.sort_by(|a, b| a.2.p.total_cmp(&b.2.p).then(a.0.cmp(b.0)));
    let click_fall = searches.click_declines.get(page).and_then(Option::as_ref);
    if falls.is_empty() && click_fall.is_none() {
        return None;
    }
    let mut draft = Draft::new(rule::rule(CONTENT_DECAY, "")?, page);
    let url = &landing.url;
    let mut evidence = vec![
        Evidence::of(ResultType::Content, state.record.clone(), "dated", pointer)
            .observed(day)
            .threshold(since.date_naive()),
    ];
    for (keyword_id, engine, fall) in &falls {
        let Some(keyword) = searches.keywords.get(&(**keyword_id, (*engine).clone())) else {
            continue;
        };
        draft.keyword_ids.insert(**keyword_id);
        draft.keyword.get_or_insert_with(|| keyword.text.clone());
        let record = keyword.record.clone();
        let mut it = Evidence::of(ResultType::Rankings, record, "position", "/position")
            .threshold(fall.from);
        it.observed = keyword.position.map(Into::into);
        evidence.push(it);
        if draft.steps.len() < 5 {
            draft.steps.push(format!(
                "For “{}” {url} fell from position {:.1} to {:.1} within {} weeks (p = {:.3}).",
                keyword.text, fall.from, fall.to, fall.weeks, fall.p
            ));
        }
    }
    if let Some(fall) = click_fall {
        draft.steps.insert(
            0,
            format!(
                "{url} fell from {:.1} to {:.1} clicks a week within {} weeks (p = {:.3}).",
                fall.from, fall.to, fall.weeks, fall.p
            ),
        );
        if let Some((_, row)) = &landing.best_row {
            #[expect(clippy::cast_precision_loss, reason = "clicks are far below 2^52")]
            let clicks = row.clicks as f64;
            let it = Evidence::of(ResultType::Rankings, row.record_ref(), "clicks", "/clicks");
            evidence.push(Evidence {
                result_type: ConsoleRow::SOURCE,
                ..it.observed(clicks)
            });
        }
    }
    draft.steps.push(format!(
        "Compare {url} with the pages above it, bring facts, figures and examples up to date, and date the change."
    ));
    draft.rationale = format!("The page loses, and says of itself that it is as it was on {day}.");
    draft
        .cases
        .add(url, findings.clicks_of(url), evidence, None);
    draft.set_page_reach(findings.indexable);
    draft.is_simulated = searches.is_simulated;
    draft.claims.insert(page.to_owned());
    draft.url = Some(url.clone());
    Some(draft)
}
