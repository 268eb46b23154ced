"""Pages for lighthouse_seo.py: pages of Debian's documentation, and pages made for each of Lighthouse's ten
SEO audits, so that each of them passes and fails somewhere.

A made page is a Page: its address, what is served there, and with which status and headers. What
replaces the origin of the server is ORIGIN.
"""
import dataclasses
import pathlib

DOCUMENTATION = {
    "postgresql": "/usr/share/doc/postgresql-doc-15/html",
    "python": "/usr/share/doc/python3.11/html",
    "sqlite": "/usr/share/doc/sqlite3",
    "apache": "/usr/share/doc/apache2-doc/manual",
    "handbook": "/usr/share/doc/debian-handbook/html",
    "installation": "/usr/share/doc/installation-guide-amd64",
}
# robots.txt of the server with all pages but those for robots-txt.
ROBOTS = "User-agent: *\nDisallow: /made/closed\n"
# robots.txt files, each on its own server; None is a 404, a number is a status.
ROBOTS_FILES = {
    "absent": None,
    "empty": "",
    "unavailable": 500,
    "unknown-directive": "User-agent: *\nDisallow: /closed\nForbid: /x\n",
    "before-group": "Disallow: /closed\nUser-agent: *\nAllow: /\n",
    "sitemap-relative": "User-agent: *\nAllow: /\nSitemap: /sitemap.xml\n",
    "dollar-inside": "User-agent: *\nDisallow: /closed$/x\n",
    "whole": "# All of it\nUser-agent: *\nDisallow: /*.cgi$ # none of those\nCrawl-delay: 0\nSitemap: ORIGIN/sitemap.xml\n",
}
TITLE = "<title>Cups of stoneware that keep tea warm</title>"
DESCRIPTION = '<meta name="description" content="How cups of stoneware are thrown, glazed and fired, and why tea stays warm in them for longer than in glass.">'
TEXT = "<h1>Cups of stoneware</h1><p>Stoneware is fired at more than 1,200 degrees, so that the clay becomes dense and holds warmth for a long time. See how <a href='/made/good.html'>cups are glazed</a>.</p>"


@dataclasses.dataclass
class Page:
    """A generated page."""
    path: str
    body: str
    status: int = 200
    headers: tuple = ()


def page(name, head="", body="", title=TITLE, description=DESCRIPTION, lang="en", **others):
    """A page without faults except in the given parts."""
    start = f'<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    return Page(f"/made/{name}.html", f"{start}{title}{description}{head}</head><body>{TEXT}{body}</body></html>", **others)


def canonical(address):
    return f'<link rel="canonical" href="{address}">'


def hreflang(code, address):
    return f'<link rel="alternate" hreflang="{code}" href="{address}">'


OWN = "ORIGIN/made/{}.html"
LANGUAGES = hreflang("en-GB", OWN.format("good")) + hreflang("zh-Hant-TW", OWN.format("good-zh")) + hreflang("x-default", OWN.format("good"))
MADE = [
    page("good", canonical(OWN.format("good")) + LANGUAGES, '<img src="/made/cup.png" alt="A grey cup" width="20" height="20">'),
    # is-crawlable
    page("noindex", '<meta name="robots" content="NoIndex, follow">'),
    page("noindex-header", headers=(("X-Robots-Tag", "none"),)),
    page("noindex-googlebot", '<meta name="googlebot" content="noindex">'),
    page("noindex-other", '<meta name="otherbot" content="noindex">', headers=(("X-Robots-Tag", "otherbot: noindex"),)),
    page("unavailable-after", headers=(("X-Robots-Tag", "unavailable_after: 25 Jun 2010 15:00:00 GMT"),)),
    page("closed"),
    # document-title
    page("title-missing", title="", body="<svg width=9 height=9><title>A drawing</title></svg>"),
    page("title-blank", title="<title> \n </title>"),
    # meta-description
    page("description-missing", description=""),
    page("description-blank", description='<meta name="Description" content="  ">'),
    page("title-in-body", title="", body=TITLE),
    page("description-in-body", description="", body=DESCRIPTION),
    # http-status-code
    page("gone", status=410),
    page("broken", status=503),
    # link-text
    page("text-generic", body='<p>For glazes <a href="/made/good.html"> Click\nhere </a>.'),
    page("text-exempt", body='<p><a href="/made/good.html" rel="nofollow">click here</a> <a href="#top">here</a> <a href="mailto:jo@example.com">this</a> <a href="/made/good.html">here it is</a>'),
    page("text-german", body='<p>Zu Glasuren <a href="/made/good.html">hier klicken</a>.', lang="de-AT"),
    page("text-other-language", body='<p>A glaze of <a href="/made/good.html">das</a>.'),
    # crawlable-anchors
    page("anchor-void", body='<p><a href="javascript:void(0)">Open the list of glazes</a>'),
    page("anchor-file", body='<p><a href="file:///home/jo/cups.html">List of cups</a>'),
    page("anchor-exempt", body='<p><a>Placeholder</a> <a name="part">A part</a> <a id="place" href="">A place</a> <a role="button" href="javascript:void(0)">Open</a> <a href="mailto:jo@example.com">Write</a> <a href="javascript:next()">Next</a>'),
    page("anchor-invalid", body='<p><a href="https://:0:0/">A kiln</a>'),
    # image-alt
    page("alt-missing", body='<img src="/made/cup.png" width="20" height="20">'),
    page("alt-exempt", body='<img src="/made/cup.png" alt=""> <img src="/made/cup.png" role="presentation"> <img src="/made/cup.png" aria-label="Cup"> <img src="/made/cup.png" title="Cup">'),
    page("alt-input", body='<form><input type="image" src="/made/cup.png"></form><map><area href="/made/good.html"></map><svg width=9 height=9></svg>'),
    # hreflang
    page("hreflang-code", hreflang("xx-GB", OWN.format("good")) + hreflang("en", OWN.format("hreflang-code"))),
    page("hreflang-relative", hreflang("en", "/made/hreflang-relative.html")),
    page("hreflang-region", hreflang("en-UK", OWN.format("hreflang-region"))),
    page("hreflang-header", headers=(("Link", f'<{OWN.format("good")}>; rel="alternate"; hreflang="english"'),)),
    # canonical
    page("canonical-two", canonical(OWN.format("good")) + canonical(OWN.format("canonical-two"))),
    page("canonical-relative", canonical("/made/canonical-relative.html")),
    page("canonical-root", canonical("ORIGIN/")),
    page("canonical-in-body", body=canonical("/made/good.html")),
    page("canonical-language", canonical(OWN.format("good")) + LANGUAGES + hreflang("en-IE", OWN.format("canonical-language"))),
    page("canonical-header", headers=(("Link", f'<{OWN.format("canonical-header")}>; rel="canonical"'),)),
    page("canonical-invalid", canonical("https://:0:0/")),
]


def documentation(of_each):
    """Addresses of pages: every nth file of each package, by its name in the address."""
    found = []
    for name, folder in DOCUMENTATION.items():
        home = pathlib.Path(folder)
        if not home.is_dir():
            raise SystemExit(f"{home} is missing: install Debian's packages of documentation")
        files = sorted(it for it in home.rglob("*.html*") if it.is_file() and it.name.split(".html")[1] in ("", ".en"))
        step = len(files) // of_each
        chosen = files[step // 2 :: step][:of_each]
        found += [f"/{name}/{it.relative_to(home).as_posix().removesuffix('.en')}" for it in chosen]
    return found
