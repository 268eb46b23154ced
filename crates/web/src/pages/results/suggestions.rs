use super::Found;
use crate::pages::{
    charts::{bar, parts_bar},
    parts::{self, Html, Table, fill, snippet},
};
use analysis::findings::suggestions::{
    Category, Evidence, Figure, GainMetric, Severity, State, SuggestionRecord, SuggestionsSummary,
};

snippet!(Suggestion { id: &'a str, title: &'a str, rationale: &'a str, signs: &'a Html, score: &'a Html, body: &'a Html } = r#"<article class="card suggestion" id="{{ id }}"><div class="row apart"><div class="tags">{{ signs }}</div>{{ score }}</div><h2 class="wrap">{{ title }}</h2><p class="wrap">{{ rationale }}</p>{{ body }}</article>"#);

pub fn body(found: &Found<'_>) -> Vec<Html> {
    let records: Vec<SuggestionRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<SuggestionsSummary>() {
        let of = |severity: Severity| it.by_severity.get(&severity).copied().unwrap_or(0);
        body.push(parts::stats(vec![
            parts::stat(
                "Open",
                parts::count(it.open),
                &format!("{} of them came back", it.regressed),
            ),
            parts::stat(
                "Fixed",
                parts::count(it.fixed),
                "since they were first told",
            ),
            parts::stat(
                "It helped",
                parts::count(it.effects.improved),
                &format!(
                    "{} unchanged, {} worse, {} too early to say",
                    it.effects.unchanged, it.effects.worse, it.effects.too_early
                ),
            ),
            parts::stat("Ignored", parts::count(it.ignored), "as you decided"),
        ]));
        let bar = parts_bar(
            "Open suggestions by kind",
            &[
                ("errors", of(Severity::Error), 5),
                ("warnings", of(Severity::Warning), 2),
                ("opportunities", of(Severity::Opportunity), 1),
                ("notices", of(Severity::Notice), 6),
            ],
        );
        let categories = it
            .by_category
            .iter()
            .map(|(category, count)| format!("{} {count}", category_name(*category)));
        let told = categories.collect::<Vec<_>>().join(" · ");
        body.push(parts::card("What they are about", &told, bar));
    }
    if records.is_empty() {
        body.push(super::none(
            "Nothing to do",
            "No result shows anything worth changing.",
        ));
    }
    body.extend(records.iter().map(one));
    body.push(found.pager());
    body
}

fn category_name(it: Category) -> String {
    match it {
        Category::Ai => "AI".to_owned(),
        Category::Eeat => "E-E-A-T".to_owned(),
        other => parts::said(&other),
    }
}

fn one(it: &SuggestionRecord) -> Html {
    let (sign, severity) = match it.severity {
        Severity::Error => ("bad", "error"),
        Severity::Warning => ("warn", "warning"),
        Severity::Notice => ("", "notice"),
        Severity::Opportunity => ("good", "opportunity"),
    };
    let mut signs = vec![
        parts::tag(sign, severity),
        parts::tag("", &category_name(it.category)),
    ];
    match it.state {
        State::Open => {}
        State::Regressed => signs.push(parts::tag("bad", "came back")),
        State::Ignored => signs.push(parts::tag("", "ignored")),
        State::Fixed => signs.push(parts::tag("good", "fixed")),
    }
    let score = parts::tag("own", &format!("priority {:.0}", it.priority_score));
    let mut inside = Vec::new();
    if let Some(gain) = &it.expected_gain {
        let (figure, unit): (fn(f64) -> String, _) = match gain.metric {
            GainMetric::ClicksPerMonth => (|it| parts::grouped(it, 0), " clicks a month"),
            GainMetric::ClickShare => (
                |it| format!("{} %", parts::grouped(100.0 * it, 1)),
                " of the searches' clicks, added over its keywords",
            ),
        };
        let text = format!(
            "May bring {} to {}{unit} (most likely {}).",
            figure(gain.low),
            figure(gain.high),
            figure(gain.mid)
        );
        inside.push(parts::remark("good", &text));
    }
    if !it.steps.is_empty() {
        let steps: Vec<Html> = it.steps.iter().map(|it| parts::text(it)).collect();
        let items = Html::all(steps.iter().map(|it| parts::wrapped("li", "", it)));
        inside.push(parts::wrapped("ol", "plain small", &items));
    }
    inside.push(parts::folded(
        &format!("Evidence ({})", it.evidence.len()),
        &evidence(&it.evidence),
    ));
    inside.push(parts::folded("How the priority comes about", &priority(it)));
    if !it.affected_urls.is_empty() {
        let urls: Vec<Html> = it
            .affected_urls
            .iter()
            .map(|it| parts::outward(it))
            .collect();
        inside.push(parts::folded(
            &format!("Pages ({})", it.affected_count),
            &parts::list("plain", &urls),
        ));
    }
    if !it.docs.is_empty() {
        let docs: Vec<Html> = it.docs.iter().map(|it| parts::outward(it)).collect();
        inside.push(parts::folded("Read more", &parts::list("plain", &docs)));
    }
    let seen = Html::all([
        parts::text("First seen "),
        parts::ago(it.first_seen_at),
        parts::text(", last "),
        parts::ago(it.last_seen_at),
    ]);
    inside.push(parts::wrapped("p", "soft tiny", &seen));
    let signs = Html::all(signs);
    fill!(Suggestion {
        id: &it.suggestion_id,
        title: &it.title,
        rationale: &it.rationale,
        signs: &signs,
        score: &score,
        body: &Html::all(inside)
    })
}

fn figure(it: Option<&Figure>) -> Html {
    match it {
        None => parts::unknown(),
        Some(Figure::Flag(flag)) => parts::text(if *flag { "yes" } else { "no" }),
        Some(Figure::Number(number)) => {
            parts::number(*number, if number.fract() == 0.0 { 0 } else { 2 })
        }
        Some(Figure::Text(text)) => parts::text(text),
    }
}

fn evidence(evidence: &[Evidence]) -> Html {
    let rows = evidence.iter().map(|it| {
        let about = it
            .record_ref
            .url
            .as_deref()
            .map_or_else(Html::default, parts::outward);
        parts::row(vec![
            parts::under(&parts::text(&parts::headed(&it.metric)), &about),
            figure(it.observed.as_ref()),
            figure(it.threshold.as_ref()),
            it.record_ref
                .measured_at
                .map_or_else(parts::unknown, parts::ago),
        ])
    });
    let columns = vec![
        parts::words("What was seen"),
        parts::figures("Value"),
        parts::figures("Limit"),
        parts::words("Measured"),
    ];
    Table::new("Evidence", columns, rows.collect())
        .named_above()
        .html()
}

fn priority(it: &SuggestionRecord) -> Html {
    let facts = parts::pairs(vec![
        (
            "Reach",
            Html::all([
                parts::number(it.reach, 1),
                parts::text(&format!(" ({})", parts::said(&it.reach_basis))),
            ]),
        ),
        ("Impact", parts::number(it.impact, 2)),
        ("Confidence", parts::number(it.confidence, 2)),
        ("Effort", parts::number(it.effort, 1)),
        ("Priority", parts::number(it.priority_score, 1)),
        ("Rule", parts::text(&it.rule_id)),
    ]);
    let formula = parts::paragraph(
        "hint",
        "Reach × impact × confidence ÷ effort, on a scale on which the middle suggestion of the account stands at 63.",
    );
    Html::all([facts, bar(it.priority_score / 100.0, "1"), formula])
}
