#!/usr/bin/env python3
"""Whether one account that reads its largest lists, or imports without a pause, slows the requests of another.

    tests/attacks/busy_account.py [--seconds 12] [--callers 20] [--program PATH]

Starts a server on SQLite with two accounts. The first has 500 keywords with 10 KB of tags each. Three attacks run
one after the other: 20 callers read `keywords?limit=500`, 20 callers read `keyword-status?limit=500`, and four
sessions import the largest legal table of Search Console over the same days. Meanwhile the second account reads its
projects 20 times a second, and during the imports a third one signs in every second, each time from another address. Each is measured between two
windows without an attack.

Prints p50 and p99 of the second account with and without, and the median and longest sign-in. Exit code 0: no
request of the others was refused. The times are printed and do not decide: the machine attacks as well. Standard
library only; loopback only; stops after about two minutes.
"""
import argparse
import collections
import concurrent.futures
import http.client
import json
import multiprocessing
import pathlib
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "bench"), str(HERE)]
import archive_bombs
import lab
import slow_bodies

TAGS = [f"{number:02}" + "\N{BANANA}" * 48 for number in range(50)]
IMPORTERS = 4


def repeat(address, until, headers, method, path, body=None):
    """Repeats one request; returns the statuses."""
    statuses = collections.Counter()
    connection = http.client.HTTPConnection(address, timeout=60)
    while time.monotonic() < until:
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            answer.read()
            statuses[answer.status] += 1
            if answer.status != 200 and answer.status != 201:
                time.sleep(0.05)
        except OSError as error:
            statuses[type(error).__name__] += 1
            connection.close()
    connection.close()
    return statuses


def run_callers(address, seconds, callers, pipe):
    """Runs every caller in a thread; sends the sum of their statuses."""
    until, sums = time.monotonic() + seconds, []
    threads = [threading.Thread(target=lambda it=it: sums.append(repeat(address, until, *it))) for it in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + 90)
    pipe.send(sum(sums, collections.Counter()))


def sign_in_each_second(address, seconds):
    times, refused = [], collections.Counter()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        at = time.monotonic()
        status, _ = slow_bodies.sign_in(address, "colleague@example.com", **{"X-Forwarded-For": f"203.0.113.{len(times)}"})
        times.append((time.monotonic() - at) * 1_000)
        refused.update([status] if status != 200 else [])
        time.sleep(1)
    return times, refused


def session_of(address, email):
    """The headers of a session."""
    session = archive_bombs.Session(address, email)
    cookies = "; ".join(f"{name}={value}" for name, value in session.cookies.items())
    return {"Content-Type": "application/json", "Origin": f"http://{address}", "Cookie": cookies, "X-CSRF-Token": session.csrf}


def run(given, url):
    password = slow_bodies.PASSWORD + "\n"
    sightline = lab.Sightline(given.program, url, TRUSTED_PROXIES='["127.0.0.1/32"]', LOG__LEVEL="warn,app=info,cli=info,worker=info")
    try:
        tokens = {}
        for name in ("busy", "tenant", "colleague"):
            email = f"{name}@example.com"
            sightline.run_command("account", "create", "--email", email, "--name", name)
            subprocess.run([sightline.program, "account", "password", "--email", email], env=sightline.settings, cwd=sightline.folder, input=password, text=True, check=True, capture_output=True)
            tokens[name] = sightline.run_command("token", "create", "--email", email, "--name", name)
        address = sightline.start("serve", "--no-worker", "--listen", f"127.0.0.1:{lab.free_port()}")[1]
        busy = lab.Api(address, tokens["busy"])
        project = busy.call("POST", "/projects", {"domain": "busy.example.com"})["id"]
        texts = [f"running shoes {number}" for number in range(500)]
        busy.call("POST", f"/projects/{project}/keywords", {"keywords": texts, "tags": TAGS})
        lab.Api(address, tokens["tenant"]).project("tenant.example.com", 20)
        slow_bodies.read(address, tokens["tenant"], 1)

        sessions = [session_of(address, "busy@example.com") for _ in range(IMPORTERS)]
        rows = json.dumps({"content": archive_bombs.table(archive_bombs.MAX_BODY - 1_000), "from": "2026-10-01", "to": "2026-10-02"}).encode()
        bearer = {"Authorization": f"Bearer {tokens['busy']}"}
        api = "/api/agent/v1"
        attacks = {
            f"{given.callers} reads of keywords?limit=500": [(bearer, "GET", f"{api}/projects/{project}/keywords?limit=500")] * given.callers,
            f"{given.callers} reads of keyword-status?limit=500": [(sessions[0], "GET", f"/api/projects/{project}/keyword-status?limit=500")] * given.callers,
            f"{IMPORTERS} sessions that import": [(session, "POST", f"/api/projects/{project}/search-console", rows) for session in sessions],
        }
        failed = 0
        for name, callers in attacks.items():
            imports = "import" in name
            before, refused_before = slow_bodies.read(address, tokens["tenant"], given.seconds / 2)
            alone = sign_in_each_second(address, given.seconds / 2) if imports else ([], collections.Counter())
            ours, theirs = multiprocessing.Pipe()
            attacker = multiprocessing.Process(target=run_callers, args=(address, given.seconds + 2, callers, theirs), daemon=True)
            attacker.start()
            time.sleep(1)
            with concurrent.futures.ThreadPoolExecutor() as pool:
                signer = pool.submit(sign_in_each_second, address, given.seconds) if imports else None
                times, refused = slow_bodies.read(address, tokens["tenant"], given.seconds)
                beside = signer.result() if signer else ([], collections.Counter())
            outcomes = ours.recv() if ours.poll(given.seconds + 90) else {"no report": 1}
            attacker.join(10)
            after, refused_after = slow_bodies.read(address, tokens["tenant"], given.seconds / 2)
            without, of_all = before + after, refused_before + refused + refused_after + beside[1] + alone[1]
            failed += sum(of_all.values())
            at = slow_bodies.percentile
            print(f"{name}: answered {dict(outcomes)}")
            print(f"  the other account: {sum(of_all.values())} refusals {dict(of_all) or ''}; without p50 {at(without, 0.5):.1f} ms, p99 {at(without, 0.99):.1f} ms; beside p50 {at(times, 0.5):.1f} ms, p99 {at(times, 0.99):.1f} ms", flush=True)
            if imports:
                print(f"  sign-ins: alone median {at(alone[0], 0.5):.0f} ms, longest {max(alone[0]):.0f} ms; beside median {at(beside[0], 0.5):.0f} ms, longest {max(beside[0]):.0f} ms")
        return 1 if failed else 0
    finally:
        sightline.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=12, help="of each attack")
    parser.add_argument("--callers", type=int, default=20, help="that read at the same time")
    parser.add_argument("--program", help="a build of sightline; a release build is made otherwise")
    arguments = parser.parse_args()
    arguments.program = lab.program(arguments.program)
    with lab.database("sqlite") as database:
        sys.exit(run(arguments, database))
