#!/usr/bin/env python3
"""How long twenty accounts wait for their analyses, alone and beside one that asks for as many as it may.

    tests/chaos/fairness.py [--database sqlite|postgres|URL] [--rounds 3] [--giant 9700] [--program PATH]

Twelve jobs at a time: on PostgreSQL three workers of four, on SQLite one server. In each round all twenty
accounts ask for ten analyses at once, and the next round begins when all are over. The large account has 9,700
due jobs, written into the table: an account may have requested 200 that are not finished, and the server takes on
10,000 from all. A wait is from `createdAt` to `startedAt`.

Exit code 0: with the large account the 95th percentile of the others' waits is at most twice what it is
without, and Jain's index of the twenty accounts' mean waits (1: alike for all) is at least 0.9. Standard
library only; psql for PostgreSQL.
"""
import argparse
import contextlib
import datetime
import pathlib
import sqlite3
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "bench")]
import lab
import storm

OTHERS = 20
AT_ONCE = 10
MAX_RATIO = 2.0
MIN_JAIN = 0.9


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def write(url, statements):
    """All of them in one transaction."""
    if url.startswith("sqlite://"):
        with contextlib.closing(sqlite3.connect(url.removeprefix("sqlite://"), timeout=30, isolation_level=None)) as db:
            db.executescript("BEGIN IMMEDIATE;" + statements + "COMMIT;")
    else:
        subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", url, "-c", f"BEGIN;{statements}COMMIT;"], check=True)


def add_jobs(url, job, number):
    """Adds as many jobs like this one to the account's queue."""
    names = [name for (name,) in lab.rows(url, "SELECT name FROM pragma_table_info('jobs')" if url.startswith("sqlite://") else "SELECT column_name FROM information_schema.columns WHERE table_name = 'jobs' ORDER BY ordinal_position")]
    fresh = {"id": "jobs.id + n", "dedupe_key": "'pile-' || n", "state": "'ready'", "attempt": "0", "epoch": "0", "started_at": "NULL", "finished_at": "NULL", "deadline_at": "NULL", "lease_epoch": "NULL", "lease_owner": "NULL", "lease_until": "NULL"}
    values = ", ".join(fresh.get(name, f"jobs.{name}") for name in names)
    write(url, f"""
        INSERT INTO jobs ({", ".join(names)})
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {number})
        SELECT {values} FROM jobs, numbers WHERE jobs.id = {job};
        UPDATE account_queues SET waiting = waiting + {number},
            next_run_at = (SELECT min(run_at) FROM jobs WHERE dedupe_key = 'pile-1'),
            attention_at = (SELECT min(expires_at) FROM jobs WHERE dedupe_key = 'pile-1')
            WHERE account_id = (SELECT account_id FROM jobs WHERE id = {job} AND dedupe_key NOT LIKE 'pile-%');
    """)


def waits_of(addresses, tokens, projects, rounds):
    """Waiting times by account, in seconds."""
    waits = {at: [] for at in range(OTHERS)}
    for number in range(rounds):
        tasks = [(at, n) for n in range(AT_ONCE) for at in range(OTHERS)]
        start_job = lambda caller, task: caller.send(tokens[task[0]], "POST", "/analyze", {"type": "rankCheck", "projectId": projects[task]}, f"{time.time_ns()}-{task[0]}-{task[1]}")["id"]
        jobs, _ = storm.in_parallel(addresses, tasks, start_job)
        for (at, _), job in jobs.items():
            found = lab.Api(addresses[0], tokens[at]).finished(job)
            waits[at].append(moment(found["startedAt"]) - moment(found["createdAt"]))
    return waits


def percentile(values, share):
    return sorted(values)[int(share * (len(values) - 1))]


def jain(values):
    return sum(values) ** 2 / (len(values) * sum(it * it for it in values))


def run(given, url, program):
    shared = url.startswith("postgres")
    sightline = lab.Sightline(program, url, SEARCH__SANDBOX__LATENCY_MS=300, WORKER__JOBS=4 if shared else 12)
    tokens = storm.accounts_of(sightline, OTHERS + 1)
    address = sightline.start("serve", *(["--no-worker"] if shared else []), "--listen", f"127.0.0.1:{lab.free_port()}")[1]
    for _ in range(3 if shared else 0):
        sightline.start("worker")
    try:
        site = lambda caller, task: caller.send(tokens[task[0]], "POST", "/projects", {"domain": f"shop{task[1]}.example.com", "keywords": ["running shoes"]}, f"site-{task[1]}")["id"]
        projects, _ = storm.in_parallel([address], [(at, n) for at in range(OTHERS) for n in range(AT_ONCE)] + [(OTHERS, 0)], site)
        alone = waits_of([address], tokens, projects, given.rounds)
        giant = lab.Api(address, tokens[OTHERS])
        first = giant.analyse("rankCheck", projects[OTHERS, 0])
        giant.finished(first)
        add_jobs(url, first, given.giant)
        left = lambda: int(lab.rows(url, "SELECT count(*) FROM jobs WHERE dedupe_key LIKE 'pile-%' AND finished_at IS NULL")[0][0])
        while left() == given.giant:
            time.sleep(0.1)
        beside = waits_of([address], tokens, projects, given.rounds)
        of_the_giant = given.giant - left()
    finally:
        sightline.stop()
    figures, alike = [], []
    for name, waits in (("alone", alone), ("beside the large account", beside)):
        together = [it for of_account in waits.values() for it in of_account]
        means = [sum(it) / len(it) for it in waits.values()]
        figures.append(percentile(together, 0.95))
        alike.append(jain(means))
        print(f"{name}: {len(together)} jobs, median wait {percentile(together, 0.5):.2f} s, p95 {figures[-1]:.2f} s, longest {max(together):.2f} s, Jain's index {alike[-1]:.3f}")
    ratio = figures[1] / figures[0]
    print(f"{of_the_giant} of the large account's {given.giant} jobs were done meanwhile; the others waited {ratio:.2f} times as long (p95)")
    return 0 if ratio <= MAX_RATIO and min(alike) >= MIN_JAIN else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default="postgres")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--giant", type=int, default=9_700, help="due jobs of the large account")
    parser.add_argument("--program", help="a build of sightline; a release build is made otherwise")
    given = parser.parse_args()
    program = lab.program(given.program)
    with lab.database(given.database) as url:
        return run(given, url, program)


if __name__ == "__main__":
    sys.exit(main())
