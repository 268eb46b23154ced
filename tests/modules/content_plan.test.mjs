import assert from 'node:assert/strict';
import test from 'node:test';
import { chooseAction, escapeMarkdown, headline, isOverdue, itemErrors, planCsv, planItems, planMarkdown, plannedPages, progress, withoutReason } from '../../crates/web/assets/js/content_plan.js';

const idea = (keyword, more = {}) => ({ keyword, searchVolume: null, intent: null, score: null, position: null, page: null, pages: [], ...more });

test('what to do with a page follows from where it stands', () => {
  const of = (more) => chooseAction(more).action;
  assert.deepEqual([of({}), of({ page: '/a', position: 20 }), of({ page: '/a', position: 21 }), of({ page: '/a', position: null }), of({ page: '/a', pages: ['/a', '/b'], position: 2 }), of({ pages: ['/a'], position: 4 })], ['create', 'refresh', 'expand', 'expand', 'consolidate', 'refresh']);
});

test('a cluster is one page, led by its most searched keyword; the others are its outline, questions first', () => {
  const ideas = [idea('trail shoes', { searchVolume: 900, intent: 'commercial', score: 71.6 }), idea('trail shoes women', { searchVolume: 50 }), idea('how to clean trail shoes', { searchVolume: 10 }), idea('what are trail shoes', { searchVolume: 20 })];
  const results = new Map(ideas.map((it) => [it.keyword, ['a', 'b', 'c']]));
  const plan = planItems(ideas, { results });
  assert.equal(plan.clusteredBy, 'sharedResults');
  assert.equal(plan.items.length, 1);
  const [item] = plan.items;
  assert.deepEqual(item.outline, ['What are trail shoes?', 'How to clean trail shoes?', 'Trail shoes women']);
  assert.deepEqual([item.title, item.cluster, item.priority, item.effort, item.action, item.status], ['Trail shoes', 'trail shoes', 72, 'large', 'create', 'planned']);
  assert.deepEqual(item.schemaTypes, ['Article', 'ItemList', 'BreadcrumbList', 'FAQPage']);
  const each = planItems(ideas, { results, onePerCluster: false });
  assert.deepEqual(each.items.map((it) => it.outline.length), [3, 0, 0, 0]);
  assert.ok(!('reason' in withoutReason(item)) && 'dueOn' in withoutReason(item));
});

test('what is not known is null in an item', () => {
  const [item] = planItems([idea('x')]).items;
  assert.deepEqual([item.intent, item.priority, item.targetUrl, item.dueOn, item.owner], [null, null, null, null, null]);
  assert.equal(planItems([idea('x', { score: 0 })]).items[0].priority, 0);
  assert.deepEqual(planItems([]).items, []);
});

test('headlines begin large in the language at hand and ask where they ask', () => {
  assert.deepEqual([headline('istanbul turları', 'tr'), headline('what is x', 'en'), headline('what is x?', 'en'), headline('élan', 'fr'), headline('', 'en')], ['İstanbul turları', 'What is x?', 'What is x?', 'Élan', '']);
});

const PLAN = {
  name: 'Autumn *2026*', clusteredBy: 'words', items: [
    { keyword: '=cmd|calc', cluster: 'A', intent: 'commercial', action: 'create', targetUrl: 'https://a.example/x_y', title: '<b>Best</b> [shoes](x)', outline: ['One', '# two'], schemaTypes: ['Article', 'FAQPage'], priority: 0, effort: null, status: 'done', dueOn: '2026-12-01', owner: 'Ö, "N"' },
    { keyword: 'b', cluster: null, intent: null, action: 'refresh', targetUrl: null, title: null, outline: [], schemaTypes: [], priority: null, effort: 'small', status: 'planned', dueOn: null, owner: null },
  ],
};

test('a plan as CSV holds every member and no formula', () => {
  const [head, first, second] = planCsv(PLAN.items).split('\r\n');
  assert.equal(head, 'keyword,cluster,intent,action,targetUrl,title,outline,schemaTypes,priority,effort,status,dueOn,owner');
  assert.equal(first, '\'=cmd|calc,A,commercial,create,https://a.example/x_y,<b>Best</b> [shoes](x),"One\n# two","Article, FAQPage",0,,done,2026-12-01,"Ö, ""N"""');
  assert.equal(second, 'b,,,refresh,,,,,,small,planned,,');
});

test('a plan as Markdown holds what is known and no markup of others', () => {
  const text = planMarkdown(PLAN);
  assert.ok(text.startsWith('# Autumn \\*2026\\*\n'), text);
  assert.ok(text.includes('### \\<b\\>Best\\</b\\> \\[shoes\\]\\(x\\)'), text);
  assert.ok(text.includes('- [x] =cmd\\|calc') && text.includes('- [ ] b') && text.includes('## Others'), text);
  assert.ok(text.includes('- Priority: 0') && text.includes('  - \\# two') && !text.includes('null'), text);
  assert.equal(escapeMarkdown('1. one\nline'), '1\\. one line');
});

test('progress leaves out what was dropped; late is open and due before today', () => {
  assert.deepEqual(progress([...PLAN.items, { status: 'dropped' }]), { done: 1, of: 2 });
  const item = { status: 'planned', dueOn: '2026-11-21' };
  assert.deepEqual([isOverdue(item, '2026-11-22'), isOverdue(item, '2026-11-21'), isOverdue({ ...item, status: 'done' }, '2026-11-22'), isOverdue({ ...item, dueOn: null }, '2026-11-22')], [true, false, false, false]);
});

test('the pages that plans mean; a later plan counts, what was dropped does not', () => {
  const pages = plannedPages([{ items: [{ keyword: 'A', targetUrl: 'u1' }, { keyword: 'b', targetUrl: 'u2', status: 'dropped' }] }, { items: [{ keyword: 'a', targetUrl: 'u3' }] }, {}]);
  assert.deepEqual([...pages], [['a', 'u3']]);
});

test('a refusal names items, not places', () => {
  const errors = [{ pointer: '/items/1/dueOn', detail: 'must be a day' }, { pointer: '/name', code: 'too-long' }, { pointer: '/items/9', message: 'x' }, { code: 'y' }];
  assert.deepEqual(itemErrors(PLAN.items, errors), ['“b”, dueOn: must be a day', 'too-long', 'x', 'y']);
  assert.deepEqual(itemErrors([], undefined), []);
});
