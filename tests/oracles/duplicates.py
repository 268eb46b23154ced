#!/usr/bin/env python3
"""Compares our duplicates with exact sets, datasketch 2.0 and a second implementation in Python.

    tests/oracles/duplicates.py

* signatures and simhashes of 40 paragraphs are, number by number, those of a second implementation (the hash
  of shingles, the functions and the mixing written again from their description).
* exact Jaccard similarities are those of Python's sets of 4-word tuples.
* over 4,000 pairs of known similarity, the error of the estimate beside that of datasketch's MinHash with 128
  permutations and the theory, sqrt(J(1-J)/128); ours may be at most a tenth above the theory.
* clusters in Debian's manual in all its languages with 1 page in 5 copied and edited: pairs of similarity 0.9
  and more by all exact comparisons, against ours.
Ends with 1 when something differs. The time of 10,000 pages is printed and not limited.
"""
import itertools
import math
import random
import sys
import time

import text_corpus

text_corpus.in_virtual_environment("duplicates", "datasketch==2.0.0")
from datasketch import MinHash  # noqa: E402

import driver  # noqa: E402

MASK = 2**64 - 1
PRIME = 2**61 - 1
failures = []


def check(good, label):
    if not good:
        failures.append(label)
    return "" if good else "  <-- wrong"


def shingles(words):
    return set(zip(*(words[at:] for at in range(4)))) if len(words) >= 4 else ({tuple(words)} if words else set())


def exact(one, other):
    return len(one & other) / len(one | other) if one | other else 1.0


def fnv(words):
    state = 0xCBF29CE484222325
    for byte in "".join(word + " " for word in words).encode():
        state = (state ^ byte) * 0x100000001B3 & MASK
    return state


def mixed(value):
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
    return value ^ value >> 31


STEP = 0x9E3779B97F4A7C15
FUNCTIONS = [(mixed(STEP * (2 * at + 1) & MASK) % (PRIME - 1) + 1, mixed(STEP * (2 * at + 2) & MASK) % PRIME) for at in range(128)]


def second_implementation(words):
    hashes = [mixed(fnv(it)) for it in shingles(words)]
    signature = [min((factor * (it % PRIME) + offset) % PRIME >> 29 for it in hashes) for factor, offset in FUNCTIONS]
    votes = [sum(1 if it >> bit & 1 else -1 for it in hashes) for bit in range(64)]
    return signature, sum(1 << bit for bit, vote in enumerate(votes) if vote > 0)


def signatures():
    texts = [text for language in text_corpus.LANGUAGES for text in text_corpus.paragraphs(language)[:4]][:40]
    texts.append("the quick brown fox jumps over the lazy dog")
    words = driver.query("text", [{"do": "words", "text": it} for it in texts])
    ours = driver.query("text", [{"do": "signature", "text": it} for it in texts])
    wrong = sum((it["signature"], it["simhash"]) != tuple(second_implementation(word)) for it, word in zip(ours, words))
    print(f"{len(texts)} signatures and simhashes, {wrong} differ from the second implementation{check(not wrong, 'signatures')}")
    print(f"   the last begins with {ours[-1]['signature'][:4]}, simhash {ours[-1]['simhash']:#018x}")


def estimates(random):
    pairs, sets = [], []
    for at in range(4000):
        words = [f"w{at}x{it}" for it in range(300)]
        other = [f"y{it}" if random.random() < at % 40 / 160 else it for it in words]
        pairs.append((" ".join(words), " ".join(other)))
        sets.append((shingles(words), shingles(other)))
    found = driver.query("text", [{"do": "estimates", "pairs": pairs}])[0]
    truth = [exact(*it) for it in sets]
    wrong = sum(abs(one - j) > 1e-12 for (one, _), j in zip(found, truth))
    print(f"{len(pairs)} exact similarities, {wrong} differ from Python's sets{check(not wrong, 'exact similarity')}")
    ours = [estimate - j for (_, estimate), j in zip(found, truth)]
    some = range(0, len(pairs), 4)
    theirs = []
    for at in some:
        one, other = (MinHash(num_perm=128, seed=1) for _ in range(2))
        one.update_batch(" ".join(it).encode() for it in sets[at][0])
        other.update_batch(" ".join(it).encode() for it in sets[at][1])
        theirs.append(one.jaccard(other) - truth[at])
    spread = lambda errors: math.sqrt(sum(it * it for it in errors) / len(errors))  # noqa: E731
    theory = math.sqrt(sum(j * (1 - j) / 128 for j in truth) / len(truth))
    print(f"error of the estimate: ours {spread(ours):.4f} (bias {sum(ours) / len(ours):+.4f}), datasketch {spread(theirs):.4f} (bias {sum(theirs) / len(theirs):+.4f}, {len(theirs)} pairs), theory {theory:.4f}{check(spread(ours) < 1.1 * theory, 'error of the estimate')}")


def clusters(random):
    pages = [" ".join(found) for language in ("en", "de", "es", "fr", "cs") for _, found in text_corpus.pages(language)[:120]]
    pages = [it for it in pages if len(it.split()) >= 40]
    for text in pages[::5]:
        words = text.split()
        for _ in range(max(1, len(words) // random.choice((60, 150, 400)))):
            words[random.randrange(len(words))] = random.choice(("edited", "changed", "new"))
        pages.append(" ".join(words))
    words = driver.query("text", [{"do": "words", "text": it} for it in pages])
    sets = [shingles(it) for it in words]
    similar = [(one, other) for one, other in itertools.combinations(range(len(pages)), 2) if exact(sets[one], sets[other]) >= 0.9]
    found = driver.query("text", [{"do": "clusters", "texts": pages}])[0]
    parents = list(range(len(pages)))

    def root(page):
        while parents[page] != page:
            page = parents[page]
        return page

    for one, other in similar:
        parents[root(other)] = root(one)
    groups = {}
    for page in range(len(pages)):
        groups.setdefault(root(page), []).append(page)
    truth = {tuple(it) for it in groups.values() if len(it) > 1}
    ours = {tuple(it) for it, _ in found["clusters"]}
    print(f"{len(pages)} pages, {len(similar)} pairs of 0.9 and more in {len(truth)} clusters; ours {len(ours)}, {len(truth ^ ours)} not in both{check(truth == ours and truth, 'clusters')}, complete {found['complete']}")


def ten_thousand(random):
    vocabulary = [word for text in text_corpus.paragraphs("en") for word in text.split()]
    pages = []
    for at in range(10_000):
        start = random.randrange(len(vocabulary) - 400)
        pages.append(" ".join(vocabulary[start : start + 400]) if at % 4 else " ".join(vocabulary[:390] + [f"p{at}"] * 3))
    began = time.monotonic()
    found = driver.query("text", [{"do": "clusters", "texts": pages}])[0]
    print(f"10,000 pages of 400 words, a quarter of one template: {time.monotonic() - began:.1f} s with reading and writing, {len(found['clusters'])} clusters, complete {found['complete']}")


def main():
    seeded = random.Random(7)
    signatures()
    estimates(seeded)
    clusters(seeded)
    ten_thousand(seeded)
    print(f"wrong: {failures}" if failures else "all as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
