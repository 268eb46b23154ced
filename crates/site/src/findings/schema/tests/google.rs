use super::*;
use Eligibility as E;
use IssueCode as C;

fn offer() -> Json {
    json!({"@type": "Offer", "price": "9.90", "priceCurrency": "EUR", "availability": "InStock"})
}

fn product() -> Json {
    json!({"@type": "Product", "name": "Cup", "image": "https://example.com/c.jpg", "offers": offer()})
}

#[test]
fn an_article_has_no_required_properties() {
    let it = entity(json!({"@type": "TechArticle"}));
    assert_eq!(it.feature, Some(Feature::Article));
    assert_eq!(it.eligibility, E::EligibleWithWarnings);
    assert_eq!(it.missing_required, [""; 0]);
    assert_eq!(
        it.missing_recommended,
        [
            "author",
            "dateModified",
            "datePublished",
            "headline",
            "image"
        ]
    );
    let full = entity(
        json!({"@type": "Article", "headline": "h", "image": "https://example.com/i.jpg",
        "datePublished": "2026-01-02", "dateModified": "2026-01-02",
        "author": {"@type": "Person", "name": "Jo", "url": "https://example.com/jo"}}),
    );
    assert_eq!(full.eligibility, E::Eligible);
    let text = entity(json!({"@type": "Article", "author": "Jo"}));
    assert!(!text.missing_recommended.contains(&"author.name".to_owned()));
    assert!(text.missing_recommended.contains(&"author.url".to_owned()));
}

#[test]
fn a_product_is_a_merchant_listing_or_else_a_snippet() {
    let listing = entity(product());
    assert_eq!(listing.feature, Some(Feature::MerchantListing));
    assert_eq!(listing.eligibility, E::EligibleWithWarnings);
    let snippet = entity(with(&product(), json!({"image": null})));
    assert_eq!(snippet.feature, Some(Feature::ProductSnippet));
    assert_eq!(snippet.eligibility, E::EligibleWithWarnings);
    let notice = snippet.issues.iter().find(|it| it.path == "image").unwrap();
    assert_eq!(
        (notice.code, notice.severity),
        (C::RequiredMissing, Severity::Notice)
    );
    let nothing = entity(json!({"@type": "Product"}));
    assert_eq!(nothing.feature, Some(Feature::ProductSnippet));
    assert_eq!(nothing.eligibility, E::Ineligible);
    assert_eq!(
        nothing.missing_required,
        ["name", "review or aggregateRating or offers"]
    );
    let record = evaluated(&data(Format::JsonLd, &product()), None);
    assert_eq!(
        record.features,
        [Feature::MerchantListing, Feature::ProductSnippet]
    );
}

#[test]
fn prices_need_a_currency_and_a_positive_value() {
    let of = |offer: Json| entity(with(&product(), json!({"offers": offer})));
    let free = of(with(&offer(), json!({"price": 0})));
    assert_eq!(free.feature, Some(Feature::ProductSnippet));
    assert_eq!(issues(&free), [(C::ValueNotAccepted, "offers.price")]);
    let without = of(with(&offer(), json!({"price": ""})));
    assert_eq!(without.eligibility, E::Ineligible);
    assert_eq!(
        without.missing_required,
        ["offers.price or offers.priceSpecification.price"]
    );
    let two = of(json!([offer(), with(&offer(), json!({"price": null}))]));
    assert_eq!(two.eligibility, E::Ineligible);
    assert!(issues(&two).contains(&(C::RequiredMissing, "offers[1].price")));
    let currency = of(with(&offer(), json!({"priceCurrency": null})));
    assert_eq!(currency.feature, Some(Feature::ProductSnippet));
    let specified = of(json!({"@type": "Offer", "priceSpecification":
        {"@type": "UnitPriceSpecification", "price": 3, "priceCurrency": "EUR"}}));
    assert_eq!(specified.feature, Some(Feature::MerchantListing));
    let aggregate = of(json!({"@type": "AggregateOffer", "lowPrice": 3}));
    assert_eq!(aggregate.missing_required, ["offers.priceCurrency"]);
}

