use super::super::dom::{Dom, Kind, NodeId};
use super::super::locator::ElementLocator;
use super::super::page_files::{is_unsized, loaded_file};
use super::super::target::target_of;
use super::super::text::text_of;
use super::head::web_url;
use super::{AncestorFlags, raw_text_bytes};
use analysis::observation::page_content::{
    Form, Heading, Image, MAX_HEADINGS, MAX_IMAGES, PageFile, Structure, TagSource,
    UncrawlableAnchor, UnprotectedWindow,
};
use analysis::observation::vitals::ResourceKind;
use analysis::observation::web_site::LinkTarget;
use analysis::text::words::shortened;
use url::Url;

const MAX_PER_KIND: usize = 1_000;
const MAX_ALT: usize = 500;
const MAX_RAW: usize = 200;
const MAX_SUBTREE_CHECKS: u32 = 20;
/// What an app shell shows before its scripts have run: `Loading, please wait`.
const MAX_PLACEHOLDER_WORDS: usize = 3;
const MAX_PLACEHOLDER_IMAGES: usize = 1;

pub struct Element<'a> {
    pub dom: &'a Dom,
    pub id: NodeId,
    pub name: &'a str,
    pub base: &'a Url,
    pub page: &'a Url,
    pub locator: &'a ElementLocator<'a>,
    pub inside: AncestorFlags,
    pub in_head: bool,
    pub in_main: bool,
}

impl<'a> Element<'a> {
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        self.dom.attribute(self.id, name)
    }

    pub fn is_html(&self) -> bool {
        self.dom.is_html(self.id, self.name)
    }

    pub fn source(&self) -> TagSource {
        if self.in_head {
            TagSource::Head
        } else {
            TagSource::Body
        }
    }

    /// Line of the start tag; 0 for elements that the parser implied.
    fn line(&self) -> u32 {
        self.dom.position(self.id).map_or(0, |it| it.line)
    }

    fn has(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    fn attribute_is(&self, attribute: &str, value: &str) -> bool {
        self.attribute(attribute)
            .is_some_and(|it| it.trim().eq_ignore_ascii_case(value))
    }

    /// Child elements with one of the names, at most 3.
    fn children(&self, names: &[&str]) -> usize {
        let children = self.dom.nodes[self.id].children.iter();
        let of_name =
            children.filter(|it| self.dom.name(**it).is_some_and(|it| names.contains(&it)));
        of_name.take(3).count()
    }
}

#[derive(Default)]
pub struct Elements {
    pub count: u32,
    pub headings: Vec<Heading>,
    pub images: Vec<Image>,
    pub uncrawlable: Vec<UncrawlableAnchor>,
    pub windows: Vec<UnprotectedWindow>,
    pub forms: Vec<Form>,
    pub files: Vec<PageFile>,
    pub structure: Structure,
    subtree_checks: u32,
}

