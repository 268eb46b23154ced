use crate::text::language::Language;
use regex::Regex;
use std::{collections::BTreeMap, sync::LazyLock};

pub struct Phrases {
    /// Somebody did something themselves.
    pub first_person: Regex,
    pub test_method: Regex,
    /// Somebody with knowledge looked through it.
    pub reviewed: Regex,
    pub disclosure: Regex,
    pub own_data: Regex,
}

/// The phrases of a language; `None` where nobody has listed them.
pub fn phrases(language: Option<Language>) -> Option<&'static Phrases> {
    PHRASES.get(&language?)
}

/// Titles and degrees, in any language.
pub static CREDENTIALS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:Ph\.?\s?D\.?|M\.?D\.|MD|MBA|M\.?Sc\.?|B\.?Sc\.?|CPA|CFA|CFP|RN|RD|DDS|DVM|J\.?D\.|LL\.?M\.?|Prof\.|Professor|Dr\.|Dipl\.-\w+|Ing\.|Mgr\.|MUDr\.|JUDr\.|PhDr\.|RNDr\.|MVDr\.|PharmDr\.|Bc\.|CSc\.|doc\.|lek\.|mgr|dr n\. med\.)(?:[\s,)]|$)").ok()
});

static PHRASES: LazyLock<BTreeMap<Language, Phrases>> = LazyLock::new(|| {
    // Neighbours instead of boundaries, which are slow to find beside letters that are not ASCII.
    let phrase = |words: &str| Regex::new(&format!(r"(?i)(?:^|\W)(?:{words})(?:\W|$)")).ok();
    let each = LISTS.iter();
    each.filter_map(|(language, [first, test, reviewed, disclosure, data])| {
        Some((
            *language,
            Phrases {
                first_person: phrase(first)?,
                test_method: phrase(test)?,
                reviewed: phrase(reviewed)?,
                disclosure: phrase(disclosure)?,
                own_data: phrase(data)?,
            },
        ))
    })
    .collect()
});

