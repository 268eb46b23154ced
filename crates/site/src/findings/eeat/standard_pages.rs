//! Standard pages (contact, about, privacy and so on), recognized by URL and link text.

use crate::text::{phrases::without_diacritics, words::words};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::LazyLock};
use url::Url;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StandardPage {
    Contact,
    About,
    Privacy,
    /// Terms, imprint.
    Legal,
    Returns,
    Shipping,
    Payment,
    /// Editing and corrections.
    Editorial,
}

/// Words of the longest phrase.
const MAX_WORDS: usize = 4;
/// Words that a URL or a link may have beyond the phrase.
const MORE_WORDS: usize = 1;
/// Phrases that count only alone: `suEXEC support` is something else.
const WHOLE_TEXT_ONLY: [&str; 1] = ["support"];

static PHRASES: LazyLock<BTreeMap<&str, StandardPage>> = LazyLock::new(|| {
    let each = PHRASES_BY_PAGE.iter();
    each.flat_map(|(page, phrases)| phrases.split('|').map(|it| (it, *page)))
        .collect()
});

pub fn classify_text(text: &str) -> Option<StandardPage> {
    let folded = without_diacritics(&text.to_lowercase());
    let all: Vec<&str> = words(&folded).take(MAX_WORDS + MORE_WORDS + 1).collect();
    find_page(&all)
}

pub fn classify_url(url: &str) -> Option<StandardPage> {
    let url = Url::parse(url).ok()?;
    let last = url.path_segments()?.rfind(|it| !it.is_empty())?;
    let name = last
        .rsplit_once('.')
        .map_or(last, |it| it.0)
        .to_ascii_lowercase();
    let parts: Vec<&str> = name
        .split(['-', '_', '.', '+'])
        .filter(|it| !it.is_empty())
        .take(MAX_WORDS + MORE_WORDS + 1)
        .collect();
    find_page(&parts)
}

/// The longest phrase counts.
fn find_page(all: &[&str]) -> Option<StandardPage> {
    for length in (1..=all.len().min(MAX_WORDS)).rev() {
        if all.len() > length + MORE_WORDS {
            break;
        }
        let found = all.windows(length).find_map(|it| {
            let phrase = it.join(" ");
            let is_whole = all.len() == length;
            let page = PHRASES.get(phrase.as_str());
            page.filter(|_| is_whole || !WHOLE_TEXT_ONLY.contains(&phrase.as_str()))
        });
        if let Some(page) = found {
            return Some(*page);
        }
    }
    None
}

pub const SUPPORTED_LANGUAGES: [&str; 10] =
    ["en", "de", "es", "fr", "it", "nl", "cs", "sk", "pl", "hu"];

