//! Measures an audit: `page_cost FOLDER [REPEATS]` reads all HTML files below a folder as one site and prints CPU
//! milliseconds per page and stage: reading, writing and reading JSON, cards, site findings, records.

use analysis::{
    findings::{
        content::{ContentContext, ContentSummary, SiteIndex, content_record},
        issues::{PageContext, SiteContext, page_issues, site_issues},
        schema,
    },
    observation::{page_content::PageContent, web_site::CrawlScope},
    page_kind::page_kind,
    site_graph::{LinkFacts, SiteGraph},
    text::{
        duplicates::clusters,
        similarity::{jaccard, shingles},
    },
};
use chrono::{DateTime, Utc};
use crawler::extract::{ReceivedPage, read_page};
use programs::{Failure, cpu_time, html_files};
use std::{fs, io::Write, path::Path};
use url::Url;

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let folder = words.next().ok_or("a folder is needed")?;
    let repeats: u32 = words.next().map_or(Ok(1), |it| it.parse())?;
    let pages = load(&folder)?;
    let size: usize = pages.iter().map(|it| it.1.len()).sum();
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{} pages of {} KB",
        pages.len(),
        size / pages.len().max(1) / 1024
    )?;
    let mut watch = Stopwatch::start(pages.len(), repeats)?;
    let mut contents: Vec<PageContent> = Vec::new();
    for _ in 0..repeats {
        let read = pages
            .iter()
            .map(|(url, bytes)| read_page(ReceivedPage::without_crawl(bytes, None, url)));
        contents = read.collect();
    }
    watch.print_stage(&mut out, "read")?;
    let mut stored = Vec::new();
    for _ in 0..repeats {
        stored = contents
            .iter()
            .map(serde_json::to_vec)
            .collect::<Result<_, _>>()?;
    }
    watch.print_stage(&mut out, "write down")?;
    for _ in 0..repeats {
        for content in &stored {
            serde_json::from_slice::<PageContent>(content)?;
        }
    }
    watch.print_stage(&mut out, "take up again")?;
    for _ in 0..repeats {
        audit(&contents, &mut watch, &mut out)?;
    }
    Ok(())
}

fn audit(
    contents: &[PageContent],
    watch: &mut Stopwatch,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let scope = CrawlScope::from_url(&Url::parse("http://localhost/")?);
    let mut site = SiteGraph::new("http://localhost/", scope.clone());
    let fingerprints: Vec<_> = { contents.iter() }
        .map(|it| site.add_page(it).fingerprint)
        .collect();
    watch.print_stage(out, "cards")?;
    let of = |at: usize| shingles(&contents[at].text.main.text());
    let duplicates = clusters(&fingerprints, |a, b| jaccard(&of(a), &of(b)));
    let links = LinkFacts::of(&site);
    let issues = site_issues(&site, &links, &duplicates, &SiteContext::default());
    let index = SiteIndex::new(&site, &links, &duplicates, &issues);
    watch.print_stage(out, "site")?;
    let mut summary = ContentSummary::default();
    for (number, page) in contents.iter().enumerate() {
        let own = own_issues(page, &scope);
        let url = site.nodes[number].url;
        let context = ContentContext {
            finding: schema::FindingContext {
                project_id: 1,
                measured_at: DateTime::<Utc>::UNIX_EPOCH,
            },
            kind: page_kind(page),
            scope: &scope,
            keywords: &[],
        };
        let all = issues.with_page(url, own);
        let record = content_record(page, index.page_facts(number), all, &context);
        serde_json::to_vec(&record)?;
        summary.add(&record);
    }
    watch.print_stage(out, "records")?;
    let summary = summary.finished();
    writeln!(
        out,
        "health {:?}, {:?}",
        summary.health_score, summary.weighted_health
    )?;
    for (code, count) in &summary.issues {
        let example = count.examples.first().map_or("", String::as_str);
        writeln!(
            out,
            "  {:6} {:6} {} {example}",
            count.urls,
            count.occurrences,
            code.as_str()
        )?;
    }
    Ok(())
}

fn own_issues(page: &PageContent, scope: &CrawlScope) -> Vec<analysis::findings::issues::Issue> {
    let input = schema::PageInput {
        url: &page.url,
        data: &page.structured_data,
        visible_text: page.text.visible.as_deref(),
        days: &page.metadata.days_of_time_elements(),
        template: None,
        rendered_only: false,
    };
    let context = schema::FindingContext {
        project_id: 1,
        measured_at: DateTime::<Utc>::UNIX_EPOCH,
    };
    let record = schema::evaluate_page(&input, &context);
    page_issues(
        page,
        &PageContext {
            kind: page_kind(page),
            scope,
            schema: Some(&record),
            vitals: &[],
            keywords: &[],
            has_traffic: None,
        },
    )
}

fn load(folder: &str) -> Result<Vec<(Url, Vec<u8>)>, Failure> {
    let mut pages = Vec::new();
    for file in html_files(Path::new(folder))? {
        let below = file.strip_prefix(folder)?.display().to_string();
        pages.push((
            Url::parse(&format!("http://localhost/{below}"))?,
            fs::read(file)?,
        ));
    }
    Ok(pages)
}

/// Prints CPU time per page since the last call.
struct Stopwatch {
    pages: f64,
    last: f64,
}

impl Stopwatch {
    fn start(pages: usize, repeats: u32) -> Result<Self, Failure> {
        Ok(Self {
            pages: f64::from(u32::try_from(pages)?) * f64::from(repeats),
            last: cpu_time()?,
        })
    }

    fn print_stage(&mut self, out: &mut impl Write, stage: &str) -> Result<(), Failure> {
        let now = cpu_time()?;
        writeln!(out, "{:8.3} ms  {stage}", (now - self.last) / self.pages)?;
        self.last = now;
        Ok(())
    }
}
