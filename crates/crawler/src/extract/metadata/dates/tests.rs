//! Dates as people and machines write them.

use super::*;

fn day(text: &str) -> Option<String> {
    first_date(text, DateOrder::DayFirst).map(|it| it.day.to_string())
}

#[test]
fn written_dates_of_ten_languages_are_parsed() {
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
fn lookalikes_of_dates_are_rejected() {
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
fn language_decides_the_order_of_day_and_month() {
    let read = |lang| {
        first_date("03/04/2024", DateOrder::of_language(Some(lang))).map(|it| it.day.to_string())
    };
    assert_eq!(read("en-US").as_deref(), Some("2024-03-04"));
    assert_eq!(read("en-GB").as_deref(), Some("2024-04-03"));
    let clear = first_date("25/12/2024", DateOrder::MonthFirst).map(|it| it.day.to_string());
    assert_eq!(clear.as_deref(), Some("2024-12-25"));
}

#[test]
fn machine_readable_dates_have_a_moment() {
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
        let read = machine_date(text, DateOrder::DayFirst).unwrap();
        assert_eq!(read.day.to_string(), "2024-05-06", "{text}");
        assert_eq!(
            read.moment.map(|it| it.to_rfc3339()).as_deref(),
            moment,
            "{text}"
        );
    }
}

#[test]
fn dates_are_read_from_url_paths() {
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
    fn arbitrary_text_is_parsed(text in ".{0,200}") {
        machine_date(&text, DateOrder::DayFirst);
        url_date(&text);
    }
}
