use super::*;
use crate::observation::structured_data::{DataLimit, ParseError, SyntaxNote, SyntaxNoteKind};
use crate::provenance::RecordStatus;

#[test]
fn a_record_has_every_field() {
    let record = evaluated(
        &data(
            Format::JsonLd,
            &json!({"@type": "Article", "@id": "https://example.com/#a", "headline": "h"}),
        ),
        None,
    );
    let json = serde_json::to_value(&record).unwrap();
    for field in [
        "type",
        "projectId",
        "url",
        "measuredAt",
        "status",
        "provenance",
        "methodVersion",
        "sampleSize",
        "warnings",
        "formats",
        "entities",
        "parseErrors",
        "graphConnected",
        "features",
        "errors",
        "warningCount",
        "schemaScore",
    ] {
        assert!(json.get(field).is_some(), "{field}");
    }
    assert_eq!(
        (&json["type"], &json["methodVersion"]),
        (&json!("schema"), &json!("schema/2"))
    );
    let entity = json["entities"][0].as_object().unwrap();
    let fields: Vec<&str> = entity.keys().map(String::as_str).collect();
    assert_eq!(
        fields,
        [
            "id",
            "types",
            "format",
            "location",
            "name",
            "properties",
            "eligibility",
            "feature",
            "missingRequired",
            "missingRecommended",
            "issues"
        ]
    );
    assert_eq!(entity["location"], json!({"line": 1, "column": 1}));
    assert_eq!(
        json["entities"][0]["issues"][0],
        json!({"level": "google", "code": "recommendedMissing",
        "path": "author", "message": "article is better with author", "severity": "notice"})
    );
    let read: SchemaRecord = serde_json::from_value(json).unwrap();
    assert_eq!(read.entities, record.entities);
}

#[test]
fn a_page_without_structured_data_has_no_score() {
    let record = evaluated(&PageStructuredData::default(), None);
    assert_eq!((record.schema_score, record.graph_connected), (None, None));
    assert_eq!((record.errors, record.entities.len()), (0, 0));
}

#[test]
fn the_score_follows_its_formula() {
    // An article with 2 of 5 recommendations (headline, image), no errors, where an article is expected:
    // 0.5 · 1 + 0.3 · 0.4 + 0.2 · 1 = 0.82.
    let article =
        json!({"@type": "Article", "headline": "h", "image": "https://example.com/i.jpg"});
    let page = data(Format::JsonLd, &article);
    let score = |template| {
        evaluated_at("https://example.com/a", &page, None, template)
            .schema_score
            .unwrap()
    };
    assert!((score(Some(PageTemplate::Article)) - 82.0).abs() < 1e-9);
    assert!((score(Some(PageTemplate::Product)) - 62.0).abs() < 1e-9);
    // Without a template: (0.5 + 0.12) / 0.8.
    assert!((score(None) - 77.5).abs() < 1e-9);
    // One of two entities has errors; completeness is the article's.
    let two = data(
        Format::JsonLd,
        &json!([article, {"@type": "BreadcrumbList"}]),
    );
    let record = evaluated_at(
        "https://example.com/a",
        &two,
        None,
        Some(PageTemplate::Article),
    );
    assert!((record.schema_score.unwrap() - 57.0).abs() < 1e-9);
    assert_eq!(record.errors, 1);
    // No recommendations for a person: 1 · 0.5 / 0.5.
    let person = evaluated(&data(Format::JsonLd, &json!({"@type": "Person"})), None);
    assert!((person.schema_score.unwrap() - 100.0).abs() < 1e-9);
}

#[test]
fn unreadable_blocks_are_errors() {
    let mut page = PageStructuredData::default();
    page.parse_errors.push(ParseError {
        message: "expected value".into(),
        location: Location { line: 2, column: 3 },
    });
    page.limits.insert(DataLimit::Block);
    let record = evaluated(&page, None);
    assert_eq!((record.errors, record.parse_errors.len()), (1, 1));
    assert_eq!(record.envelope.status, RecordStatus::Partial);
    assert!(record.envelope.warnings.contains(&"limitBlock".to_owned()));
}

