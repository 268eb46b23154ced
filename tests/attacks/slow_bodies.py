#!/usr/bin/env python3
"""Whether slow bodies of unknown callers cost the holder of a token a single answer.

    tests/attacks/slow_bodies.py [--seconds 8] [--connections 560] [--program PATH]

Starts a server on loopback with its shipped limits for callers without a token, and two accounts. The first
signs in, keeps the mark of its device, and is disabled. The second reads its projects 20 times a second. Three
attacks run one after the other, each with 560 connections that send headers and one byte of a sign-in's body,
begin spread over a second, hold on as long as the server lets them, and come back a second after they were
turned away: from one address with the mark, from one address without, and from 64 networks (/64 of one /58)
by `X-Forwarded-For` of a trusted proxy. Each is measured between two windows without an attack.

Prints the tenant's refusals, p50 and p99 with and without, their ratio, and what came of the attackers' requests.
Exit code 0: not one refusal. The ratio (aim: at most 3) is printed and does not decide: it depends on the machine,
which here attacks as well. Standard library only; loopback only; stops after about a minute.
"""
import argparse
import asyncio
import collections
import http.client
import json
import multiprocessing
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "bench")]
import lab

PASSWORD = "a walrus under 7 umbrellas"
PER_SECOND = 20
MAX_CONNECTIONS = 2_000
MAX_SECONDS = 60
MAX_RATIO = 3.0


def sign_in(address, email, **more):
    """The status, and the cookies by name."""
    connection = http.client.HTTPConnection(address, timeout=20)
    headers = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin", **more}
    connection.request("POST", "/api/session", json.dumps({"email": email, "password": PASSWORD}), headers)
    answer = connection.getresponse()
    answer.read()
    pairs = [value.split(";")[0].split("=", 1) for name, value in answer.getheaders() if name.lower() == "set-cookie"]
    connection.close()
    return answer.status, dict(pairs)


def percentile(values, share):
    return sorted(values)[int(share * (len(values) - 1))] if values else float("nan")


async def attack_once(address, line, outcomes, until, delay):
    """One connection after the other, each held until the server ends it."""
    await asyncio.sleep(delay)
    host, port = address.split(":")
    head = f"POST /api/session HTTP/1.1\r\nHost: {address}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: 100\r\n{line}\r\n\r\n{{"
    while (left := until - time.monotonic()) > 0:
        writer = None
        try:
            reader, writer = await asyncio.wait_for(asyncio.open_connection(host, int(port)), left)
            writer.write(head.encode())
            answer = await asyncio.wait_for(reader.read(16), max(0.1, until - time.monotonic()))
            outcomes[answer[9:12].decode() or "closed"] += 1
        except TimeoutError:
            outcomes["held to the end"] += 1
        except OSError as error:
            outcomes[type(error).__name__] += 1
        finally:
            if writer:
                writer.close()
        await asyncio.sleep(1)


def attack(address, lines, seconds, pipe):
    async def together():
        outcomes, until = collections.Counter(), time.monotonic() + seconds
        await asyncio.gather(*(attack_once(address, line, outcomes, until, number / len(lines)) for number, line in enumerate(lines)))
        return outcomes

    pipe.send(asyncio.run(together()))


def read(address, token, seconds):
    """The tenant's reads at a fixed rate: how long each took, and the statuses of those that were refused."""
    times, refusals = [], collections.Counter()
    headers = {"Authorization": f"Bearer {token}"}
    began = time.monotonic()
    for number in range(int(seconds * PER_SECOND)):
        time.sleep(max(0.0, began + number / PER_SECOND - time.monotonic()))
        at = time.monotonic()
        connection = http.client.HTTPConnection(address, timeout=20)
        try:
            connection.request("GET", "/api/agent/v1/projects", headers=headers)
            answer = connection.getresponse()
            answer.read()
            status = answer.status
        except OSError as error:
            status = type(error).__name__
        finally:
            connection.close()
        times.append((time.monotonic() - at) * 1_000)
        if status != 200:
            refusals[status] += 1
    return times, refusals


