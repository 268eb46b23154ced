#!/usr/bin/env python3
"""Compares our reading of robots.txt with protego 0.7.0 and with Google's, on 4,231 real files.

    tests/oracles/robots.py [--show 3]

The files are those of protego's source distribution (PyPI). Of each, up to 20 paths are made of its own
rules, and each of five agents is checked. Google's parser is its C++ library, in the package
fast-robotstxt 1.1.0 (PyPI). (The crate robotstxt 0.3.0, a port, is not a third opinion: it misreads stars.)

A difference has to be explained: the file (or the path) is rewritten so that one known difference of
reading is gone, and then the other has to agree with us. What no rewriting, alone or after those before
it, brings into agreement is unexplained. Prints the counts by explanation; exit code 1: something is
unexplained.
"""
import argparse
import collections
import functools
import json
import pathlib
import random
import re
import subprocess
import sys
import urllib.parse as up

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import pages as corpora  # noqa: E402

AGENTS = ["Googlebot", "GPTBot", "PerplexityBot", "sightlinebot", "*"]
PATHS = 20
AGENT_KEYS = ("user-agent", "useragent", "user agent")
RULE_KEYS = ("allow", "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw")

def text_of(file):
    return file.read_bytes().decode("utf-8", "replace")


def key_and_value(line):
    """A line as Google parses it; None if it is not a rule."""
    line = line.split("#")[0].strip()
    if ":" in line:
        key, value = line.split(":", 1)
    elif len(line.split()) == 2:
        key, value = line.split()
    else:
        return None
    return key.strip().lower(), value.strip()


def lines(text):
    return re.split(r"[\r\n]", text.lstrip("\ufeff"))


def paths_of(text, chance):
    """Paths that the rules of the file refer to."""
    values = [read[1] for read in map(key_and_value, lines(text)) if read and read[0] in RULE_KEYS and read[1]]
    values = [it for it in dict.fromkeys(values) if len(it) < 500]
    made = ["/"]
    for value in chance.sample(values, min(len(values), PATHS)):
        ends = value.endswith("$")
        plain = value.rstrip("$").replace("*", chance.choice(["", "x", "a/b"]))
        made.append(plain + ("" if ends else chance.choice(["", "", "x", "/y.html", "?q=1"])))
        made.append(chance.choice([plain[:-1], plain.upper(), plain + "/", plain.rsplit("/", 1)[0] + "/other"]))
    fine = (it if it.startswith("/") else "/" + it for it in made)
    return list(dict.fromkeys(map(as_url_has_it, fine)))[:PATHS]


def as_url_has_it(path):
    """The path as in a URL: how each side parses URLs is not compared."""
    path = path.split("#")[0].replace("\\", "/")
    path = re.sub(r"/\.{1,2}(?=/|$)", "/", re.sub(r"/{2,}", "/", path))
    path = re.sub(r"(?i)%2e", ".", path)
    path = re.sub(r"/\.{1,2}(?=/|$|\?)", "/", path)
    path = re.sub(r"/{2,}", "/", path)
    path = re.sub(r"%([0-9a-fA-F]{2})", lambda it: it[0].upper(), path)
    return up.quote(path, safe="/%?=&;:,+~!@()-._*$'|^[]{}") if not re.search(r"[\x00-\x20|^{}\"<>`]", path) else up.quote(path, safe="/%?=&;:,+~!@()-._*$")


