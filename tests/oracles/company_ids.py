#!/usr/bin/env python3
"""Holds our check digits of company numbers to python-stdnum 2.2.

    tests/oracles/company_ids.py

For each of 13 registers 20,000 numbers of its form, of which some hundreds to thousands are right by chance or by
a last digit that is tried out. Ends with 1 when a verdict differs.
"""
import random
import sys

import text_corpus

text_corpus.in_virtual_environment("stdnum", "python-stdnum==2.2")

import driver  # noqa: E402
import stdnum.at.uid  # noqa: E402
import stdnum.be.vat  # noqa: E402
import stdnum.cz.dic  # noqa: E402
import stdnum.de.vat  # noqa: E402
import stdnum.es.cif  # noqa: E402
import stdnum.fr.siren  # noqa: E402
import stdnum.gb.vat  # noqa: E402
import stdnum.hu.anum  # noqa: E402
import stdnum.it.iva  # noqa: E402
import stdnum.lei  # noqa: E402
import stdnum.nl.btw  # noqa: E402
import stdnum.pl.nip  # noqa: E402
import stdnum.sk.dph  # noqa: E402
import stdnum.sk.rc  # noqa: E402

DIGITS = "0123456789"


def digits(seeded, count):
    return "".join(seeded.choice(DIGITS) for _ in range(count))


def no_birth_number(seeded):
    # stdnum accepts any birth number, whatever its form.
    while stdnum.sk.rc.is_valid(number := digits(seeded, 10)):
        pass
    return number


def czech(number):
    # stdnum accepts IČO as the legal entity's DIČ of 8 digits, which never begins with 9.
    return not number.startswith("9") and stdnum.cz.dic.is_valid(number)


REGISTERS = {
    "czIco": (lambda it: seeded_digit(it, "012345678") + digits(it, 7), czech),
    "skIcDph": (no_birth_number, stdnum.sk.dph.is_valid),
    "deVat": (lambda it: digits(it, 9), stdnum.de.vat.is_valid),
    "atUid": (lambda it: digits(it, 8), lambda it: stdnum.at.uid.is_valid("U" + it)),
    "plNip": (lambda it: digits(it, 10), stdnum.pl.nip.is_valid),
    "huTax": (lambda it: digits(it, 8), stdnum.hu.anum.is_valid),
    "frSiren": (lambda it: digits(it, 9), stdnum.fr.siren.is_valid),
    "itIva": (lambda it: digits(it, 7) + f"{it.randrange(125):03}" + digits(it, 1), stdnum.it.iva.is_valid),
    "esCif": (lambda it: it.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") + digits(it, 7) + it.choice(DIGITS + "ABCDEFGHIJ"), stdnum.es.cif.is_valid),
    "nlBtw": (lambda it: digits(it, 9) + "B" + digits(it, 2), stdnum.nl.btw.is_valid),
    "beVat": (lambda it: seeded_digit(it, "012") + digits(it, 9), stdnum.be.vat.is_valid),
    "gbVat": (lambda it: digits(it, 9), stdnum.gb.vat.is_valid),
    "lei": (lambda it: "".join(it.choice(DIGITS + "ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(18)) + digits(it, 2), stdnum.lei.is_valid),
}


def seeded_digit(seeded, among):
    return seeded.choice(among)


def main():
    seeded, good = random.Random(5), True
    for kind, (make, is_valid) in REGISTERS.items():
        numbers = [make(seeded) for _ in range(20_000)]
        ours = driver.query("page_evidence", [{"do": "companyId", "kind": kind, "number": it} for it in numbers])
        theirs = [bool(is_valid(it)) for it in numbers]
        different = [(number, mine) for number, mine, their in zip(numbers, ours, theirs) if mine != their]
        print(f"{kind}: {sum(theirs)} of {len(numbers)} right, {len(different)} verdicts differ {different[:3] or ''}")
        good &= not different and sum(theirs) > 50
    print("all as they should be" if good else "wrong")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
