// /projects/{id}/gap-check: compares searches with the project's keywords.
import { suggestKeywords } from './ai_suggestions.js';
import { send } from './api.js';
import { fetchAll } from './lists.js';
import { plannedPages } from './content_plan.js';
import { csv } from './csv.js';
import { busy, count, download, el, emptyBox, externalLink, figure, fileName, icon, moment, noteBox, percent, percentText, setEnabled, shortenUrl, tag, unknown } from './dom.js';
import { remainingQuota } from './bulk_save.js';
import { listenToImport } from './console_import.js';
import { announce, clear, show } from './forms.js';
import { STRIKING, addRows, indexPages, newestImport, untracked, withoutImpressions, wrongPages } from './gap_check.js';
import { mostCommonMarket, onePerText } from './keyword_status.js';
import { numberText } from './localize.js';
import { PagedTable } from './paged_table.js';
import { planDialog } from './plan_dialog.js';
import { fetchSession, fetchStatus, findProject } from './project_data.js';
import { saveDialog } from './save_dialog.js';
import { tabs } from './tabs.js';
import { normalized } from './words.js';

const MAX_ROWS = 25_000;
// Debounce of number fields, in ms.
const PAUSE = 250;
const MAX_PLANS = 10;
const at = (id) => document.getElementById(id);
const root = at('gap');
const id = root.dataset.project;
const language = root.dataset.language;
const project = findProject(id);
const base = `/api/projects/${id}`;
const controls = at('gap-controls');
const importing = at('gap-import');
// `queries` and `sites` from Search Console; `keywords` of the project, one per text.
const NOTHING = { queries: new Map(), sites: indexPages(new Map()), read: 0, more: false, keywords: [], followed: 0, market: null, planned: new Map(), session: null };
let state = NOTHING;
let currentCheck = 0;

const SOURCES = { target: 'the keyword’s own target', plan: 'your content plan', rankCheck: 'the last rank check', words: 'its address' };
const position = (it) => (it.position === null ? unknown() : el('span', {}, figure(it.position, 1), it.striking ? el('span', { class: 'sub' }, tag('good', 'striking distance')) : null));
const page = (url) => (url ? externalLink(url, shortenUrl(url)) : unknown());

const fresh = table('Searched, not followed', '-impressions', [
  { name: 'query', label: 'Query', value: (it) => it.query, cell: (it) => it.query },
  { name: 'impressions', label: 'Impressions', right: true, falls: true, value: (it) => it.impressions, cell: (it) => count(it.impressions) },
  { name: 'clicks', label: 'Clicks', right: true, falls: true, value: (it) => it.clicks, cell: (it) => count(it.clicks) },
  { name: 'ctr', label: 'Click rate', right: true, falls: true, value: (it) => it.ctr, cell: (it) => percent(it.ctr) },
  { name: 'position', label: 'Mean position', right: true, value: (it) => it.position, cell: position },
  { name: 'gain', label: 'Clicks to win', right: true, falls: true, value: (it) => it.gain, cell: (it) => figure(it.gain, 0) },
  { name: 'page', label: 'Page shown', value: (it) => it.page, cell: (it) => el('span', {}, page(it.page), it.pages.length > 1 ? el('span', { class: 'sub' }, `and ${it.pages.length - 1} more`) : null) },
], true);
const silent = table('Followed, never seen', '-volume', [
  { name: 'text', label: 'Keyword', value: (it) => it.text, cell: (it) => it.text },
  { name: 'volume', label: 'Searches a month', right: true, falls: true, value: (it) => it.searchVolume ?? null, cell: (it) => count(it.searchVolume ?? null) },
  { name: 'position', label: 'Position checked', right: true, value: (it) => it.position, cell: (it) => (it.position === null ? (it.measuredAt === null ? unknown() : 'not found') : count(it.position)) },
  { name: 'best', label: 'Best this month', right: true, value: (it) => it.best, cell: (it) => count(it.best) },
  { name: 'page', label: 'Page found', value: (it) => it.page, cell: (it) => page(it.page) },
  { name: 'measured', label: 'Checked', falls: true, value: (it) => it.measuredAt, cell: (it) => moment(it.measuredAt, 'ago') },
], true);
const wrong = table('Right query, wrong page', '-impressions', [
  { name: 'query', label: 'Query', value: (it) => it.query, cell: (it) => it.query },
  { name: 'impressions', label: 'Impressions', right: true, falls: true, value: (it) => it.impressions, cell: (it) => count(it.impressions) },
  { name: 'position', label: 'Mean position', right: true, value: (it) => it.position, cell: (it) => figure(it.position, 1) },
  { name: 'shown', label: 'Page shown', value: (it) => it.shownShare, falls: true, cell: (it) => el('span', {}, page(it.shown), el('span', { class: 'sub' }, `${percentText(it.shownShare)} of impressions`)) },
  { name: 'meant', label: 'Page meant', cell: (it) => el('span', {}, page(it.intended), el('span', { class: 'sub' }, `${percentText(it.intendedShare)} of impressions; says ${SOURCES[it.source]}`)) },
], true);

