//! Which column tells what: by its title in any language below, else by its place where the table has the report's shape.

use super::{
    figures::{count, day, decimal, rate},
    table::{Record, Table},
    wrong,
};
use chrono::NaiveDate;
use domain::{
    ports::search_console::ExportError,
    search_console::{About, ConsoleCountry, ConsoleDevice, Cut, RowField, SearchRow},
};
use std::collections::{BTreeMap, HashMap, btree_map::Entry};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Query,
    Page,
    Day,
    Country,
    Device,
    Appearance,
    Filter,
    Clicks,
    Impressions,
    Rate,
    Position,
}

/// Titles in lower case: of the interface in English, German, French, Spanish, Italian, Portuguese,
/// Dutch, Polish, Czech, Slovak, Hungarian, Romanian, Bulgarian, Croatian, Slovenian, Greek, Turkish,
/// Russian, Ukrainian, Swedish, Danish, Norwegian, Finnish, Japanese, Korean, Chinese (both),
/// Vietnamese, Indonesian, Thai, Hebrew and Arabic; and of the API and tools on it.
const TITLES: [(Told, &[&str]); 11] = [
    (
        Told::Query,
        &[
            "top queries",
            "query",
            "queries",
            "search query",
            "search term",
            "keyword",
            "keywords",
            "häufigste suchanfragen",
            "suchanfrage",
            "suchanfragen",
            "suchbegriff",
            "requêtes les plus fréquentes",
            "principales requêtes",
            "requête",
            "requêtes",
            "consultas principales",
            "principales consultas",
            "consulta",
            "consultas",
            "consultes principals",
            "query più frequenti",
            "query principali",
            "principales consultes",
            "principais consultas",
            "consultas mais frequentes",
            "principais consultas de pesquisa",
            "populairste zoekopdrachten",
            "meest voorkomende zoekopdrachten",
            "zoekopdracht",
            "zoekopdrachten",
            "topzoekopdrachten",
            "najczęstsze zapytania",
            "najpopularniejsze zapytania",
            "zapytanie",
            "zapytania",
            "nejčastější dotazy",
            "nejvyhledávanější dotazy",
            "dotaz",
            "dotazy",
            "najčastejšie dopyty",
            "najčastejšie dotazy",
            "dopyt",
            "dopyty",
            "hľadaný výraz",
            "leggyakoribb lekérdezések",
            "legnépszerűbb lekérdezések",
            "lekérdezés",
            "lekérdezések",
            "cele mai frecvente interogări",
            "principalele interogări",
            "interogare",
            "interogări",
            "най-чести заявки",
            "топ заявки",
            "заявка",
            "заявки",
            "najčešći upiti",
            "upit",
            "upiti",
            "najpogostejše poizvedbe",
            "poizvedba",
            "poizvedbe",
            "κορυφαία ερωτήματα",
            "δημοφιλέστερα ερωτήματα",
            "ερώτημα",
            "ερωτήματα",
            "en çok yapılan sorgular",
            "popüler sorgular",
            "en popüler sorgular",
            "sorgu",
            "sorgular",
            "популярные запросы",
            "запрос",
            "запросы",
            "самые популярные запросы",
            "найпопулярніші запити",
            "популярні запити",
            "запит",
            "запити",
            "vanligaste frågorna",
            "populäraste frågorna",
            "vanligaste sökfrågorna",
            "fråga",
            "frågor",
            "sökfråga",
            "populære forespørgsler",
            "mest populære søgninger",
            "forespørgsel",
            "forespørgsler",
            "søgeforespørgsel",
            "populære søk",
            "vanligste søk",
            "vanligste søkene",
            "mest populære søk",
            "søk",
            "søkeord",
            "suosituimmat kyselyt",
            "suosituimmat haut",
            "kysely",
            "kyselyt",
            "上位のクエリ",
            "クエリ",
            "検索クエリ",
            "인기 검색어",
            "상위 검색어",
            "검색어",
            "热门查询",
            "查询",
            "热门查询项",
            "熱門查詢",
            "熱門查詢項目",
            "查詢",
            "cụm từ tìm kiếm hàng đầu",
            "truy vấn hàng đầu",
            "cụm từ tìm kiếm",
            "truy vấn",
            "kueri teratas",
            "kueri populer",
            "kueri",
            "คำค้นหายอดนิยม",
            "คำค้นหา",
            "ข้อความค้นหายอดนิยม",
            "השאילתות המובילות",
            "שאילתות מובילות",
            "שאילתה",
            "أهم طلبات البحث",
            "طلبات البحث الأكثر رواجًا",
            "طلب البحث",
        ],
    ),
    (
        Told::Page,
        &[
            "top pages",
            "page",
            "pages",
            "url",
            "landing page",
            "address",
            "page url",
            "site url",
            "häufigste seiten",
            "die häufigsten seiten",
            "beliebteste seiten",
            "top-seiten",
            "seite",
            "seiten",
            "pages les plus populaires",
            "pages principales",
            "principales pages",
            "páginas principales",
            "principales páginas",
            "página",
            "páginas",
            "pàgines principals",
            "pagine principali",
            "pagine più visitate",
            "pagina",
            "pagine",
            "principais páginas",
            "páginas mais acessadas",
            "populairste pagina's",
            "toppagina's",
            "pagina's",
            "najpopularniejsze strony",
            "najczęstsze strony",
            "strona",
            "strony",
            "nejčastější stránky",
            "nejoblíbenější stránky",
            "nejnavštěvovanější stránky",
            "stránka",
            "stránky",
            "najčastejšie stránky",
            "najpopulárnejšie stránky",
            "leggyakoribb oldalak",
            "legnépszerűbb oldalak",
            "oldal",
            "oldalak",
            "cele mai accesate pagini",
            "principalele pagini",
            "pagini",
            "най-посещавани страници",
            "топ страници",
            "страница",
            "страници",
            "najpopularnije stranice",
            "stranica",
            "stranice",
            "najpogostejše strani",
            "stran",
            "strani",
            "κορυφαίες σελίδες",
            "δημοφιλέστερες σελίδες",
            "σελίδα",
            "σελίδες",
            "en popüler sayfalar",
            "popüler sayfalar",
            "sayfa",
            "sayfalar",
            "популярные страницы",
            "страницы",
            "найпопулярніші сторінки",
            "популярні сторінки",
            "сторінка",
            "сторінки",
            "vanligaste sidorna",
            "populäraste sidorna",
            "sida",
            "sidor",
            "populære sider",
            "mest populære sider",
            "side",
            "sider",
            "vanligste sider",
            "suosituimmat sivut",
            "sivu",
            "sivut",
            "上位のページ",
            "ページ",
            "인기 페이지",
            "상위 페이지",
            "페이지",
            "热门网页",
            "排名靠前的网页",
            "网页",
            "熱門網頁",
            "網頁",
            "trang hàng đầu",
            "trang",
            "halaman teratas",
            "halaman populer",
            "halaman",
            "หน้ายอดนิยม",
            "หน้าเว็บยอดนิยม",
            "หน้า",
            "הדפים המובילים",
            "דפים מובילים",
            "דף",
            "أهم الصفحات",
            "الصفحات الأكثر رواجًا",
            "الصفحة",
        ],
    ),
    (
        Told::Day,
        &[
            "date",
            "day",
            "data date",
            "data_date",
            "datum",
            "tag",
            "fecha",
            "data",
            "dia",
            "día",
            "dátum",
            "dată",
            "дата",
            "ημερομηνία",
            "tarih",
            "dato",
            "päivämäärä",
            "日付",
            "날짜",
            "日期",
            "ngày",
            "tanggal",
            "วันที่",
            "תאריך",
            "التاريخ",
        ],
    ),
    (
        Told::Country,
        &[
            "country",
            "countries",
            "land",
            "länder",
            "pays",
            "país",
            "países",
            "paese",
            "paesi",
            "landen",
            "kraj",
            "kraje",
            "země",
            "krajina",
            "krajiny",
            "ország",
            "országok",
            "țară",
            "țări",
            "държава",
            "държави",
            "zemlja",
            "zemlje",
            "država",
            "države",
            "χώρα",
            "χώρες",
            "ülke",
            "ülkeler",
            "страна",
            "страны",
            "країна",
            "країни",
            "lande",
            "maa",
            "maat",
            "国",
            "국가",
            "国家/地区",
            "國家/地區",
            "国家",
            "quốc gia",
            "negara",
            "ประเทศ",
            "מדינה",
            "מדינות",
            "البلد",
            "البلدان",
        ],
    ),
    (
        Told::Device,
        &[
            "device",
            "devices",
            "device category",
            "gerät",
            "geräte",
            "gerätetyp",
            "appareil",
            "appareils",
            "dispositivo",
            "dispositivos",
            "dispositivi",
            "apparaat",
            "apparaten",
            "urządzenie",
            "urządzenia",
            "zařízení",
            "zariadenie",
            "zariadenia",
            "eszköz",
            "eszközök",
            "dispozitiv",
            "dispozitive",
            "устройство",
            "устройства",
            "uređaj",
            "uređaji",
            "naprava",
            "naprave",
            "συσκευή",
            "συσκευές",
            "cihaz",
            "cihazlar",
            "пристрій",
            "пристрої",
            "enhet",
            "enheter",
            "enhed",
            "enheder",
            "laite",
            "laitteet",
            "デバイス",
            "기기",
            "设备",
            "裝置",
            "thiết bị",
            "perangkat",
            "อุปกรณ์",
            "מכשיר",
            "מכשירים",
            "الجهاز",
            "الأجهزة",
        ],
    ),
    (
        Told::Appearance,
        &[
            "search appearance",
            "darstellung in der suche",
            "apparence dans les résultats de recherche",
            "aspecto en las búsquedas",
            "aspetto nella ricerca",
            "aspecto da pesquisa",
            "uiterlijk in zoekresultaten",
            "zoekopmaak",
            "wygląd w wyszukiwarce",
            "vzhled ve vyhledávání",
            "vzhľad vo vyhľadávaní",
            "keresési megjelenés",
            "aspectul în căutare",
            "arama görünümü",
            "вид в поиске",
            "вигляд у пошуку",
            "sökutseende",
            "検索での見え方",
            "검색 노출",
            "搜索结果呈现",
            "搜尋外觀",
        ],
    ),
    (
        Told::Filter,
        &[
            "filter",
            "filters",
            "filtre",
            "filtro",
            "filtr",
            "szűrő",
            "filtru",
            "филтър",
            "φίλτρο",
            "фильтр",
            "фільтр",
            "suodatin",
            "フィルタ",
            "필터",
            "过滤器",
            "過濾器",
            "bộ lọc",
            "ตัวกรอง",
            "מסנן",
            "الفلتر",
        ],
    ),
    (
        Told::Clicks,
        &[
            "clicks",
            "url clicks",
            "total clicks",
            "klicks",
            "clics",
            "clic",
            "cliques",
            "klikken",
            "kliknięcia",
            "kliknutí",
            "prokliky",
            "kliknutia",
            "kattintások",
            "clicuri",
            "кликвания",
            "klikovi",
            "kliki",
            "κλικ",
            "tıklamalar",
            "tıklama sayısı",
            "клики",
            "кліки",
            "klick",
            "klik",
            "klikk",
            "klikkaukset",
            "クリック数",
            "合計クリック数",
            "클릭수",
            "총 클릭수",
            "点击次数",
            "點擊",
            "點擊次數",
            "số lượt nhấp",
            "lượt nhấp",
            "จำนวนคลิก",
            "การคลิก",
            "קליקים",
            "הקלקות",
            "النقرات",
            "نقرات",
        ],
    ),
    (
        Told::Impressions,
        &[
            "impressions",
            "total impressions",
            "impressionen",
            "impresiones",
            "impressioni",
            "impressões",
            "vertoningen",
            "wyświetlenia",
            "zobrazení",
            "zobrazenia",
            "megjelenítések",
            "megjelenések",
            "afișări",
            "импресии",
            "pojavljivanja",
            "prikazivanja",
            "prikazi",
            "εμφανίσεις",
            "gösterimler",
            "gösterim sayısı",
            "показы",
            "покази",
            "exponeringar",
            "visningar",
            "eksponeringer",
            "visninger",
            "näyttökerrat",
            "näytöt",
            "表示回数",
            "合計表示回数",
            "노출수",
            "노출",
            "총 노출수",
            "展示",
            "展示次数",
            "曝光",
            "曝光次數",
            "số lượt hiển thị",
            "lượt hiển thị",
            "tayangan",
            "จำนวนการแสดงผล",
            "การแสดงผล",
            "חשיפות",
            "מספר הופעות",
            "مرات الظهور",
            "ظهور",
        ],
    ),
    (
        Told::Rate,
        &[
            "ctr",
            "url ctr",
            "site ctr",
            "average ctr",
            "avg ctr",
            "click-through rate",
            "klickrate",
            "ctr moyen",
            "míra prokliku",
            "mp",
            "miera prekliknutia",
            "átkattintási arány",
            "átkattintási arány (ctr)",
            "to",
            "tıklama oranı",
            "klickfrekvens",
            "klikfrekvens",
            "klikkfrekvens",
            "klikkausprosentti",
            "クリック率",
            "点击率",
            "點閱率",
            "點擊率",
            "שיעור קליקים",
            "שיעור הקלקה",
            "نسبة النقر إلى الظهور",
            "ctr (%)",
        ],
    ),
    (
        Told::Position,
        &[
            "position",
            "avg. position",
            "avg position",
            "average position",
            "average rank",
            "durchschnittliche position",
            "posición",
            "posición media",
            "posizione",
            "posizione media",
            "posição",
            "posição média",
            "positie",
            "gemiddelde positie",
            "pozycja",
            "średnia pozycja",
            "pozice",
            "průměrná pozice",
            "pozícia",
            "priemerná pozícia",
            "pozíció",
            "helyezés",
            "poziție",
            "poziția",
            "позиция",
            "средна позиция",
            "položaj",
            "pozicija",
            "prosječni položaj",
            "povprečni položaj",
            "θέση",
            "μέση θέση",
            "konum",
            "ortalama konum",
            "средняя позиция",
            "позиція",
            "середня позиція",
            "placering",
            "genomsnittlig position",
            "posisjon",
            "gjennomsnittlig posisjon",
            "sijainti",
            "keskimääräinen sijainti",
            "掲載順位",
            "平均掲載順位",
            "게재순위",
            "게재 순위",
            "평균 게재순위",
            "排名",
            "平均排名",
            "平均排序",
            "排序",
            "vị trí",
            "vị trí trung bình",
            "posisi",
            "posisi rata-rata",
            "อันดับ",
            "ตำแหน่ง",
            "מיקום",
            "מיקום ממוצע",
            "الموضع",
            "متوسط الموضع",
        ],
    ),
];

