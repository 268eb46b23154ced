#!/usr/bin/env python3
"""What the program takes before it does anything, and what callers wait under a load that leaves it room.

    tests/bench/footprint.py [--rates 100 400] [--seconds 20] [--program PATH]

Cold start: from the call of the program to the first 200 of /readyz, on an empty database (all migrations) and
again on the same. Memory: resident set (VmRSS) ten seconds after the start, and the most there ever was (VmHWM)
after the load. Load: requests that leave at their time, whether or not earlier ones are answered, so that a
stall shows; a third of them change a project. On SQLite one process serves and works; on PostgreSQL a server
and a worker. Prints rows for docs/contribute/performance.md. Standard library only.
"""
import argparse
import http.client
import pathlib
import re
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "chaos")]
import lab
import rolling_restart


def memory(process, field):
    """In MiB."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(rf"{field}:\s*(\d+)", status)[1]) / 1024


def started(sightline, *command):
    """A server, and the milliseconds until it was ready."""
    address = f"127.0.0.1:{lab.free_port()}"
    begun = time.monotonic()
    process = sightline.spawn(*command, "--listen", address)
    while True:
        try:
            connection = http.client.HTTPConnection(address, timeout=1)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return process, address, 1_000 * (time.monotonic() - begun)
        except OSError:
            pass
        time.sleep(0.001)


def waits(sightline, address, rates, seconds):
    """p50 and p99 in ms for each rate."""
    _, token = sightline.account()
    api = lab.Api(address, token)
    projects = [api.project(f"shop{n}.example.com", 10) for n in range(rolling_restart.PROJECTS)]
    balancer, found = rolling_restart.Balancer([address]), []
    balancer.wait_for(address)
    for rate in rates:
        load = rolling_restart.Load(balancer, token, projects, rate, analyses=False)
        time.sleep(seconds)
        load.end()
        assert set(load.outcomes) == {200}, load.outcomes
        times = sorted(load.latencies)
        found.append([1_000 * times[int(share * (len(times) - 1))] for share in (0.5, 0.99)])
    balancer.over = True
    return found


def measure(given, program, url):
    shared = url.startswith("postgres")
    sightline = lab.Sightline(program, url)
    command = ["serve", "--no-worker"] if shared else ["serve"]
    try:
        _, _, first = started(sightline, *command)
        sightline.end()
        server, address, again = started(sightline, *command)
        worker = sightline.start("worker")[0] if shared else None
        time.sleep(10)
        idle = [memory(it, "VmRSS") for it in (server, worker) if it]
        found = waits(sightline, address, given.rates, given.seconds)
        peak = memory(server, "VmHWM")
    finally:
        sightline.stop()
    name = "PostgreSQL, a server and a worker" if shared else "SQLite, one process"
    latency_cells = " | ".join(f"{p50:.1f} / {p99:.1f}" for p50, p99 in found)
    print(f"| {name} | {first:.0f} | {again:.0f} | {' + '.join(f'{it:.0f}' for it in idle)} | {peak:.0f} | {latency_cells} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rates", type=int, nargs="+", default=[100, 400], help="requests a second")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--program", help="a build of sightline; one of the profile dist is made otherwise")
    given = parser.parse_args()
    program = lab.program(given.program, "dist")
    print(lab.machine())
    rates = " | ".join(f"{rate}/s: p50 / p99, ms" for rate in given.rates)
    print(f"| database | first start, ms | start, ms | idle, MiB | most, MiB | {rates} |")
    print("|---|--:|--:|--:|--:|" + "--:|" * len(given.rates))
    for kind in ("sqlite", "postgres"):
        with lab.database(kind) as url:
            measure(given, program, url)


if __name__ == "__main__":
    main()
