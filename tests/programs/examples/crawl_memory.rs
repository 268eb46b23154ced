//! Measures the memory of a crawl and its findings: `crawl_memory PAGES` serves a generated site with 60 links per page
//! on loopback, crawls it with a journal on disk, evaluates it in two passes, and prints the resident memory in MB
//! after each stage.

use analysis::{
    document::Document,
    findings::{
        broken_links::{FindingContext, PreviousBrokenLinks},
        evaluate,
        site_collector::{AuditContext, SiteCollector},
    },
    observation::web_site::CrawlStep,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use crawler::{AiRobots, CrawlerSettings, PoliteReader};
use domain::ports::{
    clock::Clock,
    randomness::Randomness,
    site_reader::{
        Continue, CrawlJournal, CrawlPlan, CrawlProgress, CrawlStart, JournalError, RecordedPages,
        RecordedStep, Rendering, SiteReader,
    },
};
use std::{
    fmt::Write as _,
    fs::File,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    os::unix::fs::FileExt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::runtime::Handle;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let pages: u32 = { std::env::args().nth(1) }
        .ok_or("how many pages?")?
        .parse()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let start = format!("http://{}/", listener.local_addr()?);
    std::thread::spawn(move || serve(&listener, pages));
    print_memory("begin")?;
    let settings = CrawlerSettings {
        allow_networks: vec!["127.0.0.0/8".parse()?],
        per_host_delay: Duration::ZERO,
        connections_per_host: 8,
        ..CrawlerSettings::default()
    };
    let reader = PoliteReader::new(settings, Arc::new(FixedClock), Arc::new(FixedRandomness));
    let plan = CrawlPlan {
        start: CrawlStart::Url(start),
        max_pages: pages,
        max_depth: 1_000,
        check_external: false,
        render: Rendering::No,
    };
    let journal = DiskJournal::new()?;
    let site = reader.read(&plan, &journal).await?;
    let (read, checks) = (site.pages.len(), site.checks.len());
    print_memory(&format!("{read} pages and {checks} checks read"))?;
    let context = FindingContext {
        project_id: 0,
        measured_at: FixedClock.now(),
    };
    let robots = AiRobots::of(site.robots.as_ref());
    let robots = move |url: &str| robots.verdicts(url);
    let mut cards = SiteCollector::of(site, PreviousBrokenLinks::default());
    let mut recorded = RecordedPages::of(&journal);
    while let Some(part) = recorded.next_part().await? {
        for page in &part {
            cards.add(&page.page);
        }
    }
    print_memory("first walk")?;
    let context = AuditContext {
        finding: context,
        ..AuditContext::default()
    };
    let known = cards.finish(&robots);
    print_memory("complete")?;
    let mut recorded = RecordedPages::of(&journal);
    let parts = std::iter::from_fn(|| {
        let next = recorded.next_part();
        let part = tokio::task::block_in_place(|| Handle::current().block_on(next));
        part.ok().flatten()
    });
    let mut records = 0_usize;
    let pages = parts.flatten().map(|it| it.page);
    let summaries = evaluate(&known, &context, &robots, pages, |_| records += 1);
    print_memory(&format!(
        "second walk: {records} records of {} types",
        summaries.len()
    ))?;
    let history = Document::of(&known.into_link_history(&context));
    print_memory(&format!("history of {} bytes", history.as_str().len()))
}

/// Current and peak resident memory from `/proc`.
fn print_memory(stage: &str) -> Result<(), Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let of = |name: &str| {
        let line = status.lines().find(|it| it.starts_with(name));
        let number = line.and_then(|it| it.split_whitespace().nth(1));
        number.map_or(0, |it| it.parse::<u64>().unwrap_or_default() / 1024)
    };
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{:5} MB now, {:5} MB at most: {stage}",
        of("VmRSS:"),
        of("VmHWM:")
    )?;
    Ok(())
}

struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH
    }
}

struct FixedRandomness;

impl Randomness for FixedRandomness {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

/// Steps as JSON in a file; their offsets in memory.
struct DiskJournal {
    file: File,
    ends: Mutex<Vec<u64>>,
}

impl DiskJournal {
    fn new() -> Result<Self, Failure> {
        Ok(Self {
            file: tempfile::tempfile()?,
            ends: Mutex::new(vec![0]),
        })
    }

