//! Words by which definitions, comparisons and quotations are known, by language.

use crate::text::language::Language;
use regex::Regex;
use std::{collections::BTreeMap, sync::LazyLock};

pub struct Tells {
    /// What stands between a subject and what it is.
    definition: Regex,
    /// Words that no definition begins with.
    pronouns: Vec<&'static str>,
    pub comparison: Regex,
    pub reporting: Regex,
}

/// The words of a language; `None` where nobody has listed them.
pub fn tells(language: Option<Language>) -> Option<&'static Tells> {
    TELLS.get(&language?)
}

static TELLS: LazyLock<BTreeMap<Language, Tells>> = LazyLock::new(|| {
    let each = LISTS.iter();
    each.filter_map(|(language, [verbs, pronouns, comparison, reporting])| {
        // Neighbours instead of boundaries, which are slow to find beside letters that are not ASCII.
        let alone = |it: &str| Regex::new(&format!(r"(?i)(?:^|\W)(?:{it})(?:\W|$)")).ok();
        Some((
            *language,
            Tells {
                definition: alone(verbs)?,
                pronouns: pronouns.split('|').collect(),
                comparison: alone(comparison)?,
                reporting: alone(reporting)?,
            },
        ))
    })
    .collect()
});

/// Words from which on a sentence can define something.
const LEAST_WORDS: usize = 6;
/// Characters within which its subject has to end.
const SUBJECT_CHARACTERS: usize = 120;

impl Tells {
    /// Whether a sentence says what its subject is: a verb of definitions comes before the first
    /// sign, and not after a pronoun.
    pub fn is_definition(&self, sentence: &str) -> bool {
        let head = sentence.split([',', '.', ';', ':', '!', '?']).next();
        let head = crate::text::words::shortened(head.unwrap_or_default(), SUBJECT_CHARACTERS);
        let mut all = head.split_whitespace();
        let first = all.next().unwrap_or_default().to_lowercase();
        let begins_well = !self.pronouns.contains(&first.as_str())
            && !self
                .pronouns
                .iter()
                .any(|it| it.ends_with(['\'', '’']) && first.starts_with(it));
        let after_subject = head.trim_start().get(first.len()..).unwrap_or_default();
        begins_well
            && all.next().is_some()
            && self.definition.is_match(after_subject)
            && crate::text::words::words(sentence)
                .take(LEAST_WORDS)
                .count()
                == LEAST_WORDS
    }
}

