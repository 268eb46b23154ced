#!/usr/bin/env python3
"""Holds what we say of rendered pages to Playwright, which reads the same pages in the same browser.

    tests/oracles/rendering.py [--show] [--no-build]

One article is built by jQuery, Vue, React, Preact, Alpine and Mithril (npm), by templates of the browser and by
document.write, each from JSON that is fetched, together with head and links; the same article is also in
a document without scripts. Those pages, and pages of Debian's documentation where it is installed, are served on
loopback, read by `sightline audit --render --json`, and loaded by Playwright 1.57 (PyPI; its own browser is not
installed), which waits for the network to be idle and asks the document itself.

Compared: title, description, first h1, canonical, robots, the number of links, and for the made pages the words
of `main` (innerText). The bar: all equal. Exit code 1: below.
"""
import argparse
import functools
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sightline-oracles"
VENV = CACHE / "rendering-venv"
MODULES = CACHE / "rendering-npm"
PLAYWRIGHT = "playwright==1.57.0"
PACKAGES = ["jquery@3.7.1", "vue@3.5.13", "react@18.3.1", "react-dom@18.3.1", "preact@10.25.4", "alpinejs@3.14.8", "mithril@2.2.15"]
CHROMIUM = next((it for it in ("/usr/lib/chromium/chromium", "/usr/bin/chromium") if os.path.exists(it)), None)
DOCUMENTATION = [
    ("/usr/share/doc/python3.11/html", ["tutorial/classes.html", "library/json.html", "library/asyncio-task.html"]),
    ("/usr/share/doc/postgresql-doc-15/html", ["sql-select.html", "mvcc-intro.html"]),
    ("/usr/share/doc/sqlite3", ["lang_select.html", "wal.html"]),
]

ARTICLE = {
    "title": "Clay by script",
    "heading": "How clay becomes a bowl",
    "paragraphs": [{"text": f"Potter number {n} turns the clay slowly and lets the bowl rest for {n + 2} days before the fire.", "link": f"/page{n % 7}.html"} for n in range(40)],
}
HEAD = """document.title = data.title;
const add = (name, set) => { const it = document.createElement(name); Object.assign(it, set); document.head.append(it); };
add("meta", {name: "description", content: "From clay to bowl"}); add("meta", {name: "robots", content: "max-snippet:50, noarchive"});
add("link", {rel: "canonical", href: "/canonical/" + document.location.pathname.slice(1)});"""
HTML = """`<article><h1>${data.heading}</h1>${data.paragraphs.map((it) => `<p>${it.text} See <a href="${it.link}">more of it</a>.</p>`).join("")}</article>`"""
HYPER = """h("article", {}, h("h1", {}, data.heading), data.paragraphs.map((it) => h("p", {key: it.text}, it.text, " See ", h("a", {href: it.link}, "more of it"), ".")))"""
BUILDERS = {
    "plain": ([], f"document.querySelector('main').innerHTML = {HTML};"),
    "template": ([], f"const t = document.createElement('template'); t.innerHTML = {HTML}; document.querySelector('main').append(t.content.cloneNode(true));"),
    "late": ([], f"setTimeout(() => {{ document.querySelector('main').innerHTML = {HTML}; }}, 400);"),
    "chained": ([], f"for (let n = 0; n < 6; n++) await fetch('/article.json?' + n); document.querySelector('main').innerHTML = {HTML};"),
    "jquery": (["jquery/dist/jquery.min.js"], f"$('main').html({HTML});"),
    "vue": (["vue/dist/vue.global.prod.js"], "Vue.createApp({data: () => data, template: '<article><h1>{{heading}}</h1><p v-for=\"it in paragraphs\">{{it.text}} See <a :href=\"it.link\">more of it</a>.</p></article>'}).mount('main');"),
    "react": (["react/umd/react.production.min.js", "react-dom/umd/react-dom.production.min.js"], f"const h = React.createElement; ReactDOM.createRoot(document.querySelector('main')).render({HYPER});"),
    "preact": (["preact/dist/preact.min.js"], f"const h = preact.h; preact.render({HYPER}, document.querySelector('main'));"),
    "alpine": (["alpinejs/dist/cdn.min.js"], "window.data = data; document.querySelector('main').innerHTML = '<article x-data=\"window.data\"><h1 x-text=\"heading\"></h1><template x-for=\"it in paragraphs\"><p><span x-text=\"it.text\"></span> See <a :href=\"it.link\">more of it</a>.</p></template></article>';"),
    "mithril": (["mithril/mithril.min.js"], f"const h = m; m.render(document.querySelector('main'), {HYPER});"),
}
PAGE = """<!doctype html><html lang=en><head><meta charset=utf-8><title>Sent</title>{scripts}</head><body><noscript><h1>Switch scripts on</h1><a href=/none.html>none</a></noscript>
<main></main><script>(async () => {{ const data = await (await fetch("/article.json")).json(); {head} {build} }})();</script></body></html>"""
READ_PAGE = """() => {
  const of = (what, name) => { const it = document.querySelector(what); return it ? it[name] : null; };
  const links = new Set([...document.querySelectorAll("a[href], area[href]")].map((it) => it.href.split("#")[0]).filter((it) => it.startsWith("http")));
  const main = document.querySelector("main");
  return {title: document.title, description: of("meta[name=description]", "content"), h1: of("h1", "textContent"), canonical: of("link[rel=canonical]", "href"),
          robots: of("meta[name=robots]", "content"), links: links.size, words: main ? main.innerText : null};
}"""


