#!/usr/bin/env python3
"""Compares the structured data that Sightline reads from pages with what extruct reads.

    tests/oracles/extruct.py [--command PROGRAM] [--show N] [FILE...]

extruct 0.18 (PyPI) reads JSON-LD and microdata with lxml, and RDFa with pyRdfa3, a complete processor of
RDFa 1.1. Pages are those of structured_data_pages.py. Both get the same tree: pages are parsed by html5lib
first, since extruct's own parser is not an HTML5 parser. Compared are whole items: types, ids, and
every value of every property in order, with their nesting. Addresses are compared as WHATWG addresses
(ada-url, PyPI), texts without white space.

Where the two differ by intention, the page is read by the rules in INTENDED, so that every
other difference shows. Exit code 0: all pages are equal, 1: some differ.
"""
import argparse
import collections
import functools
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sightline-oracles"
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# This file has the same name as the package.
sys.path = [it for it in sys.path if pathlib.Path(it or ".").resolve() != HERE]
PAGE = "https://example.com/dir/page.html"
SCHEMA = re.compile(r"https?://(?:www\.)?schema\.org/+", re.I)
SOCIAL = re.compile(r"(?:og|fb|al|article|product|video|music|book|profile|business|place|twitter):(?!//)", re.I)

INTENDED = {
    "jsonld-type": "extruct wants type=application/ld+json exactly; media types have no case and may have parameters",
    "jsonld-invalid": "extruct repairs invalid JSON (control characters, comments, trailing commas); Google drops such blocks, and so does Sightline; compared is which blocks are valid",
    "jsonld-wrapper": "comments and CDATA around JSON are taken off by Sightline as by browsers of old; extruct takes off one line",
    "jsonld-vocabulary": "extruct leaves names, ids and @graph as they are; they are expanded here by the rules of JSON-LD that pages use",
    "microdata-orphan": "extruct begins an item at an itemscope that is a property of nothing; by the standard it is no item",
    "microdata-shared": "extruct gives an element to the first item alone that itemref puts it into, and in the order of itemref; by the standard each has it, in the order of the tree",
    "microdata-empty": "an item without properties is kept; extruct makes its text a value",
    "microdata-absent": "a missing address (a without href) is no text; extruct makes it the base",
    "microdata-fragment": "extruct loses the sign of an empty fragment (Python's urljoin)",
    "microdata-time": "time without datetime is its text; extruct makes it nothing",
    "microdata-input": "extruct makes objects of inputs of actions",
    "rdfa-links": "words of rel and rev are properties where they have a prefix or are of schema.org; link types of HTML and RFC 8288, inlist and role are taken off before extruct sees the page",
    "rdfa-html": "extruct runs pyRdfa for RDFa Core; what HTML+RDFa adds (datetime, head and body stand for the document) is written as content and about first",
    "rdfa-social": "what social networks read is told apart: left out of both",
}


