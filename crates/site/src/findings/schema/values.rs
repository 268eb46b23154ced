//! Formats of values: ISO 8601, ISO 4217, numbers, URLs.

use crate::observation::structured_data::INFINITE;
use std::sync::LazyLock;
use url::Url;

/// The codes of ISO 4217 that are in force, funds and metals included (list one, 2026-01-01).
const CURRENCIES: &str = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV \
    BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD \
    EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK \
    JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT \
    MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR \
    RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP \
    TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC \
    XBD XCD XCG XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG";

static SORTED: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let mut all: Vec<&str> = CURRENCIES.split_whitespace().collect();
    all.sort_unstable();
    all
});

pub fn is_currency(text: &str) -> bool {
    SORTED.binary_search(&text).is_ok()
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NumberFormat {
    /// A number with a decimal point or without decimals.
    Plain(f64),
    /// A number that machines cannot read: with a currency, a comma or digit groups, or too large.
    Locale,
    NotANumber,
}

/// Parses a number in schema.org's notation.
pub fn parse_number(text: &str) -> NumberFormat {
    let text = text.trim();
    let plain = !text.is_empty()
        && text
            .bytes()
            .all(|it| it.is_ascii_digit() || matches!(it, b'.' | b'-' | b'+' | b'e' | b'E'));
    if plain
        && let Ok(value) = text.parse::<f64>()
        && value.is_finite()
    {
        return NumberFormat::Plain(value);
    }
    if text == INFINITE {
        return NumberFormat::Locale;
    }
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(|it| it.is_alphabetic()).count();
    let others = text.chars().all(|it| {
        it.is_ascii_digit()
            || it.is_alphabetic()
            || it.is_whitespace()
            || matches!(it, '.' | ',' | '\'' | '’' | '-' | '–' | '+')
            || "$€£¥₹₽₺₩₴₫₪฿¢".contains(it)
    });
    if digits > 0 && letters <= 4 && others {
        NumberFormat::Locale
    } else {
        NumberFormat::NotANumber
    }
}

/// Whether it is a URL, absolute or relative, without whitespace.
pub fn is_address(text: &str) -> bool {
    let text = text.trim();
    if text.is_empty() || text.contains(|it: char| it.is_whitespace() || it.is_control()) {
        return false;
    }
    match Url::parse(text) {
        Ok(_) => true,
        Err(url::ParseError::RelativeUrlWithoutBase) => {
            let base = Url::parse("https://example.com/").ok();
            base.is_some_and(|it| it.join(text).is_ok())
        }
        Err(_) => false,
    }
}

/// Whether it is a year, a month, a date, or a date with a time in ISO 8601, with or without a zone.
pub fn is_date(text: &str) -> bool {
    let text = text.trim();
    let (date, time) = match text.split_once(['T', 't']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let full = calendar_date(date);
    match time {
        Some(time) => full == Some(true) && is_time(time),
        None => full.is_some(),
    }
}

/// Whether it is a day (`Some(true)`), a month or a year (`Some(false)`).
fn calendar_date(text: &str) -> Option<bool> {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let parts: Vec<&str> = text.split('-').collect();
    let (year, month, day) = match parts.as_slice() {
        [year, month, day] => (*year, Some(*month), Some(*day)),
        [year, month] => (*year, Some(*month), None),
        [one] if one.len() == 8 && one.is_ascii() => (&one[..4], Some(&one[4..6]), Some(&one[6..])),
        [year] => (*year, None, None),
        _ => return None,
    };
    let year = exact(year, 4)?;
    let month = month.map(|it| exact(it, 2));
    let day = day.map(|it| exact(it, 2));
    let date = |day| {
        let month = month.unwrap_or(Some(1))?;
        chrono::NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)
    };
    match day {
        Some(day) => date(day?).map(|_| true),
        None => date(1).map(|_| false),
    }
}

fn exact(text: &str, digits: usize) -> Option<u32> {
    let good = text.len() == digits && text.bytes().all(|it| it.is_ascii_digit());
    good.then(|| text.parse().ok()).flatten()
}

/// Whether it is a time of day in ISO 8601, with or without a zone.
pub fn is_time(text: &str) -> bool {
    let text = text.trim();
    let zone = text.find(['Z', 'z', '+', '-']);
    let (clock, zone) = text.split_at(zone.unwrap_or(text.len()));
    is_clock(clock) && is_zone(zone)
}

fn is_clock(text: &str) -> bool {
    let (whole, fraction) = match text.split_once(['.', ',']) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let fraction_good =
        fraction.is_none_or(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()));
    let compact = !whole.contains(':');
    let parts: Vec<&str> = if compact {
        let pairs = whole.len() / 2;
        (0..pairs)
            .filter_map(|it| whole.get(2 * it..2 * it + 2))
            .collect()
    } else {
        whole.split(':').collect()
    };
    let good_length = !compact || whole.len() % 2 == 0;
    let limits = [24, 59, 60];
    let numbers: Option<Vec<u32>> = parts.iter().map(|it| exact(it, 2)).collect();
    let Some(numbers) = numbers else { return false };
    fraction_good
        && good_length
        && (1..=3).contains(&numbers.len())
        && numbers.iter().zip(limits).all(|(it, limit)| *it <= limit)
        && (numbers[0] < 24 || numbers[1..].iter().all(|it| *it == 0))
}

fn is_zone(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(['+', '-']) else {
        return matches!(text, "" | "Z" | "z");
    };
    let (hours, minutes) = match rest.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None if rest.len() == 4 && rest.is_ascii() => rest.split_at(2),
        None => (rest, "00"),
    };
    exact(hours, 2).is_some_and(|it| it <= 23) && exact(minutes, 2).is_some_and(|it| it <= 59)
}

/// Whether it is a duration of ISO 8601: `P1Y2M3DT4H5M6S`, `P2W`; the last number may have a fraction.
pub fn is_duration(text: &str) -> bool {
    let text = text.trim();
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let Some(rest) = unsigned.strip_prefix('P') else {
        return false;
    };
    let (days, time) = match rest.split_once('T') {
        Some((days, time)) => (days, Some(time)),
        None => (rest, None),
    };
    let good_days = has_ordered_units(days, "YMWD");
    match time {
        Some(time) => !time.is_empty() && good_days && has_ordered_units(time, "HMS"),
        None => !days.is_empty() && good_days,
    }
}

/// Whether a text is numbers with units in the given order.
fn has_ordered_units(text: &str, units: &str) -> bool {
    let (mut units, mut number) = (units.chars(), String::new());
    for it in text.chars() {
        if it.is_ascii_digit() || matches!(it, '.' | ',') {
            number.push(if it == ',' { '.' } else { it });
        } else {
            let known = units.any(|unit| unit == it);
            let written = number.as_bytes().first().is_some_and(u8::is_ascii_digit);
            if !known || !written || number.parse::<f64>().is_err() {
                return false;
            }
            number.clear();
        }
    }
    number.is_empty()
}
