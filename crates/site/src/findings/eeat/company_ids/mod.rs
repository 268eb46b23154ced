//! Company registration numbers. A number counts only if its check digit is right; whether the company exists is not
//! checked. `tests/oracles/company_ids.py` compares the rules with Python's `python-stdnum` 2.2.

mod check_digits;

use check_digits::{
    digit_sum, digits, es_cif, iso_7064_mod_11_10, luhn, mod_97, nl_btw, to_number, weighted,
};
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

crate::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub enum CompanyIdKind {
        /// Czech and Slovak IČO, 8 digits.
        CzIco = "czIco",
        /// Slovak IČ DPH, 10 digits.
        SkIcDph = "skIcDph",
        /// German `USt-IdNr.`, 9 digits.
        DeVat = "deVat",
        /// Austrian UID, U and 8 digits.
        AtUid = "atUid",
        /// Polish NIP, 10 digits.
        PlNip = "plNip",
        /// Hungarian adószám, the first 8 digits.
        HuTax = "huTax",
        /// French SIREN, 9 digits.
        FrSiren = "frSiren",
        /// Italian partita IVA, 11 digits.
        ItIva = "itIva",
        /// Spanish CIF: letter, 7 digits, check digit or letter.
        EsCif = "esCif",
        /// Dutch btw-id: 9 digits, B, 2 digits.
        NlBtw = "nlBtw",
        /// Belgian enterprise number, 10 digits.
        BeVat = "beVat",
        /// British VAT number, 9 digits.
        GbVat = "gbVat",
        /// Legal Entity Identifier, 20 characters.
        Lei = "lei",
    }
}

/// Prefix and digits; the first group is the number.
static PATTERNS: LazyLock<Vec<(CompanyIdKind, Regex)>> = LazyLock::new(|| {
    use CompanyIdKind as Kind;
    let all = [
        (
            Kind::CzIco,
            r"(?i)\bI[ČC]O?\s?[:.]?\s?(\d{2} ?\d{3} ?\d{3})\b",
        ),
        (Kind::CzIco, r"\bCZ ?(\d{8})\b"),
        (Kind::SkIcDph, r"\bSK ?(\d{10})\b"),
        (Kind::DeVat, r"\bDE ?(\d{3} ?\d{3} ?\d{3})\b"),
        (Kind::AtUid, r"\bAT ?U ?(\d{8})\b"),
        (
            Kind::PlNip,
            r"(?i)\b(?:NIP\s?:?\s?(?:PL)?|PL) ?(\d{3}-?\d{3}-?\d{2}-?\d{2}|\d{3}-\d{2}-\d{2}-\d{3})\b",
        ),
        (
            Kind::HuTax,
            r"(?i)(?:adószám\w*\s?:?\s?|HU ?)(\d{8})(?:-\d-\d{2})?\b",
        ),
        (
            Kind::FrSiren,
            r"(?i)\b(?:SIREN|SIRET|RCS [A-Z][\w-]*(?: [A-Z])?)\s?(?:n°)?\s?:?\s?(\d{3} ?\d{3} ?\d{3})(?: ?\d{5})?\b",
        ),
        (Kind::FrSiren, r"\bFR ?\d{2} ?(\d{3} ?\d{3} ?\d{3})\b"),
        (
            Kind::ItIva,
            r"(?i)\b(?:P\. ?IVA|Partita IVA|IT)\s?:?\s?(?:IT ?)?(\d{11})\b",
        ),
        (
            Kind::EsCif,
            r"(?i)\b(?:CIF|NIF)\s?:?\s?(?:ES)?([ABCDEFGHJKLMNPQRSUVW]-?\d{7}-?[0-9A-J])\b",
        ),
        (Kind::NlBtw, r"\bNL ?(\d{4}\.?\d{2}\.?\d{3}\.?B\.?\d{2})\b"),
        (Kind::BeVat, r"\bBE ?([01]\d{3}[. ]?\d{3}[. ]?\d{3})\b"),
        (
            Kind::GbVat,
            r"(?i)\b(?:VAT(?: (?:reg(?:istration)?|no|number))*\.?\s?:?\s?(?:GB)?|GB) ?(\d{3} ?\d{4} ?\d{2})\b",
        ),
        (Kind::Lei, r"\b([0-9A-Z]{18}\d{2})\b"),
    ];
    all.into_iter()
        .filter_map(|(kind, pattern)| {
            // ASCII word boundaries are faster, and numbers are ASCII.
            let quick = pattern.replace(r"\b", r"(?-u:\b)");
            Some((kind, Regex::new(&quick).ok()?))
        })
        .collect()
});

