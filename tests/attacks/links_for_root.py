#!/usr/bin/env python3
"""Let the service's user plant links in the folders that it owns, and run commands there as root.

Nothing outside of those folders may change, nothing of root's may be read from within, and the commands
still have to work where nothing is planted. Ends with 1 if anything was given away, with 2 if the script
cannot run (it has to be started by root).

    tests/attacks/links_for_root.py --program target/debug/sightline
"""

import argparse
import functools
import http.server
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))
import lab

# The service's user, who owns nothing else.
SERVICE = 65534
SECRET = "root's secret\n"
ROOTS_MAIL = b"roots-own@example.com"
SIDES = ["-wal", "-shm", "-journal"]


class ServiceFolder:
    """A folder of the service's user, beside one that is root's alone.

    Where it is closed, as systemd closes /var/lib/private, only root gets to it from outside.
    """

    def __init__(self, sightline, is_closed):
        self.sightline = sightline
        self.is_closed = is_closed
        self.top = Path(tempfile.mkdtemp(prefix="sightline-links-"))
        self.top.chmod(0o700 if is_closed else 0o755)
        self.service = self.top / "service"
        self.service.mkdir(mode=0o700)
        os.chown(self.service, SERVICE, SERVICE)
        # Accessible to all users, like /etc.
        self.roots = self.top / "root"
        self.roots.mkdir(mode=0o755)
        self.secret = self.roots / "secret"
        self.secret.write_text(SECRET)
        self.secret.chmod(0o600)
        # Only for root, for backups.
        self.vault = self.top / "vault"
        self.vault.mkdir(mode=0o700)

    def run(self, *arguments, **more):
        environment = {"HOME": str(self.vault), "PATH": os.environ["PATH"], **more}
        command = [self.sightline, *map(str, arguments)]
        ran = subprocess.run(command, env=environment, cwd=self.vault, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, timeout=120)
        return ran

    def must(self, *arguments, **more):
        ran = self.run(*arguments, **more)
        if ran.returncode != 0:
            raise SystemExit(f"2: {arguments}: {ran.stderr}")
        return ran.stdout

    def as_service(self, script):
        """Runs the attacker's commands with the rights of the service."""
        command = ["setpriv", f"--reuid={SERVICE}", f"--regid={SERVICE}", "--clear-groups", "sh", "-ec", script]
        return subprocess.run(command, cwd=self.service, capture_output=True, text=True).returncode == 0

    def database(self):
        """A database of the service's, as its first start makes it."""
        self.must("--data-dir", self.service, "account", "create", "--email", "ann@example.com", "--name", "Ann")
        for path in self.service.iterdir():
            os.chown(path, SERVICE, SERVICE, follow_symlinks=False)

    def changed_root_files(self):
        """What the commands gave away: changes to root's files, and root's files or data in the service's folder."""
        found = []
        about = os.lstat(self.secret)
        if (about.st_uid, about.st_gid, stat.S_IMODE(about.st_mode)) != (0, 0, 0o600):
            found.append(f"root's file belongs to {about.st_uid}:{about.st_gid} with mode {about.st_mode & 0o777:o}")
        if self.secret.read_text(errors="replace") != SECRET:
            found.append("root's file was written to")
        others = sorted(path.name for path in self.roots.iterdir() if path != self.secret)
        if others:
            found.append(f"made in root's folder: {', '.join(others)}")
        for path in [*self.service.rglob("*"), self.service]:
            about = os.lstat(path)
            if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
                continue
            if about.st_uid == 0:
                found.append(f"root's file in the service's folder: {path.name}")
            if ROOTS_MAIL in path.read_bytes():
                found.append(f"what root's database holds: {path.name}")
        return found

    def remove(self):
        shutil.rmtree(self.top)


class Pages(http.server.BaseHTTPRequestHandler):
    """A site of one page, for audits."""

    def do_GET(self):
        body = b"<!doctype html><html lang=en><title>A page</title><h1>A page</h1><p>Words.</html>"
        found = self.path == "/"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body) if found else 0))
        self.end_headers()
        self.wfile.write(body if found else b"")

    def log_message(self, *_):
        pass


def backup_of(place):
    """A backup that root keeps."""
    place.database()
    file = place.vault / "backup"
    place.must("--data-dir", place.service, "backup", file)
    return file