function table(caption, order, columns, selectable) {
  return new PagedTable({ caption, columns, order, key: (it) => it.key ?? normalized(it.text), selectable, onSelect: () => bars.forEach((it) => it.draw()) });
}

const CSVS = {
  fresh: [['query', 'impressions', 'clicks', 'ctr', 'position', 'strikingDistance', 'clicksToWin', 'page'], (it) => [it.query, it.impressions, it.clicks, it.ctr, it.position, it.striking, it.gain, it.page]],
  silent: [['keyword', 'searchVolume', 'position', 'best', 'page', 'measuredAt'], (it) => [it.text, it.searchVolume, it.position, it.best, it.page, it.measuredAt]],
  wrong: [['query', 'impressions', 'clicks', 'position', 'pageShown', 'shownShare', 'pageMeant', 'meantShare', 'saidBy'], (it) => [it.query, it.impressions, it.clicks, it.position, it.shown, it.shownShare, it.intended, it.intendedShare, it.source]],
};

function bar(name, of, actions) {
  const selectionText = el('b', { role: 'status' });
  const every = el('button', { type: 'button', class: 'slim quiet', onclick: () => of.choose(of.found, true) }, 'All');
  const none = el('button', { type: 'button', class: 'slim quiet', onclick: () => of.choose(of.every, false) }, 'None');
  const file = el('button', { type: 'button', onclick: () => {
    const [header, row] = CSVS[name];
    download(`${name}-${fileName(project.name)}.csv`, 'text/csv', csv(header, (of.selected.length ? of.selected : of.every).map(row)));
    announce('The file is made.');
  } }, 'Export CSV');
  const buttons = actions.map(([label, work, main]) => {
    const button = el('button', { type: 'button', class: main ? 'main' : null, onclick: () => busy(button, () => work(of.selected)) }, main ? icon('plus') : icon('plan'), label);
    return button;
  });
  return { node: el('div', { class: 'chosen' }, el('span', { class: 'row' }, selectionText, el('span', { class: 'soft' }, 'Choose:'), every, none), el('span', { class: 'row' }, buttons, file)), draw() {
    const chosen = of.selected.length;
    selectionText.textContent = chosen ? `${numberText(chosen, 0)} chosen` : 'None chosen';
    for (const it of [...buttons, none]) setEnabled(it, chosen > 0);
  } };
}

const ideaOf = (it) => ({ keyword: it.query ?? it.text, searchVolume: it.searchVolume ?? null, intent: null, score: null, position: it.position ?? null, page: it.intended ?? it.page ?? null, pages: it.shown ? [it.intended, it.shown] : it.pages ?? [] });
const plan = (rows) => planDialog({ ideas: rows.map(ideaOf), project, market: state.market, language, name: 'From the gap check' });
// Search volumes are unknown, so impressions rank the keywords.
const suggestForAi = (rows) => suggestKeywords(rows.map((it) => ({ keyword: it.query, relation: null, intent: null, overview: null, searchVolume: it.impressions })), { language, brands: project.brands, left: remainingQuota(state.session?.quotas, null, null).ai });
const save = (rows) => saveDialog({ chosen: suggestForAi(rows).map((it) => ({ text: it.idea.keyword, ai: it.suggested })), project, session: state.session, market: state.market, onSaved: async () => {
  const checkId = currentCheck;
  const keywords = await readKeywords();
  if (checkId !== currentCheck) return;
  state = { ...state, ...keywords };
  showGaps();
} });
const bars = [
  bar('fresh', fresh, [['Follow them', save, true], ['Make a content plan', plan, false]]),
  bar('silent', silent, [['Make a content plan', plan, false]]),
  bar('wrong', wrong, [['Make a content plan', plan, false]]),
];

