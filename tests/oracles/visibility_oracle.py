"""Computes the visibility of domains over generated results pages, independently of the service.

    python3 -m venv /tmp/oracle && /tmp/oracle/bin/pip install publicsuffixlist
    /tmp/oracle/bin/python tests/oracles/visibility_oracle.py

The pages are those of `generated_pages` in crates/search/src/findings/rankings/tests.rs, drawn
with the same generator. With a CSV of columns `query` and `url`, best result of each query first
(for example data/rankings-dev.csv of mwmbl/rankeval), it prints the figures of that file instead.
"""

import csv
import math
import sys
from collections import defaultdict
from urllib.parse import urlsplit

from publicsuffixlist import PublicSuffixList

TOP_TEN = [0.285, 0.157, 0.110, 0.080, 0.072, 0.051, 0.040, 0.032, 0.028, 0.025]
HOSTS = """example.com www.example.com blog.example.com example.co.uk shop.example.co.uk other.co.uk
acme.github.io docs.acme.github.io rival.github.io xn--mnchen-3ya.de www.xn--mnchen-3ya.de
notexample.com""".split()


def ctr(position):
    if position <= 10:
        return TOP_TEN[position - 1]
    if position <= 20:
        return 0.009 * math.exp(-math.log(0.009 / 0.0028) / 9 * (position - 11))
    if position <= 30:
        return 0.0028 * math.exp(-math.log(0.0028 / 0.0005) / 10 * (position - 20))
    return 0.0001 if position <= 100 else 0.0


def generated():
    state = 12345
    for query in range(40):
        for _ in range(25):
            state = (state * 1103515245 + 12345) % 2**31
            yield str(query), f"https://{HOSTS[(state >> 16) % len(HOSTS)]}/{query}"


def from_file(path):
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            yield row["query"], row["url"]


def main():
    suffixes = PublicSuffixList()
    rows = from_file(sys.argv[1]) if len(sys.argv) > 1 else generated()
    pages = defaultdict(list)
    for query, url in rows:
        pages[query].append(url)
    best = defaultdict(dict)
    for query, urls in pages.items():
        for position, url in enumerate(urls, 1):
            host = urlsplit(url).hostname
            best[suffixes.privatesuffix(host) or host].setdefault(query, position)
    for domain, ranks in sorted(best.items()):
        visibility = 100 * sum(map(ctr, ranks.values())) / (len(pages) * ctr(1))
        top = sum(position <= 10 for position in ranks.values())
        print(f"{domain} {visibility:.6f} ranked {len(ranks)} top10 {top}")


main()
