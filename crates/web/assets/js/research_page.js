// /keyword-research: searches, shows the result, and opens the dialogs to save and to plan.
import { send } from './api.js';
import { remainingQuota } from './bulk_save.js';
import { csv } from './csv.js';
import { busy, download, el, emptyBox, fileName, icon, moment, setEnabled } from './dom.js';
import { announce, clear, show } from './forms.js';
import { IdeasTable } from './ideas_table.js';
import { inMarket, onePerText } from './keyword_status.js';
import { numberText, timeText } from './localize.js';
import { notify } from './notice.js';
import { planDialog } from './plan_dialog.js';
import { fetchSession, fetchStatus, findProject } from './project_data.js';
import { evaluateIdeas, ideasTable, readAnswer } from './research_answer.js';
import { overview } from './research_view.js';
import { saveDialog } from './save_dialog.js';

const SLOW = 6000;
const PATH = '/api/keyword-research';
const at = (id) => document.getElementById(id);
const form = at('research');
const regions = { usage: at('usage'), searching: at('searching'), answer: at('answer'), history: at('history') };
const state = { answer: null, searchId: null, session: null, project: null, status: null };

const bar = selectionBar();
const ideas = new IdeasTable({ onSelect: () => bar.draw() });

function selectionBar() {
  const selectionText = el('b', { role: 'status' });
  const every = el('button', { type: 'button', class: 'slim quiet', onclick: () => ideas.table.choose(ideas.table.rows, true) }, 'All shown');
  const suggested = el('button', { type: 'button', class: 'slim quiet', onclick: () => ideas.table.choose(ideas.ideas.filter((it) => it.advice.suggested && !it.inProject), true) }, 'Suggested for AI');
  const none = el('button', { type: 'button', class: 'slim quiet', onclick: () => ideas.table.choose(ideas.ideas, false) }, 'None');
  const save = el('button', { type: 'button', class: 'main', onclick: () => busy(save, openSave) }, icon('plus'), 'Save into a project');
  const plan = el('button', { type: 'button', onclick: () => busy(plan, openPlan) }, icon('plan'), 'Make a content plan');
  const file = el('button', { type: 'button', onclick: exportCsv }, 'Export CSV');
  const node = el('div', { class: 'chosen' }, el('span', { class: 'row' }, selectionText, el('span', { class: 'soft' }, 'Choose:'), every, suggested, none), el('span', { class: 'row' }, save, plan, file));
  return {
    node,
    draw() {
      const chosen = ideas.table.selected.length;
      selectionText.textContent = chosen === 0 ? 'None chosen' : `${numberText(chosen, 0)} chosen`;
      for (const it of [save, plan, none]) setEnabled(it, chosen > 0);
      file.textContent = chosen === 0 ? 'Export all as CSV' : 'Export as CSV';
    },
  };
}

function openSave() {
  const chosen = ideas.table.selected.map((it) => ({ text: it.keyword, ai: it.advice.suggested }));
  saveDialog({ chosen, project: state.project, session: state.session, market: market(), searchId: state.searchId, onSaved: async () => {
    state.session = await fetchSession();
    await chooseProject();
  } });
}

function openPlan() {
  planDialog({ ideas: ideas.table.selected, project: state.project, market: market(), language: state.answer.language?.code, name: state.answer.keyword });
}

function exportCsv() {
  const chosen = ideas.table.selected;
  const { header, rows } = ideasTable(chosen.length ? chosen : ideas.ideas);
  download(`ideas-${fileName(state.answer.keyword)}.csv`, 'text/csv', csv(header, rows));
  announce('The file is made.');
}

// Ideas are tracked in the market of the search.
function market() {
  const { location: country, language } = state.answer;
  return country?.code && language?.code ? { country: country.code, language: language.code } : null;
}

function showIdeas() {
  ideas.show(evaluateIdeas(state.answer, { status: state.status && onePerText(state.status.filter((it) => inMarket(it, market())), market()), brands: state.project?.brands ?? [], aiLeft: remainingQuota(state.session?.quotas, null, null).ai }));
  bar.draw();
}

function draw({ focus = true } = {}) {
  const list = el('section', { class: 'card flush ideas' },
    el('header', {}, el('div', {}, el('h2', {}, 'The keyword and its ideas'), el('p', {}, 'The score weighs visits to win, cost per click, intent and trend. Open it to see how it comes about.')), ideas.countText),
    ideas.tools, ideas.node, bar.node);
  const none = emptyBox('research', 'No ideas for this keyword', 'The supplier knows no others that are like it. Try a shorter keyword, or one that is searched more.');
  regions.answer.replaceChildren(...overview(state.answer), list, ...(state.answer.ideas.length ? [] : [none]));
  regions.answer.hidden = false;
  showIdeas();
  if (focus) regions.answer.querySelector('h2').focus();
}

async function chooseProject() {
  const project = findProject(form.elements.projectId.value);
  state.project = project;
  state.status = null;
  const status = project && await fetchStatus(project.id).catch(() => undefined);
  // Another project may have been selected in the meantime.
  if (state.project !== project) return;
  if (status === undefined) announce('The project’s keywords cannot be read just now; positions are taken as not known.');
  state.status = status ?? null;
  if (state.answer) showIdeas();
}

