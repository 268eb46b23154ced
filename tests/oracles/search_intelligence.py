#!/usr/bin/env python3
"""Holds the findings of search results to a second computation in Python over scipy, statsmodels, rbo and publicsuffixlist.

    tests/oracles/search_intelligence.py [markets]

1. Statistics: Newcombe and Wilson beside statsmodels, RBO beside rbo, entropy, isotonic regression, Theil-Sen and
   the bootstrap beside scipy.
2. Made-up markets (60, or as many as requested) of up to 60 keywords: every figure of rankings, serp, sov and
   competitors, the summaries, difficulties, opportunities and priorities.
3. Windows of 28 days with own URLs that alternate: every figure of cannibalization.
4. Changes between two measurements, click curves of a project's own, clusters of keywords.

What a keyword is wanted for is taken from the input: it has tests of its own. Ends with 1 when a figure differs.
"""
import collections
import math
import random
import statistics
import sys
import urllib.parse

import text_corpus

text_corpus.in_virtual_environment("search-intelligence", "scipy==1.17.1", "rbo==0.1.3", "statsmodels==0.15.0", "publicsuffixlist==1.1.2.20261023")

import driver  # noqa: E402
import numpy  # noqa: E402
from publicsuffixlist import PublicSuffixList  # noqa: E402
from rbo import RankingSimilarity  # noqa: E402
from scipy import optimize, stats  # noqa: E402
from scipy.sparse.csgraph import connected_components  # noqa: E402
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint  # noqa: E402

SUFFIXES = PublicSuffixList()
TOP = [.285, .157, .110, .080, .072, .051, .040, .032, .028, .025]
REDUCING = {"featured_snippet": .818, "paid_top": .660, "knowledge_panel": .586, "shopping": .481}
COMPETING = ("paid_top", "paid_bottom", "shopping", "ai_overview", "local_pack")
INTENTS = {"transactional": 1, "commercial": .8, "navigational": .3, "informational": .4}


class Tally:
    """Counts figures by section and remembers the first that differ."""

    def __init__(self):
        self.counts = collections.OrderedDict()
        self.wrong = []

    def check(self, section, figure, found, expected, tolerance=6e-6):
        count = self.counts.setdefault(section, [0, 0])
        count[0] += 1
        if isinstance(expected, float) and isinstance(found, (int, float)) and not isinstance(found, bool):
            good = abs(found - expected) <= tolerance * max(1e-6, abs(expected)) + 1e-12
        else:
            good = found == expected
        if good:
            count[1] += 1
        elif len(self.wrong) < 30:
            self.wrong.append(f"{section}: {figure}: {found!r}, should be {expected!r}")

    def score(self, section, figure, found, expected):
        """Scores are served with one decimal."""
        count = self.counts.setdefault(section, [0, 0])
        count[0] += 1
        good = found is None if expected is None else found is not None and abs(found - expected) <= 0.05 + 1e-9
        if good:
            count[1] += 1
        elif len(self.wrong) < 30:
            self.wrong.append(f"{section}: {figure}: {found!r}, should be {expected!r}")

    def end(self):
        for section, (all_of_them, good) in self.counts.items():
            print(f"{section}: {good} of {all_of_them} figures agree")
        print("\n".join(self.wrong))
        return all(all_of_them == good for all_of_them, good in self.counts.values())


TALLY = Tally()


# The definitions, implemented independently.

def ctr(position):
    if position is None or not 1 <= position <= 100:
        return 0.0
    if position <= 10:
        return TOP[position - 1]
    if position <= 20:
        return .009 * math.exp(-math.log(.009 / .0028) / 9 * (position - 11))
    if position <= 30:
        return .0028 * math.exp(-math.log(.0028 / .0005) / 10 * (position - 20))
    return .0001


def under_overview(position):
    if position <= 3:
        return (.420, .492, .536)[position - 1]
    if position >= 10:
        return .806
    return float(numpy.interp(math.log(position), [math.log(3), math.log(10)], [.536, .806]))


def host(url):
    return urllib.parse.urlsplit(url).hostname


def domain(url):
    return SUFFIXES.privatesuffix(host(url)) or host(url)


def key(url):
    parts = urllib.parse.urlsplit(url)
    name = parts.hostname
    if name.startswith("www.") and SUFFIXES.privatesuffix(name[4:]):
        name = name[4:]
    query = "&".join(pair for pair in parts.query.split("&") if pair and not pair.startswith("utm_"))
    return name + (parts.path or "/") + ("?" + query if query else "")


