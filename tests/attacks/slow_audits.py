#!/usr/bin/env python3
"""One account asks for four audits of slow sites, another for rank checks: how long the rank checks wait.

Starts `sightline serve` with its defaults on a SQLite database of its own, and beside it a site on loopback with
pages that take seconds (`crawler.allow_networks` and `crawler.resolve` let the crawler read it). The first account's four
audits run and wait; meanwhile the second account asks for a rank check (simulated search results) several times.
For each it prints the time from the request until the check began and until it had succeeded.

Then the pages answer at once, the audits have to end, and no page may have been requested twice. Exit code 0: each
check began within the limit, the audits ended, and nothing was fetched twice.

    tests/attacks/slow_audits.py                         builds and attacks a release build
    tests/attacks/slow_audits.py --program target/debug/sightline
"""

import argparse
import datetime
import http.server
import json
import pathlib
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import lab  # noqa: E402

AUDITS = 4
PAGES = 30
MAX_SECONDS_TO_END = 240


class SlowSite(http.server.ThreadingHTTPServer):
    """Every page takes `pause` seconds and leads to two more; requests are counted by account and page."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, pause):
        self.pause, self.requests, self.lock = pause, {}, threading.Lock()
        super().__init__(("127.0.0.1", 0), Page)

    def handle_error(self, *_):
        pass


class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        number = {"/": 0}.get(self.path)
        if self.path.startswith("/page/") and self.path[6:].isdigit():
            number = int(self.path[6:])
        if number is None or number >= PAGES:
            return self.answer(404, "no such page")
        key = (self.headers["Host"], self.path)
        with self.server.lock:
            self.server.requests[key] = self.server.requests.get(key, 0) + 1
        time.sleep(self.server.pause)
        links = "".join(f'<p><a href="/page/{it}">Page {it}</a>' for it in (2 * number + 1, 2 * number + 2) if it < PAGES)
        self.answer(200, f"<!doctype html><title>Page {number}</title><h1>Page {number}</h1>{links}")

    def answer(self, status, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def check(bob, project, limit):
    """Seconds until the check began and until it ended."""
    job = bob.analyse("rankCheck", project)
    until = time.monotonic() + limit + 20
    while (found := bob.job(job))["status"] in ("queued", "running", "retrying"):
        if time.monotonic() > until:
            return None, None
        time.sleep(0.05)
    if found["status"] != "succeeded":
        raise SystemExit(f"a rank check ended as {found['status']}: {found}")
    since = lambda name: (moment(found[name]) - moment(found["createdAt"])).total_seconds()
    return since("startedAt"), since("finishedAt")


def account(sightline, name, address):
    email = ["--email", f"{name}@example.com", "--name", name]
    sightline.run_command("account", "create", *email)
    return lab.Api(address, sightline.run_command("token", "create", *email))


def attack(program, given):
    folder = tempfile.mkdtemp(prefix="sightline-attack-")
    site = SlowSite(given.pause)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    port = site.server_address[1]
    hosts = [f"slow{n}.example.com" for n in range(AUDITS)]
    resolve = [it for host in hosts for it in (f"{host}:80=127.0.0.1:{port}", f"{host}:443=127.0.0.1:1")]
    sightline = lab.Sightline(
        program, f"sqlite://{folder}/sightline.db", ADMIN__LISTEN="off", CRAWLER__ALLOW_NETWORKS=json.dumps(["127.0.0.0/8"]),
        CRAWLER__RESOLVE=json.dumps(resolve), **dict(it.split("=", 1) for it in given.set),
    )
    wrong = []
    try:
        _, address = sightline.start("serve", "--listen", "127.0.0.1:0")
        ann, bob = account(sightline, "ann", address), account(sightline, "bob", address)
        audits = [ann.analyse("siteAudit", ann.project(host, 0)) for host in hosts]
        project = bob.project("example.org", 3)
        time.sleep(given.settle)
        states = [ann.job(it)["status"] for it in audits]
        print(f"four audits of pages that take {given.pause} s: {', '.join(states)}")
        for number in range(1, given.checks + 1):
            began, ended = check(bob, project, given.limit)
            if began is None:
                wrong.append(f"rank check {number} did not run within {given.limit + 20} s")
                print(f"  rank check {number}: still waiting after {given.limit + 20} s")
                break
            print(f"  rank check {number}: ran after {began:.2f} s, succeeded after {ended:.2f} s")
            if began > given.limit:
                wrong.append(f"rank check {number} waited {began:.1f} s")
            time.sleep(given.between)
        states = [ann.job(it)["status"] for it in audits]
        print(f"meanwhile the audits: {', '.join(states)}")
        if "succeeded" in states:
            wrong.append("an audit had ended: the site was not slow enough")
        site.pause = 0
        until = time.monotonic() + MAX_SECONDS_TO_END
        for audit in audits:
            while (found := ann.job(audit, 20))["status"] in ("queued", "running", "retrying") and time.monotonic() < until:
                pass
            print(f"  audit {audit}: {found['status']} in attempt {found['attempts']}")
            if found["status"] != "succeeded" or found["attempts"] != 1:
                wrong.append(f"audit {audit} came to {found['status']} in attempt {found['attempts']}")
        twice = {place: number for place, number in site.requests.items() if number > 1}
        print(f"{len(site.requests)} pages were asked for, {len(twice)} of them more than once")
        wrong += [f"{host}{path} was asked for {number} times" for (host, path), number in twice.items()]
        if len(site.requests) != AUDITS * PAGES:
            wrong.append(f"{len(site.requests)} pages were read of {AUDITS * PAGES}")
    finally:
        sightline.stop()
        site.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="a built sightline; without it a release build is made")
    parser.add_argument("--checks", type=int, default=5, help="rank checks, 1 to 20")
    parser.add_argument("--pause", type=float, default=4.0, help="seconds that a page takes, up to 9")
    parser.add_argument("--settle", type=float, default=5.0, help="seconds before the first check")
    parser.add_argument("--between", type=float, default=2.0, help="seconds between checks")
    parser.add_argument("--limit", type=float, default=5.0, help="seconds a check may wait")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a further setting, as WORKER__JOBS=1")
    given = parser.parse_args()
    given.checks, given.pause = max(1, min(given.checks, 20)), min(given.pause, 9.0)
    program = lab.program(given.program)
    wrong = attack(program, given)
    for it in wrong:
        print(f"WRONG: {it}")
    print("held" if not wrong else "did not hold")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
