//! The file of `--snapshot`: the site as the next audit compares it.
//!
//! After a header line, each page has a header (JSON) and a compressed body, each after its length and CRC-32 (four
//! bytes each). The next audit reads pages by offset and writes a new file that finally replaces the old one, so an
//! interrupted audit loses nothing. A running audit locks the file.

use super::locked_file::LockedFile;
use analysis::findings::site_changes::{EarlierPage, PageMemory};
use analysis::observation::page_content::PageContent;
use anyhow::{Context, bail};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::kept_pages::Validators;
use domain::ports::site_reader::{EarlierPages, JournalError};
use domain::use_cases::recording::PAGES_KEPT_FOR;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::io::{BufWriter, Write};
use std::ops::Bound;
use std::os::unix::fs::FileExt;
use std::path::Path;
use storage::as_owner_of;
use tempfile::NamedTempFile;
use worker::packing::{journal_error, packed, unpacked};

const HEADER_LINE: &[u8] = b"sightline audit: pages, version 1\n";
/// Bytes of a length and of a checksum.
const NUMBER_BYTES: usize = 4;
const URL_BATCH: usize = 500;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageHeader {
    url: String,
    visited_at: DateTime<Utc>,
    etag: Option<String>,
    last_modified: Option<String>,
}

#[derive(Debug)]
struct IndexEntry {
    head: PageHeader,
    offset: u64,
    length: usize,
}

#[derive(Debug)]
pub(super) struct KeptSite {
    /// Empty on the first audit.
    locked: LockedFile,
    /// By URL.
    entries: BTreeMap<String, IndexEntry>,
}

impl KeptSite {
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let failure = || format!("cannot store pages in {}", path.display());
        let mut kept = Self {
            locked: LockedFile::open(path).with_context(failure)?,
            entries: BTreeMap::new(),
        };
        kept.build_index().with_context(failure)?;
        Ok(kept)
    }

    fn build_index(&mut self) -> anyhow::Result<()> {
        let file = &self.locked.file;
        let end = file.metadata()?.len();
        if end == 0 {
            return Ok(());
        }
        let mut first = vec![0; HEADER_LINE.len()];
        let is_known_format = file.read_exact_at(&mut first, 0).is_ok() && first == HEADER_LINE;
        if !is_known_format {
            bail!("it was not written by `sightline audit --snapshot`; choose another file");
        }
        let mut at = HEADER_LINE.len() as u64;
        let number = |at: u64| {
            let mut number = [0; NUMBER_BYTES];
            file.read_exact_at(&mut number, at)?;
            io::Result::Ok(u32::from_be_bytes(number))
        };
        let part = |at: &mut u64| {
            let length = number(*at)? as usize;
            let offset = *at + 2 * NUMBER_BYTES as u64;
            if offset + length as u64 > end {
                bail!("it is truncated: delete it, and the next audit starts without it");
            }
            let mut bytes = vec![0; length];
            file.read_exact_at(&mut bytes, offset)?;
            if crc32fast::hash(&bytes) != number(*at + NUMBER_BYTES as u64)? {
                bail!("it is damaged: delete it, and the next audit starts without it");
            }
            *at = offset + length as u64;
            Ok((offset, bytes))
        };
        while at < end {
            let (_, head) = part(&mut at)?;
            let head: PageHeader = serde_json::from_slice(&head)?;
            let (offset, body) = part(&mut at)?;
            let entry = IndexEntry {
                head,
                offset,
                length: body.len(),
            };
            self.entries.insert(entry.head.url.clone(), entry);
        }
        Ok(())
    }

    pub(super) fn last_visit(&self) -> Option<DateTime<Utc>> {
        self.entries.values().map(|it| it.head.visited_at).max()
    }

    pub(super) fn earlier(&self, url: &str) -> Result<Option<EarlierPage>, JournalError> {
        let Some(entry) = self.entries.get(url) else {
            return Ok(None);
        };
        unpacked(&self.body(entry)?).map(Some)
    }

    pub(super) fn validators_of(&self, url: &str) -> Validators {
        let head = self.entries.get(url).map(|it| &it.head);
        head.map_or_else(Validators::default, |it| Validators {
            etag: it.etag.clone(),
            last_modified: it.last_modified.clone(),
        })
    }

    fn write_failure(&self) -> String {
        format!("cannot store pages in {}", self.locked.path.display())
    }

    fn body(&self, entry: &IndexEntry) -> Result<Vec<u8>, JournalError> {
        let mut body = vec![0; entry.length];
        self.locked
            .file
            .read_exact_at(&mut body, entry.offset)
            .map_err(journal_error)?;
        Ok(body)
    }
}