#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    query: Option<usize>,
    page: Option<usize>,
    day: Option<usize>,
    country: Option<usize>,
    device: Option<usize>,
    has_appearance: bool,
    clicks: usize,
    impressions: usize,
    rate: Option<usize>,
    position: Option<usize>,
}

/// The rows of a table, by day where a column tells days.
pub(super) struct Read {
    pub cut: Cut,
    pub days: Option<BTreeMap<NaiveDate, Vec<SearchRow>>>,
    pub rows: Vec<SearchRow>,
    pub without_query: u64,
}

fn told(title: &str) -> Option<Told> {
    let title: String = title
        .chars()
        .filter(|it| !matches!(it, '\u{200e}' | '\u{200f}'))
        .collect();
    let title = title.trim().to_lowercase();
    let title = title.replace(['_', '\u{a0}'], " ");
    { TITLES.iter() }
        .find(|(_, titles)| titles.contains(&title.as_str()))
        .map(|(told, _)| *told)
}

impl Columns {
    pub fn of(table: &Table) -> Result<Self, ExportError> {
        let named: Vec<Option<Told>> = table.titles.iter().map(|it| told(it)).collect();
        let place = |of: Told| named.iter().position(|it| *it == Some(of));
        for of in [
            Told::Query,
            Told::Page,
            Told::Day,
            Told::Clicks,
            Told::Impressions,
            Told::Rate,
            Told::Position,
        ] {
            if named.iter().filter(|it| **it == Some(of)).count() > 1 {
                let first = place(of).unwrap_or(0);
                return Err(table.mistake(
                    1,
                    first,
                    "two columns tell the same",
                    "Leave one of them out; export without comparing periods.",
                ));
            }
        }
        let mut columns = Self {
            query: place(Told::Query),
            page: place(Told::Page),
            day: place(Told::Day),
            country: place(Told::Country),
            device: place(Told::Device),
            has_appearance: place(Told::Appearance).is_some() || place(Told::Filter).is_some(),
            clicks: 0,
            impressions: 0,
            rate: place(Told::Rate),
            position: place(Told::Position),
        };
        let figures = place(Told::Clicks).zip(place(Told::Impressions));
        if let Some((clicks, impressions)) = figures {
            (columns.clicks, columns.impressions) = (clicks, impressions);
        } else if columns.has_appearance {
            // What filters were set is told by a table of another shape.
            return Ok(columns);
        } else if has_shape(table) {
            (columns.clicks, columns.impressions) = (1, 2);
            (columns.rate, columns.position) = (Some(3), Some(4));
        } else {
            return Err(wrong(
                &table.name,
                &format!(
                    "its columns are not those of the performance report: {}",
                    shortened(&table.titles)
                ),
                "It takes the columns clicks, impressions, CTR and position behind those of queries, pages or dates, as the export has them; export without comparing periods.",
            ));
        }
        if columns.position.is_none() {
            return Err(wrong(
                &table.name,
                "no column tells the position",
                "Switch on “average position” in the report before exporting it.",
            ));
        }
        columns.guess_first(table, &named);
        Ok(columns)
    }

