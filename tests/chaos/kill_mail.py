#!/usr/bin/env python3
"""Kills workers with SIGKILL while they send mail to a real mail server, waits, and compares both sides.

    tests/chaos/kill_mail.py [--database sqlite|postgres|URL] [--messages 2000] [--accounts 10] [--kills 200] [--seed N] [--program PATH]

The messages lie in the outbox, one for each recipient; the mail server takes each after a moment. On PostgreSQL two
workers send them, on SQLite one process; each kill ends one, and another takes its place at once. Then the leases of the
killed ones are ended by hand. Promises: no recipient gets a message twice; every message ends as sent, failed or unknown;
what is sent has arrived, and what failed has not. Exit code 0: every promise was kept.
Python of tests/mcp/venv for the mail server; psql for PostgreSQL.
"""
import argparse
import collections
import contextlib
import json
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "bench"))
import lab

OVER = ("sent", "failed", "unknown")


class MailServer:
    def __init__(self, folder, delay):
        self.folder = pathlib.Path(folder)
        self.folder.joinpath("rules.json").write_text(json.dumps([{"at": "text", "after": delay}]))
        python = ROOT / "tests/mcp/venv/bin/python"
        command = [python, ROOT / "tests/mail/smtp_server.py", "--folder", folder]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]

    def arrived(self):
        """Number of messages by recipient."""
        path = self.folder / "messages.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        return collections.Counter(json.loads(line)["to"][0] for line in lines)

    def stop(self):
        self.process.kill()
        self.process.wait()


def change(url, statement):
    if is_shared(url):
        subprocess.run(["psql", "-X", "-q", url, "-c", statement], check=True)
        return
    with contextlib.closing(sqlite3.connect(url.removeprefix("sqlite://"), timeout=30)) as db, db:
        db.execute(statement)


def is_shared(url):
    return url.startswith("postgres")


def fill(url, accounts, messages):
    """Messages about a password, which count for no limit, of all accounts by turns: a worker sends one of an account at a time."""
    now, later = ("now()", "now() + interval '3 days'") if is_shared(url) else ("1000000 * unixepoch()", "1000000 * (unixepoch() + 259200)")
    variables = json.dumps({"at": "2026-11-30T12:00:00+00:00"})
    for first in range(0, messages, 500):
        rows = ", ".join(
            f"({accounts[n % len(accounts)]}, {7_000_000 + n}, 'r{n}@example.com', 'passwordChanged', '{variables}', 'queued', {now}, {later}, {now}, 0)"
            for n in range(first, min(first + 500, messages)))
        change(url, f"INSERT INTO deliveries (account_id, id, recipient, purpose, variables, state, created_at, expires_at, next_at, attempt) VALUES {rows}")
    rows = ", ".join(f"({account}, {now})" for account in accounts)
    change(url, f"INSERT INTO account_deliveries (account_id, next_at) VALUES {rows} ON CONFLICT (account_id) DO UPDATE SET next_at = {now}")


def end_leases(url):
    past = "'epoch'" if is_shared(url) else "0"
    change(url, f"UPDATE deliveries SET next_at = {past} WHERE state IN ('sending', 'queued')")
    change(url, f"UPDATE account_deliveries SET next_at = {past}")


def states(url):
    return {recipient: state for recipient, state in lab.rows(url, "SELECT recipient, state FROM deliveries WHERE purpose = 'passwordChanged'")}


def count(url, *wanted):
    return sum(state in wanted for state in states(url).values())


def audit(known, arrived, messages):
    wrong = []
    if len(known) != messages:
        wrong.append(f"{len(known)} of {messages} messages are stored")
    if twice := [to for to, number in arrived.items() if number > 1]:
        wrong.append(f"{len(twice)} recipients got a message twice: {twice[:5]}")
    if open_ := [to for to, state in known.items() if state not in OVER]:
        wrong.append(f"{len(open_)} messages are not over: {collections.Counter(known[to] for to in open_)}")
    if lost := [to for to, state in known.items() if state == "sent" and not arrived[to]]:
        wrong.append(f"{len(lost)} messages are sent and did not arrive: {lost[:5]}")
    if denied := [to for to, state in known.items() if state == "failed" and arrived[to]]:
        wrong.append(f"{len(denied)} messages failed and arrived: {denied[:5]}")
    return wrong


def run(given, url, program):
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        mail = MailServer(folder, given.delay)
        settings = {
            "MAIL__HOST": "127.0.0.1", "MAIL__PORT": mail.port, "MAIL__SECURITY": "none", "MAIL__FROM": "sightline@example.org",
            "MAIL__PER_MINUTE": 10000, "PUBLIC_BASE_URL": "https://seo.example", "LISTEN": "127.0.0.1:0",
        }
        sightline = lab.Sightline(program, url, **settings)
        sightline.account()
        for n in range(1, given.accounts):
            sightline.run_command("account", "create", "--email", f"lab{n}@example.com", "--name", f"Lab {n}")
        accounts = [it["id"] for it in json.loads(sightline.run_command("account", "list", "--json"))]
        fill(url, accounts, given.messages)
        work = ["worker"] if is_shared(url) else ["serve"]
        try:
            workers = [sightline.start(*work)[0] for _ in range(2 if is_shared(url) else 1)]
            begun, kills, hits = time.monotonic(), 0, 0
            while kills < given.kills and count(url, "queued"):
                time.sleep(chance.uniform(0.1, given.pause))
                at = chance.randrange(len(workers))
                hits += count(url, "sending") > 0
                workers[at].kill()
                workers[at].wait()
                kills += 1
                workers[at] = sightline.start(*work)[0]
            killed_for = time.monotonic() - begun
            deadline = time.monotonic() + given.timeout
            while count(url, "queued") and time.monotonic() < deadline:
                time.sleep(0.5)
            time.sleep(2 * given.delay + 1)
            for worker in workers:
                worker.kill()
                worker.wait()
            left = count(url, "sending")
            for _ in range(3):
                end_leases(url)
                worker, _ = sightline.start(*work)
                until = time.monotonic() + 60
                while count(url, "sending", "queued") and time.monotonic() < until:
                    time.sleep(0.5)
                worker.kill()
                worker.wait()
                if not count(url, "sending", "queued"):
                    break
            known = states(url)
            wrong = audit(known, mail.arrived(), given.messages)
        finally:
            sightline.stop()
            mail.stop()
    name = "PostgreSQL" if is_shared(url) else "SQLite"
    print(f"{name}, seed {given.seed}: {given.messages} messages, {kills} kills in {killed_for:.0f} s, {hits} of them while messages were being sent; {left} leases ended by hand")
    print(f"  states: {dict(collections.Counter(known.values()))}")
    for line in wrong:
        print(f"  WRONG: {line}")
    print("  every promise was kept" if not wrong else f"  {len(wrong)} promises were broken")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default="postgres")
    parser.add_argument("--messages", type=int, default=2000)
    parser.add_argument("--accounts", type=int, default=10)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--pause", type=float, default=0.8, help="longest pause between kills, in seconds")
    parser.add_argument("--delay", type=float, default=0.2, help="seconds that the mail server takes for a text")
    parser.add_argument("--timeout", type=float, default=600, help="seconds to wait for the last message")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--program", help="a build of sightline; a release build is made otherwise")
    given = parser.parse_args()
    program = lab.program(given.program)
    with lab.database(given.database) as url:
        return run(given, url, program)


if __name__ == "__main__":
    sys.exit(main())
