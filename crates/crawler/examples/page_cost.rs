//! Says what reading pages costs: `page_cost FOLDER [REPEATS]` prints milliseconds of CPU time per page
//! of all HTML files below a folder, for reading alone and for writing the content down as JSON.

use analysis::observation::page_content::PageContent;
use crawler::extract::{Arrival, read_page};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let folder = words.next().ok_or("a folder is needed")?;
    let repeats: u32 = words.next().map_or(Ok(1), |it| it.parse())?;
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files)?;
    files.sort();
    let mut pages = Vec::new();
    for file in &files {
        let url = url::Url::parse(&format!("http://localhost{}", file.display()))?;
        pages.push((url, fs::read(file)?));
    }
    let read = |it: &(url::Url, Vec<u8>)| read_page(Arrival::loose(&it.1, None, &it.0));
    let mut contents: Vec<PageContent> = Vec::new();
    let begun = cpu_time()?;
    for _ in 0..repeats {
        contents = pages.iter().map(read).collect();
    }
    let reading = cpu_time()? - begun;
    let begun = cpu_time()?;
    let mut bytes = 0;
    for _ in 0..repeats {
        bytes = 0;
        for content in &contents {
            bytes += serde_json::to_string(content)?.len();
        }
    }
    let writing = cpu_time()? - begun;
    let count = f64::from(u32::try_from(pages.len())?) * f64::from(repeats);
    let size: usize = pages.iter().map(|it| it.1.len()).sum();
    writeln!(
        std::io::stdout(),
        "{} pages, {} KB each, {:.3} ms to read, {:.3} ms to write {} KB",
        pages.len(),
        size / pages.len().max(1) / 1024,
        reading / count,
        writing / count,
        bytes / pages.len().max(1) / 1024
    )?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|it| it == "html") {
            files.push(path);
        }
    }
    Ok(())
}

/// Milliseconds that this thread has run (Linux).
fn cpu_time() -> Result<f64, Box<dyn std::error::Error>> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = text.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanoseconds / 1e6)
}
