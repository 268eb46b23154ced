// What the analysis computes (tests/suite/formulas.rs writes it), computed by the modules.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { expectedCtr } from '../../crates/web/assets/js/clicks.js';
import { clusterKeywords } from '../../crates/web/assets/js/clusters.js';
import { demand, opportunity, priorities } from '../../crates/web/assets/js/priority.js';
import { normalized } from '../../crates/web/assets/js/words.js';

const VECTORS = JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8'));

function agree(found, wanted, of) {
  if (wanted === null) return assert.equal(found ?? null, null, JSON.stringify(of));
  assert.ok(Math.abs(found - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted)), `${found} is not ${wanted}: ${JSON.stringify(of)}`);
}
function each(name, min, check) {
  assert.ok(VECTORS[name].length >= min, `${VECTORS[name].length} of ${name}`);
  VECTORS[name].forEach(check);
}

test('expected click rates', () => {
  each('clicks', 500, (it) => agree(expectedCtr(it.position, it).value, it.expected, it));
});

test('demand', () => {
  each('demands', 40, (it) => {
    const found = demand(it.volumes.map((volume, index) => ({ year: 2026, month: index + 1, volume })));
    agree(found?.trend, it.trend, it);
    agree(found?.peakMonth, it.peakMonth, it);
  });
});

test('opportunities', () => {
  each('opportunities', 60, (it) => {
    const found = opportunity({ ...it, layout: { features: ['paid_top'], overview: it.overview, intent: it.intent } });
    for (const name of ['target', 'gain', 'clicks']) agree(found[name], it[name], it);
  });
});

test('priorities', () => {
  each('priorities', 30, (list) => {
    priorities(list.map(({ opportunity, cpc, intent, trend }) => ({ opportunity, cpc, intent, trend }))).forEach((found, index) => {
      agree(found.score, list[index].score, list[index]);
      if (found.score !== null) assert.deepEqual(found.missing, list[index].missing, JSON.stringify(list[index]));
    });
  });
});

test('clusters by shared results', () => {
  each('clusters', 33, ({ results, groups }) => {
    const ideas = results.map((_, index) => ({ keyword: String(index).padStart(2, '0'), searchVolume: null }));
    const { method, groups: found } = clusterKeywords(ideas, { results: new Map(ideas.map((it, index) => [it.keyword, results[index]])) });
    assert.equal(method, 'sharedResults');
    assert.deepEqual(found.map((it) => it.members.map((member) => Number(member.keyword))), groups);
  });
});

test('keywords in normal form', () => {
  each('normalized', 9, (it) => assert.equal(normalized(it.text), it.normalized));
});