#[rustfmt::skip]
const LISTS: [(Language, [&str; 5]); 10] = [
    (Language::English, [
        r"(?:we|i)(?:'ve|’ve| have)? (?:personally |recently |also )?(?:tested|tried|used|bought|measured|visited|compared|reviewed|spent|noticed|found that|built|installed)|in (?:my|our) (?:experience|tests?|testing|opinion)|hands-on|(?:my|our) own (?:experience|tests?|photos?|measurements?)",
        r"(?:how we test(?:ed)?|our test(?:ing)? (?:method|process|methodology)|methodology|sample (?:size|of)|we measured|tested (?:for|over|on|in|with) (?:\w+ )?(?:\d+|\w+) (?:hours|days|weeks|months|devices|people|users|samples)|test(?:ed)? (?:conditions|environment|setup))",
        r"(?:medically|clinically|expert|legally|financially|scientifically)?[ -]?(?:reviewed|fact[- ]checked|verified) by",
        r"affiliate|sponsored|paid partnership|advertisement|we (?:may )?(?:earn|receive|get) (?:a |an )?(?:small )?commission|commission",
        r"case stud(?:y|ies)|our (?:data|survey|study|research|analysis)|we (?:surveyed|analy[sz]ed|interviewed|collected)",
    ]),
    (Language::German, [
        r"(?:wir|ich) (?:haben|habe) .{0,60}?(?:getestet|ausprobiert|gemessen|verglichen|gekauft|benutzt|verwendet|besucht)|(?:unserer|meiner|unsere|meine) (?:eigenen? )?(?:erfahrung|test|erfahrungen|meinung)|im (?:praxistest|selbstversuch|eigenen test)|unser test",
        r"so (?:haben wir getestet|testen wir)|testverfahren|testmethode|messverfahren|methodik|stichprobe|testzeitraum|testbedingungen|testaufbau",
        r"(?:medizinisch |fachlich |juristisch )?(?:geprüft|überprüft|begutachtet) (?:von|durch)|faktencheck",
        r"affiliate|provision|werbung|anzeige|gesponsert|werbelinks?|partnerlinks?",
        r"fallstudien?|unsere (?:daten|umfrage|studie|auswertung|analyse)|wir haben .{0,60}?(?:befragt|ausgewertet|erhoben)",
    ]),
    (Language::Spanish, [
        r"(?:hemos|he) (?:probado|usado|utilizado|medido|comparado|visitado|comprado|comprobado)|(?:probamos|usamos|medimos|comparamos|visitamos)|(?:mi|nuestra|nuestras|mis) (?:propia )?(?:experiencia|pruebas|opinión)",
        r"cómo (?:probamos|hemos probado)|metodología|método de prueba|tamaño de la muestra|condiciones de (?:la )?prueba|muestra de",
        r"(?:revisado|verificado|comprobado)(?: \w+)? por",
        r"afiliados?|patrocinado|publicidad|comisión",
        r"casos? de estudio|nuestr[oa]s? (?:datos|encuesta|estudio|investigación|análisis)|encuestamos|hemos analizado",
    ]),
    (Language::French, [
        r"(?:nous avons|j'ai|j’ai|on a) (?:testé|essayé|utilisé|mesuré|comparé|visité|acheté|constaté)|(?:notre|mon|nos|mes) (?:propre )?(?:expérience|tests?|essais?|avis)|pris en main",
        r"comment nous testons|méthodologie|protocole de test|méthode de test|taille de l[’']échantillon|conditions de test|échantillon de",
        r"(?:relu|vérifié|validé|révisé)(?: \w+)? par",
        r"affiliation|affiliés?|sponsorisé|publicité|partenariat rémunéré|commission",
        r"études? de cas|(?:notre|nos) (?:données|enquête|étude|analyse|sondage)|nous avons (?:interrogé|analysé|recueilli)",
    ]),
    (Language::Italian, [
        r"(?:abbiamo|ho) (?:testato|provato|usato|utilizzato|misurato|confrontato|visitato|acquistato|comprato)|(?:nostra|mia|nostri|miei) (?:esperienza|prove|test|opinione)|prova sul campo",
        r"come (?:testiamo|abbiamo testato)|metodologia|metodo di (?:prova|test)|dimensione del campione|condizioni di prova|campione di",
        r"(?:revisionato|verificato|controllato|validato)(?: \w+)? da",
        r"affiliazione|affiliati|sponsorizzato|pubblicità|commissione",
        r"casi? di studio|(?:nostri|nostra|nostro) (?:dati|sondaggio|studio|ricerca|analisi)|abbiamo (?:intervistato|analizzato|raccolto)",
    ]),
    (Language::Dutch, [
        r"(?:we|wij|ik) (?:hebben|heb) .{0,60}?(?:getest|geprobeerd|gebruikt|gemeten|vergeleken|bezocht|gekocht)|(?:onze|mijn) (?:eigen )?(?:ervaring|ervaringen|test|tests|mening)",
        r"hoe (?:wij|we) testen|testmethode|methodologie|meetmethode|steekproef|testopstelling|testomstandigheden",
        r"(?:medisch )?(?:gecontroleerd|beoordeeld|geverifieerd) door",
        r"affiliate|gesponsord|advertentie|commissie|partnerlinks?",
        r"casestud(?:y|ies)|case study|ons (?:onderzoek|data)|onze (?:data|enquête|analyse)|we hebben .{0,60}?(?:ondervraagd|geanalyseerd|verzameld)",
    ]),
    (Language::Czech, [
        r"(?:vyzkoušeli|otestovali|testovali|změřili|porovnali|navštívili|koupili|použili|používali) jsme|(?:vyzkoušel|otestoval|testoval|změřil|porovnal|navštívil|koupil|používal)a? jsem|jsme (?:vyzkoušeli|otestovali|testovali|změřili|porovnali|navštívili)|jsem (?:vyzkoušel|otestoval|testoval|změřil|používal)a?|(?:naše|moje|vlastní|naší|mojí) (?:zkušenosti?|testy|měření)|z vlastní zkušenosti",
        r"jak (?:testujeme|jsme testovali)|metodika|metodologie|postup testování|testovací metod\w+|velikost vzorku|podmínky testu|vzorek",
        r"(?:odborně |lékařsky )?(?:zkontroloval|ověřil|posoudil|revidoval)a?|odborná (?:revize|kontrola|korektura)",
        r"affiliate|provizi|provize|reklama|sponzorovan\w+|inzerce|placen[áé] spolupráce|spolupráci",
        r"případov\w+ studi\w+|naše (?:data|průzkum|studie|analýza)|náš průzkum|vlastní průzkum|zanalyzovali jsme|oslovili jsme",
    ]),
    (Language::Slovak, [
        r"(?:vyskúšali|otestovali|testovali|zmerali|porovnali|navštívili|kúpili|použili|používali) sme|(?:vyskúšal|otestoval|testoval|zmeral|porovnal|navštívil|kúpil|používal)a? som|sme (?:vyskúšali|otestovali|testovali|zmerali|porovnali|navštívili)|som (?:vyskúšal|otestoval|testoval|zmeral|používal)a?|(?:naše|moje|vlastné|našej|mojej) (?:skúsenost\w*|testy|merania)|z vlastnej skúsenosti",
        r"ako (?:testujeme|sme testovali)|metodika|metodológia|postup testovania|testovacia metóda|veľkosť vzorky|podmienky testu|vzorka",
        r"(?:odborne )?(?:skontroloval|overil|posúdil|revidoval)a?|odborná (?:revízia|kontrola)",
        r"affiliate|províziu|provízia|reklama|sponzorovan\w+|inzercia|platená spolupráca",
        r"prípadov\w+ štúdi\w+|naše (?:dáta|údaje)|náš prieskum|naša (?:štúdia|analýza)|vlastný prieskum|analyzovali sme|oslovili sme",
    ]),
    (Language::Polish, [
        r"(?:przetestowaliśmy|sprawdziliśmy|używaliśmy|zmierzyliśmy|porównaliśmy|odwiedziliśmy|kupiliśmy|przetestowałe?a?m|sprawdziłe?a?m|używałe?a?m|zmierzyłe?a?m|porównałe?a?m|odwiedziłe?a?m|kupiłe?a?m)|(?:nasze|moje|własne|naszego|mojego|własnego) (?:doświadczenia?|testy|pomiary)",
        r"jak testujemy|metodologia|metodyka|procedura testowa|wielkość próby|warunki testu|próba badawcza",
        r"(?:zweryfikowan[aey]|sprawdzon[aey]|zrecenzowan[aey]) przez|weryfikacja merytoryczna|konsultacja merytoryczna",
        r"afiliacyjn\w+|prowizj\w+|reklama|sponsorowan\w+|płatna współpraca|materiał partnera",
        r"studium przypadku|case study|nasze (?:dane|badanie|badania)|nasza analiza|przebadaliśmy|przeanalizowaliśmy|zapytaliśmy",
    ]),
    (Language::Hungarian, [
        r"(?:kipróbáltuk|teszteltük|leteszteltük|megmértük|összehasonlítottuk|meglátogattuk|használtuk|megvettük|kipróbáltam|teszteltem|leteszteltem|megmértem|használtam|meglátogattam|megvettem)|saját (?:tapasztalat\w*|teszt\w*|mérés\w*)|tapasztalat(?:om|aim|unk|aink)",
        r"hogyan tesztel(?:ünk|tünk|jük)|módszertan\w*|tesztelési módszer\w*|mintanagyság|teszt körülmény\w*|minta mérete",
        r"(?:szakmailag |orvosilag )?(?:ellenőrizte|lektorálta|átnézte|jóváhagyta)",
        r"affiliate|jutalék\w*|hirdetés|szponzorált|reklám|fizetett együttműködés",
        r"esettanulmány\w*|saját (?:adat\w*|felmérés\w*|kutatás\w*|elemzés\w*)|felmérésünk|kutatásunk|megkérdeztünk|elemeztük",
    ]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_phrases() {
        assert_eq!(PHRASES.len(), LISTS.len());
        assert!(phrases(Some(Language::Russian)).is_none() && phrases(None).is_none());
    }

    #[test]
    fn experience_is_told_in_the_first_person() {
        for (language, text) in [
            (Language::English, "We tested twelve mattresses."),
            (Language::English, "In my experience it lasts."),
            (Language::German, "Wir haben zwölf Matratzen getestet."),
            (Language::Spanish, "Hemos probado doce colchones."),
            (Language::French, "Nous avons testé douze matelas."),
            (Language::Italian, "Abbiamo provato dodici materassi."),
            (Language::Dutch, "Wij hebben twaalf matrassen getest."),
            (Language::Czech, "Vyzkoušeli jsme dvanáct matrací."),
            (Language::Slovak, "Otestovali sme dvanásť matracov."),
            (Language::Polish, "Przetestowaliśmy dwanaście materacy."),
            (
                Language::Hungarian,
                "Tizenkét matracot teszteltünk, saját tapasztalat.",
            ),
        ] {
            let found = phrases(Some(language)).unwrap();
            assert!(found.first_person.is_match(text), "{text}");
        }
        let english = phrases(Some(Language::English)).unwrap();
        assert!(
            !english
                .first_person
                .is_match("The mattress was tested by them.")
        );
        assert!(
            english
                .reviewed
                .is_match("Medically reviewed by Jane Doe, MD")
        );
    }

    #[test]
    fn degrees_are_known() {
        let degree = CREDENTIALS.as_ref().unwrap();
        for name in [
            "Jane Doe, PhD",
            "MUDr. Jana Nová",
            "Dr. Max Muster",
            "Jane Doe MD",
        ] {
            assert!(degree.is_match(name), "{name}");
        }
        assert!(!degree.is_match("Mandy Drake"));
    }
}
