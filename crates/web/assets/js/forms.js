// Forms and buttons name their endpoint in data-api: "POST /api/projects". A field's name is the path of its member
// ("market.country"), data-as its type; data-wrap="items" sends the body as a list with one item. A form with
// data-keywords-into adds keywords to that project: the form's own, or those under "also" if data-api first creates
// the project.
import { addLines, numbered, reasons, summary } from './add_keywords.js';
import { keep, loadAgain, taken } from './again.js';
import { patiently, send } from './api.js';
import { el, noteBox } from './dom.js';
import { asCode } from './markets.js';
import { actions, dismiss, failureText, notify } from './notice.js';

const READ = {
  text: (it) => it.value.trim(),
  optional: (it) => it.value.trim() || null,
  numbered: (it) => numbered(it.value),
  lines: (it) => it.value.split('\n').map((line) => line.trim()).filter(Boolean),
  commas: (it) => it.value.split(',').map((part) => part.trim()).filter(Boolean),
  number: (it) => (it.value === '' ? null : Number(it.value)),
  flag: (it) => it.checked,
  inherited: (it) => (it.value === '' ? null : it.value === 'true'),
  raw: (it) => it.value,
  country: (it) => asCode('country', it),
  language: (it) => asCode('language', it),
};

export function bodyOf(fields) {
  const body = {};
  for (const it of fields) {
    const as = it.dataset.as ?? (it.type === 'checkbox' ? 'flag' : 'text');
    if (as === 'listed') {
      const list = member(body, it.name, []);
      if (it.checked) list.push(/^\d+$/.test(it.value) && it.dataset.number !== undefined ? Number(it.value) : it.value);
      continue;
    }
    if (it.type === 'radio' && !it.checked) continue;
    const value = READ[as](it);
    if (it.dataset.skip !== undefined && (value === '' || value === null || value.length === 0)) continue;
    put(body, it.name, value);
  }
  return body;
}

