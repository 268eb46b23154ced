//! Measures pages in a real browser (bytes, first paint), and takes screenshots.
//!
//! `pages figures PROGRAM` prints a table for docs/contribute/performance.md; `pages screens PROGRAM FOLDER` writes screenshots of
//! the demo's pages. PROGRAM is a release build of `sightline`.
#![expect(clippy::print_stdout, reason = "figures are printed")]
#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on fails")]

use analysis::result_type::ResultType;
use harness::{callers::client, chromium::Tab};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;

const EMAIL: &str = "ann@example.com";
const PASSWORD: &str = "a walrus under 7 umbrellas";
const REQUEST_COUNT: usize = 41;
/// Loads with an empty cache.
const LOAD_COUNT: usize = 5;
/// Killed when dropped.
struct RunningProcess(Child);

impl Drop for RunningProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["figures", program] => figures(Path::new(program)).await,
        ["screens", program, folder] => screens(Path::new(program), Path::new(folder)).await,
        _ => println!("pages figures PROGRAM | pages screens PROGRAM FOLDER"),
    }
}

/// The program with its own folder.
struct ProgramFolder<'a> {
    program: &'a Path,
    folder: TempDir,
    address: String,
}

impl<'a> ProgramFolder<'a> {
    fn new(program: &'a Path) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        Self {
            program,
            folder: TempDir::with_prefix("sightline-pages-").unwrap(),
            address: free.local_addr().unwrap().to_string(),
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let place = self.folder.path();
        let mut command = Command::new(self.program);
        command
            .args(arguments)
            .env_clear()
            .env("HOME", place)
            .env("TMPDIR", place)
            .env(
                "SIGHTLINE_DATABASE_URL",
                format!("sqlite://{}/data.db", place.display()),
            )
            .env("SIGHTLINE_LISTEN", &self.address)
            .current_dir(place)
            .stderr(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str], input: &str) -> String {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut running = command.spawn().unwrap();
        writeln!(running.stdin.take().unwrap(), "{input}").unwrap();
        let ended = running.wait_with_output().unwrap();
        assert!(ended.status.success(), "{arguments:?}");
        String::from_utf8(ended.stdout).unwrap().trim().to_owned()
    }

    fn origin(&self) -> String {
        format!("http://{}", self.address)
    }
}

async fn call(origin: &str, token: &str, method: &str, path: &str, body: Value) -> Value {
    loop {
        let request = client().request(
            method.parse().unwrap(),
            format!("{origin}/api/agent/v1{path}"),
        );
        let request = request.bearer_auth(token).json(&body);
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        if status == 429 {
            tokio::time::sleep(Duration::from_secs(2)).await;
            continue;
        }
        let text = answer.text().await.unwrap();
        assert!((200..300).contains(&status), "{path}: {status} {text}");
        return serde_json::from_str(&text).unwrap();
    }
}

