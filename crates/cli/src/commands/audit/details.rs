use super::{findings::AuditFindings, wire_name};
use analysis::{findings::eeat::PillarScores, observation::web_site::LimitHit};

/// `--json` contains all of them.
const MAX_NAMED: usize = 12;

pub(super) struct Details {
    pub(super) title: &'static str,
    pub(super) lines: Vec<(String, String)>,
}

pub(super) fn details(found: &AuditFindings) -> Vec<Details> {
    let all = [
        Details {
            title: "Structured data",
            lines: structured_data(found),
        },
        Details {
            title: "Ready for AI answers",
            lines: ai_answers(found),
        },
        Details {
            title: "Evidence of trust",
            lines: trust(found),
        },
        Details {
            title: "Sitemaps",
            lines: sitemaps(found),
        },
        Details {
            title: "Limits that the audit reached",
            lines: limits(found),
        },
    ];
    all.into_iter().filter(|it| !it.lines.is_empty()).collect()
}

fn structured_data(found: &AuditFindings) -> Vec<(String, String)> {
    let schema = &found.schema;
    let mut lines = Vec::new();
    let types = schema
        .by_type
        .iter()
        .map(|(name, count)| (name.clone(), *count));
    push_top_counts(&mut lines, "entities", types, "");
    let features = schema.by_feature.iter();
    let features = features.map(|(feature, count)| (wire_name(feature), *count));
    push_top_counts(&mut lines, "eligible for", features, "pages");
    let issues = schema.by_issue.iter();
    let issues = issues.map(|(code, count)| (wire_name(code), *count));
    push_top_counts(&mut lines, "to fix", issues, "pages");
    lines
}

fn ai_answers(found: &AuditFindings) -> Vec<(String, String)> {
    let geo = &found.geo;
    let mut lines = Vec::new();
    if geo.indexable_pages == 0 && geo.pages > 0 {
        lines.push((
            "score".to_owned(),
            "unknown: no page is indexable (noindex, another canonical URL, or a status other than 200)".to_owned(),
        ));
    }
    let gates = geo
        .gates
        .iter()
        .map(|(gate, count)| (wire_name(gate), *count));
    push_top_counts(&mut lines, "blocked by", gates, "pages");
    for (factor, coverage) in &geo.factors {
        let mean = coverage.mean.map_or_else(
            || "unknown".to_owned(),
            |it| {
                format!(
                    "mean {it:.2} of 1, good on {} of {} pages",
                    coverage.covered, coverage.pages
                )
            },
        );
        lines.push((wire_name(factor), mean));
    }
    lines
}

fn trust(found: &AuditFindings) -> Vec<(String, String)> {
    let eeat = &found.eeat;
    let PillarScores {
        experience,
        expertise,
        authoritativeness,
        trust,
    } = eeat.pillars;
    let pillars = [
        ("experience", experience),
        ("expertise", expertise),
        ("authoritativeness", authoritativeness),
        ("trust", trust),
    ];
    let mut lines: Vec<(String, String)> = pillars
        .into_iter()
        .map(|(name, score)| {
            let score = score.map_or_else(|| "unknown".to_owned(), |it| format!("{it:.0} of 100"));
            (name.to_owned(), score)
        })
        .collect();
    let missing: Vec<String> = eeat.missing.iter().map(wire_name).collect();
    if !missing.is_empty() {
        lines.push(("missing".to_owned(), missing.join(", ")));
    }
    lines
}

fn sitemaps(found: &AuditFindings) -> Vec<(String, String)> {
    let all = found.content.sitemaps.iter().take(MAX_NAMED);
    all.map(|it| {
        let state = match (&it.problem, it.status) {
            (Some(problem), Some(status)) => format!("{problem} (status {status})"),
            (Some(problem), None) => problem.clone(),
            (None, _) => format!(
                "{} entries, {} of other sites",
                it.entries, it.foreign_entries
            ),
        };
        (it.url.clone(), state)
    })
    .collect()
}

fn limits(found: &AuditFindings) -> Vec<(String, String)> {
    let explanation = |limit: &LimitHit| match limit {
        LimitHit::MaxPages => "--max-pages: the site has more pages",
        LimitHit::MaxDepth => "--max-depth: the site has pages at a greater link depth",
        LimitHit::MaxChecks => "not all link targets were checked",
        LimitHit::UrlLength => "URLs of more than 2,048 characters were skipped",
        LimitHit::RepeatedSegments => "URLs that repeat a path segment three times were skipped",
        LimitHit::QueryVariants => "more than 100 query variants of a path were skipped",
        LimitHit::Duration => "the time limit of the crawl was reached",
        LimitHit::Sitemaps => "not all sitemaps or their entries were read",
        LimitHit::LinksOfPage => "more than 20,000 links of a page were skipped",
        LimitHit::CrawlDelay => {
            "robots.txt requests a crawl delay of more than 30 seconds; 30 were used"
        }
    };
    let limits = found.links.limits.iter();
    limits
        .map(|it| (wire_name(it), explanation(it).to_owned()))
        .collect()
}

/// The most frequent first, in one line.
fn push_top_counts(
    lines: &mut Vec<(String, String)>,
    label: &str,
    counts: impl Iterator<Item = (String, u32)>,
    unit: &str,
) {
    let mut counts: Vec<(String, u32)> = counts.collect();
    counts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let more = counts.len().saturating_sub(MAX_NAMED);
    let named = counts.iter().take(MAX_NAMED);
    let mut named: Vec<String> = named
        .map(|(name, count)| format!("{name} ({count})"))
        .collect();
    if named.is_empty() {
        return;
    }
    if more > 0 {
        named.push(format!("and {more} more"));
    }
    let of = if unit.is_empty() {
        String::new()
    } else {
        format!(", by {unit}")
    };
    lines.push((format!("{label}{of}"), named.join(", ")));
}