def query(program, questions):
    payload = "\n".join(json.dumps(it) for it in questions)
    ran = subprocess.run([program], input=payload, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


# --- differences of protego from Google and RFC 9309, each removed by rewriting the file


def only_rules(text, agent):
    """Crawl-delay, Host and unknown lines end a list of agents for protego; for RFC 9309 and Google only rules
    do. Undone by leaving out all other lines."""
    kept = [line for line in lines(text) if (read := key_and_value(line)) and read[0] in AGENT_KEYS + RULE_KEYS]
    return "\n".join(kept)


def with_exact_agents(text, agent):
    """protego finds the longest agent name that begins at one of our words, `Google` for `Googlebot` too, and
    strikes stars; Google compares the letters, _ and - before anything else with the whole name. Undone by
    writing agents as Google compares them."""
    out = []
    for line in lines(text):
        read = key_and_value(line)
        if read and read[0] in AGENT_KEYS:
            name = "*" if re.match(r"\*(\s|$)", read[1]) else re.match(r"[A-Za-z_-]*", read[1])[0]
            is_ours = name.lower() == agent.lower()
            line = f"User-agent: {name if is_ours or name == '*' else 'somebodyelse'}"
        out.append(line)
    return "\n".join(out)


def without_escapes(text, agent):
    """protego decodes escapes like %20 and %3A on both sides before it compares; Google compares escapes as
    written. Undone by leaving out the rules in which that shows."""
    def shows(value):
        return "%" in value or re.search(r"[^A-Za-z0-9/*$._~=-]", value)
    return without_rules(text, shows)


def without_marks(text, agent):
    """Marks of byte order and text in UTF-16: protego keeps what Google skips. Undone by taking them out."""
    return text.replace("\ufeff", "").replace("\x00", "").replace("\ufffd", "")


def without_rules(text, shows):
    kept = [line for line in lines(text) if not ((read := key_and_value(line)) and read[0] in RULE_KEYS and shows(read[1]))]
    return "\n".join(kept)


# --- differences of Google's library from Sightline


def without_wide_spaces(text, agent):
    """We strike no-break spaces at the ends of a value, as Python does; Google only spaces and tabs. Undone by
    taking them out."""
    return text.replace("\u00a0", "")


def robots_txt_itself(path):
    """robots.txt may always be requested (RFC 9309, 2.2.2); Google's library leaves that to its caller."""
    return "/" if path == "/robots.txt" else path


def with_a_query(path):
    """The package's URL parser drops a question mark at the end. Undone by a query."""
    return path + "q" if path.endswith("?") else path


TEXTS = {
    "protego": [without_marks, only_rules, with_exact_agents, without_escapes],
    "Google": [without_wide_spaces],
}
PATHS_CHANGED = {"protego": [], "Google": [robots_txt_itself, with_a_query]}


def explain(name, text, agent, path, others, ours):
    """The rewriting after which the other and we agree; we evaluate the same text and path. What `itself`
    explains is the rule about robots.txt alone."""
    def agree(text, path):
        return others(text, agent, path) == ours(text, agent, path)
    for changed in PATHS_CHANGED[name]:
        if changed(path) != path and (changed is robots_txt_itself or agree(text, changed(path))):
            return changed.__name__
    for changed in TEXTS[name]:
        if agree(changed(text, agent), path):
            return changed.__name__
    for changed in TEXTS[name]:
        text = changed(text, agent)
        if agree(text, path):
            return "several, at last " + changed.__name__
    return None


def keep_running(program):
    """The program, kept running, as a function."""
    running = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    @functools.cache
    def verdict(text, agent, path):
        running.stdin.write(json.dumps({"text": text, "agents": [agent], "paths": [path]}) + "\n")
        running.stdin.flush()
        return json.loads(running.stdout.readline())[0][0]
    return verdict


@functools.cache
def protegos_rules(text):
    import protego
    return protego.Protego.parse(text)


def by_google(text, agent, path):
    import robotstxt
    return robotstxt.RobotsMatcher().is_allowed(text, agent, "http://example.com" + path)


def by_protego(text, agent, path):
    return protegos_rules(text).can_fetch("http://example.com" + path, agent)


def report(name, differences, compared, others, ours, limit):
    counts, examples = collections.Counter(), collections.defaultdict(list)
    for file, agent, path, mine in differences:
        reason = explain(name, text_of(file), agent, path, others, ours)
        counts[reason] += 1
        examples[reason].append(f"{file.name} {agent} {path} we say {'yes' if mine else 'no'}")
    print(f"{name}: {compared} verdicts, {compared - len(differences)} equal, {len(differences)} different")
    for reason, count in counts.most_common():
        print(f"  {count:6} {reason or 'UNEXPLAINED'}")
        for example in examples[reason][:limit if reason else 20]:
            print("        ", example)
    return counts[None] == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", type=int, default=1)
    options = parser.parse_args()
    corpora.in_virtual_environment()
    our_program = corpora.example("robots")
    files = sorted((corpora.source_distribution("protego", "0.7.0") / "tests" / "test_data").iterdir())
    questions = [{"file": str(it), "agents": AGENTS, "paths": paths_of(text_of(it), random.Random(it.name))} for it in files]
    compared, from_protego, from_google, beside_both = 0, [], [], 0
    for question, mine in zip(questions, query(our_program, questions)):
        file = pathlib.Path(question["file"])
        text = text_of(file)
        for a, agent in enumerate(AGENTS):
            for path, verdict in zip(question["paths"], mine[a]):
                compared += 1
                differs = by_protego(text, agent, path) != verdict, by_google(text, agent, path) != verdict
                beside_both += all(differs)
                for one, differences in zip(differs, (from_protego, from_google)):
                    if one:
                        differences.append((file, agent, path, verdict))
    print(f"{len(files)} files, {compared} verdicts; we differ from both others in {beside_both}")
    again = keep_running(our_program)
    good = report("protego", from_protego, compared, by_protego, again, options.show)
    good &= report("Google", from_google, compared, by_google, again, options.show)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