class Page:
    """A keyword's page with what both computations need of it."""

    def __init__(self, question, own, intent):
        self.question, self.own, self.intent = question, own, intent
        self.shown = {feature for feature, page, _ in question["features"] if page == 1}
        self.has_overview = bool(question["overview"] and question["overview"][0])
        if self.has_overview:
            self.shown.add("ai_overview")
        self.results = [(position, it["url"], it["sitelinks"]) for position, it in enumerate(question["results"], 1)]

    def is_own(self, url):
        name = host(url)
        return any(name == root or name.endswith("." + root) for root in self.own)

    def worth(self, position, sitelinks=False):
        reductions = [REDUCING[it] for it in self.shown if it in REDUCING]
        if reductions:
            factor = min(reductions)
        elif self.question["coverage"] == "complete" and not self.shown - {"related_searches", "people_also_search"}:
            factor = 1.2
        else:
            factor = 1.0
        share = ctr(position) * factor
        if "ai_overview" in self.shown and self.intent in (None, "informational"):
            share *= under_overview(position)
        if position == 1 and sitelinks:
            share *= 1.646
        return min(max(share, 0.0), .95)

    def places(self):
        """Positions of different pages with their shares by domain; all own domains are one."""
        found = collections.defaultdict(dict)
        for position, url, sitelinks in self.results:
            name = self.own[0] if self.is_own(url) else domain(url)
            found[name].setdefault(key(url), (position, self.worth(position, sitelinks)))
        return {name: sorted(pages.values()) for name, pages in found.items()}

    def standings(self):
        return {name: (places[0][0], min(sum(share for _, share in places), .95)) for name, places in self.places().items()}


def rbo(one, other):
    if not one or not other:
        return 0.0 if one or other else None
    return float(RankingSimilarity(one, other).rbo_ext(.9))


def unique(items, maximum=None):
    kept = list(dict.fromkeys(items))
    return kept[:maximum] if maximum else kept


# Generated markets.

HOSTS = """www.example.com blog.example.com example.co.uk shop.example.co.uk other.co.uk acme.github.io rival.github.io
www.wikipedia.org en.wikipedia.org www.youtube.com www.amazon.de www.reddit.com www.trustpilot.com m.heureka.cz
xn--mnchen-3ya.de www.notexample.com news.example.net a.b.example.org shop.kawasaki.jp www.foo.com.au""".split()
FEATURES = ["featured_snippet", "paid_top", "paid_bottom", "knowledge_panel", "shopping", "local_pack", "images", "video", "people_also_ask", "related_searches"]
WORDS = "running shoes trail women men price best review buy how cheap red size winter sale online store guide".split()


def a_url(seeded, pool):
    name = seeded.choice(pool)
    path = seeded.choice(["", "/", f"/{seeded.choice(WORDS)}", f"/{seeded.choice(WORDS)}/{seeded.randrange(4)}"])
    tail = seeded.choice(["", "", "", "?utm_source=x", "#part", "?id=3"])
    return seeded.choice(["https://", "https://", "http://"]) + name + path + tail


def a_market(seeded):
    own = seeded.choice(["example.com", "other.co.uk", "acme.github.io", "shop.example.co.uk", "nowhere.com"])
    aliases = seeded.choice([[], ["example.org"]])
    pool = HOSTS + [f"www.site{number}.com" for number in range(seeded.choice([5, 40, 200]))]
    has_volumes = seeded.random() < .7
    keywords = []
    for _ in range(seeded.randrange(3, 61)):
        depth = seeded.choice([1, 3, 8, 10, 20, 40, 100])
        shown = [(seeded.choice(FEATURES), seeded.choice([1, 1, 2]), [a_url(seeded, pool) for _ in range(seeded.randrange(4))]) for _ in range(seeded.randrange(4))]
        results = [{"url": a_url(seeded, pool), "title": " ".join(seeded.choices(WORDS, k=5)), "sitelinks": seeded.random() < .1} for _ in range(depth)]
        past = []
        for days in range(1, 45):
            if seeded.random() < .6:
                past.append((days, seeded.choice([None, seeded.randrange(1, 60), seeded.randrange(1, 10)]), seeded.choice([0, 10, 20, 100, 100])))
        past = [(days, None if not depth_then or (position or 0) > depth_then else position, depth_then) for days, position, depth_then in past]
        overview = seeded.choice([None, (False, []), (True, [a_url(seeded, pool) for _ in range(seeded.randrange(5))])])
        keywords.append({
            "keyword": " ".join(seeded.choices(WORDS, k=seeded.randrange(1, 4))), "language": "en",
            "volume": seeded.randrange(5_000) if has_volumes or seeded.random() < .5 else None,
            "cpc": round(seeded.random() * 3, 2) if seeded.random() < .5 else None,
            "tags": seeded.sample(["a", "b", "c"], seeded.randrange(3)),
            "results": results, "features": shown, "coverage": seeded.choice(["complete", "partial", "absent"]), "overview": overview,
            "previous": [a_url(seeded, pool) for _ in range(20)] if seeded.random() < .8 else None,
            "monthAgo": [a_url(seeded, pool) for _ in range(20)] if seeded.random() < .8 else None,
            "past": past, "daysOld": seeded.choice([0, 0, 0, 3, 7, 8]),
        })
    tracked = seeded.sample(["example.co.uk", "wikipedia.org", "rival.github.io", "unseen.com"], seeded.randrange(3))
    return {"do": "market", "own": own, "aliases": aliases, "tracked": [it for it in tracked if it != own], "keywords": keywords}


# Comparisons.

def kind_of(before, before_depth, now, depth):
    if before is not None and now is not None:
        return "up" if now < before else "down" if now > before else "same"
    if before is not None:
        return "lost" if before <= depth else "unknown"
    if now is not None:
        return "new" if now <= before_depth else "unknown"
    return "same"


