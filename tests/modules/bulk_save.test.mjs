import assert from 'node:assert/strict';
import test from 'node:test';
import { buildBody, countOutcomes, countQuota, keywordErrors, mergeEqual, remainingQuota, validate } from '../../crates/web/assets/js/bulk_save.js';

const QUOTAS = [{ name: 'keywords', limit: 1000, used: 990 }, { name: 'aiTracked', limit: 5, used: 3 }, { name: 'projects', limit: null, used: 2 }];

test('what is left is the smaller of the account’s and the project’s; unknown stays unknown', () => {
  assert.deepEqual(remainingQuota(QUOTAS, 500, 100), { keywords: 10, account: 10, project: 400, ai: 2 });
  assert.deepEqual(remainingQuota(QUOTAS, 500, 495), { keywords: 5, account: 10, project: 5, ai: 2 });
  assert.deepEqual(remainingQuota(undefined, undefined, null), { keywords: null, account: null, project: null, ai: null });
  assert.equal(remainingQuota([{ name: 'keywords', limit: 5, used: 9 }], null, null).keywords, 0);
});

test('equal texts count once', () => {
  assert.deepEqual(mergeEqual([{ text: ' Running  Shoes', aiTracked: false }, { text: 'running shoes', aiTracked: true }, { text: '  ', aiTracked: true }]), [{ text: 'Running  Shoes', aiTracked: true }]);
});

test('places are counted as they are taken', () => {
  const chosen = [{ text: 'a', aiTracked: true }, { text: 'A', aiTracked: false }, { text: 'b', aiTracked: true }, { text: 'c', aiTracked: false }, { text: 'd', aiTracked: true }];
  const tracked = new Map([['d', false]]);
  assert.deepEqual(countQuota(chosen, tracked, { keywords: 3, ai: 2 }), { chosen: 4, already: 1, keywordsTaken: 3, aiTaken: 2, keywordsAfter: 0, aiAfter: 0, fits: true, tooMany: false });
  assert.equal(countQuota(chosen, tracked, { keywords: 2, ai: 2 }).fits, false);
  assert.equal(countQuota(chosen, tracked, { keywords: 3, ai: 1 }).fits, false);
  const open = countQuota(chosen, new Map(), { keywords: null, ai: null });
  assert.deepEqual([open.keywordsAfter, open.aiAfter, open.fits, open.aiTaken], [null, null, true, 3]);
  assert.equal(countQuota(Array.from({ length: 1001 }, (_, index) => ({ text: `k${index}` })), new Map(), { keywords: null, ai: null }).tooMany, true);
});

test('what is sent is what is counted', () => {
  assert.deepEqual(buildBody([{ text: 'a', aiTracked: true, key: 'a', ai: true }], 'partial'), { keywords: [{ text: 'a', aiTracked: true }], mode: 'partial' });
  assert.deepEqual(buildBody([], 'all', { country: 'cz', language: 'cs', more: 1 }), { keywords: [], mode: 'all', market: { country: 'cz', language: 'cs' } });
});

test('faults of a text are told before it is sent', () => {
  assert.equal(validate('😀'.repeat(200)), null);
  assert.match(validate('😀'.repeat(201)), /200 characters/);
  assert.equal(validate(Array(20).fill('w').join(' ')), null);
  assert.match(validate(Array(21).fill('w').join(' ')), /20 words/);
  assert.match(validate('  '), /empty/);
});

test('outcomes are told in words', () => {
  const items = ['added', 'added', 'refused', 'alreadyTracked'].map((outcome) => ({ outcome }));
  assert.equal(countOutcomes(items).text, '2 added, 1 already tracked, 1 refused.');
  assert.equal(countOutcomes(items, { added: 700, alreadyTracked: 0, reactivated: 2, refused: 1 }).text, '700 added, 2 restored, 1 refused.', 'an answer that ends early still counts all');
  assert.equal(countOutcomes([]).text, 'Nothing was saved.');
});

test('a refusal names keywords, not places', () => {
  const chosen = [{ text: 'a' }, { text: 'A' }, { text: 'b' }];
  assert.deepEqual(keywordErrors(chosen, [{ pointer: '/keywords/1/text', code: 'too-long', detail: 'is too long' }, { pointer: '/mode', code: 'x' }, { pointer: '/keywords/9', code: 'y' }]), [{ text: 'b', outcome: 'refused', code: 'too-long', detail: 'is too long' }]);
  assert.deepEqual(keywordErrors(chosen, undefined), []);
});
