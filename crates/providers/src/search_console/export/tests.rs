//! Exports of many locales, and malformed files.

use super::*;
use chrono::NaiveDate;
use domain::search_console::{ConsoleDevice, RowSubject, SearchRow};
use proptest::prelude::*;
use std::{fmt::Write, io::Write as _};
use zip::{ZipWriter, write::SimpleFileOptions};

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn period() -> Option<Span> {
    Span::between(day("2026-08-20"), day("2026-11-19"))
}

fn read_bytes(
    bytes: &[u8],
    span: Option<Span>,
    page: Option<&str>,
) -> Result<ReadExport, ExportError> {
    Exports.read(&ExportFile {
        name: "Queries.csv",
        bytes,
        span,
        page,
        unpacks: true,
    })
}

fn read(text: &str) -> Result<ReadExport, ExportError> {
    read_bytes(text.as_bytes(), period(), None)
}

fn only(export: ReadExport) -> RowSet {
    assert_eq!(
        (export.sets.len(), export.left_out.len()),
        (1, 0),
        "{export:?}"
    );
    export.sets.into_iter().next().unwrap()
}

/// Titles by locale, and how it formats numbers.
const INTERFACES: [(&str, &str); 24] = [
    (
        "Top queries,Clicks,Impressions,CTR,Position",
        "rust seo,\"1,234\",\"10,000\",12.34%,3.4",
    ),
    (
        "Häufigste Suchanfragen,Klicks,Impressionen,CTR,Position",
        "rust seo,1.234,10.000,\"12,34 %\",\"3,4\"",
    ),
    (
        "Requêtes les plus fréquentes,Clics,Impressions,CTR,Position",
        "rust seo,1\u{202f}234,10\u{202f}000,\"12,34 %\",\"3,4\"",
    ),
    (
        "Consultas principales,Clics,Impresiones,CTR,Posición",
        "rust seo,1234,10000,\"12,34 %\",\"3,4\"",
    ),
    (
        "Query più frequenti,Clic,Impressioni,CTR,Posizione",
        "rust seo,1234,10.000,\"12,34%\",\"3,4\"",
    ),
    (
        "Principais consultas,Cliques,Impressões,CTR,Posição",
        "rust seo,1.234,10.000,\"12,34%\",\"3,4\"",
    ),
    (
        "Populairste zoekopdrachten,Klikken,Vertoningen,CTR,Positie",
        "rust seo,1.234,10.000,\"12,34%\",\"3,4\"",
    ),
    (
        "Najczęstsze zapytania,Kliknięcia,Wyświetlenia,CTR,Pozycja",
        "rust seo,1\u{a0}234,10\u{a0}000,\"12,34%\",\"3,4\"",
    ),
    (
        "Nejčastější dotazy;Kliknutí;Zobrazení;Míra prokliku;Pozice",
        "rust seo;1 234;10 000;12,34 %;3,4",
    ),
    (
        "Najčastejšie dopyty;Kliknutia;Zobrazenia;MP;Pozícia",
        "rust seo;1 234;10 000;12,34 %;3,4",
    ),
    (
        "Leggyakoribb lekérdezések;Kattintások;Megjelenítések;Átkattintási arány (CTR);Helyezés",
        "rust seo;1 234;10 000;12,34%;3,4",
    ),
    (
        "Cele mai frecvente interogări,Clicuri,Afișări,CTR,Poziție",
        "rust seo,1.234,10.000,\"12,34%\",\"3,4\"",
    ),
    (
        "En çok yapılan sorgular,Tıklamalar,Gösterimler,TO,Konum",
        "rust seo,1.234,10.000,\"%12,34\",\"3,4\"",
    ),
    (
        "Популярные запросы\tКлики\tПоказы\tCTR\tПозиция",
        "rust seo\t1 234\t10 000\t12,34 %\t3,4",
    ),
    (
        "Найпопулярніші запити\tКліки\tПокази\tCTR\tПозиція",
        "rust seo\t1 234\t10 000\t12,34 %\t3,4",
    ),
    (
        "上位のクエリ,クリック数,表示回数,CTR,掲載順位",
        "rust seo,1234,10000,12.34%,3.4",
    ),
    (
        "热门查询,点击次数,展示,点击率,排名",
        "rust seo,1234,10000,12.34%,3.4",
    ),
    (
        "熱門查詢項目,點擊,曝光,點閱率,排序",
        "rust seo,1234,10000,12.34%,3.4",
    ),
    (
        "인기 검색어,클릭수,노출,CTR,게재순위",
        "rust seo,1234,10000,12.34%,3.4",
    ),
    (
        "Vanligaste frågorna,Klick,Exponeringar,CTR,Position",
        "rust seo,1234,10000,\"12,34 %\",\"3,4\"",
    ),
    (
        "Populære forespørgsler,Klik,Eksponeringer,CTR,Placering",
        "rust seo,1234,10000,\"12,34%\",\"3,4\"",
    ),
    (
        "Suosituimmat kyselyt,Klikkaukset,Näyttökerrat,CTR,Sijainti",
        "rust seo,1234,10000,\"12,34 %\",\"3,4\"",
    ),
    (
        "Κορυφαία ερωτήματα,Κλικ,Εμφανίσεις,CTR,Θέση",
        "rust seo,1234,10000,\"12,34%\",\"3,4\"",
    ),
    (
        "أهم طلبات البحث,النقرات,مرات الظهور,نسبة النقر إلى الظهور,الموضع",
        "rust seo,١٬٢٣٤,١٠٬٠٠٠,٪١٢٫٣٤,٣٫٤",
    ),
];

