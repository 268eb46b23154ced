import assert from 'node:assert/strict';
import test from 'node:test';
import { csv } from '../../crates/web/assets/js/csv.js';
import { evaluateIdeas, ideasTable, matchesFilter, parseIntent, parsePrice, readAnswer } from '../../crates/web/assets/js/research_answer.js';
import { nextOrder, pageRows, sortRows } from '../../crates/web/assets/js/table_order.js';

const ANSWER = {
  keyword: 'running shoes', language: { name: 'English', code: 'en' }, searchVolume: 0, cpc: { amount: 1.2, low: null, high: 3, currency: 'USD' }, competition: null,
  difficulty: null, intent: { main: 'commercial', secondary: ['transactional'], confidence: 0.8 }, trend: [{ year: 2026, month: 10, volume: 5 }, { year: 2026, month: 8, volume: null }],
  trendChange: { month: 0, quarter: null }, serpFeatures: null, aiOverviewLikely: null,
  ideas: [
    { keyword: 'Best shoes', relation: 'related', searchVolume: 4400, cpc: { amount: 1.2, currency: 'USD' }, difficulty: 36, intent: 'commercial', trend: [] },
    { keyword: 'trail shoes', relation: 'phrase', searchVolume: 880, cpc: 3.1, difficulty: 12, intent: { main: 'transactional' }, trend: null, inProject: true },
    { keyword: 'how to run', relation: 'question', searchVolume: null, cpc: null, difficulty: 1, intent: null },
  ],
};

test('what is left out or null is unknown, what is counted as nothing is nothing', () => {
  const it = readAnswer(ANSWER);
  assert.deepEqual([it.searchVolume, it.difficulty, it.competition, it.features, it.overview], [0, null, null, null, null]);
  assert.deepEqual(it.change, { month: 0, quarter: null, year: null });
  assert.deepEqual(it.trend.map((month) => month.volume).slice(-3), [null, null, 5]);
  assert.deepEqual([parsePrice(2), parsePrice(null), parsePrice(undefined)].map((found) => found.amount), [2, null, null]);
  assert.deepEqual([parseIntent('x').main, parseIntent(null).main, parseIntent({ main: 'a', secondary: 'b' }).secondary], ['x', null, ['b']]);
  assert.deepEqual(readAnswer({ keyword: 'x' }).ideas, []);
});

test('ideas are judged with what the project knows', () => {
  const status = [{ text: 'TRAIL shoes', position: 14, measuredAt: '2026-11-03T04:00:00Z', daysMeasured: 0, aiTracked: true, page: 'https://a.example/' }];
  const [own, best, trail, question] = evaluateIdeas(readAnswer(ANSWER), { status, aiLeft: 1 });
  assert.equal(best.opportunity.clicks.toFixed(4), '387.2000');
  assert.equal(trail.opportunity.clicks.toFixed(6), '85.772158');
  assert.deepEqual([own.keyword, own.relation, own.score], ['running shoes', 'itself', null]);
  assert.deepEqual([best.opportunity.assumed, trail.opportunity.assumed], [true, false]);
  assert.deepEqual([trail.inProject, trail.aiTracked, trail.advice.objection.name], [true, true, 'measured']);
  assert.deepEqual([question.score, question.opportunity.clicks, best.advice.suggested], [null, null, true]);
});

test('a keyword that was looked for and not found is measured; one that never was is not', () => {
  const of = (row) => evaluateIdeas(readAnswer(ANSWER), { status: [{ text: 'best shoes', aiTracked: false, ...row }] })[1].opportunity.assumed;
  assert.deepEqual([of({ position: null, measuredAt: '2026-10-31T04:00:00Z', daysMeasured: 0 }), of({ position: null, measuredAt: null, daysMeasured: 0 })], [false, true], 'of the month before it is measured too');
});

test('whether the project has it is told by the project that is chosen now', () => {
  const of = (more) => evaluateIdeas(readAnswer(ANSWER), more).map((it) => it.inProject);
  assert.deepEqual(of({ status: [{ text: 'running shoes', position: null }] }), [true, false, false, false], 'not by the one that was chosen when it was searched');
  assert.deepEqual(of({}), [null, null, null, null]);
});

