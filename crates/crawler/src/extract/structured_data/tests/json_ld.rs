use super::{read, shown};
use analysis::observation::structured_data::{
    Location, PageStructuredData, SyntaxNoteKind as Note,
};

fn block(json: &str) -> PageStructuredData {
    read(&format!(
        "<script type='application/ld+json'>{json}</script>"
    ))
}

fn notes(data: &PageStructuredData) -> Vec<Note> {
    data.notes.iter().map(|it| it.kind).collect()
}

#[test]
fn nested_items_and_value_types_are_kept() {
    let data = block(
        r##"{"@context":"https://schema.org/","@type":["Product","Own"],"@id":"#p","name":" A ",
        "sku":123456789012345678,"isFamilyFriendly":true,"image":["/a.jpg",null,""],"offers":
        {"@type":"Offer","price":1.50,"seller":{"@id":"https://example.com/#me"}}}"##,
    );
    assert_eq!(
        shown(&data),
        [
            "Product+Own#https://example.com/shop/cup.html#p{name= A  sku=n:123456789012345678 \
          isFamilyFriendly=b:true image=<https://example.com/a.jpg> image= \
          offers=Offer{price=n:1.5 seller=→https://example.com/#me}}"
        ]
    );
    assert_eq!(data.items[1].parent, Some(0));
}

/// `JSON.parse` reads them as `Infinity`.
#[test]
fn out_of_range_numbers_are_not_syntax_errors() {
    let data = block(
        r#"[{"@context":"https://schema.org/","@type":"Thing","name":"1e400 \" 1e400","sku":"ä","width":1e400,"height":-12E+999,"depth":1e300},
        {"@context":"https://schema.org/","@type":"Thing","name":"n"}]"#,
    );
    assert_eq!(data.parse_errors, []);
    assert_eq!(
        shown(&data),
        [
            r#"Thing{name=1e400 " 1e400 sku=ä width=∞ height=∞ depth=n:1e+300}"#,
            "Thing{name=n}"
        ]
    );
    // Errors after such a number keep their position.
    let data = block(r#"{"price":1e400, "name":"n",}"#);
    let place = |json: &str| block(json).parse_errors[0].location;
    assert_eq!(
        data.parse_errors[0].location,
        place(r#"{"price":1e100, "name":"n",}"#)
    );
    let alone = block("1e400");
    assert_eq!((alone.items.len(), alone.parse_errors.len()), (0, 0));
}

#[test]
fn every_form_of_the_schema_org_context_is_read() {
    for context in [
        r#""http://schema.org""#,
        r#""https://schema.org/""#,
        r#""http://www.schema.org""#,
        r#"["https://schema.org", {"x": "http://x.org/"}]"#,
        r#"{"@vocab": "http://schema.org/"}"#,
        r#"[null, {"@vocab": "https://www.schema.org"}]"#,
    ] {
        let data = block(&format!(
            r#"{{"@context":{context},"@type":"Thing","name":"n"}}"#
        ));
        assert_eq!(shown(&data), ["Thing{name=n}"], "{context}");
        assert_eq!(notes(&data), [], "{context}");
    }
    let prefixed = block(
        r#"{"@context":{"s":"http://schema.org/","label":{"@id":"s:name"},"kind":"@type"},
        "kind":"s:Thing","label":"n","http://schema.org/url":"x"}"#,
    );
    assert_eq!(
        shown(&prefixed),
        ["Thing{name=n url=<https://example.com/shop/x>}"]
    );
    // Aliases of schema.org's own context.
    let alias = block(r##"{"@context":"http://schema.org","type":"Thing","id":"#x"}"##);
    assert_eq!(
        shown(&alias),
        ["Thing#https://example.com/shop/cup.html#x{}"]
    );
}

#[test]
fn names_outside_schema_org_are_kept_with_a_note() {
    let missing = block(r#"{"@type":"Product","name":"n"}"#);
    assert_eq!(shown(&missing), ["Product{name=n}"]);
    assert_eq!(missing.items[0].types, ["Product"]);
    assert_eq!(notes(&missing), [Note::ContextMissing]);
    let unknown = block(r#"{"@context":"https://w3id.org/security/v1","@type":"Key"}"#);
    assert_eq!(notes(&unknown), [Note::ContextUnknown]);
    let other = block(r#"{"@context":{"@vocab":"http://x.org/"},"@type":"T","p":1}"#);
    assert_eq!(shown(&other), ["http://x.org/T{http://x.org/p=n:1}"]);
}

#[test]
fn lists_and_graphs_are_flattened_and_references_kept() {
    let data = block(
        r#"[{"@context":"https://schema.org","@graph":[{"@type":"WebPage","@id":"/p","about":
        {"@id":"_:a"}},{"@type":"Thing","@id":"_:a","name":"x"}]},[{"@context":"https://schema.org",
        "@type":"Person","knows":{"@list":[{"@id":"/p"},{"@value":"Jo","@language":"en"}]}}],5,null]"#,
    );
    assert_eq!(
        shown(&data),
        [
            "WebPage#https://example.com/p{about=→_:0.a}",
            "Thing#_:0.a{name=x}",
            "Person{knows=→https://example.com/p knows=Jo}"
        ]
    );
    let reversed = block(
        r#"{"@context":"https://schema.org","@type":"Book","@id":"/b","@reverse":{"itemReviewed":
        {"@type":"Review","name":"r"}}}"#,
    );
    assert_eq!(
        shown(&reversed),
        [
            "Book#https://example.com/b{}",
            "Review{name=r itemReviewed=→https://example.com/b}"
        ]
    );
}

