use super::prose::paragraphs;
use std::fmt::Write as _;

/// All parts are unescaped HTML.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a part that may be missing"
)]
#[derive(Debug, Clone)]
pub struct PageSpec {
    /// Path and query.
    pub path: String,
    /// Set if it differs from the site's.
    pub origin: Option<String>,
    pub doctype: &'static str,
    pub html: String,
    pub charset: bool,
    pub viewport: bool,
    pub titles: Vec<String>,
    pub descriptions: Vec<String>,
    /// `{url}` is replaced by the page's own URL.
    pub canonical: Option<String>,
    pub head: String,
    pub h1: String,
    pub h1_above: bool,
    pub text: String,
    pub extra: String,
    /// Paths and texts.
    pub navigation: Vec<(String, String)>,
    /// Override the site's headers; an empty value removes one.
    pub headers: Vec<(String, String)>,
    pub in_navigation: bool,
    pub in_sitemap: bool,
    pub delay_ms: u32,
    pub compressed: bool,
}

impl PageSpec {
    /// A page without faults; `seed` varies its text.
    pub fn new(path: &str, about: &str, seed: u32) -> Self {
        Self {
            path: path.to_owned(),
            origin: None,
            doctype: "<!doctype html>",
            html: "lang=en".to_owned(),
            charset: true,
            viewport: true,
            titles: vec![format!("{about} explained by our potters")],
            descriptions: vec![format!(
                "What the potters of our village know about {about}, how they work, and what you can try at home."
            )],
            canonical: Some("{url}".to_owned()),
            head: String::new(),
            h1: format!("All about {about}"),
            h1_above: false,
            text: paragraphs(seed, 24),
            extra: String::new(),
            navigation: Vec::new(),
            headers: Vec::new(),
            in_navigation: true,
            in_sitemap: true,
            delay_ms: 0,
            compressed: true,
        }
    }

    pub fn url(&self, origin: &str) -> String {
        format!("{}{}", self.origin.as_deref().unwrap_or(origin), self.path)
    }

    /// `{origin}` in any part is replaced by the site's.
    pub fn html(&self, origin: &str) -> String {
        let mut out = format!("{}\n<html {}>\n<head>\n", self.doctype, self.html);
        let mut line = |text: &str| {
            out.push_str(text);
            out.push('\n');
        };
        if self.charset {
            line("<meta charset=utf-8>");
        }
        for title in &self.titles {
            line(&format!("<title>{title}</title>"));
        }
        for description in &self.descriptions {
            line(&format!(
                "<meta name=description content=\"{description}\">"
            ));
        }
        if self.viewport {
            line("<meta name=viewport content=\"width=device-width, initial-scale=1\">");
        }
        if let Some(canonical) = &self.canonical {
            line(&format!("<link rel=canonical href=\"{canonical}\">"));
        }
        line("<link rel=stylesheet href=\"{origin}/style.css\">");
        line(&self.head);
        let mut links = String::new();
        for (path, text) in &self.navigation {
            // Writing to a string cannot fail.
            let _ = write!(links, "<a href=\"{path}\">{text}</a> ");
        }
        let navigation = if links.is_empty() {
            String::new()
        } else {
            format!("<nav>{links}</nav>")
        };
        let heading = if self.h1.is_empty() || self.h1.starts_with("<h1") {
            self.h1.clone()
        } else {
            format!("<h1>{}</h1>", self.h1)
        };
        let (above, inside) = if self.h1_above {
            (format!("<header>{heading}</header>"), String::new())
        } else {
            (String::new(), heading)
        };
        line(&format!(
            "</head>\n<body>\n{navigation}\n{above}\n<main>\n{inside}\n{}\n{}\n</main>\n</body>\n</html>",
            self.text, self.extra
        ));
        out.replace("{url}", &self.url(origin))
            .replace("{origin}", origin)
    }
}