/// Verbs of definitions, pronouns that begin none, comparisons, verbs of speech.
#[rustfmt::skip]
const LISTS: [(Language, [&str; 4]); 11] = [
    (Language::English, [
        "(?:is|are|was|were) (?:an?|the|any|one of)|refers? to|(?:is|are) defined as|means|describes|(?:is|are) called|stands for",
        "it|this|that|these|those|there|he|she|they|we|you|i|here|which|what|who|if|when|where|as|in",
        r"vs\.?|versus|compared (?:to|with)|in comparison|unlike|whereas|better than|faster than|cheaper than|more than|less than|differences? between|pros and cons",
        "said|says|told|explains?|explained|argues?|argued|notes?|noted|writes?|wrote|according to|states?|stated|adds|added|claims?|claimed|reports?|reported|recalls?|recalled",
    ]),
    (Language::German, [
        "(?:ist|sind) (?:ein|eine|einer|eines|der|die|das)|bezeichnet|bezeichnen|versteht man|bedeutet|nennt man|steht für",
        "es|das|dies|diese|dieser|dieses|er|sie|wir|ihr|ich|hier|da|dort|was|wer|wenn|wo",
        "vs|versus|im vergleich|verglichen mit|gegenüber|im gegensatz zu|besser als|schneller als|günstiger als|mehr als|weniger als|unterschiede? zwischen|vor- und nachteile",
        "sagt|sagte|erklärt|erklärte|laut|zufolge|betont|betonte|schreibt|schrieb|meint|meinte|berichtet|berichtete|erzählt|ergänzt|so",
    ]),
    (Language::Spanish, [
        "(?:es|son) (?:un|una|unos|unas|el|la|los|las)|se define como|se refiere a|significa|consiste en|se llama",
        "esto|esta|este|estos|estas|eso|ese|esa|él|ella|ellos|nosotros|yo|aquí|que|si|cuando|no",
        "vs|versus|en comparación|comparado con|frente a|a diferencia de|mejor que|más que|menos que|diferencias? entre|ventajas y desventajas",
        "dijo|dice|explicó|explica|según|señaló|señala|afirmó|afirma|escribió|escribe|añadió|aseguró|declaró|contó",
    ]),
    (Language::French, [
        "(?:est|sont) (?:un|une|des|le|la|les|l’|l')|désigne|se définit comme|signifie|consiste à|fait référence à",
        "il|elle|ils|elles|ce|ceci|cela|ça|on|nous|vous|je|ici|qui|si|quand|c'|c’",
        "vs|versus|par rapport à|comparé à|en comparaison|contrairement à|tandis que|mieux que|plus que|moins que|différences? entre|avantages et inconvénients",
        "dit|a déclaré|déclare|explique|selon|affirme|a affirmé|souligne|écrit|raconte|ajoute|précise|estime",
    ]),
    (Language::Italian, [
        "(?:è|sono) (?:un|una|uno|il|lo|la|i|gli|le|l')|si definisce|si riferisce a|significa|indica|consiste",
        "questo|questa|questi|queste|ciò|quello|esso|essa|lui|lei|noi|voi|io|qui|che|se|quando|non",
        "vs|versus|rispetto a|in confronto|a differenza di|mentre|meglio di|più di|meno di|differenz[ae] tra|vantaggi e svantaggi",
        "ha detto|dice|disse|spiega|ha spiegato|secondo|afferma|ha affermato|sottolinea|scrive|racconta|aggiunge|dichiara",
    ]),
    (Language::Dutch, [
        "(?:is|zijn) (?:een|de|het)|verwijst naar|betekent|wordt gedefinieerd als|noemen we|staat voor",
        "het|dit|dat|deze|die|er|hij|zij|ze|we|wij|ik|hier|wat|wie|als|wanneer",
        "vs|versus|vergeleken met|in vergelijking met|ten opzichte van|in tegenstelling tot|beter dan|sneller dan|goedkoper dan|meer dan|minder dan|verschil(?:len)? tussen|voor- en nadelen",
        "zegt|zei|legt uit|verklaart|verklaarde|volgens|schrijft|schreef|stelt|vertelt|meldt|aldus",
    ]),
    (Language::Czech, [
        "je|jsou|znamená|označuje|představuje|rozumíme|se rozumí|se nazývá|se označuje",
        "to|toto|tato|tento|ten|ta|on|ona|ono|oni|my|vy|já|zde|tady|co|kdo|když|kde|pokud|není|tak",
        "vs|versus|ve srovnání|oproti|na rozdíl od|zatímco|lepší než|levnější než|rychlejší než|více než|méně než|rozdíly? mezi|výhody a nevýhody",
        "řekl|řekla|říká|uvedl|uvedla|uvádí|podle|dodal|dodala|vysvětluje|vysvětlil|vysvětlila|píše|tvrdí|upozornil|upozornila|sdělil|sdělila",
    ]),
    (Language::Slovak, [
        "je|sú|znamená|označuje|predstavuje|rozumieme|sa rozumie|sa nazýva|sa označuje",
        "to|toto|táto|tento|ten|tá|on|ona|ono|oni|my|vy|ja|tu|čo|kto|keď|kde|ak|nie|tak",
        "vs|versus|v porovnaní|oproti|na rozdiel od|zatiaľ čo|lepší ako|lacnejší ako|rýchlejší ako|viac ako|menej ako|rozdiely? medzi|výhody a nevýhody",
        "povedal|povedala|hovorí|uviedol|uviedla|uvádza|podľa|dodal|dodala|vysvetľuje|vysvetlil|vysvetlila|píše|tvrdí|upozornil|upozornila",
    ]),
    (Language::Polish, [
        "to|jest|są|oznacza|nazywamy|określa się|polega na",
        "to|ten|ta|te|on|ona|ono|oni|my|wy|ja|tu|tutaj|co|kto|kiedy|gdzie|jeśli|nie|tak",
        "vs|versus|w porównaniu|w przeciwieństwie do|podczas gdy|lepszy niż|tańszy niż|szybszy niż|więcej niż|mniej niż|różnic[ae] między|wady i zalety|zalety i wady",
        "powiedział|powiedziała|mówi|twierdzi|według|wyjaśnia|wyjaśnił|wyjaśniła|pisze|dodał|dodała|podkreśla|zaznacza",
    ]),
    (Language::Hungarian, [
        "(?:az )?olyan|jelent|jelenti|nevezzük|nevezik|azt jelenti|egy",
        "ez|az|ezek|azok|ő|ők|mi|ti|én|itt|ott|ha|amikor|ahol|aki|ami|nem|van",
        "vs|versus|szemben|összehasonlítva|ellentétben|míg|jobb mint|olcsóbb mint|gyorsabb mint|több mint|kevesebb mint|különbség|előnyei és hátrányai",
        "mondta|mondja|elmondta|szerint|nyilatkozta|kifejtette|írja|írta|hozzátette|állítja|közölte",
    ]),
    (Language::Russian, [
        "— это|– это|это|является|являются|называется|называют|означает|представляет собой",
        "это|этот|эта|эти|он|она|оно|они|мы|вы|я|здесь|тут|что|кто|если|когда|где|не",
        "vs|по сравнению|в отличие|тогда как|лучше|дешевле|быстрее|больше чем|меньше чем|разница между|различия между|преимущества и недостатки",
        "сказал|сказала|говорит|заявил|заявила|по словам|отметил|отметила|пишет|утверждает|пояснил|пояснила|рассказал|рассказала|добавил|добавила",
    ]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_words() {
        assert_eq!(TELLS.len(), LISTS.len());
        assert!(tells(None).is_none());
    }

    #[test]
    fn definitions_are_known_by_their_verbs() {
        for (language, sentence) in [
            (
                Language::English,
                "Compound interest is the interest on a loan and its interest.",
            ),
            (
                Language::German,
                "Der Zinseszins ist ein Zins, der auf Zinsen gezahlt wird.",
            ),
            (
                Language::French,
                "L'intérêt composé est un intérêt calculé sur les intérêts.",
            ),
            (
                Language::Spanish,
                "El interés compuesto es un tipo de interés sobre intereses.",
            ),
            (
                Language::Czech,
                "Složené úročení je způsob úročení, při němž se úroky úročí.",
            ),
            (
                Language::Polish,
                "Procent składany to sposób oprocentowania wkładu wraz z odsetkami.",
            ),
            (
                Language::Russian,
                "Сложный процент — это начисление процентов на проценты по вкладу.",
            ),
        ] {
            assert!(
                tells(Some(language)).unwrap().is_definition(sentence),
                "{sentence}"
            );
        }
        let english = tells(Some(Language::English)).unwrap();
        for sentence in [
            "It is a very long day for all of us here.",
            "Rust is fast.",
            "We walked to the shop and bought some bread for dinner.",
        ] {
            assert!(!english.is_definition(sentence), "{sentence}");
        }
    }

    #[test]
    fn comparisons_and_speech_are_known() {
        let english = tells(Some(Language::English)).unwrap();
        assert!(english.comparison.is_match("SQLite vs. PostgreSQL"));
        assert!(!english.comparison.is_match("A canvas bag"));
        assert!(english.reporting.is_match("as Jane Doe said"));
    }
}
