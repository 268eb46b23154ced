#!/usr/bin/env python3
"""Compares our differences of texts with Python's difflib and exact sets.

    tests/oracles/text_difference.py

Pages of Debian's manuals with paragraphs inserted, removed, moved and edited. Each difference applied to the
earlier text must give the later; similarity and containment must be those of Python's sets of 4-word tuples per
paragraph; added and removed words are compared with difflib.SequenceMatcher on words, of which ours may have at
most 5 % more in sum (both are free to choose which words stay). Ends with 1 when something differs.
"""
import difflib
import random
import sys

import driver
import text_corpus


def shingles(blocks):
    every = set()
    for words in blocks:
        every |= set(zip(*(words[at:] for at in range(4)))) if len(words) >= 4 else ({tuple(words)} if words else set())
    return every


def edited(blocks, seeded):
    blocks = list(blocks)
    for _ in range(seeded.randrange(1, 5)):
        at = seeded.randrange(len(blocks))
        kind = seeded.choice("insert remove move edit edit edit".split())
        if kind == "insert":
            blocks.insert(at, "A new paragraph that nobody has read before, with a few words.")
        elif kind == "remove" and len(blocks) > 1:
            del blocks[at]
        elif kind == "move":
            blocks.insert(seeded.randrange(len(blocks)), blocks.pop(at))
        else:
            words = blocks[at].split()
            words[seeded.randrange(len(words))] = seeded.choice(("changed", "", "two words"))
            blocks[at] = " ".join(words)
    return blocks


def main():
    seeded = random.Random(11)
    pairs = [(found, edited(found, seeded)) for language in ("en", "de", "cs", "hu", "ru") for _, found in text_corpus.pages(language)[:60]]
    ours = driver.query("text", [{"do": "difference", "before": "\n".join(one), "after": "\n".join(other)} for one, other in pairs])
    word_lists = iter(driver.query("text", [{"do": "words", "text": block} for pair in pairs for blocks in pair for block in blocks]))
    applied = alike = contained = changed = minimum = 0
    for (before, after), it in zip(pairs, ours):
        old, new = [next(word_lists) for _ in before], [next(word_lists) for _ in after]
        one, other = shingles(old), shingles(new)
        applied += it["applied"] == "\n".join(after)
        alike += abs(it["similarity"] - len(one & other) / len(one | other)) < 1e-12
        contained += abs(it["containmentOfOld"] - len(one & other) / len(one)) < 1e-12
        flat = [sum(side, []) for side in (old, new)]
        codes = difflib.SequenceMatcher(None, *flat, autojunk=False).get_opcodes()
        changed += it["addedWords"] + it["removedWords"]
        minimum += sum(high - low + above - below for kind, low, high, below, above in codes if kind != "equal")
    count = len(pairs)
    print(f"{count} pairs: {applied} applied, {alike} similarities, {contained} containments as they should be; words changed {changed}, difflib {minimum} ({changed / minimum - 1:+.1%})")
    good = applied == alike == contained == count and changed <= 1.05 * minimum
    print("all as they should be" if good else "wrong")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
