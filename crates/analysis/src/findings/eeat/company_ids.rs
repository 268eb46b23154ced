//! Numbers by which companies are registered, and their check digits. A number counts only where its
//! check digit is right; that the company exists is not looked up.
//!
//! The rules are those of the registers, as Python's `python-stdnum` 2.2 has them too: compared by
//! `tests/oracles/company_ids.py`.

use regex::Regex;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// A register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CompanyIdKind {
    /// Czech and Slovak IČO, 8 digits.
    CzIco,
    /// Slovak IČ DPH, 10 digits.
    SkIcDph,
    /// German `USt-IdNr.`, 9 digits.
    DeVat,
    /// Austrian UID, U and 8 digits.
    AtUid,
    /// Polish NIP, 10 digits.
    PlNip,
    /// Hungarian adószám, the first 8 digits.
    HuTax,
    /// French SIREN, 9 digits.
    FrSiren,
    /// Italian partita IVA, 11 digits.
    ItIva,
    /// Spanish CIF: letter, 7 digits, check digit or letter.
    EsCif,
    /// Dutch btw-id: 9 digits, B, 2 digits.
    NlBtw,
    /// Belgian enterprise number, 10 digits.
    BeVat,
    /// British VAT number, 9 digits.
    GbVat,
    /// Legal Entity Identifier, 20 characters.
    Lei,
}

/// How numbers are written: what stands before them, and their digits. The first group is the number.
static WRITTEN: LazyLock<Vec<(CompanyIdKind, Regex)>> = LazyLock::new(|| {
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
            r"(?i)\b(?:adószám\w*\s?:?\s?|HU ?)(\d{8})(?:-\d-\d{2})?\b",
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
        .filter_map(|(kind, pattern)| Some((kind, Regex::new(pattern).ok()?)))
        .collect()
});

/// Numbers of one text at the most.
const MOST_IDS: usize = 10;

/// The company numbers of a text whose check digits are right, each as `kind:number`.
#[must_use]
pub fn company_ids(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (kind, pattern) in WRITTEN.iter() {
        for number in pattern.captures_iter(text).filter_map(|it| it.get(1)) {
            let number = compact(number.as_str());
            let written = format!("{}:{number}", kind.name());
            if kind.is_valid(&number) && found.len() < MOST_IDS && !found.contains(&written) {
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
    /// The name, as it is serialised.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CzIco => "czIco",
            Self::SkIcDph => "skIcDph",
            Self::DeVat => "deVat",
            Self::AtUid => "atUid",
            Self::PlNip => "plNip",
            Self::HuTax => "huTax",
            Self::FrSiren => "frSiren",
            Self::ItIva => "itIva",
            Self::EsCif => "esCif",
            Self::NlBtw => "nlBtw",
            Self::BeVat => "beVat",
            Self::GbVat => "gbVat",
            Self::Lei => "lei",
        }
    }

    /// Whether a number without separators and country has the right form and check digit.
    #[must_use]
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
                it[0] != 0 && matches!(it[2], 2 | 3 | 4 | 7 | 8 | 9) && whole(it).is_multiple_of(11)
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
                            cross(digit * 2)
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
                it[0] < 2 && (whole(&it[..8]) + whole(&it[8..])).is_multiple_of(97)
            }
            (Self::GbVat, 9) => {
                let sum = weighted(it, &[8, 7, 6, 5, 4, 3, 2, 10, 1]) % 97;
                // Numbers since 2010 have another rest.
                sum == 0 || (whole(&it[..3]) >= 100 && matches!(sum, 42 | 55))
            }
            _ => false,
        }
    }
}

fn digits(number: &str) -> Option<Vec<u32>> {
    number.chars().map(|it| it.to_digit(10)).collect()
}

fn whole(digits: &[u32]) -> u64 {
    digits.iter().fold(0, |sum, it| sum * 10 + u64::from(*it))
}

fn weighted(digits: &[u32], weights: &[u32]) -> u32 {
    digits
        .iter()
        .zip(weights)
        .map(|(digit, weight)| digit * weight)
        .sum()
}

/// The sum of the digits of a number below 20.
const fn cross(number: u32) -> u32 {
    number / 10 + number % 10
}

fn luhn(digits: &[u32]) -> bool {
    let from_right = digits.iter().rev().enumerate();
    let sum: u32 = from_right
        .map(|(at, digit)| {
            if at % 2 == 1 {
                cross(digit * 2)
            } else {
                *digit
            }
        })
        .sum();
    sum.is_multiple_of(10)
}

fn iso_7064_mod_11_10(digits: &[u32]) -> bool {
    let product = digits[..digits.len() - 1]
        .iter()
        .fold(10, |product, digit| {
            let sum = (digit + product) % 10;
            (if sum == 0 { 10 } else { sum }) * 2 % 11
        });
    (product + digits[digits.len() - 1]) % 10 == 1
}