fn wanted() -> SearchRow {
    SearchRow {
        query: Some("rust seo".to_owned()),
        page: None,
        country: None,
        device: None,
        clicks: 1_234,
        impressions: 10_000,
        position: Some(3.4),
    }
}

#[test]
fn exports_of_the_interface_are_read_in_any_of_its_languages() {
    for (titles, row) in INTERFACES {
        let set = only(
            read(&format!("{titles}\r\n{row}\r\n")).unwrap_or_else(|it| panic!("{titles}: {it}")),
        );
        assert_eq!(set.rows, [wanted()], "{titles}");
        assert_eq!(
            (set.dimensions, Some(set.span)),
            (DimensionSet::aggregated(RowSubject::Query), period())
        );
    }
}

#[test]
fn unknown_language_is_read_by_the_report_shape() {
    let unknown = "Az, Bé, Cé, Dé, Eé\n";
    let set = only(read(&format!("{unknown}rust seo,1234,10000,12.34%,3.4\n")).unwrap());
    assert_eq!(set.rows, [wanted()]);
    let set = only(read(&format!("{unknown}https://acme.com/a,1,10,10%,3\n")).unwrap());
    assert_eq!(set.dimensions, DimensionSet::aggregated(RowSubject::Page));
    let set = only(read(&format!("{unknown}2026-11-01,1,10,10%,3\n")).unwrap());
    assert_eq!(
        (set.dimensions, set.span),
        (
            DimensionSet::aggregated(RowSubject::Site),
            Span::day(day("2026-11-01"))
        )
    );
    let wrong = read(&format!("{unknown}rust seo,1234,10,12.34%,3.4\n")).unwrap_err();
    assert!(
        wrong
            .problem
            .contains("not those of the performance report"),
        "{wrong}"
    );
}

#[test]
fn all_encodings_of_spreadsheets_are_read() {
    let text = "Häufigste Suchanfragen\tKlicks\tImpressionen\tCTR\tPosition\r\nrust seo\t1.234\t10.000\t12,34 %\t3,4\r\n";
    let utf16 = |order: fn(u16) -> [u8; 2], mark: bool| -> Vec<u8> {
        let marked = mark
            .then_some(0xfeff)
            .into_iter()
            .chain(text.encode_utf16());
        marked.flat_map(order).collect()
    };
    let mut marked = b"\xef\xbb\xbf".to_vec();
    marked.extend(text.as_bytes());
    for bytes in [
        marked,
        utf16(u16::to_le_bytes, true),
        utf16(u16::to_be_bytes, true),
        utf16(u16::to_le_bytes, false),
        utf16(u16::to_be_bytes, false),
        format!("sep=\t\r\n{text}").into_bytes(),
    ] {
        let set = only(read_bytes(&bytes, period(), None).unwrap());
        assert_eq!(set.rows, [wanted()]);
    }
    let wrong = read_bytes(b"Top queries,Clicks\nk\xf6ln,1\n", period(), None).unwrap_err();
    assert_eq!(
        (wrong.line, wrong.remedy.as_str()),
        (Some(2), "Save it as CSV in UTF-8.")
    );
}

