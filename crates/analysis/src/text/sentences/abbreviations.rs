//! Abbreviations after whose full stop a sentence goes on.
//!
//! Only those nearly always followed by something: titles, "for example". Those that are also words or end sentences
//! count before a number only (`no. 5`, `Art. 20`). Others (`etc.`, `usw.`, `atd.`) UAX #29 continues before a small
//! letter. Single letters need no entry. The lists are ours.

use crate::text::language::Language;

pub fn goes_on(token: &str, language: Language, number_follows: bool) -> bool {
    // Nothing in the lists is longer; the rest need not be lower-cased.
    if token.len() > 24 {
        return false;
    }
    let token = token.to_lowercase();
    before_anything(language).contains(&token.as_str())
        || (number_follows && before_numbers(language).contains(&token.as_str()))
}

const fn before_anything(language: Language) -> &'static [&'static str] {
    match language {
        Language::English => &[
            "mr", "mrs", "ms", "dr", "prof", "st", "rev", "hon", "gen", "col", "capt", "lt", "sgt",
            "gov", "sen", "rep", "messrs", "e.g", "i.e", "eg", "ie", "cf", "viz", "vs", "mt",
            "ph.d", "approx",
        ],
        Language::German => &[
            "dr",
            "prof",
            "hr",
            "fr",
            "frl",
            "dipl",
            "ing",
            "dipl.-ing",
            "mag",
            "z.b",
            "bzw",
            "d.h",
            "u.a",
            "v.a",
            "i.d.r",
            "u.u",
            "s.o",
            "s.u",
            "z.t",
            "z.zt",
            "bspw",
            "ca",
            "vgl",
            "hrsg",
            "inkl",
            "exkl",
            "zzgl",
            "ggf",
            "evtl",
            "sog",
            "st",
            "geb",
            "mind",
        ],
        Language::Spanish => &[
            "sr", "sra", "srta", "sres", "dr", "dra", "prof", "lic", "ing", "dña", "ud", "uds",
            "vd", "vds", "p.ej", "ej", "av", "avda", "gral", "sto", "sta", "aprox", "cf",
        ],
        Language::French => &[
            "mm", "mme", "mlle", "dr", "pr", "mgr", "st", "ste", "p.ex", "cf", "c.-à-d", "env",
            "éd", "bd", "av",
        ],
        Language::Italian => &[
            "sig", "sigg", "sig.ra", "sig.na", "dott", "dott.ssa", "dr", "prof", "prof.ssa", "ing",
            "avv", "arch", "geom", "p.es", "es", "cfr", "ca",
        ],
        Language::Dutch => &[
            "dhr", "mevr", "mw", "dr", "drs", "ir", "ing", "mr", "prof", "bijv", "d.w.z", "dwz",
            "m.a.w", "o.a", "i.p.v", "t.o.v", "i.v.m", "m.b.t", "ca", "vgl", "zgn", "incl", "excl",
            "st",
        ],
        Language::Russian => &[
            "т.е",
            "т.к",
            "т.н",
            "т.о",
            "напр",
            "им",
            "ул",
            "просп",
            "пер",
            "корп",
            "акад",
            "проф",
            "доц",
            "св",
            "см",
            "ср",
        ],
        Language::Hungarian => &[
            "dr", "prof", "id", "ifj", "özv", "pl", "ill", "kb", "ún", "vö", "ld", "szt",
        ],
        Language::Czech => &[
            "dr", "mgr", "ing", "bc", "mudr", "judr", "phdr", "rndr", "paeddr", "doc", "prof",
            "akad", "arch", "pí", "sl", "např", "tj", "tzv", "tzn", "resp", "popř", "příp", "cca",
            "srov", "viz", "sv", "ul", "nám", "zvl",
        ],
        Language::Slovak => &[
            "dr", "mgr", "ing", "bc", "mudr", "judr", "phdr", "rndr", "paeddr", "doc", "prof",
            "akad", "arch", "napr", "t.j", "tj", "tzv", "t.zn", "tzn", "resp", "príp", "popr",
            "cca", "porov", "sv", "ul", "nám",
        ],
        Language::Polish => &[
            "dr", "mgr", "inż", "prof", "doc", "hab", "lek", "ks", "św", "np", "tj", "tzn", "tzw",
            "m.in", "ok", "por", "zob", "ul", "al", "im", "ew",
        ],
    }
}

const fn before_numbers(language: Language) -> &'static [&'static str] {
    match language {
        Language::English => &[
            "no", "nos", "vol", "vols", "fig", "figs", "eq", "ch", "sec", "pp", "ed", "art", "ca",
            "est", "ext", "tel", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept",
            "oct", "nov", "dec",
        ],
        Language::German => &[
            "nr", "abb", "tab", "kap", "bd", "abs", "art", "aufl", "tel", "max", "min", "jan",
            "feb", "apr", "aug", "sept", "okt", "nov", "dez",
        ],
        Language::Spanish => &[
            "pág", "págs", "núm", "núms", "nº", "vol", "cap", "art", "fig", "tel", "máx", "mín",
            "ene", "feb", "abr", "jun", "jul", "ago", "sept", "oct", "nov", "dic",
        ],
        Language::French => &[
            "fig", "chap", "vol", "art", "pp", "tél", "max", "min", "n°", "janv", "févr", "avr",
            "juil", "sept", "oct", "nov", "déc",
        ],
        Language::Italian => &[
            "pag", "pagg", "fig", "cap", "vol", "art", "artt", "tel", "nr", "max", "min", "gen",
            "feb", "mar", "apr", "mag", "giu", "lug", "ago", "sett", "ott", "nov", "dic",
        ],
        Language::Dutch => &[
            "nr", "blz", "afb", "fig", "tab", "hfdst", "art", "max", "min", "tel", "jan", "feb",
            "mrt", "apr", "jun", "jul", "aug", "sept", "okt", "nov", "dec",
        ],
        Language::Russian => &[
            "стр", "гл", "рис", "табл", "тел", "кв", "мин", "макс", "ок", "янв", "февр", "апр",
            "авг", "сент", "окт", "нояб", "дек",
        ],
        Language::Hungarian => &[
            "sz", "old", "fej", "tel", "max", "min", "jan", "febr", "márc", "ápr", "máj", "jún",
            "júl", "aug", "szept", "okt", "nov", "dec",
        ],
        Language::Czech => &[
            "čís", "str", "obr", "tab", "kap", "odst", "písm", "tel", "max", "min", "roč", "vyd",
        ],
        Language::Slovak => &[
            "čís", "str", "obr", "tab", "kap", "ods", "písm", "tel", "max", "min", "roč", "vyd",
        ],
        Language::Polish => &[
            "nr", "str", "rys", "tab", "rozdz", "art", "ust", "pkt", "tel", "godz", "min", "maks",
            "wyd",
        ],
    }
}