/// Creates a project with keywords and runs a rank check; returns its path.
async fn project(origin: &str, token: &str, keywords: usize) -> String {
    let body = json!({ "domain": format!("shop{keywords}.example.com"), "name": format!("{keywords} keywords") });
    let id = call(origin, token, "POST", "/projects", body).await["id"].clone();
    let texts: Vec<String> = (0..keywords)
        .map(|it| format!("running shoes {it}"))
        .collect();
    for part in texts.chunks(1_000) {
        let path = format!("/projects/{id}/keywords");
        call(origin, token, "POST", &path, json!({ "keywords": part })).await;
    }
    let body = json!({ "type": "rankCheck", "projectId": id });
    let job = call(origin, token, "POST", "/analyze", body).await["id"].clone();
    loop {
        let path = format!("/analyze?jobId={job}&wait=20");
        let state =
            call(origin, token, "GET", &path, json!(null)).await["items"][0]["status"].clone();
        if state == "succeeded" {
            return format!("/projects/{id}");
        }
        assert!(state != "failed" && state != "partial", "{state}");
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Median milliseconds of the whole response.
async fn server_time(origin: &str, cookie: &str, path: &str) -> f64 {
    let client = client();
    let mut times = Vec::new();
    for _ in 0..REQUEST_COUNT {
        let request = client.get(format!("{origin}{path}"));
        let request = request.header("Cookie", format!("plain-sid={cookie}"));
        let request = request
            .header("Accept", "text/html")
            .header("Accept-Encoding", "gzip");
        let began = Instant::now();
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 200, "{path}");
        answer.bytes().await.unwrap();
        times.push(1e3 * began.elapsed().as_secs_f64());
    }
    median(times)
}

/// Bytes of the page, its styles and its scripts with an empty cache, and the median first paint in milliseconds.
async fn load(origin: &str, cookie: &str, path: &str) -> (u64, f64) {
    let (mut bytes, mut paints) = (0, Vec::new());
    for _ in 0..LOAD_COUNT {
        let tab = Tab::open(origin).await;
        tab.set_cookie("plain-sid", Some(cookie)).await;
        tab.go(path).await;
        let paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null";
        tab.wait_until("it is painted", &format!("({paint}) !== null"))
            .await;
        paints.push(tab.eval(paint).await.as_f64().unwrap());
        let sent = tab.requests();
        let counted = sent
            .iter()
            .filter(|it| ["Document", "Stylesheet", "Script"].contains(&it.kind.as_str()));
        bytes = counted.filter_map(|it| it.bytes).sum();
    }
    (bytes, median(paints))
}

async fn figures(program: &Path) {
    let place = ProgramFolder::new(program);
    place.run(&["migrate"], "");
    place.run(
        &["account", "create", "--email", EMAIL, "--name", "Ann"],
        "",
    );
    place.run(
        &[
            "account",
            "limits",
            "--email",
            EMAIL,
            "--keywords",
            "20000",
            "--keywords-per-project",
            "20000",
        ],
        "",
    );
    place.run(&["account", "password", "--email", EMAIL], PASSWORD);
    let token = place.run(&["token", "create", "--email", EMAIL, "--name", "t"], "");
    let mut command = place.command(&["serve"]);
    // The measurement must not hit rate limits.
    for policy in ["READS", "WRITES", "ACCOUNT", "ANONYMOUS"] {
        for part in ["PER_MINUTE", "BURST"] {
            command.env(format!("SIGHTLINE_LIMITS__{policy}_{part}"), "1000000");
        }
    }
    let _server = RunningProcess(command.stdout(Stdio::null()).spawn().unwrap());
    while std::net::TcpStream::connect(&place.address).is_err() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let origin = place.origin();
    let small = project(&origin, &token, 100).await;
    let large = project(&origin, &token, 10_000).await;
    let tab = Tab::open(&origin).await;
    sign_in(&tab, EMAIL, PASSWORD).await;
    let cookie = tab.cookie("plain-sid").await.unwrap();
    println!(
        "| page | kB, compressed | first paint, ms | server, 100 keywords, ms | server, 10,000, ms |"
    );
    println!("| --- | ---: | ---: | ---: | ---: |");
    let mut paths: Vec<String> = ["", "/keywords", "/settings"].map(str::to_owned).to_vec();
    paths.extend(ResultType::ALL.map(|it| format!("/results/{}", it.name())));
    for end in paths {
        let (bytes, paint) = load(&origin, &cookie, &format!("{large}{end}")).await;
        let with_few = server_time(&origin, &cookie, &format!("{small}{end}")).await;
        let with_many = server_time(&origin, &cookie, &format!("{large}{end}")).await;
        print_row(
            &format!("/projects/{{id}}{end}"),
            bytes,
            paint,
            &format!("{with_few:.1}"),
            &format!("{with_many:.1}"),
        );
    }
    for path in [
        "/",
        "/analyses",
        "/keyword-research",
        "/docs",
        "/settings/account",
        "/settings/api-tokens",
        "/settings/report-defaults",
        "/settings/models",
        "/settings/usage",
    ] {
        let (bytes, paint) = load(&origin, &cookie, path).await;
        let time = server_time(&origin, &cookie, path).await;
        print_row(path, bytes, paint, "", &format!("{time:.1}"));
    }
}

fn print_row(path: &str, bytes: u64, paint: f64, few: &str, many: &str) {
    let tenths = bytes / 100;
    println!(
        "| `{path}` | {}.{} | {paint:.0} | {few} | {many} |",
        tenths / 10,
        tenths % 10
    );
}

async fn sign_in(tab: &Tab, email: &str, password: &str) {
    tab.go("/sign-in").await;
    tab.fill("E-mail", email).await;
    tab.fill("Password", password).await;
    tab.click("button", "Sign in").await;
    tab.wait_for_path("/").await;
}

async fn screens(program: &Path, folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    first_run(program, folder).await;
    let place = ProgramFolder::new(program);
    let mut command = place.command(&["demo"]);
    command.env_remove("SIGHTLINE_DATABASE_URL");
    let mut demo = RunningProcess(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(demo.0.stdout.take().unwrap()).lines();
    let password = lines
        .find_map(|it| Some(it.ok()?.trim().strip_prefix("password")?.trim().to_owned()))
        .expect("the demo says who signs in");
    std::thread::spawn(move || lines.for_each(drop));
    let tab = Tab::open(place.origin()).await;
    tab.go("/sign-in").await;
    save_screenshots(&tab, folder, "sign-in", true).await;
    sign_in(&tab, "demo@sightline.example", &password).await;
    save_screenshots(&tab, folder, "projects", true).await;
    let found = tab.eval("['Simulated market', 'Audited site'].map((name) => [...document.querySelectorAll('.project h2 a')].find((it) => it.textContent === name).getAttribute('href'))").await;
    let (market, audited) = (found[0].as_str().unwrap(), found[1].as_str().unwrap());
    for (name, path, is_main) in static_pages(market, audited) {
        tab.go(&path).await;
        save_screenshots(&tab, folder, &name, is_main).await;
    }
    dynamic_pages(&tab, folder, market).await;
}

/// The page that creates the owner's account.
async fn first_run(program: &Path, folder: &Path) {
    let place = ProgramFolder::new(program);
    place.run(&["migrate"], "");
    let mut command = place.command(&["serve"]);
    let mut server = RunningProcess(command.stderr(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(server.0.stderr.take().unwrap()).lines();
    let code = lines
        .find_map(|it| {
            let line = it.ok()?;
            let (_, behind) = line.split_once("/welcome#")?;
            Some(behind.split_whitespace().next()?.to_owned())
        })
        .expect("the server says where to begin");
    std::thread::spawn(move || lines.for_each(drop));
    let tab = Tab::open(place.origin()).await;
    tab.go(&format!("/welcome#{code}")).await;
    save_screenshots(&tab, folder, "welcome", true).await;
}

/// Name, path, and whether a narrow screenshot is taken, of pages rendered on the server.
fn static_pages(market: &str, audited: &str) -> Vec<(String, String, bool)> {
    use ResultType as Type;
    let mut pages: Vec<(String, String, bool)> = vec![
        ("overview".into(), market.into(), true),
        ("keywords".into(), format!("{market}/keywords"), true),
        (
            "project-settings".into(),
            format!("{market}/settings"),
            false,
        ),
    ];
    for kind in ResultType::ALL {
        let is_of_the_site = matches!(
            kind,
            Type::Content
                | Type::Eeat
                | Type::GeoScore
                | Type::Schema
                | Type::BrokenLinks
                | Type::ContentChanges
                | Type::Vitals
        );
        let project = if is_of_the_site { audited } else { market };
        let is_main = matches!(
            kind,
            Type::Rankings | Type::AiVisibility | Type::Suggestions | Type::Forecast
        );
        let name = kind.name();
        pages.push((name.into(), format!("{project}/results/{name}"), is_main));
    }
    for (name, path) in [
        ("analyses", "/analyses"),
        ("docs", "/docs"),
        ("settings-account", "/settings/account"),
        ("settings-api-tokens", "/settings/api-tokens"),
        ("settings-report-defaults", "/settings/report-defaults"),
        ("settings-models", "/settings/models"),
        ("settings-usage", "/settings/usage"),
    ] {
        pages.push((name.into(), path.into(), false));
    }
    pages
}

/// Pages filled by scripts: keyword research, content plan, gap check.
async fn dynamic_pages(tab: &Tab, folder: &Path, project: &str) {
    tab.go("/keyword-research").await;
    tab.choose("For the project", "Simulated market").await;
    tab.fill("Keyword", "trail running shoes").await;
    tab.click_in("#research", "button", "Look it up").await;
    tab.wait_until("its ideas are there", "document.querySelector('#answer:not([hidden]) .ideas tbody tr') !== null && document.querySelector('#searching').hidden").await;
    save_screenshots(tab, folder, "keyword-research", true).await;
    tab.click_in("#answer", "button", "All shown").await;
    tab.click_in("#answer", "button", "Save into a project")
        .await;
    tab.wait_until(
        "the dialog is open",
        "document.querySelector('dialog[open] #save-title') !== null",
    )
    .await;
    save_screenshots(tab, folder, "bulk-save", false).await;
    tab.press("Escape").await;
    tab.click_in("#answer", "button", "Make a content plan")
        .await;
    tab.click_in("dialog", "button", "Save the plan").await;
    tab.wait_until(
        "the plan is saved",
        "document.querySelector('#plan-title').textContent === 'The plan is saved'",
    )
    .await;
    tab.click_through("dialog", "link", "Open the plan").await;
    tab.wait_for_path_prefix(&format!("{project}/content-plans/"))
        .await;
    tab.wait_until(
        "its items are there",
        "document.querySelector('#plan .items li') !== null",
    )
    .await;
    save_screenshots(tab, folder, "content-plan", true).await;
    tab.go(&format!("{project}/content-plans")).await;
    tab.wait_for_text("trail running shoes").await;
    save_screenshots(tab, folder, "content-plans", false).await;
    tab.eval(&format!("({IMPORT})('{project}')")).await;
    tab.go(&format!("{project}/gap-check")).await;
    tab.wait_until("it is checked", "document.querySelector('#gap tbody tr') !== null && document.querySelector('#gap-progress').hidden").await;
    save_screenshots(tab, folder, "gap-check", true).await;
}

/// Imports Search Console rows for every third tracked keyword and for some others.
const IMPORT: &str = r"async (project) => {
  const { csrfToken } = await (await fetch('/api/session')).json();
  const { items } = await (await fetch(`/api${project}/keywords?limit=200`)).json();
  const { domain } = await (await fetch(`/api${project}`)).json();
  const date = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
  const row = (query, place) => ({ date, query, page: `https://${domain}/guides/${place % 7}`, impressions: 40 + (place * 97) % 900, clicks: (place * 13) % 37, position: 1 + (place * 5) % 23 });
  const followed = items.filter((_, place) => place % 3 === 0).map((it) => it.text);
  const beside = items.slice(0, 24).flatMap((it) => [`${it.text} near me`, `cheap ${it.text}`]);
  const rows = [...new Set([...followed, ...beside])].map(row);
  const answer = await fetch(`/api${project}/search-console`, { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': csrfToken }, body: JSON.stringify({ rows }) });
  if (!answer.ok) throw new Error(await answer.text());
}";

/// Screenshots in light and dark, wide and for main pages narrow. The quality is reduced until the file is small enough
/// for the repository.
async fn save_screenshots(tab: &Tab, folder: &Path, name: &str, is_main: bool) {
    const MAX_BYTES: usize = 150_000;
    let widths: &[u32] = if is_main { &[1440, 360] } else { &[1440] };
    for width in widths {
        tab.set_viewport(*width, 900, 1.0).await;
        // The viewport is as high as the page; dialogs use a normal screen.
        let high = tab
            .eval("document.querySelector('dialog[open]') ? 0 : document.documentElement.scrollHeight")
            .await;
        let high = high.as_u64().map_or(900, |it| it.clamp(900, 2_400));
        tab.set_viewport(*width, u32::try_from(high).unwrap(), 1.0)
            .await;
        for (dark, scheme) in [(false, "light"), (true, "dark")] {
            tab.set_dark(dark).await;
            let file = folder.join(format!("{name}-{width}-{scheme}.webp"));
            for quality in [82, 70, 55, 40, 25] {
                if tab.screenshot(&file, quality).await < MAX_BYTES {
                    break;
                }
            }
        }
    }
    tab.set_dark(false).await;
    tab.set_viewport(1440, 900, 1.0).await;
}
