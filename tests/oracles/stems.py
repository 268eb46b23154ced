#!/usr/bin/env python3
"""Compares our stems with PyPI snowballstemmer 3.1.1, and with the lemmas of simplemma 2.0.

    tests/oracles/stems.py

Words of Debian's manuals; in Czech and Slovak also 20,000 inflected forms of simplemma's own dictionary. With Snowball's own package: the share of different words with the same stem, at least
99 %. With simplemma: of pairs of words that have one lemma, how many have one stem in ours (found), and of pairs
that have one stem, how many have one lemma (right); simplemma itself is not a reference, so that is only printed, also
for Snowball's Czech on the same measure, to which the Slovak stemmer of our own can be compared.
"""
import collections
import itertools
import re
import sys

import text_corpus

text_corpus.in_virtual_environment("stems", "snowballstemmer==3.1.1", "simplemma==2.0.0")
import simplemma  # noqa: E402
from simplemma.strategies import DefaultDictionaryFactory  # noqa: E402
import snowballstemmer  # noqa: E402

import driver  # noqa: E402

SNOWBALL = {"en": "english", "de": "german", "es": "spanish", "fr": "french", "it": "italian", "nl": "dutch", "ru": "russian", "hu": "hungarian", "cs": "czech", "pl": "polish"}


def pairs(keys):
    groups = collections.defaultdict(list)
    for word, key in keys.items():
        groups[key].append(word)
    return {pair for group in groups.values() if len(group) < 60 for pair in itertools.combinations(sorted(group), 2)}


def main():
    failures = []
    for language in text_corpus.LANGUAGES:
        words = sorted({it for text in text_corpus.paragraphs(language) for it in re.findall(r"[^\W\d_]{3,}", text.lower())})
        ours = dict(zip(words, driver.query("text", [{"do": "stems", "language": language, "words": words}])[0]))
        line = f"{language}: {len(words)} words"
        if language in SNOWBALL:
            stemmer = snowballstemmer.stemmer(SNOWBALL[language])
            theirs = dict(zip(words, stemmer.stemWords(words)))
            wrong = [(it, ours[it], theirs[it]) for it in words if ours[it] != theirs[it]]
            same = 1 - len(wrong) / len(words)
            if same < 0.99:
                failures.append(language)
            line += f", {same:.2%} as snowballstemmer {wrong[:3]}{'  <-- too few' if same < 0.99 else ''}"
        line += agreement(ours, {it: simplemma.lemmatize(it, lang=language).lower() for it in words})
        print(line)
        if language in ("cs", "sk"):
            lemmas = dictionary(language)
            words = list(lemmas)
            ours = dict(zip(words, driver.query("text", [{"do": "stems", "language": language, "words": words}])[0]))
            print(f"{language}: {len(words)} forms of the dictionary{agreement(ours, lemmas)}")
    print(f"too few: {failures}" if failures else "all within their bounds")
    return 1 if failures else 0


def agreement(stems, lemmas):
    by_stem, by_lemma = pairs(stems), pairs(lemmas)
    both = len(by_stem & by_lemma)
    return f"; of {len(by_lemma)} pairs with one lemma {both / max(1, len(by_lemma)):.0%} found, of {len(by_stem)} with one stem {both / max(1, len(by_stem)):.0%} right"


def dictionary(language):
    """The first letters of the alphabet of simplemma's dictionary: {form: lemma}."""
    read = DefaultDictionaryFactory().get_dictionary(language)
    text = lambda it: it.decode() if isinstance(it, bytes) else it  # noqa: E731
    forms = {text(form): text(lemma) for form, lemma in read.items()}
    plain = {form: lemma for form, lemma in forms.items() if re.fullmatch(r"[^\W\d_A-Z]{3,}", form) and re.fullmatch(r"[^\W\d_]{3,}", lemma)}
    plain |= {lemma: lemma for lemma in plain.values()}
    # Whole families, from all over the alphabet.
    families = collections.defaultdict(list)
    for form, lemma in sorted(plain.items()):
        families[lemma].append(form)
    chosen = list(families)[:: max(1, len(plain) // 20_000)]
    return {form: lemma for lemma in chosen for form in families[lemma]}


if __name__ == "__main__":
    sys.exit(main())