def install():
    if not (VENV / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        subprocess.run([VENV / "bin" / "pip", "install", "-q", PLAYWRIGHT], check=True)
    if not (MODULES / "node_modules" / "mithril").exists():
        MODULES.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--legacy-peer-deps", "--prefix", MODULES, *PACKAGES], check=True)


def pages():
    """What is served, by path: text, or a file."""
    served = {"/article.json": json.dumps(ARTICLE), "/robots.txt": "User-agent: *\nAllow: /\n"}
    for name, (scripts, build) in BUILDERS.items():
        tags = "".join(f"<script {'defer ' if name == 'alpine' else ''}src=/npm/{it}></script>" for it in scripts)
        served[f"/{name}.html"] = PAGE.format(scripts=tags, head=HEAD, build=build)
        served.update({f"/npm/{it}": MODULES / "node_modules" / it for it in scripts})
    body = "".join(f"<p>{it['text']} See <a href='{it['link']}'>more of it</a>.</p>" for it in ARTICLE["paragraphs"])
    served["/static.html"] = f"<!doctype html><html lang=en><meta charset=utf-8><title>Sent</title><main><article><h1>{ARTICLE['heading']}</h1>{body}</article></main>"
    compared = [it for it in served if it.endswith(".html")]
    for folder, names in DOCUMENTATION:
        for name in names:
            if os.path.exists(os.path.join(folder, name)):
                served[f"{folder}/{name}"] = None
                compared.append(f"{folder}/{name}")
    links = "".join(f"<a href='{it}'>{it}</a> " for it in compared)
    served["/"] = f"<!doctype html><html lang=en><title>All</title><h1>All</h1><p>{links}</p>"
    return served, compared


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, served, *rest):
        self.served = served
        super().__init__(*rest)

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = self.path.split("?")[0]
        resource = self.served.get(path)
        if isinstance(resource, str):
            body = resource.encode()
        else:
            file = pathlib.Path(os.path.normpath(path)) if resource is None else resource
            is_open = resource is not None or any(str(file).startswith(folder + "/") for folder, _ in DOCUMENTATION)
            body = file.read_bytes() if is_open and file.is_file() else None
        kinds = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".txt": "text/plain"}
        self.send_response(200 if body is not None else 404)
        kind = "text/html; charset=utf-8" if path == "/" else kinds.get(pathlib.Path(path).suffix, "application/octet-stream")
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")


