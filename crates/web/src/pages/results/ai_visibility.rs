use super::{Found, answer_text::marked, engine_title};
use crate::pages::{
    NoPage,
    charts::bars,
    parts::{self, Html, Table, fill, snippet},
};
use analysis::{
    ai_answers::brands::BrandBook,
    findings::ai_visibility::{
        AiVisibilityRecord, AiVisibilitySummary, AnswerRow, PromptPanelKind,
    },
};

snippet!(Answer { prompt: &'a str, excerpt: &'a Html, signs: &'a Html, about: &'a str } = r#"<article class="answer"><p class="asked wrap">{{ prompt }}</p><div class="tags">{{ signs }}</div>{% if !excerpt.as_str().is_empty() %}<blockquote>{{ excerpt }}</blockquote>{% endif %}<p class="soft tiny">{{ about }}</p></article>"#);
/// Answers shown of a keyword.
const ANSWERS: usize = 20;

pub async fn body(found: &Found<'_>) -> Result<Vec<Html>, NoPage> {
    let records: Vec<AiVisibilityRecord> = found.records();
    let mut body = Vec::new();
    if let Some(summary) = found.summary::<AiVisibilitySummary>() {
        body.push(figures(&summary));
        body.push(parts::side_by_side(
            "split even",
            vec![engines(&summary), brands(&summary)],
        ));
    }
    body.push(table(found, &records));
    let keyword = found.query.id("keyword");
    let engine = found.query.text("engine");
    let panel = found.query.text("panel");
    let shown = records.iter().find(|it| {
        (keyword.is_none() || it.envelope.keyword_id == keyword)
            && engine.is_none_or(|name| it.engine == name)
            && panel.is_none_or(|name| parts::code(&it.panel) == name)
    });
    if let Some(it) = shown {
        let brands = found
            .visit
            .services
            .core
            .known_brands(found.project)
            .await?;
        body.push(one(it, &brands.book));
    }
    Ok(body)
}

fn figures(it: &AiVisibilitySummary) -> Html {
    let answers: u64 = it.engines.iter().map(|it| it.answer_count).sum();
    parts::stats(vec![
        parts::stat(
            "AI visibility",
            parts::maybe(it.ai_visibility_score, 1),
            "of 100: how often and how early we are named, cited and recommended",
        ),
        parts::stat(
            "Answers that name us",
            parts::percent(it.mention_rate),
            &format!("of {answers} answers"),
        ),
        parts::stat(
            "Answers that cite us",
            parts::percent(it.citation_rate),
            "with a link to one of our pages",
        ),
        parts::stat(
            "Share of voice",
            parts::percent(it.share_of_voice),
            "our part of all brands that are named",
        ),
    ])
}

fn engines(it: &AiVisibilitySummary) -> Html {
    let rows = it.engines.iter().map(|it| {
        parts::row(vec![
            parts::under(
                &parts::text(engine_title(&it.engine)),
                &parts::text(&format!(
                    "{} answers for {} keywords",
                    it.answer_count, it.keyword_count
                )),
            ),
            parts::maybe(it.ai_visibility_score, 1),
            parts::percent(it.mention_rate),
            parts::percent(it.citation_rate),
            parts::percent(it.share_of_voice),
        ])
    });
    let columns = vec![
        parts::words("Engine"),
        parts::figures("Score"),
        parts::figures("Named"),
        parts::figures("Cited"),
        parts::figures("Share of voice"),
    ];
    parts::card_of(
        "By engine",
        "",
        &Table::new("By engine", columns, rows.collect()).named_above(),
    )
}

fn brands(it: &AiVisibilitySummary) -> Html {
    let mut rows: Vec<(Html, Html, f64, bool)> = { it.competitors.iter() }
        .take(10)
        .map(|it| {
            (
                parts::text(&it.name),
                parts::percent(it.mention_rate),
                it.mention_rate.unwrap_or(0.0),
                false,
            )
        })
        .collect();
    rows.push((
        parts::text("We"),
        parts::percent(it.mention_rate),
        it.mention_rate.unwrap_or(0.0),
        true,
    ));
    rows.sort_by(|one, other| other.2.total_cmp(&one.2));
    parts::card(
        "Who is named",
        "The part of answers in which each brand is named.",
        bars(&rows),
    )
}

fn rate(rate: Option<f64>, low: Option<f64>, high: Option<f64>) -> Html {
    let Some((low, high)) = low.zip(high) else {
        return parts::percent(rate);
    };
    let range = parts::text(&format!("{:.0}–{:.0} %", 100.0 * low, 100.0 * high));
    parts::under(&parts::percent(rate), &range)
}

fn table(found: &Found<'_>, records: &[AiVisibilityRecord]) -> Html {
    if records.is_empty() {
        return super::none(
            "No answers yet",
            "Switch on AI answers for some keywords, then measure again.",
        );
    }
    let rows = records.iter().map(|it| {
        let name = it.keyword.as_deref().unwrap_or("Questions about the brand");
        let id = it.envelope.keyword_id.map(|it| it.to_string());
        let href = found.visit.with(&[
            ("keyword", id.as_deref()),
            ("engine", Some(&it.engine)),
            ("panel", Some(&parts::code(&it.panel))),
        ]);
        parts::row(vec![
            parts::under(&parts::link(&href, name), &parts::text(&asked(it))),
            parts::maybe(it.ai_visibility_score, 1),
            rate(it.mention_rate, it.mention_rate_low, it.mention_rate_high),
            rate(
                it.citation_rate,
                it.citation_rate_low,
                it.citation_rate_high,
            ),
            parts::maybe(it.first_mention_rank, 1),
            parts::percent(it.recommendation_rate),
            parts::maybe(it.sentiment_score, 2),
            parts::count(it.answer_count),
        ])
    });
    let columns = vec![
        parts::words("Keyword"),
        parts::figures("Score"),
        parts::figures("Named"),
        parts::figures("Cited"),
        parts::figures("Place among brands"),
        parts::figures("Recommended"),
        parts::figures("Sentiment"),
        parts::figures("Answers"),
    ];
    let (told, first, next) = found.paged();
    let table = Table::new("By keyword and engine", columns, rows.collect())
        .named_above()
        .paged(told, first, next);
    parts::card_of(
        "By keyword and engine",
        "Under each rate stands where it is with 95 % confidence: answers vary, and few of them say little.",
        &table,
    )
}

/// The engine, and whether prompts name us: whoever is named in the question is named in the answer more often.
fn asked(it: &AiVisibilityRecord) -> String {
    let engine = engine_title(&it.engine);
    match it.panel {
        PromptPanelKind::Discovery => engine.to_owned(),
        PromptPanelKind::Branded => format!("{engine}, asked about us by name"),
    }
}

fn one(it: &AiVisibilityRecord, brands: &BrandBook) -> Html {
    let name = it.keyword.as_deref().unwrap_or("Questions about the brand");
    let sources: Vec<(Html, Html, f64, bool)> = { it.cited_domains.iter() }
        .take(12)
        .map(|it| {
            let own = parts::code(&it.domain_type) == "own";
            (
                parts::text(&it.domain),
                parts::count(it.count),
                it.share,
                own,
            )
        })
        .collect();
    let own: Vec<Html> = it
        .cited_own_urls
        .iter()
        .take(10)
        .map(|it| {
            Html::all([
                parts::outward(&it.url),
                parts::text(&format!(" ({})", it.count)),
            ])
        })
        .collect();
    let left_out = it.left_out_count();
    let facts = parts::pairs(vec![
        (
            "Model",
            parts::text(it.model.as_deref().unwrap_or("not told")),
        ),
        (
            "Answers",
            parts::text(&format!(
                "{} to {} prompts; {left_out} left out",
                it.answer_count, it.prompt_count
            )),
        ),
        (
            "Looked in the web",
            parts::percent(it.search_triggered_rate),
        ),
        ("Answers agree", parts::percent(it.consistency)),
        (
            "Named without a link",
            parts::maybe_count(it.uncited_mention_count),
        ),
        (
            "Cited without a name",
            parts::maybe_count(it.ghost_citation_count),
        ),
        ("Unclear mentions", parts::count(it.ambiguous_mention_count)),
        ("Own pages cited", parts::list("plain", &own)),
    ]);
    let sides = parts::side_by_side(
        "split even",
        vec![
            facts,
            Html::all([
                parts::paragraph("small soft", "Which sites its answers cite"),
                bars(&sources),
            ]),
        ],
    );
    let told = |it: &AnswerRow| marked(it.excerpt.as_deref().unwrap_or_default(), brands);
    let answers = { it.answers.iter() }
        .take(ANSWERS)
        .map(|it| answer(it, &told(it)));
    let answers = parts::wrapped("div", "page", &Html::all(answers));
    Html::all([
        parts::card(&format!("“{name}” in {}", asked(it)), "", sides),
        parts::card(
            "Answers",
            "What was asked, and the part of each answer that tells; names of ours and links to us are marked.",
            answers,
        ),
    ])
}

fn answer(it: &AnswerRow, excerpt: &Html) -> Html {
    let mut signs = Vec::new();
    match it.mentioned {
        Some(true) => signs.push(parts::tag("good", "names us")),
        Some(false) => signs.push(parts::tag("", "does not name us")),
        None => signs.push(parts::tag("warn", &parts::in_words(&it.state))),
    }
    if it.cited == Some(true) {
        signs.push(parts::tag("info", "cites us"));
    }
    let about = format!(
        "{} · answer {}",
        it.model.as_deref().unwrap_or("model not told"),
        it.run_index + 1
    );
    let signs = Html::all(signs);
    fill!(Answer {
        prompt: &it.prompt,
        excerpt,
        signs: &signs,
        about: &about
    })
}
