// The modules that ask the API, against answers that stand here.
import assert from 'node:assert/strict';
import test from 'node:test';
import { all } from '../../crates/web/assets/js/lists.js';
import { statesOf } from '../../crates/web/assets/js/progress.js';
import { resultsOf } from '../../crates/web/assets/js/project_data.js';

// Answers with what `of` makes of an address, and keeps which ones were asked.
function serve(of) {
  const asked = [];
  globalThis.fetch = async (path) => {
    asked.push(path);
    return new Response(JSON.stringify(of(new URL(path, 'http://here'))), { status: 200 });
  };
  return asked;
}

test('pages of chosen keywords are asked for by two hundred, and again for what did not fit', async () => {
  const keywords = Array.from({ length: 450 }, (_, index) => ({ keywordId: 1000 - index, text: `Keyword ${1000 - index}` }));
  const asked = serve((url) => {
    const ids = url.searchParams.get('keywordIds').split(',').map(Number);
    const kept = ids.length > 150 ? ids.slice(0, 150) : ids;
    return { items: kept.filter((it) => it % 2 === 0).map((keywordId) => ({ keywordId, pages: keywordId % 10 === 0 ? [] : [`p${keywordId}`] })), truncated: kept.length < ids.length };
  });
  const found = await resultsOf(7, keywords);
  assert.ok(asked.every((it) => it.startsWith('/api/projects/7/top-results?keywordIds=') && it.split(',').length <= 200 && it.length < 4096), asked.join('\n'));
  assert.ok(asked.length <= 4, `${asked.length} requests`);
  const wanted = keywords.filter((it) => it.keywordId % 2 === 0 && it.keywordId % 10 !== 0).map((it) => it.text.toLowerCase());
  assert.deepEqual([...found.keys()].sort(), wanted.sort(), 'none is left out, and none without pages is known');
  assert.deepEqual(found.get('keyword 602'), ['p602']);
});

test('nothing is asked for no keywords', async () => {
  const asked = serve(() => ({ items: [] }));
  assert.equal((await resultsOf(7, [])).size, 0);
  assert.deepEqual(asked, []);
});

test('a refusal of results is told, not taken for none', async () => {
  globalThis.fetch = async () => new Response(JSON.stringify({ title: 'Too many' }), { status: 429, headers: { 'Retry-After': '9' } });
  await assert.rejects(resultsOf(7, [{ keywordId: 1, text: 'a' }]), (error) => error.status === 429 && error.retryAfter === 9);
});

test('what the first page tells beside its rows is kept', async () => {
  serve((url) => (url.searchParams.has('cursor') ? { from: null, items: [2], nextCursor: null } : { from: '2026-08-22', items: [1], nextCursor: 'x' }));
  const { items, more, first } = await all('/rows?limit=1');
  assert.deepEqual([items, more, first.from], [[1, 2], false, '2026-08-22']);
});

test('an analysis is found however many newer ones there are, and one that ended is asked for itself', async () => {
  const jobs = { running: [{ id: 3, status: 'running' }], retrying: [], queued: Array.from({ length: 200 }, (_, index) => ({ id: 100 + index, status: 'queued' })) };
  const of = (url) => ({ items: url.searchParams.has('jobId') ? [{ id: Number(url.searchParams.get('jobId')), status: 'succeeded' }] : jobs[url.searchParams.get('status')] });
  let asked = serve(of);
  assert.deepEqual([...(await statesOf(['3'])).keys()], ['3']);
  assert.deepEqual(asked, ['/api/analyses?status=running&limit=200'], 'no more is asked than is needed');
  asked = serve(of);
  const found = await statesOf(['3', '8', '150']);
  assert.deepEqual(['3', '8', '150'].map((id) => found.get(id).status), ['running', 'succeeded', 'queued']);
  assert.equal(asked.at(-1), '/api/analyses?jobId=8');
});