def planted_lock(place, target):
    file = backup_of(place)
    place.as_service(f"rm -f sightline.db*; ln -s {target} sightline.db.lock")
    return ["--data-dir", place.service, "restore", file]


def planted_database(place, target):
    place.as_service(f"ln -s {target} sightline.db")
    return ["--data-dir", place.service, "account", "create", "--email", "eve@example.com", "--name", "Eve"]


def planted_named_database(place, target):
    place.as_service(f"ln -s {target} named.db")
    return ["--database-url", f"sqlite://{place.service}/named.db", "migrate", "run"]


def planted_roots_database(place, _target):
    place.must("--data-dir", place.vault, "account", "create", "--email", ROOTS_MAIL.decode(), "--name", "Root")
    place.as_service(f"ln -s {place.vault}/sightline.db sightline.db")
    return ["--data-dir", place.service, "backup", place.service / "copy"]


def planted_roots_backup(place, _target):
    place.must("--data-dir", place.vault, "account", "create", "--email", ROOTS_MAIL.decode(), "--name", "Root")
    place.must("--data-dir", place.vault, "backup", place.vault / "own")
    place.as_service(f"ln -s {place.vault}/own own; ln -s {place.vault}/own.manifest.json own.manifest.json")
    return ["--data-dir", place.service, "restore", place.service / "own"]


def planted_folder(place, _target):
    place.as_service(f"ln -s {place.roots} way")
    return ["--data-dir", place.service / "way/data", "migrate", "run"]


def planted_side(place, target, side, link="ln -s", arguments=("account", "list")):
    place.database()
    place.as_service(f"rm -f sightline.db{side}; {link} {target} sightline.db{side}")
    return ["--data-dir", place.service, *arguments]


def planted_part(place, target, name):
    file = backup_of(place)
    place.as_service(f"rm -f sightline.db*; ln -s {target} sightline.db{name}")
    return ["--data-dir", place.service, "restore", file]


def planted_replaced(place, target):
    file = backup_of(place)
    place.as_service(f"ln -s {target} sightline.db.replaced; ln -s {target} sightline.db.replaced-wal")
    return ["--data-dir", place.service, "restore", "--force", file]


def planted_backup(place, target, name):
    place.database()
    place.as_service(f"ln -s {target} backup{name}")
    return ["--data-dir", place.service, "backup", place.service / "backup"]


def planted_backup_folder(place, _target):
    place.database()
    place.as_service(f"ln -s {place.roots} backups")
    return ["--data-dir", place.service, "backup", place.service / "backups/today"]


def planted_probe(place, target):
    place.database()
    place.as_service(f"ln -s {target} .doctor")
    return ["--data-dir", place.service, "doctor"]


def planted_report(place, target, site, flag):
    place.as_service(f"ln -s {target} report")
    return ["audit", site, flag, place.service / "report"]


def planted_report_folder(place, _target, site, flag):
    place.as_service(f"ln -s {place.roots} way")
    return ["audit", site, flag, place.service / "way/report"]


def attacks(site):
    both = ["secret", "missing"]
    for target in both:
        yield f"lock -> {target}", planted_lock, target
        yield f"database -> {target}", planted_database, target
        yield f"named database -> {target}", planted_named_database, target
        yield f"replaced -> {target}", planted_replaced, target
        yield f"doctor's probe -> {target}", planted_probe, target
        for side in SIDES:
            yield f"{side} -> {target}", functools.partial(planted_side, side=side), target
            there = functools.partial(planted_side, side=side, arguments=("migrate", "run"))
            yield f"{side} -> {target}, migrate", there, target
        for name in [".part", ".part.lock", ".part-wal"]:
            yield f"restore: {name} -> {target}", functools.partial(planted_part, name=name), target
        for name in ["", ".part", ".part.lock", ".part-journal", ".manifest.json"]:
            yield f"backup: {name or 'itself'} -> {target}", functools.partial(planted_backup, name=name), target
        for flag in ["--html", "--snapshot"]:
            planted = functools.partial(planted_report, site=site, flag=flag)
            yield f"audit {flag} -> {target}", planted, target
    for side in SIDES:
        hard = functools.partial(planted_side, side=side, link="ln")
        yield f"{side} is root's file by a second name", hard, "secret"
    yield "backup of root's database", planted_roots_database, "missing"
    yield "restore of root's backup", planted_roots_backup, "missing"
    yield "data folder behind a link", planted_folder, "missing"
    yield "backup in a folder behind a link", planted_backup_folder, "missing"
    for flag in ["--html", "--snapshot"]:
        planted = functools.partial(planted_report_folder, site=site, flag=flag)
        yield f"audit {flag} in a folder behind a link", planted, "missing"


