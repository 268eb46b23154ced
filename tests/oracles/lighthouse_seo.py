#!/usr/bin/env python3
"""Compares our issues with the ten SEO audits of Lighthouse, page by page and verdict by verdict.

    tests/oracles/lighthouse_seo.py [--program target/debug/sightline] [--of-each 3] [--keep FOLDER]

Pages of Debian's documentation and pages made for each audit (lighthouse_seo_pages.py) are served on
loopback; robots.txt files have servers of their own. lighthouse 12.8.2 (npm, into the cache folder)
evaluates each page in Chromium without throttling; `sightline audit --json` reads the same servers.

Ours fails an audit where the record of the page, or the site of an address that is not a page, has one of
the codes in CODES, and canonical where hreflangToNoncanonical names the page itself. What has no `img` or
no canonical address is not applicable, as with Lighthouse. Of an address without a record (an
error, or forbidden by robots.txt) only what the site says of it can be compared: its status and whether
it can be crawled.

Printed are agreements of n per audit, with how often each verdict was theirs, and every difference with both
sides' evidence. Those in EXPLAINED are differences by intention. Exit code 0: every
difference is explained and every explanation is needed, and each audit passed and failed; 1: else.
"""
import argparse
import collections
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import lighthouse_seo_pages as pages  # noqa: E402
from lighthouse_lab import ROOT, chromium, installed, picture  # noqa: E402

MIN_PAGES = 50
SETTINGS = {"SIGHTLINE_CRAWLER__ALLOW_NETWORKS": '["127.0.0.0/8"]', "SIGHTLINE_CRAWLER__PER_HOST_DELAY_MS": "0"}
# No code: the audit ends, since it may read nothing while robots.txt returns a server error.
REFUSED = "refused by robots.txt"
# The codes that mean a failed audit.
CODES = {
    "is-crawlable": {"noindex", "paginationNoindex", "blockedByRobots"},
    "document-title": {"titleMissing"},
    # In the body alone Lighthouse finds none; Sightline has a code for it.
    "meta-description": {"descMissing", "descOutsideHead"},
    "http-status-code": {"http4xx", "http5xx"},
    "link-text": {"genericAnchor"},
    "crawlable-anchors": {"uncrawlableAnchor"},
    "robots-txt": {"robotsTxtInvalid", REFUSED},
    "image-alt": {"altMissing"},
    "hreflang": {"hreflangInvalidCode", "hreflangRelative"},
    "canonical": {"canonicalMultiple", "canonicalRelative", "canonicalToRoot", "canonicalToNon200"},
}
# (audit, pattern of addresses): (theirs, ours, why).
EXPLAINED = {
    ("is-crawlable", "/made/noindex-googlebot.html"): ("pass", "fail", "Lighthouse fails when no robot it knows may list the page; ours when Google may not"),
    ("hreflang", "/made/hreflang-region.html"): ("pass", "fail", "Lighthouse looks at the language alone; UK is no region, and Google ignores such a code"),
    ("canonical", "/python/.*"): ("pass", "fail", "an address of the machine that built the page (file:) is absolute, which is all Lighthouse asks; no search engine can read it"),
    ("canonical", "/made/canonical-in-body.html"): ("notApplicable", "pass", "both ignore it; ours says canonicalOutsideHead in place of canonicalMissing"),
    ("robots-txt", "robots.txt (absent|empty)"): ("notApplicable", "pass", "no robots.txt is no fault, and the audit tells faults"),
}


def file_of(path):
    """The file of the documentation of a path; `x.html.en` answers for `x.html`."""
    name, _, rest = path[1:].partition("/")
    home = pathlib.Path(pages.DOCUMENTATION.get(name, "/nowhere"))
    found = (it for it in (home / rest, home / (rest + ".en")) if rest and ".." not in rest.split("/") and it.is_file())
    return next(found, None)


