#!/usr/bin/env python3
"""Derives events a second time, in Python, from the rules of docs/measurement/events.md, and compares.

    tests/oracles/events.py [scenarios of each kind] [--program PATH]

The functions `rank_events`, `url_events` and so on take results and histories as the API shows them, and return the
events as dictionaries with the members that rules decide: kind, severity, key, n, before, after and the test. Scenarios are random, with
ties, nulls, failures, shallow depths, histories of 0 to 40 measurements and changes of provider.

Ends with 1 when an event differs. p comes from scipy, everything else from the standard library.
"""
import datetime
import hashlib
import json
import math
import random
import subprocess
import sys
from fractions import Fraction

import text_corpus

text_corpus.in_virtual_environment("events", "scipy==1.17.1")

import driver  # noqa: E402
from scipy import stats  # noqa: E402

JOB = 991
FEATURES = ["ai_overview", "featured_snippet", "people_also_ask", "local_pack", "images", "video", "sitelinks", "reviews"]
LEVELS = ["info", "notice", "warning", "critical"]
FACT = {"name": "none", "reason": "notApplicable"}
SHORT = {"name": "none", "reason": "tooLittleHistory"}


def date(text):
    return datetime.date.fromisoformat(text[:10])


def event(kind, severity, key, before, after, n=None, test=FACT):
    return {"kind": kind, "severity": severity, "key": f"{kind}:{key}", "before": before, "after": after, "n": n, "test": test}


def prediction(values, freedom, deviation):
    """Mean, standard error of a new value and degrees of freedom, with a prior of that many values (rule "moderated t")."""
    n = len(values)
    mean = math.fsum(values) / n
    squares = math.fsum((it - mean) ** 2 for it in values)
    total = freedom + n - 1
    return mean, math.sqrt((freedom * deviation ** 2 + squares) / total * (1 + 1 / n)), total


def moderated(values, value, prior, sign, limit, shown, heavy=True):
    """The test's outcome, or None when p is above the limit."""
    mean, error, freedom = prediction(values, *prior)
    t = (value - mean) / error
    p = stats.t.sf(sign * t * math.sqrt(5 / 3), 5) if heavy else stats.t.sf(sign * t, freedom)
    half = stats.t.ppf(.975, freedom) * error
    if p > limit:
        return None
    return {"name": "moderatedT", "statistic": t, "p": p, "limit": limit, "low": shown(mean - half), "high": shown(mean + half), "level": .95}


# Ranks

