#!/usr/bin/env python3
"""What one server and one worker carry on one PostgreSQL, and what three of each do, straight and behind pgbouncer.

    tests/bench/fleet.py [--jobs 3000] [--seconds 10] [--program PATH]

Reads: `wrk` against every server at once, eight connections each: a project by its id, one account. Writes: each
of eight callers changes a project of its own. Jobs: rank checks of one keyword, simulated without delay, of
fifty accounts, from the first request to the last end. All processes, PostgreSQL and the callers share the
machine, so more processes of ours on it show what they cost each other and that they share the work, not what
more machines would carry. PostgreSQL has the settings of its package, fsync on. Afterwards: the bytes
that a check of one keyword among a thousand leaves, by table, indexes included. Prints rows for docs/operate/scale.md. Needs wrk and pgbouncer.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import pathlib
import re
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "chaos")]
import lab
import storm

ACCOUNTS = 50
TABLES = ("rank_history", "findings", "latest_serps", "result_heads", "result_carries", "jobs")
KEYWORDS = 1_000


@contextlib.contextmanager
def pgbouncer(url):
    """A pooler in transaction mode before that server; yields the URL that leads through it."""
    folder = pathlib.Path(url.split("host=")[1])
    pooled = folder / "pooled"
    (folder / "users").write_text('"postgres" ""\n')
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n* = host={folder}\n[pgbouncer]\nlisten_addr =\nunix_socket_dir = {pooled}\nauth_type = trust\n"
        f"auth_file = {folder}/users\npool_mode = transaction\nmax_client_conn = 1000\ndefault_pool_size = 20\nlogfile = {folder}/pooled/log\n"
    )
    # pgbouncer refuses to run as root.
    as_owner = lab.programs()[1]
    subprocess.run([*as_owner, "mkdir", "-p", pooled], cwd="/", check=True)
    process = subprocess.Popen([*as_owner, "pgbouncer", "-q", folder / "pgbouncer.ini"], cwd="/", stderr=subprocess.DEVNULL)
    try:
        while not (pooled / ".s.PGSQL.6432").exists():
            time.sleep(0.05)
        yield f"postgres://postgres@/postgres?host={pooled}&port=6432"
    finally:
        process.terminate()
        process.wait()


def wrk(address, token, path, seconds):
    command = ["wrk", "--latency", "-t1", "-c8", f"-d{seconds}s", "-H", f"Authorization: Bearer {token}", f"http://{address}/api/agent/v1{path}"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in output:
        raise SystemExit(output)
    unit = {"us": 1e-3, "ms": 1.0, "s": 1e3}
    number, scale = re.search(r"99%\s+([\d.]+)(us|ms|s)", output).groups()
    return float(re.search(r"Requests/sec:\s*([\d.]+)", output)[1]), float(number) * unit[scale]


def reads(addresses, token, project, seconds):
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda address: wrk(address, token, f"/projects/{project}", seconds), addresses))
    return sum(rate for rate, _ in found), max(p99 for _, p99 in found)


def writes(addresses, token, projects, seconds):
    done, over = collections.Counter(), time.monotonic() + seconds

    def change(at):
        caller = storm.Caller([addresses[at % len(addresses)]])
        while time.monotonic() < over:
            caller.send(token, "PATCH", f"/projects/{projects[at]}", {"category": f"number {done[at]}"}, f"{at}-{time.time_ns()}")
            done[at] += 1

    threads = [threading.Thread(target=change, args=(at,)) for at in range(storm.CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done.total() / seconds


def sizes(url):
    """Bytes of each table; partitions are summed up."""
    size = "(SELECT coalesce((SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('{0}')), pg_total_relation_size('{0}')))"
    found = lab.rows(url, "SELECT " + ", ".join(size.format(it) for it in TABLES))[0]
    return [int(number) for number in found]


def stored_bytes(url, api, workers):
    """After a check of 1,000 keywords: bytes per keyword and table, and CPU milliseconds per keyword."""
    spent = lambda: sum(lab.cpu(it.pid) for it in workers)
    project = api.project("large.example.com", KEYWORDS)
    before, spent_before = sizes(url), spent()
    assert api.finished(api.analyse("rankCheck", project))["status"] == "succeeded"
    bytes_ = {table: (after - was) // KEYWORDS for table, after, was in zip(TABLES, sizes(url), before)}
    return bytes_, 1_000 * (spent() - spent_before) / KEYWORDS


def measure(given, program, url, each, **settings):
    sightline = lab.Sightline(program, url, WORKER__JOBS=16, **settings)
    tokens = storm.accounts_of(sightline, ACCOUNTS)
    addresses = [sightline.start("serve", "--no-worker", "--listen", f"127.0.0.1:{lab.free_port()}")[1] for _ in range(each)]
    try:
        per_account = given.jobs // ACCOUNTS
        sites = [(at, n) for n in range(per_account) for at in range(ACCOUNTS)]
        create = lambda caller, site: caller.send(tokens[site[0]], "POST", "/projects", {"domain": f"shop{site[1]}.example.com", "keywords": ["running shoes"]}, f"site-{site[1]}")["id"]
        projects, _ = storm.in_parallel(addresses, sites, create)
        rate, p99 = reads(addresses, tokens[0], projects[0, 0], given.seconds)
        written = writes(addresses, tokens[0], [projects[0, n] for n in range(storm.CALLERS)], given.seconds)
        workers = [sightline.start("worker")[0] for _ in range(each)]
        before = [lab.cpu(it.pid) for it in workers]
        begun = time.monotonic()
        start = lambda caller, site: caller.send(tokens[site[0]], "POST", "/analyze", {"type": "rankCheck", "projectId": projects[site]}, f"job-{site[1]}")["id"]
        storm.in_parallel(addresses, sites, start)
        while storm.unfinished(url):
            time.sleep(0.2)
        jobs = len(sites) / (time.monotonic() - begun)
        spent = [lab.cpu(it.pid) - was for it, was in zip(workers, before)]
        failed = lab.rows(url, "SELECT count(*) FROM jobs WHERE state <> 'succeeded'")[0][0]
        assert failed == "0", f"{failed} jobs did not succeed"
        sightline.run_command("account", "limits", "--email", "owner0@example.com", "--keywords", "10000", "--keywords-per-project", "2000")
        left = stored_bytes(url, lab.Api(addresses[0], tokens[0]), workers)
    finally:
        sightline.stop()
    return rate, p99, written, jobs, [share / sum(spent) for share in spent], left


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=3_000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--program", help="a build of sightline; one of the profile dist is made otherwise")
    given = parser.parse_args()
    program = lab.program(given.program, "dist")
    print(lab.machine())
    print("| servers + workers | on | reads/s | p99, ms | writes/s | jobs/s, asked for and done | CPU of each worker |")
    print("|---|---|--:|--:|--:|--:|---|")
    for each, pooled in ((1, False), (3, False), (3, True)):
        with lab.postgres() as direct, (pgbouncer(direct) if pooled else contextlib.nullcontext(direct)) as url:
            past_the_pooler = lab.Sightline(program, direct)
            past_the_pooler.run_command("migrate", "run")
            past_the_pooler.stop()
            settings = {"DATABASE_POOLER": "true"} if pooled else {}
            rate, p99, written, jobs, shares, left = measure(given, program, url, each, **settings)
        shares_text = ", ".join(f"{share:.0%}" for share in shares)
        print(f"| {each} + {each} | {'pgbouncer' if pooled else 'PostgreSQL'} | {rate:,.0f} | {p99:.1f} | {written:,.0f} | {jobs:,.0f} | {shares_text} |", flush=True)
    bytes_, cpu = left
    print(f"a check of one keyword among {KEYWORDS} leaves these bytes: {bytes_}, {sum(bytes_.values())} in all, and takes {cpu:.1f} ms of a worker's CPU")


if __name__ == "__main__":
    main()
