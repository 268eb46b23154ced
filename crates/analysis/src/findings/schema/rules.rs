//! What Google requires and recommends: appendix A of the specification as a table, which was taken
//! from the Search Central documentation of 2026-07-07. What a table cannot say is in `special`.
//!
//! A path with a dot is looked at only where its beginning is there: `author.name` says nothing of a
//! page without `author`. Text where a thing could be (`"author": "Jo"`) counts as its name.

use super::feature::Feature;

#[derive(Debug, Clone, Copy)]
pub enum When {
    Always,
    HasAny(&'static [&'static str]),
    /// For those that say that this is false.
    IsFalse(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub feature: Feature,
    /// Types that it is for, with all below them unless those have rules of their own.
    pub types: &'static [&'static str],
    pub when: When,
    /// Without these it is not shown.
    pub required: &'static [&'static str],
    /// Of each of these lists, one is required.
    pub one_of: &'static [&'static [&'static str]],
    /// With these it is shown better.
    pub recommended: &'static [&'static str],
}

const fn rule(feature: Feature, types: &'static [&'static str]) -> Rule {
    Rule {
        feature,
        types,
        when: When::Always,
        required: &[],
        one_of: &[],
        recommended: &[],
    }
}

impl Rule {
    const fn when(mut self, when: When) -> Self {
        self.when = when;
        self
    }

    const fn requires(mut self, paths: &'static [&'static str]) -> Self {
        self.required = paths;
        self
    }

    const fn one_of(mut self, lists: &'static [&'static [&'static str]]) -> Self {
        self.one_of = lists;
        self
    }

    const fn recommends(mut self, paths: &'static [&'static str]) -> Self {
        self.recommended = paths;
        self
    }
}

use Feature as F;