def still_works(place, site):
    """Root's commands without planted links, and the owners of the files."""
    failed = []

    def expect(holds, rule):
        print(f"{'ok    ' if holds else 'FAILED'}  {rule}")
        if not holds:
            failed.append(rule)

    def owner(path):
        return os.lstat(path).st_uid if path.exists() else None

    service = ["--data-dir", place.service]
    made = place.run(*service, "account", "create", "--email", "ann@example.com", "--name", "Ann")
    expect(made.returncode == 0 and owner(place.service / "sightline.db") == SERVICE,
           "an account is made, in the service's own file")
    backup = place.vault / "backup"
    taken = place.run(*service, "backup", backup)
    expect(taken.returncode == 0 and owner(backup) == 0 and owner(place.vault / "backup.manifest.json") == 0,
           "a backup in root's own folder is root's")
    expect(stat.S_IMODE(os.lstat(backup).st_mode) == 0o600 if backup.exists() else False, "and nobody else reads it")
    taken = place.run(*service, "backup", place.service / "backup")
    expect(taken.returncode == 0 and owner(place.service / "backup") == SERVICE,
           "a backup in the service's folder is the service's")
    for file in [backup, place.service / "backup"]:
        back = place.run(*service, "restore", "--force", file)
        expect(back.returncode == 0 and owner(place.service / "sightline.db") == SERVICE,
               f"a backup is restored from {file.parent.name}, and the file is the service's")
    expect(place.run("restore", "--verify", backup).returncode == 0, "root looks whether its backup is whole")
    # The service cannot enter a closed folder from outside either.
    if not place.is_closed:
        listed = f"HOME={place.service} {place.sightline} --data-dir {place.service} account list"
        expect(place.as_service(listed), "the service opens what root restored")
    report = place.service / "report.html"
    ran = place.run("audit", site, "--html", report, SIGHTLINE_CRAWLER__ALLOW_NETWORKS='["127.0.0.0/8"]')
    expect(ran.returncode == 0 and owner(report) == SERVICE, "a report in the service's folder is the service's")
    return failed


def main():
    described = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    described.add_argument("--program", help="a build of sightline; a release build is made otherwise")
    described.add_argument("--verbose", action="store_true", help="show what each command says")
    arguments = described.parse_args()
    if os.geteuid() != 0:
        print("only root can show what root gives away", file=sys.stderr)
        return 2
    # In a place where the service's user may run it: a build below /root is out of reach.
    programs = tempfile.TemporaryDirectory(prefix="sightline-links-program-")
    os.chmod(programs.name, 0o755)
    sightline = shutil.copy(lab.program(arguments.program), programs.name)
    os.chmod(sightline, 0o755)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = f"http://127.0.0.1:{server.server_address[1]}/"
    lost, failed = 0, 0
    for is_closed in (False, True):
        print(f"In a folder that is {'closed to' if is_closed else 'open to'} others:")
        for name, planted, target in attacks(site):
            place = ServiceFolder(sightline, is_closed)
            command = planted(place, place.roots / target)
            ran = place.run(*command, SIGHTLINE_CRAWLER__ALLOW_NETWORKS='["127.0.0.0/8"]')
            found = place.changed_root_files()
            lost += bool(found)
            details = f": {'; '.join(found)}" if found else ""
            print(f"{'GIVEN ' if found else 'held  '}  {name} (exit {ran.returncode}){details}")
            if arguments.verbose:
                print(ran.stderr.strip())
            place.remove()
        place = ServiceFolder(sightline, is_closed)
        failed += len(still_works(place, site))
        place.remove()
    server.shutdown()
    print(f"{lost} attack(s) were given something, {failed} command(s) failed")
    return 1 if lost or failed else 0


if __name__ == "__main__":
    sys.exit(main())