const counts = { fresh: el('span', { class: 'tag' }), silent: el('span', { class: 'tag' }), wrong: el('span', { class: 'tag' }) };
const panel = (of, text, index, none) => [el('p', { class: 'hint' }, text), none, el('section', { class: 'card flush' }, el('div', { class: 'filter' }, of.finder, of.sorter), of.node, bars[index].node)];
const notes = { silent: el('div'), wrong: el('div') };
const sections = tabs('Gaps', [
  { id: 'fresh', label: 'Searched, not followed', count: counts.fresh, panel: panel(fresh, `People found you for these, and the project does not follow them. Striking distance is a mean position from ${STRIKING.from} to ${STRIKING.to}. Clicks to win are what the same impressions would bring at position 3.`, 0) },
  { id: 'silent', label: 'Followed, never seen', count: counts.silent, panel: panel(silent, 'The project follows these, and Search Console shows no impression. It leaves out rare queries, so a keyword that few people search may be missing for that reason.', 1, notes.silent) },
  { id: 'wrong', label: 'Right query, wrong page', count: counts.wrong, panel: panel(wrong, 'Most impressions go to another page than the one that is meant for the query: by the keyword’s own target, by a content plan, by the last rank check, or because another address holds all words of the query.', 2, notes.wrong) },
]);

function showGaps() {
  const minImpressions = Math.max(Number(controls.elements.minImpressions.value) || 0, 0);
  const found = { fresh: untracked(state.queries, state.keywords, { minImpressions }), silent: withoutImpressions(state.queries, state.keywords), wrong: wrongPages(state.queries, state.keywords, { minImpressions, planned: state.planned, language, sites: state.sites }) };
  fresh.show(controls.elements.reach.checked ? found.fresh.filter((it) => it.striking) : found.fresh, found.fresh);
  silent.show(found.silent);
  wrong.show(found.wrong);
  for (const [name, list] of Object.entries(found)) counts[name].textContent = numberText(list.length, 0);
  notes.silent.replaceChildren(state.more ? noteBox('warn', `Only the first ${numberText(state.read, 0)} rows were read, so some of these may have been seen after all. Choose a shorter time.`) : '');
  const hasPages = [...state.queries.values()].some((it) => it.pages.size > 0);
  notes.wrong.replaceChildren(state.read > 0 && !hasPages ? noteBox('warn', 'The imported rows tell no pages. Import an export with pages, or bind a property, to see which page is shown for what.') : '');
  bars.forEach((it) => it.draw());
}

function tiles() {
  const impressions = [...state.queries.values()].reduce((sum, it) => sum + it.impressions, 0);
  const clicks = [...state.queries.values()].reduce((sum, it) => sum + it.clicks, 0);
  const tile = (label, value, note, first) => el('div', { class: first ? 'stat first' : 'stat' }, el('dt', {}, label), el('dd', {}, count(value)), el('dd', { class: 'note' }, note));
  return el('dl', { class: 'tiles' },
    tile('Queries', state.queries.size, `from ${numberText(state.read, 0)} rows${state.more ? ', not all' : ''}`, true),
    tile('Impressions', impressions, 'of these queries'), tile('Clicks', clicks, impressions > 0 ? `${percentText(clicks / impressions)} of impressions` : ''),
    tile('Keywords followed', state.followed, 'in use in this project'));
}

