// Figures come from scipy 1.17 (stats.theilslopes) and numpy (average with weights), computed once outside of here.
import assert from 'node:assert/strict';
import test from 'node:test';
import { ctr, expectedCtr } from '../../crates/web/assets/js/clicks.js';
import { byPriority, demand, lastTwelve, opportunity, priorities, slope } from '../../crates/web/assets/js/priority.js';

const close = (found, wanted, within = 1e-9) => assert.ok(Math.abs(found - wanted) <= within, `${found} is not ${wanted}`);
const months = (volumes, year = 2025, month = 11) => volumes.map((volume, index) => ({ year: year + Math.floor((month - 1 + index) / 12), month: ((month - 1 + index) % 12) + 1, volume }));

test('click rates follow the curve', () => {
  for (const [position, rate] of [[1, 0.285], [3, 0.11], [10, 0.025], [11, 0.009], [12, 0.007904962056019038], [15, 0.005356383089664935], [20, 0.0028], [25, 0.0011832159566199233], [30, 0.0005], [31, 0.0001], [100, 0.0001], [101, 0]]) close(ctr(position), rate, 1e-15);
  assert.equal(ctr(null), 0);
  close(Array.from({ length: 20 }, (_, index) => ctr(index + 1)).reduce((sum, it) => sum + it), 0.933757138340925, 1e-12);
});

test('the strongest feature and an overview take clicks, the overview only from those who want to know', () => {
  close(expectedCtr(1, { features: ['featured_snippet'], overview: true }).value, 0.0979146, 1e-7);
  close(expectedCtr(1, { features: ['featured_snippet', 'shopping'] }).value, 0.285 * 0.481);
  close(expectedCtr(5, { overview: true, intent: 'informational' }).value, 0.0468432, 1e-5);
  close(expectedCtr(5, { overview: true, intent: 'transactional' }).value, 0.072);
  for (const [position, left] of [[1, 0.42], [2, 0.492], [3, 0.536], [4, 0.6005], [5, 0.6506], [6, 0.6914], [7, 0.726], [8, 0.756], [9, 0.7824], [10, 0.806], [40, 0.806]]) close(expectedCtr(position, { overview: true }).overview, left, 5e-5);
  assert.deepEqual(expectedCtr(null, { overview: true }), { value: 0, curve: 0, layout: 1, overview: 1 });
  assert.equal(expectedCtr(3, { features: ['people_also_ask'], overview: null }).value, 0.11);
});

test('the slope is the median one, and unknown months lie between', () => {
  close(slope([1000, 1200, 900, null, 1500, 1600, 1400, 1300, 1700, 2100, 1900, 2400]), 120);
  close(slope([10, 12, 13.5, 300, 18, null, 22]), 2);
  assert.equal(slope([1, null]), null);
});

test('a trend is growth a year as a share of the mean, at most one', () => {
  const rising = demand(months([1000, 1200, 900, null, 1500, 1600, 1400, 1300, 1700, 2100, 1900, 2400]));
  close(rising.trend, 0.9317647058823529, 1e-12);
  assert.deepEqual([rising.months, rising.peakMonth], [11, 10]);
  assert.equal(demand(months([5400, 4800, 4400, 3900, 3300, 2900, 2400, 2000, 1600, 1300, 1000, 700])).trend, -1);
  assert.equal(demand(months([5, 5, 5, 5, 5])), null, 'five months are too few');
  assert.equal(demand(months(Array(12).fill(0))), null, 'nothing grows from nothing');
  assert.equal(demand([]), null);
  const flat = demand(months(Array(12).fill(7)));
  assert.deepEqual([flat.trend, flat.peakMonth], [0, null]);
});

test('months that are not told are unknown, never zero', () => {
  const lastYear = lastTwelve([{ year: 2026, month: 1, volume: 0 }, { year: 2025, month: 11, volume: 30 }, { year: 2024, month: 1, volume: 9 }]);
  assert.equal(lastYear.length, 12);
  assert.deepEqual(lastYear.slice(-3), [{ year: 2025, month: 11, volume: 30 }, { year: 2025, month: 12, volume: null }, { year: 2026, month: 1, volume: 0 }]);
  assert.deepEqual(lastYear[0], { year: 2025, month: 2, volume: null });
});

test('opportunity is searches, times what position three adds, times ease', () => {
  close(opportunity({ volume: 4400, difficulty: 36 }).clicks, 387.2);
  close(opportunity({ volume: 880, difficulty: 12, position: 14, measured: true }).clicks, 85.77215761649714);
  close(opportunity({ volume: 1000, difficulty: 36, position: 8, measured: true }).clicks, 62.4);
  assert.equal(opportunity({ volume: 12000, difficulty: 81, position: 2, measured: true }).clicks, 0);
  close(opportunity({ volume: 100, difficulty: 0, position: 2, measured: true, branded: true }).clicks, 12.8);
  assert.equal(opportunity({ volume: 500, difficulty: 100 }).clicks, 0);
  for (const gap of [{ volume: null, difficulty: 1 }, { volume: 10, difficulty: null }, { volume: 10 }]) assert.equal(opportunity(gap).clicks, null);
  assert.equal(opportunity({ volume: 0, difficulty: 10 }).clicks, 0, 'counted nothing is nothing');
  assert.deepEqual([opportunity({ volume: 1, difficulty: 1 }).assumed, opportunity({ volume: 1, difficulty: 1, measured: true }).assumed], [true, false]);
});

const FOUR = [
  { opportunity: 387.2, cpc: 1.2, intent: 'commercial', trend: 0.25 },
  { opportunity: 85.77215761649714, cpc: 3.1, intent: 'transactional', trend: -0.4 },
  { opportunity: 0, cpc: null, intent: 'informational', trend: null },
  { opportunity: null, cpc: 0.5, intent: 'navigational', trend: 0.1 },
];

test('scores weigh what is known and scale the rest up', () => {
  const found = priorities(FOUR);
  [76.24193548387098, 54.86076008434888, 13.333333333333334].forEach((score, index) => close(found[index].score, score));
  assert.equal(found[3].score, null);
  assert.deepEqual(found[2].missing, ['cpc', 'trend']);
  for (const it of found.slice(0, 3)) close(it.parts.reduce((sum, part) => sum + (part.points ?? 0), 0), it.score);
});

test('the same list scores as the agent API scores it', () => {
  const keyword = (clicks) => ({ opportunity: clicks, cpc: 2, intent: 'commercial', trend: 0 });
  const found = priorities([keyword(100), keyword(50)]).map((it) => it.score);
  close(found[0], 86);
  close(found[1], 66);
  close(priorities([{ opportunity: 5, cpc: null, intent: null, trend: null }])[0].score, 100);
  assert.deepEqual(priorities([]), []);
  close(priorities([{ opportunity: 0, cpc: 0, intent: 'nonsense', trend: 0 }])[0].score, 100 * (0.2 * 0.5) / 0.8);
});

test('equal scores are ordered by searches, then by text; what has none comes last', () => {
  const row = (keyword, score, searchVolume) => ({ keyword, score, searchVolume });
  const rows = [row('b', null, 9), row('Ž', 5, null), row('a', 5, 10), row('c', 5, 10), row('d', 5, 90), row('e', 7, null), row('A2', null, null)];
  assert.deepEqual(rows.sort(byPriority).map((it) => it.keyword), ['e', 'd', 'a', 'c', 'Ž', 'b', 'A2']);
});