function put(body, name, value) {
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

export function tell(text) {
  const told = document.getElementById('told');
  if (told) told.textContent = text;
}

export function clear(form) {
  for (const it of form.querySelectorAll('.wrong')) it.remove();
  for (const it of form.querySelectorAll('[aria-invalid]')) { it.removeAttribute('aria-invalid'); it.removeAttribute('aria-describedby'); }
}

// Shows an error of a form or a button. `again` retries.
export function show(form, error, again = null) {
  let first;
  for (const wrong of error.problem?.errors ?? []) {
    const name = (wrong.pointer ?? wrong.name ?? '').replace(/^[#/]+/, '').replace(/^items\/0\//, '').replace(/\/\d+$/, '').replaceAll('/', '.');
    const field = form.elements?.namedItem(error.isAlso ? `also.${name}` : name);
    if (!field?.setAttribute) continue;
    const line = document.createElement('small');
    line.className = 'wrong';
    line.id = `wrong-${name.replaceAll('.', '-')}`;
    const meant = wrong.nearest?.length > 0 ? ` Did you mean ${wrong.nearest.join(', ')}?` : '';
    line.textContent = (wrong.detail ?? wrong.message ?? wrong.code) + meant;
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
  if (!box) return notify(form, error, again);
  box.className = 'note-box bad';
  box.setAttribute('role', 'alert');
  const help = first ? [] : actions(error, null);
  box.replaceChildren(el('span', {}, text), ...(help.length ? [el('span', { class: 'row' }, help)] : []));
  (first ?? box).focus?.();
}

// Shown on the next page.
const SAID = 'said';
export function tellWhatWasDone() {
  const said = taken(SAID);
  if (!said) return;
  const { text, lines = [] } = said;
  document.querySelector('main h1')?.closest('header')?.after(noteBox(lines.length ? 'warn' : 'good', text, listOf(lines)));
  tell(text);
}
const listOf = (lines) => (lines.length ? el('ul', { class: 'plain' }, lines.map((it) => el('li', {}, it))) : null);

function succeeded(from, answer) {
  const then = from.dataset.then;
  const shown = from.dataset.show && document.getElementById(from.dataset.show);
  if (shown) {
    for (const it of shown.querySelectorAll('[data-from]')) it.textContent = it.dataset.from.split('.').reduce((at, part) => at?.[part], answer) ?? '';
    shown.hidden = false;
    if (from.dataset.hide) for (const it of document.querySelectorAll(`.${CSS.escape(from.dataset.hide)}`)) it.hidden = true;
    shown.querySelector('[tabindex]')?.focus();
    return;
  }
  if (then === 'stay') { tell('Saved.'); const box = from.querySelector?.('[data-outcome]'); if (box) { box.className = 'note-box good'; box.textContent = 'Saved.'; } return; }
  if (from.dataset.said) keep(SAID, { text: from.dataset.said });
  if (then) location.assign(filled(then, answer));
  else loadAgain();
}

const filled = (text, answer) => text.replace(/\{([\w.]+)\}/g, (_, path) => encodeURIComponent(path.split('.').reduce((at, part) => at?.[part], answer) ?? ''));

// What was created is kept when the second request fails: a retry sends only that one.
const created = new WeakMap();

async function sendBoth(from, body) {
  const { also, ...first } = body ?? {};
  const [method, path] = from.dataset.api.split(' ');
  const sent = from.dataset.wrap ? { [from.dataset.wrap]: [first] } : first;
  const answer = created.get(from) ?? await send(method, path, body && sent);
  if (!from.dataset.keywordsInto || !also?.keywords) return answer;
  created.set(from, answer);
  try {
    const result = await addLines(patiently, filled(from.dataset.keywordsInto, answer), also.keywords, also);
    keep(SAID, { text: `The project was created. ${summary(result)}`, lines: reasons(result) });
  } catch (error) {
    error.isAlso = true;
    leave(from.elements.namedItem('also.keywords'), error);
    // The project exists, so its fields cannot be changed any more.
    for (const it of from.elements) if (it.name && !it.name.startsWith('also.')) it.readOnly = true;
    throw error;
  }
  return answer;
}

// Keeps only lines that were not added, so that a retry adds the rest.
function leave(field, { done, left }) {
  if (done) field.value = [...done.lines, ...left].sort((one, other) => one.line - other.line).map((it) => it.text).join('\n');
}

// Adds a form's keywords, and reports refused lines with their reasons.
async function addKeywords(form, { keywords, ...more }) {
  const field = form.elements.namedItem('keywords');
  let result;
  try {
    result = await addLines(patiently, form.dataset.keywordsInto, keywords, more);
  } catch (error) {
    leave(field, error);
    if (error.done?.added) error.message = `${summary(error.done)} Then it stopped: ${error.message}`;
    throw error;
  }
  const text = summary(result);
  // Loads from the top, where the outcome is shown.
  const reload = () => location.assign(location.pathname + location.search);
  if (result.refused === 0) { keep(SAID, { text }); return reload(); }
  leave(field, { done: result, left: [] });
  const box = form.querySelector('[data-outcome]');
  box.className = 'note-box warn';
  box.setAttribute('role', 'alert');
  const changed = result.added + result.reactivated > 0;
  box.replaceChildren(el('div', { class: 'stack tight' }, el('p', {}, el('b', {}, text), ' Lines that were refused are still in the field.'), listOf(reasons(result)), changed && el('div', { class: 'row' }, el('button', { type: 'button', class: 'slim', onclick: reload }, 'Show the new keywords'))));
  field.focus();
}

async function run(from, body) {
  if (from.dataset.confirm && !confirm(from.dataset.confirm)) return;
  const button = from.matches('button') ? from : from.querySelector('button[type="submit"], button:not([type])');
  if (button?.getAttribute('aria-busy') === 'true') return;
  button?.setAttribute('aria-busy', 'true');
  dismiss();
  try {
    if (from.dataset.api) succeeded(from, await sendBoth(from, body));
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
    try { body = bodyOf([...form.elements].filter((it) => it.name)); } catch (error) { show(form, error); return; }
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