def check_rank(page, found):
    check = lambda figure, expected: TALLY.check("rankings", figure, found[figure], expected)  # noqa: E731
    question = page.question
    # Aliases count as own only in shares; ranks belong to the project's site.
    site = Page(question, page.own[:1], page.intent)
    own = site.places().get(page.own[0], [])
    position, depth = (own[0][0] if own else None), len(question["results"])
    check("position", position)
    TALLY.check("rankings", "ownUrls", [it["position"] for it in found["ownUrls"]], [it for it, _ in own])
    everything = min(sum(share for _, share in own), .95)
    check("expectedCtr", float(own[0][1]) if own else 0.0)
    volume = question["volume"]
    check("estimatedClicks", None if volume is None else volume * float(everything))
    check("potentialClicks", None if volume is None else volume * max(float(site.worth(1)) - everything, 0.0))
    earlier = [it for it in question["past"] if it[2]]
    if earlier:
        _, before, before_depth = earlier[0]
        check("changeKind", kind_of(before, before_depth, position, depth))
        check("change", before - position if before and position else None)
    for name, days, slack in (("change1", 1, 0), ("change7", 7, 2), ("change30", 30, 7)):
        then = next((it for it in earlier if it[0] >= days), None)
        then = then if then and then[0] <= days + slack else None
        expected = then and {"position": then[1], "change": then[1] - position if then[1] and position else None, "changeKind": kind_of(then[1], then[2], position, depth)}
        TALLY.check("rankings", name, found[name] and {field: found[name][field] for field in expected or {"position": 0}}, expected)
    effective = [float(position or depth + 1)] + [float(it or depth_then + 1) for _, it, depth_then in earlier]
    ages = [0] + [it[0] for it in earlier]
    within = lambda days: [value for value, age in zip(effective, ages) if age < days]  # noqa: E731
    check("movingAverage7", float(numpy.mean(within(7))))
    check("medianPosition28", float(statistics.median(within(28))))
    check("volatility28", float(numpy.std(numpy.log(effective[:28]), ddof=1)) if len(effective[:28]) >= 5 else None)
    target_gain = 0.0 if position and position <= 3 else max(site.worth(found["targetPosition"]) - (own[0][1] if own else 0.0), 0.0)
    if not found["isBranded"]:
        check("targetCtrGain", float(target_gain))
    check("strikingDistance", position is not None and 4 <= position <= 20)
    seen = {feature: False for feature, _, _ in question["features"]}
    for feature, _, links in question["features"]:
        seen[feature] |= any(map(site.is_own, links))
    if question["overview"]:
        present, cited = question["overview"]
        first = next((index for index, url in enumerate(cited, 1) if site.is_own(url)), None)
        check("aiOverview", {"present": present, "ownCited": first is not None, "ownCitationIndex": first})
        if present:
            seen["ai_overview"] = first is not None
    owned = {feature for feature, is_own in seen.items() if is_own}
    is_covered = question["coverage"] != "absent"
    TALLY.check("rankings", "featuresOwned", is_covered and set(found["featuresOwned"]), is_covered and owned)
    TALLY.check("rankings", "featuresPresent", is_covered and set(found["featuresPresent"]), is_covered and set(seen))
    return position, everything


def check_serp(page, found, prominence, count):
    check = lambda figure, is_found, expected: TALLY.check("serp", figure, is_found, expected)  # noqa: E731
    question = page.question
    now = unique((key(url) for _, url, _ in page.results), 20)
    month = question["monthAgo"] and unique(map(key, question["monthAgo"]), 20)
    if question["previous"]:
        before = unique(map(key, question["previous"]), 20)
        stability = found["stability"]
        check("rboWithPrevious", stability["rboWithPrevious"], rbo(now, before))
        check("overlapTop10", stability["overlapTop10"], len(set(now[:10]) & set(before[:10])) / 10)
        check("newUrls", set(stability["newUrls"]), set(now) - set(before))
        domains, domains_before = ({domain("https://" + it) for it in urls} for urls in (now, before))
        check("newDomains", set(stability["newDomains"]), domains - domains_before)
        check("lostDomains", set(stability["lostDomains"]), domains_before - domains)
    site = Page(question, page.own[:1], page.intent)
    blocks = [site.is_own(url) for _, url, _ in page.results] + [any(map(site.is_own, links)) for _, _, links in question["features"]]
    check("ownShare", found["ownShare"], sum(blocks) / len(blocks) if blocks else None)
    top = question["results"][:10]
    wanted = question["keyword"].split()
    holds = lambda title: any(title[at:at + len(wanted)] == wanted for at in range(len(title)))  # noqa: E731
    home = lambda url: urllib.parse.urlsplit(url).path in ("", "/") and not urllib.parse.urlsplit(url).query  # noqa: E731
    pressure = min(1.0, len([it for it in COMPETING if it in page.shown]) / 4)

    def share_of(name):
        return math.log1p(prominence.get(name, 1) or 1) / math.log1p(count)
    names = [domain(it["url"]) for it in top]
    parts = {
        "domainProminence": float(numpy.mean([share_of(it) for it in names])) if top and count >= 10 else None,
        "homePages": sum(home(it["url"]) for it in top) / len(top) if top else None,
        "titleMatches": sum(holds(it["title"].split()) for it in top) / len(top) if top else None,
        "featurePressure": pressure if question["coverage"] == "complete" else None,
        "stability": rbo(now, month) if month else None,
    }
    for name, expected in parts.items():
        check(name, found["difficulty"]["components"][name], expected)
    known = None not in parts.values()
    score = 100 * sum(weight * part for weight, part in zip((.35, .20, .20, .15, .10), parts.values())) if known else None
    TALLY.score("serp", "difficulty", found["difficulty"]["score"], score)
    return score


