#!/usr/bin/env python3
"""Holds what we read of a page about itself to others.

    tests/oracles/metadata.py [--show]

1. Mozilla Readability's 130 test pages: byline, siteName and publishedTime of expected-metadata.json.
2. The dates that the tests of htmldate 1.0.1 expect, of 69 pages and of pieces of HTML. The bar is for those
   of which we say a date: htmldate takes years of copyrights, names of pictures and any number at last for
   one, where we say that none is known.
3. htmldate 1.11 and trafilatura 2.3.1 (date, author, sitename) on all pages of pages.py but the
   documentation: where both say something, whether it is the same.

Prints the counts; exit code 1: below a bar.
"""
import argparse
import ast
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import pages as corpora  # noqa: E402

BARS = {"byline": 0.90, "siteName": 0.90, "publishedTime": 0.95, "dates of pages, said": 0.90, "dates of pieces, said": 0.95, "htmldate, original": 0.90}


def ours(program, pages):
    """What we read, for each page."""
    found = {}
    for charset in sorted({it.charset for it in pages}):
        words = [word for it in pages if it.charset == charset for word in (it.url or "http://fakehost/test/page.html", str(it.file))]
        ran = subprocess.run([program, *(["--charset", charset] if charset else []), *words], check=True, capture_output=True, text=True)
        for answer in map(json.loads, ran.stdout.splitlines()):
            found[answer["file"]] = answer
    return [found[str(it.file)] for it in pages]


def line(text):
    """A byline without white space, case, words such as "by", and the date after it."""
    text = re.sub(r"\s+", " ", text or "").strip().lower()
    text = re.sub(r"^(written by|posted by|by|par|von|por)[: ]+", "", text)
    months = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
    return re.sub(rf"\W*\b((\d{{1,2}} )?({months})[a-z]* (\d{{1,2}},? )?\d{{4}}.*)$", "", text)


class Count:
    def __init__(self, name, show):
        self.name, self.same, self.all, self.show = name, 0, 0, show

    def add(self, where, theirs, mine, same):
        self.all += 1
        self.same += bool(same)
        if not same and self.show:
            print(f"     {self.name}: {where}: {theirs!r}, ours {mine!r}")

    def end(self):
        share, bar = self.same / self.all, BARS.get(self.name)
        print(f"  {self.name:<22} {self.same} of {self.all} the same: {share:.3f}" + (f", the bar is {bar}" + ("" if share >= bar else ": MISSED") if bar else ""))
        return bar is None or share >= bar


def readability(program, show):
    pages = corpora.readability_pages()
    bylines, names, times = (Count(it, show) for it in ("byline", "siteName", "publishedTime"))
    for page, known in zip(pages, ours(program, pages)):
        expected = page.metadata
        # Two of the expected bylines are dates and name no person.
        if re.sub("last updated:?", "", line(expected.get("byline"))).strip():
            mine = (known["byline"] or {}).get("text")
            names_alone = ", ".join(it["name"] for it in known["authors"])
            bylines.add(page.name, expected["byline"], mine, line(expected["byline"]) in (line(mine), line(names_alone)))
        if expected.get("siteName"):
            mine = (known["siteName"] or {}).get("text")
            names.add(page.name, expected["siteName"], mine, line(mine) == line(expected["siteName"]))
        if expected.get("publishedTime"):
            mine = (known["published"] or {}).get("day")
            times.add(page.name, expected["publishedTime"], mine, mine == expected["publishedTime"][:10])
    print(f"readability's expected metadata: {len(pages)} pages")
    return all([it.end() for it in (bylines, names, times)])