    fn read(&self, behind: Option<i64>) -> Result<Vec<RecordedStep>, Failure> {
        let ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        let from = behind.map_or(0, |it| it + 1);
        let mut steps = Vec::new();
        for place in from..from + 50 {
            let at = usize::try_from(place)?;
            let Some([start, end]) = ends.get(at..at + 2) else {
                break;
            };
            let mut body = vec![0; usize::try_from(end - start)?];
            self.file.read_exact_at(&mut body, *start)?;
            let step = serde_json::from_slice(&body)?;
            steps.push(RecordedStep {
                sequence: place,
                step,
            });
        }
        Ok(steps)
    }

    fn write(&self, steps: &[CrawlStep]) -> Result<(), Failure> {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        for step in steps {
            let body = serde_json::to_vec(step)?;
            let end = ends.last().copied().unwrap_or_default();
            self.file.write_all_at(&body, end)?;
            ends.push(end + body.len() as u64);
        }
        Ok(())
    }
}

#[async_trait]
impl CrawlJournal for DiskJournal {
    async fn recorded(&self, behind: Option<i64>) -> Result<Vec<RecordedStep>, JournalError> {
        self.read(behind).map_err(JournalError)
    }

    async fn record(&self, steps: &[CrawlStep]) -> Result<Continue, JournalError> {
        self.write(steps).map_err(JournalError)?;
        Ok(Continue::Yes)
    }

    fn progress(&self, _: CrawlProgress) {}
}

fn serve(listener: &TcpListener, pages: u32) {
    for stream in listener.incoming().flatten() {
        std::thread::Builder::new()
            .stack_size(128 << 10)
            .spawn(move || answer(stream, pages))
            .ok();
    }
}

fn answer(stream: TcpStream, pages: u32) -> Option<()> {
    let mut out = stream.try_clone().ok()?;
    let mut lines = BufReader::new(stream).lines();
    loop {
        let request = lines.next()?.ok()?;
        while !lines.next()?.ok()?.is_empty() {}
        let path = request.split_whitespace().nth(1)?;
        let page = page_number(path).filter(|it| *it < pages);
        let (status, body) = match page {
            Some(number) => ("200 OK", page_of(number, pages)),
            None => ("404 Not Found", String::from("<p>There is no such page")),
        };
        write!(
            out,
            "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .ok()?;
    }
}

fn page_number(path: &str) -> Option<u32> {
    if path == "/" {
        return Some(0);
    }
    path.strip_prefix("/section/page-number-")?.parse().ok()
}

fn page_of(number: u32, pages: u32) -> String {
    let mut state = u64::from(number) + 1;
    let mut next = |below: u32| {
        // SplitMix64 (Steele and others).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u32::try_from((mixed ^ (mixed >> 31)) % u64::from(below)).unwrap_or_default()
    };
    let mut html = format!(
        "<!doctype html><html lang=en><title>Page number {number} of the catalogue</title>\
         <meta name=description content=\"What page number {number} of the catalogue says in short\">\
         <h1 id=top-{number}>Page number {number}</h1><nav>"
    );
    for item in 0..10 {
        let _ = write!(
            html,
            "<a href=/section/page-number-{item}>Section {item}</a> "
        );
    }
    html.push_str("</nav><main>");
    for child in 1..=10 {
        let _ = write!(
            html,
            "<a href=/section/page-number-{}>child {child}</a> ",
            (u64::from(number) * 10 + child) % u64::from(pages)
        );
    }
    for paragraph in 0..6 {
        let _ = write!(html, "<h2 id=part-{paragraph}>Part {paragraph}</h2><p>");
        for _ in 0..40 {
            let _ = write!(html, "word{} ", next(5_000));
        }
        for _ in 0..6 {
            let target = next(pages);
            let _ = write!(
                html,
                "<a href=/section/page-number-{target}>see {target}</a> "
            );
        }
    }
    let target = next(pages);
    let _ = write!(
        html,
        "<a href=/section/page-number-{target}#part-3>part</a> \
         <a href=/section/page-number-{target}#PART-2>another</a> \
         <a href=/gone/{}>gone</a> <img src=/pictures/{}.png alt=picture> \
         <a href=mailto:nobody>write</a></main>",
        next(1_000),
        next(1_000)
    );
    html
}
