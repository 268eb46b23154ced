// What is written is read back by a reader of another make: Python's csv module, which follows RFC 4180.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { cell, csv } from '../../crates/web/assets/js/csv.js';

const python = (text) => {
  const run = spawnSync('python3', ['-c', 'import csv,io,json,sys; print(json.dumps(list(csv.reader(io.StringIO(sys.stdin.buffer.read().decode("utf-8"), newline=""), strict=True))))'], { input: text });
  assert.equal(run.status, 0, String(run.stderr));
  return JSON.parse(run.stdout);
};

test('what a spreadsheet would calculate is text', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '－1', '=HYPERLINK("http://evil","x")']) assert.ok(/^"?'/.test(cell(text)), JSON.stringify(cell(text)));
  const harmless = ['a=1', '1-2', ' =1', "'=1", 'x@y', '–1'];
  assert.deepEqual(python(csv(harmless, [])), [harmless]);
});

test('numbers stay numbers, whatever the reader’s language', () => {
  assert.deepEqual([-5, 0, 0.5, 1e-7, 1234567.25].map(cell), ['-5', '0', '0.5', '1e-7', '1234567.25']);
  assert.deepEqual([null, undefined, Number.NaN, Infinity, '', true, false].map(cell), ['', '', '', '', '', 'true', 'false']);
});

test('quotes, commas and lines survive', () => {
  const rows = [['a,b', 'say "so"', 'two\nlines', 'two\r\nlines', '', 'žluť 😀', ' edge ', 'plain'], ['=1+1', '-5', 'x', '', '', '"', '""', ',']];
  const read = python(csv(['1', '2', '3', '4', '5', '6', '7', '8'], rows));
  assert.deepEqual(read.slice(1), rows.map((row) => row.map((it) => (/^[=\-]/.test(it) ? `'${it}` : it))));
});

test('lines end as the standard has it, the last one too', () => {
  assert.equal(csv(['a', 'b'], [[1, null]]), 'a,b\r\n1,\r\n');
  assert.equal(csv(['a'], []), 'a\r\n');
});
