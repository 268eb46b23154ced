//! Whether a page is about your money or your life: by types of schema.org, and by words that only such
//! pages have many of. The words are beginnings, so that inflections count; the lists and bounds are ours.

use super::record::{Ymyl, YmylTopic};
use crate::{
    observation::{page_content::PageContent, structured_data::Item},
    text::{language::Language, words::words},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

/// Words of a topic per 1,000 from which on a page is about it.
const LEAST_RATE: f64 = 8.0;
/// Different words of a topic that a page needs.
const LEAST_DIFFERENT: usize = 3;
const MOST_WORDS: usize = 20_000;

/// Types of schema.org that are about it, whatever the words.
const TYPES: [(YmylTopic, &[&str]); 4] = [
    (
        YmylTopic::Health,
        &[
            "MedicalWebPage",
            "MedicalCondition",
            "MedicalProcedure",
            "MedicalTherapy",
            "Drug",
            "Physician",
            "MedicalClinic",
            "Hospital",
            "Pharmacy",
            "Dentist",
            "HealthTopicContent",
            "DietarySupplement",
        ],
    ),
    (
        YmylTopic::Finance,
        &[
            "FinancialProduct",
            "LoanOrCredit",
            "InvestmentOrDeposit",
            "BankAccount",
            "CreditCard",
            "MortgageLoan",
            "FinancialService",
            "InsuranceAgency",
            "BankOrCreditUnion",
            "PaymentCard",
            "AccountingService",
        ],
    ),
    (
        YmylTopic::Legal,
        &["LegalService", "Attorney", "Notary", "Legislation"],
    ),
    (
        YmylTopic::Civic,
        &[
            "GovernmentService",
            "GovernmentOffice",
            "GovernmentOrganization",
        ],
    ),
];

pub fn ymyl(page: &PageContent) -> Ymyl {
    let mut found: BTreeMap<YmylTopic, Vec<String>> = BTreeMap::new();
    let types: BTreeSet<&str> = page
        .structured_data
        .items
        .iter()
        .flat_map(Item::schema_types)
        .collect();
    for (topic, names) in TYPES {
        let named = names.iter().filter(|it| types.contains(*it));
        let named: Vec<String> = named.map(|it| (*it).to_owned()).collect();
        if !named.is_empty() {
            found.entry(topic).or_default().extend(named);
        }
    }
    let lists = page.text.language.and_then(|it| BEGINNINGS.get(&it));
    if let Some(lists) = lists {
        by_words(page, lists, &mut found);
    }
    Ymyl {
        is_ymyl: (lists.is_some() || !found.is_empty()).then_some(!found.is_empty()),
        topics: found.keys().copied().collect(),
        evidence: found.into_values().flatten().take(10).collect(),
    }
}

/// By first letter, the topics and beginnings of words: most words are done with after one look.
type ByLetter = BTreeMap<char, Vec<(usize, &'static str)>>;

static BEGINNINGS: LazyLock<BTreeMap<Language, ByLetter>> = LazyLock::new(|| {
    let mut all = BTreeMap::new();
    for language in Language::ALL {
        let Some(lists) = beginnings(language) else {
            continue;
        };
        let mut by_letter = ByLetter::new();
        for (topic, list) in lists.iter().enumerate() {
            for beginning in list.split('|') {
                if let Some(letter) = beginning.chars().next() {
                    by_letter
                        .entry(letter)
                        .or_default()
                        .push((topic, beginning));
                }
            }
        }
        all.insert(language, by_letter);
    }
    all
});

const TOPICS: [YmylTopic; 5] = [
    YmylTopic::Health,
    YmylTopic::Finance,
    YmylTopic::Safety,
    YmylTopic::Legal,
    YmylTopic::Civic,
];

fn by_words(page: &PageContent, lists: &ByLetter, found: &mut BTreeMap<YmylTopic, Vec<String>>) {
    let text = page.text.main.text().to_lowercase();
    let mut counts: [(usize, BTreeSet<&str>); 5] = Default::default();
    let mut all = 0_usize;
    for word in words(&text).take(MOST_WORDS) {
        all += 1;
        let letter = word.chars().next().unwrap_or_default();
        for (topic, beginning) in lists.get(&letter).into_iter().flatten() {
            if word.starts_with(beginning) {
                counts[*topic].0 += 1;
                counts[*topic].1.insert(beginning);
                break;
            }
        }
    }
    for (topic, (count, different)) in TOPICS.into_iter().zip(counts) {
        #[expect(clippy::cast_precision_loss, reason = "words of one page")]
        let rate = 1_000.0 * count as f64 / all.max(1) as f64;
        if rate >= LEAST_RATE && different.len() >= LEAST_DIFFERENT {
            let words = different.into_iter().take(5).map(str::to_owned);
            found.entry(topic).or_default().extend(words);
        }
    }
}

/// Health, finance, safety, law, civic life.
const fn beginnings(language: Language) -> Option<&'static [&'static str; 5]> {
    Some(match language {
        Language::English => &[
            "symptom|disease|treatment|diagnos|medication|dosage|patient|therap|cancer|diabet|vaccin|surger|infection|pregnan|prescription|clinical|physician",
            "mortgage|loan|invest|insurance|pension|retirement|credit|debt|tax|savings|dividend|stock|broker|portfolio|bankrupt|interest rate",
            "recall|hazard|emergency|poison|carbon monoxide|fire safety|flood|evacuat|self-harm|suicid|firearm|explosive",
            "lawsuit|attorney|lawyer|divorce|custody|liabilit|plaintiff|defendant|immigration|visa|inheritance|court|statute",
            "election|ballot|voter|parliament|government|referendum|citizenship|legislat|senat|constitution",
        ],
        Language::German => &[
            "symptom|krankheit|behandlung|diagnos|medikament|dosierung|patient|therap|krebs|diabet|impf|operation|infektion|schwanger|arzt|ärzt|arznei",
            "hypothek|kredit|darlehen|anlage|versicherung|rente|altersvorsorge|schulden|steuer|sparen|dividend|aktie|zins|depot|insolven",
            "rückruf|gefahr|notfall|vergift|kohlenmonoxid|brandschutz|hochwasser|evakuier|suizid|sprengstoff",
            "klage|anwalt|anwält|scheidung|sorgerecht|haftung|kläger|beklagt|visum|erbe|erbschaft|gericht|gesetz",
            "wahl|stimmzettel|wähler|parlament|regierung|volksabstimmung|staatsbürgerschaft|bundestag|verfassung",
        ],
        Language::Spanish => &[
            "síntoma|enfermedad|tratamiento|diagn|medicament|dosis|paciente|terap|cáncer|diabet|vacun|cirug|infecci|embaraz|médic",
            "hipoteca|préstamo|inversi|invert|seguro|pensi|jubilaci|crédito|deuda|impuesto|ahorro|dividendo|acciones|interés",
            "retirada|peligro|emergencia|intoxica|incendio|inundaci|evacuaci|suicid|explosiv",
            "demanda|abogad|divorcio|custodia|responsabilidad|juicio|visado|herencia|tribunal|ley|leyes",
            "elecci|votante|parlamento|gobierno|referéndum|ciudadanía|senado|constituci",
        ],
        Language::French => &[
            "symptôme|maladie|traitement|diagnosti|médicament|dose|posologie|patient|thérap|cancer|diabète|vaccin|chirurgi|infection|grossesse|médecin",
            "hypothè|prêt|crédit|invest|assurance|retraite|dette|impôt|épargne|dividende|actions|taux",
            "rappel|danger|urgence|intoxication|incendie|inondation|évacuation|suicid|explosif",
            "procès|avocat|divorce|garde|responsabilité|tribunal|visa|héritage|succession|loi|juge",
            "élection|électeur|parlement|gouvernement|référendum|citoyenneté|sénat|constitution",
        ],
        Language::Italian => &[
            "sintom|malatti|trattament|diagnos|farmac|dosaggio|pazient|terapi|cancro|tumor|diabet|vaccin|chirurg|infezion|gravidanz|medic",
            "mutuo|prestit|investi|assicuraz|pension|credito|debit|tasse|impost|risparmi|dividend|azioni|tasso",
            "richiamo|pericol|emergenz|avvelenament|incendi|alluvion|evacuaz|suicid|esplosiv",
            "causa|avvocat|divorzi|affidament|responsabilit|tribunal|visto|eredit|legge|leggi|giudic",
            "elezion|elettor|parlament|govern|referendum|cittadinanz|senat|costituzion",
        ],
        Language::Dutch => &[
            "symptom|ziekte|behandeling|diagnos|medicijn|dosering|patiënt|therap|kanker|diabet|vaccin|operatie|infectie|zwanger|arts",
            "hypothe|lening|beleg|verzekering|pensioen|krediet|schuld|belasting|sparen|dividend|aandelen|rente",
            "terugroep|gevaar|noodgeval|vergiftig|koolmonoxide|brandveilig|overstrom|evacu|zelfmoord|explosie",
            "rechtszaak|advoca|scheiding|voogdij|aansprakelijk|rechtbank|visum|erfenis|wet|wetten|rechter",
            "verkiezing|kiezer|parlement|regering|referendum|burgerschap|senaat|grondwet",
        ],
        Language::Czech => &[
            "příznak|nemoc|onemocněn|léčb|léčen|diagn|lék|dávkován|pacient|terapi|rakovin|cukrovk|očkován|operac|infekc|těhoten|lékař",
            "hypoték|úvěr|půjčk|investic|investov|pojištěn|důchod|penz|dluh|daň|daně|spořen|dividend|akci|úrok",
            "stažení|nebezpeč|nouz|otrav|požár|povod|evakuac|sebevražd|výbušn",
            "žalob|advokát|rozvod|opatrovnictv|odpovědnost|soud|vízum|dědictv|zákon|právník",
            "volby|voleb|volič|parlament|vlád|referend|občanstv|senát|ústav",
        ],
        Language::Slovak => &[
            "príznak|chorob|ochoren|liečb|liečen|diagn|liek|dávkovan|pacient|terapi|rakovin|cukrovk|očkovan|operáci|infekci|tehoten|lekár",
            "hypoték|úver|pôžičk|investíci|investov|poisten|dôchod|penzi|dlh|daň|dane|sporen|dividend|akci|úrok",
            "stiahnut|nebezpeč|núdz|otrav|požiar|povod|evakuáci|samovražd|výbušn",
            "žalob|advokát|rozvod|opatrovníctv|zodpovednos|súd|vízum|dedičstv|zákon|právnik",
            "voľby|volieb|volič|parlament|vlád|referend|občianstv|senát|ústav",
        ],
        Language::Polish => &[
            "objaw|chorob|leczeni|diagno|lek|leki|dawkowani|pacjent|terapi|rak|nowotw|cukrzyc|szczepi|operacj|infekcj|ciąż|lekarz",
            "hipote|kredyt|pożyczk|inwest|ubezpiecze|emerytur|dług|podat|oszczędz|dywidend|akcj|odset",
            "wycofani|niebezpiecz|nagły|zatruci|pożar|powód|ewakuacj|samobój|wybuch",
            "pozew|adwokat|rozwod|rozwód|opieka|odpowiedzialno|sąd|wiza|spad|ustaw|prawnik",
            "wybor|wyborc|parlament|rząd|referend|obywatelstw|senat|konstytucj",
        ],
        Language::Hungarian => &[
            "tünet|betegség|kezelés|diagn|gyógyszer|adagol|beteg|terápi|rák|cukorbeteg|oltás|műtét|fertőzés|terhes|orvos",
            "jelzálog|hitel|kölcsön|befektet|biztosítás|nyugdíj|adósság|adó|megtakarítás|osztalék|részvény|kamat",
            "visszahív|veszély|vészhelyzet|mérgez|tűz|árvíz|evaku|öngyilkos|robban",
            "kereset|ügyvéd|válás|felügyelet|felelősség|bíróság|vízum|örökl|örökség|törvény|jogász",
            "választás|szavaz|parlament|kormány|népszavazás|állampolgár|alkotmány|országgyűlés",
        ],
        Language::Russian => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::sample_pages::paragraphs;

    #[test]
    fn words_and_types_tell() {
        let page = paragraphs(&[
            "The symptoms of the disease are treated by medication. Ask a physician about the dosage.",
        ]);
        let found = ymyl(&page);
        assert_eq!(
            (found.is_ymyl, found.topics),
            (Some(true), vec![YmylTopic::Health])
        );
        let page = paragraphs(&["The old house by the river is worth a visit in spring."]);
        assert_eq!(ymyl(&page).is_ymyl, Some(false));
    }

    #[test]
    fn languages_without_words_are_not_known() {
        let mut page = paragraphs(&["Симптомы болезни"]);
        page.text.language = Some(Language::Russian);
        assert_eq!(ymyl(&page).is_ymyl, None);
    }
}
