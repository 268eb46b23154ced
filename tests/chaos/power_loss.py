#!/usr/bin/env python3
"""Simulates power failures from recorded writes: what SQLite's files would be at any moment, and whether all that was
acknowledged until then is in them.

    tests/chaos/power_loss.py [--cuts 200] [--seconds 20] [--program PATH] [--forgetful]

A library that is preloaded into `sightline serve` (recorder.c) writes down every write, truncation and sync of
the database's files, while eight callers make projects and start analyses, which a worker does meanwhile. Then
the power is cut at random moments: what a sync ended for is kept, and of what was written since, any sector of
512 bytes may be there or not, in any order. SQLite has to open each of these, find nothing wrong
(integrity_check), and have every project that was answered with 201 before the cut, its keywords, and every
analysis that was answered with 202.

With --forgetful, syncs of the last tenth of a second keep nothing, as if acknowledgements did not wait for them;
then the run has to find losses: it shows that it could.

Exit code 0: nothing was lost (with --forgetful: something was). Standard library and gcc.
"""
import argparse
import bisect
import collections
import contextlib
import pathlib
import random
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import lab

HEAD = struct.Struct("=5Q216s")
WRITE, TRUNCATE, SYNC, UNLINK = 1, 2, 3, 4
SECTOR = 512
CALLERS = 8
LATE = 100_000_000

Op = collections.namedtuple("Op", "begun ended kind offset data")


def recorded(trace):
    """Operations by file, in the order of their ends."""
    files = collections.defaultdict(list)
    with open(trace, "rb") as stream:
        while head := stream.read(HEAD.size):
            begun, ended, kind, offset, length, name = HEAD.unpack(head)
            files[name.rstrip(b"\0").decode()].append(Op(begun, ended, kind, offset, stream.read(length)))
    for operations in files.values():
        operations.sort(key=lambda it: it.ended)
    return files


class File:
    """Replays the operations on one file."""

    def __init__(self, operations, forgetful):
        self.operations, self.forgetful = operations, forgetful
        self.sure = bytearray()
        self.there = False
        self.at = 0

    def apply(self, image, it, sectors=None):
        if it.kind == WRITE:
            end = it.offset + len(it.data)
            if len(image) < end:
                image.extend(bytes(end - len(image)))
            if sectors is None:
                image[it.offset:end] = it.data
                return
            for start in range(0, len(it.data), SECTOR):
                if sectors.random() < 0.5:
                    part = it.data[start:start + SECTOR]
                    image[it.offset + start:it.offset + start + len(part)] = part
        elif it.kind == TRUNCATE and (sectors is None or sectors.random() < 0.5):
            del image[it.offset:]
            image.extend(bytes(it.offset - len(image)))
        elif it.kind == UNLINK:
            image.clear()

    def cut(self, moment, choose):
        """Contents after a power failure, or None without a file. Moments have to grow."""
        believed = moment - (LATE if self.forgetful else 0)
        syncs = [n for n, it in enumerate(self.operations) if it.kind == SYNC and it.ended <= believed]
        kept = 0
        if syncs:
            begun = self.operations[syncs[-1]].begun
            kept = next((n for n, it in enumerate(self.operations) if it.ended > begun), len(self.operations))
        for it in self.operations[self.at:kept]:
            self.apply(self.sure, it)
            self.there = it.kind != UNLINK
        self.at = max(self.at, kept)
        image, there = bytearray(self.sure), self.there
        for it in self.operations[self.at:]:
            if it.begun > moment:
                break
            self.apply(image, it, choose)
            there = it.kind != UNLINK
        return bytes(image) if there else None


