"""Pages for google_rich_results.py: of each type a whole item, and what is left when something is taken out.

Adobe's gallery of fixtures is in no package of npm, so these replace it: from each whole, every property
is left out, emptied, and left out together with every other of its node. What is made is always the same.
"""
import copy
import itertools
import json

ADDRESS = {"@type": "PostalAddress", "streetAddress": "1 High St", "addressLocality": "Brno", "addressRegion": "JM", "postalCode": "60200", "addressCountry": "CZ"}
RATING = {"@type": "AggregateRating", "ratingValue": 4.4, "bestRating": 5, "worstRating": 1, "ratingCount": 20, "reviewCount": 9}
REVIEW = {
    "@type": "Review",
    "author": {"@type": "Person", "name": "Jo"},
    "datePublished": "2026-01-02",
    "reviewRating": {"@type": "Rating", "ratingValue": 4, "bestRating": 5, "worstRating": 1},
}
CLIP = {"@type": "Clip", "name": "Start", "startOffset": 3, "endOffset": 9, "url": "https://example.com/v?t=3"}
BROADCAST = {"@type": "BroadcastEvent", "isLiveBroadcast": True, "startDate": "2026-01-02T10:00:00Z", "endDate": "2026-01-02T11:00:00Z"}
POLICY = {
    "@type": "MerchantReturnPolicy",
    "applicableCountry": "CZ",
    "returnPolicyCategory": "https://schema.org/MerchantReturnFiniteReturnWindow",
    "merchantReturnDays": 30,
    "returnMethod": "https://schema.org/ReturnByMail",
    "returnFees": "https://schema.org/FreeReturn",
}
SHIPPING = {
    "@type": "OfferShippingDetails",
    "shippingRate": {"@type": "MonetaryAmount", "value": 3, "currency": "EUR"},
    "shippingDestination": {"@type": "DefinedRegion", "addressCountry": "CZ", "postalCode": "60200"},
    "deliveryTime": {
        "@type": "ShippingDeliveryTime",
        "handlingTime": {"@type": "QuantitativeValue", "minValue": 0, "maxValue": 1, "unitCode": "DAY"},
        "transitTime": {"@type": "QuantitativeValue", "minValue": 1, "maxValue": 5, "unitCode": "DAY"},
    },
}
OFFER = {
    "@type": "Offer",
    "price": 9.9,
    "priceCurrency": "EUR",
    "availability": "https://schema.org/InStock",
    "itemCondition": "https://schema.org/NewCondition",
    "priceValidUntil": "2027-01-01",
    "url": "https://example.com/buy",
    "validFrom": "2026-01-01",
    "validThrough": "2027-01-01",
    "hasMerchantReturnPolicy": POLICY,
    "shippingDetails": SHIPPING,
}
PRODUCT = {
    "@type": "Product",
    "name": "Cup",
    "image": "https://example.com/cup.jpg",
    "description": "A cup",
    "audience": {"@type": "PeopleAudience", "suggestedGender": "female", "suggestedMinAge": 18},
    "brand": {"@type": "Brand", "name": "Pot"},
    "category": "Cups",
    "color": "red",
    "gtin": "4006381333931",
    "hasAdultConsideration": "https://schema.org/AlcoholConsideration",
    "hasCertification": {"@type": "Certification", "name": "EU", "issuedBy": {"@type": "Organization", "name": "EU"}, "certificationIdentification": "1", "certificationRating": {"@type": "Rating", "ratingValue": 4, "bestRating": 5, "worstRating": 1}},
    "inProductGroupWithID": "c1",
    "isVariantOf": {"@type": "ProductGroup", "name": "Cups"},
    "material": "clay",
    "mpn": "m1",
    "pattern": "dots",
    "size": "M",
    "sku": "s1",
    "subjectOf": {"@type": "CreativeWork", "name": "Test"},
    "aggregateRating": RATING,
    "review": REVIEW,
    "offers": OFFER,
}
VIDEO = {
    "@type": "VideoObject",
    "name": "How",
    "description": "How it is done",
    "thumbnailUrl": "https://example.com/t.jpg",
    "uploadDate": "2026-01-02T10:00:00Z",
    "contentUrl": "https://example.com/v.mp4",
    "embedUrl": "https://example.com/embed",
    "duration": "PT3M",
    "expires": "2027-01-02T10:00:00Z",
    "interactionStatistic": {"@type": "InteractionCounter", "interactionType": {"@type": "WatchAction"}, "userInteractionCount": 3},
    "ineligibleRegion": "XX",
    "regionsAllowed": "CZ",
    "publication": BROADCAST,
    "hasPart": [CLIP, {**CLIP, "name": "End"}],
    "potentialAction": {"@type": "SeekToAction", "target": "https://example.com/v?t={seek}", "startOffset-input": "required name=seek"},
}
RECIPE = {
    "@type": "Recipe",
    "name": "Soup",
    "image": ["https://example.com/s.jpg"],
    "author": {"@type": "Person", "name": "Jo"},
    "datePublished": "2026-01-02",
    "description": "A soup",
    "keywords": "soup",
    "prepTime": "PT10M",
    "cookTime": "PT20M",
    "totalTime": "PT30M",
    "recipeCategory": "Main",
    "recipeCuisine": "Czech",
    "recipeIngredient": ["water", "salt"],
    "recipeYield": "4",
    "nutrition": {"@type": "NutritionInformation", "calories": "90 cal"},
    "aggregateRating": RATING,
    "recipeInstructions": [{"@type": "HowToStep", "name": "Cook", "text": "Cook it", "url": "https://example.com/s#1", "image": "https://example.com/1.jpg", "video": VIDEO}],
    "video": VIDEO,
}
JOB = {
    "@type": "JobPosting",
    "title": "Cook",
    "description": "Cooks soup",
    "datePosted": "2026-01-02",
    "validThrough": "2026-03-01T00:00",
    "employmentType": "FULL_TIME",
    "directApply": True,
    "identifier": {"@type": "PropertyValue", "name": "Inn", "value": "7"},
    "hiringOrganization": {"@type": "Organization", "name": "Inn"},
    "jobLocation": {"@type": "Place", "address": ADDRESS},
    "applicantLocationRequirements": {"@type": "Country", "name": "CZ"},
    "jobLocationType": "TELECOMMUTE",
    "baseSalary": {"@type": "MonetaryAmount", "currency": "EUR", "value": {"@type": "QuantitativeValue", "value": 9, "unitText": "HOUR"}},
    "educationRequirements": "no requirements",
    "experienceRequirements": "no requirements",
    "experienceInPlaceOfEducation": True,
}
CRUMBS = {
    "@type": "BreadcrumbList",
    "itemListElement": [
        {"@type": "ListItem", "position": 1, "name": "Shop", "item": "https://example.com/shop"},
        {"@type": "ListItem", "position": 2, "name": "Cups", "item": {"@type": "WebPage", "@id": "https://example.com/cups", "name": "Cups"}},
        {"@type": "ListItem", "position": 3, "name": "Cup"},
    ],
}
PERSON = {"@type": "Person", "name": "Jo", "url": "https://example.com/jo"}
WHOLES = {
    "product": PRODUCT,
    "product-aggregate": {**PRODUCT, "offers": {"@type": "AggregateOffer", "lowPrice": 3, "highPrice": 9, "priceCurrency": "EUR", "offerCount": 4}},
    "product-specification": {**PRODUCT, "offers": {**{k: v for k, v in OFFER.items() if k not in ("price", "priceCurrency")}, "priceSpecification": {"@type": "UnitPriceSpecification", "price": 3, "priceCurrency": "EUR"}}},
    "product-two-offers": {**PRODUCT, "offers": [OFFER, OFFER]},
    "product-notes": {**PRODUCT, "review": {**REVIEW, "positiveNotes": {"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "position": 1, "name": "Red"}]}, "negativeNotes": {"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "position": 1, "name": "Thin"}]}}},
    "recipe": {k: v for k, v in RECIPE.items() if k != "video"} | {"recipeInstructions": [{k: v for k, v in RECIPE["recipeInstructions"][0].items() if k != "video"}]},
    "recipe-section": {**RECIPE, "recipeInstructions": [{"@type": "HowToSection", "name": "Day 1", "itemListElement": [{"@type": "HowToStep", "text": "Wait"}]}]},
    "job": JOB,
    "job-place": {k: v for k, v in JOB.items() if k not in ("jobLocationType", "applicantLocationRequirements")},
    "video": VIDEO,
    "crumbs": CRUMBS,
    "review": {**REVIEW, "itemReviewed": {"@type": "Book", "name": "Soups"}},
    "rating": {**RATING, "itemReviewed": {"@type": "Book", "name": "Soups"}},
    "image": {"@type": "ImageObject", "contentUrl": "https://example.com/i.jpg", "license": "https://example.com/l", "acquireLicensePage": "https://example.com/a", "creditText": "Jo", "creator": PERSON, "copyrightNotice": "Jo"},
    "organization-returns": {"@type": "Organization", "name": "Inn", "hasMerchantReturnPolicy": {"@type": "MerchantReturnPolicy", "merchantReturnLink": "https://example.com/r", "applicableCountry": "CZ", "returnPolicyCategory": "https://schema.org/MerchantReturnNotPermitted"}},
    "book-reviewed": {"@type": "Book", "name": "Soups", "aggregateRating": RATING, "review": [REVIEW, REVIEW]},
    "event-reviewed": {"@type": "Event", "name": "Fair", "startDate": "2026-05-01", "location": {"@type": "Place", "name": "Hall", "address": ADDRESS}, "aggregateRating": RATING},
}
VALUES = [
    ("rating", ("ratingValue",), 7), ("rating", ("ratingValue",), 5), ("rating", ("ratingValue",), 9.5),
    ("product", ("aggregateRating", "ratingValue"), 9), ("product", ("offers", "price"), ""), ("product", ("offers", "price"), "9.90"),
    ("product", ("review",), [REVIEW, REVIEW]), ("product", ("aggregateRating", "ratingValue"), "80%"),
    ("job", ("jobLocationType",), ""), ("crumbs", ("itemListElement",), CRUMBS["itemListElement"][:1]),
    ("crumbs", ("itemListElement",), CRUMBS["itemListElement"][:2]), ("crumbs", ("itemListElement", 0, "position"), "1"),
    ("product", ("offers", "shippingDetails", "shippingDestination", "addressRegion"), "JM"),
]


