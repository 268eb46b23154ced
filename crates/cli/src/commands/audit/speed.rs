use super::{findings::recorded_pages, progress::ProgressBars, wire_name};
use crate::terminal::{eprint_line, truncate};
use crate::wiring::SiteServices;
use analysis::findings::vitals::{MetricRecord, Unit, VitalsRecord, VitalsSource};
use analysis::observation::vitals::FormFactor;
use domain::ids::ProjectId;
use domain::ports::clock::Clock;
use domain::ports::site_reader::{Count, CrawlJournal, CrawlStart, JournalError};
use domain::use_cases::measure_page_speed::{MeasurePageSpeed, SpeedTask};
use std::sync::Arc;

/// Measures the first pages of a crawl for phones and desktops: field data if configured, and lab data.
pub(super) async fn measure_pages(
    site_services: &SiteServices,
    clock: &Arc<dyn Clock>,
    start: &CrawlStart,
    bars: &ProgressBars,
    max_pages: u32,
) -> anyhow::Result<Vec<VitalsRecord>> {
    for missing in site_services.speed.missing() {
        eprint_line(format!("Some measurements are not available: {missing}."));
    }
    let opened = site_services.site_access.open(start).await;
    let access = opened.map_err(|error| anyhow::anyhow!("cannot load pages: {error}"))?;
    let measure = MeasurePageSpeed::new(site_services.speed.clone(), Arc::clone(clock));
    let tasks = speed_tasks(
        &first_urls(bars, max_pages as usize)?,
        measure.has_field_source(),
    );
    let mut records = Vec::with_capacity(tasks.len());
    for task in &tasks {
        bars.update(
            "measure pages",
            Count {
                done: records.len() as u64,
                total: tasks.len() as u64,
            },
        );
        records.push(measure.run(task, access.as_ref(), &[]).await.record);
    }
    Ok(records)
}

fn first_urls(journal: &dyn CrawlJournal, max_pages: usize) -> Result<Vec<String>, JournalError> {
    tokio::task::block_in_place(|| {
        let urls = recorded_pages(journal)
            .take(max_pages)
            .map(|page| Ok(page?.url));
        urls.collect()
    })
}

fn speed_tasks(pages: &[String], has_field_data: bool) -> Vec<SpeedTask> {
    let mut tasks = Vec::new();
    for url in pages {
        for form_factor in [FormFactor::Phone, FormFactor::Desktop] {
            let field = has_field_data.then_some(VitalsSource::Field);
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
        truncate(&record.requested_url, 60),
        wire_name(record.form_factor),
        figures,
        format_metric(metrics.lcp.as_ref()),
        format_metric(metrics.inp.as_ref().or(metrics.tbt.as_ref())),
        format_metric(metrics.cls.as_ref()),
        format_metric(metrics.fcp.as_ref()),
        record
            .performance_score
            .map_or_else(|| "–".to_owned(), |it| it.to_string()),
    ]
}

fn format_metric(metric: Option<&MetricRecord>) -> String {
    let Some((metric, figure)) = metric.and_then(|it| Some((it, it.figure()?))) else {
        return "–".to_owned();
    };
    let shown = match metric.unit {
        Some(Unit::Ms) => format!("{figure:.0} ms"),
        _ => format!("{figure:.3}"),
    };
    match metric.rating {
        Some(rating) => format!("{shown} ({})", wire_name(rating)),
        None => shown,
    }
}
