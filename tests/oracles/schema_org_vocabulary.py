#!/usr/bin/env python3
"""Writes the schema.org vocabulary that crates/site/src/findings/schema/vocabulary reads.

    tests/oracles/schema_org_vocabulary.py            write the table
    tests/oracles/schema_org_vocabulary.py --check    exit 1 if the table is not what would be written

The source is schema.org 30.0 as JSON-LD, which ships in the crate schemaorg-validate 0.3.0; cargo
fetches it. Kept are facts alone: names, supertypes, domains, ranges, members of enumerations, what
superseded what. One term a line, fields separated by tabs, lists by commas:

    t  type      supertypes                superseded by
    p  property  domains       ranges      superseded by
    m  member    enumerations              superseded by
"""
import json
import os
import pathlib
import subprocess
import sys

CRATE, VERSION = "schemaorg-validate", "0.3.0"
HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parent.parent / "crates/site/src/findings/schema/vocabulary/schema_org_30.tsv"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sightline-oracles"


def source():
    """The folder of the crate's source, fetched by cargo if it is not there."""
    home = CACHE / "schema-org"
    if not (home / "Cargo.toml").exists():
        (home / "src").mkdir(parents=True, exist_ok=True)
        (home / "src/lib.rs").write_text("")
        manifest = f'[package]\nname = "schema-org"\nversion = "0.0.0"\n[dependencies]\n{CRATE} = "={VERSION}"\n[workspace]\n'
        (home / "Cargo.toml").write_text(manifest)
    command = ["cargo", "metadata", "--format-version", "1", "--manifest-path", home / "Cargo.toml"]
    packages = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["packages"]
    manifest = next(it["manifest_path"] for it in packages if it["name"] == CRATE)
    return pathlib.Path(manifest).parent / "schema-data/schemaorg-all-https.jsonld"


def names(value):
    """The schema.org names of what a field refers to."""
    value = value if isinstance(value, list) else [value] if value else []
    ids = [it["@id"] if isinstance(it, dict) else it for it in value]
    return sorted(it.removeprefix("schema:") for it in ids if it.startswith("schema:"))


def lines(graph):
    for term in graph:
        if not term["@id"].startswith("schema:"):
            continue
        name = term["@id"].removeprefix("schema:")
        types = term["@type"] if isinstance(term["@type"], list) else [term["@type"]]
        superseded = ",".join(names(term.get("schema:supersededBy")))
        if "rdf:Property" in types:
            domains, ranges = (",".join(names(term.get(f"schema:{it}Includes"))) for it in ("domain", "range"))
            yield f"p\t{name}\t{domains}\t{ranges}\t{superseded}"
        elif "rdfs:Class" in types:
            supers = names(term.get("rdfs:subClassOf")) + (["DataType"] if "schema:DataType" in types else [])
            yield f"t\t{name}\t{','.join(supers)}\t{superseded}"
        else:
            yield f"m\t{name}\t{','.join(names(types))}\t{superseded}"


def main():
    graph = json.loads(source().read_text())["@graph"]
    text = "".join(f"{line}\n" for line in sorted(set(lines(graph))))
    kinds = {kind: sum(line.startswith(kind) for line in text.splitlines()) for kind in "tpm"}
    print(f"{kinds['t']} types, {kinds['p']} properties, {kinds['m']} members, {len(text)} bytes")
    if "--check" in sys.argv:
        same = TABLE.read_text() == text
        print("the table is up to date" if same else f"{TABLE} differs")
        return 0 if same else 1
    TABLE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