#[test]
fn exports_of_other_tools_keep_days_pages_and_markets() {
    let table = "Date,Query,Page,Country,Device,Clicks,Impressions,Avg. position\n\
                 2026-11-01,rust,https://acme.com/a,deu,MOBILE,1,10,3.25\n\
                 2026-11-02,rust,https://acme.com/a,deu,MOBILE,0,4,4\n\
                 2026-11-02,,https://acme.com/a,deu,MOBILE,5,40,4\n";
    let export = read_bytes(table.as_bytes(), None, None).unwrap();
    assert_eq!(export.sets.len(), 2);
    assert!(export.left_out[0].contains("1 rows without a query"));
    let set = &export.sets[1];
    assert_eq!(
        (set.dimensions, set.span),
        (
            DimensionSet::by_market(RowSubject::QueryAndPage),
            Span::day(day("2026-11-02"))
        )
    );
    assert_eq!(set.rows[0].device, Some(ConsoleDevice::Mobile));
    let page = Some("https://acme.com/a");
    let set = only(
        read_bytes(
            b"Top queries,Clicks,Impressions,CTR,Position\nrust,1,10,10%,3\n",
            period(),
            page,
        )
        .unwrap(),
    );
    assert_eq!(
        (set.dimensions.subject, set.rows[0].page.as_deref()),
        (RowSubject::QueryAndPage, page)
    );
}

#[test]
fn errors_name_line_column_and_remedy() {
    let titles = "Top queries,Clicks,Impressions,CTR,Position\nfine,1,10,10%,3\n";
    for (row, column, reason) in [
        (
            "x,one,10,10%,3",
            "2 (“Clicks”)",
            "“one” is not a number of clicks",
        ),
        ("x,1.5,10,15%,3", "2 (“Clicks”)", "is not a number"),
        ("x,-1,10,10%,3", "2 (“Clicks”)", "is not a number"),
        (
            "x,11,10,110%,3",
            "2 (“Clicks”)",
            "cannot be more than impressions",
        ),
        (
            "x,1,10,20%,3",
            "4 (“CTR”)",
            "is not what 1 clicks of 10 impressions make",
        ),
        ("x,1,10,much,3", "4 (“CTR”)", "is not a rate"),
        ("x,1,10,10%,top", "5 (“Position”)", "is not a position"),
        ("x,1,10,10%,0.5", "5 (“Position”)", "must be from 1"),
        ("fine,1,10,10%,3", "1 (“Top queries”)", "the same as line 2"),
    ] {
        let wrong = read(&format!("{titles}{row}\n")).unwrap_err();
        assert_eq!(
            (wrong.line, wrong.column.as_deref()),
            (Some(3), Some(column)),
            "{wrong}"
        );
        assert!(
            wrong.problem.contains(reason) && !wrong.remedy.is_empty(),
            "{wrong}"
        );
    }
    let wrong = read(&format!("{titles}x,1,10\n")).unwrap_err();
    assert_eq!(wrong.line, Some(3));
    for (text, reason) in [
        ("", "it is empty"),
        (
            "Country,Clicks,Impressions,CTR,Position\nGermany,1,10,10%,3\n",
            "only countries",
        ),
        (
            "Top queries,Clicks,Impressions,CTR\nx,1,10,10%\n",
            "no column holds the position",
        ),
        (
            "Top queries,Last 28 days Clicks,Previous 28 days Clicks\nx,1,2\n",
            "not those of the performance report",
        ),
        (
            "Date,Clicks,Impressions,CTR,Position\n01/02/2026,1,10,10%,3\n",
            "is not a day",
        ),
    ] {
        let wrong = read(text).unwrap_err();
        assert!(wrong.to_string().contains(reason), "{wrong}");
    }
    let wrong = read_bytes(titles.as_bytes(), None, None).unwrap_err();
    assert!(wrong.remedy.contains("--from"), "{wrong}");
}

