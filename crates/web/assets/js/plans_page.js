// /projects/{id}/content-plans: a project's plans; makes one from its keywords.
import { send } from './api.js';
import { fetchAll } from './lists.js';
import { METHODS } from './clusters.js';
import { alertBox, busy, count, el, emptyBox, icon, moment } from './dom.js';
import { announce } from './forms.js';
import { numberText } from './localize.js';
import { notify } from './notice.js';
import { PagedTable } from './paged_table.js';
import { planDialog } from './plan_dialog.js';
import { mostCommonMarket, onePerText } from './keyword_status.js';
import { fetchStatus, findProject } from './project_data.js';

const MAX_PLANS = 1000;
const root = document.getElementById('plans');
const id = root.dataset.project;
const project = findProject(id);
const base = `/api/projects/${id}/content-plans`;
const NAMES = { sharedResults: 'shared results', words: 'words' };

const table = new PagedTable({
  caption: 'Content plans', order: '-updated', key: (it) => String(it.id),
  columns: [
    { name: 'name', label: 'Plan', value: (it) => it.name, cell: (it) => el('a', { href: `/projects/${id}/content-plans/${it.id}` }, it.name) },
    { name: 'items', label: 'Items', right: true, falls: true, value: (it) => it.itemCount ?? null, cell: (it) => count(it.itemCount ?? null) },
    { name: 'by', label: 'Clustered by', value: (it) => it.clusteredBy, cell: (it) => el('span', { title: METHODS[it.clusteredBy] ?? '' }, NAMES[it.clusteredBy] ?? it.clusteredBy) },
    { name: 'updated', label: 'Changed', falls: true, value: (it) => it.updatedAt, cell: (it) => moment(it.updatedAt, 'ago') },
    { name: 'created', label: 'Made', falls: true, value: (it) => it.createdAt, cell: (it) => moment(it.createdAt, 'day') },
    { name: 'delete', label: 'Change it', cell: deleteButton },
  ],
});

function deleteButton(it) {
  const button = el('button', { type: 'button', class: 'quiet slim', 'aria-label': `Delete “${it.name}”`, onclick: () => busy(button, async () => {
    if (!confirm(`Delete “${it.name}” with its ${numberText(it.itemCount ?? 0, 0)} items? This cannot be undone.`)) return;
    try {
      await send('DELETE', `${base}/${it.id}`);
      announce('Deleted.');
      await list();
      root.querySelector('a, button')?.focus();
    } catch (error) { notify(button, error); }
  }) }, 'Delete');
  return button;
}

const make = el('button', { type: 'button', class: 'main', onclick: () => busy(make, planFromKeywords) }, icon('plus'), 'From this project’s keywords');

async function planFromKeywords() {
  try {
    const items = await fetchStatus(id);
    if (items.length === 0) { notify(make, new Error('This project has no keywords yet. Add some first.')); return; }
    const market = mostCommonMarket(items);
    const ideas = onePerText(items, market).map((it) => ({ keyword: it.text, searchVolume: it.searchVolume ?? null, intent: null, score: null, position: it.position, page: it.targetUrl ?? it.page, pages: [] }));
    planDialog({ ideas, project, market, knownOnly: true, language: root.dataset.language, name: `Plan of ${new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' }).format(new Date())}` }).addEventListener('close', list);
  } catch (error) { notify(make, error, () => make.click()); }
}

// Keeps the focus on an element that is inserted again.
function replaceContent(parts) {
  const focused = document.activeElement;
  root.replaceChildren(...parts());
  if (root.contains(focused)) focused.focus();
}

async function list() {
  let items;
  try { ({ items } = await fetchAll(base, MAX_PLANS)); } catch (error) { root.replaceChildren(alertBox(error)); return; }
  if (items.length === 0) {
    replaceContent(() => [emptyBox('plan', 'No content plan yet', 'A plan says which pages to write or to improve, for which keywords, by when and by whom. Choose ideas in keyword research or gaps in the gap check, or begin with the keywords this project follows.',
      el('div', { class: 'row' }, make, el('a', { class: 'button', href: `/keyword-research?project=${id}` }, 'Research keywords'), el('a', { class: 'button', href: `/projects/${id}/gap-check` }, 'Check gaps')))]);
    return;
  }
  replaceContent(() => [el('div', { class: 'row' }, make), el('section', { class: 'card flush' }, table.node)]);
  table.show(items);
}

await list();
