#!/usr/bin/env python3
"""Fills the disk of a SQLite server, while it runs and before it starts: a tmpfs that is mounted here (as root).

    tests/chaos/full_disk.py [--program PATH]

Exit code 0: the service names the full disk to callers, probes, metrics, doctor and at a start, reads go on, and writing
continues once there is space, without a restart. Standard library.
"""
import argparse
import contextlib
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import lab

MEBIBYTE = 1 << 20
wrong = []


def check(rule, holds, *about):
    print("ok  " if holds else "FAIL", rule, *([] if holds else about), flush=True)
    if not holds:
        wrong.append(rule)


def get(address, path):
    try:
        with urllib.request.urlopen(f"http://{address}{path}", timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def until(holds, seconds=15):
    for _ in range(seconds * 5):
        if holds():
            return True
        time.sleep(0.2)
    return False


class Disk:
    """A small disk, and a file that fills it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m,mode=700", "tmpfs", folder], check=True)

    def fill(self):
        with open(self.folder / "filler", "ab", buffering=0) as filler, contextlib.suppress(OSError):
            while True:
                filler.write(bytes(4096))

    def free(self):
        (self.folder / "filler").unlink()

    def unmount(self):
        subprocess.run(["umount", "-l", self.folder], check=True)


def call(address, token, path, body=None):
    """Status and document of a POST, or of a GET without a body."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(f"http://{address}/api/agent/v1{path}", data, headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def write(address, token, number):
    """Adds a project with some keywords."""
    body = {"domain": f"{number}.example.com", "keywords": [f"keyword {it} of {number}" for it in range(200)]}
    return call(address, token, "/projects", body)


def doctor_report(sightline):
    ran = subprocess.run([sightline.program, "doctor", "--json"], env=sightline.settings, cwd=sightline.folder, capture_output=True, text=True)
    return {it["check"]: it for it in json.loads(ran.stdout)["checks"]}


def main():
    wanted = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    wanted.add_argument("--program")
    program = lab.program(wanted.parse_args().program)
    with tempfile.TemporaryDirectory(prefix="sightline-disk-") as folder:
        disk = Disk(folder)
        port = lab.free_port()
        sightline = lab.Sightline(program, f"sqlite://{folder}/sightline.db", ADMIN__LISTEN=f"127.0.0.1:{port}")
        admin = f"127.0.0.1:{port}"
        try:
            _, token = sightline.account()
            _, address = sightline.start("serve", "--listen", "127.0.0.1:0", "--no-worker")
            check("a server is ready", until(lambda: get(admin, "/readyz")[0] == 200), get(admin, "/readyz"))
            disk.fill()
            answers = [write(address, token, number) for number in range(3)]
            status, problem = answers[-1]
            check("a write is refused, and the reason is diskFull", (status, problem.get("reason")) == (503, "diskFull"), answers)
            check("/readyz says diskFull", until(lambda: "diskFull" in get(admin, "/readyz")[1]), get(admin, "/readyz"))
            free = lambda: [float(it.split()[1]) for it in get(admin, "/metrics")[1].splitlines() if it.startswith("sightline_data_dir_free_bytes ")]
            check("the metric of the room is below 1 MiB", until(lambda: free() and free()[0] < MEBIBYTE), free())
            check("the process lives", get(admin, "/livez")[0] == 200)
            todo = doctor_report(sightline)["data folder"].get("todo") or ""
            check("doctor asks for room", "Free disk space" in todo, todo)
            disk.free()
            status, problem = write(address, token, 9)
            check("a write is taken once there is room", status == 201, status, problem)
            check("/readyz is good again", until(lambda: get(admin, "/readyz")[0] == 200), get(admin, "/readyz"))

            sightline.end()
            # The last connection removes the write-ahead log; with a log, a server also starts on a full disk.
            with contextlib.closing(sqlite3.connect(f"{folder}/sightline.db")) as file:
                file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            disk.fill()
            log = pathlib.Path(sightline.folder, "start.log")
            with open(log, "w") as to:
                code = sightline.spawn("serve", "--listen", "127.0.0.1:0", "--no-worker", log=to).wait(30)
            log_text = log.read_text()
            check("a start on a full disk ends, and names it", code == 1 and "is full" in log_text.splitlines()[-1], code, log_text)
            checks = doctor_report(sightline)
            todos = [checks["database"].get("todo"), checks["data folder"].get("todo")]
            check("doctor asks for room, and for no backup", all(it and "Free disk space" in it for it in todos), checks["database"], checks["data folder"])
            disk.free()
            sightline.start("serve", "--listen", "127.0.0.1:0", "--no-worker")
            check("it starts once there is room", True)

            sightline.end()
            sightline.settings["SIGHTLINE_SEARCH__SANDBOX__LATENCY_MS"] = "100"
            _, address = sightline.start("serve", "--listen", "127.0.0.1:0")
            project = write(address, token, 20)[1]["id"]
            job = call(address, token, "/analyze", {"type": "rankCheck", "projectId": project})[1]["id"]
            seen = lambda: call(address, token, f"/analyze?jobId={job}")[1]["items"][0]
            check("a job is under way", until(lambda: seen()["progress"]["done"] >= 20), seen())
            disk.fill()
            sightline.end()
            for _ in range(4):
                with open(log, "w") as to:
                    process = sightline.spawn("serve", "--listen", "127.0.0.1:0", log=to)
                    time.sleep(3)
                    process.terminate()
                    process.wait(60)
            disk.free()
            _, address = sightline.start("serve", "--listen", "127.0.0.1:0")
            over = until(lambda: seen()["finishedAt"], 90)
            ended = seen()
            check("of four restarts on the full disk none ends the job", over and (ended["status"], ended["attempts"] <= 2) == ("succeeded", True), ended, log.read_text())
        finally:
            sightline.stop()
            disk.unmount()
    print(f"tests/chaos/full_disk.py: {len(wrong)} failed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