/// Rules for what an item is; the nearest of its types that is listed decides.
pub static MAIN: &[Rule] = &[
    rule(F::Article, &["Article", "NewsArticle", "BlogPosting"]).recommends(&[
        "author",
        "author.name",
        "author.url",
        "dateModified",
        "datePublished",
        "headline",
        "image",
    ]),
    rule(F::Breadcrumb, &["BreadcrumbList"]).requires(&["itemListElement"]),
    rule(F::Carousel, &["ItemList"]).requires(&["itemListElement"]),
    rule(F::CourseList, &["Course"])
        .requires(&["name", "description"])
        .recommends(&["provider"]),
    rule(F::Dataset, &["Dataset"])
        .requires(&["name", "description"])
        .recommends(&[
            "alternateName",
            "creator",
            "citation",
            "funder",
            "hasPart",
            "identifier",
            "isAccessibleForFree",
            "keywords",
            "license",
            "measurementTechnique",
            "sameAs",
            "spatialCoverage",
            "temporalCoverage",
            "variableMeasured",
            "version",
            "url",
            "includedInDataCatalog",
            "distribution",
        ]),
    rule(
        F::DiscussionForum,
        &["DiscussionForumPosting", "SocialMediaPosting"],
    )
    .requires(&["author", "author.name", "datePublished"])
    .one_of(&[&["text", "image", "video", "sharedContent"]])
    .recommends(&[
        "author.url",
        "comment",
        "commentCount",
        "creativeWorkStatus",
        "dateModified",
        "digitalSourceType",
        "headline",
        "image",
        "interactionStatistic",
        "isPartOf",
        "sharedContent",
        "url",
        "video",
    ]),
    rule(F::EducationQa, &["Quiz"])
        .requires(&["hasPart"])
        .recommends(&["about", "educationalAlignment"]),
    rule(F::EmployerRating, &["EmployerAggregateRating"])
        .requires(&["itemReviewed", "ratingValue"])
        .one_of(&[&["ratingCount", "reviewCount"]])
        .recommends(&["bestRating", "worstRating"]),
    rule(F::Event, &["Event"])
        .requires(&["name", "startDate", "location", "location.address"])
        .recommends(&[
            "description",
            "endDate",
            "eventStatus",
            "image",
            "location.name",
            "offers",
            "offers.availability",
            "offers.price",
            "offers.priceCurrency",
            "offers.validFrom",
            "offers.url",
            "organizer",
            "organizer.name",
            "organizer.url",
            "performer",
            "performer.name",
        ]),
    // Google takes no notice of an image that says nothing of its rights.
    rule(F::ImageMetadata, &["ImageObject"])
        .when(When::HasAny(&[
            "creator",
            "creditText",
            "copyrightNotice",
            "license",
        ]))
        .requires(&["contentUrl"])
        .recommends(&[
            "acquireLicensePage",
            "creator",
            "creator.name",
            "creditText",
            "copyrightNotice",
            "license",
        ]),
    rule(F::JobPosting, &["JobPosting"])
        .requires(&["title", "description", "datePosted", "hiringOrganization"])
        .recommends(&[
            "applicantLocationRequirements",
            "baseSalary",
            "directApply",
            "employmentType",
            "identifier",
            "jobLocationType",
            "validThrough",
            "educationRequirements",
            "experienceRequirements",
            "experienceInPlaceOfEducation",
        ]),
    rule(F::LocalBusiness, &["LocalBusiness"])
        .requires(&["name", "address"])
        .recommends(&[
            "aggregateRating",
            "department",
            "geo",
            "geo.latitude",
            "geo.longitude",
            "menu",
            "openingHoursSpecification",
            "openingHoursSpecification.closes",
            "openingHoursSpecification.dayOfWeek",
            "openingHoursSpecification.opens",
            "openingHoursSpecification.validFrom",
            "openingHoursSpecification.validThrough",
            "priceRange",
            "review",
            "servesCuisine",
            "telephone",
            "url",
        ]),
    rule(F::LoyaltyProgram, &["MemberProgram"])
        .requires(&["name", "description", "hasTiers"])
        .recommends(&["url"]),
    rule(F::MathSolver, &["MathSolver"])
        .requires(&["potentialAction", "url", "usageInfo"])
        .recommends(&["inLanguage", "assesses"]),
    rule(F::MerchantListing, &["Product"])
        .requires(&["name", "image", "offers"])
        .recommends(&[
            "aggregateRating",
            "audience",
            "brand",
            "brand.name",
            "category",
            "color",
            "description",
            "gtin",
            "hasAdultConsideration",
            "hasCertification",
            "inProductGroupWithID",
            "isVariantOf",
            "material",
            "mpn",
            "pattern",
            "review",
            "size",
            "sku",
            "subjectOf",
        ]),
    rule(F::ProductSnippet, &["Product"])
        .requires(&["name"])
        .one_of(&[&["review", "aggregateRating", "offers"]])
        .recommends(&["review", "aggregateRating", "offers"]),
    rule(F::Movie, &["Movie"])
        .requires(&["name", "image"])
        .recommends(&["aggregateRating", "dateCreated", "director", "review"]),
    rule(F::Organization, &["Organization"]).recommends(&[
        "address",
        "address.addressCountry",
        "address.addressLocality",
        "address.addressRegion",
        "address.postalCode",
        "address.streetAddress",
        "alternateName",
        "contactPoint",
        "contactPoint.email",
        "contactPoint.telephone",
        "description",
        "duns",
        "email",
        "foundingDate",
        "globalLocationNumber",
        "hasMerchantReturnPolicy",
        "hasMemberProgram",
        "hasShippingService",
        "iso6523Code",
        "legalName",
        "leiCode",
        "logo",
        "naics",
        "name",
        "numberOfEmployees",
        "sameAs",
        "taxID",
        "telephone",
        "url",
        "vatID",
    ]),
    rule(F::ProductVariants, &["ProductGroup"])
        .requires(&["name"])
        .recommends(&[
            "aggregateRating",
            "brand",
            "brand.name",
            "description",
            "hasVariant",
            "productGroupID",
            "review",
            "url",
            "variesBy",
        ]),
    rule(F::ProfilePage, &["ProfilePage"])
        .requires(&["mainEntity", "mainEntity.name"])
        .recommends(&[
            "dateCreated",
            "dateModified",
            "mainEntity.alternateName",
            "mainEntity.description",
            "mainEntity.identifier",
            "mainEntity.image",
            "mainEntity.interactionStatistic",
            "mainEntity.agentInteractionStatistic",
            "mainEntity.sameAs",
        ]),
    rule(F::QaPage, &["QAPage"]).requires(&["mainEntity"]),
    rule(F::Recipe, &["Recipe"])
        .requires(&["name", "image"])
        .recommends(&[
            "aggregateRating",
            "author",
            "cookTime",
            "datePublished",
            "description",
            "keywords",
            "nutrition",
            "nutrition.calories",
            "prepTime",
            "recipeCategory",
            "recipeCuisine",
            "recipeIngredient",
            "recipeInstructions",
            "recipeYield",
            "totalTime",
            "video",
        ]),
    rule(F::ReviewSnippet, &["Review"])
        .requires(&[
            "author",
            "itemReviewed",
            "itemReviewed.name",
            "reviewRating",
            "reviewRating.ratingValue",
        ])
        .recommends(&[
            "datePublished",
            "reviewRating.bestRating",
            "reviewRating.worstRating",
        ]),
    rule(F::ReviewSnippet, &["AggregateRating"])
        .requires(&["itemReviewed", "itemReviewed.name", "ratingValue"])
        .one_of(&[&["ratingCount", "reviewCount"]])
        .recommends(&["bestRating", "worstRating"]),
    rule(F::ShippingService, &["ShippingService"])
        .requires(&["shippingConditions"])
        .recommends(&[
            "name",
            "description",
            "fulfillmentType",
            "handlingTime",
            "validForMemberTier",
        ]),
    // Search Central, "Site names": on the home page alone.
    rule(F::SiteName, &["WebSite"])
        .requires(&["name", "url"])
        .recommends(&["alternateName"]),
    rule(F::SoftwareApp, &["SoftwareApplication"])
        .requires(&["name", "offers", "offers.price"])
        .one_of(&[&["aggregateRating", "review"]])
        .recommends(&["applicationCategory", "operatingSystem"]),
    rule(F::VacationRental, &["VacationRental"])
        .requires(&["containsPlace", "identifier", "image", "name"])
        .one_of(&[
            &["latitude", "geo.latitude"],
            &["longitude", "geo.longitude"],
        ])
        .recommends(&[
            "additionalType",
            "address",
            "address.addressCountry",
            "address.addressLocality",
            "address.addressRegion",
            "address.postalCode",
            "address.streetAddress",
            "aggregateRating",
            "brand",
            "checkinTime",
            "checkoutTime",
            "containsPlace.additionalType",
            "containsPlace.amenityFeature",
            "containsPlace.bed",
            "containsPlace.floorSize",
            "containsPlace.numberOfBathroomsTotal",
            "containsPlace.numberOfBedrooms",
            "containsPlace.numberOfRooms",
            "description",
            "knowsLanguage",
            "review",
        ]),
    rule(F::Video, &["VideoObject"])
        .requires(&["name", "thumbnailUrl", "uploadDate"])
        .recommends(&[
            "contentUrl",
            "description",
            "duration",
            "embedUrl",
            "expires",
            "hasPart",
            "ineligibleRegion",
            "interactionStatistic",
            "publication",
            "regionsAllowed",
        ]),
    rule(F::ClaimReview, &["ClaimReview"]),
    rule(
        F::EstimatedSalary,
        &["Occupation", "OccupationAggregationByEmployer"],
    ),
    rule(F::Faq, &["FAQPage"]),
    rule(F::HowTo, &["HowTo"]),
    rule(F::SpecialAnnouncement, &["SpecialAnnouncement"]),
    rule(F::VehicleListing, &["Vehicle"]),
];