/// Numbers of one text.
const MAX_IDS: usize = 10;

/// The company numbers of a text with right check digits, each as `kind:number`.
pub fn company_ids(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (kind, pattern) in PATTERNS.iter() {
        for number in pattern.captures_iter(text).filter_map(|it| it.get(1)) {
            let number = compact(number.as_str());
            let written = format!("{}:{number}", kind.name());
            if kind.is_valid(&number) && found.len() < MAX_IDS && !found.contains(&written) {
                found.push(written);
            }
        }
    }
    found
}

fn compact(number: &str) -> String {
    let kept = number.chars().filter(char::is_ascii_alphanumeric);
    kept.map(|it| it.to_ascii_uppercase()).collect()
}

impl CompanyIdKind {
    /// Whether a number without separators and country prefix has the right form and check digit.
    pub fn is_valid(self, number: &str) -> bool {
        if number.is_empty() || number.bytes().all(|it| it == b'0') {
            return false;
        }
        match self {
            Self::EsCif => es_cif(number),
            Self::NlBtw => nl_btw(number),
            Self::Lei => number.len() == 20 && mod_97(number) == Some(1),
            _ => digits(number).is_some_and(|it| self.has_check_digit(&it)),
        }
    }

    fn has_check_digit(self, it: &[u32]) -> bool {
        let last = it.last().copied().unwrap_or_default();
        match (self, it.len()) {
            (Self::CzIco, 8) => (11 - weighted(it, &[8, 7, 6, 5, 4, 3, 2]) % 11) % 10 == last,
            (Self::SkIcDph, 10) => {
                it[0] != 0
                    && matches!(it[2], 2 | 3 | 4 | 7 | 8 | 9)
                    && to_number(it).is_multiple_of(11)
            }
            (Self::DeVat, 9) => it[0] != 0 && iso_7064_mod_11_10(it),
            (Self::AtUid, 8) => {
                let sum: u32 = it[..7]
                    .iter()
                    .enumerate()
                    .map(|(at, digit)| {
                        if at % 2 == 0 {
                            *digit
                        } else {
                            digit_sum(digit * 2)
                        }
                    })
                    .sum();
                (96 - sum) % 10 == last
            }
            (Self::PlNip, 10) => weighted(it, &[6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 == last,
            (Self::HuTax, 8) => weighted(it, &[9, 7, 3, 1, 9, 7, 3, 1]).is_multiple_of(10),
            (Self::FrSiren, 9) => luhn(it),
            (Self::ItIva, 11) => {
                let province = it[7] * 100 + it[8] * 10 + it[9];
                let is_province =
                    (1..=100).contains(&province) || matches!(province, 120 | 121 | 888 | 999);
                it[..7].iter().any(|it| *it != 0) && is_province && luhn(it)
            }
            (Self::BeVat, 10) => {
                it[0] < 2 && (to_number(&it[..8]) + to_number(&it[8..])).is_multiple_of(97)
            }
            (Self::GbVat, 9) => {
                let sum = weighted(it, &[8, 7, 6, 5, 4, 3, 2, 10, 1]) % 97;
                // Numbers since 2010 have another remainder.
                sum == 0 || (to_number(&it[..3]) >= 100 && matches!(sum, 42 | 55))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