class Handler(http.server.BaseHTTPRequestHandler):
    """What `answers` of the server has for a path, and files of the documentation."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = self.path.split("?")[0]
        origin = f"http://{self.headers['Host']}"
        status, headers, body = self.server.answers.get(path) or self.documentation(path)
        if isinstance(body, str):
            body = body.replace("ORIGIN", origin).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value.replace("ORIGIN", origin))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    @staticmethod
    def documentation(path):
        file = file_of(path)
        if file is None:
            return 404, [("Content-Type", "text/html")], "<!DOCTYPE html><title>Nothing</title>Nothing"
        kinds = {".css": "text/css", ".js": "text/javascript", ".png": "image/png", ".gif": "image/gif", ".svg": "image/svg+xml"}
        kind = "text/html" if ".html" in file.name else kinds.get(file.suffix, "application/octet-stream")
        return 200, [("Content-Type", kind)], file.read_bytes()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Browsers may disconnect; not an error."""


def serve(answers):
    """The origin of a new server."""
    server = Server(("127.0.0.1", 0), Handler)
    server.answers = answers
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


HTML = ("Content-Type", "text/html; charset=utf-8")


def answers(robots, made, paths):
    """Responses of a server: robots.txt, its generated pages, and a start page that links to `paths`."""
    links = "".join(f'<li><a href="{path}">Page {number} of this list</a>' for number, path in enumerate(paths))
    found = {"/": (200, [HTML], pages.page("start", body=f"<ul>{links}</ul>").body)}
    found["/made/cup.png"] = (200, [("Content-Type", "image/png")], picture(20, 20))
    found |= {it.path: (it.status, [HTML, *it.headers], it.body) for it in made}
    if robots is not None:
        found["/robots.txt"] = (robots, [], "") if isinstance(robots, int) else (200, [("Content-Type", "text/plain")], robots)
    return found


def lighthouse_verdicts(urls):
    """Their verdicts by address."""
    home = installed().parents[3]
    script = pathlib.Path(__file__).with_suffix(".mjs")
    ran = subprocess.run(["node", script, home, chromium()], input="\n".join(urls), stdout=subprocess.PIPE, text=True, check=True)
    found = {it["url"]: it["audits"] for it in map(json.loads, ran.stdout.splitlines())}
    return {url: found[url] for url in urls}


def audit(program, url):
    """The audit of a start page and its links; `None` if robots.txt disallows all or cannot be fetched."""
    with tempfile.TemporaryDirectory() as data:
        command = [program, "audit", url + "/", "--json", "--internal-only", "--max-depth", "1", "--data-dir", data]
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | SETTINGS, text=True)
    if ran.returncode == 1 and ("robots.txt does not allow" in ran.stderr or "robots.txt cannot be had" in ran.stderr):
        return None
    if ran.returncode:
        sys.exit(f"the audit of {url} failed with exit code {ran.returncode}: {ran.stderr}")
    return json.loads(ran.stdout)


def audited(program, url):
    """Our records of pages by address, and the codes of every address of the site."""
    report = audit(program, url)
    if report is None:
        return {}, collections.defaultdict(dict, {url + "/": {REFUSED: "the audit reads nothing of the site"}})
    records = {it["url"]: it for it in report["items"] if it["type"] == "content"}
    codes = collections.defaultdict(dict)
    for record in records.values():
        for issue in record["issues"]:
            codes[record["url"]][issue["code"]] = issue["detail"] or ""
    for code, issue in report["summary"]["content"]["issues"].items():
        for example in issue["examples"]:
            codes[example].setdefault(code, "")
    return records, codes


def ours(audit, url, origin, records, codes):
    """Our verdict and its evidence; `None` where nothing is known."""
    # Problems of robots.txt belong to the start page.
    found_codes = codes[origin + "/" if audit == "robots-txt" else url]
    failed = {code: found_codes[code] for code in CODES[audit] if code in found_codes}
    given_up = "hreflangToNoncanonical"
    if audit == "canonical" and url in found_codes.get(given_up, "").split("\n"):
        failed[given_up] = found_codes[given_up]
    if failed:
        return "fail", ", ".join(f"{code} {detail}".strip() for code, detail in failed.items()).replace("\n", " ")
    record = records.get(url)
    if record is None:
        return None, ""
    if audit == "image-alt" and record["images"]["count"] == 0:
        return "notApplicable", "no image"
    if audit == "canonical" and "canonicalMissing" in found_codes:
        return "notApplicable", "canonicalMissing"
    return "pass", ""


