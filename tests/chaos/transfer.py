#!/usr/bin/env python3
"""Transfers a large database from SQLite to PostgreSQL and back to another SQLite file, kills each transfer with SIGKILL
several times, and compares every row of the two files.

    tests/chaos/transfer.py [--rows 1000000] [--kills 3] [--program PATH]

Prints rows, seconds and the peak memory (VmHWM) of each run. Exit code 0: both files hold the same rows, and every kill
came while rows were being copied. Standard library and PostgreSQL's server.
"""
import argparse
import contextlib
import hashlib
import json
import pathlib
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import lab

ACCOUNTS = 20
NOT_TRANSFERRED = ("__diesel_schema_migrations", "schema_breaks", "server_notes")


def tables(file):
    """Columns of each table: name, type, position in the primary key."""
    names = [it for (it,) in file.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")]
    return {it: file.execute(f"SELECT name, type, pk FROM pragma_table_info('{it}')").fetchall() for it in names if it not in NOT_TRANSFERRED}


def fill(path, rows):
    """About a seventh keywords, two sevenths findings of some 600 bytes, the rest days of rank histories."""
    file = sqlite3.connect(path)
    file.execute("PRAGMA synchronous = OFF")
    columns = tables(file)
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyzäé ", k=40)) for _ in range(1000)]

    def add(table, made):
        """Adds rows; columns that are not given get any value of their type."""
        names = [name for name, _, _ in columns[table]]
        usual = {"INTEGER": 1, "TEXT": "[]", "REAL": 0.5, "BLOB": b"\0\xff"}
        defaults = [usual[kind] for _, kind, _ in columns[table]]

        def row(given):
            return [given.get(name, default) for name, default in zip(names, defaults)]
        file.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(names))})", map(row, made))

    at = 1_790_000_000_000_000
    add("accounts", ({"account_id": n, "name": f"Account {n}", "status": "active", "created_at": at} for n in range(1, ACCOUNTS + 1)))
    keywords = rows // 7
    add("projects", ({"account_id": n, "id": n, "domain": f"{n}.example.com", "created_at": at} for n in range(1, ACCOUNTS + 1)))
    add("keywords", ({"account_id": 1 + n % ACCOUNTS, "id": n, "project_id": 1 + n % ACCOUNTS, "normalized": f"{words[n % 1000]} {n}", "text": words[n % 1000], "created_at": at + n} for n in range(keywords)))
    findings = rows * 2 // 7
    add("findings", ({"account_id": 1 + n % ACCOUNTS, "project_id": 1 + n % ACCOUNTS, "result_type": "rankings", "job_id": n // 5000, "ordinal": n, "keyword_id": n % keywords, "sort_value": n / 7, "measured_at": at + n, "record": json.dumps({"text": [chance.choice(words) for _ in range(12)]})} for n in range(findings)))
    left = rows - keywords - findings - 2 * ACCOUNTS
    add("rank_history", ({"account_id": 1 + n % keywords % ACCOUNTS, "project_id": 1 + n % keywords % ACCOUNTS, "keyword_id": n % keywords, "day": f"2026-{1 + n // keywords % 12:02}-{1 + n // keywords // 12 % 28:02}", "job_id": n, "engine": "google", "provenance": "measured", "measured_at": at + n, "state": "found", "url": f"https://{n % 20}.example.com/{words[n % 1000]}"} for n in range(left)))
    file.commit()
    file.close()


def sums(path):
    """Rows and a hash of each table, in the order of its key."""
    file = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    found = {}
    for table, columns in tables(file).items():
        key = ",".join(name for name, _, pk in sorted(columns, key=lambda it: it[2]) if pk)
        names = ",".join(sorted(name for name, _, _ in columns))
        count, digest = 0, hashlib.sha256()
        for row in file.execute(f"SELECT {names} FROM {table} ORDER BY {key}"):
            digest.update(repr(row).encode())
            count += 1
        found[table] = (count, digest.hexdigest())
    return found


class Run:
    """One process of the command."""

    def __init__(self, program, folder, arguments):
        self.lines, self.peak, self.begun = [], 0, time.monotonic()
        self.process = subprocess.Popen([program, "transfer", "--json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, env={"HOME": str(folder)})
        self.listener = threading.Thread(target=self.listen)
        self.listener.start()
        self.watcher = threading.Thread(target=self.watch)
        self.watcher.start()

    def listen(self):
        for line in self.process.stderr:
            self.lines.append(line.rstrip())

    def watch(self):
        while self.process.poll() is None:
            with contextlib.suppress(OSError, TypeError):
                status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
                self.peak = max(self.peak, int(re.search(r"VmHWM:\s+(\d+)", status)[1]))
            time.sleep(0.05)

    def copies(self):
        return any(it.startswith("Copying") for it in self.lines)

    def ended(self):
        answer = self.process.stdout.read()
        code = self.process.wait()
        self.listener.join()
        self.watcher.join()
        return code, answer, time.monotonic() - self.begun


def transfer(program, folder, kills, arguments):
    """Runs the command to its end, with so many kills; whether each came while it copied."""
    whole, peak, chance = 0, 0, random.Random(7)
    for number in range(kills + 1):
        run = Run(program, folder, arguments)
        if number < kills:
            while not run.copies() and run.process.poll() is None:
                time.sleep(0.01)
            time.sleep(chance.uniform(1, 4))
            run.process.kill()
        code, answer, seconds = run.ended()
        whole, peak = whole + seconds, max(peak, run.peak)
        if number < kills and code != -9:
            sys.exit(f"it had ended before the kill: {code}\n" + "\n".join(run.lines))
        last = run.lines[-1] if run.lines else ""
        print(f"  run {number + 1}: {seconds:.1f} s, {'killed' if number < kills else f'exit code {code}'}, VmHWM {run.peak / 1024:.0f} MiB; {last}", flush=True)
    if code != 0:
        sys.exit("\n".join(run.lines))
    report = json.loads(answer)
    print(f"  {report['rows']} rows in {whole:.1f} s with {kills} kills, the last run alone {seconds:.1f} s; {report['rowsBefore']} rows were copied before it; VmHWM {peak / 1024:.0f} MiB", flush=True)
    if kills and not 0 < report["rowsBefore"] < report["rows"]:
        sys.exit("no kill came amid copying: give more --rows")
    return {it["table"]: (it["rows"], it["checksum"]) for it in report["tables"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--program")
    options = parser.parse_args()
    program = lab.program(options.program, profile="dist")
    with tempfile.TemporaryDirectory(prefix="sightline-transfer-") as folder, lab.postgres() as postgres:
        folder = pathlib.Path(folder)
        source, back = folder / "source.db", folder / "back.db"
        subprocess.run([program, "migrate", "--database-url", f"sqlite://{source}"], check=True, cwd=folder, env={"HOME": str(folder)}, stdout=subprocess.DEVNULL)
        fill(source, options.rows)
        before = hashlib.sha256(source.read_bytes()).hexdigest()
        print(f"SQLite ({source.stat().st_size >> 20} MiB) to PostgreSQL", flush=True)
        there = transfer(program, folder, options.kills, ["--from", f"sqlite://{source}", "--to", postgres])
        print("PostgreSQL to SQLite", flush=True)
        again = transfer(program, folder, options.kills, ["--from", postgres, "--to", f"sqlite://{back}"])
        one, other = sums(source), sums(back)
        unequal = [it for it in one if one[it] != other.get(it)]
        if unequal or there != again:
            sys.exit(f"not the same: {unequal}")
        if hashlib.sha256(source.read_bytes()).hexdigest() != before:
            sys.exit("the source is not the file that it was")
        print(f"The same {sum(rows for rows, _ in one.values())} rows in both files.")


if __name__ == "__main__":
    main()
