//! Pages with search traffic that are not indexable, or that no page links to.

use crate::findings::content::ContentRecord;
use crate::findings::suggestions::collect::{Fault, Findings};
use crate::findings::suggestions::evidence::{Evidence, RecordRef};
use crate::findings::suggestions::generate::clicks;
use crate::findings::suggestions::inputs::ConsoleRow;
use crate::result_type::ResultType;
use crate::url_rules::page_key;

pub(in super::super) fn add(findings: &mut Findings<'_>, record: &ContentRecord, url: &str) {
    let key = page_key(url);
    let has_traffic = findings
        .searches
        .landings
        .get(&key)
        .is_some_and(super::super::searches::Landing::has_traffic);
    if !has_traffic {
        return;
    }
    let reach = findings.clicks_of(url).map_or_else(
        || "a place among the first 20 results".to_owned(),
        |it| format!("{} clicks a month", clicks(it.get())),
    );
    let found = RecordRef::of(&record.envelope);
    let mut report = |rule, pointer: &str, metric: &str, description: String, rationale: String| {
        let mut evidence = vec![
            Evidence::of(ResultType::Content, found.clone(), metric, pointer)
                .observed(true)
                .threshold(false),
        ];
        evidence.extend(traffic(findings, &key));
        findings.add_case(Fault {
            rule,
            variant: "",
            scope: &key,
            url,
            evidence,
            description: Some(description),
            rationale,
            severity: None,
        });
    };
    if record.noindex {
        report(
            "noindexWithTraffic",
            "/noindex",
            "noindex",
            format!(
                "Take noindex out of {url} (meta robots, X-Robots-Tag or a script) if people are to find it."
            ),
            format!("Search engines are told not to list {url}, which has {reach}."),
        );
    }
    if record.links.orphan {
        report(
            "orphanWithTraffic",
            "/links/orphan",
            "orphan",
            format!(
                "Link to {url} from pages about the same, with a text that names what it is about."
            ),
            format!("No page of the site links to {url}, which has {reach}."),
        );
    }
}

fn traffic(findings: &Findings<'_>, key: &str) -> Option<Evidence> {
    let landing = findings.searches.landings.get(key)?;
    if let Some((_, row)) = landing.best_row.as_ref().filter(|it| it.0 > 0) {
        #[expect(clippy::cast_precision_loss, reason = "clicks are far below 2^52")]
        let clicks = row.clicks as f64;
        let mut evidence =
            Evidence::of(ResultType::Rankings, row.record_ref(), "clicks", "/clicks")
                .observed(clicks)
                .threshold(0.0);
        evidence.result_type = ConsoleRow::SOURCE;
        return Some(evidence);
    }
    let (position, keyword, engine) = landing.places.first()?;
    let keyword = findings
        .searches
        .keywords
        .get(&(*keyword, engine.clone()))?;
    Some(
        Evidence::of(
            ResultType::Rankings,
            keyword.record.clone(),
            "position",
            "/position",
        )
        .observed(*position)
        .threshold(20_u32),
    )
}