def check_opportunities(ranks, keywords, difficulties):
    opportunities = []
    for rank, keyword, difficulty in zip(ranks, keywords, difficulties):
        known = difficulty is not None and keyword["volume"] is not None and rank["targetCtrGain"] is not None
        opportunities.append(keyword["volume"] * rank["targetCtrGain"] * math.sqrt(1 - difficulty / 100) if known else None)
        TALLY.check("opportunity", "opportunity", rank["opportunity"], opportunities[-1], tolerance=2e-5)
    maximum = max((it for it in opportunities if it is not None), default=0)
    dearest = max((it["cpc"] for it in keywords if it["cpc"] is not None), default=0)
    for rank, keyword, opportunity in zip(ranks, keywords, opportunities):
        if opportunity is None:
            TALLY.score("opportunity", "priorityScore", rank["priorityScore"], None)
            continue
        parts = [(.4, opportunity / maximum if maximum else 0)]
        if keyword["cpc"] is not None:
            parts.append((.2, keyword["cpc"] / dearest if dearest else 0))
        if rank["intent"]:
            parts.append((.2, INTENTS[rank["intent"]]))
        expected = 100 * sum(weight * part for weight, part in parts) / sum(weight for weight, _ in parts)
        TALLY.score("opportunity", "priorityScore", rank["priorityScore"], expected)


def check_shares(market, pages, found):
    """Shares over the pages that count, for the project and each tag."""
    check = lambda figure, is_found, expected: TALLY.check("sov", figure, is_found, expected)  # noqa: E731
    everything = [it for it in pages if it[2]]
    volumes = [page.question["volume"] for _, page, _ in everything]
    by_volume = bool(volumes) and None not in volumes and any(volumes)
    for record in found:
        scope, value = record["scope"], record.get("scopeValue")
        of_scope = {"project": lambda page: True, "tag": lambda page: value in page.question["tags"], "intent": lambda page: page.intent == value}[scope]
        inside = [page for _, page, counts in pages if counts and of_scope(page)]
        outside = [page for _, page, counts in pages if not counts and of_scope(page)] if scope != "intent" else []
        check("keywordCount", record["keywordCount"], len(inside))
        check("missingKeywords", record["missingKeywords"], len(outside))
        check("weighting", record["weighting"], "volume" if by_volume else "equal")
        clicks, ranks = collections.Counter(), collections.defaultdict(list)
        searches = 0.0
        for page in inside:
            weight = page.question["volume"] if by_volume else 1
            searches += weight
            for name, (position, share) in page.standings().items():
                clicks[name] += weight * share
                ranks[name].append(position)
        total = sum(clicks.values())
        own = clicks.get(market["own"], 0.0)
        check("sov", record["sov"], own / total if total else None)
        check("shareOfSearch", record["shareOfSearch"], own / searches if searches else None)
        competitors = sum(clicks.get(name, 0.0) for name in market["tracked"])
        check("sovTracked", record["sovTracked"], own / (own + competitors) if market["tracked"] and own + competitors else None)
        check("estimatedClicks", record["estimatedClicks"], float(own) if by_volume else None)
        check("domainCount", record["domainCount"], len(ranks))
        hhi = sum((it / total) ** 2 for it in clicks.values()) if total else None
        check("concentrationHhi", record["concentrationHhi"], hhi)
        check("effectiveCompetitors", record["effectiveCompetitors"], 1 / hhi if hhi else None)
        order = sorted(ranks, key=lambda name: (-round(clicks[name], 9), name))
        if market["own"] in ranks:
            check("rank", record["rank"], order.index(market["own"]) + 1)
        for share in record["domains"]:
            name = share["domain"]
            check("domain.sov", share["sov"], float(clicks[name] / total) if total else 0.0)
            check("domain.top3", share["keywordsTop3"], sum(it <= 3 for it in ranks[name]))
            check("domain.top10", share["keywordsTop10"], sum(it <= 10 for it in ranks[name]))
            check("domain.averagePosition", share["averagePosition"], float(numpy.mean(ranks[name])))