#[test]
fn syntax_issues_belong_to_their_entity() {
    let mut page = data(
        Format::JsonLd,
        &json!([{"@type": "Thing"}, {"@type": "Thing", "subjectOf": {"@type": "Thing"}}]),
    );
    let place = |line| Location { line, column: 1 };
    for (kind, line, item) in [
        (SyntaxNoteKind::CommentWrapper, 1, None),
        (SyntaxNoteKind::CdataWrapper, 2, None),
        (SyntaxNoteKind::ContextMissing, 2, Some(1)),
        (SyntaxNoteKind::ContextUnknown, 2, Some(1)),
        (SyntaxNoteKind::DuplicateKey, 2, Some(1)),
        (SyntaxNoteKind::ItemrefCycle, 2, Some(1)),
        (SyntaxNoteKind::ItemrefMissing, 2, Some(1)),
    ] {
        page.notes.push(SyntaxNote {
            kind,
            location: place(line),
            item,
        });
    }
    let record = evaluated(&page, None);
    let codes = |at: usize| {
        record.entities[at]
            .issues
            .iter()
            .map(|it| it.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(0), [IssueCode::CommentWrapper]);
    assert_eq!(
        codes(1),
        [
            IssueCode::ContextMissing,
            IssueCode::CdataWrapper,
            IssueCode::DuplicateKey,
            IssueCode::ContextUnknown,
            IssueCode::ItemrefCycle,
            IssueCode::ItemrefMissing,
        ]
    );
    assert_eq!(record.errors, 1);
}

#[test]
fn subjects_of_pages_and_lists_are_entities() {
    let page = data(
        Format::JsonLd,
        &json!({"@type": "WebPage",
        "breadcrumb": {"@type": "BreadcrumbList", "itemListElement": []},
        "mainEntity": {"@type": "Product", "name": "Cup", "isRelatedTo": {"@type": "Product", "name": "Plate"},
            "brand": {"@type": "Organization", "name": "O"}},
        "publisher": {"@type": "Organization"}}),
    );
    let record = evaluated(&page, None);
    let types: Vec<&str> = record
        .entities
        .iter()
        .map(|it| it.types[0].as_str())
        .collect();
    assert_eq!(types, ["WebPage", "BreadcrumbList", "Product"]);
    assert_eq!(record.formats.json_ld, 1);
}

#[test]
fn a_node_in_several_places_is_one_entity() {
    let page = data(
        Format::JsonLd,
        &json!([
            {"@type": "Recipe", "@id": "https://example.com/#r", "name": "Soup"},
            {"@type": "Recipe", "@id": "https://example.com/#r", "image": "https://example.com/i.jpg"},
        ]),
    );
    let record = evaluated(&page, None);
    assert_eq!(record.entities.len(), 1);
    assert_eq!(record.entities[0].missing_required, [""; 0]);
    assert_eq!(record.entities[0].properties, 2);
}

#[test]
fn the_graph_is_as_connected_as_its_references() {
    let connected = |items: Json| evaluated(&data(Format::JsonLd, &items), None).graph_connected;
    assert_eq!(
        connected(json!([
            {"@type": "Article", "isPartOf": {"@id": "#page"}, "author": {"@type": "Person"}},
            {"@type": "WebPage", "@id": "#page"},
        ])),
        Some(1.0)
    );
    assert_eq!(
        connected(json!([
            {"@type": "WebPage", "about": {"@type": "Thing"}},
            {"@type": "Product", "brand": {"@type": "Brand"}},
        ])),
        Some(0.5)
    );
    assert_eq!(
        connected(
            json!([{"@type": "Product"}, {"@type": "Thing"}, {"@type": "Thing"}, {"@type": "Thing"}])
        ),
        Some(0.25)
    );
}

#[test]
fn a_site_is_the_sum_of_its_pages() {
    let article =
        json!({"@type": "Article", "headline": "h", "image": "https://example.com/i.jpg"});
    let good = evaluated(&data(Format::JsonLd, &article), None);
    let bad = evaluated(
        &data(Format::Microdata, &json!({"@type": "BreadcrumbList"})),
        None,
    );
    let none = evaluated(&PageStructuredData::default(), None);
    let pages = [(&good, true), (&good, false), (&bad, true), (&none, true)];
    let mut tally = SchemaTally::default();
    for (record, indexable) in pages {
        tally.add(record, indexable);
    }
    let summary = tally.summary();
    assert_eq!(
        (
            summary.pages,
            summary.indexable_pages,
            summary.pages_with_data
        ),
        (4, 3, 3)
    );
    assert!((summary.coverage.unwrap() - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!(summary.by_type["Article"], 2);
    assert_eq!(summary.by_eligibility[&Eligibility::Ineligible], 1);
    assert_eq!(summary.by_feature[&Feature::Article], 2);
    assert_eq!(summary.by_issue[&IssueCode::RequiredMissing], 1);
    assert_eq!((summary.formats.json_ld, summary.formats.microdata), (2, 1));
    assert_eq!((summary.errors, summary.scored_pages), (1, 3));
    // 77.5 twice (see above) and 0: only errors, and no recommendations.
    assert!((summary.average_score.unwrap() - 155.0 / 3.0).abs() < 1e-9);
    assert_eq!(SchemaTally::default().summary().coverage, None);
}