async function search() {
  clear(form);
  form.querySelector('[data-outcome]')?.replaceChildren();
  form.querySelector('[data-outcome]')?.removeAttribute('class');
  const { keyword, location, language, projectId } = form.elements;
  const body = { keyword: keyword.value.trim(), location: location.value.trim(), language: language.value.trim() };
  if (projectId.value) body.projectId = Number(projectId.value);
  regions.searching.hidden = false;
  const text = regions.searching.querySelector('[data-message]');
  text.textContent = `Looking up “${body.keyword}”…`;
  const slow = setTimeout(() => { text.textContent = 'The supplier takes its time. You can leave it running: what it finds is kept in your history.'; }, SLOW);
  try {
    const raw = await send('POST', PATH, body);
    showAnswer(raw);
    announce(`Found “${raw.keyword}” with ${numberText(raw.ideas?.length ?? 0, 0)} ideas.`);
    await drawHistory();
  } catch (error) {
    const resets = error.problem?.resetsAt;
    if (error.status === 429 && resets) error.problem.hint = [error.problem.hint, `All of them are there again on ${timeText(new Date(resets), 'day')}.`].filter(Boolean).join(' ');
    show(form, error);
    await drawUsage();
  } finally {
    clearTimeout(slow);
    regions.searching.hidden = true;
  }
}

function showAnswer(raw, searchId = null, focus = true) {
  state.answer = readAnswer(raw);
  if (raw.usage !== undefined) usage(raw);
  const id = searchId ?? raw.id ?? null;
  state.searchId = id === null ? null : Number(id);
  history.replaceState(null, '', id === null ? location.pathname : `?search=${id}`);
  draw({ focus });
}

function usage(it) {
  if (it.limit === null || it.limit === undefined) { regions.usage.replaceChildren(); return; }
  regions.usage.replaceChildren(
    el('progress', { max: Math.max(it.limit, 1), value: Math.min(it.usage, it.limit), 'aria-label': 'Searches used this month' }),
    el('span', {}, el('b', {}, `${numberText(Math.max(it.limit - it.usage, 0), 0)} of ${numberText(it.limit, 0)}`), ' searches left', it.resetsAt ? [', all of them again ', moment(it.resetsAt, 'day')] : ' this month', '. Opening one of your history takes none.'));
}

const drawUsage = () => send('GET', PATH).then(usage).catch(() => {});

async function drawHistory(cursor = null, before = []) {
  let page;
  try { page = await send('GET', `${PATH}/history?limit=20${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`); } catch (error) {
    regions.history.replaceChildren(el('p', { class: 'soft' }, `Your history cannot be read just now. ${error.message}`));
    return;
  }
  const items = [...before, ...(page.items ?? [])];
  if (items.length === 0) {
    regions.history.replaceChildren(emptyBox('research', 'Nothing looked up yet', 'Look up a keyword to see how often it is searched, how hard it is to be found for, and what else people search. Every search is kept here and opens again without taking anything.'));
    return;
  }
  const more = page.nextCursor ? el('button', { type: 'button', class: 'slim', onclick: () => busy(more, async () => {
    await drawHistory(page.nextCursor, items);
    regions.history.querySelectorAll('.history > li')[items.length]?.querySelector('button').focus();
  }) }, 'Show older ones') : null;
  regions.history.replaceChildren(
    el('section', { class: 'card' }, el('header', {}, el('div', {}, el('h2', {}, 'Your history'), el('p', {}, 'Opening one takes nothing of the month.'))),
      el('ul', { class: 'lines history' }, items.map(historyLine)), more && el('footer', {}, more)));
}

const nameOf = (it) => it?.name ?? it ?? '';
function historyLine(it) {
  const open = el('button', { type: 'button', class: 'quiet linkish', onclick: () => busy(open, () => reopen(it.id)) }, it.keyword);
  const forget = el('button', { type: 'button', class: 'quiet slim', 'aria-label': `Forget “${it.keyword}”`, onclick: () => busy(forget, async () => {
    if (!confirm(`Forget that you looked up “${it.keyword}”?`)) return;
    try {
      await send('DELETE', `${PATH}/history/${it.id}`);
      const line = forget.closest('li');
      const next = (line.nextElementSibling ?? line.previousElementSibling)?.querySelector('button');
      line.remove();
      if (next) next.focus(); else await drawHistory();
      announce('Forgotten.');
    } catch (error) { notify(forget, error); }
  }) }, 'Forget');
  return el('li', {}, el('span', { class: 'wrap' }, open, el('span', { class: 'soft small' }, [nameOf(it.location), nameOf(it.language)].filter(Boolean).join(', '), ' · ', moment(it.searchedAt, 'ago'))), forget);
}

async function reopen(id, focus = true) {
  try {
    showAnswer(await send('GET', `${PATH}/history/${id}${state.project ? `?projectId=${state.project.id}` : ''}`), id, focus);
    const { keyword, location, language } = form.elements;
    keyword.value = state.answer.keyword;
    location.value = nameOf(state.answer.location) || location.value;
    language.value = nameOf(state.answer.language) || language.value;
  } catch (error) { show(form, error); }
}

form.addEventListener('submit', (event) => { event.preventDefault(); busy(form.querySelector('[type="submit"]'), search); });
form.elements.projectId.addEventListener('change', chooseProject);

const parameters = new URLSearchParams(location.search);
for (const name of ['keyword', 'location', 'language']) if (parameters.get(name)) form.elements[name].value = parameters.get(name);
if (parameters.get('project') && findProject(parameters.get('project'))) form.elements.projectId.value = parameters.get('project');
const [session] = await Promise.all([fetchSession(), drawUsage(), drawHistory()]);
state.session = session;
await chooseProject();
if (/^\d+$/.test(parameters.get('search') ?? '')) await reopen(parameters.get('search'), false);