def theirs(urls):
    """What Playwright sees, by URL."""
    program = f"""
import json, sys
from playwright.sync_api import sync_playwright
with sync_playwright() as it:
    browser = it.chromium.launch(executable_path={CHROMIUM!r}, args=["--no-sandbox"])
    for url in json.load(sys.stdin):
        page = browser.new_context().new_page()
        page.goto(url, wait_until="networkidle")
        page.wait_for_timeout(500)
        print(json.dumps([url, page.evaluate({READ_PAGE!r})]), flush=True)
        page.context.close()
    browser.close()
"""
    ran = subprocess.run([VENV / "bin" / "python", "-c", program], input=json.dumps(urls), capture_output=True, text=True)
    if ran.returncode:
        sys.exit(ran.stderr)
    return dict(map(json.loads, ran.stdout.splitlines()))


def ours(home, build):
    """What `sightline audit --render` says, by URL."""
    if build:
        subprocess.run(["cargo", "build", "-q", "-p", "cli"], cwd=ROOT, check=True)
    program = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug" / "sightline"
    settings = {"SIGHTLINE_CRAWLER__ALLOW_NETWORKS": '["127.0.0.0/8"]', "SIGHTLINE_CRAWLER__PER_HOST_DELAY_MS": "0"}
    with tempfile.TemporaryDirectory() as folder:
        words = [program, "audit", home, "--render", "--json", "--max-depth", "1", "--internal-only"]
        ran = subprocess.run(words, env={"PATH": os.environ["PATH"], "HOME": folder, **settings}, cwd=folder, check=True, capture_output=True, text=True)
    items = json.loads(ran.stdout)["items"]
    return {it["url"]: it["rendered"] for it in items if it["type"] == "content"}


def collapsed(text):
    return " ".join(text.split()) if text and text.split() else None


def rules(text):
    return sorted(it.strip() for it in text.lower().split(",")) if text else []


def compared(mine, other, is_made):
    """Each figure with ours and theirs."""
    yield "title", mine["title"]["rendered"], collapsed(other["title"])
    yield "description", mine["metaDescription"]["rendered"], collapsed(other["description"])
    yield "h1", collapsed(mine["h1"]["rendered"]), collapsed(other["h1"])
    # Documentation that was built on a disk contains file URLs.
    yield "canonical", mine["canonical"]["rendered"], other["canonical"] if (other["canonical"] or "").startswith("http") else None
    yield "robots", mine["robots"]["rendered"], rules(other["robots"])
    yield "links", mine["links"]["rendered"], other["links"]
    if is_made:
        yield "words", mine["words"]["rendered"], len(re.findall(r"\w+", other["words"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--no-build", action="store_true")
    arguments = parser.parse_args()
    if CHROMIUM is None:
        sys.exit("there is no Chromium; tests/run installs it")
    install()
    served, paths = pages()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, served))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}/"
    urls = [home + path.lstrip("/") for path in paths]
    mine, others = ours(home, not arguments.no_build), theirs(urls)
    counts, failed = {}, 0
    for url, path in zip(urls, paths):
        found = mine.get(url)
        if not found or found["state"] == "failed":
            print(f"  {path}: not shown: {found and found['reason']}")
            failed += 1
            continue
        for name, own, other in compared(found, others[url], path.count("/") == 1):
            same, all_ = counts.get(name, (0, 0))
            counts[name] = (same + (own == other), all_ + 1)
            if own != other or arguments.show:
                print(f"  {path}: {name}: ours {own!r}, Playwright {other!r}")
    for name, (same, all_) in counts.items():
        print(f"{name}: {same} of {all_} the same")
    below = failed or any(same < all_ for same, all_ in counts.values())
    print(f"{len(urls)} pages, {failed} not shown: {'below the bar' if below else 'good'}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
