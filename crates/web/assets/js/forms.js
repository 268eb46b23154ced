// Forms and buttons name their endpoint in data-api: "POST /api/projects". A field's name is the path of its member
// ("market.country"), data-as its type; data-wrap="items" sends the body as a list with one item. A form with
// data-keywords-into adds keywords to that project: the form's own, or those under "also" if data-api first creates
// the project.
import { addLines, numberLines, refusalReasons, summarize } from './add_keywords.js';
import { reloadKeepingFocus, saveState, takeState } from './reload_state.js';
import { send, sendWithRetry } from './api.js';
import { el, noteBox } from './dom.js';
import { parseCode } from './markets.js';
import { actions, dismiss, failureText, notify } from './notice.js';

const READERS = {
  text: (it) => it.value.trim(),
  optional: (it) => it.value.trim() || null,
  numbered: (it) => numberLines(it.value),
  lines: (it) => it.value.split('\n').map((line) => line.trim()).filter(Boolean),
  commas: (it) => it.value.split(',').map((part) => part.trim()).filter(Boolean),
  number: (it) => (it.value === '' ? null : Number(it.value)),
  flag: (it) => it.checked,
  inherited: (it) => (it.value === '' ? null : it.value === 'true'),
  raw: (it) => it.value,
  country: (it) => parseCode('country', it),
  language: (it) => parseCode('language', it),
};

export function buildBody(fields) {
  const body = {};
  for (const it of fields) {
    const as = it.dataset.as ?? (it.type === 'checkbox' ? 'flag' : 'text');
    if (as === 'listed') {
      const list = member(body, it.name, []);
      if (it.checked) list.push(/^\d+$/.test(it.value) && it.dataset.number !== undefined ? Number(it.value) : it.value);
      continue;
    }
    if (it.type === 'radio' && !it.checked) continue;
    const value = READERS[as](it);
    if (it.dataset.skip !== undefined && (value === '' || value === null || value.length === 0)) continue;
    setMember(body, it.name, value);
  }
  return body;
}

function setMember(body, name, value) {
  const path = name.split('.');
  const last = path.pop();
  let at = body;
  for (const part of path) at = at[part] ??= {};
  at[last] = value;
}

function member(body, name, fresh) {
  const path = name.split('.');
  const last = path.pop();
  let at = body;
  for (const part of path) at = at[part] ??= {};
  return at[last] ??= fresh;
}

export function announce(text) {
  const region = document.getElementById('announcements');
  if (region) region.textContent = text;
}

export function clear(form) {
  for (const it of form.querySelectorAll('.wrong')) it.remove();
  for (const it of form.querySelectorAll('[aria-invalid]')) { it.removeAttribute('aria-invalid'); it.removeAttribute('aria-describedby'); }
}

