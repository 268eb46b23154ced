"""Prints the golden figures of crates/texts/src/statistics and url_rules.

    python3 -m venv /tmp/oracle && /tmp/oracle/bin/pip install rbo==0.1.3 statsmodels==0.15.0 publicsuffixlist
    /tmp/oracle/bin/python tests/oracles/statistics_oracle.py
"""

from publicsuffixlist import PublicSuffixList
from rbo import RankingSimilarity
from statsmodels.stats.proportion import proportion_confint

PAIRS = [
    ("abcdefghij", "bacedfgkhl", 0.9),
    ("abc", "abc", 0.9),
    ("abc", "xyz", 0.9),
    ("abcde", "abcdefghij", 0.9),
    ("abcdefghij", "jihgfedcba", 0.9),
    ("abcd", "badcxyz", 0.8),
    ("ab", "xaybcd", 0.9),
    ("abcdefghijklmnopqrst", "bxayczdefghijwlmnvuo", 0.9),
]
for one, other, p in PAIRS:
    print("rbo", one, other, p, RankingSimilarity(list(one), list(other)).rbo_ext(p))

for k, n in [(0, 5), (3, 10), (0, 10), (10, 20), (50, 100), (7, 9)]:
    low, high = proportion_confint(k, n, method="wilson")
    print("wilson", k, n, low, high)

HOSTS = """example.com www.example.com a.b.example.co.uk co.uk example.github.io github.io
shop.example.com.au foo.bar.kawasaki.jp city.kawasaki.jp www.ck a.b.ck blog.example.blogspot.com
xn--mnchen-3ya.de www.xn--mnchen-3ya.de bucket.s3.amazonaws.com example.unknowntld""".split()
psl = PublicSuffixList()
for host in HOSTS:
    print("psl", host, psl.privatesuffix(host))
