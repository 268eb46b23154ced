//! Country codes of Search Console.

use crate::market::{COUNTRIES, Country};
use std::fmt;

/// Three-letter codes, in the order of [`COUNTRIES`] (pycountry 26.2.16 lists the same).
const THREE_LETTERS: &str = "and are afg atg aia alb arm ago ata arg asm aut aus abw ala aze bih brb bgd bel bfa bgr \
     bhr bdi ben blm bmu brn bol bes bra bhs btn bvt bwa blr blz can cck cod caf cog che civ \
     cok chl cmr chn col cri cub cpv cuw cxr cyp cze deu dji dnk dma dom dza ecu est egy esh \
     eri esp eth fin fji flk fsm fro fra gab gbr grd geo guf ggy gha gib grl gmb gin glp gnq \
     grc sgs gtm gum gnb guy hkg hmd hnd hrv hti hun idn irl isr imn ind iot irq irn isl ita \
     jey jam jor jpn ken kgz khm kir com kna prk kor kwt cym kaz lao lbn lca lie lka lbr lso \
     ltu lux lva lby mar mco mda mne maf mdg mhl mkd mli mmr mng mac mnp mtq mrt msr mlt mus \
     mdv mwi mex mys moz nam ncl ner nfk nga nic nld nor npl nru niu nzl omn pan per pyf png \
     phl pak pol spm pcn pri pse prt plw pry qat reu rou srb rus rwa sau slb syc sdn swe sgp \
     shn svn sjm svk sle smr sen som sur ssd stp slv sxm syr swz tca tcd atf tgo tha tjk tkl \
     tls tkm tun ton tur tto tuv twn tza ukr uga umi usa ury uzb vat vct ven vgb vir vnm vut \
     wlf wsm yem myt zaf zmb zwe";

/// Three letters, lower case: ISO 3166-1 and the additions of Search Console (`zzz` is unknown).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConsoleCountry([u8; 3]);

impl ConsoleCountry {
    /// Checks the form and lower-cases; converts two-letter codes.
    pub fn parse(code: &str) -> Option<Self> {
        if let Ok(country) = Country::parse(code) {
            return Some(Self::of(country));
        }
        let letters: [u8; 3] = code.as_bytes().try_into().ok()?;
        let is_code = letters.iter().all(u8::is_ascii_alphabetic);
        is_code.then(|| Self(letters.map(|it| it.to_ascii_lowercase())))
    }

    pub fn of(country: Country) -> Self {
        let code = country.to_string();
        let pairs = COUNTRIES.split(' ').zip(THREE_LETTERS.split(' '));
        let found = pairs.into_iter().find(|(two, _)| *two == code);
        let letters = found.and_then(|(_, three)| three.as_bytes().try_into().ok());
        Self(letters.unwrap_or(*b"zzz"))
    }
}

impl fmt::Display for ConsoleCountry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(f, "{}", char::from(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_country_of_a_market_has_its_three_letters() {
        assert_eq!(
            THREE_LETTERS.split(' ').count(),
            COUNTRIES.split(' ').count()
        );
        for (two, three) in [
            ("us", "usa"),
            ("cz", "cze"),
            ("ad", "and"),
            ("zw", "zwe"),
            ("gb", "gbr"),
        ] {
            let country = ConsoleCountry::of(Country::parse(two).unwrap());
            assert_eq!(country.to_string(), three);
            assert_eq!(ConsoleCountry::parse(two), Some(country));
            assert_eq!(ConsoleCountry::parse(&three.to_uppercase()), Some(country));
        }
        assert_eq!(ConsoleCountry::parse("zzz").unwrap().to_string(), "zzz");
        for bad in ["", "Germany", "d1", "xx", "ümk"] {
            assert_eq!(ConsoleCountry::parse(bad), None, "{bad}");
        }
    }
}
