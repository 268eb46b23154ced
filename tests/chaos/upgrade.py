#!/usr/bin/env python3
"""Replaces every process of one version by one of another under a load of a fixed rate, and counts what callers
notice: an upgrade without downtime, and the way back.

    tests/chaos/upgrade.py --old PATH [--new PATH] [--database postgres|sqlite|URL] [--rate 200]

Two servers and two workers of the old version run under the load of rolling_restart.py. Then the new version
migrates the database, which also gets what a later version may add while an earlier one runs (a table, a column
that may be empty, an index, and the note of a migration that neither program knows), each old process is started
again on it, each is replaced by a new one, and in the end each new one by an old one again. Between any two steps
both versions do requests and jobs of the same queue. SQLite has one server, with its worker: while that is replaced,
requests find none.

Exit code 0: no answer but 2xx, no connection that broke, every process gone within 30 s with code 0, and every
analysis succeeded without an attempt that was counted as lost. Standard library only; psql for PostgreSQL.
"""
import argparse
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import lab
from rolling_restart import GONE_WITHIN, PROJECTS, Balancer, Load

# Schema changes that docs/operate/upgrade.md allows while the previous version runs.
OF_A_LATER_VERSION = [
    "CREATE TABLE of_a_later_version (id BIGINT PRIMARY KEY, account_id BIGINT)",
    "ALTER TABLE projects ADD COLUMN of_a_later_version TEXT",
    "CREATE INDEX jobs_of_a_later_version ON jobs (created_at)",
    "INSERT INTO __diesel_schema_migrations (version) VALUES ('20991231009900')",
]


class Fleet:
    """Processes that are replaced one after the other."""

    def __init__(self, programs, url):
        self.versions = {name: lab.Sightline(program, url, SEARCH__SANDBOX__LATENCY_MS=2_000) for name, program in programs.items()}
        self.is_alone = url.startswith("sqlite://")
        self.addresses = [f"127.0.0.1:{lab.free_port()}" for _ in range(1 if self.is_alone else 2)]
        self.commands = [["serve", "--listen", address] for address in self.addresses]
        if not self.is_alone:
            self.commands = [[*command, "--no-worker"] for command in self.commands] + [["worker"]] * 2
        self.processes = [self.start("old", command) for command in self.commands]
        self.balancer = Balancer(self.addresses)
        self.wrong, self.exits = [], []
        for address in self.addresses:
            self.balancer.wait_for(address)

    def start(self, version, command):
        return self.versions[version].start(*command)[0]

    def replace(self, version):
        """Ends each process and starts one of a version in its place."""
        for at, command in enumerate(self.commands):
            time.sleep(1)
            begun = time.monotonic()
            self.processes[at].send_signal(signal.SIGTERM)
            code = self.processes[at].wait(60)
            took = time.monotonic() - begun
            self.exits.append(took)
            if code != 0 or took > GONE_WITHIN:
                self.wrong.append(f"{command[0]} ended with {code} after {took:.1f} s")
            self.processes[at] = self.start(version, command)
            if at < len(self.addresses):
                self.balancer.wait_for(self.addresses[at])

    def stop(self):
        self.balancer.over = True
        for version in self.versions.values():
            version.stop()


def version_of(program):
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def run(given, url):
    fleet = Fleet({"old": given.old, "new": given.new}, url)
    load = None
    try:
        _, token = fleet.versions["old"].account()
        api = lab.Api(fleet.addresses[0], token)
        load = Load(fleet.balancer, token, [api.project(f"shop{n}.example.com", 10) for n in range(PROJECTS)], given.rate)
        time.sleep(2)
        migrated = fleet.versions["new"].run_command("migrate")
        for statement in OF_A_LATER_VERSION:
            lab.rows(url, statement)
        for version in ["old", "new", "old"]:
            fleet.replace(version)
        load.end()
        for _ in range(600):
            if lab.rows(url, "SELECT count(*) FROM jobs WHERE finished_at IS NULL") == [["0"]]:
                break
            time.sleep(0.1)
        jobs = lab.rows(url, "SELECT state, attempt, crash_count, count(*) FROM jobs GROUP BY state, attempt, crash_count")
        if jobs != [["succeeded", "1", "0", jobs[0][-1]]]:
            fleet.wrong.append(f"analyses (state, attempts, lost leases, how many): {jobs}")
    finally:
        if load is not None and not load.over:
            load.end()
        fleet.stop()
    expected = (200, 202, "no server is ready") if fleet.is_alone else (200, 202)
    if bad := {outcome: number for outcome, number in load.outcomes.items() if outcome not in expected}:
        fleet.wrong.append(f"not answered with 200 or 202: {bad}")
    times = sorted(load.latencies)
    p99, longest = (1_000 * times[int(share * (len(times) - 1))] for share in (0.99, 1))
    print(f"{version_of(given.old)} and {version_of(given.new)}: {len(fleet.exits)} processes replaced under {given.rate} requests/s: {dict(load.outcomes)}; p99 {p99:.1f} ms, longest {longest:.0f} ms; a process was gone after {max(fleet.exits):.1f} s at the most")
    print(f"  analyses (state, attempts, lost leases, how many): {jobs}")
    print(f"  `migrate` of the new version: {migrated}")
    for line in fleet.wrong:
        print(f"  WRONG: {line}")
    return 1 if fleet.wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", required=True, help="a build of the version before")
    parser.add_argument("--new", help="a build of this version; a release build is made otherwise")
    parser.add_argument("--database", default="postgres")
    parser.add_argument("--rate", type=int, default=200, help="requests a second")
    given = parser.parse_args()
    given.new = lab.program(given.new)
    with lab.database(given.database) as url:
        return run(given, url)


if __name__ == "__main__":
    sys.exit(main())
