use super::{Found, Group, ResultPage};
use crate::pages::charts::{Lanes, bars, parts_bar};
use crate::pages::parts::Table;
use crate::pages::{NoPage, parts};
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
const MOST_LOOKS: u32 = 120;

pub async fn body(found: &Found<'_>) -> Result<Vec<Markup>, NoPage> {
    let records: Vec<CannibalizationRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<CannibalizationSummary>() {
        body.push(parts::stats(vec![
            parts::stat(
                "Serious",
                parts::count(it.high),
                &format!("of {} keywords with several pages of ours", it.keywords),
            ),
            parts::stat("Moderate", parts::count(it.medium), ""),
            parts::stat("Slight", parts::count(it.low), ""),
            parts::stat(
                "Harmless",
                parts::count(it.harmless),
                "several pages that do not get into each other's way",
            ),
            parts::stat(
                "Visits lost a month",
                parts::maybe(it.lost_clicks, 0),
                "if the best page always stood in front",
            ),
        ]));
        let bar = parts_bar(
            "Keywords by severity",
            &[
                ("high", it.high, 5),
                ("medium", it.medium, 2),
                ("low", it.low, 4),
                ("harmless", it.harmless, 1),
                ("undecided", it.undecided, 6),
            ],
        );
        body.push(parts::card("How bad it is", "", bar));
    }
    if records.is_empty() {
        body.push(super::none(
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
        let course = match chosen {
            Some(it) if it == record => course(found, record).await?,
            _ => {
                let id = record.envelope.keyword_id.map(|it| it.to_string());
                let here = found.visit.with(&[("keyword", id.as_deref())]);
                parts::link(&here, "See which page was in front, day by day")
            }
        };
        body.push(one(found, record, course));
    }
    body.push(found.pager());
    Ok(body)
}

/// Which own page ranked first in each run.
async fn course(found: &Found<'_>, it: &CannibalizationRecord) -> Result<Markup, NoPage> {
    let Some(keyword) = it.envelope.keyword_id else {
        return Ok(Markup::default());
    };
    let since = Some(it.window.from);
    let past = found.past_positions(keyword, since, MOST_LOOKS).await?;
    let place = |record: &RankingRecord| {
        let url = record.envelope.url.as_ref()?;
        it.urls.iter().position(|page| page.url == *url)
    };
    let names = it.urls.iter().map(|page| parts::outward_path(&page.url));
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

fn one(found: &Found<'_>, it: &CannibalizationRecord, course: impl Render) -> Markup {
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
            let name = parts::outward_path(&page.url);
            (
                name,
                parts::percent(Some(page.share)),
                page.share,
                page.url == it.primary_url,
            )
        })
        .collect();
    let facts = parts::pairs(vec![
        ("Score", parts::text(score)),
        (
            "Seen from",
            html! { (parts::at(it.window.from)) " to " (parts::at(it.window.to)) },
        ),
        ("The page in front changed", parts::percent(it.flip_rate)),
        ("Both shown at once", parts::percent(Some(it.overlap_rate))),
        ("Texts alike", parts::percent(it.text_similarity)),
        ("Visits lost a month", parts::maybe(it.lost_clicks, 0)),
        ("Shares rest on", parts::text(parts::said(&it.share_basis))),
    ]);
    let tied = it.tied.as_ref().map(|it| match it {
        Tie::SamePage => "They are tied by a canonical or a redirect: nothing has to be done.",
        Tie::Alternates => {
            "They are versions of each other in other languages: nothing has to be done."
        }
    });
    let said = tied
        .or_else(|| it.action.map(advice))
        .unwrap_or("Too few measurements to advise anything yet.");
    let moves: Vec<Markup> = { it.migrations.iter() }
        .map(|it| {
            html! {
                (parts::at(it.at)) ": " (parts::outward_path(&it.from)) " gave way to " (parts::outward_path(&it.to))
            }
        })
        .collect();
    let id = it.envelope.keyword_id.unwrap_or_default();
    let position = found.elsewhere(&format!("results/rankings?keyword={id}"));
    let inside = html! {
        div .page {
            p { (said) }
            (parts::side_by_side("split even", bars(&rows), facts))
            (course)
            @if !moves.is_empty() { (parts::list("plain small", &moves)) }
            (parts::folded("The pages in figures", figures(it).html()))
            (parts::link(&position, "See the course of its position"))
        }
    };
    parts::card_with(
        &format!("“{}”", it.market.keyword),
        &format!("{} pages of ours", it.urls.len()),
        parts::tag(sign, severity),
        inside,
    )
}

fn figures(it: &CannibalizationRecord) -> Table {
    let rows = it.urls.iter().map(|page| {
        let row = parts::row(vec![
            parts::under(
                parts::outward_path(&page.url),
                page.title.as_deref().unwrap_or_default(),
            ),
            parts::number(page.average_position, 1),
            parts::count(page.best_position.into()),
            parts::text(format_args!(
                "{} of {}",
                page.snapshots_as_best, it.window.snapshots
            )),
            parts::maybe_count(page.clicks),
            parts::maybe_count(page.word_count),
        ]);
        row.own(page.url == it.primary_url)
    });
    let columns = vec![
        parts::words("Page"),
        parts::figures("Average position"),
        parts::figures("Best"),
        parts::figures("Days in front"),
        parts::figures("Clicks"),
        parts::figures("Words"),
    ];
    Table::new(
        &format!("Pages for “{}”", it.market.keyword),
        columns,
        rows.collect(),
    )
    .named_above()
}
