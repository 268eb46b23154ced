import assert from 'node:assert/strict';
import test from 'node:test';
import { inMarket, readStatus, trackedIn, usualMarket } from '../../crates/web/assets/js/keyword_status.js';

test('what is not told is unknown; days are counted', () => {
  assert.deepEqual(readStatus({ keywordId: 4, keyword: 'a', country: 'us', language: 'en', bestPosition: 2, aiTracked: true }), {
    keywordId: 4, text: 'a', country: 'us', language: 'en', device: null, targetUrl: null, aiTracked: true, position: null, best: 2, daysMeasured: 0, page: null, searchVolume: null, measuredAt: null,
  });
  assert.equal(readStatus({ keyword: 'a', searchVolume: 0 }).searchVolume, 0);
});

test('the same words in another market are another keyword', () => {
  const status = [['a', 'us', 'en', true], ['A', 'cz', 'cs', false], ['b', 'cz', 'cs', false]].map(([keyword, country, language, aiTracked]) => readStatus({ keyword, country, language, aiTracked }));
  assert.deepEqual([...trackedIn(status, { country: 'US', language: 'en' })], [['a', true]]);
  assert.deepEqual([...trackedIn(status, { country: 'cz', language: 'cs' })], [['a', false], ['b', false]]);
  assert.equal(trackedIn(status, null).size, 2);
  assert.deepEqual(usualMarket(status), { country: 'cz', language: 'cs' });
  assert.equal(usualMarket([readStatus({ keyword: 'x' })]), null);
  assert.equal(inMarket(readStatus({ keyword: 'x' }), { country: 'us', language: 'en' }), true);
});
