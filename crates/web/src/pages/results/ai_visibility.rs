use super::{Group, ResultContext, ResultPage, answer_text::highlight_mentions, engine_title};
use crate::pages::charts::bars;
use crate::pages::components::Table;
use crate::pages::{PageError, components};
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

pub async fn body(found: &ResultContext<'_>) -> Result<Vec<Markup>, PageError> {
    let records: Vec<AiVisibilityRecord> = found.records();
    let mut body = Vec::new();
    if let Some(summary) = found.summary::<AiVisibilitySummary>() {
        body.push(figures(&summary));
        body.push(components::side_by_side(
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
            && panel.is_none_or(|name| components::api_name(&it.panel) == name)
    });
    if let Some(it) = shown {
        let brands = found
            .visit
            .services
            .core
            .project_brands(found.project)
            .await?;
        body.push(record_card(it, &brands.book));
    }
    Ok(body)
}

fn figures(it: &AiVisibilitySummary) -> Markup {
    let answers: u64 = it.engines.iter().map(|it| it.answer_count).sum();
    components::stats(vec![
        components::stat(
            "AI visibility",
            components::optional_number(it.ai_visibility_score, 1),
            "of 100: how often and how early we are named, cited and recommended",
        ),
        components::stat(
            "Answers that name us",
            components::percent(it.mention_rate),
            &format!("of {answers} answers"),
        ),
        components::stat(
            "Answers that cite us",
            components::percent(it.citation_rate),
            "with a link to one of our pages",
        ),
        components::stat(
            "Share of voice",
            components::percent(it.share_of_voice),
            "our part of all brands that are named",
        ),
    ])
}

fn engines(it: &AiVisibilitySummary) -> Markup {
    let rows = it.engines.iter().map(|it| {
        components::row(vec![
            components::with_subtext(
                engine_title(&it.engine),
                format_args!(
                    "{} answers for {} keywords",
                    it.answer_count, it.keyword_count
                ),
            ),
            components::optional_number(it.ai_visibility_score, 1),
            components::percent(it.mention_rate),
            components::percent(it.citation_rate),
            components::percent(it.share_of_voice),
        ])
    });
    let columns = vec![
        components::text_column("Engine"),
        components::number_column("Score"),
        components::number_column("Named"),
        components::number_column("Cited"),
        components::number_column("Share of voice"),
    ];
    components::table_card(
        "By engine",
        "",
        &Table::new("By engine", columns, rows.collect()).hide_caption(),
    )
}

fn brands(it: &AiVisibilitySummary) -> Markup {
    let mut rows: Vec<(Markup, Markup, f64, bool)> = { it.competitors.iter() }
        .take(10)
        .map(|it| {
            (
                components::text(&it.name),
                components::percent(it.mention_rate),
                it.mention_rate.unwrap_or(0.0),
                false,
            )
        })
        .collect();
    rows.push((
        components::text("We"),
        components::percent(it.mention_rate),
        it.mention_rate.unwrap_or(0.0),
        true,
    ));
    rows.sort_by(|one, other| other.2.total_cmp(&one.2));
    components::card(
        "Who is named",
        "The part of answers in which each brand is named.",
        bars(&rows),
    )
}

fn rate(rate: Option<f64>, low: Option<f64>, high: Option<f64>) -> Markup {
    let Some((low, high)) = low.zip(high) else {
        return components::percent(rate);
    };
    components::with_subtext(
        components::percent(rate),
        format_args!("{:.0}–{:.0} %", 100.0 * low, 100.0 * high),
    )
}

fn table(found: &ResultContext<'_>, records: &[AiVisibilityRecord]) -> Markup {
    if records.is_empty() {
        return super::no_results(
            "No answers yet",
            "Switch on AI answers for some keywords, then measure again.",
        );
    }
    let rows = records.iter().map(|it| {
        let name = it.keyword.as_deref().unwrap_or("Questions about the brand");
        let id = it.envelope.keyword_id.map(|it| it.to_string());
        let href = found.visit.url_with(&[
            ("keyword", id.as_deref()),
            ("engine", Some(&it.engine)),
            ("panel", Some(&components::api_name(&it.panel))),
        ]);
        components::row(vec![
            components::with_subtext(components::link(&href, name), engine_label(it)),
            components::optional_number(it.ai_visibility_score, 1),
            rate(it.mention_rate, it.mention_rate_low, it.mention_rate_high),
            rate(
                it.citation_rate,
                it.citation_rate_low,
                it.citation_rate_high,
            ),
            components::optional_number(it.first_mention_rank, 1),
            components::percent(it.recommendation_rate),
            components::optional_number(it.sentiment_score, 2),
            components::count(it.answer_count),
        ])
    });
    let columns = vec![
        components::text_column("Keyword"),
        components::number_column("Score"),
        components::number_column("Named"),
        components::number_column("Cited"),
        components::number_column("Place among brands"),
        components::number_column("Recommended"),
        components::number_column("Sentiment"),
        components::number_column("Answers"),
    ];
    let note = "Under each rate stands where it is with 95 % confidence: answers vary, and few of them say little.";
    found.records_card("By keyword and engine", note, columns, rows)
}

/// Marks branded prompts: a brand named in the prompt is named more often in the answer.
fn engine_label(it: &AiVisibilityRecord) -> String {
    let engine = engine_title(&it.engine);
    match it.panel {
        PromptPanelKind::Discovery => engine.to_owned(),
        PromptPanelKind::Branded => format!("{engine}, asked about us by name"),
    }
}

fn record_card(it: &AiVisibilityRecord, brands: &BrandBook) -> Markup {
    let name = it.keyword.as_deref().unwrap_or("Questions about the brand");
    let sources: Vec<(Markup, Markup, f64, bool)> = { it.cited_domains.iter() }
        .take(12)
        .map(|it| {
            let own = components::api_name(&it.domain_type) == "own";
            (
                components::text(&it.domain),
                components::count(it.count),
                it.share,
                own,
            )
        })
        .collect();
    let own: Vec<Markup> = it
        .cited_own_urls
        .iter()
        .take(10)
        .map(|it| html! { (components::external_link(&it.url)) " (" (it.count) ")" })
        .collect();
    let left_out = it.left_out_count();
    let facts = components::pairs(vec![
        (
            "Model",
            components::text(it.model.as_deref().unwrap_or("not told")),
        ),
        (
            "Answers",
            components::text(format_args!(
                "{} to {} prompts; {left_out} left out",
                it.answer_count, it.prompt_count
            )),
        ),
        (
            "Looked in the web",
            components::percent(it.search_triggered_rate),
        ),
        ("Answers agree", components::percent(it.consistency)),
        (
            "Named without a link",
            components::optional_count(it.uncited_mention_count),
        ),
        (
            "Cited without a name",
            components::optional_count(it.ghost_citation_count),
        ),
        (
            "Unclear mentions",
            components::count(it.ambiguous_mention_count),
        ),
        ("Own pages cited", components::list("plain", &own)),
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
        (components::card(&format!("“{name}” in {}", engine_label(it)), "", components::side_by_side("split even", facts, sources)))
        (components::card("Answers", note, answers))
    }
}

fn answer(it: &AnswerRow, brands: &BrandBook) -> Markup {
    let excerpt = highlight_mentions(it.excerpt.as_deref().unwrap_or_default(), brands);
    html! {
        article .answer {
            p class="prompt wrap" { (it.prompt) }
            div .tags {
                (match it.mentioned {
                    Some(true) => components::tag("good", "names us"),
                    Some(false) => components::tag("", "does not name us"),
                    None => components::tag("warn", &components::humanize(&it.state)),
                })
                @if it.cited == Some(true) { (components::tag("info", "cites us")) }
            }
            @if !excerpt.0.is_empty() { blockquote { (excerpt) } }
            p .soft .tiny { (it.model.as_deref().unwrap_or("model not reported")) " · answer " (it.run_index) }
        }
    }
}
