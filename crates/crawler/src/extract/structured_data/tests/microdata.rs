use super::{read, shown};
use analysis::observation::structured_data::SyntaxNoteKind as Note;

#[test]
fn each_element_has_its_own_value() {
    let data = read(
        "<div itemscope itemtype=http://schema.org/Thing>\
         <meta itemprop=a content=' m '><img itemprop=b src=i.jpg><a itemprop=c href=/l>x</a>\
         <object itemprop=d data=o></object><data itemprop=e value=v>x</data>\
         <meter itemprop=f value=5>x</meter><time itemprop=g datetime=2026-01-02>x</time>\
         <time itemprop=h> 3 May </time><p itemprop=i> t <b>u</b>\n<script>no</script></p>\
         <span itemprop=j content=1000.00>1,000</span><a itemprop=k>none</a><link itemprop=l href=''>\
         <video itemprop=m src='http://['></video></div>",
    );
    assert_eq!(
        shown(&data),
        [
            "Thing{a= m  b=<https://example.com/shop/i.jpg> c=<https://example.com/l> \
          d=<https://example.com/shop/o> e=v f=5 g=2026-01-02 h=3 May i=t u j=1000.00 k= \
          l=<https://example.com/shop/cup.html> m=http://[}"
        ]
    );
}

#[test]
fn nested_items_have_types_and_ids() {
    let data = read(
        "<div itemscope itemtype='http://schema.org/Product http://x.org/T' itemid=#p>\
         <span itemprop='name http://schema.org/alternateName name'>Cup</span>\
         <div itemprop='offers offers2' itemscope itemtype=https://schema.org/Offer>\
         <b itemprop=price>1</b></div><p>no</p></div><i itemprop=loose itemscope>x</i>",
    );
    assert_eq!(
        shown(&data),
        [
            "Product+http://x.org/T#https://example.com/shop/cup.html#p{name=Cup alternateName=Cup \
          offers=Offer{price=1} offers2=Offer{price=1}}"
        ]
    );
}

#[test]
fn itemref_adds_elements_in_tree_order() {
    let data = read(
        "<p id=a><b itemprop=x>1</b></p><div itemscope itemref='b a nowhere'><i itemprop=y>2</i></div>\
         <p id=b itemprop=z>3</p><div itemscope itemref=a></div>",
    );
    assert_eq!(shown(&data), ["{x=1 y=2 z=3}", "{x=1}"]);
    assert_eq!(data.notes.len(), 1);
    assert_eq!(data.notes[0].kind, Note::ItemrefMissing);
}

#[test]
fn itemref_cycles_are_detected() {
    // To itself, to an ancestor, and two that refer to each other.
    let own = read("<div id=a itemscope itemref=a><i itemprop=x>1</i></div>");
    assert_eq!(shown(&own), ["{x=1}"]);
    assert_eq!(own.notes[0].kind, Note::ItemrefCycle);
    let around = read(
        "<div id=a><div itemscope itemref=a itemprop=p></div><i itemprop=x>1</i></div><div itemscope itemref=a></div>",
    );
    assert_eq!(shown(&around), ["{p={x=1} x=1}"]);
    assert!(around.notes.iter().any(|it| it.kind == Note::ItemrefCycle));
    let both = read(
        "<div itemscope itemref=a></div><div id=a itemprop=p itemscope itemref=b></div>\
         <div id=b itemprop=q itemscope itemref=a></div>",
    );
    assert_eq!(shown(&both), ["{p={q={}}}"]);
}

#[test]
fn properties_outside_items_are_reported_once() {
    let data = read(
        "<div itemscope itemtype=https://schema.org/Product itemref=far><b itemprop=name>Cup</b></div>\
         <p id=far itemprop=color>blue</p>\n<div itemprop=review itemscope itemtype=https://schema.org/Review>\
         <i itemprop=author>Ann</i></div><div itemscope><u itemprop=x>x</u></div>\n<s itemprop='a b'><i itemprop=c></i></s>",
    );
    let outside = data.outside_items.iter().map(|it| {
        format!(
            "{}: {} {}",
            it.location.line,
            it.properties.join("+"),
            it.types.join("+")
        )
    });
    assert_eq!(
        outside.collect::<Vec<_>>(),
        ["2: review Review", "3: a+b ", "3: c "]
    );
    assert_eq!(read("<b itemprop=name>x</b>").outside_items.len(), 1);
    let many = read(&"<b itemprop=name>x</b>".repeat(1_000));
    assert_eq!(many.outside_items.len(), 200);
}
