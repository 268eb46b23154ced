#!/usr/bin/env python3
"""Holds suggestions to a second computation in Python over scipy, statsmodels and pymannkendall.

    tests/oracles/suggestions.py [projects]

1. Statistics: Mann-Kendall beside pymannkendall, Welch's interval beside scipy.
2. Made-up projects (100, or as many as requested): which pages are in striking distance or clicked too
   little, reach, gains with their ranges, values, priorities and order.
3. Effects: positions that a fix does not change (each day depends on the day before) must be called `unchanged`
   in 90 % or more, and those that it betters by much `improved` in 90 % or more.

Ends with 1 when a figure differs or a share is missed.
"""
import datetime
import math
import random
import statistics
import sys

import text_corpus

text_corpus.in_virtual_environment("suggestions", "scipy==1.17.1", "statsmodels==0.15.0", "pymannkendall==1.4.3")

import driver  # noqa: E402
import numpy  # noqa: E402
import pymannkendall  # noqa: E402
from scipy import stats  # noqa: E402
from statsmodels.stats.proportion import proportion_confint  # noqa: E402

NOW = datetime.datetime(2026, 11, 20, 6, tzinfo=datetime.timezone.utc)
TOP = [.285, .157, .110, .080, .072, .051, .040, .032, .028, .025]
counts, wrong = {}, []


def ctr(position):
    if position <= 10:
        return TOP[position - 1]
    if position <= 20:
        return .009 * math.exp(-math.log(.009 / .0028) / 9 * (position - 11))
    if position <= 30:
        return .0028 * math.exp(-math.log(.0028 / .0005) / 10 * (position - 20))
    return .0001 if position <= 100 else 0.


def check(section, label, found, expected, tolerance=6e-6):
    count = counts.setdefault(section, [0, 0])
    count[0] += 1
    if isinstance(expected, float) and isinstance(found, (int, float)):
        good = abs(found - expected) <= tolerance * max(abs(expected), 1e-6) + 1e-9
    else:
        good = found == expected
    count[1] += good
    if not good and len(wrong) < 20:
        wrong.append(f"{section}: {label}: {found!r}, should be {expected!r}")


def statistics_agree(chance):
    series = [[chance.choice([chance.gauss(0, 3) + slope * at, chance.randint(0, 4)]) for at in range(chance.randint(8, 40))]
              for slope in (0, .1, .5) for _ in range(150)]
    pairs = [([chance.gauss(9, 2) for _ in range(chance.randint(2, 9))], [chance.gauss(6, 5) for _ in range(chance.randint(2, 9))])
             for _ in range(400)]
    answers = driver.query("suggestions", [{"do": "mannKendall", "values": it} for it in series]
                         + [{"do": "welch", "first": a, "second": b} for a, b in pairs])
    for values, found in zip(series, answers):
        if len(set(values)) == 1:
            check("mann-kendall", values, found, None)
            continue
        expected = pymannkendall.original_test(values)
        check("mann-kendall", "score", found["score"], int(expected.s))
        check("mann-kendall", "z", found["z"], float(expected.z))
        check("mann-kendall", "p", found["p"], float(expected.p), 1e-6)
    for (a, b), found in zip(pairs, answers[len(series):]):
        low, high = stats.ttest_ind(a, b, equal_var=False).confidence_interval()
        check("welch", "low", found[0], float(low))
        check("welch", "high", found[1], float(high))


def envelope(kind, keyword, url):
    return {"type": kind, "projectId": 1, "keywordId": keyword, "url": url, "measuredAt": NOW.isoformat(), "status": "ok", "error": None,
            "provenance": "measured", "provider": None, "methodVersion": "x/1", "sampleSize": 1, "warnings": []}


def project(chance):
    volumes = chance.random() < .8
    rankings, rows = [], []
    for keyword in range(1, chance.randint(2, 40)):
        position = chance.choice([None, chance.randint(1, 3), chance.randint(4, 20), chance.randint(4, 20), chance.randint(21, 90)])
        url = f"https://example.com/{chance.randint(1, 12)}" if position else None
        layout = chance.choice([1., 1.2, .66])
        now = ctr(position) * layout if position else 0.
        volume = chance.randint(10, 20000) if volumes else None
        branded = chance.random() < .1
        target = 1 if branded else 3
        gain = 0. if position and position <= target else max(0., ctr(target) * layout - now)
        rankings.append(envelope("rankings", keyword, url) | {
            "keyword": f"k{keyword}", "engine": "google", "country": "us", "location": None, "language": "en", "device": "desktop",
            "position": position, "depthChecked": 100, "inFeaturedSnippet": False, "ownUrls": [], "changeKind": "same",
            "searchVolume": volume, "expectedCtr": now, "estimatedClicks": volume and volume * now,
            "potentialClicks": volume and volume * max(0., ctr(1) * layout - now), "targetPosition": target, "targetCtrGain": gain,
            "layout": layout})
        if url and chance.random() < .5:
            shown = chance.randint(100, 30000)
            rows.append({"type": "searchConsole", "keywordId": keyword, "keyword": f"k{keyword}", "url": url, "from": "2026-10-22",
                         "to": "2026-11-18", "clicks": int(shown * ctr(position) * layout * chance.choice([.1, .3, .45, .6, 1])),
                         "impressions": shown, "position": position + chance.random() * .9, "measuredAt": NOW.isoformat()})
    return {"do": "project", "at": NOW.isoformat(), "rankings": rankings, "rows": rows,
            "otherValues": [chance.uniform(0, 500) for _ in range(chance.randint(0, 5))]}


