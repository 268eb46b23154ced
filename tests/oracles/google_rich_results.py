#!/usr/bin/env python3
"""Compares what Sightline says of Google's features and of schema.org's words with Adobe's validator.

    tests/oracles/google_rich_results.py [--command PROGRAM] [--show N] [--gallery FOLDER]

@adobe/structured-data-validator 1.7.1 with @marbec/web-auto-extractor (npm) and the schema.org 30.0 file of
the crate schemaorg-validate. Per page, two sets are compared: what is missing, as (severity, fields), and
which words schema.org does not have, as (type or property). Pages are those of google_rich_results_fixtures.py
and the real ones of structured_data_pages.py (their JSON-LD). With --gallery, the JSON files of a checkout of
Adobe's repository are compared too.

Where the two differ by intention is listed in DIFFERENCES with its reason; each is counted. Exit code 0: every
other finding is the same on both sides, 1: some are not.
"""
import argparse
import collections
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sightline-oracles"
PACKAGES = {"@adobe/structured-data-validator": "1.7.1", "@marbec/web-auto-extractor": "2.2.1"}


def module(name):
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


# --- the oracle

def node_modules():
    home = CACHE / "google-rich-results"
    wanted = json.dumps({"private": True, "dependencies": PACKAGES})
    manifest = home / "package.json"
    if not manifest.exists() or manifest.read_text() != wanted or not (home / "node_modules").exists():
        home.mkdir(parents=True, exist_ok=True)
        manifest.write_text(wanted)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund"], cwd=home, check=True)
    return home / "node_modules"


def theirs(files):
    listed = CACHE / "google-rich-results" / "list.txt"
    modules, schema = node_modules(), module("schema_org_vocabulary").source()
    listed.write_text("".join(f"{it}\n" for it in files))
    output = subprocess.run(["node", HERE / "google_rich_results.mjs", modules, schema, listed], capture_output=True, text=True, check=True).stdout
    lines = [json.loads(it) for it in output.splitlines()]
    return {it["file"]: it for it in lines}


