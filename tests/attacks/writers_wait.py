#!/usr/bin/env python3
"""Writes to a server on SQLite while it publishes the results of a large rank check and of a site audit, and counts
the requests that were refused.

    tests/attacks/writers_wait.py [--program PATH] [--keywords 10000] [--pages 400] [--writers 6]

Six callers change a project each, one request after the other, from before the analyses begin until both have ended.
Prints how many requests were answered, the refusals, and the longest wait. Exit code 0: no request was refused, and
both analyses succeeded with their first attempt. Standard library only; loopback only; ends after 15 minutes at most.
"""
import argparse
import collections
import http.client
import json
import pathlib
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import lab

LONGEST = 15 * 60
HOST = "shop.example.com"


class Writer(threading.Thread):
    """Changes a project again and again, on one connection."""

    def __init__(self, address, token, project, over):
        super().__init__(daemon=True)
        self.address, self.token, self.project, self.over = address, token, project, over
        self.statuses, self.waits = collections.Counter(), []

    def run(self):
        connection = http.client.HTTPConnection(self.address, timeout=60)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        change = 0
        while not self.over.is_set():
            change += 1
            body = json.dumps({"clientName": f"client {change}"})
            begun = time.monotonic()
            connection.request("PATCH", f"/api/agent/v1/projects/{self.project}", body, headers)
            answer = connection.getresponse()
            answer.read()
            self.waits.append(time.monotonic() - begun)
            self.statuses[answer.status] += 1
            time.sleep(0.05)
        connection.close()


def pages(folder, number):
    """Pages that link to each other and hold enough text to be worth storing."""
    words = " ".join(f"word{n} of a page about shoes" for n in range(400))
    for page in range(number):
        links = "".join(f'<a href="/p{(page * 7 + n) % number}.html">page {n}</a> ' for n in range(1, 20))
        text = f"<html lang=en><head><title>Page {page}</title></head><body><h1>Page {page}</h1><p>{page} {words}</p>{links}</body></html>"
        (pathlib.Path(folder) / f"p{page}.html").write_text(text)
    (pathlib.Path(folder) / "index.html").write_text('<html lang=en><title>Start</title><h1>Start</h1><a href="/p0.html">first</a></html>')


def run(given):
    with tempfile.TemporaryDirectory() as files, lab.database("sqlite") as url, lab.site(files) as port:
        pages(files, given.pages)
        resolve = json.dumps([f"{HOST}:80=127.0.0.1:{port}", f"{HOST}:443=127.0.0.1:1"])
        crawling = {"CRAWLER__RESOLVE": resolve, "CRAWLER__PER_HOST_DELAY_MS": 0, "CRAWLER__CONNECTIONS_PER_HOST": 8, "CRAWLER__MAX_PAGES": given.pages + 1, "CRAWLER__MAX_DEPTH": 1000}
        sightline = lab.Sightline(given.program, url, **crawling)
        try:
            _, token = sightline.account()
            _, address = sightline.start("serve", "--listen", f"127.0.0.1:{lab.free_port()}")
            api = lab.Api(address, token)
            large = api.project("example.com", given.keywords)
            site = api.project(HOST, 0) if given.pages else None
            targets = [api.project(f"writer{n}.example.com", 0) for n in range(given.writers)]
            over = threading.Event()
            writers = [Writer(address, token, target, over) for target in targets]
            begun = time.monotonic()
            for writer in writers:
                writer.start()
            jobs = [api.analyse("rankCheck", large)] + ([api.analyse("siteAudit", site)] if site else [])
            ended = []
            while len(ended) < len(jobs) and time.monotonic() - begun < LONGEST:
                ended = [job for job in map(api.job, jobs) if job["status"] not in ("queued", "running", "retrying")]
                time.sleep(1)
            over.set()
            for writer in writers:
                writer.join(90)
            statuses = sum((it.statuses for it in writers), collections.Counter())
            waits = sorted(wait for it in writers for wait in it.waits)
            print(f"{given.keywords} keywords, {given.pages} pages, {time.monotonic() - begun:.0f} s: {sum(statuses.values())} changes, {dict(statuses)}")
            print(f"wait of a change: p50 {waits[len(waits) // 2] * 1000:.0f} ms, p99 {waits[len(waits) * 99 // 100] * 1000:.0f} ms, longest {waits[-1] * 1000:.0f} ms")
            print("analyses:", [(job["type"], job["status"], job.get("attempts")) for job in ended])
            wrong = [status for status in statuses if status >= 300]
            failed = [job for job in ended if job["status"] != "succeeded" or job.get("attempts", 1) != 1]
            return 1 if wrong or failed or len(ended) < len(jobs) else 0
        finally:
            sightline.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="a build of sightline; a release build is made otherwise")
    parser.add_argument("--keywords", type=int, default=10_000)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--writers", type=int, default=6)
    arguments = parser.parse_args()
    arguments.program = lab.program(arguments.program)
    sys.exit(run(arguments))
