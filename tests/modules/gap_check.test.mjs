// Means over impressions come from numpy.average with weights, computed once outside of here.
import assert from 'node:assert/strict';
import test from 'node:test';
import { addRows, clickRate, inStrikingDistance, indexPages, meanPosition, newestImport, pageKey, untracked, withoutImpressions, wrongPages } from '../../crates/web/assets/js/gap_check.js';

const row = (query, page, impressions, position, clicks = 0) => ({ query, page, impressions, clicks, position, ctr: null });
const S = (path) => `https://shop.example${path}`;
const close = (found, wanted) => assert.ok(Math.abs(found - wanted) < 1e-9, `${found} is not ${wanted}`);

test('rows are summed by query, positions weighted by impressions', () => {
  const queries = addRows(new Map(), [row('Trail Shoes', S('/a'), 1200, 4, 60)]);
  addRows(queries, [row('trail  shoes', S('/b'), 300, 19.5, 3), row('trail shoes', S('/a'), 50, null), row(' ', S('/x'), 9, 1)]);
  assert.equal(queries.size, 1);
  const it = queries.get('trail shoes');
  assert.deepEqual([it.impressions, it.clicks, it.pages.size], [1550, 63, 2]);
  close(meanPosition(it), 7.1);
  close(clickRate(it), 63 / 1550);
});

test('what is not known is not zero', () => {
  const it = addRows(new Map(), [row('a', null, 0, 3)]).get('a');
  assert.deepEqual([meanPosition(it), clickRate(it), it.pages.size], [null, null, 0]);
  const found = untracked(addRows(new Map(), [row('a', S('/a'), 9, null)]), [], { minImpressions: 0 })[0];
  assert.deepEqual([found.position, found.gain, found.striking], [null, null, false]);
});

test('striking distance begins at eight and ends at twenty', () => {
  assert.deepEqual([7.99, 8, 20, 20.01, null].map(inStrikingDistance), [false, true, true, false, false]);
});

test('searched but not followed: from the threshold on, most impressions first', () => {
  const queries = addRows(new Map(), [row('a', S('/a'), 10, 9), row('b', S('/b'), 9, 9), row('c', S('/c'), 10, 2), row('followed', S('/d'), 999, 1)]);
  const found = untracked(queries, [{ text: 'Followed' }], { minImpressions: 10 });
  assert.deepEqual(found.map((it) => [it.query, it.striking]), [['a', true], ['c', false]]);
  assert.equal(found[1].gain, 0, 'position two has nothing to win by three');
  assert.equal(untracked(queries, [], { minImpressions: 0 }).length, 4);
});

test('what position three would bring', () => {
  const queries = addRows(new Map(), [row('x', S('/a'), 1240, 4), row('x', S('/b'), 310, 19.5)]);
  // 1550 · (0.11 − 0.04), the mean position being 7.1.
  close(untracked(queries, [], { minImpressions: 1 })[0].gain, 108.5);
});

test('followed but never seen: most searched first, unknown volumes last', () => {
  const keywords = [{ text: 'b', searchVolume: null }, { text: 'a', searchVolume: null }, { text: 'C', searchVolume: 5 }, { text: 'seen', searchVolume: 99 }];
  assert.deepEqual(withoutImpressions(addRows(new Map(), [row('Seen', S('/'), 1, 50)]), keywords).map((it) => it.text), ['C', 'a', 'b']);
});

test('the same page is the same, whatever stands around its address', () => {
  assert.equal(pageKey('http://www.shop.example/a?utm_source=x&b=1&GCLID=9#top'), pageKey('https://shop.example/a?b=1'));
  assert.notEqual(pageKey(S('/a')), pageKey(S('/a/')));
  assert.deepEqual([pageKey(null), pageKey('not an address')], [null, 'not an address']);
});

test('right query, wrong page: the plan says so first, then the rank check, then the address', () => {
  const queries = addRows(new Map(), [
    row('trail shoes', S('/blog'), 90, 5), row('trail shoes', S('/trail'), 10, 30),
    row('road shoes', S('/blog'), 50, 5), row('kids shoes', S('/blog'), 40, 5), row('kids socks', S('/shoes-for-kids'), 1, 5),
    row('right one', S('/right'), 70, 2), row('small', S('/blog'), 3, 2),
  ]);
  const keywords = [
    { text: 'Trail shoes', page: S('/other') }, { text: 'road shoes', page: S('/road') }, { text: 'kids shoes', page: null },
    { text: 'right one', page: S('/right') }, { text: 'small', page: S('/else') }, { text: 'nobody', page: S('/n') },
  ];
  const found = wrongPages(queries, keywords, { minImpressions: 10, planned: new Map([['trail shoes', S('/trail')]]) });
  assert.deepEqual(found.map((it) => [it.query, it.intended, it.source]), [['trail shoes', S('/trail'), 'plan'], ['road shoes', S('/road'), 'rankCheck'], ['kids shoes', S('/shoes-for-kids'), 'words']]);
  assert.deepEqual([found[0].shownShare, found[0].intendedShare, found[1].intendedShare], [0.9, 0.1, 0]);
  assert.deepEqual(found[0].pages, [S('/blog'), S('/trail')]);
});