def ours(command, files):
    output = subprocess.run([*command.split(), *map(str, files)], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {it["file"]: it for it in map(json.loads, output.splitlines())}


# --- both as findings: (kind, severity, the node: the property that holds it or its type, fields)

# Sightline evaluates these separately wherever a page or an item contains them; Adobe as part of the whole.
INSIDE = {"VideoObject", "Recipe"}

Finding = collections.namedtuple("Finding", "kind severity node fields")


def steps(path):
    return [it.split("[")[0] for it in path.split(".") if it]


def leaf(path):
    return steps(path)[-1]


def holder(paths, root):
    """The property that holds the node that fields are of; for the entity itself, its type."""
    before = {tuple(steps(it)[:-1]) for it in paths}
    last = min(before, key=len)
    return last[-1] if last else root


def fields_of(paths):
    return "|".join(sorted({leaf(it) for it in paths}))


def their_findings(line):
    found = set()
    for it in line.get("issues", []):
        if it["format"] != "jsonld" or not it["fields"]:
            continue
        types, properties = it["root"], []
        for step in it["path"]:
            properties += [step["property"]] if step.get("property") else []
            if not properties or str(step.get("type")) in INSIDE:
                types, properties = step.get("type") or it["root"], []
        path = ".".join(properties)
        root = "/".join(sorted(types) if isinstance(types, list) else [types])
        paths = [f"{path}.{field}".strip(".").replace(".@id", "") for field in it["fields"]]
        if it["kind"] == "schemaOrg":
            unknown = it["fields"] == ["@type"]
            name = it["message"].split('"')[1] if unknown else it["fields"][0]
            found.add(Finding("word", "", holder(paths, root), ("@type " if unknown else "") + name))
        else:
            kind = "type" if it["message"].startswith("Invalid type") else "google"
            found.add(Finding(kind, it["severity"], holder(paths, root), fields_of(paths)))
    return found


def our_findings(line):
    """Findings, with the types of the entity that each is about."""
    found = {}
    for entity in line["record"]["entities"]:
        if entity["format"] != "jsonLd":
            continue
        root = "/".join(entity["types"])
        for issue in entity["issues"]:
            code, path = issue["code"], issue["path"]
            if code in ("unknownProperty", "propertyNotInDomain"):
                found[Finding("word", "", holder([path], root), leaf(path))] = entity["types"]
            elif code == "unknownType":
                name = issue["message"].removeprefix("schema.org has no ").split(";")[0]
                found[Finding("word", "", holder([path + ".x"], root), f"@type {name}")] = entity["types"]
            elif code in ("requiredMissing", "recommendedMissing"):
                paths = issue["message"].split(" needs ")[-1].split(" is better with ")[-1].split(" or ")
                found[Finding("google", "ERROR" if code == "requiredMissing" else "WARNING", holder(paths, root), fields_of(paths))] = entity["types"]
            elif code == "valueNotAccepted":
                found[Finding("google", "ERROR" if issue["severity"] == "error" else "WARNING", holder([path], root), leaf(path))] = entity["types"]
    return found


DIFFERENCES = []


def difference(reason):
    def register(test):
        DIFFERENCES.append((test.__name__.replace("_", "-"), reason, test))
        return test
    return register


def twin(side, it, context, **changes):
    """Whether the other side has the same finding except for some of its fields."""
    return it._replace(**changes) in context["theirs" if side == "ours" else "ours"]


@difference("Adobe recommends priceCurrency where Google's documents require it, of merchant listings and prices per unit")
def price_currency(side, it, context):
    return it.fields == "priceCurrency" and twin(side, it, context, severity="WARNING" if side == "ours" else "ERROR")


@difference("Adobe requires a name of every Person, Organization and Brand; Google recommends it of authors and brands")
def names(side, it, context):
    return it.fields == "name" and (side == "theirs" and it.node in ("author", "brand", "issuedBy", "creator", "publisher", "Organization", "Person", "hiringOrganization") or side == "ours" and it.node in ("brand", "creator", "author"))


@difference("Adobe tells every field of a thing that is missing; Sightline tells the thing")
def whole_first(side, it, context):
    wholes = {"nutrition": "nutrition", "shippingRate": "shippingRate", "itemReviewed": "itemReviewed", "address": "address", "jobLocation": "jobLocation"}
    if side == "theirs" and it.node in wholes:
        return any(wholes[it.node] in o.fields.split("|") or o.node == "jobLocation" and o.fields == "address" for o in context["ours"])
    return side == "ours" and (it.node, it.fields) in (("Recipe", "nutrition"), ("jobLocation", "address"))


@difference("Adobe has no rules for these types, or none beyond a name")
def silent_types(side, it, context):
    handled = {"AggregateRating", "BreadcrumbList", "ImageObject", "JobPosting", "Product", "Recipe", "Review", "VideoObject"}
    return side == "ours" and it.kind == "google" and not handled & set(context["ours"][it])


@difference("recommended by Google's documents of 2026-07-07, and not by Adobe")
def silent_properties(side, it, context):
    silent = {
        "priceSpecification": {"membershipPointsEarned", "priceType", "referenceQuantity", "validForMemberTier", "validFrom", "validThrough"},
        "offers": {"validFrom", "url", "hasMerchantReturnPolicy", "shippingDetails", "itemCondition", "validThrough"},
        "Product": {"offers", "hasAdultConsideration", "category", "aggregateRating", "review"},
        "JobPosting": {"educationRequirements", "experienceInPlaceOfEducation", "experienceRequirements"},
    }
    return side == "ours" and it.severity == "WARNING" and it.fields in silent.get(it.node, ())


@difference("the same recommendations, which Adobe groups by or, or has more of")
def grouped(side, it, context):
    groups = [
        {"gtin", "gtin|gtin12|gtin13|gtin14|gtin8|isbn"},
        {"ineligibleRegion", "regionsAllowed", "ineligibleRegion|regionsAllowed"},
        {"interactionStatistic", "interactionCount|interactionStatistic"},
        {"contentUrl", "embedUrl", "contentUrl|embedUrl"},
        {"certificationIdentification", "certificationRating", "certificationIdentification|certificationRating"},
        {"addressRegion|postalCode", "postalCode"},
    ]
    return it.severity == "WARNING" and any(it.fields in group for group in groups)


@difference("Adobe recommends the sum of times only without the parts, and amounts only without calories; Google's documents always")
def times(side, it, context):
    return it.severity == "WARNING" and it.node == "Recipe" and it.fields in ("totalTime", "prepTime", "cookTime", "recipeYield")


@difference("Adobe recommends text and itemListElement of a step together; Google's documents want one")
def steps_of_recipes(side, it, context):
    return side == "theirs" and it.severity == "WARNING" and it.fields in ("itemListElement", "text") and it.node in ("itemListElement", "recipeInstructions")


@difference("Google takes no notice of an image that says nothing of its rights (so does Adobe's own remark); Adobe makes it an error")
def images(side, it, context):
    return it.node in ("ImageObject", "logo", "image", "thumbnail", "primaryImageOfPage") and (side == "theirs" or it.fields == "contentUrl")


@difference("required of breadcrumbs by Google's documents, where Adobe warns; and Adobe knows no last element when a position is missing")
def breadcrumbs(side, it, context):
    return (it.node, it.fields) in (("itemListElement", "item"), ("BreadcrumbList", "itemListElement")) and it.severity == ("ERROR" if side == "ours" else "WARNING")


@difference("a place of a job, or the countries that its home office is for: Adobe wants the countries in either case, and takes them for a place")
def jobs(side, it, context):
    return it.node == "JobPosting" and (side, it.fields) in (("theirs", "applicantLocationRequirements"), ("ours", "jobLocation"))


@difference("Adobe groups country, category and link; and takes the link from an Organization alone, not from types below it")
def returns(side, it, context):
    return it.node == "hasMerchantReturnPolicy" and it.fields in ("applicableCountry", "returnPolicyCategory", "applicableCountry|merchantReturnLink|returnPolicyCategory")


@difference("Adobe tells of merchant listings also where Sightline tells of product snippets alone, since a merchant listing is out of reach")
def fallback(side, it, context):
    is_snippet = any(e["feature"] == "productSnippet" for e in context["line"]["record"]["entities"])
    return side == "theirs" and is_snippet and it.severity == "WARNING" and it.node == "Product"


@difference("in no document of Google: sexes and ages, sizes, ratings of certificates, minutes of delivery, positions of notes")
def only_adobes(side, it, context):
    return side == "theirs" and it.node in ("audience", "suggestedAge", "size", "certificationRating", "handlingTime", "transitTime") or side == "theirs" and (it.node, it.fields) == ("itemListElement", "position")


@difference("the note that is alone is told at the notes, or at the first of them")
def notes(side, it, context):
    return it.node == "review" and "Notes" in it.fields


@difference("whether values have the types that Adobe wants (text, not lists of it) is a matter of schema.org here")
def types_of_values(side, it, context):
    return it.kind == "type"


@difference("schema.org's own context makes type another name of @type")
def aliases(side, it, context):
    is_word = side == "theirs" and it.kind == "word" and it.fields in ("type", "id")
    return is_word or side == "ours" and re.search(r'"type"\s*:\s*"HowToStep"', context["source"]) and it.node == "recipeInstructions"


@difference("empty lists and blank text are missing: Adobe takes them for values")
def empty(side, it, context):
    fields = "|".join(map(re.escape, it.fields.split("|")))
    blank = rf'"(?:{fields})"\s*:\s*(?:\[\s*(?:""\s*)?\]|"\s*"|\{{\s*\}})'
    return side == "ours" and re.search(blank, context["source"]) or side == "theirs" and it.fields == "text" and '"text": ""' in context["source"]


@difference("null is no value in JSON-LD: Adobe looks for the word of it")
def nulls(side, it, context):
    return side == "theirs" and it.kind == "word" and re.search(rf'"{re.escape(it.fields)}"\s*:\s*null', context["source"])


@difference("JSON-LD without @context is in nobody's words: only that is told")
def no_context(side, it, context):
    entities = context["line"]["record"]["entities"]
    return side == "theirs" and any(i["code"] == "contextMissing" for e in entities for i in e["issues"])


@difference("Adobe's rules are for a type and not for those below it (UserReview)")
def subtypes(side, it, context):
    return side == "ours" and it.node == "review" and "UserReview" in context["source"]


@difference("a Product that another thing is part of, or an element of a list of steps, is no feature of its own")
def contains(side, it, context):
    return side == "theirs" and it.node in ("isPartOf", "ItemListElement")


@difference("one node may be described in several places by its id (JSON-LD); Adobe takes each for a thing of its own")
def one_node(side, it, context):
    ids = [e["id"] for e in context["line"]["data"]["items"] if e["format"] == "jsonLd" and e["id"]]
    return side == "theirs" and it.kind == "google" and it.severity == "WARNING" and len(ids) != len(set(ids))


@difference("Adobe's extractor reads other items (it skips blocks in places, and takes lists apart in others)")
def read_differently(side, it, context):
    ours = collections.Counter()
    for e in context["line"]["data"]["items"]:
        if e["format"] == "jsonLd" and e["parent"] is None:
            ours.update(t.removeprefix("https://schema.org/") for t in e["types"])
    return ours != collections.Counter(context["roots"])


@difference("of things with several types Adobe wants every property to be each type's, and every rule to be told for each; one is enough")
def several_types(side, it, context):
    several = [e for e in context["line"]["data"]["items"] if len(e["types"]) > 1]
    if it.kind == "word":
        return any(it.fields == p["name"] for e in several for p in e["properties"])
    names = {t.removeprefix("https://schema.org/") for e in several for t in e["types"]}
    return bool(names & set(it.node.split("/")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default="cargo run -q -p programs --example structured_data --")
    parser.add_argument("--show", type=int, default=40)
    parser.add_argument("--gallery", type=pathlib.Path)
    given = parser.parse_args()
    fixtures = module("google_rich_results_fixtures")
    folder = CACHE / "google-rich-results" / "fixtures"
    folder.mkdir(parents=True, exist_ok=True)
    names = {}
    for name, document in fixtures.documents():
        file = folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.html"
        file.write_text(fixtures.page(document))
        names[str(file)] = name
    corpora = {"fixtures": sorted(names)}
    for file in sorted(given.gallery.rglob("*.json")) if given.gallery else []:
        copy = folder / f"gallery-{file.parent.name}-{file.stem}.html"
        copy.write_text(f'<script type="application/ld+json">{file.read_text()}</script>')
        corpora.setdefault("gallery", []).append(str(copy))
    real = module("structured_data_pages").corpora()
    corpora |= {name: [str(it) for it in real[name]] for name in ("recipe-scrapers", "newspaper4k") if name in real}
    good, shown = True, collections.Counter()
    counted, pages_by_corpus = collections.Counter(), collections.Counter()
    for corpus, files in corpora.items():
        mine, adobe = ours(given.command, files), theirs(files)
        same, pages, left = 0, 0, 0
        for file in files:
            if "failed" in adobe[file]:
                counted["adobe-fails"] += 1
                continue
            pages += 1
            one, other = our_findings(mine[file]), their_findings(adobe[file])
            same += len(one.keys() & other)
            source = pathlib.Path(file).read_text(errors="replace")
            rest = [("ours", it) for it in one.keys() - other] + [("theirs", it) for it in other - one.keys()]
            for side, it in sorted(rest):
                pages_by_corpus[corpus] += 1
                context = {"ours": one, "theirs": other, "line": mine[file], "roots": adobe[file]["roots"], "source": source}
                reason = next((name for name, _, test in DIFFERENCES if test(side, it, context)), None)
                if reason:
                    counted[reason] += 1
                    continue
                left += 1
                shown[side, it] += 1
                if shown[side, it] == 1 and len(shown) <= given.show:
                    print(f"  {names.get(file, pathlib.Path(file).name)}: only {side}: {it.kind} {it.severity} {it.node} {it.fields}")
        good &= left == 0
        print(f"{corpus}: {pages} pages, {same} findings on both sides, {left} on one side without a reason")
    print("differences by intention:")
    for name, reason, _ in DIFFERENCES:
        print(f"  {counted[name]:5} {name}: {reason}")
    if counted["adobe-fails"]:
        print(f"  {counted['adobe-fails']:5} pages on which Adobe's validator ends with an exception")
    if not good:
        for (side, it), times in shown.most_common(given.show):
            print(f"  {times:5} only {side}: {it.kind} {it.severity} {it.node} {it.fields}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