#[test]
fn an_offer_belongs_to_its_product_by_id() {
    let items = json!([
        with(&product(), json!({"offers": {"@id": "#o"}})),
        {"@type": "Offer", "@id": "#o", "priceCurrency": "EUR"},
    ]);
    let record = evaluated(&data(Format::JsonLd, &items), None);
    assert_eq!(
        record.entities[0].missing_required,
        ["offers.price or offers.priceSpecification.price"]
    );
    assert_eq!(record.entities[1].eligibility, E::NotSupported);
}

#[test]
fn ratings_are_between_worst_and_best() {
    let rated = |rating: Json| {
        let it = entity(with(&product(), json!({"aggregateRating": rating})));
        issues(&it)
            .iter()
            .map(|it| (it.0, it.1.to_owned()))
            .collect::<Vec<_>>()
    };
    let rating = json!({"@type": "AggregateRating", "ratingValue": 4.4, "ratingCount": 2});
    assert_eq!(rated(rating.clone()), []);
    let bad = [(
        C::ValueNotAccepted,
        "aggregateRating.ratingValue".to_owned(),
    )];
    assert_eq!(rated(with(&rating, json!({"ratingValue": "5.1"}))), bad);
    assert_eq!(rated(with(&rating, json!({"ratingValue": 0.5}))), bad);
    assert_eq!(
        rated(with(&rating, json!({"ratingValue": 87, "bestRating": 100}))),
        []
    );
    assert_eq!(
        rated(with(&rating, json!({"ratingValue": 0, "worstRating": 0}))),
        []
    );
    assert_eq!(rated(with(&rating, json!({"ratingValue": "60%"}))), []);
    assert_eq!(
        rated(with(&rating, json!({"ratingCount": null}))),
        [(C::RequiredMissing, "aggregateRating.ratingCount".to_owned())]
    );
    assert_eq!(
        rated(with(
            &rating,
            json!({"ratingCount": null, "reviewCount": 1})
        )),
        []
    );
}

#[test]
fn top_level_reviews_need_item_reviewed() {
    let review = json!({"@type": "Review", "author": "Jo", "reviewRating": {"@type": "Rating", "ratingValue": 4}});
    assert_eq!(entity(review.clone()).missing_required, ["itemReviewed"]);
    let about = with(&review, json!({"itemReviewed": {"@type": "Book"}}));
    assert_eq!(entity(about).missing_required, ["itemReviewed.name"]);
    let whole = with(
        &review,
        json!({"itemReviewed": {"@type": "Book", "name": "B"}}),
    );
    assert_eq!(entity(whole).eligibility, E::EligibleWithWarnings);
    let unrated = entity(with(
        &product(),
        json!({"review": {"@type": "Review", "author": "Jo"}}),
    ));
    assert_eq!(unrated.missing_required, ["review.reviewRating"]);
    let rating = json!({"@type": "AggregateRating", "ratingValue": 4, "ratingCount": 2});
    assert_eq!(entity(rating).missing_required, ["itemReviewed"]);
}

#[test]
fn self_serving_business_reviews_get_no_stars() {
    let stars = json!({"@type": "AggregateRating", "ratingValue": 4, "ratingCount": 2});
    let book = entity(json!({"@type": "Book", "name": "B", "aggregateRating": stars}));
    assert_eq!(book.feature, Some(Feature::ReviewSnippet));
    assert_eq!(
        entity(json!({"@type": "Book", "name": "B"})).eligibility,
        E::NotSupported
    );
    let reviewed = |business: Json| {
        let item = with(&stars, json!({"itemReviewed": business}));
        evaluated(&data(Format::JsonLd, &item), None)
    };
    let own =
        reviewed(json!({"@type": "Restaurant", "name": "R", "url": "https://www.example.com/"}));
    assert_eq!(own.features, []);
    assert_eq!(issues(&own.entities[0]), [(C::SelfServingReview, "")]);
    let foreign =
        reviewed(json!({"@type": "Restaurant", "name": "R", "url": "https://other.org/"}));
    assert_eq!(foreign.features, [Feature::ReviewSnippet]);
}

