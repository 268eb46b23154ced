//! Measures findings: `finding_cost FOLDER` prints CPU milliseconds per page, for all HTML files below a folder, of
//! content-changes (unchanged, and with a removed paragraph), geo-score and eeat, and their results.

use analysis::{
    findings::{
        content_changes::{
            ChangeContext, ChangeSource, PageHistory, PageOwner, PageState, SiteFacts, compare,
        },
        eeat::{
            EeatInput, FindingContext, PageAverages, PageType, SiteSignals, evaluate_page,
            evaluate_site,
        },
        geo_score::{GeoInput, GeoSummary, evaluate},
    },
    observation::{page_content::PageContent, web_site::CrawlScope},
};
use chrono::DateTime;
use crawler::extract::{ReceivedPage, read_page};
use programs::{Failure, cpu_time, html_files};
use std::{fs, io::Write, path::Path};
use url::Url;

fn main() -> Result<(), Failure> {
    let folder = std::env::args().nth(1).ok_or("a folder is needed")?;
    let mut pages = Vec::new();
    for file in html_files(Path::new(&folder))? {
        let url = Url::parse(&format!("http://localhost{}", file.display()))?;
        pages.push(read_page(ReceivedPage::without_crawl(
            &fs::read(&file)?,
            None,
            &url,
        )));
    }
    let scope = CrawlScope::from_url(&Url::parse("http://localhost/")?);
    let (same, shorter) = (
        changes(&pages, &scope, false)?,
        changes(&pages, &scope, true)?,
    );
    let (geo, summary) = geo(&pages)?;
    let (gathering, scoring, site) = eeat(&pages, scope)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} pages, ms of CPU time each:", pages.len())?;
    writeln!(
        out,
        "content-changes {same:.3} unchanged, {shorter:.3} changed"
    )?;
    writeln!(out, "geo-score {geo:.3}; {summary}")?;
    writeln!(
        out,
        "eeat {gathering:.3} to gather, {scoring:.3} to judge; {site}"
    )?;
    Ok(())
}

fn changes(pages: &[PageContent], scope: &CrawlScope, shorter: bool) -> Result<f64, Failure> {
    let context = ChangeContext {
        project_id: 1,
        scope: scope.clone(),
        source: ChangeSource::Manual,
        owner: PageOwner::Own,
    };
    let edited: Vec<PageContent> = pages
        .iter()
        .map(|it| {
            let mut page = it.clone();
            if shorter && !page.text.main.blocks.is_empty() {
                page.text.main.blocks.remove(0);
            }
            page
        })
        .collect();
    let begun = cpu_time()?;
    for (before, after) in pages.iter().zip(&edited) {
        let state = |page| PageState {
            page,
            site: SiteFacts::default(),
        };
        let history = PageHistory::new(DateTime::UNIX_EPOCH);
        let found = compare(&state(before), &state(after), &history, &context);
        std::hint::black_box(found);
    }
    per_page(begun, pages.len())
}

fn geo(pages: &[PageContent]) -> Result<(f64, String), Failure> {
    let context = FindingContext {
        project_id: 1,
        measured_at: DateTime::from_timestamp(1_790_000_000, 0).ok_or("a time")?,
    };
    let mut summary = GeoSummary::default();
    let begun = cpu_time()?;
    for page in pages {
        let input = GeoInput {
            page,
            agents: &[],
            rendered_words: None,
            schema: None,
            keywords: &[],
            site: analysis::findings::geo_score::SiteIdentity::default(),
            llms_txt: None,
        };
        summary.add(&evaluate(&input, &context), None);
    }
    let cost = per_page(begun, pages.len())?;
    Ok((cost, serde_json::to_string(&summary)?))
}

fn eeat(pages: &[PageContent], scope: CrawlScope) -> Result<(f64, f64, String), Failure> {
    let context = FindingContext {
        project_id: 1,
        measured_at: DateTime::UNIX_EPOCH,
    };
    let mut site = SiteSignals::new(scope);
    let begun = cpu_time()?;
    for page in pages {
        site.add(page);
    }
    let gathering = per_page(begun, pages.len())?;
    let mut averages = PageAverages::default();
    let begun = cpu_time()?;
    for page in pages {
        let input = EeatInput {
            page,
            page_type: PageType::Article,
            site: &site,
            third_party_mentions: None,
        };
        averages.add(&evaluate_page(&input, &context));
    }
    let scoring = per_page(begun, pages.len())?;
    let record = evaluate_site(&site, &averages, None, &context);
    let bytes = serde_json::to_string(&site)?.len();
    let signals: Vec<String> = record
        .signals
        .iter()
        .filter_map(|it| Some(format!("{:?} {:.2}", it.code, it.value?)))
        .collect();
    let bytes = bytes / pages.len().max(1);
    Ok((
        gathering,
        scoring,
        format!("{bytes} bytes kept of each; {}", signals.join(", ")),
    ))
}

fn per_page(begun: f64, pages: usize) -> Result<f64, Failure> {
    Ok((cpu_time()? - begun) / f64::from(u32::try_from(pages.max(1))?))
}
