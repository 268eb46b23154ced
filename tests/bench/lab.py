"""What the benchmark and the chaos run share: a private PostgreSQL, processes of Sightline, a caller
of its API. Standard library only."""
import contextlib
import functools
import http.client
import http.server
import json
import multiprocessing
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def target():
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def build(*arguments, profile="release"):
    subprocess.run(["cargo", "build", "-q", "--profile", profile, *arguments], cwd=ROOT, check=True)


def program(given=None, profile="release"):
    """The given program, or a build of this tree with the profile `dist`, as in production."""
    if given:
        return pathlib.Path(given).resolve()
    build("-p", "cli", *(["--features", "dist"] if profile == "dist" else []), profile=profile)
    return target() / profile / "sightline"


def programs():
    """The folder of the newest PostgreSQL, and the command that runs as its owner."""
    homes = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda it: int(it.parts[4]))
    return homes[-1].parent, ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []


@contextlib.contextmanager
def postgres(reached="socket"):
    """A server of our own with the settings of its package (so with fsync), reached by its socket, over TCP ("tcp"), or
    over TCP with TLS ("tls"); yields the URL."""
    installed, as_owner = programs()
    folder = tempfile.mkdtemp(prefix="sightline-lab-pg-")
    if as_owner:
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    quiet = {"stdout": subprocess.DEVNULL, "cwd": "/", "check": True}
    subprocess.run([*as_owner, installed / "initdb", "-D", f"{folder}/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"], **quiet)
    control = [*as_owner, installed / "pg_ctl", "-D", f"{folder}/data", "-w"]
    listen, url = "-c listen_addresses=''", f"postgres://postgres@/postgres?host={folder}"
    if reached != "socket":
        port = free_port()
        listen, url = f"-c listen_addresses=127.0.0.1 -p {port}", f"postgres://postgres@127.0.0.1:{port}/postgres"
    if reached == "tls":
        listen, url = f"{listen} -c ssl=on", f"{url}?sslmode=require"
        make = ["openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-subj", "/CN=localhost", "-days", "2"]
        subprocess.run([*as_owner, *make, "-keyout", f"{folder}/data/server.key", "-out", f"{folder}/data/server.crt"], stderr=subprocess.DEVNULL, **quiet)
    subprocess.run([*control, "-l", f"{folder}/log", "-o", f"-k {folder} {listen}", "start"], **quiet)
    try:
        yield url
    finally:
        subprocess.run([*control, "-m", "fast", "stop"], **quiet)
        shutil.rmtree(folder, ignore_errors=True)


def restart(url):
    """Kills a server of `postgres` as a power failure would, and starts it again."""
    folder = url.split("host=")[1]
    installed, as_owner = programs()
    control = [*as_owner, installed / "pg_ctl", "-D", f"{folder}/data", "-w", "-l", f"{folder}/log", "-m", "immediate", "restart"]
    subprocess.run(control, stdout=subprocess.DEVNULL, cwd="/", check=True)


@contextlib.contextmanager
def database(kind):
    if kind in ("postgres", "tcp", "tls"):
        with postgres("socket" if kind == "postgres" else kind) as url:
            yield url
    elif "://" in kind:
        yield kind
    else:
        with tempfile.TemporaryDirectory(prefix="sightline-lab-") as folder:
            yield f"sqlite://{folder}/sightline.db"


