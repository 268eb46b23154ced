#!/usr/bin/env python3
"""Prints the golden figures of student_t.rs, moderated_t.rs and sign_test.rs in crates/texts/src/statistics.

    tests/oracles/event_statistics.py
"""
import math

import text_corpus

text_corpus.in_virtual_environment("events", "scipy==1.17.1")

from scipy import stats  # noqa: E402

for t, freedom in [(0, 5), (1.5, 5), (-2, 3.5), (6, 5), (8.19, 5), (30, 11), (12.5, 37), (2, 1)]:
    print("upper tail", t, freedom, stats.t.sf(t, freedom))

values = [math.log(it) for it in (5, 6, 4, 5, 7, 5, 6, 5)]
n, mean = len(values), sum(values) / len(values)
freedom = 10 + n - 1
variance = (10 * .15 ** 2 + sum((it - mean) ** 2 for it in values)) / freedom
error = math.sqrt(variance * (1 + 1 / n))
t = (math.log(15) - mean) / error
half = stats.t.ppf(.975, freedom) * error
print("moderated", t, stats.t.sf(t, freedom), stats.t.sf(t * math.sqrt(5 / 3), 5), math.exp(mean - half), math.exp(mean + half))

for successes, trials in [(7, 8), (8, 8), (0, 8), (5, 8), (20, 28)]:
    print("sign test", successes, trials, stats.binomtest(successes, trials, alternative="greater").pvalue)
