#!/usr/bin/env python3
"""How long twenty accounts wait for their analyses, alone and beside one that asks for as many as it may.

    tests/chaos/fairness.py [--database postgres|URL] [--rounds 3] [--giant 10000] [--program PATH]

Three workers of four jobs each. In each round all twenty accounts ask for ten analyses at once, and the next
round begins when all are over. The large account keeps as many unfinished analyses as one account may have
(200), until it has asked for 10,000 or the others are done. A wait is from `createdAt` to `startedAt`.

Exit code 0: with the large account the 95th percentile of the others' waits is at most twice what it is
without. Prints Jain's index of the twenty accounts' mean waits too: 1 is alike for all. Standard library only.
"""
import argparse
import datetime
import pathlib
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "bench")]
import lab
import storm

OTHERS = 20
AT_ONCE = 10
OF_THE_GIANT = 200
MOST = 2.0


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Giant(threading.Thread):
    """Asks for one analysis after the other, as fast as it is let."""

    def __init__(self, address, token, projects, most):
        super().__init__(daemon=True)
        self.address, self.token, self.projects, self.most = address, token, projects, most
        self.asked, self.over = 0, False

    def run(self):
        caller = storm.Caller([self.address])
        while not self.over and self.asked < self.most:
            project = self.projects[self.asked % len(self.projects)]
            body = {"type": "rankCheck", "projectId": project}
            caller.send(self.token, "POST", "/analyze", body, f"giant-{self.asked}")
            self.asked += 1


def waits_of(addresses, tokens, projects, rounds):
    """The waits of each account, in seconds."""
    waits = {at: [] for at in range(OTHERS)}
    for number in range(rounds):
        tasks = [(at, n) for n in range(AT_ONCE) for at in range(OTHERS)]
        ask = lambda caller, task: caller.send(tokens[task[0]], "POST", "/analyze", {"type": "rankCheck", "projectId": projects[task]}, f"{time.time_ns()}-{task}")["id"]
        jobs, _ = storm.in_parallel(addresses, tasks, ask)
        for (at, _), job in jobs.items():
            found = lab.Api(addresses[0], tokens[at]).finished(job)
            waits[at].append(moment(found["startedAt"]) - moment(found["createdAt"]))
    return waits


def percentile(values, share):
    return sorted(values)[int(share * (len(values) - 1))]


def jain(values):
    return sum(values) ** 2 / (len(values) * sum(it * it for it in values))


def run(given, url, program):
    sightline = lab.Sightline(program, url, SEARCH__SANDBOX__LATENCY_MS=300)
    tokens = storm.accounts_of(sightline, OTHERS + 1)
    address = sightline.start("serve", "--no-worker", "--listen", f"127.0.0.1:{lab.free_port()}")[1]
    for _ in range(3):
        sightline.start("worker")
    try:
        site = lambda caller, task: caller.send(tokens[task[0]], "POST", "/projects", {"domain": f"shop{task[1]}.example.com", "keywords": ["running shoes"]}, f"site-{task[1]}")["id"]
        sites = [(at, n) for at in range(OTHERS) for n in range(AT_ONCE)] + [(OTHERS, n) for n in range(OF_THE_GIANT + 50)]
        projects, _ = storm.in_parallel([address], sites, site)
        alone = waits_of([address], tokens, projects, given.rounds)
        giant = Giant(address, tokens[OTHERS], [projects[it] for it in sites if it[0] == OTHERS], given.giant)
        giant.start()
        while giant.asked < OF_THE_GIANT:
            time.sleep(0.1)
        beside = waits_of([address], tokens, projects, given.rounds)
        giant.over = True
    finally:
        sightline.stop()
    figures = []
    for name, waits in (("alone", alone), ("beside the large account", beside)):
        together = [it for of_account in waits.values() for it in of_account]
        means = [sum(it) / len(it) for it in waits.values()]
        figures.append(percentile(together, 0.95))
        print(f"{name}: {len(together)} jobs, median wait {percentile(together, 0.5):.2f} s, p95 {figures[-1]:.2f} s, longest {max(together):.2f} s, Jain's index {jain(means):.3f}")
    ratio = figures[1] / figures[0]
    print(f"the large account asked for {giant.asked} meanwhile; the others waited {ratio:.2f} times as long (p95)")
    return 0 if ratio <= MOST else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default="postgres")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--giant", type=int, default=10_000, help="analyses that the large account asks for at the most")
    parser.add_argument("--program", help="a build of sightline; a release build is made otherwise")
    given = parser.parse_args()
    program = given.program
    if program is None:
        lab.build("-p", "app")
        program = lab.target() / "release" / "sightline"
    with lab.database(given.database) as url:
        return run(given, url, program)


if __name__ == "__main__":
    sys.exit(main())
