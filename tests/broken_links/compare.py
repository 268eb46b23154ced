#!/usr/bin/env python3
"""Compare Sightline's broken-links with the files on disk and with linkchecker.

    tests/broken_links/compare.py [--command "PROGRAM ... {url} --max-pages {pages}"]
                                  [--site postgresql] [--damage] [--no-linkchecker]

Each Debian documentation folder is served on loopback, with all of its languages; one that has no
start page (debian-handbook, installation-guide-amd64) gets one that links to each of its folders.
The command reads the site, has to end without a failure, and prints
JSON: {"items": [records], "summary": {type: {...}}}; only what is of the type `broken-links` is looked at. The truth is computed here, from the files, by
another parser (html5lib, PyPI) and other code: which pages can be reached, whether the file of
each link exists, whether the fragment exists as an id or a[name]. The two are compared as sets of
(source page, target, verdict), and each record's place is looked up in the file. linkchecker
(PyPI) then reads the same server, and its verdict per URL is compared by status class.

With --damage, each folder is first copied and every 40th HTML file is removed and every 7th id of
the others renamed, so that a site without mistakes is a test too.

Needs the packages postgresql-doc-15, sqlite3-doc, python3-doc, apache2-doc, debian-handbook and
installation-guide-amd64. Everything from PyPI
goes into a virtual environment in the cache folder. Exit code 0: no difference, 1: differences.
"""
import argparse
import collections
import csv
import functools
import http.server
import io
import json
import multiprocessing
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse as up

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sightline-oracles"
SITES = {
    "postgresql": "/usr/share/doc/postgresql-doc-15/html",
    "sqlite": "/usr/share/doc/sqlite3",
    "python": "/usr/share/doc/python3.11/html",
    "apache": "/usr/share/doc/apache2-doc/manual",
    "handbook": "/usr/share/doc/debian-handbook/html",
    "installation": "/usr/share/doc/installation-guide-amd64",
}
DEFAULT_COMMAND = "cargo run -q --bin sightline -- audit {url} --json --max-pages {pages} --max-depth 1000 --internal-only"
# The sites are on loopback, which requires the operator's permission, and belong to this program.
SETTINGS = {
    "SIGHTLINE_CRAWLER__ALLOW_NETWORKS": '["127.0.0.0/8"]',
    "SIGHTLINE_CRAWLER__PER_HOST_DELAY_MS": "0",
    "SIGHTLINE_CRAWLER__CONNECTIONS_PER_HOST": "4",
}


def in_virtual_environment():
    """Runs this script again inside a virtual environment that has the oracles."""
    home = CACHE / "broken-links-venv"
    python = home / "bin" / "python"
    if pathlib.Path(sys.prefix).resolve() == home.resolve():
        return
    if not (home / "ready-2").exists():
        print("installing html5lib, ada-url and linkchecker into", home, file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        subprocess.run([str(python), "-m", "pip", "-q", "install", "html5lib==1.1", "ada-url==1.31.0", "linkchecker==10.6.0"], check=True)
        (home / "ready-2").touch()
    os.execv(str(python), [str(python), *sys.argv])


# --- the server

class Handler(http.server.SimpleHTTPRequestHandler):
    """Files unchanged; directories by index.html, with a redirect to the slash; no listings.
    `x.html.en` answers for `x.html`, as Apache's MultiViews does for a reader of English."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def end_headers(self):
        # linkchecker asks servers that send this as fast as configured.
        self.send_header("LinkChecker", "welcome")
        super().end_headers()

    def list_directory(self, path):
        self.send_error(404)

    def guess_type(self, path):
        if re.search(r"\.html(\.[a-z-]+)*(\.(utf8|[a-z0-9-]+))?$", path, re.I):
            return "text/html"
        return super().guess_type(path)

    def translate_path(self, path):
        found = super().translate_path(path)
        if os.path.isdir(found) and not os.path.exists(os.path.join(found, "index.html")):
            english = os.path.join(found, "index.html.en")
            if os.path.exists(english) and path.split("?")[0].endswith("/"):
                return english
        if not os.path.exists(found) and os.path.exists(found + ".en"):
            return found + ".en"
        return found


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A client may disconnect early: not an error."""

    request_queue_size = 128


def serve(folder):
    server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}"


