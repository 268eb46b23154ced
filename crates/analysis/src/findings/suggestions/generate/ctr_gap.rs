//! Pages with impressions but few clicks, because of their titles and descriptions.

use super::{clicks, percent};
use crate::ctr::{ClickCurve, MAX_CTR};
use crate::findings::suggestions::collect::Findings;
use crate::findings::suggestions::draft::{Clicks, Draft, id};
use crate::findings::suggestions::evidence::Evidence;
use crate::findings::suggestions::inputs::ConsoleRow;
use crate::findings::suggestions::record::{ExpectedGain, GainMetric, GainRange};
use crate::findings::suggestions::rule;
use crate::findings::suggestions::rule::CTR_GAP;
use crate::result_type::ResultType;
use crate::statistics::wilson::wilson;
use crate::url_rules::page_key;
use std::collections::BTreeMap;

/// Observed click rate as a share of the expected one.
const MAX_OBSERVED_SHARE: f64 = 0.5;

struct Gap<'r> {
    row: &'r ConsoleRow,
    observed: f64,
    expected: f64,
    /// Missing clicks per month: low, mid, high.
    missing: [f64; 3],
}

/// One suggestion per page with queries of a click rate significantly below half of the expected one.
/// Pending ones stay while the rate is significantly below the expected one.
pub(in super::super) fn drafts(findings: &Findings<'_>) -> Vec<Draft> {
    let mut pages: BTreeMap<String, Vec<Gap<'_>>> = BTreeMap::new();
    for row in findings.searches.rows.values() {
        let page = page_key(&row.url);
        let is_pending = findings.searches.tracker.is_pending(&id(CTR_GAP, &page));
        if findings.is_unlisted(&page) {
            continue;
        }
        if let Some(gap) = gap(findings, row, is_pending) {
            pages.entry(page).or_default().push(gap);
        }
    }
    { pages.into_iter() }
        .filter_map(|(page, gaps)| draft(findings, &page, gaps))
        .collect()
}

fn gap<'r>(findings: &Findings<'_>, row: &'r ConsoleRow, is_pending: bool) -> Option<Gap<'r>> {
    let expected = expected(findings, row)?;
    let interval = wilson(row.clicks, row.impressions)?;
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let observed = row.clicks as f64 / row.impressions as f64;
    let is_gap =
        interval.high < expected && (is_pending || observed < MAX_OBSERVED_SHARE * expected);
    let month = row.per_month(row.impressions);
    is_gap.then(|| Gap {
        row,
        observed,
        expected,
        missing: [interval.high, observed, interval.low].map(|it| month * (expected - it)),
    })
}

/// The curve's rate at the mean position, times the effect of the results page if known.
fn expected(findings: &Findings<'_>, row: &ConsoleRow) -> Option<f64> {
    let searches = &findings.searches;
    let curve = { searches.context.own_curve }.unwrap_or_else(|| ClickCurve::published());
    let whole = row.position.floor();
    if !(1.0..=100.0).contains(&whole) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "1 to 100"
    )]
    let above = whole as u32;
    let (better, worse) = (curve.at(above), curve.at(above + 1));
    let plain = better + (worse - better) * (row.position - whole);
    let page = page_key(&row.url);
    let layout = row.keyword_id.and_then(|keyword_id| {
        let first = (keyword_id, String::new());
        let mut all = { searches.keywords.range(first..) }
            .take_while(|it| it.0.0 == keyword_id)
            .map(|it| it.1)
            .filter(|it| it.url.as_deref().map(page_key).as_ref() == Some(&page));
        // The page's effect is relative to the curve by which it was computed.
        let is_alike = |model: &str| ClickCurve::is_own(model) == ClickCurve::is_own(curve.name());
        let keyword = all.next().filter(|it| is_alike(&it.ctr_model))?;
        let usual = curve.at(keyword.position?);
        (usual > 0.0).then(|| keyword.expected_ctr.map(|it| it / usual))?
    });
    Some((plain * layout.unwrap_or(1.0)).min(MAX_CTR)).filter(|it| *it > 0.0)
}

fn draft(findings: &Findings<'_>, page: &str, mut gaps: Vec<Gap<'_>>) -> Option<Draft> {
    gaps.sort_by(|a, b| {
        let order = b.missing[1].total_cmp(&a.missing[1]);
        order.then_with(|| a.row.keyword.cmp(&b.row.keyword))
    });
    let mut draft = Draft::new(rule::rule(CTR_GAP, "")?, page);
    let url = findings.searches.landings.get(page)?.url.clone();
    let mut sums = [Clicks::default(); 3];
    for gap in &gaps {
        let row = gap.row;
        for (sum, part) in sums.iter_mut().zip(gap.missing) {
            sum.add(Clicks::of(part));
        }
        draft.keyword_ids.extend(row.keyword_id);
        let of = |metric: &str, pointer| {
            let it = Evidence::of(ResultType::Rankings, row.record_ref(), metric, pointer);
            Evidence {
                result_type: ConsoleRow::SOURCE,
                ..it
            }
        };
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
        let (seen, clicked) = (row.impressions as f64, row.clicks as f64);
        let evidence = [
            of("clicks", "/clicks")
                .observed(clicked)
                .threshold(seen * gap.expected),
            of("impressions", "/impressions")
                .observed(seen)
                .threshold(500.0),
        ];
        draft
            .cases
            .add(&url, findings.clicks_of(&url), evidence, None);
    }
    draft.keyword = gaps.first().map(|it| it.row.keyword.clone());
    for gap in gaps.iter().take(5) {
        draft.steps.push(format!(
            "“{}” showed {url} {} times at position {:.1} (all countries and devices, {} to {}), and {} clicked where {} are usual: some {} clicks a month.",
            gap.row.keyword,
            gap.row.impressions,
            gap.row.position,
            gap.row.from,
            gap.row.to,
            percent(gap.observed),
            percent(gap.expected),
            clicks(gap.missing[1]),
        ));
    }
    draft.steps.push(format!(
        "Rewrite title and description of {url} so that they name what these searches want and what the page offers."
    ));
    "Far fewer people click the page than pages at its positions are clicked."
        .clone_into(&mut draft.rationale);
    let [low, mid, high] = sums.map(Clicks::get);
    draft.gain = Some(ExpectedGain {
        metric: GainMetric::ClicksPerMonth,
        low,
        mid,
        high,
        range: GainRange::Interval95,
    });
    draft.set_keyword_reach(Some(mid), findings.searches.keywords.len());
    draft.claims.insert(page.to_owned());
    draft.url = Some(url);
    Some(draft)
}
