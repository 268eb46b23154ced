mod lists;
mod shop;

use super::feature::Feature;
use super::graph::Graph;
use super::outcome::{EvaluationContext, Outcome};
use super::paths::{VisitedNode, has_value_at, joined, local_name};
use super::record::IssueCode;
use super::values::{NumberFormat, parse_number};
use crate::findings::broken_links::Severity;
use url::Url;

pub fn applies(page: &EvaluationContext<'_>, node: u32, feature: Feature) -> bool {
    let graph = page.graph;
    match feature {
        // Steps and sections of instructions are lists too, but no carousels.
        Feature::Carousel => graph.schema_types(node).any(|it| it == "ItemList"),
        Feature::SiteName => Url::parse(page.url).is_ok_and(|it| it.path() == "/"),
        Feature::EducationQa => !is_practice_problem(graph, node),
        // The obsolete way to count comments and likes.
        Feature::Event => !graph.is_a(node, "UserInteraction"),
        Feature::PracticeProblem => is_practice_problem(graph, node),
        Feature::LearningVideo => graph.schema_types(node).any(|it| it == "LearningResource"),
        Feature::BookActions => has_action(graph, node, &["ReadAction", "BorrowAction"]),
        Feature::SitelinksSearchBox => has_action(graph, node, &["SearchAction"]),
        _ => true,
    }
}

/// Whether it is a quiz of the kind that ended in January 2026.
fn is_practice_problem(graph: &Graph<'_>, node: u32) -> bool {
    let kind = graph.text(node, "learningResourceType");
    let is_practice = kind.is_some_and(|it| it.to_ascii_lowercase().contains("practice problem"));
    is_practice && graph.is_a(node, "Quiz")
}

fn has_action(graph: &Graph<'_>, node: u32, types: &[&str]) -> bool {
    let actions = graph.values(node, "potentialAction");
    let mut nodes = actions.filter_map(|it| graph.target(it));
    nodes.any(|action| types.iter().any(|it| graph.is_a(action, it)))
}

pub fn check(
    page: &EvaluationContext<'_>,
    visit: &VisitedNode,
    feature: Feature,
    outcome: &mut Outcome,
) {
    let (graph, node) = (page.graph, visit.number);
    if visit.path.is_empty() {
        match feature {
            Feature::Breadcrumb => lists::check_breadcrumb(graph, node, outcome),
            Feature::Carousel => lists::check_carousel(graph, node, outcome),
            Feature::Event => check_event(graph, node, outcome),
            Feature::JobPosting => check_job(graph, node, outcome),
            Feature::Recipe => check_recipe(graph, node, outcome),
            Feature::ReviewSnippet => check_self_serving_review(page, node, outcome),
            Feature::VacationRental => check_rental(graph, node, outcome),
            _ => {}
        }
    }
    let reviews = [
        Feature::EmployerRating,
        Feature::MerchantListing,
        Feature::ProductSnippet,
        Feature::ProductVariants,
        Feature::ReviewSnippet,
        Feature::SoftwareApp,
    ];
    if graph.is_a(node, "Rating") && reviews.contains(&feature) {
        check_rating(graph, visit, outcome);
    }
    shop::check(page, visit, feature, outcome);
}

/// Worst and best are 1 and 5 by default; percentages and fractions have their own scale.
fn check_rating(graph: &Graph<'_>, visit: &VisitedNode, outcome: &mut Outcome) {
    let of = |name: &str| match parse_number(&graph.text(visit.number, name)?) {
        NumberFormat::Plain(value) => Some(value),
        _ => None,
    };
    let (worst, best) = (
        of("worstRating").unwrap_or(1.0),
        of("bestRating").unwrap_or(5.0),
    );
    if let Some(value) = of("ratingValue")
        && !(worst..=best).contains(&value)
    {
        let path = joined(&visit.path, "ratingValue", None);
        let message = format!("{value} is not between {worst} and {best}");
        outcome.add(IssueCode::ValueNotAccepted, path, message, Severity::Error);
    }
}

/// Stars are not shown for what an organization publishes about itself.
fn check_self_serving_review(page: &EvaluationContext<'_>, node: u32, outcome: &mut Outcome) {
    let graph = page.graph;
    let is_own = |node: u32| {
        let is_business = ["Organization", "LocalBusiness"];
        let host = |url: &str| {
            let host = Url::parse(url).ok()?.host_str()?.to_owned();
            Some(host.trim_start_matches("www.").to_owned())
        };
        let theirs = graph.text(node, "url").and_then(|it| host(&it));
        let same = theirs.is_none() || theirs == host(page.url);
        same && is_business.iter().any(|it| graph.is_a(node, it))
    };
    let mut reviewed = graph
        .values(node, "itemReviewed")
        .filter_map(|it| graph.target(it));
    if is_own(node) || reviewed.any(is_own) {
        outcome.is_withheld = true;
        let message = "Google shows no stars for reviews of a business on its own site".to_owned();
        let code = IssueCode::SelfServingReview;
        outcome.add(code, String::new(), message, Severity::Notice);
    }
}

fn check_recipe(graph: &Graph<'_>, node: u32, outcome: &mut Outcome) {
    let there = |path: &str| has_value_at(graph, node, path) == Some(true);
    if there("nutrition.calories") && !there("recipeYield") {
        outcome.add_missing_required("recipeYield");
    }
    for (one, other) in [("prepTime", "cookTime"), ("cookTime", "prepTime")] {
        if there(one) && !there(other) {
            let message = format!("{one} goes together with {other}");
            let code = IssueCode::IncompletePair;
            outcome.add(code, other.to_owned(), message, Severity::Warning);
        }
    }
}

/// A place with a country, or remote work with its countries.
fn check_job(graph: &Graph<'_>, node: u32, outcome: &mut Outcome) {
    let there = |path: &str| has_value_at(graph, node, path) == Some(true);
    let kind = graph.text(node, "jobLocationType");
    let is_remote =
        kind.is_some_and(|it| local_name(it.trim()).eq_ignore_ascii_case("TELECOMMUTE"));
    if !there("jobLocation") {
        match is_remote {
            true if !there("applicantLocationRequirements") => {
                outcome.add_missing_required("applicantLocationRequirements");
            }
            false => outcome.add_missing_required("jobLocation"),
            true => {}
        }
        return;
    }
    if has_value_at(graph, node, "jobLocation.address") == Some(false) {
        outcome.add_missing_required("jobLocation.address");
    } else if has_value_at(graph, node, "jobLocation.address.addressCountry") == Some(false) {
        outcome.add_missing_required("jobLocation.address.addressCountry");
    }
}

fn check_event(graph: &Graph<'_>, node: u32, outcome: &mut Outcome) {
    let status = graph.text(node, "eventStatus").unwrap_or_default();
    if local_name(status.trim()) == "EventRescheduled"
        && graph.values(node, "previousStartDate").next().is_none()
    {
        outcome.recommended += 1;
        outcome.add_missing_recommended("previousStartDate");
    }
}

fn check_rental(graph: &Graph<'_>, node: u32, outcome: &mut Outcome) {
    const MIN_IMAGES: usize = 8;
    let images = graph.values(node, "image").count();
    if (1..MIN_IMAGES).contains(&images) {
        let message = format!("{images} images; Google wants {MIN_IMAGES}");
        let code = IssueCode::ValueNotAccepted;
        outcome.add(code, "image".to_owned(), message, Severity::Error);
    }
    if has_value_at(graph, node, "containsPlace.occupancy") == Some(false) {
        outcome.add_missing_required("containsPlace.occupancy");
    }
}