// Without days the server uses the newest ones.
async function readRows(days) {
  const progress = at('gap-progress');
  progress.hidden = false;
  try {
    const query = new URLSearchParams({ limit: '1000', ...days });
    const found = await fetchAll(`${base}/search-console/rows?${query}`, MAX_ROWS, (so_far) => { progress.querySelector('[data-message]').textContent = `${numberText(so_far, 0)} rows read…`; });
    const queries = addRows(new Map(), found.items);
    return { queries, sites: indexPages(queries), read: found.items.length, more: found.more, covered: { from: found.first.from ?? null, to: found.first.to ?? null } };
  } finally { progress.hidden = true; }
}

async function readKeywords() {
  const [status, session] = await Promise.all([fetchStatus(id), fetchSession()]);
  const market = mostCommonMarket(status);
  return { keywords: onePerText(status, market), followed: status.length, market, session };
}

async function readPlans() {
  const { items = [] } = await send('GET', `${base}/content-plans?limit=${MAX_PLANS}`);
  // Ignores a plan that was deleted in the meantime.
  const gone = (error) => { if (error.status === 404) return {}; throw error; };
  const plans = await Promise.all(items.map((it) => send('GET', `${base}/content-plans/${it.id}`).catch(gone)));
  return { planned: plannedPages(plans.reverse()) };
}

function chosenDays() {
  const { from, to } = controls.elements;
  return Object.fromEntries([from, to].filter((it) => it.value).map((it) => [it.name, it.value]));
}

// The page changes only after everything is loaded; an error keeps the previous content.
async function check(days = chosenDays()) {
  clear(controls);
  Object.assign(controls.querySelector('[data-outcome]'), { textContent: '', className: '' });
  const checkId = ++currentCheck;
  let found;
  try {
    found = await Promise.all([readRows(days), readKeywords(), readPlans()]);
  } catch (error) {
    if (checkId === currentCheck) show(controls, error);
    return false;
  }
  if (checkId !== currentCheck) return false;
  state = Object.assign({}, ...found);
  const none = state.read === 0 ? emptyBox('rankings', 'No rows in this time', 'Search Console data was imported, but for other days. Choose the days that it covers; an export without a column of days counts only where all of its days are chosen.') : null;
  root.replaceChildren(...(none ? [none] : [tiles(), sections.node]));
  showGaps();
  announce(none ? 'No rows in this time.' : `Checked ${numberText(state.read, 0)} rows against ${numberText(state.followed, 0)} keywords.`);
  return true;
}

async function start() {
  let about;
  try { about = await send('GET', `${base}/search-console`); } catch (error) { show(controls, error); return; }
  const spans = about.imported ?? [];
  controls.hidden = spans.length === 0;
  if (spans.length === 0) {
    importing.open = true;
    root.replaceChildren(emptyBox('rankings', 'Nothing of Search Console yet', 'The gap check holds what people searched against what this project follows. In Search Console open Performance, choose Export, and give the file to Sightline below.',
      el('a', { class: 'button main', href: '#gap-import' }, 'Import an export')));
    return;
  }
  const last = spans.reduce((latest, it) => (it.to > latest ? it.to : latest), spans[0].to);
  const first = spans.reduce((earliest, it) => (it.from < earliest ? it.from : earliest), spans[0].from);
  at('gap-span').replaceChildren('Imported: ', moment(first, 'day'), ' to ', moment(last, 'day'), about.property ? `, from ${about.property}` : '');
  // First the server's default days; if they have no rows, the newest import.
  if (!(await check({}))) return;
  const older = state.read === 0 ? newestImport(spans) : null;
  const { from, to } = older ?? state.covered;
  controls.elements.from.value = from ?? '';
  controls.elements.to.value = to ?? '';
  if (older) await check(older);
}

controls.addEventListener('submit', (event) => { event.preventDefault(); busy(controls.querySelector('[type="submit"]'), () => check()); });
let typed;
controls.elements.minImpressions.addEventListener('input', () => {
  clearTimeout(typed);
  typed = setTimeout(() => state.read > 0 && showGaps(), PAUSE);
});
controls.elements.reach.addEventListener('change', () => state.read > 0 && showGaps());

listenToImport(importing.querySelector('form'), `${base}/search-console`, start);

await start();
