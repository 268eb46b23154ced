use crate::findings::broken_links::{BrokenLink, Confirmation, Outcome, Severity, Verdict};
use crate::findings::suggestions::collect::{Fault, Findings};
use crate::findings::suggestions::evidence::{Evidence, RecordRef};
use crate::result_type::ResultType;

pub(in super::super) fn add(findings: &mut Findings<'_>, record: &BrokenLink) {
    let Some((rule, rationale)) = rule(record) else {
        return;
    };
    let found = RecordRef::of(&record.envelope).with("targetUrl", &record.target_url);
    let verdict = serde_json::to_value(record.verdict).unwrap_or_default();
    let verdict = verdict.as_str().unwrap_or_default();
    let evidence = Evidence::of(ResultType::BrokenLinks, found, "verdict", "/verdict")
        .observed(verdict)
        .threshold("ok");
    findings.add_case(Fault {
        rule,
        variant: "",
        scope: "site",
        url: &record.source_url,
        evidence: vec![evidence],
        description: Some(describe(record, verdict)),
        rationale: rationale.to_owned(),
        severity: None,
    });
}

fn rule(record: &BrokenLink) -> Option<(&'static str, &'static str)> {
    let is_address = !matches!(
        record.verdict,
        Verdict::MissingFragment
            | Verdict::LocalhostLink
            | Verdict::MailtoInvalid
            | Verdict::TelInvalid
    );
    match (record.verdict.outcome(), record.is_internal) {
        (Outcome::Broken, true) if is_address && record.severity == Severity::Error => Some((
            "brokenInternalLinks",
            "Readers and robots follow links to pages of the site that are not there.",
        )),
        (Outcome::Broken, false) if is_address && record.confirmation != Confirmation::Suspect => {
            Some((
                "brokenExternalLinks",
                "Readers follow links to pages of other sites that are not there.",
            ))
        }
        (Outcome::Redirected, true) => Some((
            "redirectFlattening",
            "Links to the site's own pages lead through redirects, which cost time with each click and each visit of a robot.",
        )),
        _ => None,
    }
}

fn describe(record: &BrokenLink, verdict: &str) -> String {
    let (source, target) = (&record.source_url, &record.target_url);
    let cause = match record.status_code {
        Some(status) if record.verdict.outcome() == Outcome::Broken => format!("status {status}"),
        _ if record.hops > 0 => format!("{verdict}, {} redirects", record.hops),
        _ => verdict.to_owned(),
    };
    let instead = record
        .suggested_target
        .as_ref()
        .map(|it| it.url.as_str())
        .or(record.final_url.as_deref())
        .filter(|_| record.verdict != Verdict::RedirectToHome);
    match instead {
        Some(better) => format!("On {source} link to {better} instead of {target} ({cause})."),
        None => {
            format!(
                "On {source} take out the link to {target} ({cause}), or bring its target back."
            )
        }
    }
}