def rank_events(now, history, keywords):
    """`now` and `history` (newest first) are points of the rank history."""
    measured = [it for it in history if it["state"] != "error"]
    depths = sorted(it["depthChecked"] for it in measured[:28])
    usual = depths[len(depths) // 2] if depths else 0

    def counts(point):
        return point["state"] != "error" and (point["position"] is not None or Fraction(point["depthChecked"]) >= Fraction(9, 10) * usual)

    comparable = [it for it in measured if counts(it)]
    if not counts(now) or not comparable:
        return []
    before = comparable[0]
    was, position = before["position"], now["position"]
    if was is None and position is None:
        return []
    if was is None:
        kind = "keyword.entered" if position <= before["depthChecked"] else None
    elif position is None:
        kind = "keyword.lost" if was <= now["depthChecked"] else None
    else:
        crossed = any(min(was, position) <= top < max(was, position) for top in (3, 10))
        places = abs(was - position)
        enough = crossed or places >= 10 or (places >= 3 and min(was, position) <= 20)
        kind = "rank.changed" if enough else None
    if kind is None:
        return []

    def place(point):
        return point["position"] if point["position"] is not None else point["depthChecked"] + 1

    today, days = date(now["measuredAt"]), {}
    for point in comparable:
        day = date(point["measuredAt"])
        if day < today:
            days.setdefault(day, place(point))
    last = sorted(days, reverse=True)[:28]
    past = [days[it] for it in last]
    runs = 1 + sum((today - it).days < 28 for it in last)
    there, n = place(now), len(past)
    fell = there > place(before)
    if kind == "keyword.lost":
        severity = "critical" if was <= 10 else "warning"
    elif not fell:
        severity = "info"
    else:
        severity = "warning" if place(before) <= 10 < there or there - place(before) >= 10 else "notice"
    if n < 3:
        return []
    if n < 8:
        worse, better = (there, max(past)) if fell else (min(past), there)
        if worse < better + 8 or worse < 2 * better:
            return []
        severity, test = LEVELS[max(0, LEVELS.index(severity) - 1)], SHORT
    else:
        test = moderated([math.log(it) for it in past], math.log(there), (10, .15), 1 if fell else -1, .25 / (max(keywords, 1) * runs), math.exp)
        if test is None:
            return []

    def figure(point):
        return {"position": point["position"]} if point["position"] is not None else {"position": None, "depth": point["depthChecked"]}

    return [event(kind, severity, f"42:{JOB}", figure(before), figure(now), n, test)]


def page_key(url):
    return url.split("://", 1)[1].removeprefix("www.")


def url_hash(url):
    return hashlib.sha256(page_key(url).encode()).hexdigest()[:16]


def url_events(at, now, last, before_last, gone):
    if now is None or last is None:
        return []
    if gone and page_key(now) != page_key(last):
        before = last
    elif before_last is not None and page_key(now) == page_key(last) != page_key(before_last):
        before = before_last
    else:
        return []
    return [event("keyword.url_changed", "notice", f"42:{url_hash(now)}:{at[:10]}", {"url": before}, {"url": now})]


# Search pages

def feature_events(now, last, before_last):
    now, last, before = set(now), set(last), set(before_last)
    won = [event("feature.won", "info", f"42:{it}:{JOB}", {"features": []}, {"features": [it]}) for it in (now & last) - before]
    return won + [event("feature.lost", "notice", f"42:{it}:{JOB}", {"features": [it]}, {"features": []}) for it in before - now - last]


def order_events(days):
    """Days with the own and the competitor's position, oldest first."""
    known = {}
    for day, own, theirs in days:
        if own is not None or theirs is not None:
            known[day] = (own, theirs)
    kept = sorted(known)[-28:]
    earlier, newest = kept[:-8], kept[-8:]

    def behind(day):
        own, theirs = known[day]
        return own is None or (theirs is not None and theirs < own)

    count = sum(map(behind, newest))
    if len(newest) < 8 or len(earlier) < 8 or any(map(behind, earlier)) or count < 7 or not behind(newest[-1]):
        return []
    # When the project was last above, on any measurement.
    own = theirs = None
    for _, mine, other in days:
        if mine is not None and not (other is not None and other < mine):
            own, theirs = mine, other
    if own > 20:
        return []
    last = days[-1]
    window = date(last[0]).toordinal() // 28
    p = sum(math.comb(8, it) for it in range(count, 9)) / 2 ** 8
    states = [{"domain": "b.example", "position": theirs, "ownPosition": own}, {"domain": "b.example", "position": last[2], "ownPosition": last[1]}]
    return [event("competitor.overtook", "notice", f"42:b.example:{window}", *states, len(kept) - 1, {"name": "signTest", "statistic": count, "p": p})]


# AI answers

def answer_events(site, trends):
    compared = []
    for trend in trends:
        now = [it for it in trend["points"] if it["date"] == trend["lastPeriod"]]
        if trend["keyword"] is None and now and trend["changeAbs"] is not None:
            compared.append((trend, now[0]))

    def p_of(trend):
        change, low, high = trend["changeAbs"], trend["changeLow"], trend["changeHigh"]
        half = change - low if change > 0 else high - change
        if half <= 0:
            return 1.0 if change == 0 else 0.0
        return 2 * stats.norm.sf(1.959964 * abs(change) / half)

    ps = [p_of(trend) for trend, _ in compared]
    # Benjamini and Hochberg: the least of p·m/rank over this and all larger p.
    ordered = sorted(range(len(ps)), key=lambda it: ps[it])
    qs = {}
    for rank, at in enumerate(ordered, 1):
        qs[at] = min(min(1, ps[other] * len(ps) / place) for place, other in enumerate(ordered, 1) if place >= rank)
    events = []
    for at, (trend, now) in enumerate(compared):
        first = date(trend["lastPeriod"]) - datetime.timedelta(days=28)
        earlier = [it for it in trend["points"] if it["segment"] == now["segment"] and first <= date(it["date"]) < date(now["date"])]
        base = {"answers": sum(it["answerCount"] for it in earlier), "prompts": max((it["promptCount"] for it in earlier), default=0)}
        counts = {"answers": now["answerCount"], "prompts": now["promptCount"]}
        key = f"{trend['engine']}:{trend['lastPeriod']}"
        if trend["verdict"] == "moved" and qs[at] <= .05:
            change = trend["changeAbs"]
            before = {"rate": min(1, max(0, now["mentionRate"] - change)), **base}
            after = {"rate": now["mentionRate"], "low": now["low"], "high": now["high"], **counts}
            test = {"name": "newcombe", "statistic": change, "p": ps[at], "q": qs[at], "low": trend["changeLow"], "high": trend["changeHigh"], "level": .95}
            events.append(event("ai.mention_rate_moved", "warning" if change < 0 else "info", key, before, after, len(earlier), test))
        for kind, severity, domains in [("ai.citation_won", "info", "newCitedDomains"), ("ai.citation_lost", "warning", "lostCitedDomains")]:
            own = [it for it in trend[domains] if it["domain"] == site or it["domain"].endswith("." + site)]
            for it in own[:1]:
                test = {"name": "newcombe", "statistic": it["rate"] - it["rateBefore"]}
                events.append(event(kind, severity, key, {"rate": it["rateBefore"], **base}, {"rate": it["rate"], **counts}, len(earlier), test))
    return events


# Site

def issue_events(pages, partial):
    found = {}
    for url, before, now in pages:
        if before["method"] != now["method"]:
            continue
        # The worst severity of a code on a page.
        worst = [{code: min(s for c, s in side["codes"] if c == code) for code, _ in side["codes"]} for side in (before, now)]
        for code in set(worst[0]) | set(worst[1]):
            entry = found.setdefault(code, {"before": 0, "after": 0, "new": [], "fixed": []})
            entry["before"] += code in worst[0]
            entry["after"] += code in worst[1]
            if code not in worst[0]:
                entry["new"].append((url, worst[1][code]))
            elif code not in worst[1]:
                entry["fixed"].append((url, worst[0][code]))

    def enough(changed):
        return any(it[1] == "error" for it in changed) or len(changed) >= 5

    events = []
    for code, entry in found.items():
        sample = {side: [it[0] for it in entry[side][:5]] for side in ("new", "fixed")}
        if enough(entry["new"]):
            severity = "warning" if any(it[1] == "error" for it in entry["new"]) else "notice"
            events.append(event("audit.issues_new", severity, f"{code}:{JOB}", {"urls": entry["before"], "sample": []}, {"urls": entry["after"], "sample": sample["new"]}))
        if enough(entry["fixed"]) and not partial:
            events.append(event("audit.issues_fixed", "info", f"{code}:{JOB}", {"urls": entry["before"], "sample": sample["fixed"]}, {"urls": entry["after"], "sample": []}))
    return events


def noindex_events(pages):
    events, others = [], []
    for url, directive, position, clicks in pages:
        if (position is not None and position <= 50) or clicks:
            after = {"directive": directive, **({} if position is None else {"position": position})}
            severity = "critical" if position is not None and position <= 20 else "warning"
            events.append(event("page.noindexed", severity, f"{url_hash(url)}:0", {"directive": "index"}, after))
        else:
            others.append(directive)
    if others:
        events.append(event("page.noindexed", "warning", f"others:{JOB}", {"directive": "index"}, {"directive": others[0], "pages": len(others)}))
    return events


def robots_rules(text):
    """Allowed and disallowed paths of each robot, in any order."""
    groups, robots, open_group = {}, [], True
    for line in text.split("\n"):
        name, colon, value = line.split("#")[0].partition(":")
        name, value = name.strip().lower(), value.strip()
        if not colon:
            continue
        if name == "user-agent":
            if not open_group:
                robots = []
            open_group = True
            robots.append(value.lower())
            groups.setdefault(value.lower(), set())
        elif name in ("allow", "disallow"):
            open_group = False
            for robot in robots:
                if value:
                    groups[robot].add((name, value))
    return groups


def robots_events(before, now, blocked):
    if robots_rules(before) == robots_rules(now):
        return []
    severity = "critical" if blocked else "notice"
    # The hash is not a matter of rules: only whether it differs.
    return [event("robots.changed", severity, None, {"blocked": []}, {"blocked": blocked[:20]})]


# Speed

THRESHOLDS = {"lcp": (2500, 4000), "inp": (200, 500), "cls": (.1, .25), "tbt": (200, 600)}
RATINGS = ["good", "needsImprovement", "poor"]


def vitals_events(runs):
    """Runs of records, oldest first: the events of the last run."""
    figures = {}

    def of(record):
        envelope = (record["formFactor"], record["source"], record["provider"], record["methodVersion"], record["url"])
        for metric in THRESHOLDS:
            entry = record["metrics"].get(metric)
            value = None if entry is None else entry["p75"] if entry.get("p75") is not None else entry.get("value")
            if value is not None and record["status"] in ("ok", "partial"):
                yield (*envelope, metric), value

    for run in runs[:-1]:
        for record in run:
            for key, value in of(record):
                figures.setdefault(key, {})[date(record["measuredAt"])] = value
    tested = sum(1 for record in runs[-1] for _ in of(record) if record["source"] == "lab")

    def rating(metric, value):
        good, poor = THRESHOLDS[metric]
        return 0 if value <= good else 1 if value <= poor else 2

    def worse(record, metric, value, day, past):
        """The usual figure and the test, when the figure is worse than its past: pairs of day and value, oldest first."""
        if len(past) < 4:
            return None
        if record["source"] == "field":
            ordered = sorted(it[1] for it in past)
            usual = (ordered[len(ordered) // 2] + ordered[(len(ordered) - 1) // 2]) / 2
            least = max(.01 if metric == "cls" else 0, usual * .1)
            return (usual, FACT) if rating(metric, value) > rating(metric, usual) and value - usual > least else None
        offset = .02 if metric == "cls" else 50
        logs = [math.log(it[1] + offset) for it in past]
        usual = max(0, math.exp(math.fsum(logs) / len(logs)) - offset)
        spread = (record["iqr"] or {}).get(metric) or 0
        if value - usual <= max(.01 if metric == "cls" else 0, usual * .05, spread):
            return None
        count = 1 + sum((day - it[0]).days < 28 for it in past)
        test = moderated(logs, math.log(value + offset), (10, .15), 1, .05 / (max(tested, 1) * count), lambda it: max(0, math.exp(it) - offset))
        return None if test is None else (usual, test)

    events = []
    for record in runs[-1]:
        for key, value in of(record):
            metric, day = key[-1], date(record["measuredAt"])
            past = [it for it in sorted(figures.get(key, {}).items()) if it[0] < day][-12:]
            found = worse(record, metric, value, day, past)
            if found is None or (past and worse(record, metric, past[-1][1], past[-1][0], past[:-1])):
                continue
            iqr = (record["iqr"] or {}).get(metric)
            states = [{"p75": found[0], "rating": RATINGS[rating(metric, found[0])]}, {"p75": value, "rating": RATINGS[rating(metric, value)]}]
            if iqr is not None:
                states[1]["iqr"] = iqr
            name = f"{url_hash(record['url'])}:{record['formFactor']}:{record['source']}:{metric}:{JOB}"
            events.append(event("vitals.regressed", "warning" if rating(metric, value) == 2 else "notice", name, *states, len(past), found[1]))
    return events


# Clicks

def click_events(days):
    if not days:
        return []
    clicks = {date(day): count for day, count in days}
    edge = max(clicks) - datetime.timedelta(days=3)
    week = datetime.timedelta(days=7)
    monday = edge - datetime.timedelta(days=edge.weekday())
    if edge.weekday() < 6:
        monday -= week

    def sum_of(start):
        whole = [clicks.get(start + datetime.timedelta(days=it)) for it in range(7)]
        return None if None in whole else sum(whole)

    def fall(start):
        count = sum_of(start)
        before = [it for it in (sum_of(start - week * back) for back in range(1, 9)) if it is not None]
        if count is None or len(before) < 4:
            return None
        logs = [math.log(it + 1) for it in before]
        usual = math.exp(math.fsum(logs) / len(logs)) - 1
        if usual < 50 or count > usual * .8:
            return None
        test = moderated(logs, math.log(count + 1), (4, .20), -1, .01, lambda it: max(0, math.exp(it) - 1), heavy=False)
        return test and (count, usual, len(before), test)

    found = fall(monday)
    if not found or fall(monday - week):
        return []
    count, usual, n, test = found
    states = [{"clicks": usual, "weeks": n}, {"clicks": count, "weeks": 1}]
    return [event("search_console.clicks_fell", "warning", f"sc-domain:own.example:{monday}", *states, n, test)]


def coverage_events(requested, measured):
    if Fraction(max(0, requested - measured)) <= Fraction(requested, 10):
        return []
    return [event("analysis.partial", "notice", str(JOB), None, {"requested": requested, "measured": measured})]


def limit_events(effects):
    order = sorted(range(len(effects)), key=lambda it: (-effects[it], it))
    kept = [event("rank.changed", "info", f"{it:06}", None, None) for it in order[:500]]
    if len(order) > 500:
        kept.append({**event("rank.changed", "info", f"more:{JOB}", None, None), "more": len(order) - 500})
    return kept


# Scenarios

START = datetime.datetime(2026, 3, 2, 6, tzinfo=datetime.timezone.utc)


def stamp(day, hour=0):
    return (START + datetime.timedelta(days=day, hours=hour)).isoformat().replace("+00:00", "Z")


def point(chance, day, hour, base, noise, depth):
    state = chance.random()
    if state < .05:
        return {"measuredAt": stamp(day, hour), "state": "error", "position": None, "absolutePosition": None, "depthChecked": 0, "url": None}
    seen = chance.choice([depth, depth, depth, depth - 3, math.ceil(depth * .9), math.ceil(depth * .9) - 1, 10, 4]) if state < .3 else depth
    position = max(1, round(base * math.exp(chance.gauss(0, noise))))
    position = position if position <= seen and chance.random() > .03 else None
    return {"measuredAt": stamp(day, hour), "state": "notRanked" if position is None else "ranked", "position": position,
            "absolutePosition": None, "depthChecked": seen, "url": None}


def rank_scenario(chance):
    n, day, hour, points = chance.randint(0, 40), 0, 0, []
    base, noise = math.exp(chance.uniform(0, 4.8)), chance.choice([0, 0, .03, .1, .3])
    depth, step = chance.choice([10, 20, 100]), chance.choice([0, 1, 1, 7])
    for at in range(n + 1):
        if at == n:
            base = chance.choice([base, base * 3, base / 3, base + 10, base * 2.5, base - 3, 3, 4, 10, 11, 500])
            noise = chance.choice([0, 0, noise])
        points.append(point(chance, day, hour, max(base, 1), noise, depth))
        gap = chance.choice([step, step, step, 0, 1, 13])
        hour = hour + 1 if gap == 0 else 0
        day += gap + hour // 17
        hour %= 17
    now = points.pop()
    keywords = chance.choice([0, 1, 5, 30, 500])
    question = {"do": "rank", "keywords": keywords, "now": now, "history": points[::-1]}
    return question, rank_events(now, points[::-1], keywords)


def url_scenario(chance):
    urls = [None, "https://own.example/a", "http://www.own.example/a", "https://own.example/b", "https://own.example/c"]
    now, last, before = (chance.choice(urls) for _ in range(3))
    at, gone = stamp(chance.randint(0, 90)), chance.random() < .3
    return {"do": "url", "at": at, "now": now, "last": last, "before_last": before, "gone": gone}, url_events(at, now, last, before, gone)


def feature_scenario(chance):
    sets = [chance.sample(FEATURES, chance.randint(0, 4)) for _ in range(2)]
    sets.append(chance.choice([sets[0], sets[1], chance.sample(FEATURES, 2)]))
    now, before, last = sets
    return {"do": "features", "now": now, "last": last, "before_last": before}, feature_events(now, last, before)


def order_scenario(chance):
    days, day = [], 0
    lead, tail = chance.randint(0, 35), chance.randint(0, 10)
    for at in range(lead + tail + 1):
        ahead = (at < lead) != (chance.random() < .03)
        own = chance.choice([2, 5, 20, 21]) if at == lead - 1 else chance.randint(1, 18)
        pair = (own, chance.choice([None, own + 3, own])) if ahead else (chance.choice([None, own + 4]), own)
        if chance.random() < .05:
            pair = (None, None)
        days.append([str((START + datetime.timedelta(days=day)).date()), *pair])
        day += chance.choice([1, 1, 1, 1, 0, 3])
    if days[-1][1] is None and days[-1][2] is None:
        days[-1][2] = 4
    return {"do": "order", "days": days}, order_events(days)


def answer_scenario(chance):
    trends = []
    for engine in range(chance.randint(0, 4)):
        monday = datetime.date(2026, 3, 2)
        dates = [str(monday + datetime.timedelta(days=7 * it)) for it in range(7) if chance.random() < .9]
        points = [{"date": it, "segment": chance.choice([1, 1, 1, 0]), "model": None, "answerCount": chance.randint(5, 300), "promptCount": chance.randint(1, 60),
                   "otherAnswerCount": 0, "mentionRate": round(chance.random(), 3), "low": .1, "high": .9, "smoothedMentionRate": .5} for it in dates]
        change, half = round(chance.uniform(-.5, .5), 3), (round(chance.uniform(.01, .3), 3), round(chance.uniform(.01, .3), 3))
        low, high = change - half[0], change + half[1]
        moved = low > 0 or high < 0
        compared = chance.random() < .9
        domains = [{"domain": it, "rate": round(chance.random(), 2), "rateBefore": round(chance.random(), 2)} for it in
                   chance.sample(["own.example", "a.own.example", "notown.example", "b.example"], chance.randint(0, 3))]
        trends.append({
            "type": "ai-trends", "projectId": 1, "keywordId": None, "url": None, "measuredAt": stamp(60), "status": "ok", "error": None,
            "provenance": "measured", "provider": None, "methodVersion": "ai-trends/1", "sampleSize": 1, "warnings": [],
            "keyword": chance.choice([None, None, None, "rank tracker"]), "period": "week", "engine": f"engine {engine}", "points": points,
            "verdict": "moved" if moved and compared else "withinNoise", "reason": None, "lastPeriod": chance.choice(dates[-1:] + ["2026-04-20"]),
            "leftOut": {it: 0 for it in ("refused", "empty", "notShown", "cutShort", "failed")},
            "changeAbs": change if compared else None, "changeLow": low if compared else None, "changeHigh": high if compared else None,
            "sharedPrompts": 1, "allPrompts": 1, "compositionAdjusted": False, "driftFlags": [],
            "newCitedDomains": domains[:1], "lostCitedDomains": domains[1:], "topGainers": [], "topLosers": [], "comparedKeywords": 0, "movedKeywords": 0})
    return {"do": "answers", "site": "own.example", "trends": trends}, answer_events("own.example", trends)


def issue_scenario(chance):
    codes = [("http4xx", "error"), ("noindex", "warning"), ("thinContent", "warning"), ("canonicalMissing", "warning"), ("http4xx", "warning")]
    codes = codes[:2] + codes[3:]

    def side():
        return {"method": chance.choice(["content/2"] * 9 + ["content/1"]), "codes": chance.sample(codes, chance.randint(0, 2))}

    pages = [[f"https://own.example/{it}", side(), side()] for it in range(chance.choice([0, 1, 3, 8, 40]))]
    partial = chance.random() < .3
    return {"do": "issues", "partial": partial, "pages": pages}, issue_events(pages, partial)


def noindex_scenario(chance):
    pages = [[f"https://own.example/{it}", chance.choice(["meta", "header"]), chance.choice([None, 1, 20, 21, 50, 51]), chance.choice([None, 0, 3])]
             for it in range(chance.randint(0, 6))]
    return {"do": "noindex", "pages": pages}, noindex_events(pages)


def robots_scenario(chance):
    rules = ["User-agent: *", "user-agent: GPTBot", "Disallow: /a", "Allow: /a/b", "Disallow:", "Sitemap: https://own.example/s.xml", "# comment", "Crawl-delay: 5", ""]
    before = ["User-agent: *"] + [chance.choice(rules) for _ in range(chance.randint(0, 6))]
    now = list(before)
    for _ in range(chance.randint(0, 2)):
        now.insert(chance.randint(1, len(now)), chance.choice(rules))
    blocked = [f"https://own.example/{it}" for it in range(chance.choice([0, 0, 1, 30]))]
    before, now = "\n".join(before), "\n".join(it + chance.choice(["", " # x"]) for it in now)
    return {"do": "robots", "before": before, "now": now, "blocked": blocked}, robots_events(before, now, blocked)


def vitals_scenario(chance):
    runs, day = [], 0
    count, noise = chance.randint(1, 18), chance.choice([0, .02, .1])
    pages = [(f"https://own.example/{page}", source) for page in range(chance.randint(1, 3)) for source in ("lab", "field")]
    base = {page: {"lcp": chance.uniform(900, 5000), "cls": chance.choice([0, .05, .09, .3]), "tbt": chance.choice([0, 150, 700]), "inp": chance.uniform(80, 600)} for page in pages}
    jump = {page: chance.choice([1, 1, 1.2, 1.6, 3]) for page in pages}
    since = chance.choice([count - 1, count - 1, count - 2])
    for at in range(count):
        run = []
        for page in pages:
            url, source = page
            metrics = {}
            for metric in ("lcp", "cls", "tbt") if source == "lab" else ("lcp", "cls", "inp"):
                value = base[page][metric] * math.exp(chance.gauss(0, noise)) * (jump[page] if at >= since else 1)
                value = round(value, 4)
                entry = {"p75": None, "value": None, "unit": None, "rating": None, "histogram": []}
                entry["value" if source == "lab" else "p75"] = value
                if chance.random() > .03:
                    metrics[metric] = entry
            run.append({
                "type": "vitals", "projectId": 1, "keywordId": None, "url": url, "measuredAt": stamp(day), "status": chance.choice(["ok"] * 9 + ["error"]),
                "error": None, "provenance": "measured", "provider": chance.choice(["a"] * 15 + ["b"]), "methodVersion": "vitals/1", "sampleSize": 1, "warnings": [],
                "requestedUrl": url, "formFactor": "phone", "source": source, "metrics": metrics,
                "iqr": {"lcp": chance.choice([None, 10, 600])} if source == "lab" else None,
                "clsSources": [], "opportunities": [], "resourceSummary": {}})
        runs.append(run)
        day += chance.choice([0, 1, 1, 1, 7])
    return {"do": "vitals", "runs": runs}, vitals_events(runs)


def click_scenario(chance):
    level, noise = math.exp(chance.uniform(1, 6)), chance.choice([0, .05, .2])
    length = chance.randint(0, 95)
    fall = chance.choice([1, 1, .85, .75, .5, 0])
    since = length - chance.choice([7, 10, 14, 20])
    days = [[str((START + datetime.timedelta(days=it)).date()), round(level * math.exp(chance.gauss(0, noise)) * (fall if it >= since else 1))]
            for it in range(length) if chance.random() > .004]
    return {"do": "clicks", "days": days}, click_events(days)


def coverage_scenario(chance):
    requested = chance.choice([0, 1, 9, 10, 11, 100])
    measured = chance.randint(0, requested + 1)
    return {"do": "coverage", "requested": requested, "measured": measured}, coverage_events(requested, measured)


def limit_scenario(chance):
    effects = [float(chance.randint(0, 300)) for _ in range(chance.choice([0, 3, 499, 500, 501, 1200]))]
    return {"do": "limit", "effects": effects}, limit_events(effects)


SCENARIOS = [rank_scenario, url_scenario, feature_scenario, order_scenario, answer_scenario, issue_scenario, noindex_scenario, robots_scenario,
             vitals_scenario, click_scenario, coverage_scenario, limit_scenario]


def equal(one, other):
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[it], other[it]) for it in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return isinstance(one, (int, float)) and isinstance(other, (int, float)) and abs(one - other) <= 2e-5 * max(abs(one), abs(other)) + 1e-12
    return one == other


def shown(answer):
    """The members of an event of the service that the rules decide."""
    body = answer["event"]
    members = {it: body[it] for it in ("kind", "severity", "before", "after", "n", "test")}
    if "more" in body:
        members["more"] = body["more"]
    if body["kind"] == "robots.changed":
        for side in ("before", "after"):
            members[side] = {"blocked": members[side]["blocked"]}
        return {**members, "key": "robots.changed:None"}
    return {**members, "key": answer["key"]}


def answers(questions):
    if "--program" not in sys.argv:
        return driver.query("events", questions)
    lines = "".join(json.dumps(it, ensure_ascii=False) + "\n" for it in questions)
    ran = subprocess.run([sys.argv[sys.argv.index("--program") + 1]], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 300
    different = 0
    for scenario in SCENARIOS:
        chance = random.Random(scenario.__name__)
        pairs = [scenario(chance) for _ in range(count)]
        found, kinds = answers([question for question, _ in pairs]), {}
        wrong = 0
        for (question, expected), got in zip(pairs, found, strict=True):
            got = sorted(map(shown, got), key=lambda it: it["key"])
            expected = sorted(expected, key=lambda it: it["key"])
            for it in expected:
                kinds[it["kind"]] = kinds.get(it["kind"], 0) + 1
            if not equal(got, expected):
                wrong += 1
                if wrong <= 2:
                    print(json.dumps(question)[:3000], "\n  found   ", json.dumps(got)[:1500], "\n  expected", json.dumps(expected)[:1500])
        different += wrong
        print(f"{scenario.__name__}: {count} scenarios, events {kinds}, {wrong} different")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
