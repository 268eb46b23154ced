// node --test tests/modules
import assert from 'node:assert/strict';
import test from 'node:test';
import { addLines, numberLines, refusalReasons, splitLines, summarize } from '../../crates/web/assets/js/add_keywords.js';

const LONG = 'x'.repeat(201);

test('lines keep the numbers that an editor shows', () => {
  assert.deepEqual(numberLines('shoes\n\n  boots \n'), [{ line: 1, text: 'shoes' }, { line: 3, text: 'boots' }]);
});

test('one bad line is named and the good ones go in', async () => {
  const sent = [];
  const send = async (method, path, body) => {
    sent.push([method, path, body]);
    return { added: 1, alreadyTracked: 1, reactivated: 0, refused: 0, items: [{ outcome: 'added' }, { outcome: 'alreadyTracked' }] };
  };
  const result = await addLines(send, 7, numberLines(`shoes\n${LONG}\nboots\nShoes`), { market: { country: 'de', language: 'de' }, tags: ['spring'], aiTracked: true });
  assert.deepEqual(sent, [['POST', '/api/projects/7/keywords/bulk', {
    keywords: [{ text: 'shoes', aiTracked: true }, { text: 'boots', aiTracked: true }], mode: 'partial', market: { country: 'de', language: 'de' }, tags: ['spring'],
  }]]);
  assert.equal(summarize(result), '1 keyword added, 1 already tracked, 1 repeated in your list, 1 refused.');
  assert.deepEqual(refusalReasons(result), [`Line 2, “${'x'.repeat(60)}…”: It is longer than 200 characters.`]);
});

test('what the server refuses is named by its line', async () => {
  const send = async () => ({ added: 1, reactivated: 1, refused: 1, items: [{ outcome: 'added' }, { outcome: 'reactivated' }, { outcome: 'refused', detail: '3 keywords are the most.' }] });
  const result = await addLines(send, 7, numberLines('a\nb\n\nc'), {});
  assert.equal(summarize(result), '1 keyword added, 1 restored with its history, 1 refused.');
  assert.deepEqual(refusalReasons(result), ['Line 4, “c”: 3 keywords are the most.']);
});

test('a long paste is sent in parts of a thousand', async () => {
  const sizes = [];
  const send = async (method, path, { keywords }) => { sizes.push(keywords.length); return { added: keywords.length, items: [] }; };
  const result = await addLines(send, 7, numberLines(Array.from({ length: 2500 }, (_, at) => `keyword ${at}`).join('\n')), {});
  assert.deepEqual(sizes, [1000, 1000, 500]);
  assert.equal(summarize(result), '2500 keywords added.');
});

test('an error in the middle tells what was done and what is left', async () => {
  let parts = 0;
  const send = async (method, path, { keywords }) => { parts += 1; if (parts === 2) throw new Error('gone'); return { added: keywords.length, items: [] }; };
  const error = await addLines(send, 7, numberLines(Array.from({ length: 1001 }, (_, at) => `keyword ${at}`).join('\n')), {}).catch((it) => it);
  assert.equal(error.done.added, 1000);
  assert.deepEqual(error.left, [{ line: 1001, text: 'keyword 1000' }]);
});

test('many refusals are counted behind the first fifty', () => {
  const lines = numberLines(Array.from({ length: 60 }, () => LONG).join('\n'));
  const { refused } = splitLines(lines);
  const reported = refusalReasons({ lines: refused, refused: refused.length });
  assert.equal(reported.length, 51);
  assert.equal(reported.at(-1), '10 more lines refused.');
});
