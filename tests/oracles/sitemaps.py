#!/usr/bin/env python3
"""Compares our reading of sitemaps with ultimate-sitemap-parser 1.8.0, on sitemaps made by chance.

    tests/oracles/sitemaps.py [--count 3000] [--seed 1]

Each is made of a form (pages, index, list, RSS, Atom), of entries with and without dates, extensions,
CDATA, references and white space, and of up to two features of FEATURES. Both have to list the same URLs in
the same order with the same dates. A feature that names a reason may differ, and how often it does is
printed; anything else that differs is unexplained. Exit code 1: something is unexplained.
"""
import argparse
import collections
import datetime
import gzip
import html
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import pages as corpora  # noqa: E402

SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
EXTENSIONS = ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
DATES = ["2024-05-06", "2024-05-06T07:08+02:00", "2024-05-06T07:08:09Z", "2024-05-06T07:08:09.25-05:00", "nonsense", ""]

# What is done to the finished bytes or entries, and why results may then differ; None: they may not.
FEATURES = {
    "mark": None,
    "gzip": None,
    "comments": None,
    "no namespace": None,
    "prefix": None,
    "repeated": None,
    "cut": "ours keeps what is whole when the text ends, and so does theirs; they differ in an entry that is cut in its middle",
    "wrong end": None,
    "unknown entity": None,
    "space before": "XML allows nothing before its declaration: theirs then reads nothing",
    "doctype": None,
    "entities of its own": "ours reads no document type that declares any",
    "link of itself": "theirs takes an entry's first link, whatever its rel",
    "latin 1": "theirs reads every sitemap as UTF-8",
    "UTF-16": "theirs reads every sitemap as UTF-8",
    "gzip cut": "theirs then takes the packed bytes for a list",
    "short dates": "theirs takes the day of today for the one that a year or month leaves open, ours the first",
    "other dates": "ours knows W3C's forms only, as sitemaps.org asks for; theirs whatever Python can read",
    "too many": "ours ends at 50,000 entries",
}


def entry(chance, form, features):
    url = f"https://example.com/{chance.choice(['a', 'ä-b', 'x&y=<1>', '%20', 'q?a=1&b=2', 'ž'])}/{chance.randrange(10**6)}"
    date = chance.choice(["20240506", "2024-05-06 07:08:09", "2024-W19-1", "Mon, 06 May 2024 07:08:09 GMT"] if "other dates" in features
                         else ["2024", "2024-05"] if "short dates" in features else DATES)
    shown = html.escape(url) if chance.random() < 0.7 else "".join(f"&#{ord(it)};" if not it.isalnum() else it for it in url)
    if chance.random() < 0.2:
        shown = f"<![CDATA[{url}]]>"
    space = chance.choice(["", "", "\n  ", " "])
    if form == "rss":
        return f"<item><title>t</title><link>{space}{shown}{space}</link></item>"
    if form == "atom":
        of_itself = '<link rel="self" href="https://example.com/no"/>' if "link of itself" in features else ""
        return f'<entry><title>t</title>{of_itself}<link href="{html.escape(url)}" rel="alternate"/></entry>'
    parts = [f"<loc>{space}{shown}{space}</loc>"]
    if chance.random() < 0.7:
        parts.append(f"<lastmod>{date}</lastmod>")
    if form == "pages":
        parts += chance.sample(["<changefreq>daily</changefreq>", "<priority>0.5</priority>",
                                "<image:image><image:loc>https://example.com/i.png</image:loc></image:image>",
                                "<video:video><video:thumbnail_loc>https://example.com/t.png</video:thumbnail_loc><video:title>t</video:title></video:video>",
                                '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/>'], chance.randrange(3))
    chance.shuffle(parts)
    tag = "sitemap" if form == "index" else "url"
    return f"<{tag}>{''.join(parts)}</{tag}>"


def make_sitemap(chance):
    """A form, features, and the bytes of a sitemap."""
    form = chance.choice(["pages"] * 4 + ["index", "list", "rss", "atom"])
    features = set(chance.sample(sorted(FEATURES), chance.choice([0, 0, 1, 1, 2])))
    if "too many" in features and chance.random() < 0.95:
        features.discard("too many")
    if form in ("list", "rss", "atom"):
        features &= {"mark", "gzip", "repeated"} | ({"link of itself"} if form == "atom" else set())
    if form not in ("list", "rss", "atom"):
        features.discard("link of itself")
    entries = [entry(chance, form, features) for _ in range(chance.randrange(0, 8))]
    if "too many" in features and form == "pages":
        entries = [f"<url><loc>https://example.com/{n}</loc></url>" for n in range(50_001)]
    if "repeated" in features:
        entries += entries[:2]
    if form == "list":
        text = "\n".join(f"https://example.com/{chance.randrange(10**6)}" for _ in range(5)) + "\nno url\n"
    elif form == "rss":
        text = f'<?xml version="1.0"?><rss version="2.0"><channel><link>https://example.com/</link>{"".join(entries)}</channel></rss>'
    elif form == "atom":
        text = f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><link href="https://example.com/"/>{"".join(entries)}</feed>'
    else:
        text = xml(chance, form, entries, features)
    return form, features, packed(text, features)


