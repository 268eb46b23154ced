use crate::text::{Text, TextRefusal};
use analysis::observation::search_page::Device;
use std::fmt;
use thiserror::Error;

macro_rules! two_letter_code {
    ($(#[$doc:meta])* $name:ident, $refusal:ident, $message:literal, $is_known:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name([u8; 2]);

        /// The text is not a two-letter code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
        #[error($message)]
        pub struct $refusal;

        impl $name {
            /// Checks the form and lower-cases.
            pub fn parse(code: &str) -> Result<Self, $refusal> {
                let bytes: [u8; 2] = code.as_bytes().try_into().map_err(|_| $refusal)?;
                let bytes = bytes.map(|byte| byte.to_ascii_lowercase());
                let is_known: fn(&[u8; 2]) -> bool = $is_known;
                is_known(&bytes).then_some(Self(bytes)).ok_or($refusal)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{}", char::from(*byte)))
            }
        }
    };
}

two_letter_code!(
    /// A country: two letters of ISO 3166-1, lower case.
    Country,
    NotACountry,
    "must be a two-letter country code (ISO 3166-1), for example `us` or `gb`",
    |code| COUNTRIES.split(' ').any(|known| known.as_bytes() == code)
);
two_letter_code!(
    /// A language: two letters of ISO 639-1, lower case.
    Language,
    NotALanguage,
    "must be a two-letter language code (ISO 639-1), for example `en` or `de`",
    |code| LANGUAGES.split(' ').any(|known| known.as_bytes() == code)
);

/// The countries of ISO 3166-1, as the time zone database lists them (`iso3166.tab`, 2025).
pub const COUNTRIES: &str = "ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be \
     bf bg bh bi bj bl bm bn bo bq br bs bt bv bw by bz ca cc cd \
     cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm \
     do dz ec ee eg eh er es et fi fj fk fm fo fr ga gb gd ge gf \
     gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu \
     id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn \
     kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me \
     mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na \
     nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm \
     pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si \
     sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk \
     tl tm tn to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi \
     vn vu wf ws ye yt za zm zw";

/// The languages of ISO 639-1 (pycountry 26.2.16 lists the same).
pub const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce \
     ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv \
     ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr \
     ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn \
     no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn \
     so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo \
     xh yi yo za zh zu";

/// A location within a country.
pub type Location = Text<100>;

/// Where and how a keyword is searched.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Market {
    pub country: Country,
    pub language: Language,
    pub device: Device,
    pub location: Option<Location>,
}

impl Default for Market {
    /// The default market: desktop searches in English in the United States.
    fn default() -> Self {
        Self {
            country: Country(*b"us"),
            language: Language(*b"en"),
            device: Device::Desktop,
            location: None,
        }
    }
}

impl Market {
    pub fn location(text: &str) -> Result<Location, TextRefusal> {
        Location::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_two_letters_in_lower_case() {
        assert_eq!(Country::parse("DE").unwrap().to_string(), "de");
        for bad in ["", "d", "deu", "d1", "é", "uk", "xx"] {
            assert_eq!(Country::parse(bad), Err(NotACountry), "{bad}");
        }
        assert_eq!(COUNTRIES.split(' ').count(), 249);
        assert_eq!(Language::parse("CS").unwrap().to_string(), "cs");
        for bad in ["", "zz", "cz", "eng", "e1"] {
            assert_eq!(Language::parse(bad), Err(NotALanguage), "{bad}");
        }
        assert_eq!(LANGUAGES.split(' ').count(), 184);
    }
}