/// In lower case without diacritics, in the languages of [`SUPPORTED_LANGUAGES`].
const PHRASES_BY_PAGE: [(StandardPage, &str); 8] = [
    (
        StandardPage::Contact,
        "contact|contact us|contacts|contactus|get in touch|support|help center|customer service|kontakt|kontakte|kontakty|kontaktformular|kontaktujte nas|contacto|contactanos|contactenos|contactez nous|nous contacter|contatti|contattaci|contatto|kapcsolat|elerhetoseg|skontaktuj sie",
    ),
    (
        StandardPage::About,
        "about|about us|aboutus|who we are|our story|company|our team|team|uber uns|ueber uns|unternehmen|wir uber uns|sobre nosotros|quienes somos|acerca de|a propos|qui sommes nous|chi siamo|azienda|over ons|wie zijn wij|o nas|o spolecnosti|o spolocnosti|o firme|rolunk|cegunkrol|bemutatkozas",
    ),
    (
        StandardPage::Privacy,
        "privacy|privacy policy|privacy notice|privacy statement|data protection|datenschutz|datenschutzerklarung|datenschutzerklaerung|privacidad|politica de privacidad|confidentialite|politique de confidentialite|donnees personnelles|informativa privacy|informativa sulla privacy|privacybeleid|privacyverklaring|ochrana osobnich udaju|ochrana osobnych udajov|ochrana udaju|zasady ochrany osobnich udaju|gdpr|polityka prywatnosci|adatvedelem|adatkezeles|adatvedelmi tajekoztato|adatkezelesi tajekoztato",
    ),
    (
        StandardPage::Legal,
        "terms|terms of use|terms of service|terms and conditions|terms conditions|conditions of use|legal|legal notice|imprint|impressum|agb|nutzungsbedingungen|aviso legal|terminos y condiciones|condiciones generales|mentions legales|cgv|cgu|conditions generales|note legali|termini e condizioni|algemene voorwaarden|voorwaarden|obchodni podminky|podminky|obchodne podmienky|podmienky|regulamin|aszf|impresszum|felhasznalasi feltetelek",
    ),
    (
        StandardPage::Returns,
        "returns|return policy|refunds|refund policy|returns and refunds|returns refunds|ruckgabe|rucksendung|retoure|retouren|widerruf|widerrufsbelehrung|devoluciones|politica de devoluciones|retours|retour|remboursement|resi|resi e rimborsi|rimborsi|retourneren|reklamace|vraceni zbozi|odstoupeni od smlouvy|reklamacie|vratenie tovaru|zwroty|zwroty i reklamacje|reklamacje|visszakuldes|elallas",
    ),
    (
        StandardPage::Shipping,
        "shipping|delivery|shipping policy|shipping and delivery|shipping delivery|versand|lieferung|versandkosten|versand und zahlung|envio|envios|gastos de envio|livraison|expedition|spedizione|spedizioni|consegna|verzending|bezorging|doprava|doprava a platba|doruceni|dorucenie|dostawa|wysylka|dostawa i platnosc|szallitas|szallitas es fizetes",
    ),
    (
        StandardPage::Payment,
        "payment|payments|payment methods|payment options|zahlung|zahlungsarten|zahlungsmethoden|pago|formas de pago|metodos de pago|paiement|moyens de paiement|pagamento|pagamenti|metodi di pagamento|betaling|betalen|betaalmethoden|platba|zpusoby platby|sposoby platby|platnosc|platnosci|metody platnosci|fizetes|fizetesi modok",
    ),
    (
        StandardPage::Editorial,
        "editorial policy|editorial guidelines|editorial standards|editorial process|corrections|corrections policy|correction policy|fact checking|fact checking policy|how we test|how we review|review policy|ethics policy|redaktionelle richtlinien|redaktion|korrekturen|wie wir testen|politica editorial|charte editoriale|ligne editoriale|linea editoriale|politica editoriale|redactiestatuut|redactie|redakcni zasady|eticky kodex|jak testujeme|redakcne zasady|ako testujeme|zasady redakcyjne|jak testujemy|szerkesztosegi iranyelvek|szerkesztoseg",
    ),
];

/// Whether a page covers both shipping and payment.
pub fn covers_shipping_and_payment(text: &str) -> bool {
    let folded = without_diacritics(&text.to_lowercase());
    let all: Vec<&str> = words(&folded).collect();
    let joined = all.join(" ").replace(['-', '_'], " ");
    [
        "versand und zahlung",
        "zahlung und versand",
        "doprava a platba",
        "platba a doprava",
        "dostawa i platnosc",
        "szallitas es fizetes",
        "shipping and payment",
        "shipping payment",
    ]
    .iter()
    .any(|it| joined.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn support_for_a_product_is_no_contact_page() {
        assert_eq!(classify_text("Support"), Some(StandardPage::Contact));
        assert_eq!(classify_text("suEXEC support"), None);
        assert_eq!(classify_text("Our contact"), Some(StandardPage::Contact));
    }

    #[test]
    fn standard_pages_are_recognized_by_url_and_text() {
        for (url, page) in [
            (
                "https://example.com/contact-us",
                Some(StandardPage::Contact),
            ),
            (
                "https://example.com/en/about.html",
                Some(StandardPage::About),
            ),
            (
                "https://example.com/ochrana-osobnich-udaju/",
                Some(StandardPage::Privacy),
            ),
            (
                "https://example.com/shipping_policy",
                Some(StandardPage::Shipping),
            ),
            ("https://example.com/about-lists-and-maps", None),
            (
                "https://example.com/blog/payment-systems-compared-in-depth",
                None,
            ),
            ("https://example.com/", None),
        ] {
            assert_eq!(classify_url(url), page, "{url}");
        }
        for (text, page) in [
            ("Über uns", Some(StandardPage::About)),
            ("Ochrana osobních údajů", Some(StandardPage::Privacy)),
            ("Mentions légales", Some(StandardPage::Legal)),
            ("How we test", Some(StandardPage::Editorial)),
            ("Read more about the history of our lighthouse", None),
        ] {
            assert_eq!(classify_text(text), page, "{text}");
        }
        assert!(covers_shipping_and_payment("Doprava a platba"));
    }
}