// Shows an error of a form or a button. `retry` repeats the request.
export function show(form, error, retry = null) {
  let first;
  for (const fieldError of error.problem?.errors ?? []) {
    const name = (fieldError.pointer ?? fieldError.name ?? '').replace(/^[#/]+/, '').replace(/^items\/0\//, '').replace(/\/\d+$/, '').replaceAll('/', '.');
    const field = form.elements?.namedItem(error.isAlso ? `also.${name}` : name);
    if (!field?.setAttribute) continue;
    const line = document.createElement('small');
    line.className = 'wrong';
    line.id = `wrong-${name.replaceAll('.', '-')}`;
    const hint = fieldError.nearest?.length > 0 ? ` Did you mean ${fieldError.nearest.join(', ')}?` : '';
    line.textContent = (fieldError.detail ?? fieldError.message ?? fieldError.code) + hint;
    field.setAttribute('aria-invalid', 'true');
    field.setAttribute('aria-describedby', line.id);
    field.after(line);
    first ??= field;
  }
  const before = error.isAlso ? form.dataset.alsoFailed : '';
  // Errors beside fields are not repeated here.
  const text = [before, first ? 'Please correct the highlighted fields.' : failureText(error)].filter(Boolean).join(' ');
  let box = form.querySelector?.('[data-outcome]');
  if (!box && form.matches?.('form')) {
    box = document.createElement('p');
    box.dataset.outcome = '';
    form.append(box);
  }
  if (!box) return notify(form, error, retry);
  box.className = 'note-box bad';
  box.setAttribute('role', 'alert');
  const help = first ? [] : actions(error, null);
  box.replaceChildren(el('span', {}, text), ...(help.length ? [el('span', { class: 'row' }, help)] : []));
  (first ?? box).focus?.();
}

// Shown on the next page.
const NOTICE = 'notice';
export function showStoredOutcome() {
  const notice = takeState(NOTICE);
  if (!notice) return;
  const { text, lines = [] } = notice;
  const title = document.querySelector('main h1');
  (title?.closest('header') ?? title)?.after(noteBox(lines.length ? 'warn' : 'good', text, listOf(lines)));
  announce(text);
}
const listOf = (lines) => (lines.length ? el('ul', { class: 'plain' }, lines.map((it) => el('li', {}, it))) : null);

function handleSuccess(from, answer) {
  const then = from.dataset.then;
  const shown = from.dataset.show && document.getElementById(from.dataset.show);
  if (shown) {
    for (const it of shown.querySelectorAll('[data-from]')) it.textContent = it.dataset.from.split('.').reduce((at, part) => at?.[part], answer) ?? '';
    shown.hidden = false;
    if (from.dataset.hide) for (const it of document.querySelectorAll(`.${CSS.escape(from.dataset.hide)}`)) it.hidden = true;
    shown.querySelector('[tabindex]')?.focus();
    return;
  }
  if (then === 'stay') { announce('Saved.'); const box = from.querySelector?.('[data-outcome]'); if (box) { box.className = 'note-box good'; box.textContent = 'Saved.'; } return; }
  if (from.dataset.notice) saveState(NOTICE, { text: from.dataset.notice });
  if (then) location.assign(fillTemplate(then, answer));
  else reloadKeepingFocus();
}

const fillTemplate = (text, answer) => text.replace(/\{([\w.]+)\}/g, (_, path) => encodeURIComponent(path.split('.').reduce((at, part) => at?.[part], answer) ?? ''));

// What was created is kept when the second request fails: a retry sends only that one.
const created = new WeakMap();

async function createWithKeywords(from, body) {
  const { also, ...first } = body ?? {};
  const [method, path] = from.dataset.api.split(' ');
  const sent = from.dataset.wrap ? { [from.dataset.wrap]: [first] } : first;
  const answer = created.get(from) ?? await send(method, path, body && sent);
  if (!from.dataset.keywordsInto || !also?.keywords) return answer;
  created.set(from, answer);
  try {
    const result = await addLines(sendWithRetry, fillTemplate(from.dataset.keywordsInto, answer), also.keywords, also);
    saveState(NOTICE, { text: `The project was created. ${summarize(result)}`, lines: refusalReasons(result) });
  } catch (error) {
    error.isAlso = true;
    keepUnsentLines(from.elements.namedItem('also.keywords'), error);
    // The project exists, so its fields cannot be changed any more.
    for (const it of from.elements) if (it.name && !it.name.startsWith('also.')) it.readOnly = true;
    throw error;
  }
  return answer;
}

// Keeps only lines that were not added, so that a retry adds the rest.
function keepUnsentLines(field, { done, left }) {
  if (done) field.value = [...done.lines, ...left].sort((one, other) => one.line - other.line).map((it) => it.text).join('\n');
}

// Adds a form's keywords, and reports refused lines with their reasons.
async function addKeywords(form, { keywords, ...more }) {
  const field = form.elements.namedItem('keywords');
  let result;
  try {
    result = await addLines(sendWithRetry, form.dataset.keywordsInto, keywords, more);
  } catch (error) {
    keepUnsentLines(field, error);
    if (error.done?.added) error.message = `${summarize(error.done)} Then it stopped: ${error.message}`;
    throw error;
  }
  const text = summarize(result);
  // Loads from the top, where the outcome is shown.
  const reload = () => location.assign(location.pathname + location.search);
  if (result.refused === 0) { saveState(NOTICE, { text }); return reload(); }
  keepUnsentLines(field, { done: result, left: [] });
  const box = form.querySelector('[data-outcome]');
  box.className = 'note-box warn';
  box.setAttribute('role', 'alert');
  const changed = result.added + result.reactivated > 0;
  box.replaceChildren(el('div', { class: 'stack tight' }, el('p', {}, el('b', {}, text), ' Lines that were refused are still in the field.'), listOf(refusalReasons(result)), changed && el('div', { class: 'row' }, el('button', { type: 'button', class: 'slim', onclick: reload }, 'Show the new keywords'))));
  field.focus();
}

// What an analysis costs, and what is left of the budgets.
function costQuestion({ units, unit, expectedCost, budget }) {
  const { amount, currency } = expectedCost;
  const subject = units === null ? 'This' : `This measures ${units} ${unit}; it`;
  const left = ({ limit, usedBefore }) => (Number(limit) - Number(usedBefore)).toFixed(2);
  const month = budget.limit !== null && ` Left this month: ${left(budget)} ${currency}.`;
  const today = budget.today.limit !== null && ` Left today: ${left(budget.today)} ${currency}.`;
  return [`${subject} costs at most ${amount} ${currency}.`, month, today, ' Start?'].filter(Boolean).join('');
}

// An analysis that costs money starts only after the amount was shown.
async function agreesToCost(from, body) {
  if (from.dataset.api !== 'POST /api/analyses') return true;
  const plan = await send('POST', '/api/analyses', { ...body, dryRun: true });
  const isFree = !Number(plan.expectedCost.amount) || plan.wouldJoinJobId;
  return isFree || confirm(costQuestion(plan));
}

async function run(from, body) {
  if (from.dataset.confirm && !confirm(from.dataset.confirm)) return;
  const button = from.matches('button') ? from : from.querySelector('button[type="submit"], button:not([type])');
  if (button?.getAttribute('aria-busy') === 'true') return;
  button?.setAttribute('aria-busy', 'true');
  dismiss();
  try {
    if (!(await agreesToCost(from, body))) return;
    if (from.dataset.api) handleSuccess(from, await createWithKeywords(from, body));
    else await addKeywords(from, body);
  } catch (error) {
    if (from.matches('[role="switch"], input')) from.checked = !from.checked;
    show(from, error, () => run(from, body));
  } finally {
    button?.removeAttribute('aria-busy');
  }
}

export function listenToForms(root) {
  root.addEventListener('submit', (event) => {
    const form = event.target.closest('form[data-api], form[data-keywords-into]');
    if (!form) return;
    event.preventDefault();
    clear(form);
    let body;
    try { body = buildBody([...form.elements].filter((it) => it.name && !it.matches(':disabled'))); } catch (error) { show(form, error); return; }
    run(form, body);
  });
  root.addEventListener('click', (event) => {
    const button = event.target.closest('button[data-api]');
    if (!button) return;
    // A POST always has a body.
    const empty = button.dataset.api.startsWith('POST ') ? {} : undefined;
    run(button, button.dataset.body ? JSON.parse(button.dataset.body) : empty);
  });
  root.addEventListener('change', (event) => {
    const box = event.target.closest('input[type="checkbox"][data-api]');
    if (box) run(box, { [box.name]: box.checked });
  });
}