def xml(chance, form, entries, features):
    root = "sitemapindex" if form == "index" else "urlset"
    encoding = "iso-8859-1" if "latin 1" in features else "UTF-8"
    namespace = "" if "no namespace" in features else f' xmlns="{SITEMAP}"'
    body = "\n".join(entries)
    if "unknown entity" in features:
        body += "<url><loc>https://example.com/&nbsp;x</loc></url>"
    if "wrong end" in features:
        body += "<url><loc>https://example.com/last</url></loc>"
    if "comments" in features:
        body = f"<!-- <url><loc>https://example.com/no</loc></url> -->{body}<?x y?>"
    doctype = "<!DOCTYPE urlset>" if "doctype" in features else ""
    doctype = '<!DOCTYPE urlset [<!ENTITY a "b">]>' if "entities of its own" in features else doctype
    if "prefix" in features and "no namespace" not in features:
        for name in ("loc", "lastmod", "url", "sitemap", "changefreq", "priority"):
            body = body.replace(f"<{name}>", f"<s:{name}>").replace(f"</{name}>", f"</s:{name}>")
        root, namespace = f"s:{root}", f' xmlns:s="{SITEMAP}"'
    text = f'<?xml version="1.0" encoding="{encoding}"?>{doctype}\n<{root}{namespace}{EXTENSIONS}>\n{body}\n</{root}>'
    if "cut" in features:
        text = text[:chance.randrange(len(text) // 2, len(text))]
    return "\n " + text if "space before" in features else text


def packed(text, features):
    if "latin 1" in features:
        data = text.encode("iso-8859-1", "xmlcharrefreplace")
    elif "UTF-16" in features:
        data = text.replace("UTF-8", "UTF-16").encode("utf-16")
    else:
        data = (b"\xef\xbb\xbf" if "mark" in features and "space before" not in features else b"") + text.encode()
    if "gzip cut" in features:
        return gzip.compress(data)[:-9]
    return gzip.compress(data) if "gzip" in features else data


def theirs(data):
    """What ultimate-sitemap-parser lists: pages with dates, sitemaps."""
    from usp.fetch_parse import SitemapFetcher
    from usp.objects.sitemap import AbstractIndexSitemap, InvalidSitemap
    from usp.web_client.abstract_client import AbstractWebClient, AbstractWebClientSuccessResponse

    class Response(AbstractWebClientSuccessResponse):
        def status_code(self):
            return 200

        def status_message(self):
            return "OK"

        def header(self, name):
            return {"content-type": "application/x-gzip" if data.startswith(b"\x1f\x8b") else "text/xml"}.get(name.lower())

        def raw_data(self):
            return data

        def url(self):
            return "https://example.com/sitemap.xml" + (".gz" if data.startswith(b"\x1f\x8b") else "")

    class Client(AbstractWebClient):
        def set_max_response_data_length(self, length):
            pass

        def get(self, url):
            return Response()

    found = SitemapFetcher("https://example.com/sitemap.xml", 0, Client(), parent_urls=set(), recurse_callback=lambda *_: True,
                           recurse_list_callback=lambda urls, *_: seen.extend(urls) or [])
    seen = []
    sitemap = found.sitemap()
    if isinstance(sitemap, InvalidSitemap):
        return [], []
    if isinstance(sitemap, AbstractIndexSitemap):
        return [], seen
    return [(it.url, moment(it.last_modified)) for it in sitemap.pages], []


def moment(date):
    """A date as a moment; without a zone, the day at midnight."""
    if not date:
        return None
    if isinstance(date, str):
        date = datetime.datetime.fromisoformat(date)
    return date.isoformat()


def mine(answer):
    return [(url, moment(date)) for url, date in answer["pages"]], [url for url, _ in answer["sitemaps"]]


def once(items):
    return list(dict.fromkeys(items))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    corpora.in_virtual_environment()
    import logging
    logging.disable(logging.CRITICAL)
    program = corpora.example("sitemap")
    chance = random.Random(options.seed)
    all_made = [make_sitemap(chance) for _ in range(options.count)]
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for at, (_, _, data) in enumerate(all_made):
            files.append(pathlib.Path(folder) / str(at))
            files[-1].write_bytes(data)
        ran = subprocess.run([program, *files], capture_output=True, text=True, check=True)
    same, unexplained, different, met = 0, [], collections.Counter(), collections.Counter()
    entries = dates = 0
    for (form, features, data), answer in zip(all_made, map(json.loads, ran.stdout.splitlines())):
        ours, them = tuple(map(once, mine(answer))), tuple(map(once, theirs(data)))
        reasons = [it for it in sorted(features) if FEATURES[it]]
        met.update(sorted(features))
        if ours == them:
            same += 1
            entries += len(ours[0]) + len(ours[1])
            dates += sum(it[1] is not None for it in ours[0])
        elif reasons:
            different[reasons[0]] += 1
        else:
            unexplained.append((form, sorted(features), answer["problem"], ours, them, data))
    print(f"{len(all_made)} sitemaps: {same} read the same ({entries} entries, {dates} dates), {sum(different.values())} differ with a reason, {len(unexplained)} without")
    for name, reason in FEATURES.items():
        print(f"  {different[name]:5} of {met[name]:5} with '{name}'" + (f": {reason}" if reason else ""))
    for form, features, problem, ours, them, data in unexplained[:5]:
        print("UNEXPLAINED", form, features, problem, "\n  ours  ", ours, "\n  theirs", them, "\n  ", data[:1500])
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
