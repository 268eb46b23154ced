//! Measures evaluated answers per second on one core.
//!
//!     cargo run --release -p programs --example ai_speed -- 25000
//!
//! Evaluates Markdown answers of about 400 words in six languages, with lists, links, code and a dozen brands; then
//! computes the records of 500 keywords on two engines.

use analysis::{
    ai_answers::{
        brands::{BrandBook, BrandSpec},
        evaluate,
    },
    findings::ai_visibility::{
        PromptPanelKind, VisibilityInput, VisibilitySubject, tallies, visibility,
    },
    observation::ai_answer::{
        AiAnswer, AnswerCitation, AnswerState, AnswerUsage, CitationPart, EnginePrompt,
    },
    provenance::Provenance,
};
use chrono::{DateTime, Utc};
use std::{io::Write, time::Instant};

const SENTENCES: [(&str, [&str; 4]); 6] = [
    (
        "en",
        [
            "**{}** is a solid choice for a standing desk, and its warranty is the longest.",
            "I would not recommend {} unless the price matters most to you.",
            "See [the test](https://example.org/{}-test) and `{} --help` for details.",
            "People who work from home like {}'s quiet motors, wide tops and cable trays.",
        ],
    ),
    (
        "de",
        [
            "**{}** ist eine gute Wahl für einen Schreibtisch, und die Garantie ist lang.",
            "Von {} würde ich eher abraten, außer der Preis ist das Wichtigste.",
            "Siehe [den Test](https://example.org/{}-test) und `{} --help`.",
            "Wer zu Hause arbeitet, mag {}s leise Motoren und breite Platten.",
        ],
    ),
    (
        "fr",
        [
            "**{}** est un excellent choix pour un bureau, et la garantie est longue.",
            "Je ne recommande pas {} sauf si le prix compte le plus.",
            "Voir [le test](https://example.org/{}-test) et `{} --help`.",
            "Ceux qui travaillent chez eux aiment les moteurs silencieux de {}.",
        ],
    ),
    (
        "cs",
        [
            "**{}** je skvělá volba na stůl a záruka je nejdelší.",
            "{} bych nedoporučil, pokud není cena to hlavní.",
            "Viz [test](https://example.org/{}-test) a `{} --help`.",
            "Kdo pracuje doma, má rád tiché motory od {}u.",
        ],
    ),
    (
        "hu",
        [
            "A **{}** kiváló választás asztalnak, és hosszú a garanciája.",
            "A {}-t nem ajánlanám, hacsak nem az ár a fő.",
            "Lásd [a tesztet](https://example.org/{}-test) és `{} --help`.",
            "Aki otthon dolgozik, szereti a {}nál a halk motorokat.",
        ],
    ),
    (
        "pl",
        [
            "**{}** to świetny wybór na biurko, a gwarancja jest długa.",
            "Nie polecam {}, chyba że liczy się cena.",
            "Zobacz [test](https://example.org/{}-test) i `{} --help`.",
            "Kto pracuje w domu, lubi ciche silniki od {}u.",
        ],
    ),
];

const NAMES: [&str; 12] = [
    "Nordika",
    "Velmora",
    "BrightBasket",
    "Kappel & Söhne",
    "TRX",
    "Fixlo",
    "Lantern",
    "Quorvex",
    "Zyxwor",
    "Anker",
    "Nordika Plus",
    "Somebody Else",
];

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap_or_default()
}

