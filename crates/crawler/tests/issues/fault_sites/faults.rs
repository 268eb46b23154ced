//! For every code, a site with exactly that fault.

use super::{
    page::PageSpec,
    prose,
    site::{Answer, Failing, SiteSpec, faultless},
};
use analysis::findings::issues::IssueCode as Code;

const GLAZE: usize = 2;
const CLAY: usize = 1;
const CLAY_URL: &str = "{origin}/guides/clay";
const OTHER: &str = "https://other.example";

#[derive(Debug, Clone)]
pub struct FaultSite {
    pub site: SiteSpec,
    pub vitals: Option<VitalsFault>,
    /// Whether the fault needs HTTPS: mixed with `http`, or headers that only `https` has.
    pub needs_https: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VitalsFault {
    Lcp,
    Inp,
    Cls,
    Ttfb,
}

/// `origin` has no trailing slash.
pub fn fault_site(origin: &str, code: Code) -> FaultSite {
    let mut fault = FaultSite {
        site: faultless(origin),
        vitals: None,
        needs_https: false,
    };
    let done = answers(&mut fault, code)
        || directives(&mut fault, code)
        || sitemaps(&mut fault, code)
        || head(&mut fault, code)
        || text(&mut fault, code)
        || links(&mut fault, code)
        || images(&mut fault, code)
        || languages(&mut fault, code)
        || addresses(&mut fault, code)
        || document(&mut fault, code)
        || series(&mut fault, code)
        || data(&mut fault, code)
        || speed(&mut fault, code)
        || robots_of_ai(&mut fault, code);
    debug_assert!(done, "{code:?} has no site");
    fault
}

impl FaultSite {
    fn page(&mut self) -> &mut PageSpec {
        &mut self.site.pages[GLAZE]
    }

    fn link(&mut self, href: &str, text: &str) {
        let link = format!("<p>See <a href=\"{href}\">{text}</a>.</p>");
        self.html(&link);
    }

    fn html(&mut self, html: &str) {
        self.page().extra.push_str(html);
    }

    fn file(&mut self, path: &str, answer: Answer) {
        self.site.files.insert(path.to_owned(), answer);
    }

    /// Adds a page outside the navigation, linked from the faulty page.
    fn add(&mut self, path: &str, about: &str, change: impl FnOnce(&mut PageSpec)) {
        let seed = u32::try_from(self.site.pages.len()).unwrap_or_default() + 10;
        let mut page = PageSpec::new(path, about, seed);
        page.in_navigation = false;
        change(&mut page);
        let url = page.url(&self.site.origin);
        self.site.pages.push(page);
        self.link(&url, about);
    }

    fn head(&mut self, html: &str) {
        self.page().head.push_str(html);
        self.page().head.push('\n');
    }