def agree(theirs, own, audit, record):
    # A page that is not indexable is not reported for a missing canonical URL.
    silent = audit == "canonical" and record and not record["indexable"]
    return theirs == own or silent and {theirs, own} == {"pass", "notApplicable"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser.add_argument("--program", default=str(target / "debug" / "sightline"))
    parser.add_argument("--of-each", type=int, default=3)
    parser.add_argument("--keep", help="a folder for Lighthouse's verdicts, so that they are asked once")
    options = parser.parse_args()

    paths = [it.path for it in pages.MADE] + pages.documentation(options.of_each)
    main_site = serve(answers(pages.ROBOTS, pages.MADE, paths))
    sites = {name: serve(answers(text, [pages.MADE[0]], ["/made/good.html"])) for name, text in pages.ROBOTS_FILES.items()}
    # (name of the page, origin, address)
    looked_at = [(path, main_site, main_site + path) for path in paths]
    looked_at += [(f"robots.txt {name}", origin, origin + "/made/good.html") for name, origin in sites.items()]

    kept = pathlib.Path(options.keep) / "lighthouse_seo.json" if options.keep else None
    if kept and kept.exists():
        theirs = json.loads(kept.read_text())
    else:
        found = lighthouse_verdicts([url for _, _, url in looked_at])
        theirs = {name: found[url] for name, _, url in looked_at}
        if kept:
            kept.write_text(json.dumps(theirs))
    own = {origin: audited(options.program, origin) for origin in [main_site, *sites.values()]}
    sys.exit(0 if compare(looked_at, theirs, own) else 1)


def compare(looked_at, theirs, own):
    """Prints the table and the differences; whether all is as expected."""
    table = {audit: collections.Counter() for audit in CODES}
    unexplained, met = [], set()
    for name, origin, url in looked_at:
        records, codes = own[origin]
        for audit in CODES:
            their, evidence = theirs[name][audit]["verdict"], theirs[name][audit]["evidence"]
            verdict, evidence_of_ours = ours(audit, url, origin, records, codes)
            table[audit][f"their {their}"] += 1
            if verdict is None:
                table[audit]["no record"] += 1
                continue
            table[audit]["n"] += 1
            if agree(their, verdict, audit, records.get(url)):
                table[audit]["agreed"] += 1
                continue
            line = f"  {audit} {name}: lighthouse {their} ({evidence[:160]}), ours {verdict} ({evidence_of_ours[:160]})"
            reasons = [it for it in EXPLAINED if it[0] == audit and re.fullmatch(it[1], name) and EXPLAINED[it][:2] == (their, verdict)]
            if reasons:
                met.add(reasons[0])
                table[audit]["explained"] += 1
                print(f"{line}\n    explained: {EXPLAINED[reasons[0]][2]}")
            else:
                unexplained.append(line)
                print(f"{line}\n    NOT EXPLAINED")
    print(f"{'audit':<18} {'agreed':>7} {'of n':>5} {'explained':>9} | theirs: pass  fail  n/a  error | without a record of ours")
    good = len(looked_at) >= MIN_PAGES
    for audit, counts in table.items():
        each = "  ".join(f"{counts[f'their {it}']:>4}" for it in ("pass", "fail", "notApplicable", "error"))
        print(f"{audit:<18} {counts['agreed']:>7} {counts['n']:>5} {counts['explained']:>9} |        {each}  | {counts['no record']}")
        good &= counts["their pass"] > 0 and counts["their fail"] > 0 and counts["their error"] == 0
    agreed, compared, explained = (sum(it[key] for it in table.values()) for key in ("agreed", "n", "explained"))
    print(f"{len(looked_at)} pages, {agreed} of {compared} verdicts agree, {explained} differences are explained, {len(unexplained)} are not")
    for audit, pattern in EXPLAINED.keys() - met:
        print(f"  explained, but not met: {audit} {pattern}")
    return good and not unexplained and met == EXPLAINED.keys()


if __name__ == "__main__":
    main()
