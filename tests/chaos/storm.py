#!/usr/bin/env python3
"""Kills servers and workers at random while thousands of jobs are requested and run, and audits the tables.

    tests/chaos/storm.py [--database sqlite|postgres|URL] [--jobs 10000] [--kills 200] [--quick]
                         [--only rankCheck] [--seed N] [--program PATH]

On PostgreSQL two servers without a worker take the requests and three workers run the jobs; on SQLite one
process does both. Every kill is SIGKILL, at a random moment, of a process chosen at random; another takes its
place at once. Between kills some processes are suspended (SIGSTOP) for longer than their leases; on PostgreSQL
connections are cut, and the server itself is ended as if its machine had lost power. Callers send each request
with an Idempotency-Key until it is answered with 202, by any server. The queue has its defaults
(lease 45 s); --quick shortens them.

One job in five audits a site (on loopback), one in ten measures its web vitals (its files: no browser), one in
twenty asks the simulated AI engines, the others check ranks.

Meanwhile `invariants.sql` is queried repeatedly, and afterwards `audit.sql` counts. Exit code 0: nothing was lost, nothing was done twice, and whatever a dead
worker held was taken back within 60 s. A job of which the workers died three times fails as intended and is counted
apart. Standard library only; psql for PostgreSQL.
"""
import argparse
import collections
import contextlib
import http.client
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "bench"))
import lab

QUICK = {"QUEUE__LEASE_SECONDS": 3, "QUEUE__HEARTBEAT_SECONDS": 1, "QUEUE__SWEEP_SECONDS": 1, "QUEUE__FIRST_DELAY_SECONDS": 1}
PROJECTS = 200
"""Projects of an account; each is analysed once."""
CALLERS = 8
STANDS_STILL = 60
"""Seconds, longer than a lease."""
PAGES = {
    "index.html": "<a href=/shoes.html>Shoes</a> <a href=/care.html>Care</a> <a href=/gone.html>Gone</a>",
    "shoes.html": "<a href=/>Home</a> <a href=/care.html>Care</a> Running shoes for roads and for paths.",
    "care.html": "<a href=/>Home</a> Wash them by hand and let them dry in the air.",
}
"""Every project's site."""
TAKEN_BACK_WITHIN = 60
"""Seconds until nothing counts as held by a dead worker."""


class Caller:
    """Repeats a request with the same key until it is answered: servers are killed."""

    def __init__(self, addresses):
        self.addresses, self.at, self.connection = addresses, 0, None
        self.repeats = collections.Counter()

    def send(self, token, method, path, body, key):
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Idempotency-Key": key}
        while True:
            try:
                if self.connection is None:
                    address = self.addresses[self.at % len(self.addresses)]
                    self.connection = http.client.HTTPConnection(address, timeout=20)
                self.connection.request(method, f"/api/agent/v1{path}", json.dumps(body), headers)
                answer = self.connection.getresponse()
                text = answer.read()
            except (OSError, http.client.HTTPException) as error:
                self.repeats[type(error).__name__] += 1
                self.connection, self.at = None, self.at + 1
                time.sleep(0.05)
                continue
            if answer.status < 300:
                return json.loads(text)
            if answer.status in (409, 429, 503) and answer.headers.get("Retry-After"):
                self.repeats[answer.status] += 1
                time.sleep(0.5)
                continue
            raise SystemExit(f"{method} {path}: {answer.status} {text.decode()}")