fn zip_of(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn archive_is_imported_with_the_period_of_its_dates() {
    let figures = "Clicks,Impressions,CTR,Position\n";
    let file = |first: &str, rows: &str| format!("{first},{figures}{rows}");
    let dates = file(
        "Date",
        "2026-11-01,3,30,10%,4\n2026-11-02,0,0,0%,0\n2026-11-03,1,10,10%,3\n",
    );
    let queries = file("Top queries", "rust,1,10,10%,3\n");
    let pages = file("Top pages", "https://acme.com/,1,10,10%,3\n");
    let countries = file("Country", "Germany,1,10,10%,3\n");
    let empty = file("Search Appearance", "");
    let filters = "Filter,Value\nSearch type,Web\nDate,Last 3 months\n";
    let bytes = zip_of(&[
        ("Queries.csv", &queries),
        ("Pages.csv", &pages),
        ("Countries.csv", &countries),
        ("Search appearance.csv", &empty),
        ("Dates.csv", &dates),
        ("Filters.csv", filters),
        ("__MACOSX/._Queries.csv", "\0\0"),
    ]);
    let export = read_bytes(&bytes, None, None).unwrap();
    let abouts: Vec<RowSubject> = export.sets.iter().map(|it| it.dimensions.subject).collect();
    assert_eq!(
        abouts,
        [
            RowSubject::Site,
            RowSubject::Site,
            RowSubject::Site,
            RowSubject::Query,
            RowSubject::Page
        ]
    );
    assert_eq!(
        export.sets[1].rows[0].position, None,
        "nothing was shown on that day"
    );
    let whole = Span::between(day("2026-11-01"), day("2026-11-03")).unwrap();
    assert_eq!((export.sets[3].span, export.sets[4].span), (whole, whole));
    assert_eq!(export.left_out.len(), 3, "{:?}", export.left_out);
    let other = read_bytes(&zip_of(&[("a.txt", "x,y\n1,2\n")]), None, None).unwrap_err();
    assert!(other.problem.contains("no file of queries"), "{other}");
}

#[test]
fn zip_bomb_is_refused() {
    let bytes = zip_of(&[("Queries.csv", &"a,".repeat(MAX_FILE_BYTES / 2 + 8))]);
    assert!(bytes.len() < MAX_FILE_BYTES / 100);
    let wrong = read_bytes(&bytes, None, None).unwrap_err();
    assert!(wrong.problem.contains("larger than 64 MiB"), "{wrong}");
    for end in [4, 30, bytes.len() / 2, bytes.len() - 1] {
        assert!(read_bytes(&bytes[..end], None, None).is_err());
    }
}

#[test]
fn archive_is_refused_where_unpacking_is_off() {
    let figures = "Clicks,Impressions,CTR,Position\nrust,1,10,10%,3\n";
    let queries = format!("Top queries,{figures}");
    let whole = zip_of(&[("Queries.csv", &queries)]);
    let broken = b"PK\x03\x04 and nothing else";
    let empty = zip_of(&[]);
    for bytes in [whole.as_slice(), broken, &empty] {
        let refused = Exports.read(&ExportFile {
            name: "export.csv",
            bytes,
            span: period(),
            page: None,
            unpacks: false,
        });
        let refused = refused.unwrap_err();
        assert!(refused.problem.contains("it is an archive"), "{refused}");
        assert!(refused.remedy.contains("sightline search-console import"));
    }
}

#[derive(Debug, Clone, Copy)]
struct Style {
    separator: char,
    comma: bool,
    bytes: Encoding,
}

#[derive(Debug, Clone, Copy)]
enum Encoding {
    Utf8,
    Marked,
    Utf16,
}

fn written(rows: &[SearchRow], style: Style) -> Vec<u8> {
    let separator = style.separator;
    let quoted = |it: &str| format!("\"{}\"", it.replace('"', "\"\""));
    let mut text =
        ["Query", "Page", "Clicks", "Impressions", "Position"].join(&separator.to_string());
    for row in rows {
        let position = row.position.map_or("0".to_owned(), |it| it.to_string());
        let position = if style.comma {
            position.replace('.', ",")
        } else {
            position
        };
        let (query, page) = (row.query.as_deref().unwrap(), row.page.as_deref().unwrap());
        let cells = [
            quoted(query),
            quoted(page),
            row.clicks.to_string(),
            row.impressions.to_string(),
            quoted(&position),
        ];
        write!(text, "\r\n{}", cells.join(&separator.to_string())).unwrap();
    }
    match style.bytes {
        Encoding::Utf8 => text.into_bytes(),
        Encoding::Marked => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        Encoding::Utf16 => std::iter::once(0xfeff)
            .chain(text.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect(),
    }
}

fn any_row() -> impl Strategy<Value = SearchRow> {
    let query = "[a-zžßя日\",;|'%=+@0-9]( ?[a-zžßя日\",;|'%=+@0-9]){0,12}";
    (
        query,
        0_u32..50,
        0_u64..5_000,
        0_u64..5_000,
        100_u32..10_000,
    )
        .prop_map(|(query, page, one, other, position)| SearchRow {
            query: Some(query),
            page: Some(format!("https://acme.com/p?id={page}&x=\"1,2\"")),
            country: None,
            device: None,
            clicks: one.min(other),
            impressions: one.max(other),
            position: (one.max(other) > 0).then(|| f64::from(position) / 100.0),
        })
}

#[test]
fn equal_normalized_queries_are_duplicates() {
    for other in ["rust seo", "Rust  SEO ", "ｒｕｓｔ seo"] {
        let file = format!(
            "Top queries,Clicks,Impressions,CTR,Position\nrust seo,1,2,50%,1\n{other},1,2,50%,1\n"
        );
        let refused = read_bytes(file.as_bytes(), period(), None).unwrap_err();
        assert_eq!(refused.line, Some(3), "{refused:?}");
        assert!(
            refused.problem.contains("the same as line 2"),
            "{refused:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn written_rows_are_read_back(
        rows in proptest::collection::vec(any_row(), 1..30),
        separator in prop_oneof![Just(','), Just(';'), Just('\t')],
        comma in any::<bool>(),
        bytes in prop_oneof![Just(Encoding::Utf8), Just(Encoding::Marked), Just(Encoding::Utf16)],
    ) {
        let mut rows = rows;
        let mut seen = std::collections::HashSet::new();
        rows.retain(|it| seen.insert((it.query.clone(), it.page.clone())));
        let bytes = written(&rows, Style { separator, comma, bytes });
        let set = only(read_bytes(&bytes, period(), None).unwrap());
        prop_assert_eq!(set.rows, rows);
    }

    #[test]
    fn hostile_files_never_panic_or_yield_invalid_rows(bytes in hostile()) {
        if let Ok(export) = read_bytes(&bytes, period(), None) {
            for set in &export.sets {
                prop_assert_eq!(set.refusal(), None);
                prop_assert_eq!(set.first_duplicate(), None);
            }
        }
    }
}

/// Random bytes and corrupted files.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let noise = proptest::collection::vec(any::<u8>(), 0..400);
    let hurt = (
        0..INTERFACES.len(),
        proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
    )
        .prop_map(|(which, changes)| {
            let (titles, row) = INTERFACES[which];
            let mut bytes = format!("{titles}\n{row}\n{row} \nother,1,2,50%,1\n").into_bytes();
            for (place, byte) in changes {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            bytes
        });
    let zipped = (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(place, byte)| {
        let mut bytes = zip_of(&[("Queries.csv", INTERFACES[0].0), ("Pages.csv", "x")]);
        let place = place.index(bytes.len());
        bytes[place] = byte;
        bytes
    });
    prop_oneof![noise, hurt, zipped]
}

#[test]
fn filtered_reports_are_refused() {
    let queries = "Top queries,Clicks,Impressions,CTR,Position\nrust,1,10,10%,3\n";
    let dates = "Date,Clicks,Impressions,CTR,Position\n2026-11-01,3,30,10%,4\n";
    let all = "Filter,Value\nSearch type,Web\nDate,Last 3 months\n";
    let of_page = format!("{all}Page,+https://acme.com/a\n");
    let of_germans = format!("{of_page}Country,Germany\n");
    let read = |filters: &str, page: Option<&str>| {
        let bytes = zip_of(&[
            ("Queries.csv", queries),
            ("Dates.csv", dates),
            ("Filters.csv", filters),
        ]);
        read_bytes(&bytes, None, page)
    };
    let page = Some("https://acme.com/a");
    assert!(read(all, None).is_ok() && read(&of_page, page).is_ok());
    let of_another = format!("{all}Page,+https://acme.com/b\n");
    let of_a_country = format!("{all}Country,Germany\n");
    let undated = "Filter,Value\nSearch type,Web\nPage,+https://acme.com/a\n".to_owned();
    for (filters, page) in [
        (&of_page, None),
        (&of_germans, None),
        (&of_germans, page),
        (&of_another, page),
        (&of_a_country, page),
        (&undated, None),
    ] {
        let error = read(filters, page).unwrap_err();
        assert!(error.to_string().contains("filtered"), "{error}");
    }
    let of_images = "Filter,Wert\nSuchtyp,Bild\nDatum,Letzte 3 Monate\n";
    let error = read(of_images, None).unwrap_err().to_string();
    assert!(error.contains("another kind of search"), "{error}");
}
