#!/usr/bin/env python3
"""Kills workers with SIGKILL while they run rank checks, waits, and audits the database.

    tests/chaos/kill_workers.py [--database sqlite|postgres|URL] [--jobs 40] [--keywords 60]
                                [--kills 30] [--seed N] [--default-queue] [--program PATH]

On PostgreSQL a server without a worker accepts the jobs and two workers run them; each kill ends
one of the workers, and another takes its place at once. On SQLite the one process that serves and
works is killed. The audit reads the tables: every accepted job is in exactly one final state,
each keyword of a finished one was measured exactly once for it, and nothing is left half done.
Exit code 0: every promise was kept. A job of which the workers were killed three times fails
as intended (poison), and is counted apart. Standard library only; psql for PostgreSQL.
"""
import argparse
import collections
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import lab

UNFINISHED = ("scheduled", "ready", "running", "retry_wait")
QUICK = {"QUEUE__LEASE_SECONDS": 3, "QUEUE__HEARTBEAT_SECONDS": 1, "QUEUE__SWEEP_SECONDS": 1, "QUEUE__FIRST_DELAY_SECONDS": 1}


def states(url):
    return collections.Counter(state for (state,) in lab.rows(url, "SELECT state FROM jobs"))


def unfinished(url):
    return sum(number for state, number in states(url).items() if state in UNFINISHED)


def busy_workers(url):
    """Process ids of the workers that hold a lease: `worker-PID-…` names the holder."""
    return {int(owner.split("-")[1]) for (owner,) in lab.rows(url, "SELECT lease_owner FROM jobs WHERE state = 'running'")}


def audit(url, accepted, keywords):
    """Violations in words, and the figures."""
    wrong = []
    known = {int(job): (state, int(crashes)) for job, state, crashes in lab.rows(url, "SELECT id, state, crash_count FROM jobs")}
    if missing := set(accepted) - set(known):
        wrong.append(f"{len(missing)} accepted jobs are lost")
    if strangers := set(known) - set(accepted):
        wrong.append(f"{len(strangers)} jobs were never asked for")
    if open_ := [job for job, (state, _) in known.items() if state in UNFINISHED]:
        wrong.append(f"{len(open_)} jobs are not over")
    measured = {int(job): (int(points), int(distinct)) for job, points, distinct in lab.rows(url, "SELECT job_id, count(*), count(DISTINCT keyword_id) FROM rank_history GROUP BY job_id")}
    for job, (points, distinct) in measured.items():
        if points != distinct:
            wrong.append(f"job {job} has {points} measurements of {distinct} keywords")
    published = {int(job): int(number) for job, number in lab.rows(url, "SELECT job_id, count(*) FROM findings WHERE result_type = 'rankings' GROUP BY job_id")}
    for job, (state, _) in known.items():
        done = state in ("succeeded", "partial")
        if done and measured.get(job) != (keywords, keywords):
            wrong.append(f"job {job} is {state} with {measured.get(job)} of {keywords}")
        if published.get(job, 0) != (keywords if done else 0):
            wrong.append(f"job {job} is {state} and has {published.get(job, 0)} records published")
    for table in ("staged_findings", "journal_entries"):
        if left := int(lab.rows(url, f"SELECT count(*) FROM {table}")[0][0]):
            wrong.append(f"{left} rows are left in {table}")
    figures = {
        "states": dict(collections.Counter(state for state, _ in known.values())),
        "lost leases": sum(crashes for _, crashes in known.values()),
        "failed without three lost leases": sum(state == "failed" and crashes < 3 for state, crashes in known.values()),
        "measurements": sum(points for points, _ in measured.values()),
    }
    return wrong, figures


def run(given, url, program):
    chance = random.Random(given.seed)
    queue = {} if given.default_queue else QUICK
    sightline = lab.Sightline(program, url, SEARCH__SANDBOX__LATENCY_MS=given.latency_ms, WORKER__JOBS=2, LISTEN="127.0.0.1:0", **queue)
    _, token = sightline.account()
    shared = url.startswith("postgres")
    server, address = sightline.start("serve", "--no-worker")
    api = lab.Api(address, token)
    try:
        projects = [api.project(f"shop{n}.example.com", given.keywords) for n in range(given.jobs)]
        accepted = [api.analyse("rankCheck", project) for project in projects]
        work = ["worker"] if shared else ["serve"]
        if not shared:
            server.terminate()
            server.wait(60)
        workers = [sightline.start(*work)[0] for _ in range(2 if shared else 1)]
        begun, kills = time.monotonic(), 0
        while kills < given.kills and unfinished(url):
            time.sleep(chance.uniform(0.1, given.pause))
            # A kill counts if the worker holds a job.
            holders = busy_workers(url)
            hit = [at for at, worker in enumerate(workers) if worker.pid in holders]
            if not hit:
                continue
            at = chance.choice(hit)
            workers[at].kill()
            workers[at].wait()
            kills += 1
            workers[at] = sightline.start(*work)[0]
        killed_for, last = time.monotonic() - begun, time.monotonic()
        while unfinished(url):
            if time.monotonic() - last > given.timeout:
                break
            time.sleep(0.5)
        waited = time.monotonic() - last
        wrong, figures = audit(url, accepted, given.keywords)
    finally:
        sightline.stop()
    print(f"{'PostgreSQL' if shared else 'SQLite'}, {'default' if given.default_queue else 'quick'} queue, seed {given.seed}: {len(accepted)} jobs of {given.keywords} keywords, {kills} kills in {killed_for:.0f} s, all over {waited:.0f} s after the last kill")
    for name, value in figures.items():
        print(f"  {name}: {value}")
    for line in wrong:
        print(f"  WRONG: {line}")
    print("  every promise was kept" if not wrong else f"  {len(wrong)} promises were broken")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default="postgres")
    parser.add_argument("--jobs", type=int, default=40)
    parser.add_argument("--keywords", type=int, default=60)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--pause", type=float, default=1.0, help="longest pause between kills, in seconds")
    parser.add_argument("--latency-ms", type=int, default=150)
    parser.add_argument("--timeout", type=float, default=600, help="seconds to wait for the last job")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--default-queue", action="store_true", help="lease 45 s, sweep 10 s, first delay 15 s")
    parser.add_argument("--program", help="a build of sightline; a release build is made otherwise")
    given = parser.parse_args()
    program = lab.program(given.program)
    with lab.database(given.database) as url:
        return run(given, url, program)


if __name__ == "__main__":
    sys.exit(main())
