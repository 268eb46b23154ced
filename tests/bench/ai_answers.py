#!/usr/bin/env python3
"""Measures an AI visibility run through the sandbox's engines: see docs/contribute/performance.md.

    tests/bench/ai_answers.py PROGRAM [--keywords 500] [--kind sqlite|postgres] [--runs 2]

500 keywords, five prompts, five samples, two engines: 25,000 answers a run. Prints a row for each run: time, answers a
second, the peak of the worker's memory, how often its progress was seen to move, and what the database holds afterwards.
The second run has the first one's counts behind it.
"""
import argparse
import time

import lab

PROMPTS = SAMPLES = 5
ENGINES = ("sandboxAssistant", "sandboxOverview")


def peak(pid):
    """Peak memory of the process, in MiB."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def resident(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def follow(api, job, pid):
    """The finished job, its progress updates, and peak memory while answers were requested and evaluated."""
    seen, highest = [], {}
    while True:
        at = api.call("GET", f"/analyze?jobId={job}")["items"][0]
        stages = {it["name"]: it["status"] for it in at["stages"]}
        now = next((name for name, status in stages.items() if status == "running"), "-")
        highest[now] = max(highest.get(now, 0), resident(pid))
        if not seen or seen[-1] != at["progress"]["done"]:
            seen.append(at["progress"]["done"])
        if at["status"] not in ("queued", "running", "retrying"):
            return at, len(seen), highest
        time.sleep(0.25)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--keywords", type=int, default=500)
    parser.add_argument("--kind", default="sqlite")
    parser.add_argument("--runs", type=int, default=2)
    args = parser.parse_args()
    expected = (args.keywords * PROMPTS + 1) * SAMPLES * len(ENGINES)
    with lab.database(args.kind) as url:
        sightline = lab.Sightline(args.program, url)
        _, token = sightline.account()
        email = "lab@example.com"
        sightline.run_command("account", "limits", "--email", email, "--ai-tracked", str(args.keywords))
        sightline.run_command("models", "set", "--email", email, "--engine", "sandboxMentions", "--active", "no")
        process, address = sightline.start("serve", "--listen", "127.0.0.1:0")
        api = lab.Api(address, token)
        try:
            project = api.call("POST", "/projects", {"domain": "zyxwor.com"})["id"]
            words = [f"standing desk {n}" for n in range(args.keywords)]
            for at in range(0, len(words), 500):
                body = {"keywords": words[at:at + 500], "aiTracked": True}
                api.call("POST", f"/projects/{project}/keywords", body)
            print("| database | run | answers | s | answers/s | answers/CPU s | peak MiB | steps of progress | MiB by stage |")
            for run in range(args.runs):
                used, begun = lab.cpu(process.pid), time.monotonic()
                job, steps, highest = follow(api, api.analyse("aiVisibility", project), process.pid)
                took, used = time.monotonic() - begun, lab.cpu(process.pid) - used
                assert job["status"] in ("succeeded", "partial"), job
                assert job["progress"]["done"] == expected, (job, expected)
                assert steps >= took, "progress stood still for a second"
                by_stage = ", ".join(f"{name} {mib:.0f}" for name, mib in highest.items())
                print(
                    f"| {args.kind} | {run + 1} | {expected:,} | {took:.1f} | {expected / took:,.0f} | {expected / used:,.0f} "
                    f"| {peak(process.pid):.0f} | {steps} | {by_stage} |",
                    flush=True,
                )
            queries = [("answers kept", "SELECT count(*), sum(length(body)) FROM ai_answers"), ("counts", "SELECT count(*), sum(length(body)) FROM ai_tallies")]
            for name, query in queries:
                rows, size = lab.rows(url, query)[0]
                print(f"{name}: {int(rows):,} rows, {int(size) / 2**20:.1f} MiB")
        finally:
            sightline.stop()


if __name__ == "__main__":
    main()