/// Rules for what an item has; they hold beside the main ones, for these types and all below them.
pub static BESIDE: &[Rule] = &[
    rule(
        F::ReviewSnippet,
        &[
            "Book",
            "Course",
            "CreativeWorkSeason",
            "CreativeWorkSeries",
            "Episode",
            "Event",
            "Game",
            "HowTo",
            "MediaObject",
            "Movie",
            "MusicPlaylist",
            "MusicRecording",
            "Product",
            "Recipe",
            "SoftwareApplication",
        ],
    )
    .when(When::HasAny(&["review", "aggregateRating"]))
    .requires(&["name"]),
    rule(F::PaywalledContent, &["CreativeWork"])
        .when(When::IsFalse("isAccessibleForFree"))
        .recommends(&["hasPart"]),
    rule(F::Speakable, &["Article", "WebPage"]).when(When::HasAny(&["speakable"])),
    rule(F::CourseInfo, &["Course"]).when(When::HasAny(&["hasCourseInstance"])),
    rule(F::LearningVideo, &["VideoObject"]),
    rule(F::PracticeProblem, &["Quiz"]),
    rule(F::BookActions, &["Book"]).when(When::HasAny(&["potentialAction"])),
    rule(F::SitelinksSearchBox, &["WebSite"]).when(When::HasAny(&["potentialAction"])),
];
