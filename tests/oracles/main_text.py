#!/usr/bin/env python3
"""Holds our main text to four corpora (pages.py), beside trafilatura 2.3.1 and readability-lxml 0.9.

    tests/oracles/main_text.py [--worst 10] [--documentation 60] [--only snippets|readability|newspaper|documentation]

1. snippets: pages of trafilatura's evaluation corpus, measured as its own evaluation does: a snippet
   that has to be there and is, is a true positive; one that must not be there and is, a false one.
2. readability, newspaper: words shared with the expected text, as multisets, per page; the mean.
3. documentation: the same against trafilatura's text of Debian's documentation pages.

Prints precision, recall and F, and pages per CPU second. Exit code 1: an F below its bar.
"""
import argparse
import collections
import json
import pathlib
import re
import resource
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import pages as corpora  # noqa: E402

BARS = {"snippets": 0.85, "readability": 0.85, "newspaper": 0.80, "documentation": 0.85}


def ours(program, pages):
    """Our text of every page, and the CPU seconds they took."""
    texts, cpu = {}, 0
    for charset in sorted({it.charset for it in pages}):
        files = [str(it.file) for it in pages if it.charset == charset]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ran = subprocess.run([program, *(["--charset", charset] if charset else []), *files], check=True, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        for answer in map(json.loads, ran.stdout.splitlines()):
            texts[answer["file"]] = "\n".join(block["text"] for block in answer["blocks"])
    return [texts[str(it.file)] for it in pages], cpu


def timed(function, pages):
    begun = time.process_time()
    texts = [function(page.bytes()) or "" for page in pages]
    return texts, time.process_time() - begun


def by_trafilatura(data):
    import trafilatura
    return trafilatura.extract(data, include_comments=False, include_tables=True, include_formatting=False)


def by_readability(data):
    import lxml.html
    import readability
    try:
        summary = readability.Document(data.decode("utf-8", "replace")).summary()
        return " ".join(lxml.html.fromstring(summary).itertext())
    except Exception:
        return ""


def collapsed(text):
    return re.sub(r"\s+", " ", text).strip()


def snippet_figures(page, text):
    text = collapsed(text)
    found = sum(collapsed(it) in text for it in page.present)
    wrong = sum(collapsed(it) in text for it in page.absent)
    return found, wrong, len(page.present) - found


def shared_figures(expected, text):
    expected, text = collections.Counter(corpora.words(expected)), collections.Counter(corpora.words(text))
    shared = sum((expected & text).values())
    return shared, sum(text.values()) - shared, sum(expected.values()) - shared


def rates(found, wrong, missed):
    precision = found / (found + wrong) if found + wrong else float(not missed)
    recall = found / (found + missed) if found + missed else 1.0
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def show(name, scores, cpu):
    precision, recall, f = scores
    print(f"  {name:<18} precision {precision:.3f}  recall {recall:.3f}  F {f:.3f}   {cpu}")


def worst(pages, figures, limit):
    ranked = sorted(zip(pages, figures), key=lambda it: rates(*it[1])[2])
    for page, it in ranked[:limit]:
        print("     %.2f %.2f %.2f" % rates(*it), page.name)


def compare(name, pages, program, figures, pooled, others, limit):
    print(f"{name}: {len(pages)} pages")
    texts, cpu = ours(program, pages)
    scores = None
    for extractor, (texts, cpu) in {"ours": (texts, cpu), **{extractor: timed(it, pages) for extractor, it in others.items()}}.items():
        all_figures = [figures(page, text) for page, text in zip(pages, texts)]
        each = [rates(*it) for it in all_figures]
        mean = tuple(sum(it[n] for it in each) / len(each) for n in range(3))
        reached = rates(*map(sum, zip(*all_figures))) if pooled else mean
        show(extractor, reached, f"{len(pages) / cpu:.0f} pages per CPU second")
        if extractor == "ours":
            scores = reached
            worst(pages, all_figures, limit)
    bar = BARS[name]
    print(f"  {'reached' if scores[2] >= bar else 'MISSED'}: F {scores[2]:.3f}, the bar is {bar}")
    return scores[2] >= bar


def documentation(program, count, limit):
    pages = corpora.documentation_pages(count)
    begun = time.process_time()
    for page in pages:
        page.text = by_trafilatura(page.bytes()) or ""
    theirs = time.process_time() - begun
    silent = [it for it in pages if len(corpora.words(it.text)) < 20]
    pages = [it for it in pages if it not in silent]
    print(f"trafilatura says less than 20 words of {len(silent)} pages, which are left out; {len(pages) / theirs:.0f} pages per CPU second")
    good = compare("documentation", pages, program, lambda page, text: shared_figures(page.text, text), False, {}, limit)
    texts, _ = ours(program, pages)
    by_package = collections.defaultdict(list)
    for page, text in zip(pages, texts):
        by_package[page.name.split(":")[0]].append(rates(*shared_figures(page.text, text)))
    for package, each in by_package.items():
        show(package, tuple(sum(it[n] for it in each) / len(each) for n in range(3)), f"{len(each)} pages")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worst", type=int, default=0)
    parser.add_argument("--documentation", type=int, default=60)
    parser.add_argument("--only", action="append", choices=BARS)
    parser.add_argument("--ours-only", action="store_true")
    options = parser.parse_args()
    corpora.in_virtual_environment()
    program = corpora.example("main_text")
    wanted = options.only or list(BARS)
    others = {} if options.ours_only else {"trafilatura": by_trafilatura, "readability-lxml": by_readability}
    good = True
    if "snippets" in wanted:
        good &= compare("snippets", corpora.evaluation_pages(), program, snippet_figures, True, others, options.worst)
    for name, pages in (("readability", corpora.readability_pages), ("newspaper", corpora.newspaper_pages)):
        if name in wanted:
            good &= compare(name, pages(), program, lambda page, text: shared_figures(page.text, text), False, others, options.worst)
    if "documentation" in wanted:
        good &= documentation(program, options.documentation, options.worst)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