def check_competitors(market, pages, found):
    check = lambda figure, is_found, expected: TALLY.check("competitors", figure, is_found, expected)  # noqa: E731
    own, inside = market["own"], [(number, page) for number, page, counts in pages if counts]
    volumes = [page.question["volume"] for _, page in inside]
    by_volume = bool(volumes) and None not in volumes and any(volumes)
    tops, shares = collections.defaultdict(set), collections.defaultdict(dict)
    positions = collections.defaultdict(dict)
    for number, page in inside:
        weight = page.question["volume"] if by_volume else 1
        for name, (position, share) in page.standings().items():
            positions[name][number] = position
            shares[name][number] = weight * share
            if position <= 20:
                tops[name].add(number)
    clicks = {name: sum(of_one.values()) for name, of_one in shares.items()}
    total, largest = sum(clicks.values()), max((it for name, it in clicks.items() if name != own), default=0)
    enough = len(tops[own]) >= 5
    scores = {}
    for name in clicks:
        if name == own or clicks[name] <= 0:
            continue
        either, both = tops[own] | tops[name], tops[own] & tops[name]
        numbers = set(shares[own]) | set(shares[name])
        minimum = sum(min(shares[own].get(it, 0), shares[name].get(it, 0)) for it in numbers)
        maximum = sum(max(shares[own].get(it, 0), shares[name].get(it, 0)) for it in numbers)
        overlap, traffic = (len(both) / len(either) if either else 0), minimum / maximum if maximum else 0
        if both or not enough:
            scores[name] = (100 * (.5 * math.sqrt(traffic) + .3 * overlap + .2 * clicks[name] / largest), overlap, traffic)
    listed = [record for record in found if record["domain"] in scores]
    for record in listed:
        name = record["domain"]
        score, overlap, traffic = scores[name]
        both = tops[own] & tops[name]
        TALLY.score("competitors", "competitorScore", record["competitorScore"], score if enough else None)
        check("commonKeywords", record["commonKeywords"], len(both))
        check("sov", record["sov"], clicks[name] / total)
        if enough:
            check("keywordOverlap", record["keywordOverlap"], float(overlap))
            check("trafficOverlap", record["trafficOverlap"], float(traffic))
            check("topicality", record["topicality"], len(both) / len(tops[own]))
            check("similarity", record["similarity"], len(both) / len(tops[name]) if tops[name] else None)
            won = [positions[name][it] < positions[own][it] for it in both]
            check("headToHeadWinRate", record["headToHeadWinRate"], sum(won) / len(won) if won else None)
        deep = {number for number, page in inside if len(page.question["results"]) >= 20}
        lacks = lambda domain_name, number: positions[domain_name][number] > 20 if number in positions[domain_name] else number in deep  # noqa: E731
        gaps = {number for number, position in positions[name].items() if position <= 10 and lacks(own, number)}
        check("gapKeywords", record["gapKeywordCount"], len(gaps))
        if len(gaps) <= 50:
            check("gapKeywords", {it["keywordId"] for it in record["gapKeywords"]}, gaps)
        advantages = {number for number, position in positions[own].items() if position <= 10 and lacks(name, number)}
        check("advantageKeywords", record["advantageKeywordCount"], len(advantages))
        present = [page for _, page in inside if page.has_overview]
        cited = [any((own if page.is_own(url) else domain(url)) == name for url in page.question["overview"][1]) for page in present]
        check("aiOverviewCitationRate", record["aiOverviewCitationRate"], sum(cited) / len(cited) if cited else None)
    if enough:
        strongest = sorted((score for score, _, _ in scores.values()), reverse=True)
        competitors = [record for record in listed if record["rank"] or record["class"] == "platform"]
        TALLY.check("competitors", "order", [record["domain"] for record in competitors], sorted((record["domain"] for record in competitors), key=lambda name: (-round(scores[name][0], 9), -round(clicks[name], 9), name)))
        TALLY.score("competitors", "strongest", max((record["competitorScore"] for record in listed), default=None), strongest[0] if strongest else None)
    check("unseen", {record["domain"] for record in found} >= set(market["tracked"]), True)


def check_market(market, found):
    own = [market["own"], *market["aliases"]]
    pages = [Page(keyword, own, rank["intent"]) for keyword, rank in zip(market["keywords"], found["rankings"])]
    counting = [(number, page, page.question["daysOld"] <= 7) for number, page in enumerate(pages, 1)]
    prominence = collections.Counter()
    for _, page, counts in counting:
        if counts:
            prominence.update(name for name, (position, _) in page.standings().items() if position <= 10)
    # Of a shared domain, the side with more pages counts.
    of_the_project = prominence.pop(own[0], 0)
    for site in own:
        name = domain("https://" + site)
        prominence[name] = max(of_the_project, prominence[name], 1)
    count = sum(counts for _, _, counts in counting)
    everything, difficulties = [], []
    for page, rank, serp in zip(pages, found["rankings"], found["serp"]):
        everything.append(check_rank(page, rank))
        difficulties.append(check_serp(page, serp, prominence, count))
    check_opportunities(found["rankings"], market["keywords"], difficulties)
    volumes = [it["volume"] for it in market["keywords"]]
    weights = volumes if None not in volumes and any(volumes) else [1] * len(volumes)
    visibility = 100 * sum(weight * ctr(position) for weight, (position, _) in zip(weights, everything)) / sum(weights) / ctr(1)
    TALLY.score("summaries", "visibilityIndex", found["rankingsSummary"]["visibilityIndex"], visibility)
    ranked = [position for position, _ in everything if position]
    TALLY.check("summaries", "averagePosition", found["rankingsSummary"]["averagePosition"], float(numpy.mean(ranked)) if ranked else None)
    below = [float(position or len(page.question["results"]) + 1) for (position, _), page in zip(everything, pages)]
    TALLY.check("summaries", "averagePositionAll", found["rankingsSummary"]["averagePositionAll"], float(numpy.mean(below)))
    moved = [1 - it["stability"]["rboWithPrevious"] for it in found["serp"] if it["stability"] and it["stability"]["rboWithPrevious"] is not None]
    TALLY.score("summaries", "volatility", found["serpSummary"]["volatility"], 10 * statistics.median(moved) if moved else None)
    check_shares(market, counting, found["sov"])
    check_competitors(market, counting, found["competitors"])


