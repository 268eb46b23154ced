//! Style sheet, modules and icons: compiled in, compressed once, cached by content hash.

use flate2::{Compression, write::GzEncoder};
use rust_embed::{Embed, EmbeddedFile};
use sha2::{Digest, Sha256};
use std::{collections::BTreeMap, fmt::Write as _, io::Write, sync::OnceLock};

/// The content hash follows it, so cached assets are never stale.
pub const PREFIX: &str = "/assets/";

#[derive(Embed)]
#[folder = "assets/"]
struct Folder;

pub struct Asset {
    pub content_type: &'static str,
    pub plain: Vec<u8>,
    pub gzip: Vec<u8>,
}

struct Assets {
    base: String,
    files: BTreeMap<String, Asset>,
}

fn all() -> &'static Assets {
    static ALL: OnceLock<Assets> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut hash = Sha256::new();
        let mut files = BTreeMap::new();
        for name in Folder::iter() {
            let Some(file) = Folder::get(&name) else {
                continue;
            };
            hash.update(name.as_bytes());
            hash.update(file.metadata.sha256_hash());
            files.insert(name.to_string(), asset(&name, &file));
        }
        let digest = hash.finalize();
        let mut base = PREFIX.to_owned();
        for byte in &digest[..8] {
            // Writing to a `String` never fails.
            let _ = write!(base, "{byte:02x}");
        }
        Assets { base, files }
    })
}

/// With the content hash, without a trailing slash.
pub fn base() -> &'static str {
    &all().base
}

/// `None` also for an asset of another version.
pub fn find(path: &str) -> Option<&'static Asset> {
    let assets = all();
    let name = path.strip_prefix(&assets.base)?.strip_prefix('/')?;
    assets.files.get(name)
}

fn asset(name: &str, file: &EmbeddedFile) -> Asset {
    let plain = file.data.to_vec();
    Asset {
        content_type: content_type(name),
        gzip: gzip(&plain, Compression::best()),
        plain,
    }
}

/// # Panics
/// Never: writing to memory does not fail.
pub fn gzip(plain: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 3), level);
    encoder
        .write_all(plain)
        .and_then(|()| encoder.finish())
        .expect("writing to memory does not fail")
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str) -> String {
        let file = Folder::get(name).expect("the file");
        String::from_utf8(file.data.to_vec()).expect("text")
    }

    #[test]
    fn asset_is_found_only_under_its_content_hash() {
        let known = format!("{}/sightline.css", base());
        assert_eq!(
            find(&known).map(|it| it.content_type),
            Some("text/css; charset=utf-8")
        );
        for wrong in [
            "/assets/sightline.css",
            "/assets/0000/sightline.css",
            base(),
        ] {
            assert!(find(wrong).is_none(), "{wrong}");
        }
        assert!(find(&format!("{}/../Cargo.toml", base())).is_none());
    }

    #[test]
    fn all_assets_are_below_90_kb_compressed() {
        // A page loads only some of it.
        let sent: usize = all().files.values().map(|it| it.gzip.len()).sum();
        assert!(sent < 90_000, "{sent} bytes");
    }

    #[test]
    fn assets_have_no_external_urls_and_no_html_sinks() {
        for name in Folder::iter() {
            let text = text(&name).replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("://"), "{name}");
            for sink in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
            ] {
                assert!(!text.contains(sink), "{sink} in {name}");
            }
        }
    }

    #[test]
    fn every_used_icon_is_in_the_sprite() {
        let sprite = text("sprite.svg");
        for name in crate::pages::layout::icons() {
            assert!(sprite.contains(&format!("id=\"{name}\"")), "{name}");
        }
    }

    /// `--name: light-dark(#rrggbb, #rrggbb)` of the style sheet.
    fn colours() -> BTreeMap<String, [[f64; 3]; 2]> {
        let style = text("sightline.css");
        let lines = style.split(';').filter_map(|line| {
            let (name, value) = line.trim().strip_prefix("--")?.split_once(':')?;
            let value = value
                .trim()
                .strip_prefix("light-dark(")?
                .strip_suffix(')')?;
            let (light, dark) = value.split_once(',')?;
            Some((name.to_owned(), [channels(light)?, channels(dark)?]))
        });
        lines.collect()
    }

    fn channels(hex: &str) -> Option<[f64; 3]> {
        let digits = hex.trim().strip_prefix('#').filter(|it| it.len() == 6)?;
        let mut parts = [0.0; 3];
        for (at, part) in parts.iter_mut().enumerate() {
            let byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()?;
            *part = f64::from(byte) / 255.0;
        }
        Some(parts)
    }

    /// WCAG 2.2, 1.4.3.
    fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
        let luminance = |colour: [f64; 3]| {
            let linear = colour.map(|c| {
                if c <= 0.04045 {
                    c / 12.92
                } else {
                    ((c + 0.055) / 1.055).powf(2.4)
                }
            });
            0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        };
        let (a, b) = (luminance(one), luminance(other));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_contrast_is_at_least_4_5() {
        let colours = colours();
        let pairs = [
            (
                "ink",
                &[
                    "ground",
                    "surface",
                    "sunken",
                    "accent-wash",
                    "good-wash",
                    "bad-wash",
                ][..],
            ),
            ("soft-ink", &["ground", "surface", "sunken"]),
            ("accent", &["ground", "surface", "accent-wash"]),
            (
                "accent-strong",
                &["ground", "surface", "sunken", "accent-wash"],
            ),
            ("on-accent", &["accent", "accent-strong"]),
            ("good", &["ground", "surface", "good-wash"]),
            ("bad", &["ground", "surface", "bad-wash"]),
            ("warn", &["ground", "surface", "warn-wash"]),
            ("info", &["ground", "surface", "info-wash"]),
        ];
        for (text, grounds) in pairs {
            for ground in grounds {
                for (at, mode) in ["light", "dark"].iter().enumerate() {
                    let found = contrast(colours[text][at], colours[*ground][at]);
                    assert!(found >= 4.5, "{text} on {ground}, {mode}: {found:.2}");
                }
            }
        }
    }

    #[test]
    fn graphics_contrast_is_at_least_3() {
        let colours = colours();
        for line in ["s1", "s2", "s3", "s4", "s5", "s6", "edge", "accent"] {
            for (at, mode) in ["light", "dark"].iter().enumerate() {
                let found = contrast(colours[line][at], colours["surface"][at]);
                assert!(found >= 3.0, "{line}, {mode}: {found:.2}");
            }
        }
    }
}
