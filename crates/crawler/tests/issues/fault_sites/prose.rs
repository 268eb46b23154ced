//! English prose, deterministic by seed.

use std::fmt::Write as _;

const SUBJECTS: [&str; 16] = [
    "The potter",
    "A helper",
    "Our teacher",
    "The old shop",
    "A young pair",
    "The small team",
    "My aunt",
    "The next guest",
    "A good friend",
    "The whole class",
    "One buyer",
    "The night guard",
    "A local farm",
    "The new clerk",
    "Her brother",
    "The town",
];
const VERBS: [&str; 16] = [
    "takes", "turns", "dries", "paints", "lifts", "sells", "keeps", "cleans", "brings", "finds",
    "holds", "counts", "wraps", "shows", "moves", "stores",
];
const OBJECTS: [&str; 16] = [
    "a tall cup",
    "the round bowl",
    "some red clay",
    "two flat plates",
    "the brown jug",
    "a thin brush",
    "the first tray",
    "a warm cloth",
    "three white tiles",
    "the blue vase",
    "a heavy stone",
    "the long shelf",
    "a box of sand",
    "the open crate",
    "four green jars",
    "a bag of salt",
];
const PLACES: [&str; 16] = [
    "in the yard",
    "near the oven",
    "on the bench",
    "by the door",
    "after lunch",
    "before dawn",
    "at the fair",
    "under the roof",
    "with great care",
    "for the club",
    "on a cold day",
    "in the spring",
    "from the river",
    "behind the house",
    "along the wall",
    "once a week",
];

/// Nine to eleven words each.
pub fn sentences(seed: u32, count: u32) -> Vec<String> {
    let pick = |list: &[&'static str; 16], at: u32| list[(at % 16) as usize];
    (0..count)
        .map(|number| {
            let at = number.wrapping_mul(7).wrapping_add(seed.wrapping_mul(5));
            format!(
                "{} {} {} and then {} {} {}.",
                pick(&SUBJECTS, at),
                pick(&VERBS, at / 3 + seed),
                pick(&OBJECTS, at / 5 + number + seed),
                pick(&VERBS, number * 5 + seed * 3 + 1),
                pick(&OBJECTS, number * 11 + seed * 7 + 2),
                pick(&PLACES, number * 3 + seed * 2 + at / 2),
            )
        })
        .collect()
}

/// Five sentences each.
pub fn paragraphs(seed: u32, count: u32) -> String {
    let all = sentences(seed, count);
    let mut html = String::new();
    for part in all.chunks(5) {
        // Writing to a string cannot fail.
        let _ = writeln!(html, "<p>{}</p>", part.join(" "));
    }
    html
}

pub fn difficult() -> String {
    let sentence = "Interdisciplinary organisational transformation methodologies necessitate comprehensive \
        administrative reconsideration of predominantly hierarchical decision architectures, notwithstanding \
        irreconcilable institutional responsibilities, technological incompatibilities and communicational \
        particularities characterising contemporary multinational manufacturing conglomerates.";
    let other = "Consequently, sophisticated epistemological considerations regarding representational \
        inconsistencies predetermine organisational accountability, interdepartmental communication, \
        professional specialisation and individual psychological predispositions, thereby undermining \
        anticipated administrative simplification, economical rationalisation and technological innovation.";
    format!("<p>{sentence} {other}</p>\n").repeat(4)
}
