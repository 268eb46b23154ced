import assert from 'node:assert/strict';
import test from 'node:test';
import { comparingWord, containsBrand, foldDiacritics, isQuestion, normalized, topicWords } from '../../crates/web/assets/js/words.js';

// The examples of crates/texts/src/keyword_text.rs.
test('case, width and spaces do not make another keyword, diacritics do', () => {
  assert.equal(normalized('  Ｒｕｓｔ\u00a0 \t SEO '), 'rust seo');
  assert.equal(normalized('ŽLUŤOUČKÝ kůň'), 'žluťoučký kůň');
  assert.equal(normalized('e\u0301clair'), normalized('Éclair'));
  assert.notEqual(normalized('résumé'), normalized('resume'));
  assert.equal(foldDiacritics('Žluťoučký'), 'zlutoucky');
});

test('questions are told by their first word or their mark, in several languages', () => {
  for (const [text, language] of [['how to run', 'en'], ['What’s a stack', 'en'], ['jak běhat', 'cs'], ['¿qué comer', 'es'], ['warum laufen', 'de'], ['shoes?', 'xx']]) assert.ok(isQuestion(text, language), text);
  for (const [text, language] of [['running shoes', 'en'], ['show me how', 'en'], ['how to run', 'xx'], ['', 'en']]) assert.ok(!isQuestion(text, language), text);
});

test('words that compare are found anywhere', () => {
  assert.equal(comparingWord('shoes vs boots', 'en'), 'vs');
  assert.equal(comparingWord('nejlepší boty', 'cs-CZ'), 'nejlepsi');
  assert.equal(comparingWord('bestseller', 'en'), null);
  assert.equal(comparingWord('best shoes', 'ja'), null);
  assert.equal(comparingWord('best shoes', undefined), null);
});

test('a star stands for every end of a word, an underscore for a phrase', () => {
  assert.deepEqual(['recenzí bot', 'zkušenostmi', 'recenze', 'recept'].map((it) => comparingWord(it, 'cs')), ['recenzi', 'zkusenostmi', 'recenze', null]);
  assert.deepEqual([comparingWord('najlepszych butów', 'pl'), comparingWord('czy warto kupić buty', 'pl'), comparingWord('warto czy nie', 'pl')], ['najlepszych', 'czy warto', null]);
  assert.equal(comparingWord('Rezensionen', 'de'), 'rezensionen');
  assert.deepEqual(topicWords('czy warto kupić buty', 'pl'), ['kupic', 'buty']);
  assert.ok(isQuestion("who's there", 'en') && isQuestion('who’s there', 'en'));
});

test('topic words leave out what joins, asks and compares, unless nothing else is there', () => {
  assert.deepEqual(topicWords('How to choose the best running shoes for women', 'en'), ['choose', 'running', 'shoes', 'women']);
  assert.deepEqual(topicWords('what is it', 'en'), ['what', 'is', 'it']);
});

test('brands are whole words, also written together', () => {
  for (const text of ['running-store reviews', 'runningstore login', 'Is Running Store good']) assert.ok(containsBrand(text, ['Running Store', 'running-store']), text);
  for (const text of ['running storefront', 'store for running', 'hm']) assert.ok(!containsBrand(text, ['Running Store', 'H&M', '', 'o']), text);
});
