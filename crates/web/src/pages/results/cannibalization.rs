use super::{Group, ResultContext, ResultPage};
use crate::pages::charts::{Lanes, bars, stacked_bar};
use crate::pages::components::Table;
use crate::pages::{PageError, components};
use analysis::findings::{
    cannibalization::{Action, CannibalizationRecord, CannibalizationSummary, Severity, Tie},
    rankings::RankingRecord,
};
use maud::{Markup, Render, html};

pub const PAGE: ResultPage = ResultPage {
    group: Group::Search,
    title: "Cannibalization",
    short: None,
    question: "Which of our own pages compete with each other?",
    unit: "keywords",
    icon: "cannibalization",
    rows: 50,
};

/// Runs shown in the history.
const MAX_RUNS_SHOWN: u32 = 120;

pub async fn body(found: &ResultContext<'_>) -> Result<Vec<Markup>, PageError> {
    let records: Vec<CannibalizationRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<CannibalizationSummary>() {
        body.push(components::stats(vec![
            components::stat(
                "Serious",
                components::count(it.high),
                &format!("of {} keywords with several pages of ours", it.keywords),
            ),
            components::stat("Moderate", components::count(it.medium), ""),
            components::stat("Slight", components::count(it.low), ""),
            components::stat(
                "Harmless",
                components::count(it.harmless),
                "several pages that do not get into each other's way",
            ),
            components::stat(
                "Visits lost a month",
                components::optional_number(it.lost_clicks, 0),
                "if the best page always stood in front",
            ),
        ]));
        let bar = stacked_bar(
            "Keywords by severity",
            &[
                ("high", it.high, 5),
                ("medium", it.medium, 2),
                ("low", it.low, 4),
                ("harmless", it.harmless, 1),
                ("undecided", it.undecided, 6),
            ],
        );
        body.push(components::card("How bad it is", "", bar));
    }
    if records.is_empty() {
        body.push(super::no_results(
            "No pages compete",
            "For each keyword one page of ours is shown.",
        ));
    }
    let chosen = found.query.id("keyword");
    let chosen = records
        .iter()
        .find(|it| it.envelope.keyword_id == chosen)
        .or_else(|| records.first());
    for record in &records {
        // Only the selected keyword's history is read.
        let history = match chosen {
            Some(it) if it == record => first_page_history(found, record).await?,
            _ => {
                let id = record.envelope.keyword_id.map(|it| it.to_string());
                let here = found.visit.url_with(&[("keyword", id.as_deref())]);
                components::link(&here, "See which page was in front, day by day")
            }
        };
        body.push(record_card(found, record, history));
    }
    body.push(found.pager());
    Ok(body)
}

/// Which own page ranked first in each run.
async fn first_page_history(
    found: &ResultContext<'_>,
    it: &CannibalizationRecord,
) -> Result<Markup, PageError> {
    let Some(keyword) = it.envelope.keyword_id else {
        return Ok(Markup::default());
    };
    let since = Some(it.window.from);
    let past = found
        .position_history(keyword, since, MAX_RUNS_SHOWN)
        .await?;
    let place = |record: &RankingRecord| {
        let url = record.envelope.url.as_ref()?;
        it.urls.iter().position(|page| page.url == *url)
    };
    let names = it
        .urls
        .iter()
        .map(|page| components::external_path_link(&page.url));
    let days = { past.iter() }.map(|it| (it.envelope.measured_at.date_naive(), place(it)));
    Ok(Lanes {
        title: "The page of ours in front, look by look".to_owned(),
        names: names.collect(),
        days: days.collect(),
    }
    .html())
}

const fn advice(it: Action) -> &'static str {
    match it {
        Action::Redirect301 => {
            "Redirect the weaker page to the stronger one: their texts are nearly the same."
        }
        Action::Canonical => {
            "Name the stronger page as canonical on the other: both have to live, and they are the same."
        }
        Action::Merge => "Merge them into the stronger page, and redirect the other.",
        Action::Differentiate => {
            "Give each its own search: their texts differ, their intent does not."
        }
        Action::InternalLinks => "Link to the stronger page from the others: one is clearly ahead.",
        Action::None => "Leave them as they are.",
    }
}

