#!/usr/bin/env python3
"""Compares our pixel widths with Debian's fonts-liberation, read by fontTools.

    tests/oracles/pixel_width.py            compare; ends with 1 when a width differs
    tests/oracles/pixel_width.py --write    write liberation_sans.rs again

Every character of the ranges is compared alone, and every paragraph of Debian's manuals in eleven
languages as a whole.
"""
import argparse
import sys
import unicodedata

import text_corpus

text_corpus.in_virtual_environment("pixel-width", "fonttools==4.68.0")
from fontTools.ttLib import TTFont  # noqa: E402

import driver  # noqa: E402

TABLE = driver.ROOT / "crates/texts/src/text/pixel_width/liberation_sans.rs"
# Latin with its extensions, Greek, Cyrillic, Latin Extended Additional, punctuation, currency, letterlike
# signs, arrows, mathematics.
RANGES = [(0x20, 0x7E), (0xA0, 0x24F), (0x370, 0x3FF), (0x400, 0x52F), (0x1E00, 0x1EFF), (0x2010, 0x2027), (0x2030, 0x205E), (0x20A0, 0x20BF), (0x2100, 0x214F), (0x2190, 0x21FF), (0x2200, 0x22FF)]


def font():
    return TTFont(text_corpus.unpacked("fonts-liberation") / "usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf")


def runs(glyphs, advances):
    """[(first, [advance])]: the characters that the font has, as runs without a gap of more than 4."""
    found = []
    for low, high in RANGES:
        for code in range(low, high + 1):
            if code not in glyphs or not advances[glyphs[code]][0]:
                continue
            width = advances[glyphs[code]][0]
            if found and code - (found[-1][0] + len(found[-1][1])) < 4:
                first, widths = found[-1]
                widths += [0] * (code - first - len(widths)) + [width]
            else:
                found.append((code, [width]))
    return found


def write(glyphs, advances, units):
    lines = [
        "//! Advance widths of Liberation Sans 1.07.4 (Debian fonts-liberation), in units of the font.",
        "//!",
        "//! Written by `tests/oracles/pixel_width.py --write`.",
        "",
        "/// Units of the font in the height of its letters.",
        f"pub const UNITS_PER_EM: u16 = {units};",
        "",
        "/// Runs of characters: the first one's code, and the widths from it on; 0 is a character that the",
        "/// font has not.",
        "#[rustfmt::skip]",
        "pub const ADVANCES: &[(u32, &[u16])] = &[",
    ]
    for first, widths in runs(glyphs, advances):
        lines.append(f"    ({first:#06x}, &[")
        for at in range(0, len(widths), 18):
            lines.append("        " + ", ".join(map(str, widths[at : at + 18])) + ",")
        lines.append("    ]),")
    TABLE.write_text("\n".join(lines + ["];", ""]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    opened = font()
    glyphs, advances, units = opened.getBestCmap(), opened["hmtx"].metrics, opened["head"].unitsPerEm
    if given.write:
        write(glyphs, advances, units)
    width = lambda text: sum(advances[glyphs[ord(it)]][0] for it in text) * 20 / units  # noqa: E731
    single = [chr(code) for low, high in RANGES for code in range(low, high + 1) if code in glyphs]
    texts = [it for it in single if unicodedata.normalize("NFC", it) == it]
    skipped = 0
    for language in text_corpus.LANGUAGES:
        for text in text_corpus.paragraphs(language):
            composed = unicodedata.normalize("NFC", text)
            is_covered = all(any(low <= ord(it) <= high for low, high in RANGES) and ord(it) in glyphs for it in composed)
            texts += [composed] if is_covered else []
            skipped += not is_covered
    ours = driver.query("text", [{"do": "pixelWidth", "text": it, "size": 20} for it in texts])
    wrong = [(text, one, width(text)) for text, one in zip(texts, ours) if abs(one - width(text)) > 1e-6]
    print(f"{len(single)} characters and {len(texts) - len(single)} paragraphs ({skipped} with a character outside of the table left out): {len(wrong)} differ {wrong[:5]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