impl Elements {
    pub fn read(&mut self, element: &Element<'_>) {
        self.count = self.count.saturating_add(1);
        self.structure.head_elements += u32::from(element.inside.head);
        match element.name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.read_heading(element),
            "img" => self.read_image(element),
            "a" => self.read_anchor(element),
            "form" => self.read_form(element),
            "input" | "textarea" => self.read_field(element),
            "script" | "link" => self.read_file(element),
            "picture" => {
                let mut below = element.dom.below(element.id);
                let has_image = below.any(|it| element.dom.is_html(it, "img"));
                self.structure.pictures_without_image += u32::from(!has_image);
            }
            _ => self.count_structure(element),
        }
        if is_app_root(element) && self.may_check_subtree() {
            self.structure.has_empty_root |= is_placeholder(element);
        }
        if let Some(role) = element.attribute("role") {
            self.structure.has_main |= role == "main";
            self.structure.has_navigation |= role == "navigation";
        }
    }

    fn may_check_subtree(&mut self) -> bool {
        self.subtree_checks += 1;
        self.subtree_checks <= MAX_SUBTREE_CHECKS
    }

    fn count_structure(&mut self, element: &Element<'_>) {
        if element.name == "noscript" && self.may_check_subtree() {
            self.structure.requires_scripts |= mentions_javascript(element);
        }
        let structure = &mut self.structure;
        let in_main = u32::from(element.in_main);
        match element.name {
            "main" => structure.has_main = true,
            "article" => structure.has_article = true,
            "nav" => structure.has_navigation = true,
            "iframe" => structure.frames += 1,
            "video" | "audio" => structure.media += 1,
            "ol" if element.children(&["li"]) > 1 => structure.ordered_lists += in_main,
            "ul" if element.children(&["li"]) > 1 => structure.unordered_lists += in_main,
            "dl" => structure.definition_lists += in_main,
            "pre" => structure.preformatted += in_main,
            "tbody" if element.children(&["tr"]) > 1 => structure.tables += in_main,
            _ => {}
        }
    }

    fn read_heading(&mut self, element: &Element<'_>) {
        if self.headings.len() >= MAX_HEADINGS {
            return;
        }
        let own = text_of(element.dom, element.id).map(|it| without_self_links(element, it));
        let is_text = own.is_some();
        let text = own.or_else(|| {
            let alt = |it: NodeId| {
                let alt = element.dom.attribute(it, "alt")?.trim();
                (!alt.is_empty()).then(|| shortened(alt, MAX_ALT).to_owned())
            };
            element.dom.below(element.id).find_map(alt)
        });
        self.headings.push(Heading {
            level: element.name.as_bytes()[1] - b'0',
            is_image_alt: !is_text && text.is_some(),
            text,
            line: element.line(),
        });
    }

    fn read_image(&mut self, element: &Element<'_>) {
        if self.images.len() >= MAX_IMAGES {
            return;
        }
        let pixels = |name| {
            let value = element.attribute(name)?.trim();
            let digits = value.trim_end_matches("px");
            digits.parse().ok()
        };
        let has_text = |name| {
            element
                .attribute(name)
                .is_some_and(|it| !it.trim().is_empty())
        };
        let alt = element.attribute("alt").map(str::trim);
        self.images.push(Image {
            url: element
                .attribute("src")
                .and_then(|it| web_url(it, element.base))
                .map(|it| it.0),
            alt: alt.map(|it| shortened(it, MAX_ALT).to_owned()),
            is_named_otherwise: element.attribute_is("role", "presentation")
                || element.attribute_is("role", "none")
                || element.attribute_is("aria-hidden", "true")
                || ["aria-label", "aria-labelledby", "title"]
                    .into_iter()
                    .any(has_text),
            width: pixels("width"),
            height: pixels("height"),
            has_size: !is_unsized(element.dom, element.id),
            in_picture: element.inside.picture,
            in_link: element.inside.link,
            in_main_text: element.in_main,
            is_lazy: element.attribute_is("loading", "lazy"),
            placement: element.locator.placement(element.id),
            line: element.line(),
        });
    }

    fn read_anchor(&mut self, element: &Element<'_>) {
        let href = element.attribute("href").unwrap_or_default();
        if is_uncrawlable(element, href) && self.uncrawlable.len() < MAX_PER_KIND {
            self.uncrawlable.push(UncrawlableAnchor {
                raw: shortened(href, MAX_RAW).to_owned(),
                text: text_of(element.dom, element.id),
                line: element.line(),
            });
        }
        let is_protected = element.attribute("rel").is_some_and(|it| {
            let mut words = it.split_ascii_whitespace();
            words.any(|it| {
                it.eq_ignore_ascii_case("noopener") || it.eq_ignore_ascii_case("noreferrer")
            })
        });
        if element.attribute_is("target", "_blank")
            && !is_protected
            && self.windows.len() < MAX_PER_KIND
            && let Some((url, _)) = web_url(href, element.base)
            && Url::parse(&url).is_ok_and(|it| it.origin() != element.page.origin())
        {
            let line = element.line();
            self.windows.push(UnprotectedWindow { url, line });
        }
    }

    fn read_form(&mut self, element: &Element<'_>) {
        if self.forms.len() >= MAX_PER_KIND {
            return;
        }
        let action = element.attribute("action").unwrap_or_default().trim();
        let target = if action.is_empty() {
            target_of(element.page.as_str(), element.page)
        } else {
            target_of(action, element.base)
        };
        let method = element.attribute("method").unwrap_or("get").trim();
        self.forms.push(Form {
            target,
            method: match method.to_ascii_lowercase().as_str() {
                known @ ("post" | "dialog") => known.to_owned(),
                _ => "get".to_owned(),
            },
            has_password: false,
            has_message: false,
            line: element.line(),
        });
    }

    /// A field belongs to the last form before it.
    fn read_field(&mut self, element: &Element<'_>) {
        if let Some(form) = self.forms.last_mut() {
            form.has_password |= element.attribute_is("type", "password");
            form.has_message |= element.name == "textarea" || element.attribute_is("type", "email");
        }
    }

    fn read_file(&mut self, element: &Element<'_>) {
        let is_inline = element.name == "script" && !element.has("src");
        if is_inline {
            let is_data = element
                .attribute("type")
                .is_some_and(|it| it.to_ascii_lowercase().contains("json"));
            if !is_data {
                let bytes = raw_text_bytes(element.dom, element.id);
                let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
                self.structure.inline_script_bytes =
                    self.structure.inline_script_bytes.saturating_add(bytes);
            }
            return;
        }
        let Some((raw, kind, blocks_rendering)) = loaded_file(element.dom, element.id) else {
            return;
        };
        let is_file = matches!(kind, ResourceKind::Script | ResourceKind::Stylesheet);
        if is_file
            && self.files.len() < MAX_PER_KIND
            && let Some((url, _)) = web_url(raw, element.base)
        {
            self.files.push(PageFile {
                url,
                kind,
                blocks_rendering,
                has_integrity: element.has("integrity"),
                crossorigin: element.attribute("crossorigin").map(str::to_owned),
            });
        }
    }
}

