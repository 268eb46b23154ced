// Builds and exports content plans. No DOM access.
import { METHODS, clusterKeywords } from './clusters.js';
import { csv } from './csv.js';
import { isQuestion, normalized } from './words.js';

export const ACTIONS = { create: 'Create', refresh: 'Refresh', expand: 'Expand', consolidate: 'Consolidate' };
export const STATUSES = { planned: 'Planned', inProgress: 'In progress', done: 'Done', dropped: 'Dropped' };
export const EFFORTS = { small: 'Small', medium: 'Medium', large: 'Large' };
export const INTENTS = { informational: 'Informational', commercial: 'Commercial', transactional: 'Transactional', navigational: 'Navigational' };
const MAX_OUTLINE = 8;

// The action for a page, and its reason. `pages`: own pages that rank for the keyword.
export function chooseAction({ position = null, page = null, pages = [] }) {
  if (pages.length > 1) return { action: 'consolidate', reason: 'Several of your pages are shown for it.' };
  const own = page ?? pages[0] ?? null;
  if (own === null) return { action: 'create', reason: 'No page of yours is known for it.' };
  if (position !== null && position <= 20) return { action: 'refresh', reason: 'A page of yours is within the first 20.' };
  return { action: 'expand', reason: 'A page of yours touches it, and does not reach the first 20.' };
}

const EFFORT = { create: 'large', consolidate: 'medium', expand: 'medium', refresh: 'small' };

const SCHEMA_TYPES = { informational: ['Article'], commercial: ['Article', 'ItemList'], transactional: ['Product', 'Offer'], navigational: ['WebPage'] };
function schemaTypesFor(intent, questions) {
  const types = [...(SCHEMA_TYPES[intent] ?? ['WebPage']), 'BreadcrumbList'];
  return questions >= 2 ? [...types, 'FAQPage'] : types;
}

export function headline(keyword, language) {
  const text = keyword.trim();
  const [letter = '', ...rest] = [...text];
  const title = letter.toLocaleUpperCase(language || undefined) + rest.join('');
  return isQuestion(text, language) && !/[?？]$/u.test(title) ? `${title}?` : title;
}

// Ideas are `{keyword, searchVolume, intent, score, relation, position, page, pages}`. With `onePerCluster` the other
// keywords of a cluster become the outline of its item; else each keyword is an item.
export function planItems(ideas, { results, language = 'en', onePerCluster = true } = {}) {
  const { method, groups } = clusterKeywords(ideas, { results, language });
  const items = [];
  for (const group of groups) {
    const [lead, ...others] = group.members;
    const chosen = onePerCluster ? [lead] : group.members;
    for (const idea of chosen) items.push(buildItem(idea, group, idea === lead ? others : [], language));
  }
  return { clusteredBy: method, methodText: METHODS[method], items };
}

function buildItem(idea, group, others, language) {
  const { action, reason } = chooseAction(idea);
  const questionsFirst = [...others].sort((one, other) => Number(isQuestion(other.keyword, language)) - Number(isQuestion(one.keyword, language)));
  const outline = questionsFirst.slice(0, MAX_OUTLINE).map((it) => headline(it.keyword, language));
  const questions = [idea, ...others].filter((it) => isQuestion(it.keyword, language)).length;
  return {
    keyword: idea.keyword,
    cluster: group.name,
    intent: idea.intent ?? null,
    action,
    reason,
    targetUrl: idea.page ?? idea.pages?.[0] ?? null,
    title: headline(idea.keyword, language),
    outline,
    schemaTypes: schemaTypesFor(idea.intent, questions),
    priority: idea.score === null || idea.score === undefined ? null : Math.round(idea.score),
    effort: EFFORT[action],
    status: 'planned',
    dueOn: null,
    owner: null,
  };
}

// The item for the API, without `reason`.
export function withoutReason(item) {
  const { reason, ...rest } = item;
  return rest;
}

// Validation errors by keyword: people do not see list indexes.
export function itemErrors(items, errors) {
  return (errors ?? []).map(({ pointer, detail, message, code }) => {
    const [, index, member] = /\/items\/(\d+)\/?(\w*)/.exec(pointer ?? '') ?? [];
    const item = index === undefined ? undefined : items[Number(index)];
    return `${item ? `“${item.keyword}”${member ? `, ${member}` : ''}: ` : ''}${detail ?? message ?? code}`;
  });
}

export function progress(items) {
  const open = items.filter((it) => it.status !== 'dropped');
  return { done: open.filter((it) => it.status === 'done').length, of: open.length };
}

// Due before today and not done. ISO 8601 dates compare as text.
export function isOverdue(item, today) {
  return Boolean(item.dueOn) && item.dueOn < today && (item.status === 'planned' || item.status === 'inProgress');
}

const HEADER = ['keyword', 'cluster', 'intent', 'action', 'targetUrl', 'title', 'outline', 'schemaTypes', 'priority', 'effort', 'status', 'dueOn', 'owner'];

export function planCsv(items) {
  return csv(HEADER, items.map((it) => HEADER.map((name) => (Array.isArray(it[name]) ? it[name].join(name === 'outline' ? '\n' : ', ') : it[name] ?? null))));
}

// Escapes Markdown, so that text cannot become markup.
export function escapeMarkdown(text) {
  return String(text).replace(/\s+/gu, ' ').trim().replace(/[\\`*_{}[\]<>()#+\-!|~&]/g, '\\$&').replace(/^(\d+)\./, '$1\\.');
}

export function planMarkdown(plan) {
  const lines = [`# ${escapeMarkdown(plan.name)}`, '', METHODS[plan.clusteredBy] ?? '', ''];
  const clusters = new Map();
  for (const it of plan.items) {
    const name = it.cluster || 'Others';
    if (!clusters.has(name)) clusters.set(name, []);
    clusters.get(name).push(it);
  }
  for (const [name, items] of clusters) {
    lines.push(`## ${escapeMarkdown(name)}`, '');
    for (const it of items) lines.push(...itemLines(it), '');
  }
  return `${lines.join('\n').replace(/\n{3,}/g, '\n\n').trim()}\n`;
}

function itemLines(it) {
  const facts = [
    ['Keyword', it.keyword],
    ['What to do', ACTIONS[it.action]],
    ['Intent', INTENTS[it.intent]],
    ['Page', it.targetUrl],
    ['Priority', it.priority],
    ['Effort', EFFORTS[it.effort]],
    ['Status', STATUSES[it.status]],
    ['Due', it.dueOn],
    ['Owner', it.owner],
    ['Structured data', it.schemaTypes?.join(', ')],
  ].filter(([, value]) => value !== null && value !== undefined && value !== '');
  const box = it.status === 'done' ? 'x' : ' ';
  return [
    `### ${escapeMarkdown(it.title || it.keyword)}`,
    '',
    `- [${box}] ${escapeMarkdown(it.keyword)}`,
    ...facts.slice(1).map(([name, value]) => `- ${name}: ${escapeMarkdown(value)}`),
    ...(it.outline?.length ? ['- Outline:', ...it.outline.map((line) => `  - ${escapeMarkdown(line)}`)] : []),
  ];
}

// Planned page by normalized keyword, for the gap check.
export function plannedPages(plans) {
  const pages = new Map();
  for (const plan of plans) {
    for (const it of plan.items ?? []) if (it.targetUrl && it.status !== 'dropped') pages.set(normalized(it.keyword), it.targetUrl);
  }
  return pages;
}
