#!/usr/bin/env python3
"""Holds the statistics of AI visibility to statsmodels, scipy, vaderSentiment and the GEO authors' formula.

    tests/oracles/ai_visibility.py [cases]

1. Wilson, Newcombe and Benjamini-Hochberg beside statsmodels; percentile bootstrap beside scipy; the wider interval for few
   clusters beside its definition with scipy's t and 200,000 resamples.
2. Rates and changes of panels beside a second computation (effective trials, hull), p-values by inverting Newcombe's interval.
3. Position-adjusted word counts beside a port of the authors' formula, scores, VADER beside vaderSentiment.
4. Coverage by simulation: how often the 95 % interval of a rate holds the truth, of the panel and of all prompts.

Ends with 1 when a figure differs.
"""
import collections
import math
import random
import statistics
import sys

import text_corpus

text_corpus.in_virtual_environment("ai-visibility", "scipy==1.17.1", "statsmodels==0.15.0", "vaderSentiment==3.3.2")

import driver  # noqa: E402
import numpy  # noqa: E402
from scipy import stats  # noqa: E402
from statsmodels.stats.multitest import multipletests  # noqa: E402
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint  # noqa: E402
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer  # noqa: E402

CASES = int(sys.argv[1]) if len(sys.argv) > 1 else 400
DRAW = random.Random(2026)
Z = 1.959964
COUNTS = collections.OrderedDict()
WRONG = []


def check(section, label, found, expected, tolerance):
    count = COUNTS.setdefault(section, [0, 0])
    count[0] += 1
    pairs = list(zip(found, expected)) if isinstance(expected, (list, tuple)) else [(found, expected)]
    good = all((a is None and b is None) or (a is not None and b is not None and abs(a - b) <= tolerance) for a, b in pairs)
    if good:
        count[1] += 1
    elif len(WRONG) < 20:
        WRONG.append(f"{section}: {label}: {found!r}, should be {expected!r}")


# The definitions, implemented independently.

def wilson(p, n, z=Z):
    scale = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / scale
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale
    return max(0.0, centre - half), min(1.0, centre + half)


def newcombe(one, other, z=Z):
    (p1, n1), (p2, n2) = one, other
    (l1, u1), (l2, u2) = wilson(p1, n1, z), wilson(p2, n2, z)
    return p1 - p2 - math.hypot(p1 - l1, u2 - p2), p1 - p2 + math.hypot(u1 - p1, p2 - l2)


def expanded(values, resamples=200_000):
    """Bounds for each end of the interval: with few clusters only a handful of 2,000 draws reach the tail."""
    values = numpy.array(values)
    n = len(values)
    tail = stats.norm.sf(math.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1))
    draws = numpy.random.default_rng(7).integers(0, n, size=(resamples, n))
    means = values[draws].mean(axis=1)
    slack = 4 * math.sqrt(tail / 2000) + 1 / 2000
    outer, inner = tail + slack, max(tail - slack, 0.0)
    return tuple(numpy.quantile(means, [inner, outer])), tuple(numpy.quantile(means, [1 - outer, 1 - inner]))


def side(members):
    kept = [(k / n, n) for k, n in members if n]
    return statistics.mean(p for p, _ in kept), len(kept) ** 2 / sum(1 / n for _, n in kept)


def p_value(one, other):
    low = 0.0
    if one[0] < other[0]:
        one, other = other, one
    if one[0] == other[0]:
        return 1.0
    high = 40.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if newcombe(one, other, middle)[0] > 0 else (low, middle)
    return 2 * stats.norm.sf(low)


def position_adjusted(sentences, count):
    """As impression_pos_count_simple of the authors, for words that are counted already."""
    scores = [0.0] * count
    for at, (words, cited) in enumerate(sentences):
        for it in cited:
            factor = math.exp(-at / (len(sentences) - 1)) if len(sentences) > 1 else 1.0
            scores[it] += words * factor / len(cited)
    total = sum(scores)
    return [it / total for it in scores] if total else None


def panel(prompts, limit=8):
    members = []
    for _ in range(prompts):
        n = DRAW.randint(0, limit)
        members.append((DRAW.randint(0, n), n))
    return members


