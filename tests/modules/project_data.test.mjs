// The modules that request the API, against a server with fixed responses.
import assert from 'node:assert/strict';
import test from 'node:test';
import { fetchAll } from '../../crates/web/assets/js/lists.js';
import { fetchStates } from '../../crates/web/assets/js/progress.js';
import { fetchResults } from '../../crates/web/assets/js/project_data.js';

// Responds with `of(url)`; returns the list of requested paths.
function serve(of) {
  const requested = [];
  globalThis.fetch = async (path) => {
    requested.push(path);
    return new Response(JSON.stringify(of(new URL(path, 'http://here'))), { status: 200 });
  };
  return requested;
}

test('pages of chosen keywords are asked for by two hundred, and again for what did not fit', async () => {
  const keywords = Array.from({ length: 450 }, (_, index) => ({ keywordId: 1000 - index, text: `Keyword ${1000 - index}` }));
  const requested = serve((url) => {
    const ids = url.searchParams.get('keywordIds').split(',').map(Number);
    const kept = ids.length > 150 ? ids.slice(0, 150) : ids;
    return { items: kept.filter((it) => it % 2 === 0).map((keywordId) => ({ keywordId, pages: keywordId % 10 === 0 ? [] : [`p${keywordId}`] })), truncated: kept.length < ids.length };
  });
  const found = await fetchResults(7, keywords);
  assert.ok(requested.every((it) => it.startsWith('/api/projects/7/top-results?keywordIds=') && it.split(',').length <= 200 && it.length < 4096), requested.join('\n'));
  assert.ok(requested.length <= 4, `${requested.length} requests`);
  const wanted = keywords.filter((it) => it.keywordId % 2 === 0 && it.keywordId % 10 !== 0).map((it) => it.text.toLowerCase());
  assert.deepEqual([...found.keys()].sort(), wanted.sort(), 'none is left out, and none without pages is known');
  assert.deepEqual(found.get('keyword 602'), ['p602']);
});

test('nothing is asked for no keywords', async () => {
  const requested = serve(() => ({ items: [] }));
  assert.equal((await fetchResults(7, [])).size, 0);
  assert.deepEqual(requested, []);
});

test('a refusal of results is told, not taken for none', async () => {
  globalThis.fetch = async () => new Response(JSON.stringify({ title: 'Too many' }), { status: 429, headers: { 'Retry-After': '9' } });
  await assert.rejects(fetchResults(7, [{ keywordId: 1, text: 'a' }]), (error) => error.status === 429 && error.retryAfter === 9);
});

test('what the first page tells beside its rows is kept', async () => {
  serve((url) => (url.searchParams.has('cursor') ? { from: null, items: [2], nextCursor: null } : { from: '2026-08-22', items: [1], nextCursor: 'x' }));
  const { items, more, first } = await fetchAll('/rows?limit=1');
  assert.deepEqual([items, more, first.from], [[1, 2], false, '2026-08-22']);
});

test('an analysis is found however many newer ones there are, and one that ended is asked for itself', async () => {
  const jobs = { running: [{ id: 3, status: 'running' }], retrying: [], queued: Array.from({ length: 200 }, (_, index) => ({ id: 100 + index, status: 'queued' })) };
  const of = (url) => ({ items: url.searchParams.has('jobId') ? [{ id: Number(url.searchParams.get('jobId')), status: 'succeeded' }] : jobs[url.searchParams.get('status')] });
  let requested = serve(of);
  assert.deepEqual([...(await fetchStates(['3'])).keys()], ['3']);
  assert.deepEqual(requested, ['/api/analyses?status=running&limit=200'], 'no more is asked than is needed');
  requested = serve(of);
  const found = await fetchStates(['3', '8', '150']);
  assert.deepEqual(['3', '8', '150'].map((id) => found.get(id).status), ['running', 'succeeded', 'queued']);
  assert.equal(requested.at(-1), '/api/analyses?jobId=8');
});
