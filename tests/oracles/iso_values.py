#!/usr/bin/env python3
"""Compares which values Sightline takes for dates, times, durations and currencies with other programs.

    tests/oracles/iso_values.py [--command PROGRAM]

Dates, times and durations: aniso8601 10 (PyPI). Currencies: pycountry 26 (PyPI), which is Debian's iso-codes.
Sightline receives them in pages: a value that it does not take is a valueTypeMismatch. What differs by intention
is named below. Exit code 0: no other difference.
"""
import argparse
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sightline-oracles"
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
A_PAGE = 250  # a record lists 300 entities


def in_virtual_environment():
    home = CACHE / "iso-venv"
    python = home / "bin" / "python"
    if pathlib.Path(sys.prefix).resolve() == home.resolve():
        return
    if not (home / "ready-1").exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        subprocess.run([str(python), "-m", "pip", "-q", "install", "aniso8601==10.0.1", "pycountry==26.2.16"], check=True)
        (home / "ready-1").touch()
    os.execv(str(python), [str(python), *sys.argv])


def taken(command, kind, name, values):
    """Values that Sightline accepts for a property."""
    refused = set()
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for at in range(0, len(values), A_PAGE):
            documents = [{"@context": "https://schema.org", "@type": kind, name: it} for it in values[at : at + A_PAGE]]
            file = pathlib.Path(folder) / f"{at}.html"
            file.write_text(f'<script type="application/ld+json">{json.dumps(documents)}</script>')
            files.append(file)
        output = subprocess.run([*command.split(), *map(str, files)], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for at, line in zip(range(0, len(values), A_PAGE), output.splitlines()):
            entities = json.loads(line)["record"]["entities"]
            requested = values[at : at + A_PAGE]
            assert len(entities) == len(requested)
            for value, entity in zip(requested, entities):
                if any(it["code"] == "valueTypeMismatch" and it["path"] == name for it in entity["issues"]):
                    refused.add(value)
    return {it: it not in refused for it in values}


def parses(parse, value):
    try:
        parse(value)
        return True
    except Exception:  # noqa: BLE001 (aniso8601 has many, and ValueError among them)
        return False


def dates():
    days = ["2024-02-29", "2023-02-29", "2026-01-31", "2026-1-2", "2026-13-01", "2026-00-10", "20260102", "20261301", "2026-01", "2026", "26-01-02", "2026-01-32", "0001-01-01", "9999-12-31", "2026/01/02", "02.01.2026", "x"]
    times = ["", "T10:00", "T10:00:00", "T1000", "T100000", "T10", "T24:00", "T24:01", "T25:00", "T10:60", "T10:00:60", "T10:00:61", "T10:00:00.5", "T10:00:00,25", "T", "T1:00", "T10:0", " 10:00", "t10:00"]
    zones = ["", "Z", "+02:00", "-0530", "+02", "+2", "+24:00", "+02:60", "z", " Z", "CET"]
    return [d + t + z for d, t, z in itertools.product(days, times, zones)]


def durations():
    found = set()
    parts = ["", "1Y", "2M", "3D", "1W", "1.5D", "D", "0M"]
    clocks = ["", "T", "T1H", "T5M", "T7S", "T1H5M", "T5M1H", "T1.5H", "T7.25S", "T,5S", "T1"]
    for p, q, c in itertools.product(parts, parts, clocks):
        for sign in ("P", "", "p", "-P"):
            found.add(sign + p + q + c)
    return sorted(found - {""})


def main():
    in_virtual_environment()
    import aniso8601
    import pycountry
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default="cargo run -q -p programs --example structured_data --")
    given = parser.parse_args()

    def date(value):
        if value.startswith(" ") or "t" in value or "z" in value:
            raise ValueError(value)
        day = value.split("T")[0]
        return aniso8601.parse_datetime(value) if "T" in value else aniso8601.parse_date(day)

    # aniso8601 rejects signs and lower case, and accepts one-digit hours and minutes, times of months, slashes between
    # numbers, fractions of days, and a plus instead of the hyphen before a day.
    intended = {
        "dates": lambda it: re.search(r"[tz]|60|T24|\.5|,25|T\d(?!\d)|:\d(?!\d)|^\d{4}(?:-\d{2})?T|/|^\d{4}-\d{2}\+\d{2}$", it) is not None,
        "durations": lambda it: it.startswith("-P") or re.search(r"[.,]\d*D", it) or "W" in it and len(it) > 3,
        "currencies": lambda it: False,
    }
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    codes = ["".join(it) for it in itertools.product(letters, letters, letters)] + ["eur", "€", "EURO", "Kč"]
    known = {it.alpha_3 for it in pycountry.currencies}
    good = True
    for name, kind, prop, values, oracle in (
        ("dates", "Article", "datePublished", dates(), lambda it: parses(date, it)),
        ("durations", "Recipe", "prepTime", durations(), lambda it: parses(aniso8601.parse_duration, it)),
        ("currencies", "Offer", "priceCurrency", codes, lambda it: it in known),
    ):
        ours = taken(given.command, kind, prop, values)
        differ = [it for it in values if ours[it] != oracle(it)]
        left = [it for it in differ if not intended[name](it)]
        good &= not left
        print(f"{name}: {len(values)} values, {sum(ours.values())} taken, {len(differ) - len(left)} differ by intention, {len(left)} without a reason")
        for it in left[:20]:
            print(f"  {it!r}: {'taken' if ours[it] else 'refused'} by Sightline alone")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