def statistics_beside_packages():
    questions, expected = [], []

    def expect(section, question, golden, tolerance):
        questions.append(question)
        expected.append((section, golden, tolerance))

    for _ in range(CASES):
        n = DRAW.randint(1, 2000)
        k = DRAW.choice([0, n, DRAW.randint(0, n)])
        expect("Wilson, statsmodels", {"wilson": [k, n]}, proportion_confint(k, n, method="wilson"), 2e-6)
        m = DRAW.randint(1, 500)
        j = DRAW.randint(0, m)
        golden = confint_proportions_2indep(k, n, j, m, method="newcomb", compare="diff")
        expect("Newcombe, statsmodels", {"newcombe": [[k, n], [j, m]]}, golden, 2e-6)
        p = [DRAW.random() ** DRAW.choice([1, 3, 6]) for _ in range(DRAW.randint(1, 60))]
        if len(p) > 4:
            p[3] = p[1]
        golden = list(multipletests(p, method="fdr_bh")[1])
        expect("Benjamini-Hochberg, statsmodels", {"benjaminiHochberg": p}, golden, 1e-12)
        sentences = []
        sources = DRAW.randint(1, 6)
        for _ in range(DRAW.randint(1, 12)):
            sentences.append([DRAW.randint(0, 30), DRAW.sample(range(sources), DRAW.randint(0, sources))])
        golden = position_adjusted(sentences, sources)
        expect("Position-adjusted words, the authors' formula", {"positionAdjusted": [sentences, sources]}, golden, 1e-9)
        parts = [DRAW.random() for _ in range(4)]
        golden = 100 * (0.45 * parts[0] + 0.25 * parts[1] + 0.20 * parts[2] + 0.10 * parts[3])
        expect("Score", {"score": parts}, golden, 1e-9)
        now, before = panel(DRAW.randint(1, 9)), panel(DRAW.randint(1, 9), 20)
        golden = None
        pairs = [(a, b) for a, b in zip(now, before) if a[1] and b[1]]
        if pairs:
            later, earlier = side([it[0] for it in pairs]), side([it[1] for it in pairs])
            low, high = newcombe(later, earlier)
            low, high = max(-1, low), min(1, high)
            ends = (low, low), (high, high)
            differences = [a[0] / a[1] - b[0] / b[1] for a, b in pairs]
            if len(pairs) >= 5 and len(set(differences)) > 1:
                (low1, low2), (high1, high2) = expanded(differences)
                ends = (min(low, low1), min(low, low2)), (max(high, high1), max(high, high2))
            golden = later[0] - earlier[0], ends, p_value(later, earlier)
        expect("Changes of panels with their p-values, hull of Newcombe and bootstrap", {"change": [now, before, "k"]}, golden, "change")
    for at in range(CASES // 4):
        values = [DRAW.randint(0, 5) / 5 for _ in range(DRAW.randint(5, 40))]
        scipys = stats.bootstrap((values,), numpy.mean, n_resamples=100_000, method="percentile", rng=at) if len(set(values)) > 1 else None
        # With 2,000 draws, the quantile at 2.5 % has a standard error of about .06 standard deviations.
        spread = statistics.pstdev(values) / math.sqrt(len(values))
        lattice = 0.2 / len(values)
        if scipys is not None:
            golden = [scipys.confidence_interval.low, scipys.confidence_interval.high]
            expect("Percentile bootstrap, scipy", {"bootstrap": [values, str(at)]}, golden, 0.25 * spread + lattice)
        expect("Bootstrap of few clusters, its definition", {"fewClusters": [values, str(at)]}, expanded(values), None)
        members = panel(DRAW.randint(5, 30))
        kept = [it for it in members if it[1]]
        if len(kept) >= 5:
            low, high = wilson(*side(members))
            (low1, low2), (high1, high2) = expanded([k / n for k, n in kept])
            golden = (min(low, low1), min(low, low2)), (max(high, high1), max(high, high2))
            expect("Rates of panels, hull of Wilson and bootstrap", {"rate": [members, str(at)]}, golden, None)
    for (section, golden, tolerance), question, found in zip(expected, questions, driver.query("ai_figures", questions)):
        if tolerance is None:
            within = [a - 1e-9 <= end <= b + 1e-9 for (a, b), end in zip(golden, found[-2:])]
            check(section, (question, golden, found), float(all(within)), 1.0, 0)
        elif tolerance == "change" and golden and found:
            (difference, ends, p), (change, low, high, ours) = golden, found
            within = [a - 1e-6 <= end <= b + 1e-6 for (a, b), end in zip(ends, (low, high))]
            alike = abs(difference - change) < 1e-6 and abs(p - ours) < 1e-6
            check(section, (question, golden, found), float(alike and all(within)), 1.0, 0)
        elif golden is None or found is None:
            check(section, question, 0.0 if found is None else 1.0, 0.0 if golden is None else 1.0, 0)
        else:
            check(section, question, found, golden, tolerance)


WORDS = """Acme is not the best very good great bad poor excellent support outages but and least no never so this without doubt only
reliable SLOW terrible kind of just enough at awful love hate like or nor extremely barely recommend warranty cheap isn't wasn't the bomb
to die for yeah right great! amazing? ok fine nice HORRIBLE sort of happy sad free win lose problem problems""".split()


def vader():
    analyzer = SentimentIntensityAnalyzer()
    sentences = [" ".join(DRAW.choice(WORDS) for _ in range(DRAW.randint(1, 18))) + DRAW.choice([".", "!", "!!", "??", ""]) for _ in range(CASES * 5)]
    for text, found in zip(sentences, driver.query("ai_figures", [{"vader": it} for it in sentences])):
        check("Sentiment, vaderSentiment", text, found, analyzer.polarity_scores(text)["compound"], 5.1e-5)


def coverage():
    """Prompts have rates of their own; an interval is for their mean, and for all possible prompts."""
    rng = numpy.random.default_rng(11)
    print("prompts  answers each  spread  holds the panel's rate  holds all prompts' rate")
    for prompts, answers in [(5, 5), (10, 5), (25, 5), (100, 5)]:
        for a, b in [(8.0, 8.0), (1.0, 1.0), (0.5, 1.5)]:
            questions, truths = [], []
            for at in range(1000):
                rates = rng.beta(a, b, size=prompts)
                hits = rng.binomial(answers, rates)
                questions.append({"rate": [[[int(k), answers] for k in hits], str(at)]})
                truths.append((rates.mean(), a / (a + b)))
            covered = [0, 0]
            for found, truth in zip(driver.query("ai_figures", questions), truths):
                for which in range(2):
                    covered[which] += found[1] <= truth[which] <= found[2]
            print(f"{prompts:7}  {answers:12}  Beta({a:g}, {b:g})  {covered[0] / 10:6.1f} %  {covered[1] / 10:6.1f} %")
            check("Coverage of the panel's rate is at least 93 %", (prompts, a, b), float(covered[0] >= 930), 1.0, 0)


statistics_beside_packages()
vader()
coverage()
for section, (checked, good) in COUNTS.items():
    print(f"{section}: {good} of {checked} agree")
print("\n".join(WRONG))
sys.exit(any(checked != good for checked, good in COUNTS.values()))
