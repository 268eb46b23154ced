// /projects/{id}/content-plans/{planId}: edits and exports a plan.
import { exchange } from './api.js';
import { METHODS } from './clusters.js';
import { ACTIONS, EFFORTS, INTENTS, STATUSES, isOverdue, itemErrors, planCsv, planMarkdown, progress } from './content_plan.js';
import { alertBox, busy, choice, download, el, emptyBox, field, fileName, setEnabled, tag } from './dom.js';
import { announce } from './forms.js';
import { numberText, timeText } from './localize.js';
import { pageRows } from './table_order.js';
import { normalized } from './words.js';

const PER_PAGE = 25;
const root = document.getElementById('plan');
const path = `/api/projects/${root.dataset.project}/content-plans/${root.dataset.plan}`;
const state = { plan: null, tag: null, changes: 0, saved: 0, filter: { text: '', status: '', owner: '' }, from: 0, open: new Set() };
const today = new Date().toISOString().slice(0, 10);
const KINDS = { planned: '', inProgress: 'info', done: 'good', dropped: '' };
const optional = (pairs) => [['', 'Not said'], ...pairs];

const heading = document.querySelector('main h1');
const progressText = el('p', { class: 'soft small', role: 'status' });
const bar = el('progress', { 'aria-label': 'Done' });
const list = el('ul', { class: 'lines items' });
const shown = el('span');
const back = el('button', { type: 'button', class: 'slim', onclick: () => changePage(-1) }, 'Previous');
const next = el('button', { type: 'button', class: 'slim', onclick: () => changePage(1) }, 'Next');
const pager = el('nav', { class: 'more', 'aria-label': 'Pages of the plan' }, shown, el('span', { class: 'row' }, back, next));
const outcome = el('div');
const save = el('button', { type: 'button', class: 'main', 'aria-disabled': 'true', onclick: () => busy(save, saveChanges) }, 'Save changes');
const saved = el('span', { class: 'soft small', role: 'status' });
const owners = el('datalist', { id: 'owners' });

function changePage(by) {
  state.from += by * PER_PAGE;
  draw();
  announce(shown.textContent);
  list.scrollIntoView({ block: 'start' });
  if (document.activeElement?.disabled || document.activeElement === document.body) (by > 0 ? back : next).focus({ preventScroll: true });
}

const isDirty = () => state.changes !== state.saved;

function markChanged() {
  state.changes += 1;
  setEnabled(save, true);
  saved.textContent = 'Changes are not saved yet.';
  count();
}

const matchesFilter = (it) => {
  const { text, status, owner } = state.filter;
  return (text === '' || normalized(`${it.keyword} ${it.title ?? ''} ${it.cluster ?? ''}`).includes(normalized(text)))
    && (status === '' || (status === 'late' ? isOverdue(it, today) : status === 'open' ? ['planned', 'inProgress'].includes(it.status) : it.status === status))
    && (owner === '' || (it.owner ?? '') === owner);
};

function count() {
  const { done, of } = progress(state.plan.items);
  const late = state.plan.items.filter((it) => isOverdue(it, today)).length;
  bar.max = Math.max(of, 1);
  bar.value = done;
  progressText.textContent = `${numberText(done, 0)} of ${numberText(of, 0)} done${late ? `, ${numberText(late, 0)} late` : ''}. ${METHODS[state.plan.clusteredBy] ?? ''}`;
  const names = [...new Set(state.plan.items.map((it) => it.owner).filter(Boolean))].sort();
  owners.replaceChildren(...names.map((value) => el('option', { value })));
}

function draw() {
  const page = pageRows(state.plan.items.filter(matchesFilter), state.from, PER_PAGE);
  state.from = page.from;
  let cluster = null;
  const lines = [];
  for (const it of page.rows) {
    if (it.cluster !== cluster) lines.push(el('li', { class: 'group' }, el('h2', {}, it.cluster || 'Others')));
    cluster = it.cluster;
    lines.push(line(it));
  }
  list.replaceChildren(...(lines.length ? lines : [el('li', { class: 'soft' }, 'No item fits what you chose.')]));
  shown.textContent = `${numberText(page.total ? page.from + 1 : 0, 0)}–${numberText(page.to, 0)} of ${numberText(page.total, 0)}`;
  back.disabled = page.from === 0;
  next.disabled = page.to >= page.total;
  pager.hidden = page.total <= PER_PAGE;
}