# Windows.

def a_window(seeded):
    names = seeded.sample("abcd", seeded.randrange(1, 4))
    url = lambda name: f"https://www.acme.com/{name}"  # noqa: E731
    snapshots = []
    for days in range(seeded.randrange(1, 40)):
        if seeded.random() < .8:
            chosen = seeded.sample(names, seeded.randrange(0, len(names) + 1))
            places = seeded.sample(range(1, seeded.choice([12, 30, 70])), len(chosen))
            snapshots.append((days, [(url(name), place) for name, place in zip(chosen, places)]))
    weighting = seeded.choice(["none", "clicks", "impressions"])
    imported = [(url(name), seeded.randrange(90) if weighting == "clicks" else None, seeded.randrange(900) if weighting != "none" else None) for name in names]
    return {"do": "cannibalization", "volume": seeded.choice([None, seeded.randrange(9_000)]), "snapshots": snapshots, "imported": imported}


def check_window(question, found):
    check = lambda figure, is_found, expected: TALLY.check("cannibalization", figure, is_found, expected)  # noqa: E731
    newest = min((days for days, _ in question["snapshots"]), default=0)
    window = sorted((it for it in question["snapshots"] if it[0] < newest + 28), reverse=True)
    sights = [sorted((position, url) for url, position in places) for _, places in window]
    # A page that was replaced and never came back is the same as its successor.
    moved = True
    while moved:
        moved = False
        best = [(index, sight[0][1]) for index, sight in enumerate(sights) if sight]
        for (_, old), (index, new) in zip(best, best[1:]):
            holds = lambda sight, url: any(it == url for _, it in sight)  # noqa: E731
            after, before = sights[index:], sights[:index]
            if old != new and not any(holds(it, old) for it in after) and not any(holds(it, new) for it in before) and sum(holds(it, new) for it in after) >= 2:
                sights = [[(position, new if url == old else url) for position, url in sight] for sight in sights]
                question = {**question, "imported": [(new if url == old else url, clicks, shown) for url, clicks, shown in question["imported"]]}
                moved = True
                break
    urls = collections.defaultdict(list)
    for sight in sights:
        for position, url in sight:
            urls[url].append(position)
    reported = sum(min(it) <= 50 for it in urls.values()) >= 2
    check("reported", found is not None, reported)
    if not found or not reported:
        return
    sums = {url: [sum(it[which] or 0 for it in question["imported"] if it[0] == url) for which in (1, 2)] for url in urls}
    weights = [[sums[url][which] for url in urls] for which in (0, 1)]
    means = [float(numpy.mean(it)) for it in urls.values()]
    at_mean = [float(numpy.interp(mean, [math.floor(mean), math.floor(mean) + 1], [ctr(math.floor(mean)), ctr(math.floor(mean) + 1)])) for mean in means]
    basis, chosen = next((it for it in (("clicks", weights[0]), ("impressions", weights[1])) if sum(it[1])), ("expectedCtr", at_mean))
    check("shareBasis", found["shareBasis"], basis)
    shares = [it / sum(chosen) for it in chosen]
    order = sorted(zip(shares, means, urls), key=lambda it: (-it[0], it[1], it[2]))
    check("primaryUrl", found["primaryUrl"], order[0][2])
    for (share, mean, url), item in zip(order, found["urls"]):
        check("share", item["share"], float(share))
        check("averagePosition", item["averagePosition"], mean)
        check("snapshotsAsBest", item["snapshotsAsBest"], sum(bool(sight) and sight[0][1] == url for sight in sights))
    counted = numpy.array([it for it in shares if it >= .05 - 1e-12])
    counted = counted / counted.sum()
    hhi, n = float((counted ** 2).sum()), len(counted)
    split = (1 - hhi) * n / (n - 1) if n > 1 else 0.0
    check("split", found["split"], float(split), )
    check("effectiveUrls", found["effectiveUrls"], 1 / hhi)
    check("entropy", found["entropy"], float(stats.entropy(counted) / math.log(n)) if n > 1 else 0.0)

    def clusters(sight):
        top = [position for position, _ in sight if position <= 20]
        grouped = sum(two == one + 1 and two <= 10 for one, two in zip(top, top[1:]))
        return len(top) - grouped, grouped > 0
    overlap = sum(clusters(it)[0] >= 2 for it in sights) / len(sights)
    check("overlapRate", found["overlapRate"], float(overlap))
    check("hostClusterRate", found["hostClusterRate"], sum(clusters(it)[1] for it in sights) / len(sights))
    best = [sight[0][1] for sight in sights if sight]
    runs = [url for index, url in enumerate(best) if index == 0 or best[index - 1] != url]
    if len(sights) < 5:
        check("score", found["score"], None)
        return
    flips = (len(runs) - 1) / (len(best) - 1) if len(best) > 1 else 0.0
    check("flipRate", found["flipRate"], float(flips))
    check("flipReturns", found["flipReturns"], 2 * sum(one == other for one, other in zip(runs, runs[2:])))
    potential = ctr(min(min(it) for it in urls.values()))
    retained = float(numpy.mean([min(sum(ctr(position) for position, _ in sight), .95) for sight in sights]))
    cost = 1 - min(1.0, retained / potential)
    check("cost", found["cost"], float(cost), )
    check("lostClicks", found["lostClicks"], None if question["volume"] is None else question["volume"] * max(potential - retained, 0.0))
    TALLY.score("cannibalization", "score", found["score"], 100 * (.35 * flips + .30 * split + .15 * overlap + .20 * cost))