#[test]
fn text_in_place_of_a_url_stays_text() {
    let data = block(
        r#"{"@context":"https://schema.org","@type":"Thing","url":"not an address","image":"http://[",
        "sameAs":" //x.org/ ","description":"/not/one"}"#,
    );
    assert_eq!(
        shown(&data),
        ["Thing{url=not an address image=http://[ sameAs=<https://x.org/> description=/not/one}"]
    );
}

#[test]
fn script_types_ignore_case_and_parameters() {
    let json = r#"{"@context":"https://schema.org","@type":"Thing"}"#;
    for (kind, items) in [
        ("APPLICATION/LD+JSON", 1),
        ("application/ld+json; charset=utf-8", 1),
        (" application/ld+json ", 1),
        ("application/json", 0),
        ("application/ld+json2", 0),
        ("", 0),
    ] {
        let data = read(&format!("<script type='{kind}'>{json}</script>"));
        assert_eq!(data.items.len(), items, "{kind}");
    }
}

#[test]
fn wrappers_are_removed_with_a_note() {
    let json = r#"{"@context":"https://schema.org","@type":"Thing"}"#;
    for (wrapped, kind) in [
        (format!("<!-- {json} -->"), Note::CommentWrapper),
        (format!("\n<!--\n{json}\n//-->\n"), Note::CommentWrapper),
        (format!("<![CDATA[{json}]]>"), Note::CdataWrapper),
        (format!("//<![CDATA[\n{json}\n//]]>"), Note::CdataWrapper),
        (format!("/*<![CDATA[*/{json}/*]]>*/"), Note::CdataWrapper),
    ] {
        let data = block(&wrapped);
        assert_eq!(shown(&data), ["Thing{}"], "{wrapped}");
        assert_eq!(notes(&data), [kind], "{wrapped}");
    }
    assert!(block(" \n ").parse_errors.is_empty());
}

#[test]
fn invalid_blocks_are_skipped_with_an_error_position() {
    let data = read(
        "<p>ä</p>\n<script type=application/ld+json>\n{\"@context\":\"https://schema.org\",\n \
         \"name\":\"é\" \"x\":1}</script><script type=application/ld+json>[1,]</script>",
    );
    assert!(data.items.is_empty());
    let places: Vec<(u32, u32)> = data
        .parse_errors
        .iter()
        .map(|it| (it.location.line, it.location.column))
        .collect();
    assert_eq!(places, [(4, 13), (4, 64)]);
    assert_eq!(data.parse_errors[0].message, "expected `,` or `}`");
    for broken in [
        "{'a':1}",
        "{\"a\":1};",
        "{\"a\":\"x\ny\"}",
        "{\"a\":1,}",
        "{\"a\":1 /* x */}",
        "{\"a\":\"\\x\"}",
        "{",
        "{\"a\":NaN}",
    ] {
        let data = block(broken);
        assert_eq!(
            (data.items.len(), data.parse_errors.len()),
            (0, 1),
            "{broken}"
        );
    }
}

#[test]
fn item_positions_are_those_of_their_braces() {
    let data = read(
        "<script type=application/ld+json><!--\n  {\"@context\":\"https://schema.org\",\"name\":\"a{\\\"}\",\n\
         \"offers\":{\"price\":1}}--></script>",
    );
    let places: Vec<Location> = data.items.iter().map(|it| it.location).collect();
    assert_eq!(
        places,
        [
            Location { line: 2, column: 3 },
            Location {
                line: 3,
                column: 10
            }
        ]
    );
}

#[test]
fn duplicate_keys_are_read_with_a_note() {
    let data = block(
        r#"{"@context":"https://schema.org","@type":"Thing","name":"a","url":"/u","name":"b",
        "about":{"@type":"Thing"}}"#,
    );
    assert_eq!(
        shown(&data),
        ["Thing{name=a url=<https://example.com/u> name=b about=Thing{}}"]
    );
    assert_eq!(notes(&data), [Note::DuplicateKey]);
    assert_eq!(data.items[1].location.line, 2);
}
