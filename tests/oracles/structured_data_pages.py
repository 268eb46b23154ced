"""Real pages to read structured data from, from packages of PyPI and Debian, and from Debian's documentation.

What is fetched goes into a folder of the cache, once:
  recipe-scrapers  the source package python-recipe-scrapers of Debian: 262 pages of recipe sites
  newspaper4k      its sdist: pages of newspapers
  metadata_parser, trafilatura   their sdists: pages of all kinds
  *-doc            every nth page of what is installed: pages without structured data, or little
"""
import os
import pathlib
import subprocess
import sys
import tarfile

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sightline-oracles"
SDISTS = ["newspaper4k==0.9.6", "metadata_parser==2.0.0", "trafilatura==2.3.1"]
DOCUMENTATION = {
    "python3-doc": ("/usr/share/doc/python3.11/html", "*.html"),
    "sqlite3-doc": ("/usr/share/doc/sqlite3", "*.html"),
    "apache2-doc": ("/usr/share/doc/apache2-doc/manual", "*.html"),
    "postgresql-doc-15": ("/usr/share/doc/postgresql-doc-15/html", "*.html"),
}
OF_EACH = 40


def corpora():
    """Lists of files by the name of their corpus; those that are not to be had are named."""
    home = CACHE / "structured-data-pages"
    home.mkdir(parents=True, exist_ok=True)
    found = {"recipe-scrapers": recipes(home)}
    for package in SDISTS:
        found[package.split("==")[0]] = sdist(home, package)
    for name, (folder, pattern) in DOCUMENTATION.items():
        files = sorted(pathlib.Path(folder).rglob(pattern))
        found[name] = files[:: max(1, len(files) // OF_EACH)]
    for name, files in found.items():
        if not files:
            print(f"not to be had: {name}", file=sys.stderr)
    return {name: files for name, files in found.items() if files}


def recipes(home):
    folder = home / "recipe-scrapers"
    if not folder.exists():
        apt = home / "apt"
        for it in ("lists/partial", "cache/archives/partial"):
            (apt / it).mkdir(parents=True, exist_ok=True)
        key = "/usr/share/keyrings/debian-archive-keyring.gpg"
        (apt / "sources.list").write_text(f"deb-src [signed-by={key}] http://deb.debian.org/debian bookworm main\n")
        options = [f"Dir::Etc::SourceList={apt}/sources.list", "Dir::Etc::SourceParts=/dev/null", f"Dir::State::Lists={apt}/lists", f"Dir::Cache={apt}/cache"]
        command = ["apt-get", "-q", *(f"-o{it}" for it in options)]
        subprocess.run([*command, "update"], check=True, stdout=subprocess.DEVNULL)
        # The Debian part of old source packages is not kept by every mirror; the pages are in the tar.
        subprocess.run([*command, "source", "--download-only", "--tar-only", "python-recipe-scrapers"], cwd=apt, stdout=subprocess.DEVNULL)
        unpack(next(apt.glob("python-recipe-scrapers*.orig.tar.gz"), None), folder)
    return sorted(it for it in folder.rglob("*") if it.suffix in (".html", ".testhtml"))


def sdist(home, package):
    folder = home / package.replace("==", "-")
    if not folder.exists():
        into = home / "sdists"
        subprocess.run([sys.executable, "-m", "pip", "-q", "download", "--no-deps", "--no-binary", package.split("==")[0], package, "-d", str(into)], check=True)
        name = package.replace("==", "-").replace("-", "[-_]")
        unpack(next(into.glob(f"{name}*.tar.gz"), None), folder)
    return sorted(folder.rglob("*.html"))


def unpack(archive, folder):
    if archive:
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