def with_start(folder, into):
    """The folder, or one beside it that has what is in it and a start page that links to its folders."""
    if any(os.path.exists(os.path.join(folder, name)) for name in ("index.html", "index.html.en")):
        return folder
    started = pathlib.Path(into)
    started.mkdir(parents=True)
    names = sorted(it.name for it in pathlib.Path(folder).iterdir() if it.is_dir())
    for name in names:
        (started / name).symlink_to(os.path.join(folder, name))
    links = "".join(f'<li><a href="{name}/index.html">{name}</a>' for name in names)
    (started / "index.html").write_text(f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Languages</title><ul>{links}</ul>")
    return str(started)


def damaged(folder, into):
    """A copy of a folder with files removed and ids renamed, always the same ones."""
    copy = pathlib.Path(into) / "site"
    shutil.copytree(folder, copy, symlinks=False, ignore_dangling_symlinks=True)
    files = sorted(file for file in copy.rglob("*.html") if file.name != "index.html")
    for number, file in enumerate(files):
        if number % 40 == 7:
            file.unlink()
            continue
        count = iter(range(10**9))
        rename = lambda match: match[0] if next(count) % 7 else match[1] + b"renamed-" + match[2]
        file.write_bytes(re.sub(rb"(\b(?:id|name)=[\"'])([\w.-]+)", rename, file.read_bytes()))
    return str(copy)


# --- the truth, from the files

def file_of(root, path):
    """(status, file) of a URL path."""
    name = up.unquote(path, errors="surrogateescape")
    parts = [part for part in name.split("/") if part]
    full = os.path.join(root, *parts)
    if os.path.isdir(full):
        if not path.endswith("/"):
            return 301, None
        for index in ("index.html", "index.html.en"):
            if os.path.exists(os.path.join(full, index)):
                return 200, os.path.join(full, index)
        return 404, None
    if path.endswith("/"):
        return 404, None
    for candidate in (full, full + ".en"):
        if os.path.isfile(candidate):
            return 200, candidate
    return 404, None


SOURCES = {"a": ["href"], "area": ["href"], "link": ["href"], "img": ["src", "srcset"], "source": ["src", "srcset"],
           "video": ["src", "poster"], "audio": ["src"], "track": ["src"], "iframe": ["src"], "frame": ["src"],
           "script": ["src"], "object": ["data"], "embed": ["src"], "form": ["action"], "meta": ["content"]}
PAGE_RELS = {"canonical", "alternate", "next", "prev"}
SILENT_RELS = {"preconnect", "dns-prefetch", "pingback", "edituri"}


def read_file(file):
    """(names, [(element, rel, raw)]) of an HTML file, by html5lib."""
    import html5lib
    data = pathlib.Path(file).read_bytes()
    document = html5lib.parse(data, treebuilder="etree", namespaceHTMLElements=False, default_encoding="utf-8")
    names, links, base = set(), [], None
    for element in document.iter():
        if not isinstance(element.tag, str):
            continue
        tag = element.tag.rsplit("}")[-1]
        if element.get("id"):
            names.add(element.get("id"))
        if tag == "a" and element.get("name"):
            names.add(element.get("name"))
        if tag == "base" and base is None and element.get("href") is not None:
            base = element.get("href")
        if tag == "style":
            for match in re.finditer(r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^)'"]*))\s*\)""", re.sub(r"/\*.*?\*/", "", element.text or "", flags=re.S)):
                links.append(("style", "", next(group for group in match.groups() if group is not None).strip()))
        for attribute in SOURCES.get(tag, ()):
            value = element.get(attribute)
            if value is None:
                continue
            rel = (element.get("rel") or "").lower()
            if attribute == "srcset":
                links += [(tag, rel, part.split()[0]) for part in value.split(",") if part.strip()]
            elif tag == "meta":
                match = re.match(r"\s*[\d.]*\s*[;,]\s*(?:url\s*=)?\s*['\"]?([^'\"]*)", value, re.I)
                if (element.get("http-equiv") or "").lower() == "refresh" and match and match[1]:
                    links.append((tag, rel, match[1].strip()))
            elif tag == "link" and (not rel.split() or set(rel.split()) <= SILENT_RELS):
                pass
            elif tag == "form" and (not value.strip() or (element.get("method") or "").lower() == "post"):
                pass
            else:
                links.append((tag, rel, value))
    return names, links, base


def canonical(url):
    """One spelling for URLs that differ in escapes only."""
    parts = up.urlsplit(url)
    escape = lambda text, safe: up.quote(up.unquote(text, errors="surrogateescape"), safe=safe, errors="surrogateescape")
    path = escape(parts.path or "/", "/%!$&'()*+,;=:@~-._")
    return up.urlunsplit((parts.scheme, parts.netloc, path, parts.query, escape(parts.fragment, "")))


def resolve(base, raw):
    """The address as browsers join it; Python's urljoin loses ";" at the end and "//" inside of paths."""
    import ada_url
    try:
        return ada_url.join_url(base, raw)
    except ValueError:
        return None


class Truth:
    """What the files prove."""

    def __init__(self, root, origin, pool):
        self.root, self.origin, self.pool = root, origin, pool
        self.pages, self.parsed = {}, {}
        self.findings, self.targets = set(), {}
        self.walk()
        self.classify()

    def is_html(self, file):
        return bool(re.search(r"\.html?(\.[a-z0-9-]+)*$", file, re.I)) and Handler.guess_type(Handler.__new__(Handler), file) == "text/html"

    def walk(self):
        level = [self.origin + "/"]
        seen = set(level)
        while level:
            files = []
            for url in level:
                status, file = file_of(self.root, up.urlsplit(url).path)
                if status == 301:
                    target = url + "/"
                    if target not in seen:
                        seen.add(target)
                        status, file = file_of(self.root, up.urlsplit(target).path)
                        url = target
                if status == 200 and self.is_html(file):
                    files.append((url, file))
            for (url, file), content in zip(files, self.pool.map(read_file, [file for _, file in files], chunksize=4)):
                self.pages[url] = content
            level = []
            for url, _ in files:
                names, links, base = self.pages[url]
                for element, rel, raw in links:
                    may_lead = element in ("a", "area", "iframe", "meta") or (element == "link" and set(rel.split()) & PAGE_RELS)
                    target = self.target(url, base, raw)
                    if may_lead and target and target.startswith(self.origin + "/"):
                        bare = canonical(up.urldefrag(target)[0])
                        segments = [part for part in up.urlsplit(bare).path.split("/") if part]
                        trapped = any(count >= 3 for count in collections.Counter(segments).values())
                        if bare not in seen and not trapped:
                            seen.add(bare)
                            level.append(bare)

    def target(self, url, base, raw):
        return resolve(base and resolve(url, base) or url, raw)

    def names_of(self, bare):
        page = self.pages.get(bare)
        if page is None:
            status, file = file_of(self.root, up.urlsplit(bare).path)
            if status != 200 or not self.is_html(file):
                return None
            page = self.parsed.setdefault(file, None) or read_file(file)
            self.parsed[file] = page
        return page[0]

    def classify(self):
        for url, (_, links, base) in self.pages.items():
            for element, _, raw in links:
                if not raw.strip():
                    self.findings.add((url, raw, "emptyHref"))
                    continue
                target = self.target(url, base, raw)
                if not target or not target.startswith(self.origin + "/"):
                    continue
                bare, fragment = up.urldefrag(target)
                bare = canonical(bare)
                verdict = self.verdict(bare, fragment, element)
                self.targets[bare] = 404 if verdict == "notFound" else 200
                if verdict:
                    whole = bare + ("#" + fragment if "#" in target else "")
                    self.findings.add((url, canonical(whole), verdict))

    def verdict(self, bare, fragment, element):
        status, _ = file_of(self.root, up.urlsplit(bare).path)
        if status == 404:
            return "notFound"
        final = bare
        if status == 301:
            parts = up.urlsplit(bare)
            final = up.urlunsplit(parts._replace(path=parts.path + "/"))
            if file_of(self.root, parts.path + "/")[0] == 404:
                return "notFound"
        fragment = fragment.split(":~:")[0]
        if fragment and element in ("a", "area") and fragment.lower() != "top" and fragment[0] not in "!/":
            names = self.names_of(final)
            if names is not None and fragment not in names and up.unquote(fragment) not in names:
                return "missingFragment"
        return "redirectPermanent" if status == 301 else None


# --- comparing

def run_command(command, url, pages):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.monotonic()
    words = [word.format(url=url, pages=pages) for word in shlex.split(command)]
    answer = subprocess.run(words, stdout=subprocess.PIPE, check=False, env=os.environ | SETTINGS)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if answer.returncode or not answer.stdout:
        sys.exit(f"{words} failed with exit code {answer.returncode}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = json.loads(answer.stdout)
    found["items"] = [it for it in found["items"] if it["type"] == "broken-links"]
    return found, cpu, time.monotonic() - begun, after.ru_maxrss


def misplaced(records, truth):
    """Records with a position at which the file does not have that element."""
    files, wrong = {}, []
    for record in records:
        _, file = file_of(truth.root, up.urlsplit(record["sourceUrl"]).path)
        if file not in files:
            data = pathlib.Path(file).read_bytes()
            match = re.search(rb"charset=[\"']?([\w-]+)", data[:1024])
            text = data.decode(match[1].decode() if match else "utf-8", errors="replace")
            files[file] = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        position = record["position"]
        line = files[file][position["line"] - 1] if position["line"] <= len(files[file]) else ""
        if not line[position["column"] - 1:].lower().startswith("<" + record["element"]):
            wrong.append(record)
    return wrong


def show(title, items, limit=12):
    print(f"  {title}: {len(items)}")
    for item in sorted(items)[:limit]:
        print("     ", *item)


def compare_with_truth(name, found, truth):
    kinds = {"notFound", "missingFragment", "redirectPermanent", "redirectChain", "emptyHref", "soft404", "gone", "clientError",
             "serverError", "timeout", "connectError", "dnsError", "tlsError", "redirectLoop", "tooManyRedirects", "redirectToHome"}
    ours = {(canonical(item["sourceUrl"]), canonical(item["targetUrl"]) if item["verdict"] != "emptyHref" else item["targetUrl"], item["verdict"])
            for item in found["items"] if item["isInternal"] and item["verdict"] in kinds or item["verdict"] == "emptyHref"}
    theirs = {(canonical(source), target, verdict) for source, target, verdict in truth.findings}
    others = collections.Counter(item["verdict"] for item in found["items"] if not item["isInternal"] and item["verdict"] != "emptyHref")
    print(f"  pages: {found['summary']['broken-links']['pagesCrawled']} read, {len(truth.pages)} reachable by the files")
    print(f"  agreed: {len(ours & theirs)}", dict(collections.Counter(it[2] for it in ours & theirs)), "| not of the site:", dict(others))
    show("proved by the files and not found", theirs - ours)
    show("found and not proved by the files", ours - theirs)
    wrong = misplaced(found["items"], truth)
    show("places that are not in the file", {(it["sourceUrl"], str(it["position"]), it["element"]) for it in wrong})
    pages_differ = found["summary"]["broken-links"]["pagesCrawled"] != len(truth.pages)
    return not (ours ^ theirs or wrong or pages_differ)


def compare_with_linkchecker(found, url, scratch):
    """linkchecker's verdict per URL, as a class; its own conventions are shown, not evaluated."""
    # As root, linkchecker changes to the user `nobody`, with few rights; so the settings are where
    # all users can read them, and the answer comes by standard output.
    config = pathlib.Path(scratch) / "linkcheckerrc"
    config.write_text("[checking]\nmaxrequestspersecond=100000\nthreads=8\nrecursionlevel=-1\nmaxfilesizeparse=50000000\n[filtering]\nignorewarnings=http-redirected\n")
    os.chmod(scratch, 0o755)
    words = [str(pathlib.Path(sys.prefix) / "bin" / "linkchecker"), "-f", str(config), "--verbose", "-o", "csv/utf-8", "--no-status", url]
    answer = subprocess.run(words, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=1800)
    rows = [line for line in answer.stdout.decode(errors="replace").splitlines(True) if not line.startswith("#")]
    theirs = {}
    for row in csv.DictReader(io.StringIO("".join(rows)), delimiter=";"):
        if row["urlname"].startswith("mailto:"):
            continue
        target = canonical(up.urldefrag(row["url"] or row["urlname"])[0])
        if target.startswith(url):
            theirs[target] = "ok" if row["valid"] == "True" else "broken"
    broken = {canonical(up.urldefrag(item["targetUrl"])[0]) for item in found["items"]
              if item["isInternal"] and item["outcome"] == "broken" and item["verdict"] != "missingFragment"}
    their_broken = {target for target, verdict in theirs.items() if verdict == "broken"}
    print(f"  linkchecker: {len(theirs)} URLs, broken by both: {len(broken & their_broken)}")
    show("broken for linkchecker only", {(it,) for it in their_broken - broken})
    show("broken for us, fine for linkchecker", {(it,) for it in broken if theirs.get(it) == "ok"})
    show("broken for us, not met by linkchecker", {(it,) for it in broken if it not in theirs})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=DEFAULT_COMMAND)
    parser.add_argument("--site", action="append", choices=SITES)
    parser.add_argument("--damage", action="store_true")
    parser.add_argument("--no-linkchecker", action="store_true")
    options = parser.parse_args()
    in_virtual_environment()
    exact = True
    with multiprocessing.Pool() as pool, tempfile.TemporaryDirectory() as scratch:
        for name in options.site or SITES:
            folder = os.path.realpath(SITES[name])
            if not os.path.isdir(folder):
                sys.exit(f"{folder} is missing: install the package")
            folder = with_start(folder, os.path.join(scratch, f"{name}-start"))
            if options.damage:
                folder = damaged(folder, os.path.join(scratch, name))
            server, origin = serve(folder)
            print(f"{name}: {folder}")
            found, cpu, elapsed, memory = run_command(options.command, origin + "/", 100000)
            pages = found["summary"]["broken-links"]["pagesCrawled"]
            print(f"  {pages} pages, {found['summary']['broken-links']['checked']} targets in {elapsed:.1f} s, {cpu:.1f} CPU s: {pages / cpu:.0f} pages per CPU second, {memory // 1024} MiB at most")
            same = compare_with_truth(name, found, Truth(folder, origin, pool))
            print("  exact" if same else "  DIFFERENT")
            exact &= same
            if not options.no_linkchecker:
                compare_with_linkchecker(found, origin + "/", scratch)
            sys.stdout.flush()
            server.shutdown()
    sys.exit(0 if exact else 1)


if __name__ == "__main__":
    main()