def rows(url, query):
    """The rows of a query, all values as text."""
    if url.startswith("sqlite://"):
        with contextlib.closing(sqlite3.connect(url.removeprefix("sqlite://"), timeout=30)) as db:
            return [[str(value) for value in row] for row in db.execute(query)]
    listing = subprocess.run(["psql", "-X", "-At", "-F", "\t", url, "-c", query], capture_output=True, text=True, check=True)
    return [line.split("\t") for line in listing.stdout.splitlines()]


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def cpu(pid):
    """User and system seconds of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, with keep-alive and without a log."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass


class Site(http.server.ThreadingHTTPServer):
    """Ignores clients that disconnect."""

    def handle_error(self, *_):
        pass


@contextlib.contextmanager
def site(folder):
    """Serves a folder on loopback from a process of its own; yields the port."""
    port = free_port()
    server = Site(("127.0.0.1", port), functools.partial(Files, directory=folder), bind_and_activate=False)
    server.request_queue_size = 128
    server.server_bind()
    server.server_activate()
    process = multiprocessing.Process(target=server.serve_forever, daemon=True)
    process.start()
    server.socket.close()
    try:
        yield port
    finally:
        process.terminate()


class Sightline:
    """The program on one database."""

    def __init__(self, program, url, limits="wide", **settings):
        self.program, self.url = str(program), url
        self.folder = tempfile.mkdtemp(prefix="sightline-lab-home-")
        self.settings = {"SIGHTLINE_DATABASE_URL": url, "HOME": self.folder}
        if url.startswith("sqlite://"):
            # The data folder is created automatically.
            folder = pathlib.Path(url.removeprefix("sqlite://")).parent
            self.settings = {"SIGHTLINE_DATA_DIR": str(folder), "HOME": self.folder}
        self.settings.update(self.wide_limits() if limits == "wide" else {})
        self.settings.update({f"SIGHTLINE_{key}": str(value) for key, value in settings.items()})
        self.processes = []

    @staticmethod
    def wide_limits():
        """Rate limits that are counted and never reached."""
        wide = {}
        for name in ("READS", "WRITES", "ANALYSES", "ACCOUNT", "ANONYMOUS", "FAILED_TOKENS"):
            for part in ("PER_MINUTE", "BURST"):
                wide[f"SIGHTLINE_LIMITS__{name}_{part}"] = "1000000000"
        for name in ("IN_FLIGHT_PER_TOKEN", "IN_FLIGHT_PER_ACCOUNT", "IN_FLIGHT"):
            wide[f"SIGHTLINE_LIMITS__{name}"] = "10000"
        return wide

    def run_command(self, *arguments):
        ran = subprocess.run([self.program, *arguments], env=self.settings, cwd=self.folder, capture_output=True, text=True)
        if ran.returncode:
            raise SystemExit(f"sightline {' '.join(arguments)}: {ran.stderr}")
        return ran.stdout.strip()

    def account(self):
        """An account with wide limits; its id and a token."""
        self.run_command("account", "create", "--email", "lab@example.com", "--name", "Lab")
        self.run_command("account", "limits", "--email", "lab@example.com", "--keywords", "100000", "--keywords-per-project", "20000", "--projects", "1000")
        account = json.loads(self.run_command("account", "list", "--json"))[0]["id"]
        return account, self.run_command("token", "create", "--email", "lab@example.com", "--name", "lab")

    def spawn(self, *arguments, log=subprocess.DEVNULL):
        process = subprocess.Popen([self.program, *arguments], env=self.settings, cwd=self.folder, stderr=log, stdout=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def start(self, *arguments):
        """Starts a process and waits until it is ready; of a server, returns the address."""
        log = tempfile.NamedTemporaryFile(dir=self.folder, suffix=".log", delete=False)
        process = self.spawn(*arguments, log=log)
        word = "listens on http://" if arguments[0] == "serve" else "takes jobs from"
        for _ in range(600):
            text = pathlib.Path(log.name).read_text()
            if word in text:
                return process, text.split(word)[1].split()[0]
            if process.poll() is not None:
                break
            time.sleep(0.05)
        raise SystemExit(f"sightline {arguments} did not start: {text}")

    def end(self):
        """Ends the processes; others can be started."""
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(60)
        self.processes = []

    def stop(self):
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)


class Api:
    def __init__(self, address, token):
        self.address, self.token = address, token

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection(self.address, timeout=40)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request(method, f"/api/agent/v1{path}", json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        document = json.loads(answer.read() or "null")
        connection.close()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.status} {document}")
        return document

    def project(self, domain, keywords):
        project = self.call("POST", "/projects", {"domain": domain})["id"]
        for start in range(0, keywords, 500):
            texts = [f"running shoes {n}" for n in range(start, min(start + 500, keywords))]
            self.call("POST", f"/projects/{project}/keywords", {"keywords": texts})
        return project

    def analyse(self, kind, project):
        return self.call("POST", "/analyze", {"type": kind, "projectId": project})["id"]

    def job(self, job, wait=0):
        return self.call("GET", f"/analyze?jobId={job}&wait={wait}")["items"][0]

    def finished(self, job):
        while (found := self.job(job, 20))["status"] in ("queued", "running", "retrying"):
            pass
        return found


def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    memory = re.search(r"MemTotal:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text())
    first_line = lambda *it: subprocess.run(it, capture_output=True, text=True).stdout.splitlines()[0]
    postgres = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"))[-1]
    return f"{os.cpu_count()} × {model and model[1]}, {int(memory[1]) // 2**20} GiB, Linux {os.uname().release}, {first_line('rustc', '-V')}, {first_line(str(postgres), '-V')}"