    /// The first column may have an unknown title: addresses and days show themselves, and all else is taken for
    /// searches.
    fn guess_first(&mut self, table: &Table, named: &[Option<Told>]) {
        let nothing = self
            .query
            .or(self.page)
            .or(self.day)
            .or(self.country)
            .or(self.device);
        let is_unknown = named.first() == Some(&None) && nothing.is_none() && !self.has_appearance;
        if !is_unknown || self.clicks == 0 || self.impressions == 0 {
            return;
        }
        let all = |test: fn(&str) -> bool| {
            let mut cells = table.lines.iter().map(|(_, it)| it.get(0));
            cells.all(test)
        };
        if all(|it| it.starts_with("http://") || it.starts_with("https://")) {
            self.page = Some(0);
        } else if all(|it| day(it).is_some()) {
            self.day = Some(0);
        } else {
            self.query = Some(0);
        }
    }

    /// Whether the titles alone say what the rows are about.
    pub fn is_known(table: &Table) -> bool {
        table.titles.first().is_some_and(|it| told(it).is_some())
    }

    /// What the table is about, where that is of no use.
    pub fn unused(&self) -> Option<&'static str> {
        let is_about_something = self.query.is_some() || self.page.is_some();
        match (self.has_appearance, self.country, self.device) {
            (true, ..) => Some("search appearances or filters"),
            _ if is_about_something => None,
            (_, Some(_), _) => Some("countries"),
            (_, _, Some(_)) => Some("devices"),
            _ => None,
        }
    }

    pub const fn tells_days(&self) -> bool {
        self.day.is_some()
    }

    fn cut(&self, page: Option<&str>) -> Cut {
        Cut {
            about: About::of(self.query.is_some(), self.page.is_some() || page.is_some()),
            by_country: self.country.is_some(),
            by_device: self.device.is_some(),
        }
    }

    /// The rows; `None` when there is none. `page` is the one that all of them are about.
    pub fn read(&self, table: &Table, page: Option<&str>) -> Result<Option<Read>, ExportError> {
        let cut = self.cut(page);
        let mut read = Read {
            cut,
            days: self.day.map(|_| BTreeMap::new()),
            rows: Vec::new(),
            without_query: 0,
        };
        let mut seen: BTreeMap<Option<NaiveDate>, HashMap<String, u64>> = BTreeMap::new();
        for (line, record) in &table.lines {
            if self.query.is_some_and(|it| cell(record, it).is_empty()) {
                read.without_query += 1;
                continue;
            }
            let day = self.day_of(table, *line, record)?;
            let row = self.row(table, *line, record, page)?;
            if let Some(refusal) = row.refusal(cut) {
                let column = self.column_of(refusal.field);
                return Err(table.mistake(
                    *line,
                    column,
                    refusal.what,
                    "Mend the cell, or export it anew.",
                ));
            }
            let about = [self.query, self.page, self.country, self.device];
            let key: Vec<&str> = about.iter().flatten().map(|it| cell(record, *it)).collect();
            match seen.entry(day).or_default().insert(key.join("\n"), *line) {
                None => {}
                Some(first) => {
                    return Err(table.mistake(
                        *line,
                        self.query.or(self.page).unwrap_or(0),
                        &format!("it is about the same as line {first}: one would be counted twice"),
                        "Leave out columns that tell rows apart and are not known, and sum up such rows first.",
                    ));
                }
            }
            match (day, read.days.as_mut()) {
                (Some(day), Some(days)) => match days.entry(day) {
                    Entry::Occupied(mut there) => there.get_mut().push(row),
                    Entry::Vacant(free) => {
                        free.insert(vec![row]);
                    }
                },
                _ => read.rows.push(row),
            }
        }
        let is_empty = read.rows.is_empty() && read.days.as_ref().is_none_or(BTreeMap::is_empty);
        Ok((!is_empty).then_some(read))
    }

    fn day_of(
        &self,
        table: &Table,
        line: u64,
        record: &Record,
    ) -> Result<Option<NaiveDate>, ExportError> {
        let Some(column) = self.day else {
            return Ok(None);
        };
        let Some(day) = day(cell(record, column)) else {
            let what = format!("“{}” is no day", shown(cell(record, column)));
            return Err(table.mistake(
                line,
                column,
                &what,
                "Write days as 2026-11-22; 01/02/2026 could be two.",
            ));
        };
        Ok(Some(day))
    }

    fn row(
        &self,
        table: &Table,
        line: u64,
        record: &Record,
        page: Option<&str>,
    ) -> Result<SearchRow, ExportError> {
        let mistake = |column: usize, what: &str, remedy: &str| {
            let what = format!("“{}” is no {what}", shown(cell(record, column)));
            table.mistake(line, column, &what, remedy)
        };
        let whole = |column: usize, of: &str| {
            count(cell(record, column)).ok_or_else(|| {
                mistake(
                    column,
                    &format!("number of {of}"),
                    "It takes a whole number such as 1234 or 1,234.",
                )
            })
        };
        let clicks = whole(self.clicks, "clicks")?;
        let impressions = whole(self.impressions, "impressions")?;
        self.check_rate(table, line, record, (clicks, impressions))?;
        let position = match self.position {
            None => None,
            Some(_) if impressions == 0 => None,
            Some(column) => {
                let position = decimal(cell(record, column));
                Some(position.ok_or_else(|| {
                    mistake(column, "position", "It takes a number such as 3.4 or 3,4.")
                })?)
            }
        };
        let country = self.country.map(|column| {
            let country = ConsoleCountry::parse(cell(record, column));
            country.ok_or_else(|| {
                let remedy = "Write countries as codes such as usa or us (ISO 3166-1), or leave the column out and sum up its rows.";
                mistake(column, "code of a country", remedy)
            })
        });
        let device = self.device.map(|column| {
            let device = ConsoleDevice::named(cell(record, column));
            device.ok_or_else(|| {
                let remedy = "Write devices as DESKTOP, MOBILE or TABLET, or leave the column out and sum up its rows.";
                mistake(column, "device", remedy)
            })
        });
        let own_page = self.page.map(|it| cell(record, it).to_owned());
        Ok(SearchRow {
            query: self.query.map(|it| cell(record, it).to_owned()),
            page: own_page.or_else(|| page.map(str::to_owned)),
            country: country.transpose()?,
            device: device.transpose()?,
            clicks,
            impressions,
            position,
        })
    }

    /// A rate that does not follow from the counts shows that columns are not what they seem.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn check_rate(
        &self,
        table: &Table,
        line: u64,
        record: &Record,
        (clicks, impressions): (u64, u64),
    ) -> Result<(), ExportError> {
        let Some(column) = self.rate.filter(|it| !cell(record, *it).is_empty()) else {
            return Ok(());
        };
        let told = rate(cell(record, column));
        let follows =
            |it: f64| impressions == 0 || (it - clicks as f64 / impressions as f64).abs() <= 0.0061;
        if told.is_some_and(follows) {
            return Ok(());
        }
        let what = match told {
            None => format!("“{}” is no rate", shown(cell(record, column))),
            Some(_) => format!(
                "{} is not what {clicks} clicks of {impressions} impressions make",
                shown(cell(record, column))
            ),
        };
        let remedy =
            "Check that the columns are in the order of their titles; it takes 12.3% or 0.123.";
        Err(table.mistake(line, column, &what, remedy))
    }

    fn column_of(&self, field: RowField) -> usize {
        let column = match field {
            RowField::Query => self.query,
            RowField::Page => self.page,
            RowField::Country => self.country,
            RowField::Device => self.device,
            RowField::Clicks => Some(self.clicks),
            RowField::Impressions => Some(self.impressions),
            RowField::Position => self.position,
        };
        column.unwrap_or(0)
    }
}

/// Whether it has the shape of the report: something, two counts, a rate and a position.
fn has_shape(table: &Table) -> bool {
    let fits = |record: &Record| {
        let counts = [1, 2].map(|it| count(cell(record, it)));
        let is_ordered = matches!(counts, [Some(clicks), Some(shown)] if clicks <= shown);
        let has_rate = rate(cell(record, 3)).is_some() || cell(record, 3).is_empty();
        is_ordered && has_rate && decimal(cell(record, 4)).is_some()
    };
    table.titles.len() == 5
        && !table.lines.is_empty()
        && table.lines.iter().take(50).all(|(_, it)| fits(it))
}

fn cell(record: &Record, column: usize) -> &str {
    record.get(column)
}

fn shown(cell: &str) -> String {
    cell.chars().take(60).collect()
}

fn shortened(titles: &[String]) -> String {
    let titles: Vec<String> = titles.iter().take(8).map(|it| shown(it)).collect();
    titles.join(", ")
}
