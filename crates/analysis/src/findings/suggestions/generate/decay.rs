//! Old pages that lose: positions or clicks fall, and the text is what it was half a year ago.

use crate::{
    findings::{
        rankings::{RankPoint, RankState},
        suggestions::{
            collect::{Findings, PageState},
            draft::Draft,
            evidence::Evidence,
            inputs::{ConsoleRow, DayClicks},
            rule,
        },
    },
    result_type::ResultType,
    statistics::{describe::mean, mann_kendall::mann_kendall, theil_sen::slope},
    url_rules::page_key,
};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use std::collections::BTreeMap;

const RULE: &str = "contentDecay";
/// A text is old from here on (analysis.md 2.8).
const OLD: TimeDelta = TimeDelta::days(180);
/// Weeks of positions that are looked at.
const RANK_WEEKS: i64 = 13;
/// Weeks of clicks that are looked at.
const CLICK_WEEKS: i64 = 26;
/// How often chance alone may look like a fall.
const SIGNIFICANT: f64 = 0.05;
/// Places that a fall has to cost: ours.
const LEAST_PLACES: f64 = 1.0;
/// Share of its clicks that a fall has to cost: ours.
const LEAST_SHARE: f64 = 0.2;

/// A significant fall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Fall {
    /// The mean of the first weeks.
    pub from: f64,
    /// The mean of the last weeks.
    pub to: f64,
    /// How often chance alone makes one like it.
    pub p: f64,
    /// Weeks with data.
    pub weeks: usize,
}

/// A page's best position per day, as weekly means over 13 weeks: Mann–Kendall, and Theil–Sen for how
/// far it fell. Not ranked is one below the depth.
pub(in super::super) fn fall_of_ranks(points: &[RankPoint], at: DateTime<Utc>) -> Option<Fall> {
    let mut days: BTreeMap<NaiveDate, (DateTime<Utc>, f64)> = BTreeMap::new();
    for point in points.iter().filter(|it| it.state != RankState::Error) {
        let position = point.position.unwrap_or(point.depth_checked + 1);
        let day = days.entry(point.measured_at.date_naive());
        let value = (point.measured_at, f64::from(position));
        let kept = day.or_insert(value);
        if value.0 > kept.0 {
            *kept = value;
        }
    }
    let days = days.into_iter().map(|(day, (_, position))| (day, position));
    let weeks = by_week(days, at.date_naive(), RANK_WEEKS);
    let means: Vec<f64> = weeks.values().filter_map(|it| mean(it)).collect();
    let fall = fall(&means, 1.0)?;
    (change(&means)? >= LEAST_PLACES).then_some(fall)
}

/// A page's clicks, as sums of whole weeks that end with the last day told.
pub(in super::super) fn fall_of_clicks(days: &[DayClicks], at: DateTime<Utc>) -> Option<Fall> {
    let last = days.iter().map(|it| it.day).max()?.min(at.date_naive());
    let first = days.iter().map(|it| it.day).min()?;
    #[expect(clippy::cast_precision_loss, reason = "clicks are far below 2^52")]
    let counts = days.iter().map(|it| (it.day, it.clicks as f64));
    let weeks = by_week(counts, last, CLICK_WEEKS);
    let whole = ((last - first).num_days() + 1) / 7;
    // A week without a row had no clicks; one that was told in part is none.
    let sums: Vec<f64> = (0..whole.min(CLICK_WEEKS))
        .rev()
        .map(|week| weeks.get(&-week).map_or(0.0, |it| it.iter().sum()))
        .collect();
    let fall = fall(&sums, -1.0)?;
    (-change(&sums)? >= LEAST_SHARE * fall.from.max(1.0)).then_some(fall)
}

/// Values by the week before a day, the last one 0, the one before −1.
fn by_week(
    days: impl Iterator<Item = (NaiveDate, f64)>,
    last: NaiveDate,
    most: i64,
) -> BTreeMap<i64, Vec<f64>> {
    let mut weeks: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
    for (day, value) in days {
        let before = (last - day).num_days();
        if (0..7 * most).contains(&before) {
            weeks.entry(-(before / 7)).or_default().push(value);
        }
    }
    weeks
}

/// What the trend adds over the whole series.
#[expect(clippy::cast_precision_loss, reason = "at most 26 weeks")]
fn change(values: &[f64]) -> Option<f64> {
    let all: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
    Some(slope(&all)? * (values.len() as f64 - 1.0))
}

fn fall(values: &[f64], worse: f64) -> Option<Fall> {
    let trend = mann_kendall(values)?;
    let quarter = (values.len() / 4).max(2);
    let is_fall = trend.z * worse > 0.0 && trend.p < SIGNIFICANT;
    is_fall.then_some(Fall {
        from: mean(&values[..quarter])?,
        to: mean(&values[values.len() - quarter..])?,
        p: trend.p,
        weeks: values.len(),
    })
}

/// One suggestion for each old page that loses. Where several keywords were looked at, the chance of
/// the surest fall is multiplied by their number (Bonferroni).
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
    let corrected = |fall: &Fall| fall.p * looked_at as f64;
    let mut falls: Vec<(&i64, &String, &Fall)> = { landing.places.iter() }
        .filter_map(|(_, keyword_id, engine)| {
            let fall = searches.falls.get(&(*keyword_id, engine.clone()))?;
            (corrected(fall) < SIGNIFICANT).then_some((keyword_id, engine, fall))
        })
        .collect();
    falls.sort_by(|a, b| a.2.p.total_cmp(&b.2.p).then(a.0.cmp(b.0)));
    let click_fall = searches.click_falls.get(page).and_then(Option::as_ref);
    if falls.is_empty() && click_fall.is_none() {
        return None;
    }
    let mut draft = Draft::new(rule::rule(RULE, "")?, page);
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
    draft.reach_pages(findings.indexable);
    draft.is_simulated = searches.is_simulated;
    draft.claims.insert(page.to_owned());
    draft.url = Some(url.clone());
    Some(draft)
}

pub(in super::super) fn id_of(url: &str) -> String {
    super::super::draft::id(RULE, &page_key(url))
}