def in_virtual_environment():
    """Runs this script again inside a virtual environment that has the oracles."""
    home = CACHE / "extruct-venv"
    python = home / "bin" / "python"
    if pathlib.Path(sys.prefix).resolve() == home.resolve():
        return
    if not (home / "ready-1").exists():
        print("installing extruct into", home, file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        subprocess.run([str(python), "-m", "pip", "-q", "install", "extruct==0.18.0", "html5lib==1.1", "ada-url==1.31.0"], check=True)
        (home / "ready-1").touch()
    os.execv(str(python), [str(python), *sys.argv])


# --- both sides as the same plain form: [types, id, [(name, value), ...]], a value being text or such an item

def name_of(written):
    return SCHEMA.sub("", written)


def text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return re.sub(r"\s+", "", str(value))[:4000]


def address(written, base):
    import ada_url
    try:
        return ada_url.join_url(base, written.strip())
    except ValueError:
        return written


def sorted_item(types, ident, properties):
    return ["item", sorted({name_of(it) for it in types}), ident, properties]


class Ours:
    def __init__(self, data, form):
        self.items, self.form = data["items"], form

    def all(self):
        return [self.item(at) for at, it in enumerate(self.items) if it["parent"] is None and it["format"] == self.form]

    def item(self, at):
        it = self.items[at]
        return sorted_item(it["types"], it["id"], [(p["name"], self.value(p["value"])) for p in it["properties"]])

    def value(self, value):
        (kind, inner), = value.items()
        if kind == "item":
            return self.item(inner)
        return {"url": ("url", inner), "reference": ("ref", inner)}.get(kind, text(inner))


# --- JSON-LD

def strict(block):
    """Parses a block as JSON by RFC 8259."""
    def refuse(constant):
        raise ValueError(constant)
    return json.loads(block, parse_constant=refuse, object_pairs_hook=Pairs)


class Pairs(list):
    """An object with all its pairs."""

    def get(self, key):
        return next((v for k, v in reversed(self) if k == key), None)


def unwrapped(block):
    block = block.strip().strip("\ufeff").strip()
    for start, end in ((r"<!--", r"(?://)?-->"), (r"(?:/\*<!\[CDATA\[\*/|//<!\[CDATA\[|<!\[CDATA\[)", r"(?:/\*\]\]>\*/|//\]\]>|\]\]>)")):
        if match := re.match(start, block):
            block = re.sub(end + r"$", "", block[match.end():].strip()).strip()
    return block


class JsonLd:
    """What extruct's parsed JSON means, by the rules of JSON-LD that pages use."""

    def __init__(self, base, number):
        self.base, self.number, self.found = base, number, []

    def top(self, json_, context=None):
        if isinstance(json_, Pairs):
            context = self.context(json_, context)
            if any(not k.startswith("@") and k not in ("type", "id") or k in ("@type", "type") for k, _ in json_):
                self.found.append(self.item(json_, context))
                if (graph := json_.get("@graph")) is not None:
                    self.top(graph, context)
            elif (graph := json_.get("@graph")) is not None:
                self.top(graph, context)
        elif isinstance(json_, list):
            for it in json_:
                self.top(it, context)

    def context(self, pairs, context):
        context = dict(context or {})
        given = pairs.get("@context")
        for it in given if isinstance(given, list) and not isinstance(given, Pairs) else [given]:
            if isinstance(it, str):
                context["@vocab"] = "" if SCHEMA.fullmatch(it.strip() + "/") or SCHEMA.match(it.strip()) else context.get("@vocab")
            elif isinstance(it, Pairs):
                for key, value in it:
                    if key == "@vocab":
                        context["@vocab"] = SCHEMA.sub("", value + "/" if SCHEMA.fullmatch(value + "/") else value)
                    elif isinstance(value, str):
                        context[key] = value
                    elif isinstance(value, Pairs) and isinstance(value.get("@id"), str):
                        context[key] = value.get("@id")
        return context

    def name(self, written, context):
        if written in context:
            written = context[written]
        prefix, colon, local = written.partition(":")
        if colon and not local.startswith("//"):
            if prefix in context:
                return name_of(context[prefix] + local)
            if prefix == "schema":
                return local
        if not colon:
            return (context.get("@vocab") or "") + written
        return name_of(written)

    def ident(self, written):
        if written.startswith("_:"):
            return f"_:{self.number}.{written[2:]}"
        return address(written, self.base)

    def item(self, pairs, context):
        types, ident, properties = [], None, []
        for key, value in pairs:
            key = {"type": "@type", "id": "@id"}.get(key, key) if context.get("@vocab") == "" else key
            if key == "@type":
                types += [self.name(it.strip(), context) for it in (value if isinstance(value, list) else [value]) if isinstance(it, str) and it.strip()]
            elif key == "@id" and isinstance(value, str):
                ident = self.ident(value)
            elif not key.startswith("@"):
                properties += [(self.name(key, context), it) for it in self.values(value, context)]
        return sorted_item(types, ident, properties)

    def values(self, value, context):
        if isinstance(value, Pairs):
            for key in ("@value", "@list", "@set"):
                if value.get(key) is not None:
                    return self.values(value.get(key), context)
            if not value:
                return []
            keys = {k for k, _ in value}
            if keys <= {"@id", "@context"} or keys <= {"id"}:
                return [("ref", self.ident(value.get("@id") or value.get("id")))]
            return [self.item(value, self.context(value, context))]
        if isinstance(value, list):
            return [it for inner in value for it in self.values(inner, context)]
        return [] if value is None else [text(value)]


# --- microdata

class Microdata:
    def __init__(self, base):
        self.base = base

    def item(self, found):
        types = found.get("type", [])
        properties = []
        for name, values in found.get("properties", {}).items():
            for it in values if isinstance(values, list) else [values]:
                properties.append((name_of(name), self.item(it) if isinstance(it, dict) else text(it)))
        ident = found.get("id")
        return sorted_item([types] if isinstance(types, str) else types, ident and address(ident, self.base), properties)


def prepared(tree):
    """Removes from a tree what INTENDED lists for microdata."""
    inside = set()
    for it in tree.iter():
        if isinstance(it.tag, str) and it.get("itemscope") is not None:
            inside.update(ref for ref in (it.get("itemref") or "").split())
    for it in list(tree.iter()):
        if not isinstance(it.tag, str):
            continue
        scope, prop = it.get("itemscope") is not None, it.get("itemprop")
        is_nested = any(up.get("itemscope") is not None or up.get("id") in inside for up in it.iterancestors()) or it.get("id") in inside
        if scope and prop is not None and not is_nested:
            # microdata-orphan: contains no items except independent ones
            for attribute in ("itemscope", "itemtype", "itemprop"):
                it.attrib.pop(attribute, None)
        if prop is None:
            continue
        if it.tag == "time" and it.get("datetime") is None and not scope:
            it.tag = "span"
        for tags, attribute in ((("a", "area", "link"), "href"), (("img", "audio", "embed", "iframe", "source", "track", "video"), "src"), (("object",), "data")):
            if it.tag in tags and it.get(attribute) is None and not scope:
                it.tag = "meta"
                it.set("content", "")
        if prop.endswith(("-input", "-output")) and it.tag == "input":
            it.tag = "meta"
            it.set("content", "")


# --- RDFa

def rdfa_items(nodes):
    """Flat nodes of expanded JSON-LD as items, blank nodes in place of their only mention."""
    by_id = {it["@id"]: it for it in nodes}
    mentions = collections.Counter(v["@id"] for it in nodes for k, vs in it.items() if not k.startswith("@") for v in vs if "@id" in v)

    def item(node, path=()):
        properties = []
        for name in node:
            if name.startswith("@") or name == "http://www.w3.org/ns/rdfa#usesVocabulary":
                continue
            for v in node[name]:
                if "@id" in v and v["@id"].startswith("_:") and v["@id"] in by_id and v["@id"] not in path:
                    properties.append((name_of(name), item(by_id[v["@id"]], path + (v["@id"],))))
                else:
                    properties.append((name_of(name), ("ref", v["@id"]) if "@id" in v else text(v["@value"])))
        ident = None if node["@id"].startswith("_:") else address(node["@id"], PAGE)
        return sorted_item(node.get("@type", []), ident, sorted(properties, key=str))

    tops = [item(it) for it in nodes if not (it["@id"].startswith("_:") and mentions[it["@id"]])]
    return [it for it in tops if it[1] or it[3]]


def our_rdfa(data):
    """Our items as flat nodes of expanded JSON-LD."""
    nodes = []
    for at, it in enumerate(data["items"]):
        if it["format"] != "rdfa":
            continue
        node = {"@id": it["id"] or f"_:n{at}", "@type": it["types"]}
        for p in it["properties"]:
            (kind, inner), = p["value"].items()
            if kind == "item":
                inner = data["items"][inner]["id"] or f"_:n{inner}"
            value = {"@id": inner} if kind in ("item", "url", "reference") else {"@value": inner}
            if value not in node.setdefault(p["name"], []):
                node[p["name"]].append(value)
        nodes.append(node)
    return nodes


# --- comparing

def equal(ours, theirs, base):
    if isinstance(ours, list) and isinstance(theirs, list):
        if ours[1] != theirs[1] or not equal(ours[2], theirs[2], base) or len(ours[3]) != len(theirs[3]):
            return False
        return all(a[0] == b[0] and equal(a[1], b[1], base) for a, b in zip(ours[3], theirs[3]))
    if isinstance(ours, list) or isinstance(theirs, list):
        return False
    plain = lambda it: it[1] if isinstance(it, tuple) else it
    if ours is None or theirs is None:
        return ours == theirs
    if plain(ours) == plain(theirs):
        return True
    if isinstance(ours, tuple):
        found = text(address(plain(theirs), base))[:4000]
        return text(plain(ours)) in (found, found + "#")
    return False


def in_order(items):
    """Properties sorted by name: extruct keeps no other order."""
    def ordered(item):
        first = {}
        for name, _ in item[3]:
            first.setdefault(name, len(first))
        values = [(n, ordered(v) if isinstance(v, list) else v) for n, v in item[3]]
        return [item[0], item[1], item[2], sorted(values, key=lambda it: it[0])]
    return [ordered(it) for it in items]


def without_controls(file):
    """The file, or a copy without the characters that lxml cannot hold: both sides read that."""
    source = file.read_bytes()
    clean = re.sub(rb"[\x00-\x08\x0b\x0e-\x1f]|\xef\xbf[\xbe\xbf]", b"", source)
    if clean == source:
        return file
    copy = CACHE / "structured-data-pages" / "without-controls" / file.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(clean)
    return copy


def read_tree(file):
    import html5lib
    import lxml.etree
    document = html5lib.parse(file.read_bytes(), treebuilder="lxml", namespaceHTMLElements=False, default_encoding="utf-8", useChardet=False)
    for it in document.iter():
        if isinstance(it.tag, str):
            for name in [n for n in it.attrib if "U0003A" in n]:
                value = it.attrib.pop(name)
                if name.startswith("xmlnsU0003A"):
                    it.attrib[name.replace("U0003A", "-prefix-")] = value
    return document, lxml.etree.tostring(document, method="html", encoding="unicode").replace("xmlns-prefix-", "xmlns:")


def theirs(file):
    """What extruct reads of a page: base, blocks of JSON-LD (valid or None), microdata, RDFa."""
    import warnings
    warnings.filterwarnings("ignore")
    import logging
    logging.disable(logging.ERROR)
    from extruct.jsonld import JsonLdExtractor
    from extruct.rdfa import RDFaExtractor
    from extruct.utils import parse_html, parse_xmldom_html
    from extruct.w3cmicrodata import MicrodataExtractor
    document, source = read_tree(file)
    base_tags = document.xpath("//base[@href]")
    base = address(base_tags[0].get("href"), PAGE) if base_tags else PAGE

    tree = parse_html(source, "utf-8")
    # extruct's own block parser, on the blocks that the standard calls JSON-LD.
    extractor, found, blocks = JsonLdExtractor(), [], []
    scripts = [it for it in document.iter("script") if (it.get("type") or "").split(";")[0].strip().lower() == "application/ld+json"]
    for number, script in enumerate(scripts):
        block = unwrapped("".join(script.itertext()))
        if not block:
            continue
        try:
            pairs = strict(block)
        except ValueError:
            blocks.append(False)
            continue
        blocks.append(True)
        script.text = block
        plain = json.loads(block)
        if list(extractor._extract_items(script)) != (plain if isinstance(plain, list) else [plain] if isinstance(plain, dict) else []):
            raise ValueError(f"extruct reads block {number} as something else")
        reader = JsonLd(base, number)
        reader.top(pairs)
        found += reader.found

    tree = parse_html(source, "utf-8")
    prepared(tree)
    items = MicrodataExtractor().extract_items(tree, base)
    microdata = [Microdata(base).item(it) for it in items]

    tree = parse_xmldom_html(source, "utf-8")
    for it in tree.iter():
        if isinstance(it.tag, str):
            for name in ("inlist", "role"):
                it.attrib.pop(name, None)
            for name in ("rel", "rev"):
                if words := [w for w in (it.attrib.pop(name, None) or "").split() if is_property(it, w)]:
                    it.set(name, " ".join(words))
            if it.get("property") and it.get("datetime") and it.get("content") is None:
                it.set("content", it.get("datetime"))
            if it.tag in ("head", "body") and it.get("typeof") is not None and not {"about", "resource", "href", "src"} & set(it.attrib):
                it.set("about", "")
            if "property" in it.attrib:
                kept = [p for p in it.get("property").split() if not SOCIAL.match(p)]
                it.set("property", " ".join(kept))
                if not kept:
                    it.attrib.pop("property")
    rdfa = rdfa_items(RDFaExtractor().extract_items(tree, base))
    return base, blocks, found, microdata, rdfa


@functools.cache
def properties():
    """The properties of schema.org."""
    table = ROOT / "crates/site/src/findings/schema/vocabulary/schema_org_30.tsv"
    rows = (line.split("\t") for line in table.read_text().splitlines())
    return {row[1] for row in rows if row[0] == "p"}


@functools.cache
def initial():
    """The prefixes that need no declaration."""
    table = ROOT / "crates/crawler/src/extract/structured_data/rdfa_prefixes.tsv"
    rows = [line.split("\t") for line in table.read_text().splitlines() if not line.startswith("#")]
    return {row[0] for row in rows[1:]}


def is_property(element, word):
    """Whether a word of rel or rev is a property, by the rule of "rdfa-links"."""
    if SOCIAL.match(word):
        return False
    prefix, colon, local = word.partition(":")
    if colon and not local.startswith("//"):
        declared = " ".join(it.get("prefix") or "" for it in [element, *element.iterancestors()]).lower().split()
        spaces = {n.lower() for it in [element, *element.iterancestors()] for n in (it.nsmap or {}) if n}
        return f"{prefix.lower()}:" in declared or prefix.lower() in initial() | spaces
    if colon:
        return SCHEMA.match(word) is not None and name_of(word) in properties()
    vocabularies = (it.get("vocab") for it in [element, *element.iterancestors()])
    vocabulary = next((it for it in vocabularies if it is not None), "")
    return element.get("property") is None and SCHEMA.match(vocabulary.strip() + "/") is not None and word in properties()


def compare(task):
    file, data = task
    try:
        base, blocks, json_ld, microdata, rdfa = theirs(file)
    except Exception as error:  # noqa: BLE001 (whatever it is, the page is named)
        return str(file), {}, [f"the oracle failed: {type(error).__name__}: {error}"]
    counts = collections.Counter(jsonLd=len(json_ld), microdata=len(microdata), rdfa=len(rdfa), valid=sum(blocks), invalid=len(blocks) - sum(blocks))
    different = []
    if len(data["parseErrors"]) != counts["invalid"]:
        different.append(f"parse errors: {len(data['parseErrors'])} ours, {counts['invalid']} theirs")
    ours = {"jsonLd": Ours(data, "jsonLd").all(), "microdata": in_order(Ours(data, "microdata").all()), "rdfa": rdfa_items(our_rdfa(data))}
    theirs_ = {"jsonLd": json_ld, "microdata": in_order(microdata), "rdfa": rdfa}
    for form in ours:
        a, b = ours[form], theirs_[form]
        if form == "rdfa":
            a, b = sorted(a, key=str), sorted(b, key=str)
        if len(a) != len(b):
            different.append(f"{form}: {len(a)} items ours, {len(b)} theirs")
        for one, other in zip(a, b):
            if not equal(one, other, base):
                different.append(f"{form}: {first_difference(one, other, base)}")
    return str(file), counts, different


def first_difference(one, other, base, path=""):
    if isinstance(one, list) and isinstance(other, list):
        if one[1:3] != other[1:3] and not (one[1] == other[1] and equal(one[2], other[2], base)):
            return f"{path}: {one[1:3]} ours, {other[1:3]} theirs"
        if [p[0] for p in one[3]] != [p[0] for p in other[3]]:
            a, b = collections.Counter(p[0] for p in one[3]), collections.Counter(p[0] for p in other[3])
            return f"{path} {one[1]}: properties only ours {dict(a - b)}, only theirs {dict(b - a)}"
        for a, b in zip(one[3], other[3]):
            if not equal(a[1], b[1], base):
                return first_difference(a[1], b[1], base, f"{path}.{a[0]}")
    return f"{path}: {str(one)[:300]!r} ours, {str(other)[:300]!r} theirs"


def main():
    in_virtual_environment()
    import multiprocessing
    spec = importlib.util.spec_from_file_location("structured_data_pages", HERE / "structured_data_pages.py")
    structured_data_pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(structured_data_pages)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default="cargo run -q -p programs --example structured_data --")
    parser.add_argument("--show", type=int, default=40)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    given = parser.parse_args()
    corpora = {"given": given.files} if given.files else structured_data_pages.corpora()
    files = [it for all_ in corpora.values() for it in all_]
    files = [without_controls(it) for it in files]
    corpora = {name: [without_controls(it) for it in all_] for name, all_ in corpora.items()}
    output = subprocess.run([*given.command.split(), "--base", PAGE, *map(str, files)], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    read = [json.loads(line)["data"] for line in output.splitlines()]
    with multiprocessing.Pool(2) as pool:
        results = dict(zip(files, pool.imap(compare, list(zip(files, read)), chunksize=4)))
    shown, good = 0, True
    for name, of_corpus in corpora.items():
        counts, equals = collections.Counter(), 0
        for file in of_corpus:
            _, found, different = results[file]
            counts.update(found)
            equals += not different
            for it in different:
                if shown < given.show:
                    print(f"  {file.name}: {it}")
                shown += 1
        good &= equals == len(of_corpus)
        print(f"{name}: {equals} of {len(of_corpus)} pages equal; JSON-LD {counts['jsonLd']} items in {counts['valid']} blocks ({counts['invalid']} invalid), microdata {counts['microdata']}, RDFa {counts['rdfa']}")
    print("differences by intention:")
    for name, reason in INTENDED.items():
        print(f"  {name}: {reason}")
    print("equal on every page" if good else f"{shown} differences")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
