import assert from 'node:assert/strict';
import test from 'node:test';
import { inMarket, mostCommonMarket, onePerText, readStatus, trackedTexts } from '../../crates/web/assets/js/keyword_status.js';

test('what is not told is unknown; days are counted', () => {
  assert.deepEqual(readStatus({ keywordId: 4, keyword: 'a', country: 'us', language: 'en', bestPosition: 2, aiTracked: true }), {
    keywordId: 4, text: 'a', country: 'us', language: 'en', device: null, location: null, targetUrl: null, aiTracked: true, position: null, best: 2, daysMeasured: 0, page: null, searchVolume: null, measuredAt: null,
  });
  assert.equal(readStatus({ keyword: 'a', searchVolume: 0 }).searchVolume, 0);
});

test('the same words in another market are another keyword', () => {
  const status = [['a', 'us', 'en', true], ['A', 'cz', 'cs', false], ['b', 'cz', 'cs', false]].map(([keyword, country, language, aiTracked]) => readStatus({ keyword, country, language, aiTracked }));
  assert.deepEqual([...trackedTexts(status, { country: 'US', language: 'en' })], [['a', true]]);
  assert.deepEqual([...trackedTexts(status, { country: 'cz', language: 'cs' })], [['a', false], ['b', false]]);
  assert.equal(trackedTexts(status, null).size, 2);
  assert.deepEqual(mostCommonMarket(status), { country: 'cz', language: 'cs' });
  assert.equal(mostCommonMarket([readStatus({ keyword: 'x' })]), null);
  assert.equal(inMarket(readStatus({ keyword: 'x' }), { country: 'us', language: 'en' }), true);
});

test('a text counts once: in the usual market, on desktop, in no certain place', () => {
  const status = [['a', 'us', 'en', 'desktop', null], ['A', 'cz', 'cs', 'mobile', null], [' a ', 'cz', 'cs', 'desktop', 'Brno'], ['a', 'cz', 'cs', 'desktop', null], ['b', 'us', 'en', 'mobile', null], ['b', 'us', 'en', 'desktop', null]]
    .map(([keyword, country, language, device, location], keywordId) => readStatus({ keywordId, keyword, country, language, device, location }));
  assert.deepEqual(onePerText(status, { country: 'cz', language: 'cs' }).map((it) => it.keywordId), [3, 5]);
  assert.deepEqual(onePerText(status, { country: 'us', language: 'en' }).map((it) => it.keywordId), [0, 5]);
  assert.deepEqual(onePerText(status, null).map((it) => it.keywordId), [0, 5]);
  assert.deepEqual(onePerText([], null), []);
});
