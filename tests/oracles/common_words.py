#!/usr/bin/env python3
"""Counts the commonest words of many languages, for `crates/texts/src/text/language/common_words.tsv`.

    tests/oracles/common_words.py > crates/texts/src/text/language/common_words.tsv

Words rank by how often they occur in every second text of `many_languages.py`; where there are two sources, by the
product of both shares, so that what belongs to one source's subject falls back. Malay and Indonesian have words of
everyday texts as well: their declarations differ by legal words alone.
"""
import collections
import sys
import unicodedata

import many_languages

MAX_WORDS = 40
# Written by hand.
EVERYDAY = {
    "ms": "dan yang di ini untuk dengan itu tidak dalam pada adalah atau kepada oleh akan anda boleh dari telah juga kerana mereka"
    " daripada ada bagi ia kami satu semua lebih orang sebagai bahawa apabila seperti sahaja perlu antara hendaklah sila",
    "id": "dan yang di ini untuk dengan itu tidak dalam pada adalah atau kepada oleh akan anda bisa dari telah juga karena mereka"
    " dapat ada bagi ia kami satu semua lebih orang sebagai bahwa ketika seperti saja saat antara secara tersebut",
}  # fmt: skip


def words(text):
    """Letters with their marks and inner apostrophes, in lower case."""
    found, word = [], ""
    for sign in text.lower() + " ":
        if unicodedata.category(sign)[0] in "LM":
            word += sign
        elif sign in "'’" and word:
            word += "'"
        elif word:
            found.append(word.rstrip("'"))
            word = ""
    return found


def counted(texts):
    every, texts_with, total = collections.Counter(), collections.Counter(), 0
    for text in texts:
        found = words(text)
        total += len(found)
        every.update(found)
        texts_with.update(set(found))
    return every, texts_with, max(1, total)


def script(word):
    return unicodedata.name(word[0], "").split(" ")[0]


def commonest(language):
    if language in EVERYDAY:
        return EVERYDAY[language].split()
    first, first_with, first_total = counted(many_languages.declaration(language)[::2])
    second, second_with, second_total = counted(many_languages.messages(language)[::2])
    if second:
        floor = 0.0005
        known = [it for it in {*first, *second} if first_with[it] >= 2 or second_with[it] >= 20]
        rank = {it: (first[it] / first_total + floor) * (second[it] / second_total + floor) for it in known}
    else:
        rank = {it: count for it, count in first.items() if first_with[it] >= 3}
    order = sorted(rank, key=lambda it: (-rank[it], it))
    main = collections.Counter(map(script, order[:60])).most_common(1)[0][0]
    return [it for it in order if script(it) == main][:MAX_WORDS]


def main():
    print("# The commonest words of languages, counted by tests/oracles/common_words.py.")
    for language in sorted({**many_languages.DETECTED, **many_languages.OTHERS}):
        print(f"{language}\t{' '.join(commonest(language))}")


if __name__ == "__main__":
    sys.exit(main())