function due(it) {
  if (!it.dueOn) return null;
  return isOverdue(it, today) ? tag('bad', `due ${timeText(new Date(it.dueOn), 'day')}`) : el('span', { class: 'soft small' }, `due ${timeText(new Date(it.dueOn), 'day')}`);
}

function line(it) {
  const name = el('b', {}, it.title || it.keyword);
  const tags = el('span', { class: 'tags' });
  const redraw = () => {
    name.textContent = it.title || it.keyword;
    tags.replaceChildren(...[tag('own', ACTIONS[it.action] ?? it.action), tag(KINDS[it.status], STATUSES[it.status] ?? it.status), it.effort ? tag('', `${EFFORTS[it.effort]} effort`) : null, due(it), it.owner ? el('span', { class: 'soft small' }, it.owner) : null].filter(Boolean));
  };
  const input = (member, more = {}) => el('input', { value: it[member] ?? '', ...more, oninput: (event) => { it[member] = event.target.value.trim() || null; redraw(); markChanged(); } });
  const pick = (member, pairs, isOptional) => choice(member, isOptional ? optional(pairs) : pairs, it[member] ?? '', { onchange: (event) => { it[member] = event.target.value || null; redraw(); markChanged(); } });
  const lines = (member, hint, more = {}) => el('textarea', { ...more, oninput: (event) => { it[member] = event.target.value.split('\n').map((text) => text.trim()).filter(Boolean); markChanged(); } }, (it[member] ?? []).join('\n'));
  const remove = el('button', { type: 'button', class: 'quiet slim danger', onclick: () => {
    if (!confirm(`Take “${it.keyword}” out of the plan?`)) return;
    state.plan.items = state.plan.items.filter((other) => other !== it);
    markChanged();
    draw();
    (list.querySelector('summary') ?? save).focus();
  } }, 'Take it out');
  const form = () => el('div', { class: 'page' },
    el('div', { class: 'fields' },
      field('Title', input('title', { maxlength: '300' })), field('Status', pick('status', Object.entries(STATUSES))),
      field('Due', input('dueOn', { type: 'date' })), field('Owner', input('owner', { maxlength: '200', list: 'owners', autocomplete: 'off' })),
      field('What to do', pick('action', Object.entries(ACTIONS))), field('Page', input('targetUrl', { maxlength: '2048', inputmode: 'url', spellcheck: 'false' })),
      field('Effort', pick('effort', Object.entries(EFFORTS), true)), field('Intent', pick('intent', Object.entries(INTENTS), true)),
      field('Priority', el('input', { type: 'number', min: '0', max: '100', value: it.priority ?? '', oninput: (event) => { it.priority = event.target.value === '' ? null : Number(event.target.value); markChanged(); } }), '0 to 100'),
      field('Cluster', input('cluster', { maxlength: '200' }))),
    el('div', { class: 'fields' }, field('Outline', lines('outline', '', { rows: '5' }), 'One heading a line.'), field('Structured data', lines('schemaTypes', '', { rows: '3' }), 'One type a line, as schema.org calls it.')),
    el('div', { class: 'row' }, remove));
  redraw();
  // Built on click: `toggle` fires later, when Tab may already have left the item, and inserting the form then would
  // scroll the focused element out of view.
  const fill = () => { if (fold.children.length === 1) fold.append(form()); };
  const fold = el('details', { ontoggle: () => {
    state.open[fold.open ? 'add' : 'delete'](it);
    if (fold.open) fill();
  } }, el('summary', { onclick: fill }, el('span', { class: 'stack tight' }, name, el('span', { class: 'soft small wrap' }, it.keyword, it.priority === null || it.priority === undefined ? '' : ` · priority ${numberText(it.priority, Number.isInteger(it.priority) ? 0 : 1)}`)), tags));
  if (state.open.has(it)) {
    fill();
    fold.open = true;
  }
  return el('li', {}, fold);
}

