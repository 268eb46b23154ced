#!/usr/bin/env python3
"""Guesses the password of one account from many networks.

    tests/attacks/password_guesses.py [--program PATH] [--database sqlite|postgres]

Starts a server of its own on loopback that believes X-Forwarded-For of this machine, and sends 600 guesses from
120 IPv6 networks (/48) at an account and at an unused address. Passes when each is stopped after 100 to
105 guesses that were checked, when the owner then signs in on a known device and sign-in fails on another, and
when 600 guesses from 120 networks (/64) inside one /57 are stopped far earlier. Ends within five minutes.
Exit code: 0 when all of it holds, 1 otherwise.
"""
import argparse
import collections
import http.client
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import lab

GUESSES, NETWORKS = 600, 120
PASSWORD = "a walrus under 7 umbrellas"
# The count drains by one in 864 s, so a slow run allows one or two more than 100.
EXPECTED = range(100, 106)
# Five at once from each of two /56, and those with a delay of 1, 2, 4 … s ended meanwhile.
MAX_IN_ONE_SITE = 40


class Visitor:
    """A browser behind the proxy."""

    def __init__(self, address):
        self.address, self.cookies = address, {}
        self.connection = http.client.HTTPConnection(address, timeout=40)

    def sign_in(self, network, email, password):
        """The status, and the seconds of Retry-After."""
        headers = {
            "Content-Type": "application/json",
            "Origin": f"http://{self.address}",
            "Sec-Fetch-Site": "same-origin",
            "X-Forwarded-For": network,
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
        }
        self.connection.request("POST", "/api/session", json.dumps({"email": email, "password": password}), headers)
        answer = self.connection.getresponse()
        answer.read()
        # The server closes idle connections after 75 s, and an attack may take longer.
        self.connection.close()
        for line in answer.headers.get_all("Set-Cookie") or []:
            name, value = line.split(";")[0].split("=", 1)
            self.cookies[name] = value
        return answer.status, int(answer.headers.get("Retry-After") or 0)


def guess(address, email, networks):
    """How often each status was answered to guesses in turn from these networks, and the longest wait."""
    attacker, seen, longest = Visitor(address), collections.Counter(), 0
    for number in range(GUESSES):
        status, wait = attacker.sign_in(networks[number % NETWORKS], email, f"walrus number {number}")
        seen[status] += 1
        longest = max(longest, wait)
    return seen, longest


def set_password(server, email):
    ran = subprocess.run(
        [server.program, "account", "password", "--email", email],
        env=server.settings, cwd=server.folder, input=PASSWORD + "\n", capture_output=True, text=True,
    )
    if ran.returncode:
        raise SystemExit(ran.stderr)


def attack(server):
    failures = []

    def expect(rule, it):
        print(f"{'ok  ' if it else 'FAIL'} {rule}", flush=True)
        if not it:
            failures.append(rule)

    emails = ["lab@example.com", "other@example.com"]
    for email in emails:
        server.run_command("account", "create", "--email", email, "--name", "Lab")
        set_password(server, email)
    _, address = server.start("serve", "--no-worker", "--listen", f"127.0.0.1:{lab.free_port()}")
    owner = Visitor(address)
    expect("the owner signs in before the attack", owner.sign_in("198.51.100.1", emails[0], PASSWORD)[0] == 200)

    sites = [f"2001:db8:{number:x}::1" for number in range(NETWORKS)]
    for email in (emails[0], "nobody@example.com"):
        began = time.monotonic()
        seen, longest = guess(address, email, sites)
        counts = ", ".join(f"{count} × {status}" for status, count in sorted(seen.items()))
        print(f"     {email}: {counts} in {time.monotonic() - began:.1f} s, Retry-After up to {longest} s")
        expect(f"guesses at {email} are stopped near 100", seen[401] in EXPECTED and seen[429] == GUESSES - seen[401])
    for email in (emails[0], "nobody@example.com"):
        status, _ = Visitor(address).sign_in("203.0.113.7", email, PASSWORD)
        expect(f"another device is refused for {email}", status == 429)
    owner.cookies = {name: value for name, value in owner.cookies.items() if name.endswith("-device")}
    expect("the owner signs in on a known device", owner.sign_in("203.0.113.9", emails[0], PASSWORD)[0] == 200)

    inside = [f"2001:db8:ffff:{number:x}::1" for number in range(NETWORKS)]
    seen, _ = guess(address, emails[1], inside)
    print(f"     inside one /57: {dict(seen)}")
    expect("guesses from one site are stopped earlier", 0 < seen[401] <= MAX_IN_ONE_SITE)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="a build of sightline; a release build is made otherwise")
    parser.add_argument("--database", default="sqlite", help="sqlite, postgres or a URL")
    args = parser.parse_args()
    args.program = lab.program(args.program)
    with lab.database(args.database) as url:
        server = lab.Sightline(args.program, url, TRUSTED_PROXIES='["127.0.0.0/8"]', LIMITS__ALL_SIGN_INS_PER_MINUTE=1000000, LIMITS__ALL_SIGN_INS_BURST=1000000, ADMIN__LISTEN="off")
        try:
            failures = attack(server)
        finally:
            server.stop()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