def places(node, path=()):
    """The paths of all properties below a node."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name != "@type":
                yield (*path, name)
                yield from places(value, (*path, name))
    elif isinstance(node, list):
        for at, value in enumerate(node):
            yield from places(value, (*path, at))


def changed(whole, path, value=None):
    """A copy with one property left out, or with another value."""
    copied = copy.deepcopy(whole)
    node = copied
    for step in path[:-1]:
        node = node[step]
    if value is None:
        node.pop(path[-1], None)
    else:
        node[path[-1]] = value
    return copied


def documents():
    """Names and documents."""
    for name, whole in WHOLES.items():
        yield name, whole
        paths = list(places(whole))
        for path in paths:
            label = ".".join(map(str, path))
            yield f"{name}-{label}", changed(whole, path)
            yield f"{name}~{label}", changed(whole, path, "")
        for one, other in itertools.combinations(paths, 2):
            if one[:-1] == other[:-1]:
                label = ".".join(map(str, one)) + "-" + str(other[-1])
                yield f"{name}-{label}", changed(changed(whole, one), other)
    for name, path, value in VALUES:
        yield f"{name}={'.'.join(map(str, path))}={str(value)[:20]}", changed(WHOLES[name], path, value)


def page(document):
    whole = {"@context": "https://schema.org", **document}
    return f'<!DOCTYPE html><title>x</title><script type="application/ld+json">{json.dumps(whole)}</script>'
