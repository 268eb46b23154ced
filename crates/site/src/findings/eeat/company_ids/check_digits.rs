pub fn digits(number: &str) -> Option<Vec<u32>> {
    number.chars().map(|it| it.to_digit(10)).collect()
}

pub fn to_number(digits: &[u32]) -> u64 {
    digits.iter().fold(0, |sum, it| sum * 10 + u64::from(*it))
}

pub fn weighted(digits: &[u32], weights: &[u32]) -> u32 {
    digits
        .iter()
        .zip(weights)
        .map(|(digit, weight)| digit * weight)
        .sum()
}

/// The sum of the digits of a number below 20.
pub const fn digit_sum(number: u32) -> u32 {
    number / 10 + number % 10
}

pub fn luhn(digits: &[u32]) -> bool {
    let from_right = digits.iter().rev().enumerate();
    let sum: u32 = from_right
        .map(|(at, digit)| {
            if at % 2 == 1 {
                digit_sum(digit * 2)
            } else {
                *digit
            }
        })
        .sum();
    sum.is_multiple_of(10)
}

pub fn iso_7064_mod_11_10(digits: &[u32]) -> bool {
    let product = digits[..digits.len() - 1]
        .iter()
        .fold(10, |product, digit| {
            let sum = (digit + product) % 10;
            (if sum == 0 { 10 } else { sum }) * 2 % 11
        });
    (product + digits[digits.len() - 1]) % 10 == 1
}

/// The number modulo 97, letters counting from 10 (ISO 7064 mod 97-10).
pub fn mod_97(number: &str) -> Option<u32> {
    number.chars().try_fold(0, |rest, it| {
        let value = it.to_digit(36)?;
        Some((rest * if value > 9 { 100 } else { 10 } + value) % 97)
    })
}

pub fn es_cif(number: &str) -> bool {
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
                digit_sum(digit * 2)
            } else {
                *digit
            }
        })
        .sum();
    let expected = (10 - sum % 10) % 10;
    // Sources disagree on which kinds of company have a letter; accept both.
    "ABCDEFGHJNPQRSUVW".contains(kind)
        && (check.to_digit(10) == Some(expected)
            || "JABCDEFGHI".chars().nth(expected as usize) == Some(check))
}

/// Weighted sum modulo 11 of the first nine digits or, since 2020, mod 97-10 of the whole.
pub fn nl_btw(number: &str) -> bool {
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
    to_number(&tail) > 0
        && to_number(&head) > 0
        && (old || mod_97(&format!("NL{number}")) == Some(1))
}
