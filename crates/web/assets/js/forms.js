// Forms and buttons that say in data-api what they send: "POST /api/projects". What a field is called
// is the path of its member ("market.country"), data-as says what its text stands for. Members under
// "also" are a second request's, which follows the first (data-also) when what it is about
// (data-also-if) was filled in; data-wrap="items" sends the body as the one item of a list.
import { keep, loadAgain, taken } from './again.js';
import { send } from './api.js';
import { noteBox } from './dom.js';

const READ = {
  text: (it) => it.value.trim(),
  optional: (it) => it.value.trim() || null,
  lines: (it) => it.value.split('\n').map((line) => line.trim()).filter(Boolean),
  commas: (it) => it.value.split(',').map((part) => part.trim()).filter(Boolean),
  number: (it) => (it.value === '' ? null : Number(it.value)),
  flag: (it) => it.checked,
  inherited: (it) => (it.value === '' ? null : it.value === 'true'),
  raw: (it) => it.value,
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

export function show(form, error) {
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
  // What stands beside the fields is not said in the words of the API once more.
  const told = first ? ['Some of it cannot be taken: see what stands beside the fields.'] : [plain(error.message), error.problem?.hint];
  const text = [before, ...told].filter(Boolean).join(' ');
  let box = form.querySelector?.('[data-outcome]');
  if (!box && form.matches?.('form')) {
    box = document.createElement('p');
    box.dataset.outcome = '';
    form.append(box);
  }
  if (box) { box.className = 'note-box bad'; box.setAttribute('role', 'alert'); box.textContent = text; } else tell(text);
  (first ?? box)?.focus?.();
}

// Without the place in the request, which is for programs.
const plain = (message) => message.replace(/^\/[\w/]+: (\p{L})/u, (_, letter) => letter.toUpperCase());

// What was done is told on the page that comes.
const SAID = 'said';
export function tellWhatWasDone() {
  const said = taken(SAID);
  if (!said) return;
  document.querySelector('main h1')?.closest('header')?.after(noteBox('good', said));
  tell(said);
}

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
  if (from.dataset.said) keep(SAID, from.dataset.said);
  if (then) location.assign(filled(then, answer));
  else loadAgain();
}

const filled = (text, answer) => text.replace(/\{([\w.]+)\}/g, (_, path) => encodeURIComponent(path.split('.').reduce((at, part) => at?.[part], answer) ?? ''));

// What was created stands, also when what follows is refused: the form then sends that alone.
const created = new WeakMap();

async function sendBoth(from, body) {
  const { also, ...first } = body ?? {};
  const [method, path] = from.dataset.api.split(' ');
  const sent = from.dataset.wrap ? { [from.dataset.wrap]: [first] } : first;
  const answer = created.get(from) ?? await send(method, path, body && sent);
  if (!from.dataset.also || !also?.[from.dataset.alsoIf]) return answer;
  created.set(from, answer);
  const [alsoMethod, alsoPath] = from.dataset.also.split(' ');
  try {
    await send(alsoMethod, filled(alsoPath, answer), also);
  } catch (error) {
    error.isAlso = true;
    // It is there as it was sent: another word about it would get lost.
    for (const it of from.elements) if (it.name && !it.name.startsWith('also.')) it.readOnly = true;
    throw error;
  }
  return answer;
}

async function run(from, body) {
  if (from.dataset.confirm && !confirm(from.dataset.confirm)) return;
  const button = from.matches('button') ? from : from.querySelector('button[type="submit"], button:not([type])');
  if (button?.getAttribute('aria-busy') === 'true') return;
  button?.setAttribute('aria-busy', 'true');
  try {
    succeeded(from, await sendBoth(from, body));
  } catch (error) {
    show(from, error);
    if (from.matches('[role="switch"], input')) from.checked = !from.checked;
  } finally {
    button?.removeAttribute('aria-busy');
  }
}

export function listenToForms(root) {
  root.addEventListener('submit', (event) => {
    const form = event.target.closest('form[data-api]');
    if (!form) return;
    event.preventDefault();
    clear(form);
    run(form, bodyOf([...form.elements].filter((it) => it.name)));
  });
  root.addEventListener('click', (event) => {
    const button = event.target.closest('button[data-api]');
    if (!button) return;
    // What is posted has a body, be it an empty one.
    const empty = button.dataset.api.startsWith('POST ') ? {} : undefined;
    run(button, button.dataset.body ? JSON.parse(button.dataset.body) : empty);
  });
  root.addEventListener('change', (event) => {
    const box = event.target.closest('input[type="checkbox"][data-api]');
    if (box) run(box, { [box.name]: box.checked });
  });
}