test('a keyword’s own target goes before all, and a path alone is a page of the same site', () => {
  const queries = addRows(new Map(), [row('a', S('/x'), 20, 5), row('b', S('/y'), 20, 5)]);
  const keywords = [{ text: 'a', targetUrl: '/target', page: S('/p') }, { text: 'b', targetUrl: null }];
  const found = wrongPages(queries, keywords, { minImpressions: 0, planned: new Map([['a', S('/plan')], ['b', '/y']]) });
  assert.deepEqual(found.map((it) => [it.query, it.intended, it.source]), [['a', '/target', 'target']]);
});

test('of all pages whose address holds every word the shortest is meant', () => {
  const queries = addRows(new Map(), [
    row('red kids shoes', S('/blog'), 90, 5), row('x', S('/kids/red/shoes/sale'), 9, 5), row('y', S('/red-shoes-kids'), 9, 5), row('z', S('/kids-red'), 9, 5),
    row('blue hats', S('/hats/blue'), 90, 5), row('v', S('/blue-hats'), 9, 5),
  ]);
  const found = wrongPages(queries, [{ text: 'red kids shoes' }, { text: 'blue hats' }], { minImpressions: 0, sites: indexPages(queries) });
  assert.deepEqual(found.map((it) => [it.query, it.intended, it.source]), [['red kids shoes', S('/red-shoes-kids'), 'words']], 'a page that holds them all is meant, whatever its length');
});

test('the newest days are four weeks of days, or a whole period', () => {
  const days = { cut: 'queryPage', from: '2026-01-01', to: '2026-05-10', days: 120 };
  const quarter = { cut: 'query', from: '2026-08-22', to: '2026-11-21', days: null };
  assert.deepEqual(newestImport([days, quarter]), { from: '2026-08-22', to: '2026-11-21' }, '92 days are not cut to 28: a part of a period says nothing');
  assert.deepEqual(newestImport([days, { ...quarter, to: '2026-05-09' }]), { from: '2026-04-13', to: '2026-05-10' });
  assert.deepEqual(newestImport([{ ...days, from: '2026-05-01', days: 10 }]), { from: '2026-05-01', to: '2026-05-10' });
  assert.equal(newestImport([{ ...days, cut: 'page' }, { ...days, cut: 'site' }]), null, 'without searches there is nothing to read');
  assert.equal(newestImport([]), null);
});

// Processor time since then, in ms: other tests that run at the same time make a process wait.
const computed = (began) => process.cpuUsage(began).user / 1000;

// Some 300 ms: the bound is for what grows with rows times keywords.
test('fifty thousand rows and a thousand keywords are no work', () => {
  const rows = Array.from({ length: 50_000 }, (_, index) => row(`query ${index % 20_000}`, S(`/p${index % 700}`), index % 90, 5));
  const keywords = Array.from({ length: 1000 }, (_, index) => ({ text: `query ${index}`, page: null }));
  const began = process.cpuUsage();
  const queries = addRows(new Map(), rows);
  untracked(queries, keywords, { minImpressions: 10 });
  wrongPages(queries, keywords, { minImpressions: 10 });
  assert.ok(computed(began) < 5000, `${computed(began)} ms`);
});

// It stood at a second before words led to pages.
test('ten thousand queries and five thousand keywords without a page are judged in no time', () => {
  const words = Array.from({ length: 400 }, (_, index) => `w${index}`);
  const text = (index) => `${words[index % 400]} ${words[(index * 7 + 3) % 400]} ${words[(index * 13 + 5) % 400]}`;
  const queries = addRows(new Map(), Array.from({ length: 10_000 }, (_, index) => row(`${text(index)} ${index}`, S(`/${text(index * 3).replaceAll(' ', '-')}/${index}`), 50, 5)));
  const keywords = Array.from({ length: 5_000 }, (_, index) => ({ text: `${text(index)} ${index}`, page: null, targetUrl: null }));
  const sites = indexPages(queries);
  const began = process.cpuUsage();
  for (let times = 0; times < 5; times += 1) wrongPages(queries, keywords, { minImpressions: 10, sites });
  assert.ok(computed(began) < 2500, `${computed(began)} ms`);
});
