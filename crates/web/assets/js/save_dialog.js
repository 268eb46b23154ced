// Saves selected keywords into a project: shows the quota before, and the outcome of each keyword after.
import { MAX_PER_REQUEST, OUTCOMES, buildBody, countOutcomes, countQuota, keywordErrors, remainingQuota, validate } from './bulk_save.js';
import { send } from './api.js';
import { alertBox, busy, choice, el, field, languageName, noteBox, regionName, tag } from './dom.js';
import { numberText } from './localize.js';
import { PagedTable } from './paged_table.js';
import { mostCommonMarket, trackedTexts } from './keyword_status.js';
import { countKeywords, fetchStatus, projects, truncationHint } from './project_data.js';
import { normalized } from './words.js';

// `chosen` are `{text, ai}`; `ai`: AI answers are suggested.
export function saveDialog({ chosen, project, session, market = null, searchId = null, onSaved = () => {} }) {
  const rows = chosen.map((it) => ({ ...it, key: normalized(it.text), aiTracked: Boolean(it.ai) }));
  const state = { project, market, tracked: new Map(), left: remainingQuota(session?.quotas, null, null), mode: 'all', reading: null };
  const title = el('h2', { id: 'save-title', tabindex: '-1' }, `Save ${rows.length === 1 ? 'a keyword' : `${numberText(rows.length, 0)} keywords`}`);
  const count = el('div', { role: 'status', class: 'allowance' });
  const outcome = el('div');
  const where = el('p', { class: 'soft small' });
  const table = new PagedTable({
    caption: 'Keywords to save', perPage: 10, tight: true, order: 'text', key: (it) => it.key,
    columns: [
      { name: 'text', label: 'Keyword', value: (it) => it.text, cell: (it) => el('span', {}, it.text, sub(it)) },
      { name: 'ai', label: 'AI answers', cell: (it) => aiSwitch(it) },
    ],
  });
  const sub = (it) => { const note = validate(it.text) ?? (state.tracked.has(it.key) ? 'Already tracked: stays as it is.' : null); return note && el('span', { class: 'sub' }, note); };
  const aiSwitch = (it) => el('label', { class: 'check' }, el('input', { type: 'checkbox', checked: it.aiTracked, disabled: state.tracked.has(it.key), onchange: (event) => { it.aiTracked = event.target.checked; drawQuota(); } }), el('span', { class: 'out' }, `Measure “${it.text}” in AI answers`));
  const setAll = (value) => { for (const it of rows) it.aiTracked = value(it); table.draw(); drawQuota(); };
  const save = el('button', { type: 'button', class: 'main', onclick: () => busy(save, saveKeywords) }, 'Save them');

  function drawQuota() {
    const it = countQuota(rows, state.tracked, state.left);
    const line = (label, used, after) => el('li', {}, el('span', {}, label), el('b', {}, numberText(used, 0)), el('span', { class: after !== null && after < 0 ? 'down' : 'soft' }, after === null ? 'allowance not known' : after < 0 ? `${numberText(-after, 0)} too many` : `${numberText(after, 0)} left after it`));
    count.replaceChildren(el('ul', {}, line('Places for keywords', it.keywordsTaken, it.keywordsAfter), line('Places for AI answers', it.aiTaken, it.aiAfter)),
      it.already ? el('p', { class: 'soft small' }, `${numberText(it.already, 0)} tracked already, ${it.already === 1 ? 'it takes' : 'they take'} no place.`) : '',
      it.fits ? '' : noteBox('warn', state.mode === 'all' ? 'It does not all fit: nothing would be saved. Choose fewer, or save what fits.' : 'It does not all fit: what fits is saved, the rest is refused.'),
      it.tooMany ? noteBox('warn', `At most ${numberText(MAX_PER_REQUEST, 0)} at once.`) : '');
    save.disabled = !state.project || it.tooMany || rows.length === 0 || (state.mode === 'all' && !it.fits);
  }

  function showMarket(more = '') {
    const { market: it } = state;
    where.textContent = [it ? `They are followed in ${regionName(it.country)}, ${languageName(it.language)}, on desktop.` : '', more].filter(Boolean).join(' ');
    table.draw();
    drawQuota();
  }

  async function chooseProject(id) {
    const project = projects().find((it) => String(it.id) === String(id)) ?? null;
    const left = remainingQuota(session?.quotas, session?.limits?.keywordsPerProject, project?.keywordCount ?? null);
    Object.assign(state, { project, market, tracked: new Map(), left });
    showMarket();
    if (project === null) return;
    const status = await fetchStatus(project.id).catch(() => null);
    // Another project may have been selected in the meantime.
    if (state.project !== project) return;
    state.market = market ?? mostCommonMarket(status ?? []);
    state.tracked = trackedTexts(status ?? [], state.market);
    showMarket(status === null ? 'Which of them are tracked already cannot be read just now: those take no place, whatever is counted below.' : '');
  }
  const choose = (id) => { state.reading = chooseProject(id); };

  async function saveKeywords() {
    outcome.replaceChildren();
    try {
      await state.reading;
      if (save.disabled) return;
      const { project: into } = state;
      const answer = await send('POST', `/api/projects/${into.id}/keywords/bulk`, buildBody(rows, state.mode, state.market, searchId));
      countKeywords(into.id, answer.allowance?.keywordsPerProject?.used);
      done(answer.items ?? [], answer, into);
    } catch (error) {
      const wrong = keywordErrors(rows, error.problem?.errors);
      outcome.replaceChildren(alertBox(error), wrong.length ? outcomeTable(wrong) : '');
    }
  }

  const outcomeTable = (items) => {
    const kinds = { added: 'good', reactivated: 'good', alreadyTracked: '', refused: 'bad' };
    const table = new PagedTable({
      caption: 'What came of each keyword', perPage: 10, tight: true, order: 'outcome', key: (it) => it.text,
      columns: [
        { name: 'text', label: 'Keyword', value: (it) => it.text, cell: (it) => it.text },
        { name: 'outcome', label: 'Outcome', value: (it) => (it.outcome === 'refused' ? 0 : 1), cell: (it) => el('span', {}, tag(kinds[it.outcome] ?? '', OUTCOMES[it.outcome] ?? it.outcome), it.detail ? el('span', { class: 'sub' }, it.detail) : null) },
      ],
    });
    table.show(items);
    return el('div', { class: 'card flush' }, table.node);
  };

  function done(items, answer, into) {
    const found = countOutcomes(items, answer);
    const isGood = found.counts.refused === 0;
    title.textContent = isGood ? 'Saved' : 'Saved in part';
    body.replaceChildren(noteBox(isGood ? 'good' : 'warn', found.text), outcomeTable(items));
    actions.replaceChildren(el('a', { class: 'button main', href: `/projects/${into.id}/keywords` }, 'To the project’s keywords'), el('button', { type: 'button', onclick: () => box.close() }, 'Close'));
    title.focus();
    onSaved(items, into);
  }

  const mode = (value, label) => el('label', { class: 'check' }, el('input', { type: 'radio', name: 'mode', value, checked: state.mode === value, onchange: () => { state.mode = value; drawQuota(); } }), label);
  const body = el('div', { class: 'page' },
    field('Project', choice('project', [['', 'Choose a project'], ...projects().map((it) => [it.id, `${it.name} (${it.domain})`])], project?.id, { onchange: (event) => choose(event.target.value) }), truncationHint()),
    el('div', { class: 'row' }, el('span', { class: 'small' }, 'Measure in AI answers:'), ['As suggested', 'All', 'None'].map((label, index) => el('button', { type: 'button', class: 'slim', onclick: () => setAll([(it) => Boolean(it.ai), () => true, () => false][index]) }, label))),
    el('div', { class: 'card flush' }, table.node),
    where,
    el('fieldset', { class: 'stack tight' }, el('legend', {}, 'If they do not all fit'), mode('all', 'Save nothing'), mode('partial', 'Save what fits')),
    count, outcome);
  const actions = el('div', { class: 'row' }, save, el('button', { type: 'button', onclick: () => box.close() }, 'Cancel'));
  const box = el('dialog', { class: 'sheet', 'aria-labelledby': 'save-title', onclose: () => box.remove() }, title, body, actions);
  document.body.append(box);
  table.show(rows);
  drawQuota();
  box.showModal();
  if (project) choose(project.id);
  return box;
}
