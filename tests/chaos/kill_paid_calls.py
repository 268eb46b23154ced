#!/usr/bin/env python3
"""Kills workers with SIGKILL while they make calls that cost money, and audits the bill.

    tests/chaos/kill_paid_calls.py [--database sqlite|postgres|URL] [--kills 25] [--jobs N]
                                   [--keywords 12] [--accounts 8] [--seed N] [--program PATH]

A supplier on loopback, in serper.dev's shape, counts and bills every call; a kill counts when it hits a
worker that holds a job while a call is being answered. On PostgreSQL a server accepts and two workers work;
on SQLite the one process that does both is killed. Afterwards the supplier's bill is laid beside the
tables: at most one call repeated for each attempt that was killed, no job above what was set aside for it,
no account above its month or day, the server not above its day, every sum the sum of its parts, and every
job in one final state. Exit code 0: every promise was kept. Standard library only; psql for PostgreSQL.
"""
import argparse
import collections
import http.server
import json
import pathlib
import random
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import lab
from kill_workers import QUICK, UNFINISHED, busy_workers, unfinished

# Micro-dollars per call, and maximum pages per keyword.
PRICE, PAGES = 1_000, 3


class Supplier:
    """Counts requests; each is billed even if its response is lost."""

    def __init__(self, pause, seed):
        self.lock, self.billed, self.under_way = threading.Lock(), collections.Counter(), 0
        chance, outer = random.Random(seed), self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                keyword, page = question["q"], question["page"]
                with outer.lock:
                    outer.billed[keyword, page] += 1
                    outer.under_way += 1
                    wait = chance.uniform(0.2, 1) * pause
                time.sleep(wait)
                with outer.lock:
                    outer.under_way -= 1
                # Every other keyword has little more than one page: searches seldom cost the maximum.
                results = 0 if page > 1 and keyword.endswith(("0", "2", "4", "6", "8")) else 10
                organic = [{"title": "A", "link": f"https://site{page}x{n}.test/", "position": n + 1} for n in range(results)]
                body = json.dumps({"searchParameters": {}, "organic": organic}).encode()
                try:
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    # The caller was killed.
                    self.close_connection = True

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def has_open_call(self):
        with self.lock:
            return self.under_way > 0


def account(sightline, number, budget):
    email = f"lab{number}@example.com"
    sightline.run_command("account", "create", "--email", email, "--name", "Lab")
    sightline.run_command("account", "limits", "--email", email, "--projects", "1000", "--keywords", "100000", "--monthly-budget", budget, "--daily-budget", budget)
    return sightline.run_command("token", "create", "--email", email, "--name", "lab")


def project(api, name, keywords):
    made = api.call("POST", "/projects", {"domain": f"{name}.example.com"})["id"]
    api.call("POST", f"/projects/{made}/keywords", {"keywords": [f"{name} shoes {n}" for n in range(keywords)]})
    return made


def numbers(url, query):
    return [[int(value) if value.lstrip("-").isdigit() else value for value in row] for row in lab.rows(url, query)]


def audit(url, supplier, accepted, keywords, budget, server_budget):
    """Violations in words, and the figures."""
    wrong = []
    jobs = {job: rest for job, *rest in numbers(url, "SELECT id, account_id, state, crash_count, cost_reserved, cost_spent, errors FROM jobs")}
    steps_by_job = {job: [step for step in list(supplier.billed) if step[0].startswith(f"shop{number} ")] for number, job in enumerate(accepted)}
    if missing := set(accepted) - set(jobs):
        wrong.append(f"{len(missing)} accepted jobs are lost")
    if open_ := [job for job, it in jobs.items() if it[1] in UNFINISHED]:
        wrong.append(f"{len(open_)} jobs are not over")
    written = {job: rest for job, *rest in numbers(url, "SELECT job_id, sum(coalesce(cost, most)), count(*), count(*) - count(ended_at), count(*) - count(DISTINCT step_hash) FROM paid_calls GROUP BY job_id")}
    measured = dict(numbers(url, "SELECT job_id, count(DISTINCT keyword_id) FROM rank_history GROUP BY job_id"))
    cut = 0
    for job, (_, state, crashes, reserved, spent, errors) in jobs.items():
        total, calls, lost, again = written.get(job, (0, 0, 0, 0))
        if spent > reserved:
            wrong.append(f"job {job} spent {spent} of {reserved}")
        if spent != total:
            wrong.append(f"job {job} spent {spent}, and its calls cost {total}")
        repeated = sum(supplier.billed[step] - 1 for step in steps_by_job[job])
        if repeated > crashes:
            wrong.append(f"job {job} paid {repeated} calls twice in {crashes} killed attempts; {lost} were begun and never ended, {again} begun again; it met {errors}")
        if state in ("succeeded", "partial") and measured.get(job, 0) < keywords:
            cut += 1
            if reserved - spent >= PRICE:
                wrong.append(f"job {job} is {state} with {measured.get(job, 0)} of {keywords} keywords and {reserved - spent} left")
    of_jobs = collections.Counter()
    for owner, _, _, _, spent, _ in jobs.values():
        of_jobs[owner] += spent
    for table in ("spending", "daily_spending"):
        for owner, reserved, spent in numbers(url, f"SELECT account_id, sum(reserved), sum(spent) FROM {table} GROUP BY account_id"):
            if reserved or spent != of_jobs[owner] or spent > budget:
                wrong.append(f"{table} of {owner}: {reserved} set aside, {spent} spent, its jobs {of_jobs[owner]}, budget {budget}")
    reserved, spent = numbers(url, "SELECT sum(reserved), sum(spent) FROM server_spending")[0]
    if reserved or spent != sum(of_jobs.values()) or spent > server_budget:
        wrong.append(f"the server: {reserved} set aside, {spent} spent, its jobs {sum(of_jobs.values())}")
    billed = sum(supplier.billed.values())
    if billed * PRICE > spent:
        wrong.append(f"{billed} calls were billed, and {spent / PRICE:.0f} are counted")
    repeated = sum(times - 1 for times in supplier.billed.values())
    crashes = sum(it[2] for it in jobs.values())
    if repeated > crashes:
        wrong.append(f"{repeated} calls were repeated by {crashes} killed attempts")
    figures = {
        "states": dict(collections.Counter(it[1] for it in jobs.values())),
        "killed attempts": crashes,
        "calls that the supplier billed": billed,
        "of these asked before": repeated,
        "asked more than twice": sum(times > 2 for times in supplier.billed.values()),
        "calls counted as spent": spent // PRICE,
        "calls begun and never ended": sum(it[2] for it in written.values()),
        "jobs that ran out of money before their last keyword": cut,
    }
    return wrong, figures


