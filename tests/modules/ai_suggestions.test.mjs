import assert from 'node:assert/strict';
import test from 'node:test';
import { explainSuggestion, findObjection, signalsFor, suggestKeywords } from '../../crates/web/assets/js/ai_suggestions.js';

const idea = (keyword, more = {}) => ({ keyword, relation: 'phrase', intent: null, overview: null, searchVolume: null, ...more });
const names = (it) => signalsFor(it, 'en').map((signal) => signal.name);

test('each sign is told once, and what is not known is no sign', () => {
  assert.deepEqual(names(idea('how to choose running shoes', { intent: 'informational', overview: true })), ['question', 'intent', 'overview']);
  assert.deepEqual(names(idea('best running shoes', { intent: 'commercial' })), ['intent', 'compares']);
  assert.deepEqual(names(idea('shoe sizes', { relation: 'alsoAsk' })), ['question']);
  assert.deepEqual(names(idea('running shoes', { overview: false, intent: 'transactional' })), []);
});

test('brands, one certain site and what is measured already speak against it', () => {
  assert.equal(findObjection(idea('acme shoes'), ['Acme']).name, 'brand');
  assert.equal(findObjection(idea('shop login', { intent: 'navigational' }), []).name, 'navigational');
  assert.equal(findObjection(idea('x', { aiTracked: true }), []).name, 'measured');
  assert.equal(findObjection(idea('x', { aiTracked: false }), []), null);
});

test('as many are suggested as there are places, most signs and most searches first', () => {
  const ideas = [
    idea('best shoes', { intent: 'commercial', searchVolume: 500 }),
    idea('how to run?', { intent: 'informational', overview: true, searchVolume: 10 }),
    idea('what is pronation', { intent: 'informational', searchVolume: null }),
    idea('top shoes', { intent: 'commercial', searchVolume: 500 }),
    idea('shoes', { searchVolume: 90000 }),
  ];
  const found = suggestKeywords(ideas, { language: 'en', left: 2 });
  assert.deepEqual(found.map((it) => it.suggested), [true, true, false, false, false]);
  assert.deepEqual(found.map((it) => it.eligible), [true, true, true, true, false]);
  assert.match(explainSuggestion(found[1]), /Takes 1 place of the allowance, 1 would be left\./);
  assert.match(explainSuggestion(found[0]), /0 would be left\./);
  assert.match(explainSuggestion(found[3]), /no place of the allowance is left/);
  assert.match(explainSuggestion(found[4]), /0 of at least 2 signs/);
});

test('nothing is left means nothing is suggested; an unknown allowance cuts nothing', () => {
  const ideas = [idea('how to run', { intent: 'informational' })];
  assert.equal(suggestKeywords(ideas, { language: 'en', left: 0 })[0].suggested, false);
  const open = suggestKeywords(ideas, { language: 'en' })[0];
  assert.deepEqual([open.suggested, open.quotaBefore], [true, null]);
  assert.match(explainSuggestion(open), /Takes 1 place of the allowance\.$/);
  assert.deepEqual(suggestKeywords([], { language: 'en' }), []);
});