#[test]
fn breadcrumbs_need_two_elements_and_the_last_no_item() {
    let element = |position: u32, name: &str, item: Option<&str>| {
        let mut it = json!({"@type": "ListItem", "position": position, "name": name});
        if let Some(item) = item {
            it["item"] = json!(item);
        }
        it
    };
    let crumbs =
        |all: Vec<Json>| entity(json!({"@type": "BreadcrumbList", "itemListElement": all}));
    let good = crumbs(vec![
        element(1, "a", Some("https://example.com/a")),
        element(2, "b", None),
    ]);
    assert_eq!(good.eligibility, E::Eligible);
    let one = crumbs(vec![element(1, "a", Some("https://example.com/a"))]);
    assert_eq!(issues(&one), [(C::ValueNotAccepted, "itemListElement")]);
    assert_eq!(one.eligibility, E::Ineligible);
    let broken = crumbs(vec![
        element(1, "a", None),
        element(2, "", Some("/b")),
        element(3, "c", None),
    ]);
    assert_eq!(
        issues(&broken),
        [
            (C::RequiredMissing, "itemListElement[0].item"),
            (C::RequiredMissing, "itemListElement[1].name"),
        ]
    );
    let named = json!({"@type": "ListItem", "position": 1, "item": {"@type": "WebPage", "@id": "https://example.com/a", "name": "a"}});
    assert_eq!(
        crumbs(vec![named, element(2, "b", None)]).eligibility,
        E::Eligible
    );
    let unnumbered = crumbs(vec![
        json!({"@type": "ListItem", "name": "a", "item": "/a"}),
        element(2, "b", None),
    ]);
    assert_eq!(
        issues(&unnumbered),
        [(C::RequiredMissing, "itemListElement[0].position")]
    );
    assert_eq!(
        entity(json!({"@type": "BreadcrumbList"})).missing_required,
        ["itemListElement"]
    );
}

#[test]
fn carousels_are_summaries_or_all_in_one() {
    let list = |all: Json| issues_of(json!({"@type": "ItemList", "itemListElement": all}));
    assert_eq!(
        list(json!([{"@type": "ListItem", "position": 1, "url": "https://example.com/a"}])),
        [""; 0]
    );
    assert_eq!(
        list(json!([{"@type": "ListItem", "position": 1}])),
        ["itemListElement.url"]
    );
    assert_eq!(
        list(json!([{"@type": "ListItem", "item": {"@type": "Thing"}}])),
        [
            "itemListElement.item.name",
            "itemListElement.item.url",
            "itemListElement.position"
        ]
    );
}

fn issues_of(item: Json) -> Vec<String> {
    let it = entity(item);
    let mut all: Vec<String> = issues(&it).iter().map(|it| it.1.to_owned()).collect();
    all.sort();
    all
}

#[test]
fn jobs_need_a_location_or_remote_countries() {
    let job = json!({"@type": "JobPosting", "title": "t", "description": "d", "datePosted": "2026-01-02",
        "hiringOrganization": "O"});
    let place = |address: Json| json!({"jobLocation": {"@type": "Place", "address": address}});
    let missing = |item: Json| entity(item).missing_required;
    assert_eq!(missing(job.clone()), ["jobLocation"]);
    let country = json!({"@type": "PostalAddress", "addressCountry": "CZ"});
    assert_eq!(missing(with(&job, place(country))), [""; 0]);
    let nowhere = json!({"@type": "PostalAddress", "addressLocality": "Brno"});
    assert_eq!(
        missing(with(&job, place(nowhere))),
        ["jobLocation.address.addressCountry"]
    );
    let empty = json!({"jobLocation": {"@type": "Place", "name": "x"}});
    assert_eq!(missing(with(&job, empty)), ["jobLocation.address"]);
    let remote = with(&job, json!({"jobLocationType": "TELECOMMUTE"}));
    assert_eq!(missing(remote.clone()), ["applicantLocationRequirements"]);
    let countries = json!({"applicantLocationRequirements": {"@type": "Country", "name": "CZ"}});
    assert_eq!(missing(with(&remote, countries.clone())), [""; 0]);
    assert_eq!(missing(with(&job, countries)), ["jobLocation"]);
}

#[test]
fn recipes_with_calories_need_a_yield_and_both_times() {
    let recipe = json!({"@type": "Recipe", "name": "r", "image": "https://example.com/i.jpg"});
    assert_eq!(entity(recipe.clone()).eligibility, E::EligibleWithWarnings);
    let calories = json!({"nutrition": {"@type": "NutritionInformation", "calories": "9 cal"}});
    assert_eq!(
        entity(with(&recipe, calories)).missing_required,
        ["recipeYield"]
    );
    let prepared = entity(with(&recipe, json!({"prepTime": "PT5M"})));
    assert_eq!(issues(&prepared), [(C::IncompletePair, "cookTime")]);
    let both = entity(with(
        &recipe,
        json!({"prepTime": "PT5M", "cookTime": "PT9M"}),
    ));
    assert_eq!(issues(&both), []);
}