def in_parallel(addresses, tasks, act):
    """Runs tasks a few at a time; answers by task, and what was repeated."""
    waiting, answers, repeats = collections.deque(tasks), {}, collections.Counter()
    failures = []

    def work():
        caller = Caller(addresses)
        while not failures:
            try:
                task = waiting.popleft()
            except IndexError:
                break
            try:
                answers[task] = act(caller, task)
            except SystemExit as failure:
                failures.append(failure)
        repeats.update(caller.repeats)

    threads = [threading.Thread(target=work) for _ in range(CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return answers, repeats


class Fleet:
    """Servers and workers that are killed and restarted."""

    def __init__(self, sightline, shared):
        self.sightline = sightline
        ports = [lab.free_port() for _ in range(2 if shared else 1)]
        self.addresses = [f"127.0.0.1:{port}" for port in ports]
        alone = ["--no-worker"] if shared else []
        self.commands = [["serve", *alone, "--listen", address] for address in self.addresses]
        self.commands += [["worker"]] * (3 if shared else 0)
        self.running = [sightline.start(*command)[0] for command in self.commands]
        self.killed = {}
        """When each process that may have held jobs was killed, by its id."""

    def kill(self, at):
        process = self.running[at]
        process.kill()
        process.wait()
        self.killed[process.pid] = time.monotonic()
        for tries in range(20):
            try:
                self.running[at] = self.sightline.start(*self.commands[at])[0]
                return
            except SystemExit:
                # The database may be down; service managers retry, too.
                if tries == 19:
                    raise
                time.sleep(0.5)

    def suspend(self, at):
        process = self.running[at]
        process.send_signal(signal.SIGSTOP)
        threading.Timer(STANDS_STILL, lambda: process.send_signal(signal.SIGCONT)).start()


class Watch(threading.Thread):
    """Observes how long the leases of dead workers last."""

    def __init__(self, url, fleet):
        super().__init__(daemon=True)
        self.url, self.fleet, self.longest, self.over = url, fleet, 0.0, False

    def run(self):
        while not self.over:
            for (owner,) in rows(self.url, "SELECT DISTINCT lease_owner FROM jobs WHERE state = 'running'"):
                killed = self.fleet.killed.get(int(owner.split("-")[1]))
                if killed is not None:
                    self.longest = max(self.longest, time.monotonic() - killed)
            time.sleep(0.5)


class Invariants(threading.Thread):
    """Checks the invariants repeatedly."""

    def __init__(self, url):
        super().__init__(daemon=True)
        self.url, self.looks, self.broken, self.over = url, 0, {}, False

    def run(self):
        while not self.over:
            for fault, number in counted(self.url, "invariants.sql")[1].items():
                if number:
                    self.broken[fault] = max(number, self.broken.get(fault, 0))
            self.looks += 1
            time.sleep(5)


class Disturbances:
    """Disturbances between the kills, spread evenly."""

    def __init__(self, given, url, fleet, chance):
        self.url, self.fleet, self.chance = url, fleet, chance
        shared = url.startswith("postgres")
        wanted = {"still": given.still, "cut": given.cuts if shared else 0, "restart": given.restarts if shared else 0}
        self.plan = {kill: [] for kill in range(given.kills)}
        for fault, number in wanted.items():
            for _ in range(number):
                self.plan[chance.randrange(given.kills)].append(fault)
        self.done = collections.Counter()

    def after(self, kill):
        for fault in self.plan.get(kill, []):
            if fault == "still":
                self.fleet.suspend(self.chance.randrange(len(self.fleet.running)))
            elif fault == "cut":
                self.done["connections"] += len(rows(self.url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"))
            else:
                lab.restart(self.url)
            self.done[fault] += 1


def rows(url, query):
    """The rows of a query, also when the database is started again meanwhile."""
    for _ in range(300):
        try:
            return lab.rows(url, query)
        except subprocess.CalledProcessError:
            time.sleep(0.2)
    raise SystemExit("the database did not come back")


def unfinished(url):
    query = "SELECT count(*) FROM jobs WHERE state IN ('scheduled', 'ready', 'running', 'retry_wait')"
    return int(rows(url, query)[0][0])


def counted(url, name):
    """Counts of an audit: for information, and those that have to be 0."""
    counts, wrong = {}, {}
    kind, fault = None, None
    for line in (HERE / name).read_text().splitlines():
        if line.startswith(("-- count: ", "-- wrong: ")):
            kind, fault = line[3:].split(": ", 1)
        elif line and not line.startswith("--"):
            (counts if kind == "count" else wrong)[fault] = int(float(rows(url, line.rstrip(";"))[0][0]))
    return counts, wrong


def kind_of(project):
    """The kind of analysis of a project, by its number."""
    if project % 20 == 7:
        return "aiVisibility"
    if project % 10 == 4:
        return "webVitals"
    return "siteAudit" if project % 5 == 1 else "rankCheck"


@contextlib.contextmanager
def sites():
    """A small site for the domains of all projects; yields the settings for it."""
    with tempfile.TemporaryDirectory(prefix="sightline-storm-") as folder:
        for name, body in PAGES.items():
            page = f"<!doctype html><html lang=en><title>Shop: {name}</title><h1>Shop</h1><p>{body}</p>"
            pathlib.Path(folder, name).write_text(page)
        with lab.site(folder) as port:
            hosts = [f"shop{n}.example.com" for n in range(PROJECTS)]
            ways = [f"{host}:{at}=127.0.0.1:{to}" for host in hosts for at, to in ((80, port), (443, 1))]
            yield {
                "CRAWLER__ALLOW_NETWORKS": json.dumps(["127.0.0.0/8"]),
                "CRAWLER__RESOLVE": json.dumps(ways),
                "CRAWLER__PER_HOST_DELAY_MS": "0",
                "CRAWLER__CONNECTIONS_PER_HOST": "8",
                "VITALS__LAB__BROWSER": "/nonexistent/browser",
            }


def accounts_of(sightline, number):
    """Their tokens."""
    tokens = []
    for at in range(number):
        email = f"owner{at}@example.com"
        sightline.run_command("account", "create", "--email", email, "--name", f"Owner {at}")
        sightline.run_command("account", "limits", "--email", email, "--projects", "1000")
        tokens.append(sightline.run_command("token", "create", "--email", email, "--name", "storm"))
    return tokens


def run(given, url, program, settings):
    chance = random.Random(given.seed)
    shared = url.startswith("postgres")
    settings = settings | (QUICK if given.quick else {})
    sightline = lab.Sightline(program, url, SEARCH__SANDBOX__LATENCY_MS=given.latency_ms, **settings)
    tokens = accounts_of(sightline, max(1, given.jobs // PROJECTS))
    fleet = Fleet(sightline, shared)
    wrong = {}
    try:
        sites = [(at, n) for n in range(PROJECTS) for at in range(len(tokens))][: given.jobs]
        kind = lambda site: given.only or kind_of(site[1])

        def create(caller, site):
            project = caller.send(tokens[site[0]], "POST", "/projects", {"domain": f"shop{site[1]}.example.com", "keywords": ["running shoes"]}, f"site-{site[1]}")["id"]
            if kind(site) == "aiVisibility":
                caller.send(tokens[site[0]], "POST", f"/projects/{project}/keywords", {"keywords": ["trail shoes"], "aiTracked": True}, f"asked-{site[1]}")
            return project

        projects, _ = in_parallel(fleet.addresses, sites, create)
        print(f"{'PostgreSQL' if shared else 'SQLite'}, {'quick' if given.quick else 'default'} queue, seed {given.seed}: {len(projects)} projects of {len(tokens)} accounts", flush=True)

        start = lambda caller, site: caller.send(tokens[site[0]], "POST", "/analyze", {"type": kind(site), "projectId": projects[site]}, f"job-{site[1]}")["id"]
        accepted, repeats = {}, collections.Counter()

        def start_jobs():
            found, had_to = in_parallel(fleet.addresses, sites, start)
            accepted.update(found)
            repeats.update(had_to)

        watch, starter = Watch(url, fleet), threading.Thread(target=start_jobs)
        disturbances, invariants = Disturbances(given, url, fleet, chance), Invariants(url)
        begun, kills = time.monotonic(), collections.Counter()
        watch.start()
        invariants.start()
        starter.start()
        while kills.total() < given.kills and (starter.is_alive() or unfinished(url)):
            time.sleep(chance.uniform(0.1, given.pause))
            at = chance.randrange(len(fleet.running))
            fleet.kill(at)
            disturbances.after(kills.total())
            kills[fleet.commands[at][0]] += 1
        stormed, last = time.monotonic() - begun, time.monotonic()
        starter.join()
        while unfinished(url) and time.monotonic() - last < given.timeout:
            time.sleep(1)
        took, calm = time.monotonic() - begun, time.monotonic() - last
        watch.over = invariants.over = True
        watch.join()
        invariants.join()
        counts, wrong = counted(url, "audit.sql")
        wrong |= {f"broken meanwhile: {fault}": number for fault, number in invariants.broken.items()}
        known = {int(job) for (job,) in rows(url, "SELECT id FROM jobs")}
        wrong["accepted jobs that are not there"] = len(set(accepted.values()) - known)
        wrong["sites without an accepted job"] = len(sites) - len(accepted)
        wrong["kills that there was no time for"] = max(0, given.kills - kills.total())
        if not given.quick:
            wrong[f"s longer than {TAKEN_BACK_WITHIN} that a dead worker's jobs counted as held"] = max(0, round(watch.longest - TAKEN_BACK_WITHIN))
    finally:
        sightline.stop()
    print(f"  {kills.total()} kills in {stormed:.0f} s ({', '.join(f'{number} {name}' for name, number in sorted(kills.items()))}); all over {calm:.0f} s after the last, {took:.0f} s in all")
    print(f"  disturbed besides: {dict(disturbances.done)}; what has to hold at any time was asked {invariants.looks} times")
    print(f"  requests that were sent again: {dict(repeats)}")
    print(f"  longest that a dead worker's jobs counted as held: {watch.longest:.0f} s")
    for name, number in counts.items():
        print(f"  {number:8} {name}")
    for name, number in wrong.items():
        print(f"  {'WRONG ' if number else '      '}{number:2} {name}")
    print("  every promise was kept" if not any(wrong.values()) else "  promises were broken")
    return 1 if any(wrong.values()) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default="postgres")
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--pause", type=float, default=2.5, help="longest pause between kills, in seconds")
    parser.add_argument("--still", type=int, default=10, help=f"processes that stand still for {STANDS_STILL} s")
    parser.add_argument("--cuts", type=int, default=20, help="times that all connections of PostgreSQL are cut")
    parser.add_argument("--restarts", type=int, default=3, help="times that PostgreSQL is ended at once and started again")
    parser.add_argument("--only", help="one kind of analysis for every project")
    parser.add_argument("--latency-ms", type=int, default=300, help="of the simulated supplier")
    parser.add_argument("--timeout", type=float, default=900, help="seconds to wait for the last job")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--quick", action="store_true", help="lease 3 s, sweep 1 s, first delay 1 s")
    parser.add_argument("--program", help="a build of sightline; a release build is made otherwise")
    given = parser.parse_args()
    program = lab.program(given.program)
    with lab.database(given.database) as url, sites() as settings:
        return run(given, url, program, settings)


if __name__ == "__main__":
    sys.exit(main())
