use super::{Found, Group, ResultPage};
use crate::pages::measures::share_cell;
use crate::pages::parts;
use crate::pages::parts::Table;
use analysis::findings::competitors::{CompetitorRecord, CompetitorsSummary};
use maud::Markup;

pub const PAGE: ResultPage = ResultPage {
    group: Group::Search,
    title: "Competitors",
    short: None,
    question: "Who competes for the same keywords, and where do they win?",
    unit: "keywords",
    icon: "competitors",
    rows: 30,
};

pub fn body(found: &Found<'_>) -> Vec<Markup> {
    let records: Vec<CompetitorRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<CompetitorsSummary>() {
        body.push(parts::stats(vec![
            parts::stat(
                "Strongest",
                parts::text(it.strongest.as_deref().unwrap_or("–")),
                &it.strongest_score
                    .map_or_else(String::new, |it| format!("score {it:.0} of 100")),
            ),
            parts::stat(
                "Sites seen",
                parts::count(it.domains_seen),
                "among the first 20 for any keyword",
            ),
            parts::stat(
                "Our keywords",
                parts::count(it.own_keywords),
                "on which we are among the first 20",
            ),
            parts::stat(
                "Named by you",
                parts::count(it.tracked),
                "others were found by themselves",
            ),
        ]));
    }
    body.push(matrix(found, &records));
    let chosen = found.query.free_text("id", 255);
    let shown = match &chosen {
        Some(domain) => records.iter().find(|it| it.domain == *domain),
        None => records.first(),
    };
    if let Some(it) = shown {
        body.push(one(found, it));
    }
    body
}

fn matrix(found: &Found<'_>, records: &[CompetitorRecord]) -> Markup {
    if records.is_empty() {
        return super::none(
            "Nobody competes",
            "No other site was among the first 20 for your keywords.",
        );
    }
    let rows = records.iter().map(|it| {
        let name = parts::under(
            parts::link(&found.visit.with(&[("id", Some(&it.domain))]), &it.domain),
            parts::said(&it.class),
        );
        parts::row(vec![
            name,
            parts::maybe(it.competitor_score, 0),
            parts::text(format_args!(
                "{} of {}",
                it.common_keywords, it.own_keywords
            )),
            share_cell(it.traffic_overlap),
            share_cell(it.head_to_head_win_rate),
            parts::percent(it.sov),
            parts::count(it.gap_keyword_count),
            parts::percent(it.ai_mention_rate),
            parts::delta(it.trend30.map(|it| -100.0 * it), 1, " points")
                .unwrap_or_else(parts::unknown),
        ])
    });
    let columns = vec![
        parts::words("Site"),
        parts::figures("Score"),
        parts::figures("Keywords in common"),
        parts::figures("Clicks in common"),
        parts::figures("They rank better"),
        parts::figures("Share of voice"),
        parts::figures("They have, we lack"),
        parts::figures("Named by AI"),
        parts::figures("30 days, for us"),
    ];
    let (told, first, next) = found.paged();
    let table = Table::new("Competitors", columns, rows.collect())
        .named_above()
        .paged(told, first, next);
    parts::card_of(
        "Who competes",
        "The score weighs clicks in common (half), keywords in common and share of voice.",
        &table,
    )
}

fn one(found: &Found<'_>, it: &CompetitorRecord) -> Markup {
    let keyword = |id: i64, text: &str| {
        parts::link(
            &found.elsewhere(&format!("results/rankings?keyword={id}")),
            text,
        )
    };
    let place =
        |it: Option<u32>| it.map_or_else(|| parts::text("none"), |it| parts::count(it.into()));
    let gaps = it.gap_keywords.iter().take(25).map(|it| {
        parts::row(vec![
            keyword(it.keyword_id, &it.keyword),
            parts::count(it.their_position.into()),
            place(it.our_position),
            parts::maybe(it.potential_clicks, 0),
        ])
    });
    let columns = || {
        vec![
            parts::words("Keyword"),
            parts::figures("They"),
            parts::figures("We"),
            parts::figures("Visits a month"),
        ]
    };
    let gaps = Table::new(
        "Keywords that they have and we lack",
        columns(),
        gaps.collect(),
    )
    .named_above();
    let wins = it.advantage_keywords.iter().take(25).map(|it| {
        parts::row(vec![
            keyword(it.keyword_id, &it.keyword),
            place(it.their_position),
            parts::count(it.our_position.into()),
            parts::maybe(it.estimated_clicks, 0),
        ])
    });
    let wins = Table::new(
        "Keywords that we have and they lack",
        columns(),
        wins.collect(),
    )
    .named_above();
    let averages = it.average_position_common.as_ref().map_or_else(
        || "No keyword is ranked by both.".to_owned(),
        |it| {
            format!(
                "On keywords of both, they stand at {:.1} on average, we at {:.1}.",
                it.competitor, it.own
            )
        },
    );
    parts::side_by_side(
        "split even",
        parts::card_of(
            &format!("Where {} is ahead", it.domain),
            &format!("{} keywords. {averages}", it.gap_keyword_count),
            &gaps,
        ),
        parts::card_of(
            "Where we are ahead",
            &format!("{} keywords.", it.advantage_keyword_count),
            &wins,
        ),
    )
}
