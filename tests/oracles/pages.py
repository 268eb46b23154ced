"""Pages with known main text and metadata, as packages of the registries ship them.

Imported by main_text.py and metadata.py. Nothing of it is kept in the repository:

- trafilatura 1.1.0, source distribution (PyPI): 110 pages of trafilatura's evaluation corpus in
  tests/cache, and in tests/realworld_tests.py what has to be in their main text and what must not.
  (The whole corpus, 990 documents with evaldata.json, is in the project's repository only.)
- readabilityrs 0.1.4 (crates.io): the 130 test pages of Mozilla's Readability, each with
  expected.html and expected-metadata.json.
- newspaper4k 0.9.6, source distribution (PyPI): articles with their text.
- htmldate 1.0.1, source distribution (PyPI): 69 pages, and in tests/unit_tests.py their dates.
- Debian's documentation packages, installed by apt-get where they are missing.
"""
import dataclasses
import glob
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sightline-oracles"
REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
REQUIREMENTS = ["trafilatura==2.3.1", "htmldate==1.11.0", "readability-lxml==0.9", "protego==0.7.0", "ultimate-sitemap-parser==1.8.0",
                "fast-robotstxt==1.1.0"]
DOCUMENTATION = {
    "postgresql-doc-15": "/usr/share/doc/postgresql-doc-15/html",
    "python3-doc": "/usr/share/doc/python3.11/html",
    "sqlite3-doc": "/usr/share/doc/sqlite3",
    "apache2-doc": "/usr/share/doc/apache2-doc/manual",
    "debian-handbook": "/usr/share/doc/debian-handbook/html",
    "installation-guide-amd64": "/usr/share/doc/installation-guide-amd64",
}


def in_virtual_environment():
    """Runs this script again inside a virtual environment that has the oracles."""
    home = CACHE / "pages-venv"
    python = home / "bin" / "python"
    noted = home / "requirements.txt"
    wanted = "\n".join(REQUIREMENTS)
    if not noted.exists() or noted.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--upgrade", "pip"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *REQUIREMENTS], check=True)
        noted.write_text(wanted)
    if pathlib.Path(sys.prefix).resolve() != home.resolve():
        os.execv(python, [str(python), *sys.argv])


