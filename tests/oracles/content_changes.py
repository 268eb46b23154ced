#!/usr/bin/env python3
"""Holds records of content-changes to Python's sets, datasketch, rapidfuzz, and a simulated Poisson process.

    tests/oracles/content_changes.py

1. Pages of Debian's manuals and edited versions of them: similarity and containment are those of Python's sets of
   4-word tuples per paragraph; datasketch's MinHash (k = 128) estimates the same within 4 standard errors; the
   magnitude of the title is that of rapidfuzz; significance and class are those of the formula.
2. The same with k paragraphs of foreign words inserted: containment 1, similarity known beforehand.
3. Pages of which one paragraph changes every time: ignored from the fifth change on.
4. A page that changes as a Poisson process: the mean rate that is estimated over many histories is nearer to the
   true one than changes per visit are, and within 3 % of it.

Ends with 1 when something differs.
"""
import math
import random
import sys

import text_corpus

text_corpus.in_virtual_environment("changes", "datasketch==2.0.0", "rapidfuzz==3.14.3")

import datasketch  # noqa: E402
import driver  # noqa: E402
import rapidfuzz  # noqa: E402
from text_difference import edited, shingles  # noqa: E402

LANGUAGES = ("en", "de", "cs", "hu", "ru")


def words_of(texts):
    """The words of each block of each text, by our splitter, which has its own oracles."""
    word_lists = iter(driver.query("text", [{"do": "words", "text": block} for text in texts for block in text.split("\n")]))
    return [[next(word_lists) for _ in text.split("\n")] for text in texts]


def estimate(one, other):
    """datasketch's similarity of two sets."""
    signatures = []
    for every in (one, other):
        signature = datasketch.MinHash(num_perm=128)
        signature.update_batch([" ".join(it).encode() for it in every])
        signatures.append(signature)
    return signatures[0].jaccard(signatures[1])


def visit(pairs):
    return driver.query("changes", [{"do": "visits", "versions": [{"title": title, "blocks": blocks} for title, blocks in versions]} for versions in pairs])


def edits(seeded):
    pairs = []
    for language in LANGUAGES:
        for title, blocks in text_corpus.pages(language)[:60]:
            title = str(title)[:200] or "x"
            letters = list(title)
            for _ in range(seeded.randrange(4)):
                letters[seeded.randrange(len(letters))] = seeded.choice("abcdefgh")
            pairs.append(((title, blocks), ("".join(letters), edited(blocks, seeded))))
    answers = [it[0] for it in visit(pairs)]
    old, new = (words_of([it[side] for it in answers]) for side in ("before", "after"))
    exact = close = titles = scores = 0
    for ((title, _), (later, _)), before, after, it in zip(pairs, old, new, answers):
        record, one, other = it["record"], shingles(before), shingles(after)
        jaccard = len(one & other) / len(one | other)
        exact += abs(record["similarity"] - jaccard) < 5e-6 and abs(record["containmentOld"] - len(one & other) / len(one)) < 5e-6
        close += abs(estimate(one, other) - jaccard) <= 4 * math.sqrt(jaccard * (1 - jaccard) / 128) + 1e-9
        found = {field["name"]: field["magnitude"] for field in record["fields"]}
        moved = 1 - rapidfuzz.distance.Levenshtein.normalized_similarity(title, later)
        titles += abs(found.get("title", 0) - moved) < 5e-6
        expected = 100 * (1 - (1 - 0.6 * (1 - jaccard)) * (1 - 0.5 * moved))
        named = next(name for name, bound in (("none", 1e-9), ("trivial", 5), ("minor", 20), ("moderate", 50), ("major", 101)) if expected < bound)
        scores += abs(record["significance"] - expected) <= 0.0500001 and record["changeClass"] == named
    count = len(pairs)
    print(f"{count} edited pages: {exact} similarities and containments as Python's sets, {close} within datasketch's error, {titles} titles as rapidfuzz, {scores} significances and classes")
    return exact == titles == scores == count and close >= count - 1


def insertions(seeded):
    pairs, known = [], []
    for language in LANGUAGES:
        for title, blocks in text_corpus.pages(language)[:40]:
            new = [" ".join("".join(seeded.choice("qxzj") for _ in range(6)) for _ in range(12)) for _ in range(seeded.randrange(1, 6))]
            at = seeded.randrange(len(blocks) + 1)
            pairs.append((("t", blocks), ("t", blocks[:at] + new + blocks[at:])))
            known.append(len(shingles([it.split() for it in new])))
    answers = [it[0] for it in visit(pairs)]
    old = [len(shingles(it)) for it in words_of([it["before"] for it in answers])]
    good = 0
    for before, new, it in zip(old, known, answers):
        record = it["record"]
        good += record["containmentOld"] == 1 and abs(record["similarity"] - before / (before + new)) < 5e-6 and record["removedWords"] == 0
    print(f"{len(pairs)} pages with paragraphs inserted: {good} with containment 1, the known similarity, nothing removed")
    return good == len(pairs)


def volatile(seeded):
    sequences = []
    for _, blocks in text_corpus.pages("en")[:40]:
        at = seeded.randrange(len(blocks))
        sequences.append([("t", blocks[:at] + [f"Quote {'abcdefgh'[number] * 5} of this very day"] + blocks[at:]) for number in range(8)])
    good, largest = 0, 0
    for records in visit(sequences):
        good += [it["record"]["changed"] for it in records] == [True] * 4 + [False] * 3
        largest = max(largest, max(it["historyBytes"] for it in records))
    print(f"{len(sequences)} pages with a paragraph that always changes: {good} changed four times and no more; at most {largest} bytes remembered")
    return good == len(sequences)


def rates(seeded):
    good = True
    for rate in (0.05, 0.2, 0.7, 1.2):
        share = 1 - math.exp(-rate)
        counts = [sum(seeded.random() < share for _ in range(30)) for _ in range(20_000)]
        known = dict(zip(range(31), driver.query("changes", [{"do": "rate", "intervals": 30, "changed": it} for it in range(31)])))
        ours, naive = sum(known[it] for it in counts) / len(counts), sum(counts) / 30 / len(counts)
        print(f"true rate {rate}: estimated {ours:.4f} ({ours / rate - 1:+.1%}), changes per visit {naive:.4f} ({naive / rate - 1:+.1%})")
        good &= abs(ours / rate - 1) < 0.03 and abs(ours - rate) < abs(naive - rate)
    return good


def main():
    seeded = random.Random(7)
    good = [edits(seeded), insertions(seeded), volatile(seeded), rates(seeded)]
    print("all as they should be" if all(good) else "wrong")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
