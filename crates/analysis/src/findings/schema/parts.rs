//! What Google requires and recommends of nested items, as an offer in a product (appendix A of the specification).

use super::feature::Feature;

/// What is asked of an item that another holds.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// The features that it is for; none: all.
    pub features: &'static [Feature],
    /// The types of such items, with all below them.
    pub types: &'static [&'static str],
    /// Without these the whole is not shown.
    pub required: &'static [&'static str],
    /// Of each of these lists, one is required.
    pub one_of: &'static [&'static [&'static str]],
    /// With these the whole is shown better.
    pub recommended: &'static [&'static str],
    /// Of each of these lists, one is recommended.
    pub recommended_one_of: &'static [&'static [&'static str]],
}

const fn part(features: &'static [Feature], types: &'static [&'static str]) -> Part {
    Part {
        features,
        types,
        required: &[],
        one_of: &[],
        recommended: &[],
        recommended_one_of: &[],
    }
}

impl Part {
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

    const fn recommends_one_of(mut self, lists: &'static [&'static [&'static str]]) -> Self {
        self.recommended_one_of = lists;
        self
    }
}

use Feature as F;

const MERCHANT: &[Feature] = &[F::MerchantListing];
const PRODUCT: &[Feature] = &[F::MerchantListing, F::ProductSnippet, F::ProductVariants];
const REVIEWED: &[Feature] = &[
    F::MerchantListing,
    F::ProductSnippet,
    F::ProductVariants,
    F::ReviewSnippet,
    F::SoftwareApp,
];
const FORUM: &[Feature] = &[F::DiscussionForum, F::QaPage];

/// The first that fits an item is the one that holds.
pub static PARTS: &[Part] = &[
    part(PRODUCT, &["AggregateOffer"])
        .requires(&["lowPrice", "priceCurrency"])
        .recommends(&["highPrice", "offerCount"]),
    part(MERCHANT, &["Offer"])
        .one_of(&[
            &["price", "priceSpecification.price"],
            &["priceCurrency", "priceSpecification.priceCurrency"],
        ])
        .recommends(&[
            "availability",
            "hasMerchantReturnPolicy",
            "itemCondition",
            "priceValidUntil",
            "shippingDetails",
            "url",
            "validFrom",
            "validThrough",
        ]),
    part(PRODUCT, &["Offer"])
        .one_of(&[&["price", "priceSpecification.price"]])
        .recommends(&["availability", "priceValidUntil"])
        .recommends_one_of(&[&["priceCurrency", "priceSpecification.priceCurrency"]]),
    part(PRODUCT, &["UnitPriceSpecification"])
        .requires(&["price", "priceCurrency"])
        .recommends(&[
            "membershipPointsEarned",
            "priceType",
            "referenceQuantity",
            "validForMemberTier",
            "validFrom",
            "validThrough",
        ]),
    part(PRODUCT, &["OfferShippingDetails"])
        .requires(&[
            "deliveryTime",
            "shippingDestination",
            "shippingRate",
            "shippingRate.currency",
        ])
        .one_of(&[&["shippingRate.value", "shippingRate.maxValue"]]),
    part(&[], &["DefinedRegion"])
        .requires(&["addressCountry"])
        .recommends_one_of(&[&["addressRegion", "postalCode"]]),
    part(&[], &["ShippingDeliveryTime"]).recommends(&["handlingTime", "transitTime"]),
    part(PRODUCT, &["Certification"])
        .requires(&["issuedBy", "name"])
        .recommends(&["certificationIdentification", "certificationRating"]),
    part(
        &[F::LoyaltyProgram, F::Organization],
        &["MemberProgramTier"],
    )
    .requires(&["name", "hasTierBenefit"])
    .recommends(&["hasTierRequirement", "membershipPointsEarned", "url"]),
    part(&[F::Organization], &["MemberProgram"])
        .requires(&["name", "description", "hasTiers"])
        .recommends(&["url"]),
    part(&[F::Organization], &["ShippingService"]).requires(&["shippingConditions"]),
    part(&[F::Dataset], &["DataDownload"])
        .requires(&["contentUrl"])
        .recommends(&["encodingFormat"]),
    part(
        &[F::DiscussionForum, F::ProfilePage],
        &["InteractionCounter"],
    )
    .requires(&["userInteractionCount", "interactionType"]),
    part(&[F::EducationQa], &["Question"]).requires(&["acceptedAnswer", "eduQuestionType", "text"]),
    part(&[F::QaPage], &["Question"])
        .requires(&["name", "answerCount"])
        .one_of(&[&["acceptedAnswer", "suggestedAnswer"]])
        .recommends(&[
            "author",
            "author.url",
            "comment",
            "commentCount",
            "dateModified",
            "datePublished",
            "digitalSourceType",
            "image",
            "text",
            "upvoteCount",
            "url",
            "video",
        ]),
    part(&[F::QaPage], &["Answer"])
        .requires(&["text"])
        .recommends(&[
            "author",
            "author.url",
            "comment",
            "commentCount",
            "dateModified",
            "datePublished",
            "digitalSourceType",
            "image",
            "upvoteCount",
            "url",
            "video",
        ]),
    // Questions and answers are comments too, and come first.
    part(FORUM, &["Comment"])
        .requires(&["author", "datePublished"])
        .one_of(&[&["text", "image", "video"]])
        .recommends(&["author.url", "comment", "commentCount", "dateModified"]),
    part(&[F::Recipe], &["HowToSection"]).requires(&["itemListElement", "name"]),
    part(&[F::Recipe], &["HowToStep"])
        .one_of(&[&["text", "itemListElement"]])
        .recommends(&["image", "name", "url", "video"]),
    part(REVIEWED, &["AggregateRating"])
        .requires(&["ratingValue"])
        .one_of(&[&["ratingCount", "reviewCount"]])
        .recommends(&["bestRating", "worstRating"]),
    part(REVIEWED, &["Review"])
        .requires(&["author", "reviewRating", "reviewRating.ratingValue"])
        .recommends(&[
            "datePublished",
            "reviewRating.bestRating",
            "reviewRating.worstRating",
        ]),
    part(&[F::Speakable], &["SpeakableSpecification"]).one_of(&[&[
        "cssSelector",
        "xPath",
        "xpath",
    ]]),
    part(&[F::PaywalledContent], &["WebPageElement"])
        .requires(&["cssSelector", "isAccessibleForFree"]),
    part(&[F::VacationRental], &["Accommodation"]).requires(&["occupancy", "occupancy.value"]),
    part(&[F::Video], &["BroadcastEvent"]).requires(&["startDate", "endDate", "isLiveBroadcast"]),
    part(&[F::Video], &["Clip"])
        .requires(&["name", "startOffset", "url"])
        .recommends(&["endOffset"]),
    part(&[F::Video], &["SeekToAction"]).requires(&["target", "startOffset-input"]),
];
