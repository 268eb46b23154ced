use super::{BASE, read, shown};

#[test]
fn nested_items_are_read() {
    let data = read(
        "<div vocab='http://schema.org/' typeof='Product Own'><h1 property=name> A  <b>cup</b></h1>\
         <img property=image src=a.jpg><div property='offers' typeof=Offer>\
         <meta property=price content=1.50><a property=url href=/buy>x</a>\
         <time property=validFrom datetime=2026-01-02>soon</time>\
         <link property=availability href=http://schema.org/InStock></div></div>",
    );
    assert_eq!(
        shown(&data),
        [
            "Product+Own{name=A cup image=<https://example.com/shop/a.jpg> offers=Offer{price=1.50 \
          url=<https://example.com/buy> validFrom=2026-01-02 availability=<http://schema.org/InStock>}}"
        ]
    );
}

#[test]
fn descriptions_of_one_resource_are_merged() {
    let data = read(
        "<div vocab='https://schema.org/'><p resource=#a typeof=Person><b property=name>A</b>\
         <a property=knows href=#b>B</a></p><p about=#b typeof=Person><i property=name>B</i></p>\
         <p resource=#a><u property=email>a@example.com</u></p></div>",
    );
    assert_eq!(
        shown(&data),
        [
            format!("Person#{BASE}#a{{name=A knows=<{BASE}#b> email=a@example.com}}"),
            format!("Person#{BASE}#b{{name=B}}")
        ]
    );
}

#[test]
fn googles_breadcrumb_example_is_read() {
    let data = read(
        "<ol vocab=https://schema.org/ typeof=BreadcrumbList><li property=itemListElement typeof=ListItem>\
         <a property=item typeof=WebPage href=https://example.com/books><span property=name>Books</span></a>\
         <meta property=position content=1></li></ol>",
    );
    assert_eq!(
        shown(&data),
        [
            "BreadcrumbList{itemListElement=ListItem{item=WebPage#https://example.com/books{name=Books} \
          position=1}}"
        ]
    );
}

#[test]
fn prefixes_may_be_predefined_declared_or_full_iris() {
    let data = read(
        "<html xmlns:x='http://x.org/'><body prefix='Y: http://y.org/ schema: http://schema.org/'>\
         <p typeof='x:T y:T schema:Thing foaf:Person unknown http://z.org/T'>\
         <b property='y:p schema:name dc:title plain bad=q:p'>v</b></p></body>",
    );
    assert_eq!(
        shown(&data),
        [
            "http://x.org/T+http://y.org/T+Thing+http://xmlns.com/foaf/0.1/Person+http://z.org/T\
          {http://y.org/p=v name=v http://purl.org/dc/terms/title=v}"
        ]
    );
}

#[test]
fn empty_vocab_resets_and_href_sets_the_subject() {
    let data = read(
        "<div vocab=https://schema.org/ typeof=Thing><p vocab=''><b property=name>no</b></p>\
         <a href=/other><b property=name>of the other</b></a></div>",
    );
    assert_eq!(
        shown(&data),
        ["Thing{}", "#https://example.com/other{name=of the other}"]
    );
}

#[test]
fn rel_takes_nested_items_as_values() {
    // The pattern of Google's documentation.
    let data = read(
        "<div typeof=schema:Product><div rel=schema:review><div typeof=schema:Review>\
         <b property=schema:name>Good</b><div rel=schema:author><p typeof=schema:Person>\
         <i property=schema:name>Ann</i></p></div></div>\
         <div typeof=schema:Review></div></div></div>",
    );
    assert_eq!(
        shown(&data),
        ["Product{review=Review{name=Good author=Person{name=Ann}} review=Review{}}"]
    );
}

#[test]
fn rel_links_to_named_and_blank_items() {
    let data = read(
        "<div vocab=https://schema.org/ typeof=Product><p rel=offers><b property=price>1</b>\
         <i property=priceCurrency>EUR</i></p><a rel='image nofollow' href=a.png>x</a>\
         <p rel=isRelatedTo><a href=/b>b</a><a href=/b>b</a><a href=/c>c</a></p>\
         <p rel=brand typeof=Brand><u property=name>B</u></p></div>",
    );
    assert_eq!(
        shown(&data),
        [
            "Product{offers={price=1 priceCurrency=EUR} image=<https://example.com/shop/a.png> \
          isRelatedTo=<https://example.com/b> isRelatedTo=<https://example.com/c> brand=Brand{name=B}}"
        ]
    );
}

#[test]
fn rev_reverses_a_link() {
    let data = read(
        "<div vocab=https://schema.org/><p resource=#a typeof=Product><a rev=about href=#r>r</a></p>\
         <div typeof=Organization><p rev=worksFor><b typeof=Person></b></p></div></div>",
    );
    assert_eq!(
        shown(&data),
        [
            format!("Product#{BASE}#a{{}}"),
            format!("#{BASE}#r{{about=→{BASE}#a}}"),
            "Organization#_:#2{}".to_owned(),
            "Person{worksFor=→_:#2}".to_owned(),
        ]
    );
}

#[test]
fn link_types_are_not_properties() {
    let data = read(
        "<link rel=https://api.w.org/ href=/wp-json/><a rel=license href=/l>x</a>\
         <div vocab=https://schema.org/ typeof=Article><a rel='nofollow me' href=/n><b property=name>n</b></a>\
         <a property=url rel=author href=/u>u</a><a rel=author href=/a>a</a></div>",
    );
    assert_eq!(
        shown(&data),
        [
            "Article{url=<https://example.com/u> author=<https://example.com/a>}",
            "#https://example.com/n{name=n}"
        ]
    );
}
