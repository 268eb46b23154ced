use super::{Group, ResultContext, ResultPage};
use crate::pages::components;
use crate::pages::components::Table;
use crate::pages::measures::share_cell;
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

pub fn body(found: &ResultContext<'_>) -> Vec<Markup> {
    let records: Vec<CompetitorRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<CompetitorsSummary>() {
        body.push(components::stats(vec![
            components::stat(
                "Strongest",
                components::text(it.strongest.as_deref().unwrap_or("–")),
                &it.strongest_score
                    .map_or_else(String::new, |it| format!("score {it:.0} of 100")),
            ),
            components::stat(
                "Sites seen",
                components::count(it.domains_seen),
                "in the results that were read",
            ),
            components::stat(
                "Our keywords",
                components::count(it.own_keywords),
                "on which we are among the first 20",
            ),
            components::stat(
                "Named by you",
                components::count(it.tracked),
                "others were found automatically",
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
        body.push(record_card(found, it));
    }
    body
}

fn matrix(found: &ResultContext<'_>, records: &[CompetitorRecord]) -> Markup {
    if records.is_empty() {
        return super::no_results(
            "Nobody competes",
            "No other site was among the first 20 for your keywords.",
        );
    }
    let rows = records.iter().map(|it| {
        let name = components::with_subtext(
            components::link(
                &found.visit.url_with(&[("id", Some(&it.domain))]),
                &it.domain,
            ),
            components::humanize_value(&it.class),
        );
        components::row(vec![
            name,
            components::optional_number(it.competitor_score, 0),
            components::text(format_args!(
                "{} of {}",
                it.common_keywords, it.own_keywords
            )),
            share_cell(it.traffic_overlap),
            share_cell(it.head_to_head_win_rate),
            components::percent(it.sov),
            components::count(it.gap_keyword_count),
            components::percent(it.ai_mention_rate),
            components::delta(it.trend30.map(|it| -100.0 * it), 1, " points")
                .unwrap_or_else(components::unknown),
        ])
    });
    let columns = vec![
        components::text_column("Site"),
        components::number_column("Score"),
        components::number_column("Keywords in common"),
        components::number_column("Clicks in common"),
        components::number_column("They rank better"),
        components::number_column("Share of voice"),
        components::number_column("They have, we lack"),
        components::number_column("Named by AI"),
        components::number_column("30 days, for us"),
    ];
    let (summary, first, next) = found.pager_parts();
    let table = Table::new("Competitors", columns, rows.collect())
        .hide_caption()
        .paged(summary, first, next);
    components::table_card(
        "Who competes",
        "The score weighs clicks in common (half), keywords in common and share of voice.",
        &table,
    )
}

fn record_card(found: &ResultContext<'_>, it: &CompetitorRecord) -> Markup {
    let keyword = |id: i64, text: &str| {
        components::link(
            &found.project_url(&format!("results/rankings?keyword={id}")),
            text,
        )
    };
    let place = |it: Option<u32>| {
        it.map_or_else(
            || components::text("none"),
            |it| components::count(it.into()),
        )
    };
    let gaps = it.gap_keywords.iter().take(25).map(|it| {
        components::row(vec![
            keyword(it.keyword_id, &it.keyword),
            components::count(it.their_position.into()),
            place(it.our_position),
            components::optional_number(it.potential_clicks, 0),
        ])
    });
    let columns = || {
        vec![
            components::text_column("Keyword"),
            components::number_column("They"),
            components::number_column("We"),
            components::number_column("Visits a month"),
        ]
    };
    let gaps = Table::new(
        "Keywords that they have and we lack",
        columns(),
        gaps.collect(),
    )
    .hide_caption();
    let wins = it.advantage_keywords.iter().take(25).map(|it| {
        components::row(vec![
            keyword(it.keyword_id, &it.keyword),
            place(it.their_position),
            components::count(it.our_position.into()),
            components::optional_number(it.estimated_clicks, 0),
        ])
    });
    let wins = Table::new(
        "Keywords that we have and they lack",
        columns(),
        wins.collect(),
    )
    .hide_caption();
    let averages = it.average_position_common.as_ref().map_or_else(
        || "No keyword is ranked by both.".to_owned(),
        |it| {
            format!(
                "On keywords of both, they stand at {:.1} on average, we at {:.1}.",
                it.competitor, it.own
            )
        },
    );
    components::side_by_side(
        "split even",
        components::table_card(
            &format!("Where {} is ahead", it.domain),
            &format!("{} keywords. {averages}", it.gap_keyword_count),
            &gaps,
        ),
        components::table_card(
            "Where we are ahead",
            &format!("{} keywords.", it.advantage_keyword_count),
            &wins,
        ),
    )
}
