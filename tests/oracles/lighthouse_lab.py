#!/usr/bin/env python3
"""Compare the lab with Lighthouse: the same pages, the same browser, the same throttling.

    tests/oracles/lighthouse_lab.py [--runs 5] [--pages WORD] [--form-factor phone|desktop] [--no-build]

Debian's documentation (postgresql-doc-15, python3-doc, sqlite3-doc, apache2-doc) and a page made
here with a late picture, shifting text and a busy script are served on loopback. Each page is loaded
in turn by lighthouse 12.8.2 (npm, into the cache folder) and by `cargo run -p programs --example lab`,
so that both see the same machine. Lighthouse throttles with --throttling-method=devtools, which
is how the lab throttles: its default simulates a slow network from a fast load, and only the same
method can be compared. For desktops its devtools preset leaves the network alone, so it receives the
lab's figures. Its time to the first byte leaves the emulated network out; ours does not, so that is
not compared.

The bar: medians of LCP and FCP at most 15 % apart, of CLS at most 15 % or .01. Blocking time, speed
index and score are shown. Exit code 0: within, 1: beyond.
"""
import argparse
import functools
import http.server
import json
import os
import pathlib
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sightline-oracles"
LIGHTHOUSE = "12.8.2"
BAR = 0.15
MIN_SHIFT = 0.01
# Folder, page, form factors.
PAGES = [
    ("/usr/share/doc/postgresql-doc-15/html", "sql-select.html", ["phone", "desktop"]),
    ("/usr/share/doc/postgresql-doc-15/html", "index.html", ["phone"]),
    ("/usr/share/doc/python3.11/html", "library/functions.html", ["phone", "desktop"]),
    ("/usr/share/doc/sqlite3", "index.html", ["phone"]),
    ("/usr/share/doc/sqlite3", "fileformat2.html", ["phone"]),
    ("/usr/share/doc/apache2-doc/manual", "en/mod/core.html", ["phone"]),
    (None, "made.html", ["phone", "desktop"]),
]
MADE = """<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width">
<title>Made</title><style>body{margin:0;font:16px sans-serif}img{width:100%}</style>
<h1>A page with a late picture</h1><p>One line of text that stays where it is.</p>
<img src=picture.png alt="noise"><p id=pushed>This line moves when the picture is there.</p>
<script>
setTimeout(() => { const begun = performance.now(); while (performance.now() - begun < 180); }, 100);
setTimeout(() => { const box = document.createElement("div"); box.style.height = "120px"; document.body.prepend(box); }, 1500);
</script></html>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files unchanged, `x.html.en` for `x.html`."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def guess_type(self, path):
        return "text/html" if ".html" in os.path.basename(path) else super().guess_type(path)

    def translate_path(self, path):
        found = super().translate_path(path)
        return found + ".en" if not os.path.exists(found) and os.path.exists(found + ".en") else found


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Browsers may disconnect; not an error."""


def serve(folder):
    server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def picture(width, height):
    """A PNG of noise, the same each time."""
    noise = random.Random(1)
    rows = b"".join(b"\0" + noise.randbytes(width * 3) for _ in range(height))
    chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def installed():
    home = CACHE / f"lighthouse-{LIGHTHOUSE}"
    program = home / "node_modules/lighthouse/cli/index.js"
    if not program.exists():
        print("installing lighthouse into", home, file=sys.stderr)
        home.mkdir(parents=True, exist_ok=True)
        wanted = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", f"lighthouse@{LIGHTHOUSE}"]
        subprocess.run(wanted, cwd=home, check=True)
    return program


def chromium():
    usual = ["/usr/lib/chromium/chromium", "/usr/bin/chromium", shutil.which("google-chrome")]
    found = [it for it in usual if it and os.path.exists(it)]
    return found[0] if found else sys.exit("no Chromium here: apt-get install chromium")