def run(given, url, program):
    chance = random.Random(given.seed)
    jobs = given.jobs or max(12, given.kills)
    each = jobs // given.accounts + 1
    budget = each * given.keywords * PAGES * PRICE
    supplier = Supplier(given.latency_ms / 1000, given.seed)
    sightline = lab.Sightline(
        program, url, LISTEN="127.0.0.1:0", WORKER__JOBS=2, SEARCH__DEPTH=PAGES * 10, SEARCH__SERPER__API_KEY="of the lab", SEARCH__SERPER__BASE_URL=supplier.url,
        SEARCH__SERPER__PRICE_PER_CALL=PRICE / 1e6, SEARCH__MOST_PER_CALL=PRICE / 1e6, SEARCH__MOST_PER_DAY=budget * given.accounts / 1e6, **QUICK,
    )
    shared = url.startswith("postgres")
    try:
        tokens = [account(sightline, number, str(budget / 1e6)) for number in range(given.accounts)]
        server, address = sightline.start("serve", "--no-worker")
        callers = [lab.Api(address, token) for token in tokens]
        accepted = []
        for number in range(jobs):
            api = callers[number % given.accounts]
            accepted.append(api.analyse("rankCheck", project(api, f"shop{number}", given.keywords)))
        work = ["worker"] if shared else ["serve"]
        if not shared:
            server.terminate()
            server.wait(60)
        workers = [sightline.start(*work)[0] for _ in range(2 if shared else 1)]
        begun, kills = time.monotonic(), 0
        while kills < given.kills and unfinished(url):
            time.sleep(chance.uniform(0.05, given.pause))
            holders = busy_workers(url)
            hit = [at for at, worker in enumerate(workers) if worker.pid in holders]
            if not hit or not supplier.has_open_call():
                continue
            at = chance.choice(hit)
            workers[at].kill()
            workers[at].wait()
            kills += 1
            sightline.processes.remove(workers[at])
            workers[at] = sightline.start(*work)[0]
        killed_for, last = time.monotonic() - begun, time.monotonic()
        while unfinished(url) and time.monotonic() - last < given.timeout:
            time.sleep(0.5)
        waited = time.monotonic() - last
        wrong, figures = audit(url, supplier, accepted, given.keywords, budget, budget * given.accounts)
    finally:
        sightline.stop()
    print(f"{'PostgreSQL' if shared else 'SQLite'}, seed {given.seed}: {jobs} jobs of {given.keywords} keywords, {given.accounts} accounts, {kills} kills in {killed_for:.0f} s, all over {waited:.0f} s after the last kill")
    for name, value in figures.items():
        print(f"  {name}: {value}")
    for line in wrong:
        print(f"  WRONG: {line}")
    print("  every promise was kept" if not wrong else f"  {len(wrong)} promises were broken")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default="postgres")
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--jobs", type=int, help="as many as kills when left out")
    parser.add_argument("--keywords", type=int, default=12)
    parser.add_argument("--accounts", type=int, default=8)
    parser.add_argument("--pause", type=float, default=0.6, help="longest pause between kills, in seconds")
    parser.add_argument("--latency-ms", type=int, default=150, help="the longest that the supplier takes")
    parser.add_argument("--timeout", type=float, default=600, help="seconds to wait for the last job")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--program", help="a build of sightline; a release build is made otherwise")
    given = parser.parse_args()
    program = lab.program(given.program)
    with lab.database(given.database) as url:
        return run(given, url, program)


if __name__ == "__main__":
    sys.exit(main())