/// Whether it is a default root of React, Vue, Next, Nuxt, Gatsby, Quasar, Svelte, Angular or Polymer.
fn is_app_root(element: &Element<'_>) -> bool {
    const IDS: [&str; 9] = [
        "root",
        "app",
        "__next",
        "__nuxt",
        "___gatsby",
        "q-app",
        "svelte",
        "react-root",
        "app-root",
    ];
    let of_id = element.attribute("id").is_some_and(|it| IDS.contains(&it));
    of_id || element.name.ends_with("-app") || element.name.ends_with("-root")
}

/// Whether an element is empty or shows only a loading message.
fn is_placeholder(element: &Element<'_>) -> bool {
    let dom = element.dom;
    let (mut words, mut images) = (0, 0);
    let mut stack = vec![element.id];
    while let Some(id) = stack.pop() {
        match &dom.nodes[id].kind {
            Kind::Text(text) => words += text.split_whitespace().take(10).count(),
            _ => images += usize::from(dom.is_html(id, "img")),
        }
        if words > MAX_PLACEHOLDER_WORDS || images > MAX_PLACEHOLDER_IMAGES {
            return false;
        }
        let is_read = !matches!(
            dom.name(id),
            Some("script" | "style" | "template" | "noscript" | "svg")
        );
        if is_read {
            stack.extend(dom.nodes[id].children.iter());
        }
    }
    true
}

/// Whether a `noscript` text mentions JavaScript.
fn mentions_javascript(element: &Element<'_>) -> bool {
    let text = text_of(element.dom, element.id).unwrap_or_default();
    text.to_ascii_lowercase().contains("javascript")
}

/// As Lighthouse 12.8.2, `core/audits/seo/crawlable-anchors.js`, without event listeners: anchors without `href`
/// count if another link attribute is set.
fn is_uncrawlable(element: &Element<'_>, href: &str) -> bool {
    const LINK_ATTRIBUTES: [&str; 7] = [
        "target",
        "download",
        "ping",
        "rel",
        "hreflang",
        "type",
        "referrerpolicy",
    ];
    let has_text = |name| {
        element
            .attribute(name)
            .is_some_and(|it| !it.trim().is_empty())
    };
    let raw: String = href.chars().filter(|it| !it.is_whitespace()).collect();
    if has_text("role") || raw.starts_with("mailto:") || (raw.is_empty() && has_text("id")) {
        return false;
    }
    if raw.starts_with("file:") {
        return true;
    }
    if has_text("name") {
        return false;
    }
    if !element.has("href") {
        return LINK_ATTRIBUTES.iter().any(|it| element.has(it));
    }
    [
        "javascript:void(0)",
        "javascript:void0",
        "javascript:void(0",
        "javascript:void0)",
    ]
    .iter()
    .any(|it| raw.contains(it))
        || matches!(target_of(href, element.base), LinkTarget::Invalid)
}

/// A heading without permalink signs (`¶`, `#`), as documentation has them.
fn without_self_links(element: &Element<'_>, text: String) -> String {
    let dom = element.dom;
    let to_itself = |it: &NodeId| {
        let href = dom.attribute(*it, "href");
        dom.is_html(*it, "a") && href.is_some_and(|it| it.starts_with('#'))
    };
    let sign_of = |it| {
        let text = text_of(dom, it)?;
        let mut characters = text.chars();
        let sign = characters.next().filter(|it| !it.is_alphanumeric())?;
        characters.next().is_none().then_some(sign)
    };
    let signs = dom.below(element.id).filter(to_itself).filter_map(sign_of);
    let left = signs.fold(text.as_str(), |left, sign| {
        let left = left.strip_suffix(sign).unwrap_or(left).trim_end();
        left.strip_prefix(sign).unwrap_or(left).trim_start()
    });
    if left.is_empty() {
        text
    } else {
        left.to_owned()
    }
}
