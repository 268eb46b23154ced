use crate::findings::broken_links::Severity;
use crate::findings::schema::{Entity, Expiry, Issue, IssueCode, Level, SchemaRecord};
use crate::findings::suggestions::collect::{Fault, Findings};
use crate::findings::suggestions::evidence::{Evidence, RecordRef};
use crate::result_type::ResultType;
use chrono::TimeDelta;

/// Lead time for expiring dates; our choice.
const NOTICE: TimeDelta = TimeDelta::days(14);

pub(in super::super) fn add(findings: &mut Findings<'_>, record: &SchemaRecord, url: &str) {
    let found = RecordRef::of(&record.envelope);
    for (at, error) in record.parse_errors.iter().enumerate() {
        let pointer = format!("/parseErrors/{at}/message");
        let evidence = Evidence::of(ResultType::Schema, found.clone(), "parseErrors", pointer)
            .observed(error.message.as_str());
        let place = error.location;
        findings.add_case(Fault {
            rule: "schemaErrors",
            variant: "syntax",
            scope: "syntax",
            url,
            evidence: vec![evidence],
            description: Some(format!(
                "On {url} mend the block of JSON-LD that cannot be read at line {}: {}.",
                place.line, error.message
            )),
            rationale: "Search engines skip structured data that they cannot read.".to_owned(),
            severity: None,
        });
    }
    for (at, entity) in record.entities.iter().enumerate() {
        for (number, issue) in entity.issues.iter().enumerate() {
            if issue.severity == Severity::Error {
                let place = format!("/entities/{at}/issues/{number}");
                add_issue(findings, url, &found, entity, issue, &place);
            }
        }
    }
    add_expiries(findings, &record.expiries, url, &found);
}

fn add_issue(
    findings: &mut Findings<'_>,
    url: &str,
    found: &RecordRef,
    entity: &Entity,
    issue: &Issue,
    place: &str,
) {
    let variant = match (issue.code, issue.level) {
        (IssueCode::RequiredMissing, _) => "required",
        (_, Level::Syntax) => "syntax",
        _ => "value",
    };
    let named = |it: Option<serde_json::Value>| {
        it.and_then(|it| it.as_str().map(str::to_owned))
            .unwrap_or_default()
    };
    let feature = named(entity.feature.and_then(|it| serde_json::to_value(it).ok()));
    let code = named(serde_json::to_value(issue.code).ok());
    let kind = if feature.is_empty() {
        entity.types.join(", ")
    } else {
        feature
    };
    let of = |field: &str| {
        Evidence::of(
            ResultType::Schema,
            found.clone(),
            &code,
            format!("{place}/{field}"),
        )
    };
    findings.add_case(Fault {
        rule: "schemaErrors",
        variant,
        scope: &format!("{variant} {kind}"),
        url,
        evidence: vec![
            of("code").observed(code.as_str()),
            of("path").observed(issue.path.as_str()),
        ],
        description: Some(format!("{url}: {}", issue.message)),
        rationale: format!("Google does not show the feature {kind} of things with errors."),
        severity: None,
    });
}

fn add_expiries(findings: &mut Findings<'_>, expiries: &[Expiry], url: &str, found: &RecordRef) {
    let last = (findings.searches.context.at + NOTICE).date_naive();
    let today = findings.searches.context.at.date_naive();
    for (at, it) in expiries.iter().enumerate() {
        if it.until > last {
            continue;
        }
        let evidence = Evidence::of(
            ResultType::Schema,
            found.clone(),
            &it.property,
            format!("/expiries/{at}/until"),
        )
        .observed(it.until)
        .threshold(last);
        let ended = if it.until < today { "ended" } else { "ends" };
        findings.add_case(Fault {
            rule: "expiringMarkup",
            variant: "",
            scope: &it.property,
            url,
            evidence: vec![evidence],
            description: Some(format!(
                "On {url} renew {} of the {}, which {ended} on {}, or take the thing out.",
                it.property, it.of, it.until
            )),
            rationale: format!(
                "Search engines stop showing what is past its {}; dates are told {} days before.",
                it.property,
                NOTICE.num_days()
            ),
            severity: None,
        });
    }
}
