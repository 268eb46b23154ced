use super::{Found, Group, ResultPage, answer_text::marked, engine_title};
use crate::pages::charts::bars;
use crate::pages::parts::Table;
use crate::pages::{NoPage, parts};
use analysis::ai_answers::brands::BrandBook;
use analysis::findings::ai_visibility::{
    AiVisibilityRecord, AiVisibilitySummary, AnswerRow, PromptPanelKind,
};
use maud::{Markup, html};

pub const PAGE: ResultPage = ResultPage {
    group: Group::AiAnswers,
    title: "AI visibility",
    short: None,
    question: "Do answers of AI engines name us and cite our pages?",
    unit: "answers",
    icon: "ai",
    rows: 20,
};

/// Answers shown per keyword.
const ANSWERS: usize = 20;

pub async fn body(found: &Found<'_>) -> Result<Vec<Markup>, NoPage> {
    let records: Vec<AiVisibilityRecord> = found.records();
    let mut body = Vec::new();
    if let Some(summary) = found.summary::<AiVisibilitySummary>() {
        body.push(figures(&summary));
        body.push(parts::side_by_side(
            "split even",
            engines(&summary),
            brands(&summary),
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

fn figures(it: &AiVisibilitySummary) -> Markup {
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

fn engines(it: &AiVisibilitySummary) -> Markup {
    let rows = it.engines.iter().map(|it| {
        parts::row(vec![
            parts::under(
                engine_title(&it.engine),
                format_args!(
                    "{} answers for {} keywords",
                    it.answer_count, it.keyword_count
                ),
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

fn brands(it: &AiVisibilitySummary) -> Markup {
    let mut rows: Vec<(Markup, Markup, f64, bool)> = { it.competitors.iter() }
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

fn rate(rate: Option<f64>, low: Option<f64>, high: Option<f64>) -> Markup {
    let Some((low, high)) = low.zip(high) else {
        return parts::percent(rate);
    };
    parts::under(
        parts::percent(rate),
        format_args!("{:.0}–{:.0} %", 100.0 * low, 100.0 * high),
    )
}

fn table(found: &Found<'_>, records: &[AiVisibilityRecord]) -> Markup {
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
            parts::under(parts::link(&href, name), asked(it)),
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
    let note = "Under each rate stands where it is with 95 % confidence: answers vary, and few of them say little.";
    found.listed("By keyword and engine", note, columns, rows)
}

/// Marks branded prompts: a brand named in the prompt is named more often in the answer.
fn asked(it: &AiVisibilityRecord) -> String {
    let engine = engine_title(&it.engine);
    match it.panel {
        PromptPanelKind::Discovery => engine.to_owned(),
        PromptPanelKind::Branded => format!("{engine}, asked about us by name"),
    }
}

fn one(it: &AiVisibilityRecord, brands: &BrandBook) -> Markup {
    let name = it.keyword.as_deref().unwrap_or("Questions about the brand");
    let sources: Vec<(Markup, Markup, f64, bool)> = { it.cited_domains.iter() }
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
    let own: Vec<Markup> = it
        .cited_own_urls
        .iter()
        .take(10)
        .map(|it| html! { (parts::outward(&it.url)) " (" (it.count) ")" })
        .collect();
    let left_out = it.left_out_count();
    let facts = parts::pairs(vec![
        (
            "Model",
            parts::text(it.model.as_deref().unwrap_or("not told")),
        ),
        (
            "Answers",
            parts::text(format_args!(
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
    let sources = html! {
        p .small .soft { "Which sites its answers cite" }
        (bars(&sources))
    };
    let answers = html! {
        div .page { @for it in it.answers.iter().take(ANSWERS) { (answer(it, brands)) } }
    };
    let note = "What was asked, and the part of each answer that tells; names of ours and links to us are marked.";
    html! {
        (parts::card(&format!("“{name}” in {}", asked(it)), "", parts::side_by_side("split even", facts, sources)))
        (parts::card("Answers", note, answers))
    }
}

fn answer(it: &AnswerRow, brands: &BrandBook) -> Markup {
    let excerpt = marked(it.excerpt.as_deref().unwrap_or_default(), brands);
    html! {
        article .answer {
            p .asked .wrap { (it.prompt) }
            div .tags {
                (match it.mentioned {
                    Some(true) => parts::tag("good", "names us"),
                    Some(false) => parts::tag("", "does not name us"),
                    None => parts::tag("warn", &parts::in_words(&it.state)),
                })
                @if it.cited == Some(true) { (parts::tag("info", "cites us")) }
            }
            @if !excerpt.0.is_empty() { blockquote { (excerpt) } }
            p .soft .tiny { (it.model.as_deref().unwrap_or("model not told")) " · answer " (it.run_index + 1) }
        }
    }
}