# Other questions.

def check_statistics(seeded):
    pair = lambda: (lambda n: (seeded.randrange(n + 1), n))(seeded.randrange(1, 400))  # noqa: E731
    pairs = [(pair(), pair()) for _ in range(2_000)]
    for (one, other), found in zip(pairs, driver.query("search_intelligence", [{"do": "newcombe", "first": one, "second": other} for one, other in pairs])):
        expected = confint_proportions_2indep(*one, *other, method="newcomb", compare="diff")
        for bound, golden in zip(found, expected):
            TALLY.check("Newcombe (statsmodels)", (one, other), bound + 2, float(golden) + 2, 1e-6)
    for (one, _), found in zip(pairs, driver.query("search_intelligence", [{"do": "wilson", "of": one} for one, _ in pairs])):
        for bound, golden in zip(found, proportion_confint(*one, method="wilson")):
            TALLY.check("Wilson (statsmodels)", one, bound + 1, float(golden) + 1, 1e-6)
    lists = [(seeded.sample(range(40), seeded.randrange(1, 25)), seeded.sample(range(40), seeded.randrange(1, 25)), seeded.choice([.8, .9, .95])) for _ in range(2_000)]
    for (one, other, p), found in zip(lists, driver.query("search_intelligence", [{"do": "rbo", "one": one, "other": other, "p": p} for one, other, p in lists])):
        TALLY.check("RBO (rbo)", (one, other), found, float(RankingSimilarity(one, other).rbo_ext(p)))
    weights = [[seeded.random() * 10 for _ in range(seeded.randrange(2, 12))] for _ in range(1_000)]
    for it, found in zip(weights, driver.query("search_intelligence", [{"do": "concentration", "weights": it} for it in weights])):
        shares = numpy.array(it) / sum(it)
        for value, expected in zip(found, (float((shares ** 2).sum()), float(1 / (shares ** 2).sum()), float(stats.entropy(shares) / math.log(len(it))))):
            TALLY.check("HHI and entropy (scipy)", it, value, expected)
    points = [[(seeded.random(), seeded.randrange(1, 900)) for _ in range(seeded.randrange(1, 40))] for _ in range(500)]
    for it, found in zip(points, driver.query("search_intelligence", [{"do": "isotonic", "points": it} for it in points])):
        expected = optimize.isotonic_regression([value for value, _ in it], weights=[weight for _, weight in it], increasing=False).x
        for value, golden in zip(found, expected):
            TALLY.check("isotonic regression (scipy)", it, value, float(golden), 1e-9)
    series = [[seeded.choice([None, seeded.gauss(at, 9), seeded.gauss(at, 2)]) for at in range(seeded.randrange(4, 20))] for _ in range(500)]
    series = [it for it in series if sum(value is not None for value in it) >= 2]
    for it, found in zip(series, driver.query("search_intelligence", [{"do": "slope", "values": it} for it in series])):
        known = [(at, value) for at, value in enumerate(it) if value is not None]
        TALLY.check("Theil-Sen (scipy)", it, found, float(stats.theilslopes([value for _, value in known], [at for at, _ in known]).slope))
    off = []
    rates = [[seeded.random() for _ in range(seeded.randrange(8, 30))] for _ in range(25)]
    intervals = driver.query("search_intelligence", [{"do": "bootstrap", "values": it, "key": str(number)} for number, it in enumerate(rates)])
    for number, (values, found) in enumerate(zip(rates, intervals)):
        golden = stats.bootstrap((values,), numpy.mean, n_resamples=20_000, method="percentile", rng=number).confidence_interval
        width = golden.high - golden.low
        off += [abs(found[0] - golden.low) / width, abs(found[1] - golden.high) / width]
    print(f"bootstrap (scipy): ends are {numpy.mean(off):.1%} of the width apart in the mean, {max(off):.1%} at most")
    TALLY.check("bootstrap (scipy)", "at most 8 % of the width apart", max(off) < .08, True)