test('prices in two currencies are not held against each other', () => {
  const mixed = { ...ANSWER, ideas: ANSWER.ideas.map((it, index) => ({ ...it, cpc: { amount: 1, currency: index ? 'EUR' : 'USD' } })) };
  assert.ok(evaluateIdeas(readAnswer(mixed))[1].priority.missing.includes('cpc'));
});

test('filters hold all at once, and what is unknown fits no bound', () => {
  const ideas = evaluateIdeas(readAnswer(ANSWER));
  const none = { text: '', relation: '', intent: '', minVolume: null, maxDifficulty: null, only: '' };
  const found = (more) => ideas.filter((it) => matchesFilter(it, { ...none, ...more })).map((it) => it.keyword);
  assert.equal(found({}).length, 4);
  assert.deepEqual(found({ text: ' SHOES ' }), ['running shoes', 'Best shoes', 'trail shoes']);
  assert.deepEqual(found({ minVolume: 0 }), ['running shoes', 'Best shoes', 'trail shoes']);
  assert.deepEqual(found({ minVolume: 1 }), ['Best shoes', 'trail shoes']);
  assert.deepEqual(found({ maxDifficulty: 12, relation: 'phrase' }), ['trail shoes']);
  assert.deepEqual(found({ only: 'suggested' }), ['Best shoes']);
  assert.deepEqual(found({ only: 'tracked' }), []);
});

test('the table for spreadsheets has a cell for each column', () => {
  const { header, rows } = ideasTable(evaluateIdeas(readAnswer(ANSWER)));
  assert.ok(rows.every((row) => row.length === header.length));
  assert.equal(csv(header, rows).split('\r\n')[4], 'how to run,question,,,,1,,USD,,,,,false');
});

test('rows are sorted both ways, unknown ones last, equal ones as they came', () => {
  const columns = [{ name: 'n', value: (it) => it.n }, { name: 't', value: (it) => it.t, falls: false }, { name: 'x' }];
  const rows = [{ n: 2, t: 'b10' }, { n: null, t: 'B9' }, { n: 1, t: 'á' }, { n: 2, t: 'a2' }];
  assert.deepEqual(sortRows(rows, columns, 'n').map((it) => it.t), ['á', 'b10', 'a2', 'B9']);
  assert.deepEqual(sortRows(rows, columns, '-n').map((it) => it.t), ['b10', 'a2', 'á', 'B9']);
  assert.deepEqual(sortRows(rows, columns, 't').map((it) => it.t), ['á', 'a2', 'B9', 'b10']);
  assert.equal(sortRows(rows, columns, 'x'), rows);
  assert.deepEqual([nextOrder('a', { name: 'n', falls: true }), nextOrder('-n', { name: 'n', falls: true }), nextOrder('t', { name: 't' })], ['-n', 'n', '-t']);
});

test('pages begin where they should and never end in nothing', () => {
  const rows = Array.from({ length: 101 }, (_, index) => index);
  const of = (from) => { const it = pageRows(rows, from, 50); return [it.from, it.to, it.rows.length]; };
  assert.deepEqual([of(0), of(50), of(100), of(900), of(-50)], [[0, 50, 50], [50, 100, 50], [100, 101, 1], [100, 101, 1], [0, 50, 50]]);
  assert.deepEqual(pageRows([], 0, 50), { rows: [], from: 0, to: 0, total: 0 });
  assert.deepEqual(pageRows(rows.slice(0, 50), 50, 50).from, 0);
});

test('of the keyword itself the results page is known, and takes clicks', () => {
  const known = { ...ANSWER, searchVolume: 1000, difficulty: 0, intent: 'informational', serpFeatures: ['shopping'], aiOverviewLikely: true };
  const [own] = evaluateIdeas(readAnswer(known));
  // 1000 · 0.11 · 0.481 · 0.536
  assert.equal(own.opportunity.clicks.toFixed(5), '28.35976');
  assert.deepEqual(own.advice.signals.map((it) => it.name), ['intent', 'overview']);
});
