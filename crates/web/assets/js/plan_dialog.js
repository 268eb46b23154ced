// Makes a content plan of selected keywords, with a preview.
import { ACTIONS, itemErrors, planItems, withoutReason } from './content_plan.js';
import { send } from './api.js';
import { alertBox, busy, choice, el, field, noteBox, tag } from './dom.js';
import { numberText } from './localize.js';
import { PagedTable } from './paged_table.js';
import { inMarket, mostCommonMarket, onePerText } from './keyword_status.js';
import { fetchResults, fetchStatus, projects, truncationHint } from './project_data.js';
import { normalized } from './words.js';

const MAX_ITEMS = 500;

// `ideas` as for `planItems`, in `market` or else the project's most common one. `knownOnly` leaves out ideas without
// known results if others have some.
export function planDialog({ ideas, project, market = null, language = 'en', name = '', knownOnly = false }) {
  const state = { project, results: new Map(), reading: null, onePerCluster: true, knownOnly, plan: null };
  const title = el('h2', { id: 'plan-title', tabindex: '-1' }, 'Make a content plan');
  const named = el('input', { name: 'name', required: true, maxlength: '200', value: name });
  const method = el('p', { class: 'soft small', role: 'status' });
  const outcome = el('div');
  const tooMany = el('div', { role: 'status' });
  const unread = el('div', { role: 'status' });
  const table = new PagedTable({
    caption: 'What the plan would hold', perPage: 10, order: 'cluster', key: (it) => it.keyword,
    columns: [
      { name: 'keyword', label: 'Keyword', value: (it) => it.keyword, cell: (it) => el('span', {}, it.keyword, it.outline.length ? el('span', { class: 'sub' }, `with ${it.outline.length} more in its outline`) : null) },
      { name: 'cluster', label: 'Cluster', value: (it) => it.cluster, cell: (it) => it.cluster },
      { name: 'action', label: 'What to do', value: (it) => it.action, cell: (it) => el('span', {}, tag('own', ACTIONS[it.action]), el('span', { class: 'sub' }, it.reason)) },
    ],
  });
  const save = el('button', { type: 'button', class: 'main', onclick: () => busy(save, savePlan) }, 'Save the plan');

  function draw() {
    const known = ideas.filter((it) => state.results.has(normalized(it.keyword)));
    const isMixed = known.length > 1 && known.length < ideas.length;
    some.hidden = !isMixed;
    some.lastChild.textContent = `Only the ${numberText(known.length, 0)} of ${numberText(ideas.length, 0)} whose results are known: they are clustered by shared results`;
    state.plan = planItems(isMixed && state.knownOnly ? known : ideas, { results: state.results, language, onePerCluster: state.onePerCluster });
    const clusters = new Set(state.plan.items.map((it) => it.cluster)).size;
    method.textContent = `${numberText(state.plan.items.length, 0)} items in ${numberText(clusters, 0)} clusters. ${state.plan.methodText}`;
    table.show(state.plan.items);
    save.disabled = !state.project || state.plan.items.length > MAX_ITEMS;
    tooMany.replaceChildren(state.plan.items.length > MAX_ITEMS ? noteBox('warn', `A plan holds ${numberText(MAX_ITEMS, 0)} items at the most. Choose fewer keywords, or one page for each cluster.`) : '');
  }

  async function chooseProject(id) {
    const project = projects().find((it) => String(it.id) === String(id)) ?? null;
    Object.assign(state, { project, results: new Map() });
    unread.replaceChildren();
    draw();
    if (project === null) return;
    const wanted = new Set(ideas.map((it) => normalized(it.keyword)));
    let results;
    try {
      const status = await fetchStatus(project.id);
      const where = market ?? mostCommonMarket(status);
      const there = onePerText(status.filter((it) => inMarket(it, where)), where);
      results = await fetchResults(project.id, there.filter((it) => wanted.has(normalized(it.text))));
    } catch (error) {
      if (state.project === project) unread.replaceChildren(noteBox('warn', `What was found for these keywords cannot be read just now, so words decide. ${error.message}`));
      return;
    }
    // Another project may have been selected in the meantime.
    if (state.project !== project) return;
    state.results = results;
    draw();
  }
  const choose = (id) => { state.reading = chooseProject(id); };

  async function savePlan() {
    outcome.replaceChildren();
    if (!named.reportValidity()) return;
    await state.reading;
    if (save.disabled) return;
    try {
      const { project: into } = state;
      const plan = await send('POST', `/api/projects/${into.id}/content-plans`, { name: named.value.trim(), clusteredBy: state.plan.clusteredBy, items: state.plan.items.map(withoutReason) });
      title.textContent = 'The plan is saved';
      body.replaceChildren(noteBox('good', `“${plan.name ?? named.value}” holds ${numberText(state.plan.items.length, 0)} items. Dates, owners and outlines are edited in the plan.`));
      actions.replaceChildren(el('a', { class: 'button main', href: `/projects/${into.id}/content-plans/${plan.id}` }, 'Open the plan'), el('button', { type: 'button', onclick: () => box.close() }, 'Close'));
      title.focus();
    } catch (error) {
      const wrong = itemErrors(state.plan.items, error.problem?.errors).slice(0, 10);
      outcome.replaceChildren(alertBox(error), wrong.length ? el('ul', { class: 'plain small' }, wrong.map((it) => el('li', {}, it))) : '');
    }
  }

  const kind = (value, label) => el('label', { class: 'check' }, el('input', { type: 'radio', name: 'items', checked: state.onePerCluster === value, onchange: () => { state.onePerCluster = value; draw(); } }), label);
  const some = el('label', { class: 'check', hidden: true }, el('input', { type: 'checkbox', checked: knownOnly, onchange: (event) => { state.knownOnly = event.target.checked; draw(); } }), el('span'));
  const body = el('div', { class: 'page' },
    el('div', { class: 'fields' },
      field('Name', named),
      field('Project', choice('project', [['', 'Choose a project'], ...projects().map((it) => [it.id, `${it.name} (${it.domain})`])], project?.id, { onchange: (event) => choose(event.target.value) }), truncationHint())),
    el('fieldset', { class: 'stack tight' }, el('legend', {}, 'Pages to write'), kind(true, 'One for each cluster; its other keywords become the outline'), kind(false, 'One for each keyword')),
    some, method, unread, tooMany, el('div', { class: 'card flush' }, table.node), outcome);
  const actions = el('div', { class: 'row' }, save, el('button', { type: 'button', onclick: () => box.close() }, 'Cancel'));
  const box = el('dialog', { class: 'sheet', 'aria-labelledby': 'plan-title', onclose: () => box.remove() }, title, body, actions);
  document.body.append(box);
  draw();
  box.showModal();
  if (project) choose(project.id);
  return box;
}
