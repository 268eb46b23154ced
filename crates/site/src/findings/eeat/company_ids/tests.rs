use super::*;

/// Examples of the documentation of python-stdnum 2.2, also with one digit changed.
#[test]
fn published_examples_pass_and_altered_ones_fail() {
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
fn numbers_are_found_by_their_prefix() {
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
fn every_pattern_compiles() {
    assert_eq!(PATTERNS.len(), 15);
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
