#!/usr/bin/env python3
"""Restarts two servers and two workers one after the other under a load of a fixed rate, and counts what callers
notice.

    tests/chaos/rolling_restart.py [--database postgres|URL] [--rate 200] [--rounds 5] [--program PATH]

Between callers and servers is a simple load balancer: each server's /readyz is requested five times a
second, and requests go to servers that said 200 last, over connections that are kept. Requests leave at their
time, whether or not earlier ones are answered, so that a stall shows as latency. A third of them write, and one
in forty starts an analysis, with calls that take two seconds: workers are always amid some. Each round ends each
process with SIGTERM, waits for its exit, and restarts it.

Exit code 0: no answer but 2xx, no connection that broke, every process gone within 30 s with code 0, and every
analysis succeeded without an attempt that was counted as lost. Standard library only; psql for PostgreSQL.
"""
import argparse
import collections
import http.client
import itertools
import json
import pathlib
import queue
import select
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import lab

SENDERS = 32
PROJECTS = 40
GONE_WITHIN = 30


class Balancer:
    """Knows which servers are ready."""

    def __init__(self, addresses):
        self.ready = dict.fromkeys(addresses, False)
        self.rotation = itertools.count()
        self.over = False
        for address in addresses:
            threading.Thread(target=self.poll, args=(address,), daemon=True).start()

    def poll(self, address):
        while not self.over:
            try:
                connection = http.client.HTTPConnection(address, timeout=1)
                connection.request("GET", "/readyz")
                self.ready[address] = connection.getresponse().status == 200
                connection.close()
            except OSError:
                self.ready[address] = False
            time.sleep(0.2)

    def choose(self):
        ready = [address for address, is_ready in self.ready.items() if is_ready]
        return ready[next(self.rotation) % len(ready)] if ready else None

    def wait_for(self, address):
        while not self.ready[address]:
            time.sleep(0.05)


class Load:
    """Requests at a fixed rate."""

    def __init__(self, balancer, token, projects, rate, analyses=True):
        self.balancer, self.token, self.projects, self.rate, self.analyses = balancer, token, projects, rate, analyses
        self.due, self.over = queue.Queue(), False
        self.outcomes, self.latencies, self.lock = collections.Counter(), [], threading.Lock()
        self.threads = [threading.Thread(target=self.send) for _ in range(SENDERS)]
        self.threads.append(threading.Thread(target=self.tick))
        for thread in self.threads:
            thread.start()

    def tick(self):
        begun = time.monotonic()
        for n in itertools.count():
            moment = begun + n / self.rate
            if self.over:
                break
            time.sleep(max(0.0, moment - time.monotonic()))
            self.due.put((n, moment))
        for _ in range(SENDERS):
            self.due.put(None)

    def send(self):
        kept = {}
        while (task := self.due.get()) is not None:
            n, moment = task
            outcome = self.once(kept, n)
            with self.lock:
                self.outcomes[outcome] += 1
                self.latencies.append(time.monotonic() - moment)

    def once(self, kept, n):
        address = self.balancer.choose()
        if address is None:
            return "no server is ready"
        connection = kept.setdefault(address, http.client.HTTPConnection(address, timeout=10))
        if connection.sock is not None and select.select([connection.sock], [], [], 0)[0]:
            # The server closed the idle connection; load balancers check before they send.
            connection.close()
        project = self.projects[n // 40 % PROJECTS]
        method, path, body = "GET", f"/projects/{project}", None
        if self.analyses and n % 40 == 1:
            method, path, body = "POST", "/analyze", json.dumps({"type": "rankCheck", "projectId": project})
        elif n % 3 == 0:
            method, body = "PATCH", json.dumps({"category": f"number {n}"})
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        try:
            connection.request(method, f"/api/agent/v1{path}", body, headers)
            answer = connection.getresponse()
            answer.read()
            if answer.will_close:
                kept.pop(address)
            return answer.status
        except (OSError, http.client.HTTPException) as error:
            kept.pop(address).close()
            return type(error).__name__

    def end(self):
        self.over = True
        for thread in self.threads:
            thread.join()


def run(given, url, program):
    sightline = lab.Sightline(program, url, SEARCH__SANDBOX__LATENCY_MS=2_000)
    _, token = sightline.account()
    addresses = [f"127.0.0.1:{lab.free_port()}" for _ in range(2)]
    commands = [["serve", "--no-worker", "--listen", address] for address in addresses] + [["worker"]] * 2
    processes = [sightline.start(*command)[0] for command in commands]
    balancer = Balancer(addresses)
    wrong = []
    try:
        for address in addresses:
            balancer.wait_for(address)
        api = lab.Api(addresses[0], token)
        load = Load(balancer, token, [api.project(f"shop{n}.example.com", 10) for n in range(PROJECTS)], given.rate)
        exits = {"serve": [], "worker": []}
        for at in itertools.islice(itertools.cycle(range(len(commands))), len(commands) * given.rounds):
            time.sleep(1)
            begun = time.monotonic()
            processes[at].send_signal(signal.SIGTERM)
            code = processes[at].wait(60)
            took = time.monotonic() - begun
            exits[commands[at][0]].append(took)
            if code != 0 or took > GONE_WITHIN:
                wrong.append(f"{commands[at][0]} ended with {code} after {took:.1f} s")
            processes[at] = sightline.start(*commands[at])[0]
            if at < len(addresses):
                balancer.wait_for(addresses[at])
        load.end()
        open_ = "SELECT count(*) FROM jobs WHERE finished_at IS NULL"
        for _ in range(600):
            if lab.rows(url, open_) == [["0"]]:
                break
            time.sleep(0.1)
        jobs = lab.rows(url, "SELECT state, attempt, crash_count, count(*) FROM jobs GROUP BY state, attempt, crash_count")
        if jobs != [["succeeded", "1", "0", jobs[0][-1]]]:
            wrong.append(f"analyses (state, attempts, lost leases, how many): {jobs}")
    finally:
        balancer.over = True
        sightline.stop()
    if bad := {outcome: number for outcome, number in load.outcomes.items() if outcome not in (200, 202)}:
        wrong.append(f"not answered with 200 or 202: {bad}")
    times = sorted(load.latencies)
    at = lambda share: 1_000 * times[int(share * (len(times) - 1))]
    print(f"{sum(map(len, exits.values()))} restarts under {given.rate} requests/s: {dict(load.outcomes)}; p50 {at(0.5):.1f} ms, p99 {at(0.99):.1f} ms, longest {at(1):.0f} ms; a server was gone after {max(exits['serve']):.1f} s at the most, a worker after {max(exits['worker']):.1f} s")
    print(f"  analyses (state, attempts, lost leases, how many): {jobs}")
    for line in wrong:
        print(f"  WRONG: {line}")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default="postgres")
    parser.add_argument("--rate", type=int, default=200, help="requests a second")
    parser.add_argument("--rounds", type=int, default=5, help="restarts of each process")
    parser.add_argument("--program", help="a build of sightline; a release build is made otherwise")
    given = parser.parse_args()
    program = lab.program(given.program)
    with lab.database(given.database) as url:
        return run(given, url, program)


if __name__ == "__main__":
    sys.exit(main())
