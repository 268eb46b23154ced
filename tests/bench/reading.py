"""What measurements of reads share: a server on a past that was filled in, and windows of load. Standard library only."""
import collections
import contextlib
import re
import sqlite3
import subprocess

import lab

UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0}
# The server's process, database URL, token, project path, and paths of results by name.
Server = collections.namedtuple("Server", "process database token project results")


def window(url, concurrency, seconds, token=None):
    """Requests per second, p50 and p99 in ms, and requests of a closed loop with so many connections."""
    header = ["-H", f"Authorization: Bearer {token}"] if token else []
    command = ["wrk", "--latency", "--timeout", "10s", "-t1", f"-c{concurrency}", f"-d{seconds}s", *header, url]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in output or "Socket errors" in output:
        raise SystemExit(f"{url} failed under load:\n{output}")
    at = lambda share: next(float(n) * UNITS[unit] for n, unit in re.findall(rf"\s{share}%\s+([\d.]+)(us|ms|s)\b", output))
    return float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]), at(50), at(99), int(re.search(r"(\d+) requests in", output)[1])


def copy_history(kind, days, record):
    """Copies what was measured to as many days before, and its findings to forty of them; `record` names the
    columns of a record, which builds of before November 2026 keep in one."""
    if kind != "sqlite":
        back, at = "day - n", "measured_at - n * interval '1 day'"
        numbers = lambda count: f"generate_series(1, {count}) AS n"
    else:
        back, at = "date(day, '-' || n || ' days')", "measured_at - n * 86400000000"
        numbers = lambda count: f"(WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < {count}) SELECT n FROM count)"
    points = "account_id, project_id, keyword_id, {}, job_id, engine, provenance, {}, state, position, absolute_position, depth_checked, url, own_places, best_position, best_at, worst_position"
    row_columns = "account_id, project_id, result_type, {}, ordinal, keyword_id, url, url_hash, sort_value, {}, " + record
    return [
        f"INSERT INTO rank_history ({points.format('day', 'measured_at')}) SELECT {points.format(back, at)} FROM rank_history, {numbers(days - 1)} WHERE true",
        f"INSERT INTO findings ({row_columns.format('job_id', 'measured_at')}) SELECT {row_columns.format('job_id - n', at)} FROM findings, {numbers(min(days - 1, 40))} WHERE result_type = 'rankings'",
    ]


def fill(url, kind, days):
    columns = "SELECT name FROM pragma_table_info('findings')" if kind == "sqlite" else "SELECT column_name FROM information_schema.columns WHERE table_name = 'findings'"
    known = [name for [name] in lab.rows(url, columns)]
    statements = copy_history(kind, days, ", ".join(it for it in ("record", "packed") if it in known))
    if kind != "sqlite":
        # Past months get their partitions.
        months = """DO $$ BEGIN FOR n IN 1..40 LOOP EXECUTE format('CREATE TABLE IF NOT EXISTS rank_history_%s PARTITION OF rank_history FOR VALUES FROM (%L) TO (%L)',
            to_char(date_trunc('month', now()) - n * interval '1 month', 'YYYY_MM'), (date_trunc('month', now()) - n * interval '1 month')::date, (date_trunc('month', now()) - (n - 1) * interval '1 month')::date); END LOOP; END $$"""
        for statement in [months, *statements, "ANALYZE"]:
            subprocess.run(["psql", "-X", "-q", url, "-c", statement], check=True)
        return
    with contextlib.closing(sqlite3.connect(url.removeprefix("sqlite://"))) as db:
        for statement in statements:
            db.execute(statement)
            db.commit()


@contextlib.contextmanager
def server(program, kind, keywords, days):
    """A server that takes no jobs, with a project of which the keywords have so many days of ranks."""
    with lab.database(kind) as url:
        sightline = lab.Sightline(program, url)
        try:
            _, token = sightline.account()
            _, address = sightline.start("serve", "--listen", "127.0.0.1:0")
            api = lab.Api(address, token)
            project = api.project("example.com", keywords)
            assert api.finished(api.analyse("rankCheck", project))["status"] == "succeeded"
            keyword = api.call("GET", f"/results?projectId={project}&type=rankings&limit=1")["items"][0]["keywordId"]
            sightline.end()
            fill(url, kind, days)
            process, address = sightline.start("serve", "--listen", "127.0.0.1:0", "--no-worker")
            base = f"http://{address}/api/agent/v1"
            results = f"{base}/results?projectId={project}&type=rankings"
            yield Server(process, url, token, f"{base}/projects/{project}", {
                "100 records of the newest run": f"{results}&limit=100",
                "the history of one keyword": f"{results}&history=true&keywordId={keyword}&limit=10",
                "the summary": f"{results}&limit=1&fields=position",
                "one search page": f"{base}/results?projectId={project}&type=serp&limit=1&keywordId={keyword}",
                "10 search pages": f"{base}/results?projectId={project}&type=serp&limit=10",
            })
        finally:
            sightline.stop()
