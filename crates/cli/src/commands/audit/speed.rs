use super::{findings::pages, progress::Bars, word};
use crate::terminal::{remark, shortened};
use crate::wiring::SiteTools;
use analysis::findings::vitals::{MetricRecord, Unit, VitalsRecord, VitalsSource};
use analysis::observation::vitals::FormFactor;
use domain::ids::ProjectId;
use domain::ports::clock::Clock;
use domain::ports::site_reader::{Count, CrawlJournal, CrawlStart, JournalError};
use domain::use_cases::measure_page_speed::{MeasurePageSpeed, SpeedTask};
use std::sync::Arc;

/// Measures the first pages of a crawl for phones and desktops: field data if configured, and lab data.
pub(super) async fn measured(
    tools: &SiteTools,
    clock: &Arc<dyn Clock>,
    start: &CrawlStart,
    bars: &Bars,
    most: u32,
) -> anyhow::Result<Vec<VitalsRecord>> {
    for missing in tools.speed.missing() {
        remark(format!("Not everything can be measured: {missing}."));
    }
    let opened = tools.doors.open(start).await;
    let door = opened.map_err(|error| anyhow::anyhow!("no page can be loaded: {error}"))?;
    let measure = MeasurePageSpeed::new(tools.speed.clone(), Arc::clone(clock));
    let tasks = tasks(&first(bars, most as usize)?, measure.knows_visitors());
    let mut records = Vec::with_capacity(tasks.len());
    for task in &tasks {
        bars.tell(
            "measure pages",
            Count {
                done: records.len() as u64,
                total: tasks.len() as u64,
            },
        );
        records.push(measure.run(task, door.as_ref(), &[]).await.record);
    }
    Ok(records)
}

fn first(journal: &dyn CrawlJournal, most: usize) -> Result<Vec<String>, JournalError> {
    tokio::task::block_in_place(|| {
        let urls = pages(journal).take(most).map(|page| Ok(page?.url));
        urls.collect()
    })
}

fn tasks(pages: &[String], asks_visitors: bool) -> Vec<SpeedTask> {
    let mut tasks = Vec::new();
    for url in pages {
        for form_factor in [FormFactor::Phone, FormFactor::Desktop] {
            let field = asks_visitors.then_some(VitalsSource::Field);
            for source in field.into_iter().chain([VitalsSource::Lab]) {
                tasks.push(SpeedTask {
                    project: ProjectId(0),
                    url: url.clone(),
                    form_factor,
                    source,
                });
            }
        }
    }
    tasks
}

pub(super) const SPEED_COLUMNS: [&str; 8] = [
    "page",
    "on",
    "figures",
    "LCP",
    "INP or TBT",
    "CLS",
    "FCP",
    "score",
];

/// The cells of a measurement, or why there are no figures.
pub(super) fn speed_row(record: &VitalsRecord) -> [String; 8] {
    let metrics = &record.metrics;
    let figures = match (&record.envelope.error, record.source) {
        (Some(error), _) => error.clone(),
        (None, VitalsSource::Field) => "visitors, p75".to_owned(),
        (None, VitalsSource::Lab) => "lab".to_owned(),
    };
    [
        shortened(&record.requested_url, 60),
        word(record.form_factor),
        figures,
        figure(metrics.lcp.as_ref()),
        figure(metrics.inp.as_ref().or(metrics.tbt.as_ref())),
        figure(metrics.cls.as_ref()),
        figure(metrics.fcp.as_ref()),
        record
            .performance_score
            .map_or_else(|| "–".to_owned(), |it| it.to_string()),
    ]
}

fn figure(metric: Option<&MetricRecord>) -> String {
    let Some((metric, figure)) = metric.and_then(|it| Some((it, it.figure()?))) else {
        return "–".to_owned();
    };
    let shown = match metric.unit {
        Some(Unit::Ms) => format!("{figure:.0} ms"),
        _ => format!("{figure:.3}"),
    };
    match metric.rating {
        Some(rating) => format!("{shown} ({})", word(rating)),
        None => shown,
    }
}
