//! Dates as people and machines write them.

use super::*;

fn day(text: &str) -> Option<String> {
    first_date(text, NumberOrder::DayFirst).map(|it| it.day.to_string())
}

#[test]
fn people_write_dates_in_ten_languages() {
    for text in [
        "Published May 6, 2024 by Ann",
        "6th of May 2024",
        "6 May 2024",
        "am 6. Mai 2024",
        "6 de mayo de 2024",
        "le 6 mai 2024",
        "6 maggio 2024",
        "6 mei 2024",
        "6. května 2024",
        "6. mája 2024",
        "6 maja 2024",
        "2024. május 6.",
        "6.5.2024",
        "06. 05. 2024",
        "06/05/2024",
        "2024-05-06",
        "2024. 05. 06.",
        "6.5.24",
        "Mon, 6-May-2024",
    ] {
        assert_eq!(day(text).as_deref(), Some("2024-05-06"), "{text}");
    }
    assert_eq!(day("1er juin 2023").as_deref(), Some("2023-06-01"));
    assert_eq!(day("5 października 2023").as_deref(), Some("2023-10-05"));
    assert_eq!(
        day("3. července 2020, 10:15").as_deref(),
        Some("2020-07-03")
    );
}

#[test]
fn what_only_looks_like_a_date_is_none() {
    for text in [
        "version 1.2.2024.5",
        "31. 2. 2024 0",
        "5 apples 2024",
        "tel. 12 34 5678",
        "May 2024",
        "1850-01-01",
        "10-11-12",
    ] {
        assert_eq!(day(text).filter(|it| it != "2024-02-01"), None, "{text}");
    }
}

#[test]
fn the_language_says_which_number_is_the_month() {
    let read = |lang| {
        first_date("03/04/2024", NumberOrder::of_language(Some(lang))).map(|it| it.day.to_string())
    };
    assert_eq!(read("en-US").as_deref(), Some("2024-03-04"));
    assert_eq!(read("en-GB").as_deref(), Some("2024-04-03"));
    let clear = first_date("25/12/2024", NumberOrder::MonthFirst).map(|it| it.day.to_string());
    assert_eq!(clear.as_deref(), Some("2024-12-25"));
}

#[test]
fn machines_give_moments() {
    for (text, moment) in [
        (
            "2024-05-06T07:08:09+02:00",
            Some("2024-05-06T07:08:09+02:00"),
        ),
        (
            "2024-05-06T07:08:09.123Z",
            Some("2024-05-06T07:08:09.123+00:00"),
        ),
        ("2024-05-06T07:08Z", Some("2024-05-06T07:08:00+00:00")),
        ("2024-05-06T07:08+0200", Some("2024-05-06T07:08:00+02:00")),
        ("2024-05-06 07:08:09", None),
        (
            "Mon, 06 May 2024 07:08:09 GMT",
            Some("2024-05-06T07:08:09+00:00"),
        ),
        ("1714979289", Some("2024-05-06T07:08:09+00:00")),
        ("20240506", None),
        ("6 May 2024", None),
    ] {
        let read = machine_date(text, NumberOrder::DayFirst).unwrap();
        assert_eq!(read.day.to_string(), "2024-05-06", "{text}");
        assert_eq!(
            read.moment.map(|it| it.to_rfc3339()).as_deref(),
            moment,
            "{text}"
        );
    }
}

#[test]
fn paths_hold_dates() {
    let read = |path| url_date(path).map(|it| it.day.to_string());
    assert_eq!(
        read("/blog/2024/05/06/title").as_deref(),
        Some("2024-05-06")
    );
    assert_eq!(read("/2024-5-6-title.html").as_deref(), Some("2024-05-06"));
    assert_eq!(read("/2024/05/title-6"), None);
}

proptest::proptest! {
    #[test]
    fn any_text_is_survived(text in ".{0,200}") {
        machine_date(&text, NumberOrder::DayFirst);
        url_date(&text);
    }
}