def answers_to(questions):
    """Questions with their answers."""
    return zip(questions, driver.query("search_intelligence", questions))


def two_measurements(seeded):
    def row():
        depth = seeded.choice([0, 10, 20, 100])
        return seeded.choice([None, seeded.randrange(1, depth + 1)]) if depth else None, depth
    ids = range(seeded.randrange(1, 80))
    volume = {it: None if seeded.random() < .02 else seeded.randrange(900) for it in ids}
    before, now = ([(it, volume[it], *row()) for it in ids if seeded.random() < .9] for _ in range(2))
    return {"do": "changes", "before": before, "now": now}


def check_changes(question, found):
    was, stands = ({it[0]: it for it in question[which] if it[3]} for which in ("before", "now"))
    kinds = {it: kind_of(was[it][2], was[it][3], stands[it][2], stands[it][3]) for it in set(was) & set(stands)}
    counts = collections.Counter(kinds.values())
    for field, kind in (("up", "up"), ("down", "down"), ("same", "same"), ("enteredCount", "new"), ("leftCount", "lost"), ("unknown", "unknown")):
        TALLY.check("changes", field, found[field], counts[kind])
    TALLY.check("changes", "added", (found["added"], found["dropped"]), (len(set(stands) - set(was)), len(set(was) - set(stands))))
    moves = [it for it, kind in kinds.items() if kind in ("up", "down", "new", "lost")]
    gain = {it: ctr(stands[it][2]) - ctr(was[it][2]) for it in moves}
    # Without a compared volume the change is unknown, not 0.
    compared = [it for it, kind in kinds.items() if kind != "unknown"]
    known = all(stands[it][1] is not None for it in moves) and any(stands[it][1] is not None for it in compared)
    TALLY.check("changes", "clicksChange", found["clicksChange"], float(sum(stands[it][1] * gain[it] for it in moves)) if known else None, 1e-5)
    for field, kind in (("winners", "up"), ("losers", "down"), ("entered", "new"), ("left", "lost")):
        def order(it):
            return -round(abs((stands[it][1] if known else 1) * gain[it]), 9), -abs((was[it][2] or 0) - (stands[it][2] or 0)), it
        TALLY.check("changes", field, [it["keywordId"] for it in found[field]], sorted((it for it in moves if kinds[it] == kind), key=order)[:50])


def check_curve(question, found):
    sums = numpy.zeros((100, 2))
    for position, shown, clicks in question["rows"]:
        if 1 <= position <= 100:
            sums[position - 1] += (shown, clicks)
    if (sums[:, 0] < 1000).all():
        TALLY.check("own click curves", "none", found, None)
        return
    rates = [clicks / shown if shown >= 1000 else ctr(position) for position, (shown, clicks) in enumerate(sums, 1)]
    golden = optimize.isotonic_regression(rates, weights=numpy.where(sums[:, 0] >= 1000, sums[:, 0], 1000), increasing=False).x
    for position, (value, expected) in enumerate(zip(found, golden), 1):
        TALLY.check("own click curves", position, value, float(expected), 1e-9)


def check_clusters(question, found):
    pages = question["pages"]
    linked = numpy.array([[len(set(one) & set(other)) >= 3 for other in pages] for one in pages])
    _, labels = connected_components(linked, directed=False)
    groups = sorted(sorted(int(it) for it in numpy.flatnonzero(labels == label)) for label in set(labels))
    TALLY.check("clusters (scipy)", pages, sorted(map(sorted, found)), groups)


def check_the_rest(seeded):
    for question, found in answers_to([two_measurements(seeded) for _ in range(400)]):
        check_changes(question, found)

    def rows():
        shown = [seeded.randrange(3_000) for _ in range(seeded.randrange(30))]
        return [(seeded.randrange(0, 112), it, seeded.randrange(it + 1)) for it in shown]
    for question, found in answers_to([{"do": "curve", "rows": rows()} for _ in range(200)]):
        check_curve(question, found)
    letters = "abcdefghijklmnopqrstuvwxyz"
    for question, found in answers_to([{"do": "clusters", "pages": [seeded.sample(letters, seeded.randrange(8)) for _ in range(seeded.randrange(1, 30))]} for _ in range(200)]):
        check_clusters(question, found)
    for question, found in answers_to([{"do": "difficulty", "links": [seeded.randrange(3_000) for _ in range(10)]} for _ in range(300)]):
        golden = 100 * math.log10(1 + stats.trim_mean(question["links"], .1)) / math.log10(1001)
        TALLY.check("difficulty by links (scipy)", question, found, min(100.0, float(golden)))


def main():
    seeded = random.Random(5)
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    check_statistics(seeded)
    markets = [a_market(seeded) for _ in range(count)]
    print(f"{count} markets of {sum(len(it['keywords']) for it in markets)} keywords")
    for market, found in zip(markets, driver.query("search_intelligence", markets)):
        check_market(market, found)
    windows = [a_window(seeded) for _ in range(2_000)]
    for window, found in zip(windows, driver.query("search_intelligence", windows)):
        check_window(window, found)
    check_the_rest(seeded)
    good = TALLY.end()
    print("all as they should be" if good else "wrong")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
