#!/usr/bin/env python3
"""Sends archives that unpack to a hundred times their size, and the largest legal files, as the text of
Search Console imports: ten at the same time in one session. The server's memory must stay below 200 MiB.

    tests/attacks/archive_bombs.py [--program PATH]

Ends with 0 when the server held, else with 1.
Standard library only; it starts a server of its own on SQLite and takes less than two minutes."""
import argparse
import collections
import concurrent.futures
import http.client
import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import lab  # noqa: E402

AT_ONCE = 10
MAX_MIB = 200
MAX_BODY = 256 * 1024
EMAIL, PASSWORD = "lab@example.com", "a walrus under 7 umbrellas"

# A deflate stream is bits, and a JSON body is UTF-8: among the encodings of the same repetition, one is searched with
# bytes of printable text. Codes are those of fixed Huffman tables (RFC 1951, 3.2.6).


def code(value, length):
    return [(value >> (length - 1 - place)) & 1 for place in range(length)]


def extra(value, length):
    return [(value >> place) & 1 for place in range(length)]


def literals():
    for byte in range(144):
        yield code(0x30 + byte, 8)
    for byte in range(144, 256):
        yield code(0x190 + byte - 144, 9)


def repetitions():
    """258 bytes, the longest match, from 17 to 32 bytes before: 16 bits."""
    for symbol in (8, 9):
        for more in range(8):
            yield code(0xC5, 8) + code(symbol, 5) + extra(more, 3)


def text(state, bits):
    """The state after these bits and the completed bytes; None unless these are UTF-8 text. A state is number and
    value of the bits of the current byte, and the continuation bytes still missing."""
    number, value, needed = state
    written = bytearray()
    for bit in bits:
        value |= bit << number
        number += 1
        if number < 8:
            continue
        if needed:
            if not 0x80 <= value <= 0xBF:
                return None
            needed -= 1
        elif 0xC2 <= value <= 0xDF:
            needed = 1
        elif 0xE1 <= value <= 0xEC:
            needed = 2
        elif not 0x20 <= value <= 0x7E or value in b'"\\':
            return None
        written.append(value)
        number = value = 0
    return (number, value, needed), bytes(written)


def repeated(state):
    """Bytes that lead from this state back to itself."""
    for bits in repetitions():
        found = text(state, bits)
        if found and found[0] == state:
            return found[1]
    return None


def stream(length):
    """A deflate stream that is UTF-8 text, of this length."""
    begins = collections.deque()
    for last in (0, 1):
        for first in literals():
            if found := text((0, 0, 0), [last, 1, 0] + first):
                begins.append((*found, 1))
    seen = set()
    while begins:
        state, written, made = begins.pop()
        # The repetition refers to output of up to 32 bytes before.
        if made >= 32 and (pattern := repeated(state)):
            return (written + pattern * (length // len(pattern)))[:length]
        if (state, min(made, 32)) in seen:
            continue
        seen.add((state, min(made, 32)))
        for bits in literals():
            if found := text(state, bits):
                begins.append((found[0], written + found[1], made + 1))
    raise SystemExit("no stream of text was found")


def number(value, length):
    return value.to_bytes(length, "little")


def archive():
    """An archive that is text: its lengths and offsets have to be ASCII bytes."""
    name = b"Queries.csv"
    packed = stream(0x03_7F_7F - 30 - len(name))
    fields = number(20, 2) + number(0, 2) + number(8, 2) + bytes(8) + number(len(packed), 4) + number(0x7F7F7F, 4) + number(len(name), 2) + number(0, 2)
    entry = b"PK\x03\x04" + fields + name + packed
    directory = b"PK\x01\x02" + number(20, 2) + fields + bytes(14) + name
    end = b"PK\x05\x06" + bytes(4) + number(1, 2) * 2 + number(len(directory), 4) + number(len(entry), 4) + bytes(2)
    return (entry + directory + end).decode("utf-8")


def table(capacity):
    """A valid file with as many rows as fit."""
    lines, size = ["Top queries,Clicks,Impressions,CTR,Position"], 0
    while size < capacity - 200:
        lines.append(f"{len(lines):x},0,1,0%,1")
        size += len(lines[-1]) + 2
    return "\n".join(lines)


class Session:
    def __init__(self, address, email=EMAIL):
        self.address, self.cookies, self.csrf = address, {}, None
        self.call("POST", "/api/session", {"email": email, "password": PASSWORD})
        self.csrf = self.call("GET", "/api/session")[1]["csrfToken"]

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection(self.address, timeout=60)
        headers = {"Content-Type": "application/json", "Origin": f"http://{self.address}"}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if self.csrf:
            headers["X-CSRF-Token"] = self.csrf
        connection.request(method, path, None if body is None else json.dumps(body, ensure_ascii=False).encode(), headers)
        answer = connection.getresponse()
        for line in answer.headers.get_all("Set-Cookie") or []:
            name, value = line.split(";")[0].split("=", 1)
            self.cookies[name] = value
        document = json.loads(answer.read() or b"null")
        connection.close()
        return answer.status, document


def memory(process):
    """Current and peak resident memory, in MiB."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    found = {line.split(":")[0]: line.split()[1] for line in status.splitlines() if line.startswith("Vm")}
    return int(found["VmRSS"]) // 1024, int(found["VmHWM"]) // 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="a build of sightline; a release build is made otherwise")
    program = lab.program(parser.parse_args().program)
    bomb, rows = archive(), table(MAX_BODY - 1_000)
    print(f"archive: {len(json.dumps(bomb, ensure_ascii=False).encode())} bytes of JSON; table: {rows.count(chr(10))} rows")
    failed = False
    with tempfile.TemporaryDirectory(prefix="sightline-attack-") as folder:
        service = lab.Sightline(program, f"sqlite://{folder}/sightline.db")
        try:
            service.account()
            command = [service.program, "account", "password", "--email", EMAIL]
            subprocess.run(command, input=PASSWORD + "\n", env=service.settings, cwd=service.folder, check=True, capture_output=True, text=True)
            process, address = service.start("serve", "--no-worker", "--listen", f"127.0.0.1:{lab.free_port()}")
            session = Session(address)
            project = session.call("POST", "/api/projects", {"domain": "shop.example.com"})[1]["id"]
            path = f"/api/projects/{project}/search-console"
            for kind, content in (("archives", bomb), ("tables", rows)):
                before, began = memory(process)[0], time.monotonic()
                body = {"content": content, "from": "2026-10-01", "to": "2026-10-02"}
                with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
                    answers = list(pool.map(lambda _: session.call("POST", path, body), range(AT_ONCE)))
                statuses = collections.Counter(status for status, _ in answers)
                after, peak = memory(process)
                print(f"{AT_ONCE} {kind}: {dict(statuses)} in {time.monotonic() - began:.1f} s; memory {before} MiB before, {after} after, {peak} at the most")
                allowed = {422} if kind == "archives" else {201, 429, 503}
                if peak >= MAX_MIB or not set(statuses) <= allowed:
                    print(json.dumps(answers[0][1])[:500])
                    failed = True
        finally:
            service.stop()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
