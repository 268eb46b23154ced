import assert from 'node:assert/strict';
import test from 'node:test';
import { asks, comparing, folded, namesBrand, normalised, topicWords } from '../../crates/web/assets/js/words.js';

// The examples of crates/texts/src/keyword_text.rs.
test('case, width and spaces do not make another keyword, diacritics do', () => {
  assert.equal(normalised('  Ｒｕｓｔ\u00a0 \t SEO '), 'rust seo');
  assert.equal(normalised('ŽLUŤOUČKÝ kůň'), 'žluťoučký kůň');
  assert.equal(normalised('e\u0301clair'), normalised('Éclair'));
  assert.notEqual(normalised('résumé'), normalised('resume'));
  assert.equal(folded('Žluťoučký'), 'zlutoucky');
});

test('questions are told by their first word or their mark, in several languages', () => {
  for (const [text, language] of [['how to run', 'en'], ['What’s a stack', 'en'], ['jak běhat', 'cs'], ['¿qué comer', 'es'], ['warum laufen', 'de'], ['shoes?', 'xx']]) assert.ok(asks(text, language), text);
  for (const [text, language] of [['running shoes', 'en'], ['show me how', 'en'], ['how to run', 'xx'], ['', 'en']]) assert.ok(!asks(text, language), text);
});

test('words that compare are found anywhere', () => {
  assert.equal(comparing('shoes vs boots', 'en'), 'vs');
  assert.equal(comparing('nejlepší boty', 'cs-CZ'), 'nejlepsi');
  assert.equal(comparing('bestseller', 'en'), null);
  assert.equal(comparing('best shoes', 'ja'), null);
  assert.equal(comparing('best shoes', undefined), null);
});

test('a star stands for every end of a word, an underscore for a phrase', () => {
  assert.deepEqual(['recenzí bot', 'zkušenostmi', 'recenze', 'recept'].map((it) => comparing(it, 'cs')), ['recenzi', 'zkusenostmi', 'recenze', null]);
  assert.deepEqual([comparing('najlepszych butów', 'pl'), comparing('czy warto kupić buty', 'pl'), comparing('warto czy nie', 'pl')], ['najlepszych', 'czy warto', null]);
  assert.equal(comparing('Rezensionen', 'de'), 'rezensionen');
  assert.deepEqual(topicWords('czy warto kupić buty', 'pl'), ['kupic', 'buty']);
  assert.ok(asks("who's there", 'en') && asks('who’s there', 'en'));
});

test('topic words leave out what joins, asks and compares, unless nothing else is there', () => {
  assert.deepEqual(topicWords('How to choose the best running shoes for women', 'en'), ['choose', 'running', 'shoes', 'women']);
  assert.deepEqual(topicWords('what is it', 'en'), ['what', 'is', 'it']);
});

test('brands are whole words, also written together', () => {
  for (const text of ['running-store reviews', 'runningstore login', 'Is Running Store good']) assert.ok(namesBrand(text, ['Running Store', 'running-store']), text);
  for (const text of ['running storefront', 'store for running', 'hm']) assert.ok(!namesBrand(text, ['Running Store', 'H&M', '', 'o']), text);
});
