#!/usr/bin/env python3
"""Takes the account out of every condition of the storage, one at a time: some test has to notice each.

    tests/mutants/account_filter.py [--only jobs.rs,tokens.rs:40] [--threads 2]

Works on a copy of the checkout. A condition of Diesel's builder becomes one that a number in the environment
switches off, so that all of them are built together; a condition in a text of SQL is taken out and built
separately. Behind a comment `Conditions that follow from each other` those of a statement are taken out together. The tests that have to fail are the contract of the storage, on SQLite and PostgreSQL; the tests named like the
file run first. Prints a row for each condition with the first test that failed, and the count.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUERIES = "crates/storage/src/queries"
# Before a condition: the call or name that receives it. Before a stored value: a comma or a tuple.
CONDITION = re.compile(r"(?:\.(?:filter|and|or|on)\(|=)\s*$")
SITE = re.compile(r"(?:\$|\b)\w+::account_id\s*\.eq\(")
# Each use of the macro is a separate condition.
ROWS_OF = re.compile(r"\brows_of!\(\s*(\$?\w+),\s*(\$?\w+)(?:,\s*(\$?\w+))?\s*\)")
OF_TEXT = re.compile(r"\b(?:\w+\.)?account_id = (?:\$\d+|\w+\.account_id)")
# Removing only one of these changes nothing.
TOGETHER = re.compile(r"// Conditions that follow from each other\b[^;]*;")
SWITCH = '''//! Conditions that a number in the environment switches off (made by tests/mutants/account_filter.py).

use diesel::{
    QueryResult,
    backend::Backend,
    expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping},
    query_builder::{AstPass, QueryFragment, QueryId},
};
use std::sync::LazyLock;

static OFF: LazyLock<Option<usize>> = LazyLock::new(|| {
    #[allow(clippy::disallowed_methods, reason = "this copy is thrown away")]
    std::env::var("SIGHTLINE_MUTANT").ok().and_then(|it| it.parse().ok())
});

#[derive(Clone, Copy)]
pub struct Site<E> {
    number: usize,
    condition: E,
}

pub const fn site<E>(number: usize, condition: E) -> Site<E> {
    Site { number, condition }
}

impl<E: Expression> Expression for Site<E> {
    type SqlType = E::SqlType;
}

impl<E, DB: Backend> QueryFragment<DB> for Site<E>
where
    E: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        if *OFF == Some(self.number) {
            pass.push_sql("1 = 1");
            return Ok(());
        }
        self.condition.walk_ast(pass)
    }
}

impl<E> QueryId for Site<E> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<E: AppearsOnTable<T>, T> AppearsOnTable<T> for Site<E> where Self: Expression {}
impl<E: SelectableExpression<T>, T> SelectableExpression<T> for Site<E> where Self: AppearsOnTable<T> {}
impl<E: ValidGrouping<G>, G> ValidGrouping<G> for Site<E> {
    type IsAggregate = E::IsAggregate;
}
'''


def end_of_call(text, begin):
    """The end of the parenthesis that opens right before `begin`."""
    depth = 1
    for at in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    raise SystemExit(f"unbalanced: {text[begin - 60:begin + 60]}")


def place(path, text, at):
    return f"{path.name}:{text.count(chr(10), 0, at) + 1}"


def rows_of(use):
    """The expansion of the macro, in as many lines."""
    table, account, project = use.groups()
    of_project = f".filter({table}::project_id.eq({project}.0))" if project else ""
    return f"{table}::table.filter({table}::account_id.eq({account}.0)){of_project}" + "\n" * use[0].count("\n")


def make_switches(tree):
    """Puts a switch on every condition of the builder; returns their places."""
    places = []
    for path in sorted((tree / QUERIES).rglob("*.rs")):
        text = path.read_text()
        if "macro_rules! rows_of" in text:
            continue
        text = ROWS_OF.sub(rows_of, text)
        made, last = [], 0
        groups = {span: None for span in (found.span() for found in TOGETHER.finditer(text))}
        for found in SITE.finditer(text):
            if not CONDITION.search(text[:found.start()]):
                continue
            end = end_of_call(text, found.end())
            group = next((it for it in groups if it[0] < found.start() < it[1]), None)
            number = groups.get(group)
            if number is None:
                number = len(places)
                places.append(place(path, text, found.start()))
            if group:
                groups[group] = number
            made += [text[last:found.start()], f"crate::mutant::site({number}, {text[found.start():end]})"]
            last = end
        path.write_text("".join([*made, text[last:]]))
    (tree / "crates/storage/src/mutant.rs").write_text(SWITCH)
    lib = tree / "crates/storage/src/lib.rs"
    lib.write_text(lib.read_text().replace("\nmod ", "\n#[allow(missing_docs)]\nmod mutant;\nmod ", 1))
    return places


def sql_conditions(tree):
    """Conditions in texts of SQL: path, position, and the text without it."""
    for path in sorted((tree / QUERIES).rglob("*.rs")):
        text = path.read_text()
        for found in OF_TEXT.finditer(text):
            bind = re.search(r"\$\d+", found[0])
            # Bound values must stay in the text.
            always = f"{bind[0]} = {bind[0]}" if bind else "1 = 1"
            yield path, place(path, text, found.start()), text[:found.start()] + always + text[found.end():]


def build(tree):
    """The tests, where no other build on this machine can replace them."""
    output = subprocess.run(
        ["cargo", "test", "--no-run", "-q", "-p", "tests", "--test", "storage_contract", "--message-format=json-render-diagnostics"],
        cwd=tree, stdout=subprocess.PIPE, text=True, check=True).stdout
    built = re.findall(r'"executable":"([^"]*/storage_contract-[^"]*)"', output)[-1]
    return shutil.copy(built, tree / "suite-of-mutants")


def first_failing_test(tree, program, number, named, threads):
    """The first test that fails, or nothing."""
    environment = {**os.environ, "RUST_BACKTRACE": "0"}
    if number is not None:
        environment["SIGHTLINE_MUTANT"] = str(number)
    # Tests that restart their database depend on time, and fail on a busy machine.
    ran = subprocess.Popen([program, named, "--skip=server_restart", f"--test-threads={threads}"], cwd=tree / "tests", env=environment,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    try:
        for line in ran.stdout:
            if line.startswith("test ") and "FAILED" in line:
                return line.split()[1]
        ran.wait()
        # No test failed, but the process did.
        return f"exit {ran.returncode}" if ran.returncode else None
    finally:
        if ran.poll() is None:
            # Only this process: the watchdog of its PostgreSQL notices and stops the server.
            ran.kill()
            ran.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="conditions of files whose name and line hold one of these, with commas between")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    kept = pathlib.Path(tempfile.gettempdir()) / "sightline-mutants"
    shutil.rmtree(kept, ignore_errors=True)
    subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)
    subprocess.run(["git", "worktree", "add", "-q", "--detach", kept], cwd=ROOT, check=True)
    try:
        run(kept, arguments)
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", kept], cwd=ROOT, check=True)


def run(tree, arguments):
    began = time.time()
    texts = list(sql_conditions(tree))
    places = make_switches(tree)
    program = build(tree)
    print(f"{len(places)} conditions of the builder, {len(texts)} in texts; built in {time.time() - began:.0f} s", flush=True)
    first = first_failing_test(tree, program, None, "", arguments.threads)
    if first:
        raise SystemExit(f"{first} fails with every condition in its place")
    missed, tried = [], 0

    def is_wanted(where):
        return any(part in where for part in arguments.only.split(","))

    def run_mutant(where, program, number):
        nonlocal tried
        if not is_wanted(where):
            return
        tried += 1
        stem = where.split(".rs")[0]
        runs = (f"{stem}::", "")
        test = next((found for words in runs if (found := first_failing_test(tree, program, number, words, arguments.threads))), None)
        print(f"{where:28} {test or 'NOBODY NOTICED'}", flush=True)
        if test is None:
            missed.append(where)

    for number, where in enumerate(places):
        run_mutant(where, program, number)
    for path, where, without in texts:
        if not is_wanted(where):
            continue
        # The original file except for this condition: switches exist only for the builder's conditions.
        before = path.read_text()
        path.write_text(without)
        run_mutant(where, build(tree), None)
        path.write_text(before)
    print(f"{tried - len(missed)} of {tried} were noticed, in {time.time() - began:.0f} s")
    if missed:
        print("nobody noticed: " + ", ".join(missed))
        sys.exit(1)


main()
