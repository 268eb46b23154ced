use super::*;
use proptest::prelude::*;

const BEFORE: &str =
    "Opening hours\nMonday to Friday, from eight to five.\nClosed on holidays.\nCall us.";
const AFTER: &str =
    "Opening hours\nMonday to Saturday, from nine to five.\nCall us.\nOr write to us.";

#[test]
fn applying_to_the_earlier_text_gives_the_later() {
    let found = difference(BEFORE, AFTER);
    assert_eq!(found.applied_to(BEFORE).as_deref(), Some(AFTER));
    assert_eq!(found.applied_to(AFTER), None);
    assert!(found.is_change());
}

#[test]
fn changed_blocks_are_compared_by_words() {
    let before = "a\nMonday to Friday, from eight to five.\nz";
    let found = difference(before, "a\nMonday to Saturday, from nine to five.\nz");
    let shown = found.report(before);
    let operations: Vec<(ReportedKind, Option<&str>, Option<&str>)> = shown
        .operations
        .iter()
        .map(|it| (it.op, it.before.as_deref(), it.after.as_deref()))
        .collect();
    assert_eq!(
        operations,
        [
            (ReportedKind::Replace, Some("Friday"), Some("Saturday")),
            (ReportedKind::Replace, Some("eight"), Some("nine")),
        ]
    );
    assert_eq!((found.added_words, found.removed_words), (2, 2));
}

#[test]
fn whole_blocks_are_inserted_and_removed() {
    let before = "one\ntwo\nthree";
    let found = difference(before, "one\nthree\nfour and five");
    assert_eq!(
        found.steps,
        [
            Step::Keep(1),
            Step::Remove(1),
            Step::Keep(1),
            Step::Insert(vec!["four and five".to_owned()]),
        ]
    );
    assert_eq!((found.added_words, found.removed_words), (3, 1));
    let kinds: Vec<_> = found
        .report(before)
        .operations
        .iter()
        .map(|it| it.op)
        .collect();
    assert_eq!(kinds, [ReportedKind::Delete, ReportedKind::Insert]);
}

/// Seven words in two blocks make 1 + 2 shingles; the inserted block adds 3.
#[test]
fn additions_keep_containment_at_one() {
    let before = "one two three four\nfive six seven eight nine";
    let after = "one two three four\nten eleven twelve thirteen fourteen fifteen\nfive six seven eight nine";
    let found = difference(before, after);
    assert_eq!(found.containment_of_old, Some(1.0));
    assert!((found.similarity - 0.5).abs() < 1e-12);
    let back = difference(after, before);
    assert_eq!(back.containment_of_old, Some(0.5));
}

#[test]
fn the_same_text_has_no_change() {
    let found = difference(BEFORE, BEFORE);
    assert!(!found.is_change());
    assert_eq!(found.report(BEFORE).operations, []);
    assert!((found.similarity - 1.0).abs() < 1e-12);
}

#[test]
fn empty_texts_have_no_containment() {
    let found = difference("", "something new came here");
    assert_eq!((found.containment_of_old, found.added_words), (None, 4));
    assert!(found.similarity.abs() < 1e-12);
    assert!((difference("", "").similarity - 1.0).abs() < 1e-12);
}

#[test]
fn a_report_is_limited_and_counts_the_rest() {
    let blocks = |word: &str| -> Vec<String> {
        (0..500)
            .map(|it| format!("same {it}\n{word} {it}"))
            .collect()
    };
    let (before, after) = (blocks("old").join("\n"), blocks("new").join("\n"));
    let found = difference(&before, &after);
    let shown = found.report(&before);
    assert_eq!(
        (shown.operations.len(), shown.left_out),
        (MAX_OPERATIONS, 300)
    );
    assert_eq!(found.applied_to(&before), Some(after));
}

#[test]
fn long_and_wholly_different_texts_are_compared() {
    let words =
        |prefix: &str| -> Vec<String> { (0..30_000).map(|it| format!("{prefix}{it}")).collect() };
    let (before, after) = (words("a"), words("b"));
    let found = difference(&before.join(" "), &after.join(" "));
    assert_eq!((found.added_words, found.removed_words), (30_000, 30_000));
    let (before, after) = (before.join("\n"), after.join("\n"));
    assert_eq!(difference(&before, &after).applied_to(&before), Some(after));
}

proptest! {
    #[test]
    fn a_difference_applies_to_any_two_texts(before in any::<String>(), after in any::<String>()) {
        prop_assert_eq!(difference(&before, &after).applied_to(&before), Some(after));
    }

    #[test]
    fn a_difference_applies_to_similar_texts(
        before in "([abč]{1,2}[ \\n,]){0,60}",
        after in "([abč]{1,2}[ \\n,]){0,60}",
    ) {
        let found = difference(&before, &after);
        prop_assert_eq!(found.applied_to(&before), Some(after.clone()));
        prop_assert_eq!(found.is_change(), before != after);
        // No words are lost: the remaining ones are in both texts.
        let stay = words(&before).count().checked_sub(found.removed_words);
        prop_assert!(stay.is_some());
        prop_assert_eq!(stay, words(&after).count().checked_sub(found.added_words));
    }

    #[test]
    fn similarity_is_symmetric(before in "([ab]{1,2}[ \\n]){0,40}", after in "([ab]{1,2}[ \\n]){0,40}") {
        let (there, back) = (difference(&before, &after), difference(&after, &before));
        prop_assert!((there.similarity - back.similarity).abs() < 1e-12);
    }

    #[test]
    fn inserted_blocks_leave_the_old_contained(kept in prop::collection::vec("([a-z]{2,5} ){4,9}", 1..8), came in "([a-z]{2,5} ){4,9}", at in 0_usize..8) {
        let before = kept.join("\n");
        let mut blocks = kept.clone();
        blocks.insert(at.min(kept.len()), came);
        prop_assert_eq!(difference(&before, &blocks.join("\n")).containment_of_old, Some(1.0));
    }
}

#[test]
fn a_report_of_long_texts_is_cut_without_gaps() {
    let line = |number: usize| format!("{number} {}", "x".repeat(2_500));
    let kept = |number: usize| format!("kept {number}");
    let both: Vec<String> = (0..150).flat_map(|it| [line(it), kept(it)]).collect();
    let less: Vec<String> = (0..150).map(kept).collect();
    let before = both.join("\n") + "\nlast";
    let found = difference(&before, &less.join("\n"));
    let report = found.report(&before);
    let reported = report.operations.len();
    assert!((40..60).contains(&reported), "{reported}");
    assert_eq!(report.left_out, 151 - reported);
    assert!(
        report
            .operations
            .iter()
            .all(|it| it.before.as_ref().unwrap().len() == 2_000)
    );
}