def example(name):
    """One of our example programs, built for release."""
    command = ["cargo", "build", "--release", "-q", "-p", "programs", "--example", name]
    subprocess.run(command, cwd=REPOSITORY, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    return target / "release" / "examples" / name


def source_distribution(name, version):
    """The unpacked source distribution of a Python package."""
    folder = CACHE / "sources"
    place = folder / f"{name}-{version}"
    if not place.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", folder, f"{name}=={version}"]
        subprocess.run(command, check=True)
        with tarfile.open(folder / f"{name}-{version}.tar.gz") as packed:
            packed.extractall(folder, filter="data")
    return place


def crate(name, version):
    """The unpacked source of a Rust crate."""
    place = CACHE / "crates" / f"{name}-{version}" / "vendor" / name
    if not place.exists():
        project = place.parent.parent
        (project / "src").mkdir(parents=True, exist_ok=True)
        (project / "src" / "lib.rs").write_text("")
        (project / "Cargo.toml").write_text(f'[package]\nname = "fetching"\nversion = "0.0.0"\nedition = "2021"\n\n[workspace]\n\n[dependencies]\n{name} = "={version}"\n')
        subprocess.run(["cargo", "vendor", "-q"], cwd=project, check=True, stdout=subprocess.DEVNULL)
    return place


@dataclasses.dataclass
class Page:
    """A page and what is known of it."""
    name: str
    file: pathlib.Path
    url: str = ""
    present: tuple = ()
    absent: tuple = ()
    text: str = ""
    metadata: dict = dataclasses.field(default_factory=dict)
    charset: str = ""

    def bytes(self):
        """The page, in the declared encoding unless the real one is known."""
        data = self.file.read_bytes()
        if not self.charset:
            return data
        return re.sub(rb"charset=[\"']?[\w-]+", b"charset=utf-8", data)


def evaluation_pages():
    """Pages of trafilatura's evaluation corpus with snippets. Text of comments counts too: those
    are the snippets that trafilatura failed at."""
    home = source_distribution("trafilatura", "1.1.0")
    source = (home / "tests" / "realworld_tests.py").read_text()
    files = dict(re.findall(r"^'(.+?)': '(.+?)',", source, re.M))
    pages = []
    for url, tail in re.findall(r"load_mock_page\('(.+?)', xmloutput\)(.*?)(?=\n +#?result = load|\Z)", source, re.S):
        present = re.findall(r"'((?:[^'\\]|\\.)+)' in result", tail)
        absent = re.findall(r"'((?:[^'\\]|\\.)+)' not in result", tail)
        present, absent = ([it.replace("\\'", "'") for it in one] for one in (present, absent))
        if present and url in files:
            file = home / "tests" / "cache" / files[url]
            present = [it for it in present if not is_in_comments(file, it)]
            # Kept as UTF-8 whatever the page declares, with a few exceptions.
            pages.append(Page(files[url], file, url, tuple(present), tuple(absent), charset="utf-8" if is_utf8(file) else ""))
    return pages


def is_utf8(file):
    try:
        file.read_bytes().decode()
    except UnicodeDecodeError:
        return False
    return True


def is_in_comments(file, snippet):
    """Whether a snippet is among readers' comments. The tests were written with comments as part of
    the result; the evaluation, like we, leaves them out."""
    import trafilatura.utils
    tree = trafilatura.utils.load_html(file.read_bytes())
    snippet = re.sub(r"\s+", " ", snippet).strip()
    holding = None
    for element in tree.iter("div", "p", "li", "section", "article", "td"):
        if snippet in re.sub(r"\s+", " ", element.text_content()):
            holding = element
    while holding is not None:
        if re.search(r"(^|[ -])comments?(list|[-_ ]|$)|^disqus", f"{holding.get('class') or ''} {holding.get('id') or ''}"):
            return holding.tag not in ("body", "html")
        holding = holding.getparent()
    return False


def readability_pages():
    """Mozilla's test pages; their text is that of expected.html."""
    from lxml import html
    pages = []
    for folder in sorted((crate("readabilityrs", "0.1.4") / "tests" / "test-pages").iterdir()):
        expected = (folder / "expected.html").read_text()
        metadata = json.loads((folder / "expected-metadata.json").read_text())
        tree = html.fromstring(expected) if expected.strip() else None
        text = " ".join(tree.itertext()) if tree is not None else ""
        pages.append(Page(folder.name, folder / "source.html", "", text=text, metadata=metadata, charset="utf-8"))
    return pages


def newspaper_pages():
    """Articles with their text."""
    home = source_distribution("newspaper4k", "0.9.6") / "tests" / "data"
    pages = []
    for file in sorted((home / "txt").iterdir()):
        page = home / "html" / f"{file.stem}.html"
        if page.exists() and "summary" not in file.stem:
            pages.append(Page(file.stem, page, text=file.read_text()))
    return pages


def documentation_pages(limit, seed=1):
    """Pages of Debian's documentation, at most so many of each package."""
    missing = [name for name, folder in DOCUMENTATION.items() if not os.path.isdir(folder)]
    if missing:
        subprocess.run(["apt-get", "-qq", "-y", "install", *missing], check=True)
    pages = []
    for name, folder in DOCUMENTATION.items():
        files = sorted(file for end in ("html", "en") for file in glob.glob(f"{folder}/**/*.{end}", recursive=True))
        files = [it for it in files if os.path.isfile(it) and not os.path.islink(it)]
        for file in sorted(random.Random(seed).sample(files, min(limit, len(files)))):
            pages.append(Page(f"{name}:{os.path.relpath(file, folder)}", pathlib.Path(file)))
    return pages


def words(text):
    """Words; each character of the scripts that put no space between them is one."""
    return re.findall(r"[\u0e00-\u0e7f\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u0e00-\u0e7f\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+", text.lower())
