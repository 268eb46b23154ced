//! Soft 404 detection: one request for a random URL per directory.

use crate::extract::read_main_text;
use crate::fetch::{Fetcher, RobotsCache, Want};
use analysis::{
    observation::{page_content::MainText, page_url::normalize, web_site::DirectoryProbe},
    text::similarity::{jaccard, shingles},
};
use domain::ports::randomness::Randomness;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::OnceCell;
use url::Url;

/// Probes with fewer shingles are not comparable: shells filled by scripts.
const MIN_SHINGLES: usize = 8;
const LETTERS: usize = 25;

type Cell = Arc<OnceCell<DirectoryProbe>>;

#[derive(Default)]
pub struct Probes {
    cells: Mutex<HashMap<String, Cell>>,
}

impl Probes {
    pub fn with(known: Vec<DirectoryProbe>) -> Self {
        let cells = known.into_iter().map(|probe| {
            let directory = probe.directory.clone();
            (directory, Arc::new(OnceCell::new_with(Some(probe))))
        });
        Self {
            cells: Mutex::new(cells.collect()),
        }
    }

    /// Similarity of a page to its directory's probe; and the probe, if it was made now.
    pub async fn compare(
        &self,
        page: &Url,
        main_text: &MainText,
        context: &ProbeContext<'_>,
    ) -> (Option<f64>, Option<DirectoryProbe>) {
        let Some(directory) = directory_of(page) else {
            return (None, None);
        };
        let cell = {
            let mut cells = self.cells.lock().expect("no code panics while holding it");
            Arc::clone(cells.entry(directory.to_string()).or_default())
        };
        let mut fresh = None;
        let probe = cell
            .get_or_init(|| async {
                let probe = context.probe(&directory).await;
                fresh = Some(probe.clone());
                probe
            })
            .await;
        let known = probe.shingles.as_deref();
        let comparable = known.filter(|it| it.len() >= MIN_SHINGLES);
        let similarity = comparable.map(|it| jaccard(it, &shingles(&main_text.text())));
        (similarity, fresh)
    }
}

pub struct ProbeContext<'a> {
    pub fetcher: &'a Fetcher,
    pub robots: &'a RobotsCache,
    pub randomness: &'a dyn Randomness,
}

impl ProbeContext<'_> {
    async fn probe(&self, directory: &Url) -> DirectoryProbe {
        let empty = DirectoryProbe {
            directory: directory.to_string(),
            shingles: None,
        };
        let Ok(probe_url) = directory.join(&letters(self.randomness)) else {
            return empty;
        };
        if !self.robots.allows(self.fetcher, &probe_url).await {
            return empty;
        }
        let answer = self
            .fetcher
            .fetch_with_retries(&probe_url, Want::Html, Some(self.robots))
            .await;
        let is_html = answer.fetched.is_success() && answer.fetched.is_html();
        let Some(body) = answer.body.filter(|_| is_html && !answer.blocked) else {
            return empty;
        };
        let charset = answer.charset;
        let read = tokio::task::spawn_blocking(move || {
            shingles(&read_main_text(&body.bytes, charset.as_deref()))
        });
        DirectoryProbe {
            shingles: read.await.ok(),
            ..empty
        }
    }
}

/// `None` for a host's start page, because a site may answer everything with it.
fn directory_of(page: &Url) -> Option<Url> {
    let path = page.path().trim_end_matches('/');
    let (directory, _) = path.rsplit_once('/')?;
    let mut url = page.clone();
    url.set_query(None);
    url.set_path(&format!("{directory}/"));
    Url::parse(&normalize(&url).0).ok()
}

fn letters(randomness: &dyn Randomness) -> String {
    let mut bytes = [0; LETTERS];
    randomness.fill(&mut bytes);
    bytes.iter().map(|it| char::from(b'a' + it % 26)).collect()
}