def lighthouse(program, browser, url, form_factor):
    desktop = ["--preset=desktop", "--throttling.requestLatencyMs=150", "--throttling.downloadThroughputKbps=9216", "--throttling.uploadThroughputKbps=9216"]
    flags = "--headless --disable-gpu --disable-dev-shm-usage" + (" --no-sandbox" if os.geteuid() == 0 else "")
    command = ["node", program, url, "--quiet", "--output=json", "--only-categories=performance", "--throttling-method=devtools",
               "--no-enable-error-reporting", f"--chrome-flags={flags}", *(desktop if form_factor == "desktop" else [])]
    # Lighthouse sometimes loses its browser on a busy machine.
    for _ in range(3):
        ran = subprocess.run(command, env={**os.environ, "CHROME_PATH": browser}, capture_output=True, text=True)
        if ran.returncode == 0:
            break
        print(f"lighthouse failed on {url}: {ran.stderr.strip()[-300:]}", file=sys.stderr)
    else:
        sys.exit("lighthouse failed three times")
    report = json.loads(ran.stdout)
    value = lambda audit: report["audits"][audit].get("numericValue")
    return {
        "fcp": value("first-contentful-paint"), "lcp": value("largest-contentful-paint"), "cls": value("cumulative-layout-shift"),
        "tbt": value("total-blocking-time"), "si": value("speed-index"), "score": report["categories"]["performance"]["score"],
    }


def ours(url, form_factor):
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    ran = subprocess.run([target / "debug/examples/lab", url, form_factor, "1"], capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"the lab failed on {url}: {ran.stderr}")
    measured = json.loads(ran.stdout)
    score = measured["record"]["performanceScore"]
    metrics = measured["runs"][0]["metrics"]
    return {**{name: metrics[name] for name in ("fcp", "lcp", "cls", "tbt", "si")}, "score": None if score is None else score / 100}


def medians(runs):
    known = {name: [run[name] for run in runs if run[name] is not None] for name in runs[0]}
    return {name: statistics.median(values) if values else None for name, values in known.items()}


def compare(name, theirs, own):
    """Prints the medians; whether they are within the bar."""
    good = True
    for metric in ("fcp", "lcp", "cls", "tbt", "si", "score"):
        one, other = theirs[metric], own[metric]
        if one is None or other is None:
            apart, within = None, one == other
        else:
            apart = (other - one) / one if one else (0.0 if other == one else None)
            within = apart is not None and abs(apart) <= BAR
            within |= metric == "cls" and abs(other - one) <= MIN_SHIFT
        is_limited = metric in ("fcp", "lcp", "cls")
        good &= within or not is_limited
        shown = lambda it: "      null" if it is None else f"{it:10.3f}"
        verdict = "" if not is_limited else "ok" if within else "BEYOND"
        print(f"  {name:44} {metric:5} lighthouse {shown(one)} ours {shown(other)} {'' if apart is None else f'{apart:+8.1%}'} {verdict}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pages", default="")
    parser.add_argument("--form-factor", choices=["phone", "desktop"])
    parser.add_argument("--no-build", action="store_true")
    given = parser.parse_args()
    program, browser = installed(), chromium()
    if not given.no_build:
        subprocess.run(["cargo", "build", "-q", "-p", "programs", "--example", "lab"], cwd=ROOT, check=True)
    good, compared = True, 0
    with tempfile.TemporaryDirectory(prefix="sightline-made-") as made:
        folder = pathlib.Path(made)
        (folder / "made.html").write_text(MADE)
        (folder / "picture.png").write_bytes(picture(300, 200))
        for site, page, form_factors in PAGES:
            if given.pages not in f"{site}/{page}":
                continue
            if site and not os.path.isdir(site):
                sys.exit(f"{site} is missing: apt-get install postgresql-doc-15 python3-doc sqlite3-doc apache2-doc")
            base = serve(site or made)
            for form_factor in form_factors:
                if given.form_factor not in (None, form_factor):
                    continue
                theirs, own = [], []
                for _ in range(given.runs):
                    theirs.append(lighthouse(program, browser, base + page, form_factor))
                    own.append(ours(base + page, form_factor))
                label = f"{pathlib.Path(site or 'made').name}/{page} {form_factor}"
                good &= compare(label, medians(theirs), medians(own))
                compared += 1
    print(f"{compared} pages compared: {'within' if good else 'beyond'} {BAR:.0%}")
    return 0 if good and compared else 1


if __name__ == "__main__":
    sys.exit(main())
