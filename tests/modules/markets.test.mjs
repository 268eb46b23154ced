// node --test tests/modules
import assert from 'node:assert/strict';
import test from 'node:test';
import { findCode, suggestNames } from '../../crates/web/assets/js/markets.js';

const COUNTRIES = [['Czechia', 'cz'], ['Côte d’Ivoire', 'ci'], ['Georgia', 'ge'], ['Germany', 'de'], ['United Kingdom', 'gb'], ['United States', 'us']];

test('Germany is de, never Georgia', () => {
  assert.equal(findCode(COUNTRIES, 'Germany'), 'de');
  assert.equal(findCode(COUNTRIES, '  germany '), 'de');
  assert.equal(findCode(COUNTRIES, 'GERMANY'), 'de');
});

test('codes, everyday short names and missing accents are understood', () => {
  for (const [text, code] of [['DE', 'de'], ['ge', 'ge'], ['UK', 'gb'], ['usa', 'us'], ['Cote d’Ivoire', 'ci']]) assert.equal(findCode(COUNTRIES, text), code, text);
});

test('what is on no list is nothing, with names that are alike', () => {
  for (const text of ['', ' ', 'Ger', 'Germania', 'zz', 'xx']) assert.equal(findCode(COUNTRIES, text), null, text);
  assert.deepEqual(suggestNames(COUNTRIES, 'Germania'), ['Georgia', 'Germany']);
  assert.deepEqual(suggestNames(COUNTRIES, 'united'), ['United Kingdom', 'United States']);
  assert.deepEqual(suggestNames(COUNTRIES, 'zzz'), []);
});
