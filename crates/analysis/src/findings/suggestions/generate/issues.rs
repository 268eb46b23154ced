//! Issues of the catalog: one suggestion per code, for all affected pages.

use crate::findings::content::ContentRecord;
use crate::findings::issues::{Issue, info};
use crate::findings::suggestions::collect::{Fault, Findings};
use crate::findings::suggestions::evidence::{Evidence, Figure, RecordRef};
use crate::findings::suggestions::rule;
use crate::findings::suggestions::rule::Severity;
use crate::result_type::ResultType;

/// Of an issue's detail in a step.
const MAX_DETAIL: usize = 160;

pub(in super::super) fn add(findings: &mut Findings<'_>, record: &ContentRecord, url: &str) {
    for (at, issue) in record.issues.iter().enumerate() {
        let Some(rule) = rule::rule(issue.code.as_str(), "") else {
            continue;
        };
        // Content issues do not matter on pages that are not indexable.
        if rule.is_content && !record.indexable {
            continue;
        }
        let known = info(issue.code);
        findings.add_case(Fault {
            rule: rule.id,
            variant: "",
            scope: "site",
            url,
            evidence: evidence(record, at, issue),
            description: Some(describe(url, issue, known.what_to_do)),
            rationale: rationale(known.title, known.threshold),
            severity: Some(severity(issue)),
        });
    }
}

fn rationale(title: &str, threshold: &str) -> String {
    let bound = if threshold.is_empty() {
        String::new()
    } else {
        format!(" (threshold: {threshold})")
    };
    format!("{title}{bound}.")
}

fn evidence(record: &ContentRecord, at: usize, issue: &Issue) -> Vec<Evidence> {
    let found = RecordRef::of(&record.envelope);
    let of = |field: &str| {
        Evidence::of(
            ResultType::Content,
            found.clone(),
            issue.code.as_str(),
            format!("/issues/{at}/{field}"),
        )
    };
    vec![
        of("code").observed(issue.code.as_str()),
        of("count")
            .observed(issue.count)
            .threshold(Figure::Number(0.0)),
    ]
}

fn describe(url: &str, issue: &Issue, what_to_do: &str) -> String {
    let times = if issue.count > 1 {
        format!(" ({} times)", issue.count)
    } else {
        String::new()
    };
    let detail = issue
        .detail
        .as_deref()
        .unwrap_or_default()
        .replace('\n', ", ");
    let detail = crate::text::words::shortened(&detail, MAX_DETAIL);
    if detail.is_empty() {
        format!("{url}{times}: {what_to_do}")
    } else {
        format!("{url}{times}: {what_to_do} Found: {detail}.")
    }
}

fn severity(issue: &Issue) -> Severity {
    use crate::findings::broken_links::Severity as Found;
    match issue.severity {
        Found::Error => Severity::Error,
        Found::Warning => Severity::Warning,
        Found::Notice => Severity::Notice,
    }
}