fn answer(at: usize) -> AiAnswer {
    let (language, sentences) = SENTENCES[at % SENTENCES.len()];
    let mut text = String::from("## Best options\n\n");
    for line in 0..28 {
        let name = NAMES[(at * 7 + line * 5) % NAMES.len()];
        if line % 3 == 0 {
            text.push_str("1. ");
        }
        text.push_str(&sentences[(at + line) % 4].replace("{}", name));
        text.push_str(if line % 2 == 0 { "\n" } else { " " });
    }
    let citations = (0..8).map(|page| AnswerCitation {
        url: format!(
            "https://www.site{}.com/page-{page}?utm_source=openai",
            (at + page) % 40
        ),
        title: None,
        domain: None,
        part: CitationPart::SourceList,
        spans: Vec::new(),
    });
    AiAnswer {
        engine: if at.is_multiple_of(2) {
            "gemini"
        } else {
            "perplexity"
        }
        .to_owned(),
        provider: "sandbox".to_owned(),
        provenance: Provenance::Simulated,
        requested_model: None,
        served_model: Some("model-1".to_owned()),
        prompt: EnginePrompt {
            prompt_id: format!("{}", at / 10),
            keyword_id: Some(i64::try_from(at / 50).unwrap_or_default()),
            template: "Q1".to_owned(),
            template_version: 1,
            language: language.to_owned(),
            is_branded: false,
            text: "Which standing desk would you recommend and why?".to_owned(),
        },
        sample: u32::try_from(at % 5 + 1).unwrap_or(1),
        state: AnswerState::Answered,
        text,
        citations: Some(citations.collect()),
        searches: Some(1),
        queries: Vec::new(),
        answered_at: now(),
        usage: AnswerUsage::default(),
    }
}

fn main() -> std::io::Result<()> {
    let count: usize = std::env::args()
        .nth(1)
        .and_then(|it| it.parse().ok())
        .unwrap_or(25_000);
    let mut out = std::io::stdout().lock();
    let mut brands = NAMES
        .iter()
        .take(11)
        .enumerate()
        .map(|(at, name)| BrandSpec::named(name, &format!("site{at}.com")));
    let own = brands.next().unwrap_or_default();
    let competitors: Vec<BrandSpec> = brands.collect();
    let started = Instant::now();
    let book = BrandBook::of(&own, &competitors, &["desk".to_owned(), "Möbel".to_owned()]);
    writeln!(
        out,
        "a book of {} brands in {:.1} ms",
        book.count(),
        started.elapsed().as_secs_f64() * 1e3
    )?;
    let answers: Vec<AiAnswer> = (0..count).map(answer).collect();
    let bytes: usize = answers.iter().map(|it| it.text.len()).sum();
    let started = Instant::now();
    let evaluated: Vec<_> = { answers.into_iter() }
        .map(|it| {
            let found = evaluate(&it, &book);
            (it, found)
        })
        .collect();
    let seconds = started.elapsed().as_secs_f64();
    let named: usize = evaluated.iter().map(|it| it.1.brands.len()).sum();
    #[expect(clippy::cast_precision_loss, reason = "a figure to look at")]
    let (rate, megabytes) = (count as f64 / seconds, bytes as f64 / 1e6);
    writeln!(
        out,
        "{count} answers of {megabytes:.1} MB judged in {seconds:.2} s: {rate:.0} a second, {:.1} MB/s, {named} brands named",
        megabytes / seconds
    )?;
    let started = Instant::now();
    let mut records = 0;
    for chunk in evaluated.chunks(50) {
        for engine in ["gemini", "perplexity"] {
            let record = visibility(&VisibilityInput {
                subject: VisibilitySubject {
                    project_id: 1,
                    keyword: Some((records / 2, "standing desk")),
                    country: None,
                    location: None,
                    language: "en",
                },
                engine,
                panel: PromptPanelKind::Discovery,
                answers: chunk,
                book: &book,
                measured_at: now(),
            });
            records += i64::from(record.answer_count > 0);
        }
    }
    let rows = tallies(evaluated.iter().map(|it| (&it.0, &it.1))).len();
    writeln!(
        out,
        "{records} records and {rows} tallies in {:.2} s",
        started.elapsed().as_secs_f64()
    )?;
    hostile(&book, &mut out)
}

/// Megabytes of one repeated piece: none may be much slower than the others.
fn hostile(book: &BrandBook, out: &mut impl Write) -> std::io::Result<()> {
    let pieces = [
        "`", "best ", "](", "Lantern ", "a.b@c.", "Nordika,", "<pre", "é", "\n- ", "[a](b) ", "*",
    ];
    for piece in pieces {
        let mut hostile = answer(0);
        hostile.text = piece.repeat(1_000_000 / piece.len());
        let started = Instant::now();
        let found = evaluate(&hostile, book);
        writeln!(
            out,
            "a megabyte of {piece:?} in {:.2} s, {} marks",
            started.elapsed().as_secs_f64(),
            found.marks.len()
        )?;
    }
    Ok(())
}
