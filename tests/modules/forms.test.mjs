// node --test tests/modules
import assert from 'node:assert/strict';
import test from 'node:test';
import { buildBody } from '../../crates/web/assets/js/forms.js';
import { numberText, timeText } from '../../crates/web/assets/js/localize.js';

const field = (name, value, more = {}) => ({ name, value, type: 'text', dataset: {}, ...more });

test('names of fields are paths of members', () => {
  const fields = [field('name', ' Shop '), field('meta.clientName', '', { dataset: { as: 'optional' } })];
  assert.deepEqual(buildBody(fields), { name: 'Shop', meta: { clientName: null } });
});

test('lines, lists, numbers and switches are read as what they are', () => {
  const fields = [
    field('keywords', 'a\n\n b \n', { dataset: { as: 'lines' } }),
    field('tags', 'x, y ,', { dataset: { as: 'commas' } }),
    field('samples', '5', { dataset: { as: 'number' } }),
    field('expiresInDays', '', { dataset: { as: 'number' } }),
    field('aiTracked', 'on', { type: 'checkbox', checked: false }),
    field('scopes', 'projects:read', { type: 'checkbox', checked: true, dataset: { as: 'listed' } }),
    field('scopes', 'projects:write', { type: 'checkbox', checked: false, dataset: { as: 'listed' } }),
    field('enabled', '', { dataset: { as: 'inherited' } }),
    field('password', ' as typed ', { dataset: { as: 'raw' } }),
  ];
  assert.deepEqual(buildBody(fields), {
    keywords: ['a', 'b'],
    tags: ['x', 'y'],
    samples: 5,
    expiresInDays: null,
    aiTracked: false,
    scopes: ['projects:read'],
    enabled: null,
    password: ' as typed ',
  });
});

test('what may be left out is left out when it is empty', () => {
  assert.deepEqual(buildBody([field('name', '', { dataset: { skip: '' } })]), {});
});

test('numbers and times are told', () => {
  assert.match(numberText(1234.5, 1), /1.?234.5/);
  const now = new Date('2026-11-22T12:00:00Z');
  assert.match(timeText(new Date('2026-11-22T10:30:00Z'), 'ago', now), /1/);
  assert.match(timeText(new Date('2026-11-22T00:00:00Z'), 'day'), /2026/);
});