async function saveChanges(isForced = false) {
  outcome.replaceChildren();
  const { name, items } = state.plan;
  // Later changes are not part of this request.
  const { changes } = state;
  try {
    const { data, etag: entity } = await exchange('PATCH', path, { name, items }, isForced || !state.tag ? {} : { 'If-Match': state.tag });
    state.tag = entity ?? state.tag;
    state.plan.updatedAt = data.updatedAt ?? state.plan.updatedAt;
    state.saved = changes;
    setEnabled(save, isDirty());
    saved.textContent = isDirty() ? 'Saved, but for what you have changed since.' : 'Saved.';
    heading.textContent = name;
    if (isForced) save.focus();
  } catch (error) {
    const box = alertBox(error);
    if (error.status === 412) {
      box.lastChild.textContent = 'Somebody else has changed this plan since you opened it. Nothing of yours is lost yet. ';
      const mine = el('button', { type: 'button', class: 'slim', onclick: () => busy(mine, () => saveChanges(true)) }, 'Save mine over it');
      const theirs = el('button', { type: 'button', class: 'slim', onclick: () => { state.saved = state.changes; location.reload(); } }, 'Take theirs');
      box.append(el('span', { class: 'row' }, mine, theirs));
    }
    const wrong = itemErrors(items, error.problem?.errors);
    if (wrong.length) box.lastChild.append(el('ul', { class: 'plain' }, wrong.map((it) => el('li', {}, it))));
    outcome.replaceChildren(box);
    if (error.status === 412) box.querySelector('button').focus();
  }
}

function page() {
  const { plan } = state;
  const name = el('input', { value: plan.name, maxlength: '200', required: true, oninput: (event) => { plan.name = event.target.value.trim(); markChanged(); } });
  const filter = (member, control) => { control.addEventListener('input', () => { state.filter[member] = control.value; state.from = 0; draw(); }); return control; };
  const names = [...new Set(plan.items.map((it) => it.owner).filter(Boolean))].sort();
  const file = (end, type, text) => el('button', { type: 'button', onclick: () => { download(`${fileName(plan.name)}.${end}`, type, text()); announce('The file is made.'); } }, end === 'md' ? 'Export Markdown' : 'Export CSV');
  heading.textContent = plan.name;
  const bottom = el('div', { class: 'chosen' }, el('span', { class: 'row' }, save, saved), outcome);
  root.replaceChildren(...[
    el('section', { class: 'card page' }, el('div', { class: 'filter' }, el('label', { class: 'field grow' }, el('span', {}, 'Name'), name), el('span', { class: 'row' }, file('md', 'text/markdown', () => planMarkdown(plan)), file('csv', 'text/csv', () => planCsv(plan.items)))), bar, progressText),
    plan.items.length === 0 ? [emptyBox('plan', 'The plan is empty', 'Choose ideas in keyword research and make a plan of them.'), el('section', { class: 'card flush' }, bottom)] : el('section', { class: 'card flush' },
      el('div', { class: 'filter' }, el('label', { class: 'field grow' }, el('span', {}, 'Filter items'), filter('text', el('input', { type: 'search', maxlength: '200' }))),
        field('Status', filter('status', choice('status', [['', 'Any'], ['open', 'Open'], ['late', 'Late'], ...Object.entries(STATUSES)]))),
        names.length ? field('Owner', filter('owner', choice('owner', [['', 'Anybody'], ...names.map((it) => [it, it])]))) : null),
      list, pager, bottom),
    owners,
  ].flat());
  count();
  draw();
}

window.addEventListener('beforeunload', (event) => { if (isDirty()) event.preventDefault(); });
try {
  const { data, etag: entity } = await exchange('GET', path);
  state.plan = { ...data, items: sortByCluster(data.items ?? []) };
  state.tag = entity;
  page();
} catch (error) {
  root.replaceChildren(error.status === 404 ? emptyBox('plan', 'This plan is gone', 'It was deleted, or it never was.', el('a', { class: 'button main', href: `/projects/${root.dataset.project}/content-plans` }, 'To the plans')) : alertBox(error));
}

// Clusters in their order, items by descending priority.
function sortByCluster(items) {
  const groups = new Map();
  for (const it of items) groups.set(it.cluster, [...(groups.get(it.cluster) ?? []), it]);
  return [...groups.values()].flatMap((group) => group.sort((one, other) => (other.priority ?? -1) - (one.priority ?? -1)));
}