/// The rest of a number whose letters count from 10, divided by 97 (ISO 7064 mod 97-10).
fn mod_97(number: &str) -> Option<u32> {
    number.chars().try_fold(0, |rest, it| {
        let value = it.to_digit(36)?;
        Some((rest * if value > 9 { 100 } else { 10 } + value) % 97)
    })
}

fn es_cif(number: &str) -> bool {
    let (Some(kind), Some(middle), Some(check)) = (
        number.chars().next(),
        number.get(1..8),
        number.chars().nth(8),
    ) else {
        return false;
    };
    let Some(middle) = digits(middle).filter(|_| number.len() == 9) else {
        return false;
    };
    let sum: u32 = middle
        .iter()
        .enumerate()
        .map(|(at, digit)| {
            if at % 2 == 0 {
                cross(digit * 2)
            } else {
                *digit
            }
        })
        .sum();
    let expected = (10 - sum % 10) % 10;
    // Which kinds of company have a letter is told in different ways; both are taken.
    "ABCDEFGHJNPQRSUVW".contains(kind)
        && (check.to_digit(10) == Some(expected)
            || "JABCDEFGHI".chars().nth(expected as usize) == Some(check))
}

/// The company's own number (sum of weights divisible by 11), or since 2020 mod 97-10 of the whole.
fn nl_btw(number: &str) -> bool {
    let (Some(head), Some("B"), Some(tail)) =
        (number.get(..9), number.get(9..10), number.get(10..))
    else {
        return false;
    };
    let (Some(head), Some(tail)) = (digits(head), digits(tail).filter(|it| it.len() == 2)) else {
        return false;
    };
    let sum = weighted(&head, &[9, 8, 7, 6, 5, 4, 3, 2]);
    let old = sum % 11 == head[8];
    whole(&tail) > 0 && whole(&head) > 0 && (old || mod_97(&format!("NL{number}")) == Some(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of the documentation of python-stdnum 2.2, and what it says is wrong.
    #[test]
    fn published_examples_are_right_and_their_neighbours_are_not() {
        use CompanyIdKind as Kind;
        for (kind, number) in [
            (Kind::CzIco, "25123891"),
            (Kind::SkIcDph, "2022749619"),
            (Kind::DeVat, "136695976"),
            (Kind::AtUid, "13585627"),
            (Kind::PlNip, "8567346215"),
            (Kind::HuTax, "12892312"),
            (Kind::FrSiren, "552008443"),
            (Kind::ItIva, "00743110157"),
            (Kind::EsCif, "J99216582"),
            (Kind::NlBtw, "004495445B01"),
            (Kind::NlBtw, "002455799B11"),
            (Kind::BeVat, "0428759497"),
            (Kind::GbVat, "980780684"),
            (Kind::Lei, "213800KUD8LAJWSQ9D15"),
        ] {
            assert!(kind.is_valid(number), "{kind:?} {number}");
            let (at, digit) = number
                .char_indices()
                .find(|(_, it)| it.is_ascii_digit())
                .unwrap();
            let other = char::from_digit((digit.to_digit(10).unwrap() + 1) % 10, 10).unwrap();
            let wrong = format!("{}{other}{}", &number[..at], &number[at + 1..]);
            assert!(!kind.is_valid(&wrong), "{kind:?} {wrong}");
        }
    }

    #[test]
    fn numbers_are_found_in_text_by_what_stands_before_them() {
        for (text, expected) in [
            ("IČO: 25123891, DIČ: CZ25123891", vec!["czIco:25123891"]),
            ("USt-IdNr.: DE 136 695 976", vec!["deVat:136695976"]),
            ("NIP: 856-734-62-15", vec!["plNip:8567346215"]),
            ("Adószám: 12892312-2-13", vec!["huTax:12892312"]),
            ("SIRET : 552 008 443 00013", vec!["frSiren:552008443"]),
            ("P. IVA 00743110157", vec!["itIva:00743110157"]),
            ("CIF J-99216582", vec!["esCif:J99216582"]),
            ("VAT reg no 980 7806 84", vec!["gbVat:980780684"]),
            ("BTW NL004495445B01", vec!["nlBtw:004495445B01"]),
            ("LEI 213800KUD8LAJWSQ9D15", vec!["lei:213800KUD8LAJWSQ9D15"]),
            ("IČO: 25123892", vec![]),
            ("Call 25123891", vec![]),
        ] {
            assert_eq!(company_ids(text), expected, "{text}");
        }
    }

    #[test]
    fn every_pattern_is_a_pattern() {
        assert_eq!(WRITTEN.len(), 15);
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "(IČO|DE|NL|CIF|[0-9A-Z]{1,9}|[ :.-]){0,20}", number in "\\PC{0,22}") {
            use CompanyIdKind as Kind;
            let _ = company_ids(&text);
            for kind in [Kind::CzIco, Kind::EsCif, Kind::NlBtw, Kind::Lei, Kind::AtUid, Kind::GbVat] {
                let _ = kind.is_valid(&number);
            }
        }
    }
}