fn record_card(
    found: &ResultContext<'_>,
    it: &CannibalizationRecord,
    history: impl Render,
) -> Markup {
    let (sign, severity) = match it.severity {
        Some(Severity::High) => ("bad", "high"),
        Some(Severity::Medium) => ("warn", "medium"),
        Some(Severity::Low) => ("info", "low"),
        Some(Severity::None) => ("good", "harmless"),
        None => ("", "undecided"),
    };
    let score = it
        .score
        .map_or_else(|| "not known".to_owned(), |it| format!("{it:.0} of 100"));
    let rows: Vec<(Markup, Markup, f64, bool)> = { it.urls.iter() }
        .map(|page| {
            let name = components::external_path_link(&page.url);
            (
                name,
                components::percent(Some(page.share)),
                page.share,
                page.url == it.primary_url,
            )
        })
        .collect();
    let facts = components::pairs(vec![
        ("Score", components::text(score)),
        (
            "Seen from",
            html! { (components::date_time(it.window.from)) " to " (components::date_time(it.window.to)) },
        ),
        (
            "The page in front changed",
            components::percent(it.flip_rate),
        ),
        (
            "Both shown at once",
            components::percent(Some(it.overlap_rate)),
        ),
        ("Texts alike", components::percent(it.text_similarity)),
        (
            "Visits lost a month",
            components::optional_number(it.lost_clicks, 0),
        ),
        (
            "Shares rest on",
            components::text(components::humanize_value(&it.share_basis)),
        ),
    ]);
    let tied = it.tied.as_ref().map(|it| match it {
        Tie::SamePage => "They are tied by a canonical or a redirect: nothing has to be done.",
        Tie::Alternates => {
            "They are versions of each other in other languages: nothing has to be done."
        }
    });
    let statement = tied
        .or_else(|| it.action.map(advice))
        .unwrap_or("Too few measurements to advise anything yet.");
    let moves: Vec<Markup> = { it.migrations.iter() }
        .map(|it| {
            html! {
                (components::date_time(it.at)) ": " (components::external_path_link(&it.from)) " gave way to " (components::external_path_link(&it.to))
            }
        })
        .collect();
    let id = it.envelope.keyword_id.unwrap_or_default();
    let position = found.project_url(&format!("results/rankings?keyword={id}"));
    let inside = html! {
        div .page {
            p { (statement) }
            (components::side_by_side("split even", bars(&rows), facts))
            (history)
            @if !moves.is_empty() { (components::list("plain small", &moves)) }
            (components::collapsible("The pages in figures", figures(it).html()))
            (components::link(&position, "See the course of its position"))
        }
    };
    components::card_with_aside(
        &format!("“{}”", it.market.keyword),
        &format!("{} pages of ours", it.urls.len()),
        components::tag(sign, severity),
        inside,
    )
}

fn figures(it: &CannibalizationRecord) -> Table {
    let rows = it.urls.iter().map(|page| {
        let row = components::row(vec![
            components::with_subtext(
                components::external_path_link(&page.url),
                page.title.as_deref().unwrap_or_default(),
            ),
            components::number(page.average_position, 1),
            components::count(page.best_position.into()),
            components::text(format_args!(
                "{} of {}",
                page.snapshots_as_best, it.window.snapshots
            )),
            components::optional_count(page.clicks),
            components::optional_count(page.word_count),
        ]);
        row.own(page.url == it.primary_url)
    });
    let columns = vec![
        components::text_column("Page"),
        components::number_column("Average position"),
        components::number_column("Best"),
        components::number_column("Days in front"),
        components::number_column("Clicks"),
        components::number_column("Words"),
    ];
    Table::new(
        &format!("Pages for “{}”", it.market.keyword),
        columns,
        rows.collect(),
    )
    .hide_caption()
}
