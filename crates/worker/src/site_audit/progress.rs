use domain::job::progress::{Progress, Stage, StageStatus};
use domain::ports::site_reader::{Count, CrawlPhase, CrawlProgress};

const EVALUATE: &str = "judge pages";
/// One joint pass over all pages, one pass per page.
const WALKS: u64 = 2;
/// Evaluating so many pages takes about as long as one request.
const PAGES_PER_REQUEST: u64 = 50;

pub(super) fn progress(crawl: &CrawlProgress, evaluated_pages: u64) -> Progress {
    let mut stages: Vec<Stage> = { CrawlPhase::ALL.into_iter() }
        .map(|phase| Stage {
            name: phase.name().to_owned(),
            status: match crawl.phase {
                now if now > phase => StageStatus::Done,
                now if now == phase => StageStatus::Running,
                _ => StageStatus::Waiting,
            },
            done: crawl.of(phase).done,
            total: crawl.of(phase).total,
        })
        .collect();
    let requests = Progress::of_stages(stages.clone());
    let looks = Count {
        done: evaluated_pages,
        total: (WALKS * crawl.pages.total).max(evaluated_pages),
    };
    stages.push(Stage {
        name: EVALUATE.to_owned(),
        status: match crawl.phase {
            CrawlPhase::Over => StageStatus::Running,
            _ => StageStatus::Waiting,
        },
        done: looks.done,
        total: looks.total,
    });
    Progress {
        done: requests.done + looks.done / PAGES_PER_REQUEST,
        // One more, for publishing: 100 % means done.
        total: requests.total + looks.total / PAGES_PER_REQUEST + 1,
        stages,
    }
}

pub(super) fn finished(progress: Progress) -> Progress {
    let stages = progress.stages.into_iter();
    Progress {
        done: progress.total,
        total: progress.total,
        stages: stages
            .map(|stage| Stage::counted(&stage.name, stage.done, stage.done, true))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(done: u64, total: u64) -> Count {
        Count { done, total }
    }

    fn states(progress: &Progress) -> Vec<(&str, &'static str)> {
        let stages = progress.stages.iter();
        stages.map(|it| (&*it.name, it.status.name())).collect()
    }

    #[test]
    fn only_a_finished_audit_is_at_100_percent() {
        let mut crawl = CrawlProgress {
            phase: CrawlPhase::Pages,
            sitemaps: count(1, 1),
            pages: count(100, 1_000),
            ..CrawlProgress::default()
        };
        let reading = progress(&crawl, 0);
        assert_eq!(
            states(&reading),
            [
                ("read sitemaps", "done"),
                ("read pages", "running"),
                ("check links", "waiting"),
                ("ask for earlier pages", "waiting"),
                ("judge pages", "waiting"),
            ]
        );
        assert_eq!(reading.percent(), Some(9));
        crawl.phase = CrawlPhase::Over;
        crawl.pages = count(1_000, 1_000);
        let percents = [0, 1_000, 2_000].map(|it| progress(&crawl, it).percent());
        assert_eq!(percents, [Some(96), Some(97), Some(99)]);
        let evaluating = progress(&crawl, 1_000);
        assert_eq!(states(&evaluating)[4], ("judge pages", "running"));
        assert_eq!(
            (evaluating.stages[4].done, evaluating.stages[4].total),
            (1_000, 2_000)
        );
        let over = finished(evaluating);
        assert_eq!(over.percent(), Some(100));
        assert!(states(&over).iter().all(|it| it.1 == "done"));
    }
}