def expected_of(case):
    """What a project's suggestions should be, by rule and page."""
    volumes = any(it["potentialClicks"] is not None for it in case["rankings"])
    worth = "potentialClicks" if volumes else "targetCtrGain"
    within = [it for it in case["rankings"] if it["position"] and 4 <= it["position"] <= 20 and it["targetCtrGain"] > 0]
    found = {}
    if within:
        quartile = float(numpy.quantile([it[worth] for it in within], .75))
        pages = {}
        for it in within:
            if it[worth] >= quartile - 1e-9 and it[worth] > 0:
                pages.setdefault(it["url"], []).append(it)
        for url, keywords in pages.items():
            low = mid = high = 0.
            for it in keywords:
                scale = it["searchVolume"] if volumes else 1
                gain = it["targetCtrGain"] * scale
                position, target = it["position"], it["targetPosition"]
                whole = ctr(target) - ctr(position)
                halfway = int(math.floor(math.sqrt(position * target) + .5))
                low += gain * min(1, (ctr(halfway) - ctr(position)) / whole)
                mid += gain
                high += max(gain, it["potentialClicks"] if volumes else gain * (ctr(1) - ctr(position)) / whole)
            reach = sum(it["potentialClicks"] for it in keywords) if volumes else 100 * len(keywords) / len(case["rankings"])
            found["strikingDistance", url] = (reach, reach * 1 * .5 / 5, low, mid, high)
    by_page = {}
    for row in case["rows"]:
        if row["impressions"] < 500:
            continue
        ranking = next(it for it in case["rankings"] if it["keywordId"] == row["keywordId"])
        whole = int(row["position"])
        plain = ctr(whole) + (ctr(whole + 1) - ctr(whole)) * (row["position"] - whole)
        usual = plain * ranking["layout"]
        rate = row["clicks"] / row["impressions"]
        low, high = proportion_confint(row["clicks"], row["impressions"], method="wilson")
        if rate < .5 * usual and high < usual:
            month = row["impressions"] * 30 / 28
            by_page.setdefault(row["url"], []).append([month * (usual - it) for it in (high, rate, low)])
    for url, gaps in by_page.items():
        low, mid, high = (sum(it[at] for it in gaps) for at in range(3))
        found["ctrGap", url] = (mid, mid * 1 * .8 / 1, low, mid, high)
    return found


def projects_agree(chance, number):
    cases = [project(chance) for _ in range(number)]
    answers = driver.query("suggestions", cases)
    total = 0
    for question, found in zip(cases, answers):
        expected = expected_of(question)
        named = {(it["ruleId"], it["url"]): it for it in found}
        check("projects", "rules and pages", set(named), set(expected))
        values = [it[1] for it in expected.values()] + question["otherValues"]
        scale = max(1., statistics.median(values)) if values else 1.
        for key, (reach, value, *gain) in expected.items():
            it = named.get(key)
            if it is None:
                continue
            total += 1
            check("projects", "reach", it["reach"], float(reach), 2e-5)
            for name, part in zip(("low", "mid", "high"), gain):
                check("projects", name, it["expectedGain"][name], float(part), 2e-5)
            check("projects", "priority", it["priorityScore"], round(100 * (1 - math.exp(-value / scale)), 1), 2e-3)
        order = [-expected[it["ruleId"], it["url"]][1] for it in found if (it["ruleId"], it["url"]) in expected]
        check("projects", "order", all(a <= b + 1e-4 * abs(b) for a, b in zip(order, order[1:])), True)
    print(f"{number} projects with {total} suggestions")
    return next(it for found in answers for it in found if it["ruleId"] == "strikingDistance")


def effects_are_calibrated(chance, suggestion):
    fixed = suggestion | {"state": "fixed", "fixedAt": (NOW + datetime.timedelta(days=1)).isoformat(), "lastSeenAt": NOW.isoformat()}

    def detect(phi, step, number):
        questions = []
        for _ in range(number):
            noise, series = 0., []
            for day in range(-28, 60):
                noise = phi * noise + chance.gauss(0, 1)
                level = 12 + (step if day > 0 else 0) + noise
                series.append([(NOW + datetime.timedelta(days=day)).isoformat(), float(max(1, round(level)))])
            questions.append({"do": "effect", "suggestion": fixed, "series": series, "now": (NOW + datetime.timedelta(days=60)).isoformat()})
        found = driver.query("suggestions", questions)
        return {it: sum(one["verdict"] == it for one in found) / number for it in ("improved", "unchanged", "worse")}

    for phi, bar in ((0., .9), (.5, .9), (.8, None)):
        same, better = detect(phi, 0, 1000), detect(phi, -6, 300)
        print(f"effects, each day {phi} of the one before: unchanged positions {same}, 6 places better {better}")
        if bar is not None:
            check("effects", f"unchanged at {phi}", same["unchanged"] >= bar, True)
            check("effects", f"improved at {phi}", better["improved"] >= bar, True)


def main():
    chance = random.Random(20261120)
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    statistics_agree(chance)
    suggestion = projects_agree(chance, number)
    effects_are_calibrated(chance, suggestion)
    for section, (all_, good) in counts.items():
        print(f"{section}: {good} of {all_} figures agree")
    print("\n".join(wrong))
    return 1 if any(all_ != good for all_, good in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
