#!/usr/bin/env python3
"""Compares our language detection with the languages of Debian's manuals, and with py3langid on the same.

    tests/oracles/language.py

Then it asks about languages that are not among those detected, and about those that are, out of texts that no list of
words was counted from (`many_languages.py`).

Each manual's paragraphs are its language's truth, without untranslated ones (more than an eighth
of their words are common English ones). They are classified whole, cut to 60 letters and in groups of ten, the length
of a page. Ends with 1 when in any language fewer than 99 % of the pages are classified correctly, or fewer than 98.5 % of
the paragraphs that are classified with a confidence of 0.9 and more; when more than 1 % of the pages of unknown languages are
classified with that confidence; or when fewer than 96 % of the pages of known ones are classified correctly.
"""
import sys

import many_languages
import text_corpus

text_corpus.in_virtual_environment("language", "py3langid==0.4.0")
import py3langid  # noqa: E402

import driver  # noqa: E402


def cut(text, letters):
    """The first words of a text with so many letters; None if it has fewer."""
    kept, found = [], 0
    for word in text.split():
        kept.append(word)
        found += sum(it.isalpha() for it in word)
        if found >= letters:
            return " ".join(kept)
    return None


ENGLISH = set("the of and to is in that this for with are be it by from or as on you your not can will which have".split())


def is_english(text):
    words = text.lower().split()
    return sum(it in ENGLISH for it in words) > len(words) / 8


def share(codes, language):
    found_codes = [it for it in codes if it]
    return sum(it == language for it in found_codes) / max(1, len(found_codes)), len(found_codes)


KINDRED = ({"hr", "sr", "bs"}, {"nb", "nn"})


def is_right(found_language, language):
    return found_language == language or any({found_language, language} <= kin for kin in KINDRED)


def grouped(texts, size):
    return [" ".join(texts[at : at + size]) for at in range(0, len(texts), size)]


def many():
    """Prints how many texts are classified rightly and wrongly; returns what is out of bounds."""
    samples = {"pages": [], "paragraphs": []}
    for language in {**many_languages.DETECTED, **many_languages.OTHERS}:
        declaration, messages = many_languages.declaration(language)[1::2], many_languages.messages(language)[1::2]
        samples["pages"] += [(language, it) for it in grouped(declaration, 6) + grouped(messages, 10)]
        samples["paragraphs"] += [(language, it) for it in declaration + messages[::3] if sum(map(str.isalpha, it)) >= 60]
    failures = []
    for kind, texts in samples.items():
        found = driver.query("text", [{"do": "language", "text": text} for _, text in texts])
        counts = {(known, verdict): 0 for known in (True, False) for verdict in ("right", "wrong", "unknown")}
        falsely_sure, accused = 0, {}
        for (language, _), found_language in zip(texts, found):
            known = language in many_languages.DETECTED
            verdict = "unknown" if found_language is None else "right" if is_right(found_language[0], language) else "wrong"
            counts[known, verdict] += 1
            if verdict == "wrong" and found_language[1] >= 0.9 and not known:
                falsely_sure += 1
                accused[language, found_language[0]] = accused.get((language, found_language[0]), 0) + 1
        totals = {known: sum(count for (it, _), count in counts.items() if it == known) for known in (True, False)}
        for known in (True, False):
            shares = ", ".join(f"{verdict} {counts[known, verdict] / totals[known]:.2%}" for verdict in ("right", "wrong", "unknown"))
            print(f"{'known' if known else 'unknown'} languages, {totals[known]} {kind}: {shares}")
        print(f"unknown languages, {kind} told wrongly with confidence 0.9 and more: {falsely_sure / totals[False]:.2%} {sorted(accused.items(), key=lambda it: -it[1])[:5]}")
        if kind == "pages" and (falsely_sure > 0.01 * totals[False] or counts[True, "right"] < 0.96 * totals[True]):
            failures.append(("many languages", kind))
    return failures


def main():
    failures = many()
    for language in text_corpus.LANGUAGES:
        paragraphs = text_corpus.paragraphs(language)[::4] if language != "sk" else text_corpus.paragraphs(language)
        if language != "en":
            paragraphs = [it for it in paragraphs if not is_english(it)]
        kinds = {
            "pages": [" ".join(paragraphs[at : at + 10]) for at in range(0, len(paragraphs) - 9, 10)],
            "paragraphs": [it for it in paragraphs if sum(sign.isalpha() for sign in it) >= 60],
            "60 letters": [it for it in (cut(text, 60) for text in paragraphs) if it],
        }
        for kind, texts in kinds.items():
            found = driver.query("text", [{"do": "language", "text": it} for it in texts])
            ours, number = share([it and it[0] for it in found], language)
            theirs, _ = share([py3langid.classify(it)[0] for it in texts], language)
            sure = [it[0] == language for it in found if it and it[1] >= 0.9]
            bad = ours < 0.99 if kind == "pages" else kind == "paragraphs" and sum(sure) < 0.985 * len(sure)
            wrong = {}
            for it in found:
                if it and it[0] != language:
                    wrong[it[0]] = wrong.get(it[0], 0) + 1
            worst = sorted(wrong.items(), key=lambda it: -it[1])[:3]
            if bad:
                failures.append((language, kind))
            print(f"{language} {kind}: ours {ours:.2%} of {number} (with confidence 0.9 and more {sum(sure) / max(1, len(sure)):.2%} of {len(sure)}), py3langid {theirs:.2%}; ours instead {worst}{'  <-- too few' if bad else ''}")
    print(f"too few: {failures}" if failures else "all within their bounds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
