//! AI engine access and E-E-A-T signals.

use crate::findings::eeat::{EeatRecord, SignalCode, SignalScope};
use crate::findings::geo_score::{GateCode, GeoRecord};
use crate::findings::suggestions::collect::{Fault, Findings};
use crate::findings::suggestions::evidence::{Evidence, RecordRef};
use crate::result_type::ResultType;

pub(in super::super) fn add_geo(findings: &mut Findings<'_>, record: &GeoRecord, url: &str) {
    let is_unlisted = { record.gates.iter() }.any(|it| it.code == GateCode::NotIndexable);
    if is_unlisted {
        return;
    }
    for (at, gate) in record.gates.iter().enumerate() {
        let (code, remedy) = match gate.code {
            GateCode::NotIndexable => continue,
            GateCode::SearchEnginesBlocked => (
                "searchEnginesBlocked",
                "let Googlebot and Bingbot read it in robots.txt",
            ),
            GateCode::NoSnippet => ("noSnippet", "take out nosnippet or max-snippet:0"),
            GateCode::TextNeedsScripts => (
                "textNeedsScripts",
                "send the main text in the document, not by scripts alone",
            ),
            GateCode::AiSearchBlocked => (
                "aiSearchBlocked",
                "let the search and fetch agents of AI engines read it in robots.txt",
            ),
        };
        let shown = gate
            .evidence
            .first()
            .map_or_else(String::new, |it| format!(" Found: {it}."));
        let evidence = Evidence::of(
            ResultType::GeoScore,
            RecordRef::of(&record.envelope),
            code,
            format!("/gates/{at}/code"),
        )
        .observed(code);
        findings.add_case(Fault {
            rule: "aiAccess",
            variant: code,
            scope: code,
            url,
            evidence: vec![evidence],
            description: Some(format!("{url}: {remedy}.{shown}")),
            rationale: "What engines cannot read or quote they cannot cite.".to_owned(),
            severity: None,
        });
    }
}

pub(in super::super) const fn scope_name(scope: SignalScope) -> &'static str {
    match scope {
        SignalScope::Page => "page",
        SignalScope::Site => "site",
    }
}

pub(in super::super) fn add_eeat(findings: &mut Findings<'_>, record: &EeatRecord, url: &str) {
    let found = RecordRef::of(&record.envelope).with("scope", scope_name(record.scope));
    if record.scope == SignalScope::Page {
        if record.capped {
            let evidence = Evidence::of(ResultType::Eeat, found, "capped", "/capped")
                .observed(true)
                .threshold(false);
            findings.add_case(Fault {
                rule: "ymylUntrusted",
                variant: "",
                scope: "site",
                url,
                evidence: vec![evidence],
                description: Some(format!(
                    "{url}: name the author with a page of their own, and link to contact."
                )),
                rationale: "Pages about health, money, safety or law are held to the highest standards, and these name no author or no contact.".to_owned(),
                severity: None,
            });
        }
        return;
    }
    for (at, code) in record.missing.iter().enumerate() {
        let Some(title) = remedy(*code) else {
            continue;
        };
        let name = serde_json::to_value(code).unwrap_or_default();
        let name = name.as_str().unwrap_or_default();
        let evidence = Evidence::of(
            ResultType::Eeat,
            found.clone(),
            name,
            format!("/missing/{at}"),
        )
        .observed(name);
        let draft = findings.add_case(Fault {
            rule: "eeatSiteSignal",
            variant: "",
            scope: name,
            url,
            evidence: vec![evidence],
            description: Some(format!("{title}.")),
            rationale: "Readers and raters look for who is responsible for a site.".to_owned(),
            severity: None,
        });
        if let Some(draft) = draft {
            draft.title = Some(title.to_owned());
        }
    }
}

/// `None` if it takes longer than a day.
const fn remedy(code: SignalCode) -> Option<&'static str> {
    match code {
        SignalCode::Https => Some("Serve every page and every file by https"),
        SignalCode::ContactPage => Some(
            "Link to a page for contact with e-mail, phone or a form within two clicks of the start page",
        ),
        SignalCode::AddressOrCompanyId => Some("Show the postal address or the company number"),
        SignalCode::AboutPage => Some("Publish a page about those behind the site"),
        SignalCode::PrivacyPolicy => Some("Publish a privacy policy and link to it"),
        SignalCode::LegalPages => Some("Publish terms or an imprint and link to them"),
        SignalCode::ShopInfo => Some("Explain returns, shipping and payment"),
        SignalCode::EditorialPolicy => Some("Publish a policy for corrections or editing"),
        SignalCode::OrganizationConsistent => {
            Some("Describe in structured data the organisation that readers see")
        }
        SignalCode::SameAsProfiles => {
            Some("Name two profiles of the organisation elsewhere with sameAs")
        }
        _ => None,
    }
}
