"""Real pages to read structured data from, from packages of PyPI and Debian, and from Debian's documentation.

What is fetched goes into a folder of the cache, once:
  recipe-scrapers  the source package python-recipe-scrapers of Debian: 262 pages of recipe sites
  newspaper4k      its sdist: pages of newspapers
  metadata_parser, trafilatura   their sdists: pages of all kinds
  made             what real pages seldom do: itemref, prefixes, graphs, contexts (MADE)
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


MADE = [
    # itemref: outside, in another item's subtree, to an item, duplicated, before and after
    '<div itemscope itemtype="http://schema.org/Person" itemref="a b"><p itemprop="name">Jo</p></div><p id="a">x <b itemprop="age">3</b></p><div id="b" itemprop="band" itemscope><i itemprop="name">Jazz</i></div>',
    '<p id="z" itemprop="email">z@example.com</p><section itemscope itemtype="http://schema.org/Organization" itemref="z y"><span itemprop="name">O</span></section><p id="y"><span itemprop="telephone">1</span><span itemprop="faxNumber">2</span></p>',
    '<div itemscope><p itemprop="a">1</p><div itemprop="b" itemscope itemref="c"><p itemprop="d">2</p></div></div><p id="c" itemprop="e">3</p>',
    # values by element
    '<div itemscope itemtype="https://schema.org/Thing https://example.org/T" itemid="#me"><meta itemprop="m" content="c"><img itemprop="i" src="a/../b.png"><a itemprop="l k" href="?q=1">t</a><area itemprop="r" href="//other.org"><object itemprop="o" data="d.swf"></object><data itemprop="d" value="7">seven</data><meter itemprop="e" value="0.5">half</meter><time itemprop="t" datetime="2026-01-02">today</time><span itemprop="s">  a <em>b</em>  c </span><video itemprop="v" src="v.mp4"></video><iframe itemprop="f" src="f.html"></iframe><audio itemprop="u"><source itemprop="w" src="w.ogg"></audio></div>',
    '<div itemscope itemtype="http://schema.org/Offer"><span itemprop="price" content="1000.00">1,000</span><link itemprop="availability" href="http://schema.org/InStock"></div>',
    # deep and side by side
    "".join(f'<div itemscope itemtype="http://schema.org/Thing"><p itemprop="name">{n}</p><div itemprop="about" itemscope>' for n in range(12)) + "<p itemprop=name>end</p>" + "</div></div>" * 12,
    # RDFa Lite
    '<p vocab="http://schema.org/" typeof="Person">My name is <span property="name">Manu</span> and my phone is <span property="telephone">1-800</span>. <img property="image" src="m.png"> <a property="url" href="http://manu.example.org/">home</a></p>',
    '<div vocab="http://schema.org/" resource="#manu" typeof="Person"><span property="name">Manu</span><div property="address" typeof="PostalAddress"><span property="streetAddress">1 St</span></div></div><a vocab="http://schema.org/" resource="#manu" property="sameAs" href="http://other.org/">x</a>',
    '<p vocab="http://schema.org/" prefix="ov: http://open.vocab.org/terms/ foo: http://foo.org/" typeof="foo:T Person"><span property="ov:preferredAnimal foo:a name">Liger</span><meta property="birthDate" content="1980-01-01"><time property="deathDate" datetime="2080">x</time></p>',
    '<div vocab="http://schema.org/"><div typeof="Event"><a property="url" href="e.html"><span property="name">Party</span></a><div property="location" resource="#hall" typeof="Place"><b property="name">Hall</b></div></div><div about="#hall"><i property="telephone">5</i></div></div>',
    '<div vocab="http://schema.org/" typeof="Thing"><div vocab=""><b property="name">no</b></div><div vocab="http://other.org/"><b property="p">q</b><i typeof="U" property="r">s</i></div></div>',
    '<body vocab="http://schema.org/" typeof="WebPage"><h1 property="name">T</h1><div property="mainEntity" typeof="Thing"><p property="name">x</p></div></body>',
    # RDFa with rel and rev: values inside, links with and without a name, chains, lists, both with property
    '<div typeof="schema:Product"><div rel="schema:review"><div typeof="schema:Review"><b property="schema:name">Good</b><div rel="schema:author"><p typeof="schema:Person"><i property="schema:name">Ann</i></p></div></div><div typeof="schema:Review"><b property="schema:name">Bad</b></div></div></div>',
    '<div vocab="http://schema.org/" typeof="Product"><p rel="offers"><b property="price">1</b><i property="priceCurrency">EUR</i></p><a rel="image nofollow" href="a.png">x</a><p rel="isRelatedTo"><a href="/b">b</a><a href="/b">b</a><a href="/c">c</a></p><p rel="brand" typeof="Brand"><u property="name">B</u></p></div>',
    '<div vocab="http://schema.org/"><p resource="#a" typeof="Product"><b property="name">A</b><a rev="about" href="#r">r</a></p><div typeof="Organization" resource="#o"><b property="name">O</b><p rev="worksFor"><i typeof="Person"><u property="name">P</u></i></p></div></div>',
    '<div vocab="http://schema.org/" typeof="Thing"><b property="name">t</b><p rel="about"><span rel="author"><i property="name">deep</i></span></p><p rel="subjectOf" resource="#s"><i property="name">s</i></p><p about="#x" rel="sameAs" typeof="Person"><a href="/y">y</a><i property="email">e</i></p></div>',
    '<div vocab="http://schema.org/" prefix="x: http://x.org/" typeof="Article"><b property="name">n</b><a property="url" rel="author" href="/u">u</a><a property="headline" rel="x:p" href="/v">text</a><a rel="author x:q" typeof="Person" href="/w"><i property="name">w</i></a><p rel="publisher" rev="x:back"><span typeof="Organization" resource="#pub"><i property="name">o</i></span></p></div>',
    '<link rel="https://api.w.org/" href="/wp-json/"><a rel="license" href="/l">x</a><div vocab="http://schema.org/" typeof="Article"><b property="name">n</b><a rel="nofollow me" href="/n">n</a><a rel="license" href="/l">l</a><a rel="http://schema.org/citation" href="/c">c</a></div>',
    # JSON-LD
    '<script type="application/ld+json">{"@context":"http://schema.org","@graph":[{"@type":"WebSite","@id":"#w","name":"W"},{"@type":["Article","x:Y"],"isPartOf":{"@id":"#w"},"author":[{"@type":"Person","name":"A"},"B",null,3,true]}]}</script>',
    '<script type="application/ld+json">[{"@context":{"@vocab":"https://schema.org/","x":"http://x.org/"},"@type":"x:T","x:p":{"@value":"v","@language":"en"},"q":{"@list":[1,2.5,{"@id":"/a"}]},"r":[[],{},[{"@type":"Thing"}]]},{"@context":"https://schema.org/","@type":"Thing"}]</script>',
    '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Thing","name":"a\\u00e9\\n","url":"a b","image":["x.png","http://y.org"]}</script><script type="application/ld+json">{"@context":}</script><script type="application/LD+JSON;x=y"><!-- {"@context":"https://schema.org","@type":"Thing"} --></script>',
]


def made(home):
    folder = home / "made"
    folder.mkdir(exist_ok=True)
    files = [folder / f"{number:02}.html" for number in range(len(MADE))]
    for file, body in zip(files, MADE):
        head = "" if body.startswith("<body") else "<title>t</title>"
        file.write_text(f"<!DOCTYPE html><meta charset=utf-8>{head}{body}")
    return files


def corpora():
    """Lists of files by corpus; prints those that are not available."""
    home = CACHE / "structured-data-pages"
    home.mkdir(parents=True, exist_ok=True)
    found = {"made": made(home), "recipe-scrapers": recipes(home)}
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
        # Not every mirror keeps the Debian part of old source packages; the pages are in the tar.
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
