use std::{collections::HashMap, sync::LazyLock};

/// Names and abbreviations of months in en, de, es, fr, it, nl, cs, sk, pl and hu, in lower case, with genitives.
const MONTHS: [&str; 12] = [
    "january jan januar jänner jän januari enero ene janvier janv gennaio gen leden ledna \
     led január januára styczeń stycznia sty",
    "february feb februar feber februari febrero février févr fév fevrier febbraio únor \
     února úno február februára febr luty lutego lut",
    "march mar märz mär maerz mrz maart mrt marzo mars březen března bře marec marca \
     marzec március márc már",
    "april apr abril abr avril avr aprile duben dubna dub apríl apríla kwiecień kwietnia \
     kwi április ápr",
    "may mai mei mayo maggio mag květen května kvě máj mája maj maja május",
    "june jun juni junio juin giugno giu červen června čvn jún júna czerwiec czerwca cze \
     június",
    "july jul juli julio juillet juil luglio lug červenec července čvc júl júla lipiec \
     lipca lip július",
    "august aug augustus agosto ago août aout srpen srpna srp augusta sierpień sierpnia \
     sie augusztus",
    "september sep sept septiembre septembre settembre set září zář septembra wrzesień \
     września wrz szeptember szept",
    "october oct oktober okt octubre octobre ottobre ott říjen října říj október októbra \
     październik października paź",
    "november nov noviembre novembre listopad listopadu lis novembra listopada",
    "december dec dezember dez diciembre dic décembre déc decembre dicembre prosinec \
     prosince pro decembra grudzień grudnia gru",
];

static NUMBERS: LazyLock<HashMap<&str, u32>> = LazyLock::new(|| {
    let numbered = MONTHS.into_iter().zip(1..);
    numbered
        .flat_map(|(names, number)| names.split(' ').map(move |it| (it, number)))
        .collect()
});

/// From a name in lower case, 1 to 12.
pub fn month(name: &str) -> Option<u32> {
    NUMBERS.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn month_names_are_unique() {
        for (at, names) in MONTHS.iter().enumerate() {
            for name in names.split(' ') {
                assert_eq!(month(name), u32::try_from(at + 1).ok(), "{name}");
                assert_eq!(name, name.to_lowercase());
            }
        }
    }
}
