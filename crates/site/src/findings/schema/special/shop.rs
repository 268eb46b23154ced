use super::super::feature::Feature;
use super::super::graph::Graph;
use super::super::outcome::{EvaluationContext, Outcome};
use super::super::paths::{VisitedNode, joined, local_name};
use super::super::record::IssueCode;
use super::super::values::{NumberFormat, parse_number};
use crate::findings::broken_links::Severity;

pub fn check(
    page: &EvaluationContext<'_>,
    visit: &VisitedNode,
    feature: Feature,
    outcome: &mut Outcome,
) {
    let (graph, node) = (page.graph, visit.number);
    let in_shop = [
        Feature::MerchantListing,
        Feature::Organization,
        Feature::ProductSnippet,
        Feature::ProductVariants,
        Feature::ShippingService,
    ];
    if !in_shop.contains(&feature) {
        return;
    }
    if feature == Feature::MerchantListing && graph.is_a(node, "Offer") {
        check_price(graph, visit, outcome);
    }
    if graph.is_a(node, "MerchantReturnPolicy") {
        check_returns(graph, visit, outcome);
    }
    if graph.is_a(node, "DefinedRegion") {
        let there = |name: &str| graph.values(node, name).next().is_some();
        if there("addressRegion") && there("postalCode") {
            let message = "addressRegion or postalCode, not both".to_owned();
            let path = joined(&visit.path, "postalCode", None);
            outcome.add(
                IssueCode::ValueNotAccepted,
                path,
                message,
                Severity::Warning,
            );
        }
    }
    if visit.path.is_empty() {
        check_notes(graph, node, outcome);
    }
}

fn check_price(graph: &Graph<'_>, visit: &VisitedNode, outcome: &mut Outcome) {
    for price in graph.values(visit.number, "price") {
        let Some(text) = price.text() else { continue };
        if let NumberFormat::Plain(value) = parse_number(&text)
            && value <= 0.0
        {
            let path = joined(&visit.path, "price", None);
            let message = "a merchant listing has a price above 0".to_owned();
            outcome.add(IssueCode::ValueNotAccepted, path, message, Severity::Error);
        }
    }
}

/// Country and category; or, for an organization, a link.
fn check_returns(graph: &Graph<'_>, visit: &VisitedNode, outcome: &mut Outcome) {
    let node = visit.number;
    let there = |name: &str| graph.values(node, name).next().is_some();
    let at = |name: &str| joined(&visit.path, name, None);
    let mut holders = graph.parents(node);
    let in_organization = holders.any(|(_, holder)| graph.is_a(holder, "Organization"));
    if !(in_organization && there("merchantReturnLink")) {
        for name in ["applicableCountry", "returnPolicyCategory"] {
            if !there(name) {
                outcome.add_missing_required(&at(name));
            }
        }
    }
    let category = graph.text(node, "returnPolicyCategory").unwrap_or_default();
    let fees = graph.text(node, "returnFees").unwrap_or_default();
    let finite = local_name(&category) == "MerchantReturnFiniteReturnWindow";
    let unlimited = local_name(&category) == "MerchantReturnUnlimitedWindow";
    let wanted = [
        ("merchantReturnDays", finite),
        ("returnFees", finite || unlimited),
        ("returnMethod", finite || unlimited),
        (
            "returnShippingFeesAmount",
            local_name(&fees) == "ReturnShippingFees",
        ),
    ];
    for (name, _) in wanted.iter().filter(|it| it.1) {
        outcome.recommended += 1;
        if !there(name) {
            outcome.add_missing_recommended(&at(name));
        }
    }
}

/// A review's pros and cons have names, and are two or more together.
fn check_notes(graph: &Graph<'_>, node: u32, outcome: &mut Outcome) {
    let reviews = graph
        .values(node, "review")
        .filter_map(|it| graph.target(it));
    let mut notes = 0_usize;
    for review in reviews {
        for name in ["positiveNotes", "negativeNotes"] {
            for value in graph.values(review, name) {
                let Some(list) = graph.target(value) else {
                    notes += 1;
                    continue;
                };
                for note in graph.values(list, "itemListElement") {
                    notes += 1;
                    let target = graph.target(note);
                    if target.is_some_and(|it| graph.values(it, "name").next().is_none()) {
                        outcome
                            .add_missing_required(&format!("review.{name}.itemListElement.name"));
                    }
                }
            }
        }
    }
    if notes == 1 {
        let message = "notes for and against are two or more together".to_owned();
        let path = "review.positiveNotes".to_owned();
        outcome.add(
            IssueCode::ValueNotAccepted,
            path,
            message,
            Severity::Warning,
        );
    }
}
