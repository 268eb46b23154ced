"""Runs the examples of the crate `programs`, which answer JSON lines with JSON lines."""
import functools
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@functools.cache
def _built():
    """Builds the examples once."""
    subprocess.run(["cargo", "build", "-q", "--release", "-p", "programs", "--examples"], cwd=ROOT, check=True)


def program(example):
    _built()
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release" / "examples" / example


def query(example, questions):
    """The answers of an example to questions, in order."""
    _built.cache_clear()
    lines = "".join(json.dumps(it, ensure_ascii=False) + "\n" for it in questions)
    ran = subprocess.run([program(example)], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]