def htmldate_expectations():
    """What htmldate's tests expect: (page or piece, of the original, date)."""
    home = corpora.source_distribution("htmldate", "1.0.1")
    tree = ast.parse((home / "tests" / "unit_tests.py").read_text())
    names = next(ast.literal_eval(it.value) for it in ast.walk(tree) if isinstance(it, ast.Assign) and getattr(it.targets[0], "id", "") == "MOCK_PAGES")
    for it in ast.walk(tree):
        if not (isinstance(it, ast.Compare) and isinstance(it.left, ast.Call) and getattr(it.left.func, "id", "") == "find_date"):
            continue
        date, call = it.comparators[0], it.left
        options = {word.arg: getattr(word.value, "value", None) for word in call.keywords}
        if not (isinstance(date, ast.Constant) and isinstance(date.value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", date.value)) or "outputformat" in options:
            continue
        page = call.args[0]
        original = options.get("original_date", False)
        if isinstance(page, ast.Constant) and isinstance(page.value, str) and "max_date" not in options and "min_date" not in options:
            yield None, page.value, options.get("url") or "", original, date.value
        elif isinstance(page, ast.Call) and getattr(page.func, "id", "") == "load_mock_page":
            url = page.args[0].value
            if url in names:
                yield home / "tests" / "cache" / names[url], None, url, original, date.value


def htmldate_tests(program, show):
    expectations = list(htmldate_expectations())
    good = True
    for name, wanted in (("dates of pages", True), ("dates of pieces", False)):
        count, stated = Count(name, show), Count(name + ", said", False)
        with tempfile.TemporaryDirectory() as folder:
            pages = []
            for at, (file, piece, url, original, date) in enumerate(it for it in expectations if bool(it[0]) == wanted):
                if piece is not None:
                    file = pathlib.Path(folder) / f"{at}.html"
                    file.write_text(piece)
                pages.append(corpora.Page(piece or file.name, file, url, metadata={"original": original, "date": date}))
            for page, known in zip(pages, ours(program, pages)):
                mine = day(known, page.metadata["original"])
                count.add(page.name[:300], page.metadata["date"], dates_of(known), page.metadata["date"] == mine)
                if mine:
                    stated.add(page.name[:300], page.metadata["date"], mine, page.metadata["date"] == mine)
        count.end()
        good &= stated.end()
    return good


def day(known, original):
    """The day of publication, or of the last change, as htmldate means them."""
    first, other = ("published", "modified") if original else ("modified", "published")
    return (known[first] or known[other] or {}).get("day")


def dates_of(known):
    return [(it["role"], it["source"], it["day"]) for it in known["dates"]]


def beside_others(program, show):
    import htmldate
    import trafilatura
    import trafilatura.metadata
    pages = corpora.evaluation_pages() + corpora.readability_pages() + corpora.newspaper_pages()
    pages += [corpora.Page(it.name, it) for it in sorted((corpora.source_distribution("htmldate", "1.0.1") / "tests" / "cache").iterdir())]
    counts = {it: Count(it, show) for it in ("htmldate, original", "htmldate, latest", "trafilatura's author", "trafilatura's sitename")}
    only = collections.Counter()
    for page, known in zip(pages, ours(program, pages)):
        data = page.bytes()
        tree = trafilatura.load_html(data)
        described = trafilatura.metadata.extract_metadata(tree, page.url or None) if tree is not None else None
        dates = {
            "htmldate, original": (find(htmldate, data, page, True), day(known, True)),
            "htmldate, latest": (find(htmldate, data, page, False), day(known, False)),
            "trafilatura's author": (described and described.author, ", ".join(it["name"] for it in known["authors"]) or None),
            "trafilatura's sitename": (described and described.sitename, (known["siteName"] or {}).get("text")),
        }
        for name, (theirs, mine) in dates.items():
            if theirs and mine:
                counts[name].add(page.name, theirs, mine, sorted(corpora.words(theirs)) == sorted(corpora.words(mine)))
            else:
                only[name, "theirs only" if theirs else "ours only" if mine else "neither"] += 1
    print(f"beside htmldate and trafilatura: {len(pages)} pages, counted where both say something")
    good = True
    for name, count in counts.items():
        good &= count.end()
        print("                        ", {reader: number for (of, reader), number in only.items() if of == name})
    return good


def find(htmldate, data, page, original):
    try:
        return htmldate.find_date(data, original_date=original, url=page.url or None)
    except Exception:
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--no-others", action="store_true")
    options = parser.parse_args()
    corpora.in_virtual_environment()
    program = corpora.example("metadata")
    good = readability(program, options.show)
    good &= htmldate_tests(program, options.show)
    if not options.no_others:
        good &= beside_others(program, options.show)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
