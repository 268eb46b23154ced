use std::sync::LazyLock;

/// Lower-case beginnings of texts that announce other pages, by slash or line: en, de, fr, es, it, nl, cs, sk, pl,
/// hu.
const ANNOUNCEMENTS: &str = "
related articles / related posts / related stories / related news / related content
related topics / related links / related: / read more / read also / read next
more on this / more from / more news / more stories / see more / you may also
you might also / recommended for you / recommended reading / share this / follow us
sign up for / subscribe to / most read / most popular / trending now / up next
audios and videos on / continue reading / keep reading / leave a comment / leave a reply
filed under / posted in
auch interessant / mehr zum thema / mehr dazu / lesen sie auch / lesen sie hier
lesen sie mehr / das könnte / dies könnte / das thema könnte / weitere artikel
weitere beiträge / weiterführende / ähnliche artikel / ähnliche beiträge
verwandte artikel / mehr lesen / zum weiterlesen / jetzt lesen / teilen sie
artikel teilen / beitrag teilen / folgen sie uns / newsletter abonnieren
à lire aussi / lire aussi / a lire aussi / lisez aussi / à lire également
sur le même sujet / articles similaires / articles liés / voir aussi :
vous aimerez aussi / en savoir plus / partager cet article / suivez-nous
te puede interesar / también te puede / puede interesarte / artículos relacionados
noticias relacionadas / lee también / leer también / lea también / más información
más noticias / comparte este / síguenos
leggi anche / potrebbe interessarti / ti potrebbe interessare / articoli correlati
notizie correlate / vedi anche: / condividi questo / seguici
lees ook / lees meer / lees verder / gerelateerde artikelen / gerelateerd / meer over dit
deel dit artikel
čtěte také / čtěte i / přečtěte si / mohlo by vás / související články / podobné články
další články / čítajte aj / prečítajte si / mohlo by vás zaujímať / súvisiace články
podobné články / ďalšie články
czytaj także / czytaj też / czytaj więcej / zobacz także / zobacz też / przeczytaj także
powiązane artykuły / podobne artykuły
kapcsolódó cikkek / olvassa el / olvasd el / ez is érdekelheti / ezt is olvassa
hasonló cikkek
";

/// First words of image credits, in lower case.
const CREDITS: &str = "
foto fotos photo photos picture pictures bild bilder image images credit credits crédit
crédits quelle source fuente fonte bron zdroj źródło fot fotó forrás illustration grafik
getty reuters afp dpa
";
const MAX_CREDIT: usize = 60;

static ANNOUNCEMENT_PREFIXES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let all = ANNOUNCEMENTS.split(['/', '\n']).map(str::trim);
    all.filter(|it| !it.is_empty()).collect()
});

pub fn announces_other_pages(text: &str) -> bool {
    let lower = text
        .trim_start_matches(|it: char| !it.is_alphanumeric())
        .to_lowercase();
    ANNOUNCEMENT_PREFIXES.iter().any(|it| lower.starts_with(it))
}

/// Whether a caption is only an image credit.
pub fn is_credit(caption: &str) -> bool {
    if caption.starts_with(['©', 'Ⓒ']) || caption.starts_with("(c)") {
        return caption.chars().count() <= MAX_CREDIT;
    }
    let mut words = caption
        .split(|it: char| !it.is_alphanumeric())
        .filter(|it| !it.is_empty());
    let first = words.next().unwrap_or_default().to_lowercase();
    caption.chars().count() <= MAX_CREDIT && CREDITS.split_whitespace().any(|it| it == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_match_only_at_the_start() {
        for text in [
            "Read more: the whole story",
            "» Mehr zum Thema",
            "Čtěte také:",
            "Leggi anche",
        ] {
            assert!(announces_other_pages(text), "{text}");
        }
        for text in ["He read more books", "Zum Thema", "Reading moreover"] {
            assert!(!announces_other_pages(text), "{text}");
        }
    }

    #[test]
    fn image_credits_are_distinguished_from_captions() {
        for text in [
            "Foto: Jana Nováková",
            "© AFP",
            "Photo by Ann",
            "Image: NASA",
        ] {
            assert!(is_credit(text), "{text}");
        }
        for text in [
            "Photographers wait",
            "The palace in spring",
            "Photo of the hall in which the council met for the first time in May 1848",
        ] {
            assert!(!is_credit(text), "{text}");
        }
    }
}