    fn elsewhere(&mut self, path: &str, answer: Answer) -> String {
        let url = format!("{OTHER}{path}");
        self.site.files.insert(url.clone(), answer);
        url
    }
}

fn answers(fault: &mut FaultSite, code: Code) -> bool {
    let failing = |failing| Answer {
        failing: Some(failing),
        ..Answer::default()
    };
    match code {
        Code::Http4xx => {
            fault.file("/members", Answer::status(403));
            fault.link("/members", "what members read");
        }
        Code::Http5xx => {
            fault.file("/shop", Answer::status(500));
            fault.link("/shop", "our shop");
        }
        Code::Timeout => {
            fault.file("/slow", failing(Failing::Silence));
            fault.link("/slow", "the slow wheel");
        }
        Code::DnsOrTls => {
            fault.file("/torn", failing(Failing::Reset));
            fault.link("/torn", "the torn cloth");
        }
        Code::Redirect3xx => {
            fault.file("/old", Answer::redirect("/guides/clay"));
            fault.link("/old", "the old guide to clay");
        }
        Code::RedirectChain => {
            fault.file("/oldest", Answer::redirect("/old"));
            fault.file("/old", Answer::redirect("/guides/clay"));
            fault.link("/oldest", "the oldest guide to clay");
        }
        Code::RedirectLoop => {
            fault.file("/round", Answer::redirect("/turn"));
            fault.file("/turn", Answer::redirect("/round"));
            fault.link("/round", "the round wheel");
        }
        Code::MetaRefreshRedirect => {
            fault.head("<meta http-equiv=refresh content=\"5; url=/guides/clay\">");
        }
        Code::SoftNotFound => {
            let lost = PageSpec::new("/lost/cup", "cups that we lost", 30);
            fault.site.catch_all = Some(("/lost/".into(), lost));
            fault.add("/lost/cup", "cups that we lost", |it| {
                it.text = prose::paragraphs(30, 24);
            });
        }
        Code::SlowTtfb => fault.page().delay_ms = 950,
        Code::HttpPage => {
            let origin = fault.site.origin.replace("https://", "http://");
            fault.needs_https = true;
            fault.add("/open", "what is open to all", |it| {
                it.origin = Some(origin);
            });
        }
        Code::MixedContent => {
            fault.needs_https = true;
            fault.file(
                &format!("{}/x.js", OTHER.replace("https", "http")),
                Answer::file("text/javascript", "1"),
            );
            fault.head("<script defer src=\"http://other.example/x.js\"></script>");
        }
        Code::WrongMediaType => {
            fault.file("/style.css", Answer::file("text/plain", "body{margin:0}"));
        }
        _ => return false,
    }
    true
}

fn directives(fault: &mut FaultSite, code: Code) -> bool {
    let robots = |fault: &mut FaultSite, rule: &str| {
        fault.head(&format!("<meta name=robots content={rule}>"));
    };
    match code {
        Code::Noindex => {
            robots(fault, "noindex");
            fault.page().in_sitemap = false;
        }
        Code::Nosnippet => robots(fault, "nosnippet"),
        Code::Noimageindex => robots(fault, "noimageindex"),
        Code::NofollowPage => robots(fault, "nofollow"),
        Code::RobotsTxtInvalid => fault.site.robots.push_str("Forbid: /private/\n"),
        Code::BlockedByRobots => {
            fault.site.robots = fault.site.robots.replace("Allow: /", "Disallow: /private/");
            fault.link("/private/diary", "our diary");
        }
        Code::MetaInBody => fault.html("<meta name=theme-color content=blue>"),
        Code::CanonicalMissing => fault.page().canonical = None,
        Code::CanonicalMultiple => {
            fault.head(&format!("<link rel=canonical href=\"{CLAY_URL}\">"));
            fault.page().in_sitemap = false;
        }
        Code::CanonicalRelative => fault.page().canonical = Some("/guides/glaze".into()),
        Code::CanonicalHeaderMismatch => {
            let header = ("link".into(), format!("<{CLAY_URL}>; rel=\"canonical\""));
            fault.page().headers.push(header);
            fault.page().in_sitemap = false;
        }
        Code::CanonicalFragment => fault.page().canonical = Some("{url}#top".into()),
        Code::CanonicalOutsideHead => {
            fault.page().canonical = None;
            fault.html("<link rel=canonical href=\"{url}\">");
        }
        _ => return canonical_elsewhere(fault, code),
    }
    true
}

fn canonical_elsewhere(fault: &mut FaultSite, code: Code) -> bool {
    let to = match code {
        Code::CanonicalToNon200 => "{origin}/gone",
        Code::CanonicalToRedirect => {
            fault.file("/moved", Answer::redirect("/guides/clay"));
            "{origin}/moved"
        }
        Code::CanonicalToNoindex => {
            fault.add("/guides/secret", "what nobody shall find", |it| {
                it.head = "<meta name=robots content=noindex>".into();
                it.in_sitemap = false;
            });
            "{origin}/guides/secret"
        }
        Code::CanonicalChain => {
            fault.add("/guides/middle", "what stands in the middle", |it| {
                it.canonical = Some(CLAY_URL.into());
                it.in_sitemap = false;
            });
            "{origin}/guides/middle"
        }
        Code::CanonicalToRoot => "{origin}/",
        _ => return false,
    };
    fault.add("/guides/copy", "a copy of another guide", |it| {
        it.canonical = Some(to.into());
        it.in_sitemap = false;
    });
    true
}

fn sitemaps(fault: &mut FaultSite, code: Code) -> bool {
    match code {
        Code::SitemapNon200 => fault.site.listed.push(("/gone".into(), None)),
        Code::SitemapNoindex => fault.head("<meta name=robots content=noindex>"),
        Code::SitemapBlocked => {
            fault.site.robots = fault.site.robots.replace("Allow: /", "Disallow: /private/");
            fault.site.listed.push(("/private/diary".into(), None));
        }
        Code::SitemapNonCanonical => fault.page().canonical = Some(CLAY_URL.into()),
        Code::SitemapTooLarge => {
            fault.site.listed = vec![("/guides/clay".into(), None); 50_001];
        }
        Code::SitemapInvalidXml => {
            fault.site.sitemap = Some("<?xml version=\"1.0\"?><urlset><url><loc>&nothing;".into());
        }
        Code::NotInSitemap => fault.page().in_sitemap = false,
        Code::Orphan => {
            fault.add("/guides/alone", "a page that stands alone", |_| {});
            fault.page().extra = fault
                .page()
                .extra
                .split("<p>See")
                .next()
                .unwrap_or_default()
                .to_owned();
        }
        Code::SitemapLastmodFuture => {
            let date = Some("2999-01-01".into());
            fault.site.listed.push(("/guides/clay".into(), date));
        }
        _ => return false,
    }
    true
}

fn head(fault: &mut FaultSite, code: Code) -> bool {
    let other = |fault: &FaultSite| fault.site.pages[CLAY].clone();
    match code {
        Code::TitleMissing => fault.page().titles.clear(),
        Code::TitleMultiple => fault
            .page()
            .titles
            .push("Another title for this guide".into()),
        Code::TitleDuplicate => fault.page().titles = other(fault).titles,
        Code::TitleShort => fault.page().titles = vec!["Glaze, colours".into()],
        Code::TitleLong => {
            fault.page().titles = vec![
                "Glaze and colours, explained by potters who have tried them all for years".into(),
            ];
        }
        Code::TitleSameAsH1 => fault.page().titles = vec!["All about glaze and colours".into()],
        Code::TitleOutsideHead => {
            let title = fault.page().titles.remove(0);
            fault.html(&format!("<title>{title}</title>"));
        }
        Code::DescMissing => fault.page().descriptions.clear(),
        Code::DescMultiple => {
            let second = fault.page().descriptions[0].replace("What", "All that");
            fault.page().descriptions.push(second);
        }
        Code::DescDuplicate => fault.page().descriptions = other(fault).descriptions,
        Code::DescShort => {
            fault.page().descriptions = vec!["What our potters know about glaze.".into()];
        }
        Code::DescLong => {
            let long = fault.page().descriptions[0].clone()
                + " And a good deal more that you will not find in any other place.";
            fault.page().descriptions = vec![long];
        }
        Code::DescOutsideHead => {
            let text = fault.page().descriptions.remove(0);
            fault.html(&format!("<meta name=description content=\"{text}\">"));
        }
        Code::H1Missing => fault.page().h1.clear(),
        Code::H1Multiple => fault.html("<h1>More about it</h1>"),
        Code::H1Duplicate => fault.page().h1 = other(fault).h1,
        Code::H1Long => {
            fault.page().h1 = "All about glaze and colours, as the potters of our village have used them for years".into();
        }
        Code::H1OnlyImageAlt => {
            fault.page().h1 =
                "<h1><img src=/cup.png alt=\"All about glaze\" width=400 height=300></h1>".into();
        }
        Code::HeadingOrder => fault.html("<h4>One more thing</h4>"),
        Code::HeadingEmpty => fault.html("<h2></h2>"),
        _ => return false,
    }
    true
}

fn text(fault: &mut FaultSite, code: Code) -> bool {
    match code {
        Code::ThinContent => fault.page().text = prose::paragraphs(3, 9),
        Code::DuplicateExact => {
            fault.site.pages[CLAY].h1_above = true;
            fault.page().h1_above = true;
            fault.page().extra.clear();
            fault.page().text = fault.site.pages[CLAY].text.clone();
        }
        Code::DuplicateNear => {
            let text = fault.site.pages[CLAY].text.clone();
            fault.page().text = text + "<p>Colours are another thing.</p>";
        }
        Code::ReadabilityVeryDifficult => fault.page().text = prose::difficult(),
        Code::LoremIpsum => fault
            .page()
            .text
            .push_str("<p>Lorem ipsum dolor sit amet.</p>"),
        Code::LangMissing => fault.page().html.clear(),
        Code::LangInvalid => fault.page().html = "lang=english".into(),
        Code::LangMismatch => fault.page().html = "lang=hu".into(),
        Code::KeywordStuffing => {
            fault.page().titles = vec!["Cheap glazes from our workshop".into()];
            let words = "<p>Here you buy cheap glazes.</p>".repeat(14);
            fault.page().text.push_str(&words);
        }
        Code::EmptyMainContent => {
            fault.page().text = "<p>Soon.</p>".into();
            fault.page().extra.clear();
        }
        _ => return false,
    }
    true
}

fn links(fault: &mut FaultSite, code: Code) -> bool {
    match code {
        Code::InternalBroken => fault.head("<script defer src=/lost.js></script>"),
        Code::ExternalBroken => {
            let url = fault.elsewhere("/gone", Answer::status(404));
            fault.link(&url, "what others write");
        }
        Code::ExternalRedirect => {
            fault.elsewhere("/new", Answer::file("text/html", "<title>New</title>"));
            let url = fault.elsewhere("/old", Answer::redirect("/new"));
            fault.link(&url, "what others wrote");
        }
        Code::InternalNofollow => {
            fault.add("/guides/quiet", "a quiet place", |_| {});
            let extra = fault
                .page()
                .extra
                .replace("<a href", "<a rel=nofollow href");
            fault.page().extra = extra;
        }
        Code::FollowNofollowMixed => {
            let link = "<p>A reader likes <a rel=ugc href=/guides/clay>our guide to clay</a>.</p>";
            fault.html(link);
        }
        Code::TooManyLinks => {
            let links = "<a href=/guides/clay>On clay</a> ".repeat(101);
            fault.html(&format!("<nav>{links}</nav>"));
        }
        Code::HighExternalOutlinks => {
            let url = fault.elsewhere("/cups", Answer::file("text/html", "<title>Cups</title>"));
            let links = format!("<a href={url}>Cups of others</a> ").repeat(101);
            fault.html(&format!("<nav>{links}</nav>"));
        }
        Code::DepthHigh => {
            for (at, about) in ["wheels", "brushes", "sponges", "needles"]
                .iter()
                .enumerate()
            {
                let path = format!("/tools/{about}");
                let next = ["brushes", "sponges", "needles", "knives"][at];
                let mut page = PageSpec::new(
                    &path,
                    &format!("{about} and how we use them"),
                    40 + u32::try_from(at).unwrap_or_default(),
                );
                page.in_navigation = false;
                page.extra =
                    format!("<p>Then read about <a href=/tools/{next}>our {next}</a>.</p>");
                fault.site.pages.push(page);
            }
            let mut last = PageSpec::new("/tools/knives", "knives and how we use them", 50);
            last.in_navigation = false;
            fault.site.pages.push(last);
            fault.link("/tools/wheels", "our wheels");
        }
        Code::DeadEnd => fault.page().navigation = vec![(String::new(), String::new())],
        Code::EmptyAnchor => fault.html("<a href=/guides/clay></a>"),
        Code::GenericAnchor => fault.link("/guides/clay", "click here"),
        Code::UncrawlableAnchor => fault.link("javascript:void(0)", "open the drawer"),
        Code::LocalhostLink => fault.link("http://localhost:3000/preview", "the preview"),
        Code::HttpLink => {
            fault.needs_https = true;
            fault.file(
                "http://other.example/plain",
                Answer::file("text/html", "<title>Plain</title>"),
            );
            fault.link("http://other.example/plain", "what others write");
        }
        Code::MissingFragment => fault.link("/guides/clay#nowhere", "the part on sand"),
        _ => return false,
    }
    true
}

fn images(fault: &mut FaultSite, code: Code) -> bool {
    let extra = match code {
        Code::AltMissing => "<img src=/cup.png width=40 height=30>".to_owned(),
        Code::AltLong => {
            let alt = "A cup ".repeat(20);
            format!("<img src=/cup.png alt=\"{alt}\" width=40 height=30>")
        }
        Code::ImageLarge => {
            fault.file("/large.png", Answer::file("image/png", vec![7; 600_000]));
            "<img src=/large.png alt=\"A large cup\" width=40 height=30>".to_owned()
        }
        Code::ImageNoSize => "<img src=/cup.png alt=\"A cup\">".to_owned(),
        Code::PictureWithoutImg => "<picture><source srcset=/cup.png></picture>".to_owned(),
        Code::ImageBroken => "<img src=/lost.png alt=\"A lost cup\" width=40 height=30>".to_owned(),
        _ => return false,
    };
    fault.html(&extra);
    true
}

/// `hreflang` links, by code and path.
fn alternates(all: &[(&str, &str)]) -> String {
    let links = all.iter().map(|(code, path)| {
        format!("<link rel=alternate hreflang={code} href=\"{{origin}}{path}\">\n")
    });
    links.collect()
}

fn languages(fault: &mut FaultSite, code: Code) -> bool {
    let (english, second) = ("/guides/glaze", "/guides/glaze-us");
    let pair = [("en", english), ("en-us", second), ("x-default", english)];
    let (mut own, mut of_second) = (alternates(&pair), alternates(&pair));
    let mut change: fn(&mut PageSpec) = |_| {};
    let mut has_second = true;
    match code {
        Code::HreflangNoReturn => of_second.clear(),
        Code::HreflangToNon200 => own += &alternates(&[("fr", "/gone")]),
        Code::HreflangToRedirect => {
            fault.file("/moved", Answer::redirect("/guides/clay"));
            own += &alternates(&[("fr", "/moved")]);
        }
        Code::HreflangToNoncanonical => {
            change = |it| {
                it.canonical = Some(CLAY_URL.into());
                it.in_sitemap = false;
            };
        }
        Code::HreflangToNoindex => {
            change = |it| {
                it.head.push_str("<meta name=robots content=noindex>");
                it.in_sitemap = false;
            };
        }
        Code::HreflangInvalidCode => own += &alternates(&[("en-UK", english)]),
        Code::HreflangRelative => {
            own = own.replacen("{origin}/guides/glaze\"", "/guides/glaze\"", 1);
        }
        Code::HreflangNoSelf => {
            own = alternates(&[("en-us", second), ("x-default", second)]);
            of_second = alternates(&[("en", english), ("en-us", second), ("x-default", second)]);
        }
        Code::HreflangNoXDefault => {
            own = alternates(&pair[..2]);
            of_second.clone_from(&own);
        }
        Code::HreflangLangMismatch => {
            has_second = false;
            own = alternates(&[("fr", english), ("x-default", english)]);
        }
        Code::HreflangMultipleLangs => {
            has_second = false;
            own = alternates(&[("en", english), ("fr", english), ("x-default", english)]);
        }
        _ => return false,
    }
    fault.head(&own);
    if has_second {
        fault.add(second, "glaze and colors", |it| {
            it.head = of_second;
            change(it);
        });
    }
    true
}

fn addresses(fault: &mut FaultSite, code: Code) -> bool {
    let path = match code {
        Code::Underscore => "/guides/clay_types",
        Code::Uppercase => "/guides/Sand",
        Code::Space => "/guides/fine%20sand",
        Code::DoubleSlash => "/guides//sand",
        Code::NonAscii => "/guides/%C4%8Daj",
        Code::TooLong => {
            "/guides/everything-that-we-know-about-sand-and-how-it-is-found-and-washed-and-dried-and-kept-and-used-in-the-end"
        }
        Code::RepetitivePath => "/sand/sand/guide",
        Code::SessionId => "/guides/sand?sid=1234",
        Code::TrackingParams => {
            fault.link("/guides/clay?utm_source=guide", "our guide to clay");
            let mut copy = fault.site.pages[CLAY].clone();
            copy.path = "/guides/clay?utm_source=guide".into();
            copy.canonical = Some(CLAY_URL.into());
            (copy.in_navigation, copy.in_sitemap) = (false, false);
            fault.site.pages.push(copy);
            return true;
        }
        _ => return false,
    };
    fault.add(path, "sand and where we find it", |_| {});
    true
}

fn document(fault: &mut FaultSite, code: Code) -> bool {
    let mut without = |name: &str| fault.page().headers.push((name.into(), String::new()));
    match code {
        Code::HstsMissing => {
            without("strict-transport-security");
            fault.needs_https = true;
        }
        Code::CspMissing => without("content-security-policy"),
        Code::ContentTypeOptionsMissing => without("x-content-type-options"),
        Code::XFrameOptionsMissing => without("x-frame-options"),
        Code::ReferrerPolicyMissing => without("referrer-policy"),
        Code::DoctypeMissing => fault.page().doctype = "",
        Code::ViewportMissing => fault.page().viewport = false,
        Code::DuplicateId => fault.html("<p id=a>One thing.</p><p id=a>Another.</p>"),
        Code::DomSize => fault.html(&"<i></i>".repeat(1_500)),
        Code::HtmlOver2MB => {
            // Not a repeated letter: a high compression ratio is refused as a bomb.
            let scattered = |it: u64| it.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            let letters = (0..250_000).map(|it| format!("{:08x}", scattered(it)));
            let comment = format!("<!-- {} -->", letters.collect::<Vec<_>>().concat());
            fault.html(&comment);
        }
        Code::HeadInvalidElement => fault.head("<div></div>"),
        Code::CharsetMissing => fault.page().charset = false,
        Code::FormOnHttp => {
            let origin = fault.site.origin.replace("https://", "http://");
            fault.needs_https = true;
            fault.add("/open", "what is open to all", |it| {
                it.origin = Some(origin);
                it.extra = "<form><input name=q aria-label=Search></form>".into();
            });
        }
        Code::FormActionHttp => {
            fault.needs_https = true;
            let form = "<form method=post action=\"http://other.example/send\"><input name=q aria-label=Search></form>";
            fault.html(form);
        }
        Code::UnsafeCrossOrigin => {
            let url = fault.elsewhere("/cups", Answer::file("text/html", "<title>Cups</title>"));
            let link = format!("<a target=_blank href={url}>cups of others</a>");
            fault.html(&link);
        }
        _ => return false,
    }
    true
}

fn series(fault: &mut FaultSite, code: Code) -> bool {
    let (first, second) = ("/list/first", "/list/second");
    let link =
        |path: &str| format!("<p>Go on with <a href={path}>the other part of the list</a>.</p>");
    let next = |path: &str| format!("<link rel=next href={path}>");
    match code {
        Code::PaginationNon200 => fault.head(&next("/gone")),
        Code::PaginationNotLinked | Code::PaginationLoop | Code::PaginationNoindex => {
            fault.add(first, "the first part of the list", |it| {
                it.head = next(second);
                if code != Code::PaginationNotLinked {
                    it.extra = link(second);
                }
            });
            fault.add(second, "the second part of the list", |it| match code {
                Code::PaginationLoop => {
                    it.head = next(first);
                    it.extra = link(first);
                }
                Code::PaginationNoindex => {
                    it.head =
                        format!("<link rel=prev href={first}><meta name=robots content=noindex>");
                    it.extra = link(first);
                    it.in_sitemap = false;
                }
                _ => {}
            });
        }
        _ => return false,
    }
    true
}

fn trail(second: &str) -> String {
    format!(
        "{{\"@context\":\"https://schema.org\",\"@type\":\"BreadcrumbList\",\"itemListElement\":[\
         {{\"@type\":\"ListItem\",\"position\":1,\"name\":\"Our workshop\",\"item\":\"{{origin}}/\"}},\
         {{\"@type\":\"ListItem\",\"position\":2{second}}}]}}"
    )
}

fn data(fault: &mut FaultSite, code: Code) -> bool {
    if code == Code::SdOutsideItem {
        fault.html(
            "<div itemprop=review itemscope itemtype=https://schema.org/Review>\
             <p itemprop=reviewBody>The cups are light, and the glaze is even.</p></div>",
        );
        return true;
    }
    let article = |headline: &str, image: &str| {
        format!(
            "{{\"@context\":\"https://schema.org\",\"@type\":\"Article\",\"headline\":\"{headline}\",{image}\
             \"datePublished\":\"2024-05-06T10:00:00+02:00\",\"dateModified\":\"2024-05-07T10:00:00+02:00\",\
             \"author\":{{\"@type\":\"Person\",\"name\":\"Ann Smith\",\"url\":\"{{origin}}/about\"}}}}"
        )
    };
    let image = "\"image\":\"{origin}/cup.png\",";
    let json = match code {
        Code::SdParseError => "{\"@context\": \"https://schema.org\", \"@type\":".to_owned(),
        Code::SdRequiredMissing => trail(""),
        Code::SdRecommendedMissing => article("All about glaze and colours", ""),
        Code::SdUnknownTerm => {
            trail(",\"name\":\"All about glaze and colours\",\"item\":\"{url}\",\"colour\":\"blue\"")
        }
        Code::SdNotVisible => article("What is written nowhere else", image),
        Code::SdRetired => {
            "{\"@context\":\"https://schema.org\",\"@type\":\"FAQPage\",\"mainEntity\":[{\"@type\":\"Question\",\
             \"name\":\"All about glaze and colours\",\"answerCount\":1,\"acceptedAnswer\":{\"@type\":\"Answer\",\"text\":\"All about glaze and colours\"}}]}"
                .to_owned()
        }
        _ => return false,
    };
    fault.html("<p>By Ann Smith, published on 6 May 2024, changed on 7 May 2024.</p>");
    fault.head(&format!("<script type=application/ld+json>{json}</script>"));
    true
}

fn speed(fault: &mut FaultSite, code: Code) -> bool {
    match code {
        Code::LcpPoor => fault.vitals = Some(VitalsFault::Lcp),
        Code::InpPoor => fault.vitals = Some(VitalsFault::Inp),
        Code::ClsPoor => fault.vitals = Some(VitalsFault::Cls),
        Code::TtfbPoor => fault.vitals = Some(VitalsFault::Ttfb),
        Code::NoCompression => fault.page().compressed = false,
        Code::CacheShort => {
            let mut file = Answer::file("text/css", "body{margin:0}");
            file.headers[1].1 = "max-age=60".into();
            fault.file("/style.css", file);
        }
        Code::RenderBlocking => fault.head("<script src=/app.js></script>"),
        _ => return false,
    }
    true
}

fn robots_of_ai(fault: &mut FaultSite, code: Code) -> bool {
    match code {
        Code::AiSearchBlocked => {
            let rules = format!(
                "User-agent: OAI-SearchBot\nDisallow: /\n\n{}",
                fault.site.robots
            );
            fault.site.robots = rules;
        }
        Code::JsOnlyContent => {
            fault.head("<script defer src=/app.js></script>");
            fault.page().text = "<div id=app></div>".into();
            fault.page().extra.clear();
        }
        Code::LlmsTxtInvalid => fault.file("/llms.txt", Answer::file("text/plain", "Hello.")),
        Code::NoAuthor => {
            fault.head("<meta property=og:type content=article>");
            fault.head("<meta property=article:published_time content=2024-05-06T10:00:00Z>");
        }
        Code::NoDate => {
            fault.head("<meta property=og:type content=article>");
            fault.head("<meta name=author content=\"Ann Smith\">");
        }
        _ => return false,
    }
    true
}