#[test]
fn returns_regions_and_notes_have_special_rules() {
    let policy = |policy: Json| {
        entity(with(
            &product(),
            json!({"offers": with(&offer(), json!({"hasMerchantReturnPolicy": policy}))}),
        ))
    };
    let named = json!({"@type": "MerchantReturnPolicy", "applicableCountry": "CZ"});
    assert_eq!(
        policy(named.clone()).missing_required,
        ["offers.hasMerchantReturnPolicy.returnPolicyCategory"]
    );
    let finite = with(
        &named,
        json!({"returnPolicyCategory": "https://schema.org/MerchantReturnFiniteReturnWindow"}),
    );
    let it = policy(finite);
    assert_eq!(it.missing_required, [""; 0]);
    assert!(
        it.missing_recommended
            .contains(&"offers.hasMerchantReturnPolicy.merchantReturnDays".to_owned())
    );
    let link =
        json!({"@type": "MerchantReturnPolicy", "merchantReturnLink": "https://example.com/r"});
    assert_eq!(policy(link.clone()).eligibility, E::Ineligible);
    let organization = entity(json!({"@type": "OnlineStore", "hasMerchantReturnPolicy": link}));
    assert_eq!(organization.feature, Some(Feature::Organization));
    assert_eq!(organization.eligibility, E::EligibleWithWarnings);

    let region = json!({"@type": "DefinedRegion", "addressCountry": "CZ", "addressRegion": "JM", "postalCode": "6"});
    let shipping = json!({"@type": "OfferShippingDetails", "deliveryTime": {"@type": "ShippingDeliveryTime"},
        "shippingRate": {"@type": "MonetaryAmount", "value": 1, "currency": "EUR"}, "shippingDestination": region});
    let shipped = entity(with(
        &product(),
        json!({"offers": with(&offer(), json!({"shippingDetails": shipping}))}),
    ));
    assert_eq!(
        issues(&shipped),
        [(
            C::ValueNotAccepted,
            "offers.shippingDetails.shippingDestination.postalCode"
        )]
    );

    let note =
        json!({"@type": "ItemList", "itemListElement": {"@type": "ListItem", "name": "good"}});
    let review = json!({"@type": "Review", "author": "Jo", "positiveNotes": note,
        "reviewRating": {"@type": "Rating", "ratingValue": 4}});
    let one = entity(with(&product(), json!({"review": review})));
    assert_eq!(
        issues(&one),
        [(C::ValueNotAccepted, "review.positiveNotes")]
    );
    let two = entity(with(
        &product(),
        json!({"review": with(&review, json!({"negativeNotes": note}))}),
    ));
    assert_eq!(issues(&two), []);
}

#[test]
fn forums_questions_profiles_and_videos_have_rules() {
    let post = json!({"@type": "SocialMediaPosting", "author": {"@type": "Person", "name": "Jo"}, "datePublished": "2026-01-02"});
    assert_eq!(
        entity(post.clone()).missing_required,
        ["text or image or video or sharedContent"]
    );
    assert_eq!(entity(post).feature, Some(Feature::DiscussionForum));
    assert_eq!(
        entity(json!({"@type": "LiveBlogPosting"})).feature,
        Some(Feature::Article)
    );
    let question = |question: Json| {
        entity(json!({"@type": "QAPage", "mainEntity": question})).missing_required
    };
    assert_eq!(
        question(json!({"@type": "Question", "name": "q"})),
        [
            "mainEntity.answerCount",
            "mainEntity.acceptedAnswer or mainEntity.suggestedAnswer"
        ]
    );
    assert_eq!(
        question(
            json!({"@type": "Question", "name": "q", "answerCount": 1, "suggestedAnswer": {"@type": "Answer"}})
        ),
        ["mainEntity.suggestedAnswer.text"]
    );
    assert_eq!(
        entity(json!({"@type": "ProfilePage", "mainEntity": {"@type": "Person"}})).missing_required,
        ["mainEntity.name"]
    );
    let video = entity(
        json!({"@type": "VideoObject", "name": "v", "hasPart": {"@type": "Clip", "name": "c"}}),
    );
    assert_eq!(
        video.missing_required,
        [
            "thumbnailUrl",
            "uploadDate",
            "hasPart.startOffset",
            "hasPart.url"
        ]
    );
}

