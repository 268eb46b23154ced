//! Names in text. The labeled sentences are in `crates/texts/tests/ai_mentions`.

use super::*;
use crate::ai_answers::brands::BrandSpec;
use proptest::prelude::*;

fn book() -> BrandBook {
    BrandBook::of(
        &BrandSpec::named("Acme", "acme.com"),
        &[
            BrandSpec::named("Acme Pro", "acmepro.com"),
            BrandSpec::named("Beacon", "beacon.io"),
        ],
        &["desk".to_owned()],
    )
}

fn found(text: &str, prompt: Option<&str>) -> FoundMentions {
    let visible = Prose::of(text);
    mentions(
        &book(),
        &visible,
        Languages::of("en"),
        prompt,
        &BTreeSet::new(),
    )
}

fn slices(text: &str) -> Vec<(BrandId, String)> {
    let found = found(text, None);
    { found.mentions.iter() }
        .map(|it| (it.brand, text[it.span.start..it.span.end].to_owned()))
        .collect()
}

#[test]
fn the_longest_name_wins_and_spans_match_the_text() {
    let text = "**Acme** Pro beats Acme's `acme` desk; see acme.com, Acme";
    let expected = [(1, "Acme** Pro"), (0, "Acme"), (0, "acme.com"), (0, "Acme")];
    let expected: Vec<(BrandId, String)> = expected
        .iter()
        .map(|(brand, it)| (*brand, (*it).to_owned()))
        .collect();
    assert_eq!(slices(text), expected);
    assert_eq!(found(text, None).brands(), [1, 0]);
}

#[test]
fn prompt_echoes_do_not_count() {
    let prompt = Some("Is Acme good for desks?");
    let text = "Is Acme good for desks? It depends.";
    assert!(found(text, prompt).mentions.is_empty());
    assert_eq!(found(text, None).mentions.len(), 1);
    assert_eq!(found("Yes. Acme is.", prompt).mentions.len(), 1);
}

#[test]
fn a_word_needs_a_cue_to_be_a_name() {
    for text in [
        "The Beacon desk is sturdy.",
        "Acme and Beacon",
        "beacon.io by Beacon",
    ] {
        assert!(found(text, None).brands().contains(&2), "{text}");
    }
    let unsure = found("Beacon stands on the hill.", None);
    assert!(unsure.mentions.is_empty());
    assert_eq!(unsure.ambiguous.len(), 1);
    assert!(found("a beacon desk", None).ambiguous.is_empty());
    let visible = Prose::of("Beacon stands on the hill.");
    let seen = BTreeSet::from([2]);
    let languages = Languages::of("en");
    assert_eq!(
        mentions(&book(), &visible, languages, None, &seen)
            .mentions
            .len(),
        1
    );
    // In a language in which it is not a word it is a name.
    let hungarian = Languages::of("hu");
    assert_eq!(
        mentions(&book(), &visible, hungarian, None, &BTreeSet::new())
            .mentions
            .len(),
        1
    );
}

proptest! {
    #[test]
    fn mentions_lie_in_the_text_in_order_and_never_overlap(
        text in "(Acme|Acme Pro|acme\\.com|Beacon|'s|[ .,`*\n()]|https://acme\\.com/|[a-zěß]{1,4}){0,40}"
    ) {
        let found = found(&text, None);
        let mut behind = 0;
        for mention in &found.mentions {
            prop_assert!(mention.span.start >= behind && mention.span.start < mention.span.end);
            prop_assert!(text.get(mention.span.start..mention.span.end).is_some());
            behind = mention.span.end;
        }
    }

    #[test]
    fn other_words_around_a_name_do_not_hide_it(
        before in "[a-z]{1,8}( [a-z]{1,8}){0,5}", after in "[a-z]{1,8}( [a-z]{1,8}){0,5}"
    ) {
        let text = format!("{before} Zyxwor {after}");
        let own = BrandBook::of(&BrandSpec::named("Zyxwor", "zyxwor.com"), &[], &[]);
        let names = own.names_own(&text, "en");
        prop_assert!(names);
        let without = format!("{before} {after}");
        prop_assert!(!own.names_own(&without, "en"));
    }
}