def under_attack(address, token, lines, seconds):
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=attack, args=(address, lines, seconds + 2, theirs), daemon=True)
    process.start()
    time.sleep(1)
    times, refusals = read(address, token, seconds)
    outcomes = ours.recv() if ours.poll(seconds + 30) else {"no report": 1}
    process.join(10)
    if process.is_alive():
        process.kill()
    return times, refusals, outcomes


def run(given, program, url):
    wide = {f"LIMITS__{name}_{part}": 1_000_000 for name in ("READS", "ACCOUNT") for part in ("PER_MINUTE", "BURST")}
    # The limits for unknown callers are the defaults.
    sightline = lab.Sightline(program, url, limits="shipped", LISTEN=f"127.0.0.1:{lab.free_port()}", TRUSTED_PROXIES='["127.0.0.1/32"]', ADMIN__LISTEN="off", LOG__LEVEL="warn,app=info,cli=info,worker=info", **wide)
    try:
        for email in ("attacker@example.com", "tenant@example.com"):
            sightline.run_command("account", "create", "--email", email, "--name", email.split("@")[0])
        subprocess.run([sightline.program, "account", "password", "--email", "attacker@example.com"], env=sightline.settings, cwd=sightline.folder, input=PASSWORD + "\n", text=True, check=True, capture_output=True)
        token = sightline.run_command("token", "create", "--email", "tenant@example.com", "--name", "tenant")
        address = sightline.start("serve", "--no-worker")[1]
        status, cookies = sign_in(address, "attacker@example.com")
        mark = cookies.get("plain-device")
        if status != 200 or not mark:
            raise SystemExit(f"the sign-in before the account is disabled: {status}")
        sightline.run_command("account", "disable", "--email", "attacker@example.com")
        if (status := sign_in(address, "attacker@example.com")[0]) != 401:
            raise SystemExit(f"the sign-in of a disabled account: {status}")
        lab.Api(address, token).project("tenant.example.com", 20)
        read(address, token, 1)

        of_one = "X-Forwarded-For: 203.0.113.7"
        attacks = {
            "one address, mark of a disabled account": [f"{of_one}\r\nCookie: plain-device={mark}"] * given.connections,
            "one address, no mark": [of_one] * given.connections,
            "64 networks of IPv6": [f"X-Forwarded-For: 2001:db8:0:{number % 64:x}::1" for number in range(given.connections)],
        }
        failed = 0
        for name, lines in attacks.items():
            before, refused_before = read(address, token, given.seconds / 2)
            beside, refused, outcomes = under_attack(address, token, lines, given.seconds)
            time.sleep(1)
            after, refused_after = read(address, token, given.seconds / 2)
            without = before + after
            ratio = percentile(beside, 0.99) / percentile(without, 0.99)
            of_all = refused + refused_before + refused_after
            failed += sum(of_all.values())
            print(f"{name}, {len(lines)} connections")
            print(f"  refusals of the tenant: {sum(of_all.values())} of {len(without) + len(beside)} {dict(of_all) or ''}")
            print(f"  without: p50 {percentile(without, 0.5):.1f} ms, p99 {percentile(without, 0.99):.1f} ms; under attack: p50 {percentile(beside, 0.5):.1f} ms, p99 {percentile(beside, 0.99):.1f} ms; ratio of p99 {ratio:.2f}{'' if ratio <= MAX_RATIO else f' (above the aim of {MAX_RATIO})'}")
            print(f"  what came of the attackers' requests: {dict(outcomes)}", flush=True)
        return 1 if failed else 0
    finally:
        sightline.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=8, help=f"of each attack, at most {MAX_SECONDS}")
    parser.add_argument("--connections", type=int, default=560, help=f"of each attack, at most {MAX_CONNECTIONS}")
    parser.add_argument("--program", help="a build of sightline; a release build is made otherwise")
    given = parser.parse_args()
    given.seconds, given.connections = min(given.seconds, MAX_SECONDS), min(given.connections, MAX_CONNECTIONS)
    program = lab.program(given.program)
    with lab.database("sqlite") as url:
        return run(given, program, url)


if __name__ == "__main__":
    sys.exit(main())