#[test]
fn images_need_license_metadata() {
    let image = json!({"@type": "ImageObject", "contentUrl": "https://example.com/i.jpg"});
    assert_eq!(entity(image.clone()).eligibility, E::NotSupported);
    let licensed = with(&image, json!({"license": "https://example.com/l"}));
    assert_eq!(
        entity(licensed.clone()).feature,
        Some(Feature::ImageMetadata)
    );
    assert_eq!(
        entity(with(&licensed, json!({"contentUrl": null}))).missing_required,
        ["contentUrl"]
    );
}

#[test]
fn remaining_features_follow_the_rules_table() {
    for (item, feature, missing) in [
        (
            json!({"@type": "Course"}),
            Feature::CourseList,
            vec!["name", "description"],
        ),
        (
            json!({"@type": "Dataset"}),
            Feature::Dataset,
            vec!["name", "description"],
        ),
        (
            json!({"@type": "Quiz"}),
            Feature::EducationQa,
            vec!["hasPart"],
        ),
        (
            json!({"@type": "Event", "location": "Hall"}),
            Feature::Event,
            vec!["name", "startDate", "location.address"],
        ),
        (
            json!({"@type": "Festival"}),
            Feature::Event,
            vec!["name", "startDate", "location"],
        ),
        (
            json!({"@type": "Bakery"}),
            Feature::LocalBusiness,
            vec!["name", "address"],
        ),
        (
            json!({"@type": "MemberProgram"}),
            Feature::LoyaltyProgram,
            vec!["name", "description", "hasTiers"],
        ),
        (
            json!({"@type": "MathSolver"}),
            Feature::MathSolver,
            vec!["potentialAction", "url", "usageInfo"],
        ),
        (
            json!({"@type": "Movie"}),
            Feature::Movie,
            vec!["name", "image"],
        ),
        (
            json!({"@type": "ProductGroup"}),
            Feature::ProductVariants,
            vec!["name"],
        ),
        (
            json!({"@type": "ShippingService"}),
            Feature::ShippingService,
            vec!["shippingConditions"],
        ),
        (
            json!({"@type": "MobileApplication", "name": "a", "offers": {"@type": "Offer"}}),
            Feature::SoftwareApp,
            vec!["offers.price", "aggregateRating or review"],
        ),
        (
            json!({"@type": "EmployerAggregateRating"}),
            Feature::EmployerRating,
            vec!["itemReviewed", "ratingValue", "ratingCount or reviewCount"],
        ),
        (
            json!({"@type": "VacationRental", "name": "v", "identifier": "1", "image": "https://example.com/i.jpg",
            "geo": {"@type": "GeoCoordinates", "latitude": 1, "longitude": 2}, "containsPlace": {"@type": "Accommodation"}}),
            Feature::VacationRental,
            vec!["containsPlace.occupancy"],
        ),
    ] {
        let it = entity(item);
        assert_eq!(it.feature, Some(feature));
        assert_eq!(it.missing_required, missing, "{feature:?}");
        assert_eq!(it.eligibility, E::Ineligible, "{feature:?}");
    }
    let rescheduled =
        entity(json!({"@type": "Event", "eventStatus": "https://schema.org/EventRescheduled"}));
    assert!(
        rescheduled
            .missing_recommended
            .contains(&"previousStartDate".to_owned())
    );
}

#[test]
fn required_dates_must_be_iso_8601() {
    let on = |date: Json| {
        let place = json!({"@type": "Place", "address": "Hall 1"});
        entity(json!({"@type": "Event", "name": "Fair", "startDate": date, "location": place}))
    };
    for good in [
        "2026-06-15",
        "2026-06-15T19:00",
        "2026-06-15T19:00:00+02:00",
    ] {
        assert_eq!(
            on(json!(good)).eligibility,
            E::EligibleWithWarnings,
            "{good}"
        );
    }
    for bad in [
        json!("2026-13-45"),
        json!("2026-02-30T19:00"),
        json!("soon"),
        json!(["2026-06-15", "x"]),
    ] {
        let it = on(bad.clone());
        assert_eq!(it.eligibility, E::Ineligible, "{bad}");
        let is_rejected = |it: &&Issue| it.code == C::ValueNotAccepted && it.path == "startDate";
        let issue = it.issues.iter().find(is_rejected).unwrap();
        assert_eq!(issue.severity, Severity::Error);
        assert!(it.missing_required.is_empty());
    }
}

