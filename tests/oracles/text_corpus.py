"""Running text in eleven languages out of Debian's documentation packages, for the oracles beside this file.

The packages are fetched by apt-get into the cache folder and unpacked there; nothing is installed. A
paragraph is the text of one <p> or <div class="para"> of an HTML page with at least eight words; Slovak, which
no manual is written in, comes from the messages of programs. The same packages give the same paragraphs.
"""
import functools
import gettext
import html.parser
import os
import pathlib
import subprocess
import sys

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sightline-oracles"
DEBS = CACHE / "text-debs"
HANDBOOK = "debian-handbook"
GUIDE = "installation-guide-amd64"
# Language: the package and the folder of its pages.
SOURCES = {
    "en": (HANDBOOK, "usr/share/doc/debian-handbook/html/en-US"),
    "de": (HANDBOOK, "usr/share/doc/debian-handbook/html/de-DE"),
    "es": (HANDBOOK, "usr/share/doc/debian-handbook/html/es-ES"),
    "fr": (HANDBOOK, "usr/share/doc/debian-handbook/html/fr-FR"),
    "it": (HANDBOOK, "usr/share/doc/debian-handbook/html/it-IT"),
    "nl": (HANDBOOK, "usr/share/doc/debian-handbook/html/nl-NL"),
    "ru": (GUIDE, "usr/share/doc/installation-guide-amd64/ru"),
    "pl": ("libreoffice-help-pl", "usr/share/libreoffice/help/pl"),
    "cs": ("libreoffice-help-cs", "usr/share/libreoffice/help/cs"),
    "hu": ("libreoffice-help-hu", "usr/share/libreoffice/help/hu"),
    "sk": (("apt", "bash", "coreutils", "dpkg", "gnupg-l10n", "grep", "sed", "wget"), "usr/share/locale/sk"),
}
LANGUAGES = list(SOURCES)


def virtual_environment(name, *packages):
    """The Python of a virtual environment in the cache folder that has the packages."""
    home = CACHE / f"{name}-venv"
    python = home / "bin" / "python"
    wanted, noted = "\n".join(packages), home / "packages.txt"
    if not noted.exists() or noted.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
        noted.write_text(wanted)
    return python


def in_virtual_environment(name, *packages):
    """Runs the calling script again inside a virtual environment that has the packages."""
    python = virtual_environment(name, *packages)
    if pathlib.Path(sys.prefix) != python.parent.parent:
        os.execv(python, [str(python), *sys.argv])


def unpacked(package):
    """The folder in which a Debian package lies unpacked."""
    folder = DEBS / package
    if not folder.exists():
        DEBS.mkdir(parents=True, exist_ok=True)
        fetch = ["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", package]
        if subprocess.run(fetch, cwd=DEBS).returncode:
            subprocess.run(["apt-get", "update", "-qq"], check=True)
            subprocess.run(fetch, cwd=DEBS, check=True)
        archive = max(DEBS.glob(f"{package}_*.deb"), key=lambda it: it.stat().st_mtime)
        subprocess.run(["dpkg", "-x", archive, folder], check=True)
        archive.unlink()
    return folder


class _Paragraphs(html.parser.HTMLParser):
    """The text of each <p>, white space collapsed; code and markup of other kinds left out."""

    def __init__(self):
        super().__init__()
        self.found, self.text, self.skipped = [], None, 0

    def handle_starttag(self, tag, attributes):
        if tag == "p" or tag == "div" and ("class", "para") in attributes:
            self.close_paragraph()
            self.text = []
        elif tag in ("script", "style", "pre"):
            self.skipped += 1

    def handle_endtag(self, tag):
        if tag in ("p", "div", "li", "td", "body"):
            self.close_paragraph()
        elif tag in ("script", "style", "pre"):
            self.skipped -= 1

    def handle_data(self, data):
        if self.text is not None and self.skipped <= 0:
            self.text.append(data)

    def close_paragraph(self):
        if self.text is not None:
            text = " ".join("".join(self.text).split())
            if len(text.split()) >= 8:
                self.found.append(text)
            self.text = None


def paragraphs_of(page):
    """The paragraphs of one HTML file, in order."""
    parser = _Paragraphs()
    parser.feed(page.read_text(encoding="utf-8", errors="replace"))
    parser.close_paragraph()
    return parser.found


@functools.cache
def pages(language):
    """[(file, [paragraph])] of a language, pages without a paragraph left out."""
    packages, below = SOURCES[language]
    if isinstance(packages, tuple):
        return [(name, _messages(unpacked(name) / below)) for name in packages]
    files = sorted((unpacked(packages) / below).rglob("*.htm*"))
    read = [(str(file), paragraphs_of(file)) for file in files]
    return [it for it in read if it[1]]


@functools.cache
def paragraphs(language, limit=4000):
    """At most so many different paragraphs of a language."""
    every = dict.fromkeys(text for _, found in pages(language) for text in found)
    if language not in ("en", "sk"):
        # Untranslated paragraphs are in English in every manual.
        for text in _english():
            every.pop(text, None)
    return list(every)[:limit]


@functools.cache
def _english():
    """Every paragraph of the English manuals of which the others are translations."""
    folders = [SOURCES["en"], (GUIDE, "usr/share/doc/installation-guide-amd64/en"), ("libreoffice-help-en-us", "usr/share/libreoffice/help/en-US")]
    return {text for package, below in folders for file in (unpacked(package) / below).rglob("*.htm*") for text in paragraphs_of(file)}


def _messages(folder):
    """Translated messages of at least eight words in the .mo files of a folder."""
    found = []
    for file in sorted(folder.rglob("*.mo")):
        with open(file, "rb") as opened:
            catalogue = gettext.GNUTranslations(opened)._catalog
        for key, text in sorted(((str(key), text) for key, text in catalogue.items() if key), key=lambda it: it[0]):
            lines = [" ".join(line.split()) for line in text.split("\n\n")]
            found += [line for line in lines if len(line.split()) >= 8 and "%" not in line and "--" not in line]
    return found


if __name__ == "__main__":
    for language in LANGUAGES:
        texts = paragraphs(language)
        print(f"{language}: {len(pages(language))} pages, {len(texts)} paragraphs, {sum(len(it.split()) for it in texts)} words: {texts[len(texts) // 2][:90]}")
