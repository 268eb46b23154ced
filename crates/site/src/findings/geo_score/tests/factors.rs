//! Gates and factors one by one.

use super::*;
use crate::findings::sample_pages::link;
use crate::observation::page_content::{
    Author, Canonical, DateFact, DateRole, FactSource, Rendered, RenderedPage, RobotsDirective,
    TagSource,
};
use crate::observation::structured_data::{Format, Item, Location, Property, SCHEMA_ORG, Value};

fn close(one: Option<f64>, other: f64) -> bool {
    one.is_some_and(|it| (it - other).abs() < 1e-9)
}

#[test]
fn gates_apply_for_their_reasons() {
    let shut = |edit: &dyn Fn(&mut PageContent)| {
        let mut page = plain_article();
        edit(&mut page);
        let record = evaluated(&page);
        let codes: Vec<GateCode> = record.gates.iter().map(|it| it.code).collect();
        (codes, record.geo_score.unwrap())
    };
    let (none, open) = shut(&|_| {});
    assert!(none.is_empty());
    let (codes, score) = shut(&|it| it.fetched.status = Some(404));
    assert_eq!(
        (codes.as_slice(), score),
        (&[GateCode::NotIndexable][..], 0.0)
    );
    let canonical = Canonical {
        raw: "/other".to_owned(),
        url: Some("https://example.com/other".to_owned()),
        is_absolute: false,
        has_fragment: false,
        source: TagSource::Head,
    };
    let (codes, _) = shut(&|it| it.canonicals.push(canonical.clone()));
    assert_eq!(codes, [GateCode::NotIndexable]);
    let (codes, score) = shut(&|it| {
        it.robots
            .push(RobotsDirective::from_header("max-snippet:0"));
    });
    assert_eq!(codes, [GateCode::NoSnippet]);
    assert!((score - 0.3 * open).abs() < 1e-9);
    let (codes, _) = shut(&|it| {
        it.text.main.blocks.truncate(1);
        it.structure.has_empty_root = true;
        it.structure.inline_script_bytes = 100;
        recount(it);
    });
    assert_eq!(codes, [GateCode::TextNeedsScripts]);
}

#[test]
fn script_only_text_is_detected_by_rendering() {
    let page = plain_article();
    let words = u32::try_from(page.text.counts.words).unwrap();
    let record = |rendered_words| {
        let input = GeoInput {
            rendered_words: Some(rendered_words),
            ..input(&page)
        };
        evaluate(&input, &context()).gates.len()
    };
    assert_eq!(record(words * 10 / 3), 0);
    assert_eq!(record(words * 4), 1);
}