#[async_trait]
impl EarlierPages for KeptSite {
    async fn validators(
        &self,
        urls: &[String],
    ) -> Result<HashMap<String, Validators>, JournalError> {
        let all = urls
            .iter()
            .map(|url| (url.clone(), self.validators_of(url)));
        Ok(all.filter(|it| !it.1.is_empty()).collect())
    }

    async fn page(&self, url: &str) -> Result<Option<PageContent>, JournalError> {
        let earlier = tokio::task::block_in_place(|| self.earlier(url));
        // An unreadable page is fetched again.
        Ok(earlier.ok().flatten().map(|it| it.page))
    }

    async fn urls(&self, behind: Option<String>) -> Result<Vec<String>, JournalError> {
        let from = behind.map_or(Bound::Unbounded, Bound::Excluded);
        let urls = self.entries.range((from, Bound::Unbounded));
        Ok(urls.take(URL_BATCH).map(|it| it.0.clone()).collect())
    }
}

pub(super) struct KeptSiteWriter<'a> {
    kept: &'a KeptSite,
    out: BufWriter<NamedTempFile>,
    written: HashSet<String>,
}

impl<'a> KeptSiteWriter<'a> {
    pub(super) fn create(kept: &'a KeptSite) -> anyhow::Result<Self> {
        let folder = kept
            .locked
            .path
            .parent()
            .filter(|it| !it.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let file = as_owner_of(&kept.locked.requested_path, || {
            NamedTempFile::new_in(folder)
        })
        .flatten();
        let file = file.with_context(|| {
            format!(
                "cannot create a file in the directory of {}",
                kept.locked.path.display()
            )
        })?;
        let mut out = BufWriter::new(file);
        out.write_all(HEADER_LINE)?;
        Ok(Self {
            kept,
            out,
            written: HashSet::new(),
        })
    }

    pub(super) fn write_page(
        &mut self,
        page: &PageContent,
        validators: Validators,
        memory: &PageMemory,
        visited_at: DateTime<Utc>,
    ) -> anyhow::Result<()> {
        let head = PageHeader {
            url: page.url.clone(),
            visited_at,
            etag: validators.etag,
            last_modified: validators.last_modified,
        };
        let body = packed(&EarlierPage {
            page: page.clone(),
            memory: memory.clone(),
        });
        self.write(&head, &body)
            .with_context(|| self.kept.write_failure())
    }

    fn write(&mut self, head: &PageHeader, body: &[u8]) -> anyhow::Result<()> {
        for part in [&serde_json::to_vec(head)?, body] {
            let length = u32::try_from(part.len())?;
            self.out.write_all(&length.to_be_bytes())?;
            self.out.write_all(&crc32fast::hash(part).to_be_bytes())?;
            self.out.write_all(part)?;
        }
        self.written.insert(head.url.clone());
        Ok(())
    }

    /// Replaces the old file; pages that were not visited this time are kept for half a year.
    pub(super) fn finish(mut self, now: DateTime<Utc>) -> anyhow::Result<()> {
        let kept = self.kept;
        let oldest = now - PAGES_KEPT_FOR;
        for (url, entry) in &kept.entries {
            if !self.written.contains(url) && entry.head.visited_at >= oldest {
                self.write(&entry.head, &kept.body(entry)?)
                    .with_context(|| kept.write_failure())?;
            }
        }
        let file = self.out.into_inner().map_err(io::Error::from);
        let file = file.with_context(|| kept.write_failure())?;
        file.as_file()
            .sync_all()
            .with_context(|| kept.write_failure())?;
        as_owner_of(&kept.locked.requested_path, || {
            file.persist(&kept.locked.path)
        })
        .and_then(|it| it.map_err(io::Error::from))
        .with_context(|| kept.write_failure())?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::findings::content_changes::{PageHistory, SiteFacts};
    use chrono::TimeDelta;

    fn page(url: &str, title: &str) -> PageContent {
        let mut page = PageContent::blank(url);
        page.text.footer = title.to_owned();
        page
    }

    fn memory() -> PageMemory {
        PageMemory {
            history: PageHistory::new(DateTime::UNIX_EPOCH),
            site: SiteFacts::default(),
        }
    }

    fn visit(path: &Path, pages: &[(&str, &str)], now: DateTime<Utc>) {
        let kept = KeptSite::open(path).unwrap();
        let mut keeper = KeptSiteWriter::create(&kept).unwrap();
        for (url, title) in pages {
            let validators = Validators {
                etag: Some(format!("\"{title}\"")),
                last_modified: None,
            };
            keeper
                .write_page(&page(url, title), validators, &memory(), now)
                .unwrap();
        }
        keeper.finish(now).unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn unvisited_pages_are_kept_for_half_a_year() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("site.pages");
        let (a, b) = ("https://example.com/a", "https://example.com/b");
        let begin = DateTime::UNIX_EPOCH;
        visit(&path, &[(a, "one"), (b, "two")], begin);
        visit(&path, &[(a, "three")], begin + TimeDelta::days(179));
        let kept = KeptSite::open(&path).unwrap();
        assert_eq!(kept.urls(None).await.unwrap(), [a, b]);
        assert_eq!(kept.urls(Some(a.to_owned())).await.unwrap(), [b]);
        assert_eq!(kept.page(a).await.unwrap(), Some(page(a, "three")));
        assert_eq!(kept.earlier(b).unwrap().unwrap().memory, memory());
        let validators = kept.validators(&[a.to_owned()]).await.unwrap();
        assert_eq!(validators[a].etag.as_deref(), Some("\"three\""));
        drop(kept);
        visit(&path, &[], begin + TimeDelta::days(182));
        assert_eq!(
            KeptSite::open(&path).unwrap().urls(None).await.unwrap(),
            [a]
        );
    }

    #[test]
    fn symbolic_links_are_resolved_to_existing_and_missing_files() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str| folder.path().join(name);
        std::fs::create_dir(of("store")).unwrap();
        let symlink = std::os::unix::fs::symlink::<&Path, std::path::PathBuf>;
        symlink(Path::new("store/latest"), of("site.pages")).unwrap();
        symlink(Path::new("pages-1"), of("store/latest")).unwrap();
        let a = "https://example.com/a";
        for day in 0..2 {
            let now = DateTime::UNIX_EPOCH + TimeDelta::days(day);
            visit(&of("site.pages"), &[(a, "one")], now);
            assert!(of("site.pages").is_symlink() && of("store/latest").is_symlink());
            assert!(
                std::fs::symlink_metadata(of("store/pages-1"))
                    .unwrap()
                    .is_file()
            );
            let kept = KeptSite::open(&of("store/pages-1")).unwrap();
            assert_eq!(kept.last_visit(), Some(now));
        }
        symlink(Path::new("round"), of("round")).unwrap();
        let error = format!("{:#}", KeptSite::open(&of("round")).unwrap_err());
        assert!(
            error.contains("too many levels of symbolic links"),
            "{error}"
        );
    }

    #[test]
    fn second_audit_on_a_locked_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("site.pages");
        let refused = || format!("{:#}", KeptSite::open(&path).unwrap_err());
        let first = KeptSite::open(&path).unwrap();
        assert!(refused().contains("wait for it to end, or choose another file"));
        drop(first);
        assert!(!path.exists(), "it kept nothing");
        let a = "https://example.com/a";
        visit(&path, &[(a, "one")], DateTime::UNIX_EPOCH);
        let second = KeptSite::open(&path).unwrap();
        assert!(refused().contains("wait for it to end, or choose another file"));
        // After the file is replaced, the next audit can start and reads it.
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(1);
        KeptSiteWriter::create(&second)
            .unwrap()
            .finish(now)
            .unwrap();
        let third = KeptSite::open(&path).unwrap();
        drop(second);
        assert_eq!(third.last_visit(), Some(DateTime::UNIX_EPOCH));
        assert!(refused().contains("wait for it to end, or choose another file"));
    }

    #[test]
    fn foreign_truncated_and_damaged_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("letter.txt");
        std::fs::write(&path, "Dear Ann,").unwrap();
        let error = format!("{:#}", KeptSite::open(&path).unwrap_err());
        assert!(error.contains("choose another file"), "{error}");
        let path = folder.path().join("site.pages");
        visit(
            &path,
            &[("https://example.com/", "one")],
            DateTime::UNIX_EPOCH,
        );
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        let error = format!("{:#}", KeptSite::open(&path).unwrap_err());
        assert!(error.contains("truncated"), "{error}");
        let mut damaged = whole;
        let last = damaged.len() - 1;
        damaged[last] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        let error = format!("{:#}", KeptSite::open(&path).unwrap_err());
        assert!(error.contains("damaged"), "{error}");
        let error = format!("{:#}", KeptSite::open(folder.path()).unwrap_err());
        assert!(error.contains("not a regular file"), "{error}");
    }
}