def callers(api_of, until, acknowledged, lock):
    """Adds projects and starts their analyses; records what was acknowledged, and when."""
    def call(number):
        api = api_of()
        for n in range(10_000):
            if time.monotonic() > until:
                return
            domain = f"shop{number}-{n}.example.com"
            project = api.call("POST", "/projects", {"domain": domain, "keywords": ["one", "two", "three"]})["id"]
            with lock:
                acknowledged.append((time.monotonic_ns(), "project", domain))
            if n % 10 == 0:
                job = api.analyse("rankCheck", project)
                with lock:
                    acknowledged.append((time.monotonic_ns(), "job", job))

    threads = [threading.Thread(target=call, args=(number,)) for number in range(CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def missing(folder, expected):
    """What is missing or inconsistent in the opened database."""
    with contextlib.closing(sqlite3.connect(folder / "sightline.db")) as db:
        try:
            if (result := db.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
                return [f"integrity_check: {result}"]
            projects = {row[0] for row in db.execute("SELECT domain FROM projects")}
            jobs = {row[0] for row in db.execute("SELECT id FROM jobs")}
            torn = db.execute("SELECT count(*) FROM projects WHERE (SELECT count(*) FROM keywords WHERE project_id = projects.id) <> 3").fetchone()[0]
        except sqlite3.DatabaseError as error:
            return [str(error)]
    there = {"project": projects, "job": jobs}
    lost = [f"{kind} {name}" for kind, name in expected if name not in there[kind]]
    return lost + ([f"{torn} projects without their keywords"] if torn else [])


def replay(given, files, acknowledged):
    choose = random.Random(given.seed)
    first = min(it[0] for it in acknowledged)
    last = max(it[0] for it in acknowledged)
    moments = sorted(choose.randrange(first, last) for _ in range(given.cuts))
    images = {name: File(operations, given.forgetful) for name, operations in files.items()}
    acknowledged.sort()
    times = [it[0] for it in acknowledged]
    broken, unsure = [], 0
    for moment in moments:
        with tempfile.TemporaryDirectory(prefix="sightline-cut-") as folder:
            for name, file in images.items():
                image = file.cut(moment, choose)
                if image is not None:
                    (pathlib.Path(folder) / pathlib.Path(name).name).write_bytes(image)
                    unsure += image != bytes(file.sure)
            expected = [it[1:] for it in acknowledged[:bisect.bisect_right(times, moment)]]
            if wrong := missing(pathlib.Path(folder), expected):
                broken.append((moment - first, wrong))
    return broken, unsure


def run(given, program):
    with tempfile.TemporaryDirectory(prefix="sightline-power-") as folder:
        library, trace = f"{folder}/recorder.so", f"{folder}/trace"
        source = pathlib.Path(__file__).with_name("recorder.c")
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl", "-lpthread"], check=True)
        data = pathlib.Path(folder) / "data"
        data.mkdir()
        sightline = lab.Sightline(program, f"sqlite://{data}/sightline.db")
        sightline.settings.update(LD_PRELOAD=library, RECORDER_TRACE=trace, RECORDER_FILES=f"{data}/sightline.db")
        acknowledged = []
        try:
            _, token = sightline.account()
            sightline.run_command("account", "limits", "--email", "lab@example.com", "--projects", "100000")
            _, address = sightline.start("serve", "--listen", f"127.0.0.1:{lab.free_port()}")
            callers(lambda: lab.Api(address, token), time.monotonic() + given.seconds, acknowledged, threading.Lock())
        finally:
            sightline.stop()
        files = recorded(trace)
    kinds = collections.Counter(it.kind for operations in files.values() for it in operations)
    broken, unsure = replay(given, files, acknowledged)
    print(f"{len(acknowledged)} acknowledgements, {kinds[WRITE]} writes, {kinds[SYNC]} syncs, {kinds[TRUNCATE]} truncations of {', '.join(sorted(pathlib.Path(it).name for it in files))}; seed {given.seed}")
    print(f"  {given.cuts} cuts, {unsure} files with writes that no sync had ended for; {len(broken)} with a loss{' (the last syncs were made to keep nothing)' if given.forgetful else ''}")
    for moment, wrong in broken[:3]:
        print(f"  after {moment / 1e9:.3f} s: {len(wrong)}, first {wrong[0]}")
    return 0 if bool(broken) == given.forgetful else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=20, help="how long callers write")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--program", help="a build of sightline; a release build is made otherwise")
    parser.add_argument("--forgetful", action="store_true", help="syncs keep nothing; losses have to be found")
    given = parser.parse_args()
    program = lab.program(given.program)
    return run(given, program)


if __name__ == "__main__":
    sys.exit(main())