#[test]
fn retired_features_are_valid_and_reported() {
    for (item, feature) in [
        (json!({"@type": "FAQPage"}), Feature::Faq),
        (json!({"@type": "HowTo"}), Feature::HowTo),
        (json!({"@type": "ClaimReview"}), Feature::ClaimReview),
        (
            json!({"@type": "SpecialAnnouncement"}),
            Feature::SpecialAnnouncement,
        ),
        (json!({"@type": "Car"}), Feature::VehicleListing),
        (json!({"@type": "Occupation"}), Feature::EstimatedSalary),
        (
            json!({"@type": "Quiz", "learningResourceType": "Practice problem"}),
            Feature::PracticeProblem,
        ),
        (
            json!({"@type": "Book", "potentialAction": {"@type": "BorrowAction"}}),
            Feature::BookActions,
        ),
        (
            json!({"@type": "WebSite", "potentialAction": {"@type": "SearchAction"}}),
            Feature::SitelinksSearchBox,
        ),
    ] {
        let it = entity(item);
        assert_eq!((it.feature, it.eligibility), (Some(feature), E::Retired));
        assert_eq!(issues(&it), [(C::Retired, "")], "{feature:?}");
        assert_eq!(it.issues[0].severity, Severity::Notice);
    }
    let old = entity(json!({"@type": "http://data-vocabulary.org/Product"}));
    assert_eq!((old.eligibility, old.feature), (E::Retired, None));
    let sold = entity(with(&product(), json!({"@type": ["Product", "Car"]})));
    assert_eq!(sold.feature, Some(Feature::MerchantListing));
    let with_instance = entity(
        json!({"@type": "Course", "name": "c", "description": "d", "provider": "p", "hasCourseInstance": {"@type": "CourseInstance"}}),
    );
    assert_eq!(with_instance.feature, Some(Feature::CourseList));
    assert!(issues(&with_instance).contains(&(C::Retired, "")));
    let video = entity(json!({"@type": ["VideoObject", "LearningResource"], "name": "v"}));
    assert_eq!(video.feature, Some(Feature::Video));
    assert!(issues(&video).contains(&(C::Retired, "")));
}

#[test]
fn site_names_are_for_home_pages_only() {
    let site = data(
        Format::JsonLd,
        &json!({"@type": "WebSite", "name": "n", "url": "https://example.com/"}),
    );
    let home = evaluated_at("https://example.com/", &site, None, None);
    assert_eq!(home.features, [Feature::SiteName]);
    assert_eq!(
        evaluated(&site, None).entities[0].eligibility,
        E::NotSupported
    );
    for name in ["Person", "WebPage", "Offer", "Thing", "Own"] {
        assert_eq!(
            entity(json!({"@type": name})).eligibility,
            E::NotSupported,
            "{name}"
        );
    }
    let comment = entity(json!({"@type": "UserComments"}));
    assert_eq!(comment.eligibility, E::NotSupported);
}

#[test]
fn paywall_and_speakable_rules_are_additional() {
    let article = json!({"@type": "NewsArticle", "headline": "h", "isAccessibleForFree": false,
        "hasPart": {"@type": "WebPageElement", "isAccessibleForFree": false},
        "speakable": {"@type": "SpeakableSpecification"}});
    let it = entity(article);
    assert_eq!(it.feature, Some(Feature::Article));
    assert_eq!(
        issues(&it),
        [
            (C::RequiredMissing, "hasPart.cssSelector"),
            (C::RequiredMissing, "speakable.cssSelector")
        ]
    );
    let record = evaluated(
        &data(
            Format::JsonLd,
            &json!({"@type": "WebPage", "isAccessibleForFree": "http://schema.org/False",
        "speakable": {"@type": "SpeakableSpecification", "xPath": "/html"}}),
        ),
        None,
    );
    assert_eq!(
        record.features,
        [Feature::PaywalledContent, Feature::Speakable]
    );
}