#[test]
fn a_short_page_does_not_depend_on_scripts() {
    let mut page = plain_article();
    page.text.main.blocks.truncate(1);
    recount(&mut page);
    let words = u32::try_from(page.text.counts.words).unwrap();
    let codes = |page: &PageContent, rendered_words| {
        let input = GeoInput {
            rendered_words,
            ..input(page)
        };
        let gates = evaluate(&input, &context()).gates;
        gates.iter().map(|it| it.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(&page, None), []);
    page.structure.has_empty_root = true;
    assert_eq!(codes(&page, None), []);
    page.structure.inline_script_bytes = 100;
    assert_eq!(codes(&page, None), [GateCode::TextNeedsScripts]);
    assert_eq!(codes(&page, Some(words)), []);
    assert_eq!(codes(&page, Some(200)), [GateCode::TextNeedsScripts]);
    page.document.parser_limit = true;
    assert_eq!(codes(&page, None), []);
}

#[test]
fn noindex_and_canonical_set_by_a_script_count() {
    let evidence = |shown: RenderedPage| {
        let mut page = plain_article();
        page.rendered = Some(Rendered::Shown(shown));
        let record = evaluated(&page);
        assert_eq!(record.geo_score, Some(0.0));
        record.gates[0].evidence.join(", ")
    };
    let words = u32::try_from(plain_article().text.counts.words).unwrap();
    let hidden = RenderedPage {
        noindex: true,
        words,
        ..RenderedPage::default()
    };
    assert_eq!(evidence(hidden), "noindex, set by a script");
    let moved = RenderedPage {
        canonical: Some("https://example.com/other".to_owned()),
        names_another: true,
        words,
        ..RenderedPage::default()
    };
    let expected = "canonical https://example.com/other, set by a script";
    assert_eq!(evidence(moved), expected);
}

#[test]
fn robots_txt_decides_gates_and_access() {
    let page = plain_article();
    let evaluated_with = |allowed: &dyn Fn(&AiAgent) -> bool| {
        let agents = verdicts(allowed);
        let input = GeoInput {
            agents: &agents,
            ..input(&page)
        };
        evaluate(&input, &context())
    };
    let codes = |it: &GeoRecord| it.gates.iter().map(|it| it.code).collect::<Vec<_>>();
    let all = evaluated_with(&|_| true);
    assert!(close(value(&all, FactorCode::Access), 1.0) && all.gates.is_empty());
    let no_training = evaluated_with(&|it| it.purpose != AgentPurpose::Training);
    assert!(close(value(&no_training, FactorCode::Access), 1.0));
    assert_eq!(no_training.geo_score, all.geo_score);
    assert_eq!(no_training.agents[13].allowed, Some(false));
    let engines = evaluated_with(&|it| it.name.ends_with("ngbot") || it.name == "Googlebot");
    assert_eq!(codes(&engines), [GateCode::AiSearchBlocked]);
    assert!(close(value(&engines, FactorCode::Access), 2.0 / 13.0));
    let one = evaluated_with(&|it| it.name == "Googlebot");
    assert_eq!(codes(&one), [GateCode::AiSearchBlocked]);
    let ai_only = evaluated_with(&|it| !matches!(it.name, "Googlebot" | "Bingbot"));
    assert_eq!(codes(&ai_only), [GateCode::SearchEnginesBlocked]);
    assert_eq!(ai_only.geo_score, Some(0.0));
}

#[test]
fn unchecked_agents_are_unknown() {
    let record = evaluated(&plain_article());
    assert_eq!(record.agents.len(), 21);
    assert!(record.agents.iter().all(|it| it.allowed.is_none()));
    assert_eq!(value(&record, FactorCode::Access), None);
}

#[test]
fn rates_are_per_thousand_words_and_capped() {
    let hundred = ["word"; 97].join(" ") + " about 25 %";
    let found = evaluated(&page(
        "https://example.com/",
        &[(BlockKind::Paragraph, &hundred)],
    ));
    let statistics = factor(&found, FactorCode::Statistics);
    assert!(close(statistics.measured, 1_000.0 / 99.0) && close(statistics.value, 1.0));
    let thousand = ["word"; 997].join(" ") + " about 25 %";
    let found = evaluated(&page(
        "https://example.com/",
        &[(BlockKind::Paragraph, &thousand)],
    ));
    let statistics = factor(&found, FactorCode::Statistics);
    assert!(
        close(statistics.value, 1_000.0 / 999.0 / 8.0),
        "{statistics:?}"
    );
    assert_eq!(statistics.evidence, ["word word about 25 %"]);
}

#[test]
fn sources_are_distinct_and_external() {
    let mut page = plain_article();
    let words = page.text.counts.words;
    let add = |page: &mut PageContent, url: &str| page.links.push(link(url, "x"));
    add(&mut page, "https://example.com/own");
    add(&mut page, "https://www.example.com/own-too");
    add(&mut page, "https://a.example.org/1");
    add(&mut page, "https://a.example.org/1");
    let per_thousand = |count: f64| 1_000.0 * count / f64::from(u32::try_from(words).unwrap());
    let one = evaluated(&page);
    let found = factor(&one, FactorCode::Citations);
    assert!(close(found.measured, per_thousand(1.0)));
    assert!(
        close(found.value, per_thousand(1.0) / 4.0 / 2.0),
        "all of one domain"
    );
    add(&mut page, "https://b.example.net/2");
    let mut paid = link("https://c.example/3", "x");
    paid.rel = Some("Sponsored nofollow".to_owned());
    page.links.push(paid);
    let mut boilerplate = link("https://d.example/4", "x");
    boilerplate.in_main_text = false;
    page.links.push(boilerplate);
    let two = evaluated(&page);
    assert!(close(
        factor(&two, FactorCode::Citations).measured,
        per_thousand(2.0)
    ));
    page.text.main.blocks[1]
        .text
        .push_str(" See doi:10.1000/xyz123.");
    let three = evaluated(&page);
    assert!(close(
        factor(&three, FactorCode::Citations).measured,
        per_thousand(3.0)
    ));
}

#[test]
fn extractability_is_found_by_markup_or_words() {
    let of = |blocks: &[(BlockKind, &str)]| page("https://example.com/", blocks);
    let value_of = |page: &PageContent| value(&evaluated(page), FactorCode::Extractable);
    let plain = of(&[(
        BlockKind::Paragraph,
        "We went there and saw nothing at all.",
    )]);
    assert!(close(value_of(&plain), 0.0));
    let definition = of(&[(
        BlockKind::Paragraph,
        "A mill is a building that grinds grain.",
    )]);
    assert!(close(value_of(&definition), 0.3));
    let answer = of(&[
        (BlockKind::Heading(2), "What is it?"),
        (
            BlockKind::Paragraph,
            "We went there and saw nothing at all.",
        ),
    ]);
    assert!(close(value_of(&answer), 0.2));
    let mut marked = plain.clone();
    marked.structure.tables = 1;
    marked.structure.ordered_lists = 1;
    assert!(close(value_of(&marked), 0.5));
    // Without a word list the definition is unknown, and the other weights are scaled up.
    marked.text.language = None;
    assert!(close(value_of(&marked), 0.5 / 0.7));
}

#[test]
fn structure_is_the_sum_of_its_parts() {
    let value_of = |page: &PageContent| value(&evaluated(page), FactorCode::Structure);
    let mut page = plain_article();
    // One h1, no gap; 375 words in one section.
    assert!(close(value_of(&page), 0.4));
    page.structure.has_article = true;
    page.structure.unordered_lists = 1;
    assert!(close(value_of(&page), 0.7));
    page.text.main.blocks.insert(
        3,
        crate::observation::page_content::Block {
            kind: BlockKind::Heading(2),
            text: "More".to_owned(),
        },
    );
    recount(&mut page);
    assert!(close(value_of(&page), 1.0));
    page.text.main.blocks[3].kind = BlockKind::Heading(3);
    recount(&mut page);
    assert!(close(value_of(&page), 0.8));
}

#[test]
fn freshness_scores_visible_machine_and_recent_dates() {
    let date = |source, days: i64| DateFact {
        role: DateRole::Published,
        source,
        day: (today() - TimeDelta::days(days)).date_naive(),
        moment: None,
        text: String::new(),
    };
    let value_of = |dates: Vec<DateFact>| {
        let mut page = plain_article();
        page.metadata.dates = dates;
        value(&evaluated(&page), FactorCode::Freshness)
    };
    assert!(close(value_of(Vec::new()), 0.0));
    let (seen, markup) = (FactSource::VisibleText, FactSource::JsonLd);
    assert!(close(value_of(vec![date(seen, 10)]), 0.5));
    assert!(close(value_of(vec![date(markup, 10), date(seen, 10)]), 1.0));
    assert!(close(value_of(vec![date(markup, 10), date(seen, 30)]), 0.8));
    assert!(close(
        value_of(vec![date(markup, 200), date(seen, 201)]),
        0.94
    ));
    assert!(close(value_of(vec![date(markup, 500)]), 0.38));
    assert!(close(value_of(vec![date(markup, 5_000)]), 0.32));
    // Tomorrow may be another time zone; next week is invalid.
    assert!(close(value_of(vec![date(markup, -1)]), 0.5));
    assert!(close(value_of(vec![date(markup, -7)]), 0.0));
}

fn organization(same_as: bool) -> Item {
    let property = Property {
        name: "sameAs".to_owned(),
        value: Value::Url("https://www.wikidata.org/wiki/Q1".to_owned()),
    };
    Item {
        format: Format::JsonLd,
        types: vec![format!("{SCHEMA_ORG}Organization")],
        id: None,
        properties: if same_as { vec![property] } else { Vec::new() },
        location: Location { line: 1, column: 1 },
        parent: None,
    }
}

#[test]
fn provenance_scores_author_and_organization() {
    let value_of = |page: &PageContent, site: SiteIdentity| {
        let input = GeoInput {
            site,
            ..input(page)
        };
        value(&evaluate(&input, &context()), FactorCode::Provenance)
    };
    let unknown = SiteIdentity::default();
    let mut page = plain_article();
    // https and canonical of .8, since about and contact are unknown.
    assert!(close(value_of(&page, unknown), 0.2 / 0.8));
    let known = SiteIdentity {
        about_reachable: Some(true),
        contact_reachable: Some(false),
        organization: Some(true),
        organization_same_as: Some(true),
    };
    assert!(close(value_of(&page, known), 0.25 + 0.1 + 0.2));
    page.metadata.authors.push(Author {
        name: "Jane Doe".to_owned(),
        url: None,
        source: FactSource::JsonLd,
    });
    assert!(close(value_of(&page, known), 0.175 + 0.55));
    page.metadata.authors[0].url = Some("https://example.com/jane".to_owned());
    assert!(close(value_of(&page, known), 0.35 + 0.55));
    page.structured_data.items.push(organization(false));
    assert!(close(value_of(&page, unknown), (0.35 + 0.125 + 0.2) / 0.8));
    page.structured_data.items.push(organization(true));
    assert!(close(value_of(&page, unknown), 1.0));
}

#[test]
fn structured_data_needs_a_valid_main_entity() {
    use crate::findings::schema::{FindingContext, PageInput, evaluate_page};
    let value_of = |items: Vec<Item>| {
        let mut page = plain_article();
        page.structured_data.items = items;
        let schema_input = PageInput {
            url: &page.url,
            data: &page.structured_data,
            visible_text: None,
            days: &[],
            template: None,
            rendered_only: false,
        };
        let schema_context = FindingContext {
            project_id: 7,
            measured_at: today(),
        };
        let schema = evaluate_page(&schema_input, &schema_context);
        let input = GeoInput {
            schema: Some(&schema),
            ..input(&page)
        };
        value(&evaluate(&input, &context()), FactorCode::StructuredData)
    };
    assert!(close(value_of(Vec::new()), 0.0));
    assert!(close(value_of(vec![organization(true)]), 1.0));
    let mut recipe = organization(false);
    recipe.types = vec![format!("{SCHEMA_ORG}Recipe")];
    // Name and image are missing.
    assert!(close(value_of(vec![organization(true), recipe]), 0.0));
}

#[test]
fn substance_and_fluency_need_text() {
    let text = ["word"; 99].join(" ");
    let short = evaluated(&page(
        "https://example.com/",
        &[(BlockKind::Paragraph, &text)],
    ));
    assert!(close(value(&short, FactorCode::Substance), 0.0));
    assert_eq!(value(&short, FactorCode::Fluency), None);
    let golden = [(100, 0.4), (300, 0.7), (600, 0.85), (1_000, 1.0)];
    for (words, expected) in golden {
        let text = vec!["word"; words].join(" ");
        let found = evaluated(&page(
            "https://example.com/",
            &[(BlockKind::Paragraph, &text)],
        ));
        assert!(
            close(value(&found, FactorCode::Substance), expected),
            "{words}"
        );
    }
}
